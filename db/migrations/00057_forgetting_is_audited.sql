-- +goose Up
-- What is forgotten on request is a line of relay.audit.
-- contract: no release has written here
DROP TABLE IF EXISTS relay.forgettings;

-- +goose Down
CREATE TABLE relay.forgettings (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL DEFAULT now(),
    by         text NOT NULL,
    named_by   text NOT NULL CHECK (named_by IN ('post', 'author', 'phone', 'telegram-user')),
    posts      integer NOT NULL,
    copies     integer NOT NULL,
    favourites integer NOT NULL
);
