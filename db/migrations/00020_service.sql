-- Service records of the bot: not content, not people. They live outside the
-- domain schema, may be emptied at any time, and the cost is at worst one
-- repeated answer to a repeated delivery.

-- +goose Up
CREATE SCHEMA service;

-- Updates that have been taken on, kept 25 hours: Telegram repeats a delivery
-- for at most 24. A session of a chat knows its own updates; here it claims
-- them against the sessions before it. The bot is part of the key, because
-- every bot counts its updates for itself.
CREATE TABLE service.inbox (
    bot_id     bigint NOT NULL,
    update_id  bigint NOT NULL,
    session    text NOT NULL,
    trace_id   text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (bot_id, update_id)
);
CREATE INDEX inbox_claimed_at ON service.inbox (claimed_at);

-- +goose Down
DROP SCHEMA service CASCADE;
