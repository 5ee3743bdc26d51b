-- +goose Up
-- Whether somebody has decided about it in the chat: it is given a minute to come
-- of that before it is told anew.
ALTER TABLE relay.alerts ADD COLUMN decided boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE relay.alerts DROP COLUMN decided;
