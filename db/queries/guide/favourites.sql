-- name: AddFavouritePlace :one
-- Says whether the place exists and whether the row is new. The person is
-- recorded on the way if nobody has yet.
WITH target AS (
    SELECT id FROM guide.places WHERE id = @place_id AND published
), person AS (
    INSERT INTO guide.users (telegram_id) SELECT @telegram_id::bigint FROM target
    ON CONFLICT (telegram_id) DO NOTHING
), added AS (
    INSERT INTO guide.favourite_places (telegram_id, place_id) SELECT @telegram_id::bigint, target.id FROM target
    ON CONFLICT DO NOTHING RETURNING 1
)
SELECT EXISTS (SELECT 1 FROM target)::boolean AS found, EXISTS (SELECT 1 FROM added)::boolean AS added;

-- name: AddFavouriteEvent :one
WITH target AS (
    SELECT id FROM guide.events WHERE id = @event_id AND published
), person AS (
    INSERT INTO guide.users (telegram_id) SELECT @telegram_id::bigint FROM target
    ON CONFLICT (telegram_id) DO NOTHING
), added AS (
    INSERT INTO guide.favourite_events (telegram_id, event_id) SELECT @telegram_id::bigint, target.id FROM target
    ON CONFLICT DO NOTHING RETURNING 1
)
SELECT EXISTS (SELECT 1 FROM target)::boolean AS found, EXISTS (SELECT 1 FROM added)::boolean AS added;

-- name: RemoveFavouritePlace :execrows
DELETE FROM guide.favourite_places WHERE telegram_id = @telegram_id AND place_id = @place_id;

-- name: RemoveFavouriteEvent :execrows
DELETE FROM guide.favourite_events WHERE telegram_id = @telegram_id AND event_id = @event_id;

-- name: ListFavourites :many
-- Newest first. What was unpublished since stays, marked as not available.
WITH favourites AS (
    SELECT 'place'::text AS entity, f.place_id AS id, f.added_at FROM guide.favourite_places f WHERE f.telegram_id = @telegram_id
    UNION ALL
    SELECT 'event'::text AS entity, f.event_id AS id, f.added_at FROM guide.favourite_events f WHERE f.telegram_id = @telegram_id
), total AS (
    SELECT count(*)::bigint AS favourites FROM favourites
)
SELECT total.favourites AS total, page.entity, page.id,
    COALESCE(p.name, e.title, '')::text AS name, COALESCE(guide.place_kind(p.id), '')::text AS kind,
    COALESCE(p.address, e.address, '')::text AS address,
    e.starts_at, e.ends_at, COALESCE(e.over_at <= @now::timestamptz, false)::boolean AS over,
    (NOT COALESCE(p.published, e.published, false))::boolean AS gone
FROM total
CROSS JOIN LATERAL (
    SELECT f.entity, f.id, f.added_at FROM favourites f
    ORDER BY f.added_at DESC, f.entity, f.id
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.favourites, @page_number::bigint, @page_size::bigint)) page
LEFT JOIN guide.places p ON page.entity = 'place' AND p.id = page.id
LEFT JOIN guide.events e ON page.entity = 'event' AND e.id = page.id
ORDER BY page.added_at DESC, page.entity, page.id;
