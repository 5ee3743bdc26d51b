-- +goose NO TRANSACTION
-- What is to start says itself when: thousands that are spaced out over the weeks
-- ahead are not looked at until they are due.

-- +goose Up
ALTER TABLE relay.deliveries_to_start ADD COLUMN IF NOT EXISTS due_at timestamptz NOT NULL DEFAULT '-infinity';
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_to_start_due ON relay.deliveries_to_start (due_at, delivery_id);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION relay.to_start() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'pending' AND NEW.started_at IS NULL THEN
        INSERT INTO relay.deliveries_to_start (delivery_id, due_at) VALUES (NEW.id, coalesce(NEW.due_at, '-infinity'))
        ON CONFLICT (delivery_id) DO UPDATE SET due_at = excluded.due_at;
    ELSE
        DELETE FROM relay.deliveries_to_start WHERE delivery_id = NEW.id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER to_start_moved AFTER UPDATE OF status, started_at, due_at ON relay.deliveries
    FOR EACH ROW WHEN ((OLD.status = 'pending' AND OLD.started_at IS NULL) <> (NEW.status = 'pending' AND NEW.started_at IS NULL)
        OR NEW.status = 'pending' AND NEW.started_at IS NULL AND OLD.due_at IS DISTINCT FROM NEW.due_at)
    EXECUTE FUNCTION relay.to_start();
INSERT INTO relay.deliveries_to_start (delivery_id, due_at)
SELECT s.delivery_id, v.due_at FROM relay.deliveries_to_start s JOIN relay.deliveries v ON v.id = s.delivery_id WHERE v.due_at IS NOT NULL
ON CONFLICT (delivery_id) DO UPDATE SET due_at = excluded.due_at;

-- +goose Down
CREATE OR REPLACE TRIGGER to_start_moved AFTER UPDATE OF status, started_at ON relay.deliveries
    FOR EACH ROW WHEN ((OLD.status = 'pending' AND OLD.started_at IS NULL) <> (NEW.status = 'pending' AND NEW.started_at IS NULL))
    EXECUTE FUNCTION relay.to_start();
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
DROP INDEX relay.deliveries_to_start_due;
ALTER TABLE relay.deliveries_to_start DROP COLUMN due_at;
