-- The desk lists places and events by what people call them, a page at a time.
-- +goose NO TRANSACTION

-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS places_named ON guide.places (name, external_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_named ON guide.events (title, external_id);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS guide.events_named;
DROP INDEX CONCURRENTLY IF EXISTS guide.places_named;
