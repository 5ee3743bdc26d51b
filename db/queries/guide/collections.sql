-- name: ListCollections :many
WITH shown AS MATERIALIZED ( -- each is looked into once
    SELECT c.id, c.title, c.sort_key FROM guide.collections c WHERE c.published AND guide.collection_shows(c.id, @now::timestamptz)
    ORDER BY c.sort_key, c.id
    LIMIT @count_limit::bigint
), total AS (
    SELECT count(*)::bigint AS collections FROM shown
)
SELECT total.collections AS total, page.id, page.title AS name
FROM total
CROSS JOIN LATERAL (
    SELECT s.id, s.title, s.sort_key FROM shown s
    ORDER BY s.sort_key, s.id
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.collections, @page_number::bigint, @page_size::bigint)) page
ORDER BY page.sort_key, page.id;

-- name: GetCollection :one
SELECT id, title, description FROM guide.collections WHERE id = @id AND published;

-- name: ListCollectionItems :many
-- What is unpublished, and events that are over, are left out.
WITH items AS (
    SELECT i.position, 'place'::text AS entity, p.id, p.name, guide.place_kind(p.id) AS kind, p.address, NULL::timestamptz AS starts_at, NULL::timestamptz AS ends_at
    FROM guide.collection_items i JOIN guide.places p ON p.id = i.place_id AND p.published
    WHERE i.collection_id = @collection_id
    UNION ALL
    SELECT i.position, 'event'::text AS entity, e.id, e.title, '' AS kind, e.address, e.starts_at, e.ends_at
    FROM guide.collection_items i JOIN guide.events e ON e.id = i.event_id AND e.published
        AND e.over_at > @now::timestamptz
    WHERE i.collection_id = @collection_id
), total AS (SELECT count(*)::bigint AS items FROM items)
SELECT total.items AS total, page.entity, page.id, page.name, page.kind, page.address, page.starts_at, page.ends_at
FROM total
CROSS JOIN LATERAL (
    SELECT items.position, items.entity, items.id, items.name, items.kind, items.address, items.starts_at, items.ends_at FROM items
    ORDER BY items.position
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.items, @page_number::bigint, @page_size::bigint)) page
ORDER BY page.position;
