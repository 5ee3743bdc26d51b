-- +goose Up
-- A line is written before what it is about is done, and closed after. Lines of
-- builds before this, which write them after, are closed.
ALTER TABLE relay.audit ADD COLUMN closed_at timestamptz DEFAULT now();

-- +goose Down
ALTER TABLE relay.audit DROP COLUMN closed_at;
