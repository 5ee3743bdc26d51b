-- Searching the guide: by words, with Russian stemming; by words with a typo in
-- them, if pg_trgm may be installed; by a sent location.

-- +goose Up
-- ё is written as е here and in the query alike.
ALTER TABLE guide.places
    ADD COLUMN words tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('pg_catalog.russian', translate(name, 'ёЁ', 'еЕ')), 'A') ||
        setweight(to_tsvector('pg_catalog.russian', translate(address, 'ёЁ', 'еЕ')), 'B') ||
        setweight(to_tsvector('pg_catalog.russian', translate(description, 'ёЁ', 'еЕ')), 'C')) STORED;
CREATE INDEX places_words ON guide.places USING gin (words) WHERE published;

ALTER TABLE guide.events
    ADD COLUMN words tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('pg_catalog.russian', translate(title, 'ёЁ', 'еЕ')), 'A') ||
        setweight(to_tsvector('pg_catalog.russian', translate(address, 'ёЁ', 'еЕ')), 'B') ||
        setweight(to_tsvector('pg_catalog.russian', translate(description, 'ёЁ', 'еЕ')), 'C')) STORED;
CREATE INDEX events_words ON guide.events USING gin (words) WHERE published;

-- x is the longitude. A plain GiST index on points serves the bounding box.
CREATE INDEX places_position ON guide.places USING gist (point(lon, lat)) WHERE published AND lat IS NOT NULL;

-- pg_trgm is a trusted extension, so the owner of the database may install it.
-- Where even that is forbidden, search works without forgiving typos.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX places_trigrams ON guide.places USING gin (sort_key gin_trgm_ops) WHERE published;
    CREATE INDEX events_trigrams ON guide.events USING gin (sort_key gin_trgm_ops) WHERE published;
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
        RAISE NOTICE 'pg_trgm is not available: search will not forgive typos';
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP INDEX IF EXISTS guide.events_trigrams;
DROP INDEX IF EXISTS guide.places_trigrams;
DROP INDEX guide.places_position;
ALTER TABLE guide.events DROP COLUMN words;
ALTER TABLE guide.places DROP COLUMN words;
