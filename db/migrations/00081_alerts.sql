-- +goose Up
-- What the operators' chat was told about, until it is over.
CREATE TABLE relay.alerts (
    problem    text PRIMARY KEY,  -- what it is about
    message_id bigint NOT NULL,
    said       text NOT NULL,     -- as the message stands in the chat
    told_at    timestamptz NOT NULL DEFAULT now(),
    over_at    timestamptz        -- null while the problem stands
);
-- Until when one process is at it; a row, because no transaction lasts over a call to a platform.
CREATE TABLE relay.alert_rounds (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    ends_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE relay.alert_rounds;
DROP TABLE relay.alerts;
