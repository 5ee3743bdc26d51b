-- +goose NO TRANSACTION
-- +goose Up
-- A blanked post keeps its ids, type, times and hash, and nothing that its author
-- wrote. One that was forgotten for somebody is not stored again as long as it
-- stands on its wall.
ALTER TABLE relay.posts
    ADD COLUMN IF NOT EXISTS blanked_at timestamptz,
    ADD COLUMN IF NOT EXISTS forgotten  boolean NOT NULL DEFAULT false;
CREATE INDEX CONCURRENTLY IF NOT EXISTS posts_to_blank ON relay.posts (posted_at) WHERE blanked_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS posts_deleted_to_blank ON relay.posts (deleted_at) WHERE deleted_at IS NOT NULL AND blanked_at IS NULL;
-- Only people are looked for, and theirs are positive.
CREATE INDEX CONCURRENTLY IF NOT EXISTS posts_of_author ON relay.posts (from_id) WHERE from_id > 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS posts_of_origin ON relay.posts (origin_owner_id) WHERE origin_owner_id > 0;

-- +goose Down
DROP INDEX relay.posts_of_origin, relay.posts_of_author, relay.posts_deleted_to_blank, relay.posts_to_blank;
ALTER TABLE relay.posts DROP COLUMN forgotten, DROP COLUMN blanked_at;
