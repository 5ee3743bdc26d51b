-- +goose NO TRANSACTION
-- Indexes in which every list of deliveries is a range, whatever it is narrowed
-- by; those that they make unneeded cost each delivery a write at every change.

-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_listed ON relay.deliveries (destination_id, status, id);
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_by_status;

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS deliveries_of_post ON relay.deliveries (owner_id, post_id, destination_id);
ALTER TABLE relay.deliveries DROP CONSTRAINT IF EXISTS deliveries_destination_id_owner_id_post_id_key;
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_by_post;

-- Deliveries that others may have waited behind, and that came to nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_given_up ON relay.deliveries (updated_at) WHERE status IN ('failed', 'suppressed') AND stands_for IS NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_given_up;
CREATE INDEX CONCURRENTLY deliveries_by_post ON relay.deliveries (owner_id, post_id);
ALTER TABLE relay.deliveries ADD CONSTRAINT deliveries_destination_id_owner_id_post_id_key UNIQUE (destination_id, owner_id, post_id);
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_of_post;
CREATE INDEX CONCURRENTLY deliveries_by_status ON relay.deliveries (status, id);
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_listed;
