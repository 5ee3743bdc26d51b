-- name: PlacesNear :many
-- The index finds the box, the great-circle distance in metres decides.
SELECT near.id, near.name, near.address, guide.place_kind(near.id)::text AS kind, near.metres FROM (
    SELECT p.id, p.name, p.address,
        (2 * 6371000 * asin(LEAST(1, sqrt(
            power(sin(radians(p.lat - @lat::float8) / 2), 2) +
            cos(radians(@lat::float8)) * cos(radians(p.lat)) * power(sin(radians(p.lon - @lon::float8) / 2), 2)))))::float8 AS metres
    FROM guide.places p
    WHERE p.published AND p.lat IS NOT NULL
      AND point(p.lon, p.lat) <@ box(point(@west::float8, @south::float8), point(@east::float8, @north::float8))
      AND (@type_id::bigint = 0 OR EXISTS (SELECT 1 FROM guide.place_types l WHERE l.place_id = p.id AND l.type_id = @type_id::bigint))
) near
WHERE near.metres <= @radius::float8
ORDER BY near.metres, near.id
LIMIT @max_places::bigint;

-- name: TrigramsInstalled :one
SELECT (to_regproc('word_similarity') IS NOT NULL)::boolean AS installed;

-- name: SearchByIndexes :exec
-- For a transaction that searches. A word that nearly every place has would be
-- looked for in the whole table; a plan for any words would be a bad one for
-- most. Index scans in an order are switched off where bitmaps of words are
-- wanted. What is switched off looks dear to the planner, which would compile
-- such a plan for a second: hence no jit. The threshold is pg_trgm's, and means nothing where that is missing.
SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true), set_config('enable_indexscan', @ordered::text, true),
    set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('pg_trgm.word_similarity_threshold', @word_similarity::text, true);

-- name: KnownWords :many
-- Of the words that say something, whether any place or coming event has them.
WITH word AS MATERIALIZED (
    SELECT w.word, guide.word_query(w.word) AS query, w.n FROM unnest(@words::text[]) WITH ORDINALITY AS w(word, n)
)
SELECT w.word::text AS word, (
    EXISTS (SELECT 1 FROM guide.places p WHERE p.published AND p.words @@ w.query)
    OR EXISTS (SELECT 1 FROM guide.events e WHERE e.published AND e.over_at > @now::timestamptz AND e.words @@ w.query)
    OR EXISTS (SELECT 1 FROM guide.types t WHERE t.published AND guide.name_words(t.name) @@ w.query)
    OR EXISTS (SELECT 1 FROM guide.subcategories s WHERE s.published AND guide.name_words(s.name) @@ w.query)
    OR EXISTS (SELECT 1 FROM guide.districts d WHERE d.published AND guide.name_words(d.name) @@ w.query)
    OR EXISTS (SELECT 1 FROM guide.event_categories c WHERE c.published AND guide.name_words(c.name) @@ w.query)
)::boolean AS known
FROM word w
WHERE numnode(w.query) > 0
ORDER BY w.n;

-- name: NearWords :many
-- The words of names that are spelled nearly so, by pg_trgm.
SELECT named.word::text AS word FROM (
    SELECT unnest(string_to_array(near.sort_key, ' ')) AS word FROM (
        SELECT p.sort_key FROM guide.places p WHERE p.published AND @word::text <% p.sort_key LIMIT @max_ranked::bigint) near
    UNION
    SELECT unnest(string_to_array(near.sort_key, ' ')) FROM (
        SELECT e.sort_key FROM guide.events e WHERE e.published AND @word::text <% e.sort_key LIMIT @max_ranked::bigint) near
    UNION
    SELECT unnest(string_to_array(t.sort_key, ' ')) FROM guide.types t WHERE t.published
) named
WHERE named.word % @word::text
ORDER BY named.word <-> @word::text, named.word
LIMIT 20;

