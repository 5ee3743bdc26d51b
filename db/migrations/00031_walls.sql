-- +goose Up
-- How often in a row a wall could not be read: it is looked at ever later.
ALTER TABLE relay.walls ADD COLUMN failures integer NOT NULL DEFAULT 0;
-- When VK first showed a wall without this post; null while it stands.
ALTER TABLE relay.posts ADD COLUMN missed_at timestamptz;

-- +goose Down
ALTER TABLE relay.posts DROP COLUMN missed_at;
ALTER TABLE relay.walls DROP COLUMN failures;
