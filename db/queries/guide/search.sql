-- name: PlacesNear :many
-- The index finds the box, the great-circle distance in metres decides.
SELECT id, name, address, rating, metres FROM (
    SELECT p.id, p.name, p.address, p.rating,
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

-- name: SearchPlacesByWords :many
SELECT p.id, p.name, p.address, p.rating FROM guide.places p
WHERE p.published AND p.words @@ websearch_to_tsquery('pg_catalog.russian', translate(@query::text, 'ёЁ', 'еЕ'))
ORDER BY ts_rank(p.words, websearch_to_tsquery('pg_catalog.russian', translate(@query::text, 'ёЁ', 'еЕ'))) DESC, p.sort_key, p.id
LIMIT @max_hits::bigint;

-- name: SearchEventsByWords :many
SELECT e.id, e.title, e.address, e.starts_at FROM guide.events e
WHERE e.published AND guide.over_at(e.starts_at, e.ends_at) > @now::timestamptz
  AND e.words @@ websearch_to_tsquery('pg_catalog.russian', translate(@query::text, 'ёЁ', 'еЕ'))
ORDER BY ts_rank(e.words, websearch_to_tsquery('pg_catalog.russian', translate(@query::text, 'ёЁ', 'еЕ'))) DESC, e.starts_at, e.id
LIMIT @max_hits::bigint;

-- name: SearchPlacesByTrigrams :many
SELECT p.id, p.name, p.address, p.rating FROM guide.places p
WHERE p.published AND @query::text <% p.sort_key
ORDER BY p.sort_key <->> @query::text, p.sort_key, p.id
LIMIT @max_hits::bigint;

-- name: SearchEventsByTrigrams :many
SELECT e.id, e.title, e.address, e.starts_at FROM guide.events e
WHERE e.published AND guide.over_at(e.starts_at, e.ends_at) > @now::timestamptz AND @query::text <% e.sort_key
ORDER BY e.sort_key <->> @query::text, e.starts_at, e.id
LIMIT @max_hits::bigint;