-- name: Search :many
-- Each word counts once for what has it, the most where it is in the name, the
-- least where it is in the description; the first word, which says what is
-- looked for, counts half as much again. What lacks a word and has little of
-- what the best has is left out: "кофе у реки" is no museum by the river. Of what has a word so
-- many are ranked and no more: where more do, they hardly differ.
WITH word AS MATERIALIZED (
    SELECT guide.word_query(w.word) AS query, w.n, CASE w.n WHEN 1 THEN 1.5 ELSE 1 END AS counts
    FROM unnest(@words::text[]) WITH ORDINALITY AS w(word, n)
), hit AS (
    SELECT 'place' AS entity, found.id, word.n, word.counts * found.weight AS score FROM word CROSS JOIN LATERAL (
        SELECT p.id, CASE WHEN ts_filter(p.words, '{a}') @@ word.query THEN 1 WHEN ts_filter(p.words, '{b}') @@ word.query THEN 0.4 ELSE 0.2 END AS weight
        FROM guide.places p WHERE p.published AND p.words @@ word.query LIMIT @max_ranked::bigint) found
    UNION ALL
    SELECT 'place', found.place_id, word.n, word.counts * 0.8 FROM word
    JOIN guide.types t ON t.published AND guide.name_words(t.name) @@ word.query
    CROSS JOIN LATERAL (
        SELECT l.place_id FROM guide.place_listings l
        WHERE l.district_id = 0 AND l.type_id = t.id AND l.subcategory_id = 0 LIMIT @max_ranked::bigint) found
    UNION ALL
    SELECT 'place', found.place_id, word.n, word.counts * 0.8 FROM word
    JOIN guide.subcategories s ON s.published AND guide.name_words(s.name) @@ word.query
    CROSS JOIN LATERAL (
        SELECT l.place_id FROM guide.place_listings l
        WHERE l.district_id = 0 AND l.type_id = s.type_id AND l.subcategory_id = s.id LIMIT @max_ranked::bigint) found
    UNION ALL
    SELECT 'place', found.place_id, word.n, word.counts * 0.4 FROM word
    JOIN guide.districts d ON d.published AND guide.name_words(d.name) @@ word.query
    CROSS JOIN LATERAL (
        SELECT l.place_id FROM guide.place_listings l
        WHERE l.district_id = d.id AND l.type_id = 0 AND l.subcategory_id = 0 LIMIT @max_ranked::bigint) found
    UNION ALL
    SELECT 'event', found.id, word.n, word.counts * found.weight FROM word CROSS JOIN LATERAL (
        SELECT e.id, CASE WHEN ts_filter(e.words, '{a}') @@ word.query THEN 1 WHEN ts_filter(e.words, '{b}') @@ word.query THEN 0.4 ELSE 0.2 END AS weight
        FROM guide.events e WHERE e.published AND e.over_at > @now::timestamptz AND e.words @@ word.query LIMIT @max_ranked::bigint) found
    UNION ALL
    SELECT 'event', found.event_id, word.n, word.counts * 0.8 FROM word
    JOIN guide.event_categories c ON c.published AND guide.name_words(c.name) @@ word.query
    CROSS JOIN LATERAL (
        SELECT l.event_id FROM guide.event_listings l
        WHERE l.category_id = c.id AND l.source_id = 0 AND l.over_at > @now::timestamptz LIMIT @max_ranked::bigint) found
), scored AS (
    SELECT best.entity, best.id, sum(best.score) AS score, count(*) = cardinality(@words::text[]) AS complete FROM (
        SELECT hit.entity, hit.id, max(hit.score) AS score FROM hit GROUP BY hit.entity, hit.id, hit.n) best
    GROUP BY best.entity, best.id
), kept AS MATERIALIZED (
    SELECT s.entity, s.id, s.score FROM scored s WHERE s.complete OR s.score >= 0.6 * (SELECT max(score) FROM scored)
), total AS (
    SELECT count(*)::bigint AS found FROM kept
)
SELECT total.found AS total, page.entity::text AS entity, page.id, page.name::text AS name,
    (CASE page.entity WHEN 'place' THEN guide.place_kind(page.id) ELSE '' END)::text AS kind,
    page.address::text AS address, page.starts_at, page.ends_at
FROM total CROSS JOIN LATERAL (
    SELECT k.entity, k.id, COALESCE(p.name, e.title) AS name, COALESCE(p.address, e.address) AS address, e.starts_at, e.ends_at,
        row_number() OVER (ORDER BY k.score DESC, starts_with(COALESCE(p.sort_key, e.sort_key), @query::text) DESC, k.entity DESC,
            p.rating DESC NULLS LAST, e.starts_at, COALESCE(p.sort_key, e.sort_key), k.id) AS place
    FROM kept k
    LEFT JOIN guide.places p ON k.entity = 'place' AND p.id = k.id
    LEFT JOIN guide.events e ON k.entity = 'event' AND e.id = k.id
    ORDER BY place
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.found, @page_number::bigint, @page_size::bigint)) page
ORDER BY page.place;
