-- name: ListEvents :many
-- On a day to come stand the events that begin on it, and of the earlier ones
-- those that last half a day or more: not the concert that ends after midnight.
WITH total AS (
    SELECT count(*)::bigint AS events FROM (
        SELECT 1 FROM guide.event_listings c
        WHERE c.category_id = @category_id AND c.source_id = @source_id
          AND c.over_at > @not_over_at::timestamptz AND c.starts_at < @starts_before::timestamptz
          AND (c.starts_at >= @day_starts::timestamptz OR c.over_at >= c.starts_at + interval '12 hours')
        LIMIT @count_limit::bigint) counted
)
SELECT total.events AS total, e.id, e.title, e.starts_at AS starts, e.ends_at AS ends,
    COALESCE(NULLIF(p.name, ''), e.address)::text AS venue
FROM total
CROSS JOIN LATERAL (
    SELECT l.starts_at, l.event_id FROM guide.event_listings l
    WHERE l.category_id = @category_id AND l.source_id = @source_id
      AND l.over_at > @not_over_at::timestamptz AND l.starts_at < @starts_before::timestamptz
      AND (l.starts_at >= @day_starts::timestamptz OR l.over_at >= l.starts_at + interval '12 hours')
    ORDER BY l.starts_at, l.event_id
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.events, @page_number::bigint, @page_size::bigint)) page
JOIN guide.events e ON e.id = page.event_id
LEFT JOIN guide.places p ON p.id = e.place_id
ORDER BY page.starts_at, page.event_id;

-- name: ListEventCategories :many
SELECT c.id, c.name FROM guide.event_categories c
WHERE c.published AND EXISTS (
    SELECT 1 FROM guide.event_listings l
    WHERE l.category_id = c.id AND l.source_id = @source_id
      AND l.over_at > @not_over_at::timestamptz AND l.starts_at < @starts_before::timestamptz
      AND (l.starts_at >= @day_starts::timestamptz OR l.over_at >= l.starts_at + interval '12 hours'))
ORDER BY c.sort_key, c.id;

-- name: ListEventSources :many
SELECT s.id, s.name FROM guide.event_sources s
WHERE s.published AND EXISTS (
    SELECT 1 FROM guide.event_listings l
    WHERE l.category_id = @category_id AND l.source_id = s.id
      AND l.over_at > @not_over_at::timestamptz AND l.starts_at < @starts_before::timestamptz
      AND (l.starts_at >= @day_starts::timestamptz OR l.over_at >= l.starts_at + interval '12 hours'))
ORDER BY s.sort_key, s.id;

-- name: EventFilterNames :one
SELECT
    COALESCE((SELECT c.name FROM guide.event_categories c WHERE c.id = @category_id AND c.published), '')::text AS category,
    COALESCE((SELECT s.name FROM guide.event_sources s WHERE s.id = @source_id AND s.published), '')::text AS source;

-- name: GetEvent :one
SELECT e.id, e.title, e.starts_at AS starts, e.ends_at AS ends, e.over_at,
    (CASE WHEN p.published THEN p.id ELSE 0 END)::bigint AS place_id, COALESCE(p.name, '')::text AS venue,
    at.lat, at.lon,
    COALESCE(NULLIF(e.address, ''), p.address, '')::text AS address,
    ARRAY(SELECT c.name FROM guide.event_category_links l JOIN guide.event_categories c ON c.id = l.category_id
          WHERE l.event_id = e.id ORDER BY l.position)::text[] AS categories,
    COALESCE(s.name, '')::text AS source, e.price, e.description, e.url AS link,
    COALESCE(
        (SELECT ph.served_url FROM guide.event_photos l JOIN guide.photos ph ON ph.id = l.photo_id
          WHERE l.event_id = e.id ORDER BY (ph.state = 'bad'), l.position LIMIT 1), '')::text AS photo,
    EXISTS (SELECT 1 FROM guide.favourite_events f
          WHERE f.event_id = e.id AND f.telegram_id = @telegram_id)::boolean AS favourite
FROM guide.events e
LEFT JOIN guide.places p ON p.id = e.place_id
LEFT JOIN guide.places at ON at.id = e.place_id AND e.address = ''
LEFT JOIN guide.event_sources s ON s.id = e.source_id
WHERE e.id = @id AND e.published;
