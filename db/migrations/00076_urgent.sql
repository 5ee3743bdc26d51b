-- +goose NO TRANSACTION
-- Fresh news about a search goes before everything else that waits.

-- +goose Up
ALTER TABLE relay.deliveries ADD COLUMN IF NOT EXISTS urgent boolean NOT NULL DEFAULT true;
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_waiting ON relay.deliveries (destination_id, urgent, id) WHERE status IN ('pending', 'sending');
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_open;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_open ON relay.deliveries (destination_id, id) WHERE status IN ('pending', 'sending');
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_waiting;
ALTER TABLE relay.deliveries DROP COLUMN IF EXISTS urgent;
