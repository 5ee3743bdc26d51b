-- +goose NO TRANSACTION
-- How many posts a case has, so that a list of the cases with so many need not
-- count the posts of all. A case is opened with one.

-- +goose Up
ALTER TABLE relay.cases ADD COLUMN IF NOT EXISTS posts integer NOT NULL DEFAULT 1;
-- +goose StatementBegin
DO $$
DECLARE
    at bigint := 0;
    last bigint := (SELECT max(id) FROM relay.cases);
BEGIN
    WHILE at <= last LOOP
        UPDATE relay.cases c SET posts = counted.posts
        FROM (SELECT case_id, count(*)::int AS posts FROM relay.posts WHERE case_id BETWEEN at AND at + 9999 GROUP BY case_id) counted
        WHERE c.id = counted.case_id AND c.posts <> counted.posts;
        COMMIT;
        at := at + 10000;
    END LOOP;
END
$$;
-- +goose StatementEnd
CREATE INDEX CONCURRENTLY IF NOT EXISTS cases_listed ON relay.cases (posts, (closed_at IS NOT NULL), id) WHERE joined_to IS NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS relay.cases_listed;
ALTER TABLE relay.cases DROP COLUMN IF EXISTS posts;
