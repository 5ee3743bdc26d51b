-- +goose Up

-- The version of the rules that decided where a post goes.
ALTER TABLE relay.posts ADD COLUMN rules text NOT NULL DEFAULT '';

-- What each version says: the text of ROUTES_FILE.
CREATE TABLE relay.rules (
    version text PRIMARY KEY,
    text text NOT NULL,
    first_used_at timestamptz NOT NULL DEFAULT now()
);

-- Changed settings that a process has found wrong: it goes on with those before.
CREATE TABLE relay.refused_settings (
    process text PRIMARY KEY,
    variable text NOT NULL,
    reason text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down

DROP TABLE relay.refused_settings;
DROP TABLE relay.rules;
ALTER TABLE relay.posts DROP COLUMN rules;
