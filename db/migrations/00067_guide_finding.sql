-- +goose NO TRANSACTION
-- Search by any form and any beginning of a word, and places by rating.

-- +goose Up
-- What one word of a search, without punctuation, looks for: its forms, and
-- words that begin with it. Nothing for a word that says nothing, such as "для".
CREATE OR REPLACE FUNCTION guide.word_query(word text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN numnode(plainto_tsquery('pg_catalog.russian', word)) = 0 THEN ''::tsquery
        WHEN length(word) < 3 THEN plainto_tsquery('pg_catalog.russian', word)
        ELSE plainto_tsquery('pg_catalog.russian', word) || to_tsquery('pg_catalog.simple', word || ':*')
    END;

-- A name of a type, district or category as a search reads it.
CREATE OR REPLACE FUNCTION guide.name_words(name text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector('pg_catalog.russian', translate(name, 'ёЁ', 'еЕ'));

CREATE INDEX CONCURRENTLY IF NOT EXISTS places_rated ON guide.places (rating DESC NULLS LAST, sort_key, id) WHERE published;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS guide.places_rated;
DROP FUNCTION guide.name_words(text);
DROP FUNCTION guide.word_query(text);
