-- +goose Up

-- What VK has called about, for a day: it may call twice.
CREATE TABLE relay.callback_events (
    event_id    text PRIMARY KEY,
    received_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down

DROP TABLE relay.callback_events;
