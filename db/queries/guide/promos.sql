-- name: ListPromos :many
-- Active ones, those that end soonest first.
WITH total AS (
    SELECT count(*)::bigint AS promos FROM guide.promos c
    WHERE c.published AND COALESCE(c.ends_at, 'infinity'::timestamptz) > @now::timestamptz
      AND (c.starts_at IS NULL OR c.starts_at <= @now::timestamptz)
)
SELECT total.promos AS total, page.id, page.title, COALESCE(p.name, '')::text AS venue, page.ends_at AS until
FROM total
CROSS JOIN LATERAL (
    SELECT a.id, a.title, a.ends_at, a.place_id FROM guide.promos a
    WHERE a.published AND COALESCE(a.ends_at, 'infinity'::timestamptz) > @now::timestamptz
      AND (a.starts_at IS NULL OR a.starts_at <= @now::timestamptz)
    ORDER BY COALESCE(a.ends_at, 'infinity'::timestamptz), a.id
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.promos, @page_number::bigint, @page_size::bigint)) page
LEFT JOIN guide.places p ON p.id = page.place_id
ORDER BY COALESCE(page.ends_at, 'infinity'::timestamptz), page.id;

-- name: GetPromo :one
SELECT a.id, a.title, a.description, a.code, (CASE WHEN p.published THEN p.id ELSE 0 END)::bigint AS place_id,
    COALESCE(p.name, '')::text AS venue, COALESCE(p.address, '')::text AS address, a.starts_at AS starts, a.ends_at AS until,
    COALESCE((SELECT ph.served_url FROM guide.place_photos l JOIN guide.photos ph ON ph.id = l.photo_id
          WHERE l.place_id = a.place_id ORDER BY (ph.state = 'bad'), l.position LIMIT 1), '')::text AS photo
FROM guide.promos a
LEFT JOIN guide.places p ON p.id = a.place_id
WHERE a.id = @id AND a.published;
