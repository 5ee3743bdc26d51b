-- +goose NO TRANSACTION
-- How many deliveries rest in each status: to count millions took seconds, each
-- time that metrics were scraped. A change is a row, in the transaction that
-- makes it, and no row is shared: none waits for another. The rows are folded
-- into one for each status from time to time.

-- +goose Up
CREATE TABLE IF NOT EXISTS relay.delivery_tallies (
    status text NOT NULL,
    change bigint NOT NULL
);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION relay.tally_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.status IN ('sent', 'suppressed', 'failed') THEN
        INSERT INTO relay.delivery_tallies VALUES (OLD.status, -1);
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.status IN ('sent', 'suppressed', 'failed') THEN
        INSERT INTO relay.delivery_tallies VALUES (NEW.status, 1);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER tally_added AFTER INSERT ON relay.deliveries
    FOR EACH ROW WHEN (NEW.status IN ('sent', 'suppressed', 'failed')) EXECUTE FUNCTION relay.tally_delivery();
CREATE OR REPLACE TRIGGER tally_moved AFTER UPDATE OF status ON relay.deliveries
    FOR EACH ROW WHEN (OLD.status <> NEW.status AND (OLD.status IN ('sent', 'suppressed', 'failed') OR NEW.status IN ('sent', 'suppressed', 'failed')))
    EXECUTE FUNCTION relay.tally_delivery();
CREATE OR REPLACE TRIGGER tally_removed AFTER DELETE ON relay.deliveries
    FOR EACH ROW WHEN (OLD.status IN ('sent', 'suppressed', 'failed')) EXECUTE FUNCTION relay.tally_delivery();

-- What was there before, less what the triggers have counted since: one
-- statement sees both at one moment. Run again, it adds what is missing.
INSERT INTO relay.delivery_tallies (status, change)
SELECT status, sum(change) FROM (
    SELECT status, count(*) AS change FROM relay.deliveries WHERE status IN ('sent', 'suppressed', 'failed') GROUP BY status
    UNION ALL
    SELECT status, -sum(change) FROM relay.delivery_tallies GROUP BY status
) counted
GROUP BY status;

-- +goose Down
DROP TRIGGER IF EXISTS tally_added ON relay.deliveries;
DROP TRIGGER IF EXISTS tally_moved ON relay.deliveries;
DROP TRIGGER IF EXISTS tally_removed ON relay.deliveries;
DROP FUNCTION IF EXISTS relay.tally_delivery();
DROP TABLE IF EXISTS relay.delivery_tallies;
