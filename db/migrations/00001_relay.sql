-- +goose Up
CREATE SCHEMA relay;

-- A wall is what VK_WALLS names: its numeric owner is resolved once and kept.
CREATE TABLE relay.walls (
    name          text PRIMARY KEY,
    owner_id      bigint UNIQUE CHECK (owner_id <> 0),
    watched       boolean NOT NULL DEFAULT true,
    state         text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'parked')),
    reason        text NOT NULL DEFAULT '',
    posts_per_day double precision NOT NULL DEFAULT 0 CHECK (posts_per_day >= 0),
    read_every    interval NOT NULL DEFAULT '1 minute',
    next_read_at  timestamptz NOT NULL DEFAULT now(),
    last_read_at  timestamptz,
    newest_post_at timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);

-- Calls of wall.get per reading key (a fingerprint of it, never the key) and hour.
CREATE TABLE relay.read_calls (
    key   text NOT NULL,
    hour  timestamptz NOT NULL,
    calls integer NOT NULL CHECK (calls >= 0),
    PRIMARY KEY (key, hour)
);

-- A method of a key that VK told to wait (errors 9 and 29).
CREATE TABLE relay.key_pauses (
    key    text PRIMARY KEY,
    until  timestamptz NOT NULL,
    reason text NOT NULL
);

CREATE TABLE relay.posts (
    owner_id        bigint NOT NULL,
    post_id         bigint NOT NULL,
    from_id         bigint NOT NULL DEFAULT 0,
    posted_at       timestamptz NOT NULL,
    edited_at       timestamptz,
    text            text NOT NULL,
    reposts         text[] NOT NULL DEFAULT '{}',
    origin_owner_id bigint,
    origin_post_id  bigint,
    photos          jsonb NOT NULL DEFAULT '[]',
    attachments     jsonb NOT NULL DEFAULT '[]',
    link            text NOT NULL,
    content_hash    bytea NOT NULL,
    type            text NOT NULL,
    animal          text NOT NULL DEFAULT '',
    sex             text NOT NULL DEFAULT '',
    name            text NOT NULL DEFAULT '',
    phones          text[] NOT NULL DEFAULT '{}',
    location        text NOT NULL DEFAULT '',
    when_said       text NOT NULL DEFAULT '',
    contacts        text[] NOT NULL DEFAULT '{}',
    reading         jsonb NOT NULL DEFAULT '{}',
    ruleset_version integer NOT NULL,
    deleted_at      timestamptz,
    stored_at       timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, post_id)
);
CREATE INDEX posts_by_time ON relay.posts (posted_at DESC);

-- A destination's name is its identity for ever: a Telegram group that became
-- a supergroup keeps it and is reached at migrated_to.
CREATE TABLE relay.destinations (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    migrated_to bigint,
    -- A VK wall that drops photos which are only named, not uploaded to it.
    names_refused boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT now()
);

-- What is owed: one row per post and destination, for ever.
CREATE TABLE relay.deliveries (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    destination_id   bigint NOT NULL REFERENCES relay.destinations,
    owner_id         bigint NOT NULL,
    post_id          bigint NOT NULL,
    status           text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'sending', 'sent', 'failed', 'parked', 'unknown', 'suppressed')),
    reason           text NOT NULL DEFAULT '',
    case_id          bigint,
    weight           integer NOT NULL DEFAULT 1 CHECK (weight > 0),
    attempts         integer NOT NULL DEFAULT 0,
    unknown_attempts integer NOT NULL DEFAULT 0,
    workflow_id      text NOT NULL,
    captcha          jsonb,
    created_at       timestamptz NOT NULL DEFAULT now(),
    queued_at        timestamptz,
    first_attempt_at timestamptz,
    sent_at          timestamptz,
    updated_at       timestamptz NOT NULL DEFAULT now(),
    UNIQUE (destination_id, owner_id, post_id),
    FOREIGN KEY (owner_id, post_id) REFERENCES relay.posts
);
CREATE INDEX deliveries_by_status ON relay.deliveries (status, id);
CREATE INDEX deliveries_by_post ON relay.deliveries (owner_id, post_id);
CREATE INDEX deliveries_to_queue ON relay.deliveries (queued_at NULLS FIRST, id) WHERE status IN ('pending', 'sending');

-- A part that has arrived is never sent again.
CREATE TABLE relay.delivery_parts (
    delivery_id bigint NOT NULL REFERENCES relay.deliveries,
    part        integer NOT NULL CHECK (part >= 0),
    message_ids bigint[] NOT NULL,
    sent_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (delivery_id, part)
);

CREATE TABLE relay.delivery_attempts (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery_id  bigint NOT NULL REFERENCES relay.deliveries,
    part         integer NOT NULL,
    number       integer NOT NULL,
    started_at   timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz,
    outcome      text NOT NULL DEFAULT '',
    code         integer NOT NULL DEFAULT 0,
    error        text NOT NULL DEFAULT '',
    retry_after  interval,
    rung         text NOT NULL DEFAULT '',
    UNIQUE (delivery_id, number)
);
CREATE INDEX delivery_attempts_open ON relay.delivery_attempts (delivery_id) WHERE finished_at IS NULL;

-- How far down the media ladder each photo of a delivery has come: a URL that
-- Telegram refused is not tried again, because it remembers for days.
CREATE TABLE relay.delivery_photos (
    delivery_id bigint NOT NULL REFERENCES relay.deliveries,
    photo       integer NOT NULL CHECK (photo >= 0),
    rung        integer NOT NULL DEFAULT 0 CHECK (rung BETWEEN 0 AND 3),
    saved       text NOT NULL DEFAULT '', -- its name on the VK wall it was uploaded for
    PRIMARY KEY (delivery_id, photo)
);

-- +goose Down
DROP SCHEMA relay CASCADE;
