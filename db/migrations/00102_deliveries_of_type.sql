-- +goose NO TRANSACTION
-- What the post of a delivery is about, beside it, so that a list of one type is a
-- range of an index; and where a day begins in the list. Triggers keep the type in
-- step: the version before knows nothing of it.

-- +goose Up
ALTER TABLE relay.deliveries ADD COLUMN IF NOT EXISTS post_type text NOT NULL DEFAULT '';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION relay.type_of_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.post_type := coalesce((SELECT type FROM relay.posts WHERE owner_id = NEW.owner_id AND post_id = NEW.post_id), '');
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER typed BEFORE INSERT ON relay.deliveries FOR EACH ROW EXECUTE FUNCTION relay.type_of_post();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION relay.retype_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE relay.deliveries SET post_type = NEW.type WHERE owner_id = NEW.owner_id AND post_id = NEW.post_id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER retyped AFTER UPDATE OF type ON relay.posts
    FOR EACH ROW WHEN (OLD.type <> NEW.type) EXECUTE FUNCTION relay.retype_deliveries();

-- +goose StatementBegin
DO $$
DECLARE
    at bigint := 0;
    last bigint := (SELECT max(id) FROM relay.deliveries);
BEGIN
    WHILE at <= last LOOP
        UPDATE relay.deliveries v SET post_type = p.type
        FROM relay.posts p
        WHERE v.id BETWEEN at AND at + 9999 AND p.owner_id = v.owner_id AND p.post_id = v.post_id AND v.post_type <> p.type;
        COMMIT;
        at := at + 10000;
    END LOOP;
END
$$;
-- +goose StatementEnd
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_listed_by_type ON relay.deliveries (destination_id, status, post_type, id);

-- The id from which on deliveries were owed at a time or later, found by halving:
-- ids and times rise together, but for what several transactions write at once.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION relay.first_delivery_since(since timestamptz) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
DECLARE
    low   bigint := 0;
    high  bigint := (SELECT coalesce(max(id), 0) + 1 FROM relay.deliveries);
    found bigint;
    owed  timestamptz;
BEGIN
    WHILE low < high LOOP
        SELECT id, created_at INTO found, owed FROM relay.deliveries WHERE id >= (low + high) / 2 AND id < high ORDER BY id LIMIT 1;
        IF owed < since THEN
            low := found + 1;
        ELSE
            high := (low + high) / 2;
        END IF;
    END LOOP;
    RETURN high;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION IF EXISTS relay.first_delivery_since(timestamptz);
DROP INDEX CONCURRENTLY IF EXISTS relay.deliveries_listed_by_type;
DROP TRIGGER IF EXISTS retyped ON relay.posts;
DROP TRIGGER IF EXISTS typed ON relay.deliveries;
DROP FUNCTION IF EXISTS relay.retype_deliveries();
DROP FUNCTION IF EXISTS relay.type_of_post();
ALTER TABLE relay.deliveries DROP COLUMN IF EXISTS post_type;
