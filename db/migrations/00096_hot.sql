-- +goose NO TRANSACTION
-- An update that touches no index writes one row; one that does writes to five
-- indexes of relay.deliveries.

-- +goose Up
-- What is owed and has no workflow yet. Marking a delivery as started is then no
-- change of an index.
CREATE TABLE IF NOT EXISTS relay.deliveries_to_start (
    delivery_id bigint PRIMARY KEY
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION relay.to_start() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'pending' AND NEW.started_at IS NULL THEN
        INSERT INTO relay.deliveries_to_start VALUES (NEW.id) ON CONFLICT DO NOTHING;
    ELSE
        DELETE FROM relay.deliveries_to_start WHERE delivery_id = NEW.id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER to_start_added AFTER INSERT ON relay.deliveries
    FOR EACH ROW WHEN (NEW.status = 'pending' AND NEW.started_at IS NULL) EXECUTE FUNCTION relay.to_start();
CREATE OR REPLACE TRIGGER to_start_moved AFTER UPDATE OF status, started_at ON relay.deliveries
    FOR EACH ROW WHEN ((OLD.status = 'pending' AND OLD.started_at IS NULL) <> (NEW.status = 'pending' AND NEW.started_at IS NULL))
    EXECUTE FUNCTION relay.to_start();
INSERT INTO relay.deliveries_to_start
SELECT id FROM relay.deliveries WHERE status = 'pending' AND started_at IS NULL
ON CONFLICT DO NOTHING;
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_unstarted;

-- An attempt is found by its delivery and number, an open one by its destination.
DROP INDEX CONCURRENTLY IF EXISTS relay.delivery_attempts_open;
ALTER TABLE relay.delivery_attempts DROP CONSTRAINT IF EXISTS delivery_attempts_pkey;

-- +goose Down
ALTER TABLE relay.delivery_attempts ADD PRIMARY KEY (id);
CREATE INDEX delivery_attempts_open ON relay.delivery_attempts (delivery_id) WHERE finished_at IS NULL;
CREATE INDEX deliveries_unstarted ON relay.deliveries (id) WHERE status = 'pending' AND started_at IS NULL;
DROP TRIGGER to_start_moved ON relay.deliveries;
DROP TRIGGER to_start_added ON relay.deliveries;
DROP FUNCTION relay.to_start();
DROP TABLE relay.deliveries_to_start;
