-- +goose NO TRANSACTION
-- +goose Up
-- Posts are found by what they are about, by phone, and by name and place. The
-- words are as ListPosts has them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS posts_of_type ON relay.posts (type, posted_at DESC);
CREATE INDEX CONCURRENTLY IF NOT EXISTS posts_by_phone ON relay.posts USING gin (phones);
CREATE INDEX CONCURRENTLY IF NOT EXISTS posts_by_words ON relay.posts
    USING gin (to_tsvector('pg_catalog.russian', translate(name || ' ' || location, 'ёЁ', 'еЕ')));

-- +goose Down
DROP INDEX relay.posts_by_words, relay.posts_by_phone, relay.posts_of_type;
