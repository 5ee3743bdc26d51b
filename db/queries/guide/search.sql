-- name: PlacesNear :many
-- The index finds the box, the great-circle distance in metres decides.
SELECT id, name, address, metres FROM (
    SELECT p.id, p.name, p.address,
        (2 * 6371000 * asin(LEAST(1, sqrt(
            power(sin(radians(p.lat - @lat::float8) / 2), 2) +
            cos(radians(@lat::float8)) * cos(radians(p.lat)) * power(sin(radians(p.lon - @lon::float8) / 2), 2)))))::float8 AS metres
    FROM guide.places p
    WHERE p.published AND p.lat IS NOT NULL
      AND point(p.lon, p.lat) <@ box(point(@west::float8, @south::float8), point(@east::float8, @north::float8))
) near
WHERE metres <= @radius::float8
ORDER BY metres, id
LIMIT @max_places::bigint;

-- name: TrigramsInstalled :one
SELECT (to_regproc('word_similarity') IS NOT NULL)::boolean AS installed;

-- name: SearchByIndexes :exec
-- For a transaction that searches. A word that nearly every place has would be
-- looked for in the whole table; a plan for any words would be a bad one for
-- most. The threshold is pg_trgm's, and means nothing where that is missing.
SELECT set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('pg_trgm.word_similarity_threshold', @word_similarity::text, true);

-- name: SearchPlacesByWords :many
-- Names that begin with the query come first. Of what matches each candidate, a
-- query of its own, so many are ranked and no more: where more do, they hardly
-- differ.
WITH words AS (
    SELECT websearch_to_tsquery('pg_catalog.russian', @ranked_by::text) AS query
), named AS (
    SELECT l.place_id FROM guide.place_listings l
    WHERE l.district_id = 0 AND l.type_id = 0 AND l.subcategory_id = 0
      AND l.sort_key >= @query::text AND l.sort_key < @query::text || chr(1114111)
    ORDER BY l.sort_key, l.place_id LIMIT @max_hits::bigint
), matching AS (
    SELECT found.id FROM unnest(@candidates::text[]) AS candidate(query)
    CROSS JOIN LATERAL (
        SELECT m.id FROM guide.places m
        WHERE m.published AND m.words @@ websearch_to_tsquery('pg_catalog.russian', candidate.query)
        LIMIT @max_ranked::bigint) found
)
SELECT p.id, p.name, p.address FROM words, guide.places p
WHERE p.id IN (SELECT n.place_id FROM named n UNION SELECT m.id FROM matching m) AND p.published AND p.words @@ words.query
ORDER BY starts_with(p.sort_key, @query::text) DESC, ts_rank(p.words, words.query) DESC, p.sort_key, p.id
LIMIT @max_hits::bigint;

-- name: SearchEventsByWords :many
WITH words AS (
    SELECT websearch_to_tsquery('pg_catalog.russian', @ranked_by::text) AS query
), matching AS (
    SELECT found.id FROM unnest(@candidates::text[]) AS candidate(query)
    CROSS JOIN LATERAL (
        SELECT m.id FROM guide.events m
        WHERE m.published AND guide.over_at(m.starts_at, m.ends_at) > @now::timestamptz
          AND m.words @@ websearch_to_tsquery('pg_catalog.russian', candidate.query)
        LIMIT @max_ranked::bigint) found
)
SELECT e.id, e.title AS name, e.address, e.starts_at FROM words, guide.events e
WHERE e.id IN (SELECT m.id FROM matching m)
ORDER BY starts_with(e.sort_key, @query::text) DESC, ts_rank(e.words, words.query) DESC, e.starts_at, e.id
LIMIT @max_hits::bigint;

-- name: SearchPlacesByTrigrams :many
-- Each word has to be in the name, nearly; words that are not given are ''.
WITH matching AS (
    SELECT m.id, m.name, m.address, m.rating, m.sort_key FROM guide.places m
    WHERE m.published AND @word1::text <% m.sort_key
      AND (@word2::text = '' OR @word2::text <% m.sort_key)
      AND (@word3::text = '' OR @word3::text <% m.sort_key)
    LIMIT @max_ranked::bigint
)
SELECT p.id, p.name, p.address FROM matching p
ORDER BY p.sort_key <->> @query::text, p.sort_key, p.id
LIMIT @max_hits::bigint;

-- name: SearchEventsByTrigrams :many
WITH matching AS (
    SELECT m.id, m.title, m.address, m.starts_at, m.sort_key FROM guide.events m
    WHERE m.published AND guide.over_at(m.starts_at, m.ends_at) > @now::timestamptz AND @word1::text <% m.sort_key
      AND (@word2::text = '' OR @word2::text <% m.sort_key)
      AND (@word3::text = '' OR @word3::text <% m.sort_key)
    LIMIT @max_ranked::bigint
)
SELECT e.id, e.title AS name, e.address, e.starts_at FROM matching e
ORDER BY e.sort_key <->> @query::text, e.starts_at, e.id
LIMIT @max_hits::bigint;
