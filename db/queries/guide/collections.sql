-- name: ListCollections :many
WITH total AS (
    SELECT count(*)::bigint AS collections FROM (
        SELECT 1 FROM guide.collections c WHERE c.published LIMIT @count_limit::bigint) counted
)
SELECT total.collections AS total, page.id, page.title AS name
FROM total
CROSS JOIN LATERAL (
    SELECT c.id, c.title, c.sort_key FROM guide.collections c WHERE c.published
    ORDER BY c.sort_key, c.id
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.collections, @page_number::bigint, @page_size::bigint)) page
ORDER BY page.sort_key, page.id;

-- name: GetCollection :one
SELECT id, title, description FROM guide.collections WHERE id = @id AND published;

-- name: ListCollectionItems :many
-- What is unpublished, and events that are over, are left out.
WITH items AS (
    SELECT i.position, 'place'::text AS kind, p.id, p.name, p.address, NULL::timestamptz AS starts_at
    FROM guide.collection_items i JOIN guide.places p ON p.id = i.place_id AND p.published
    WHERE i.collection_id = @collection_id
    UNION ALL
    SELECT i.position, 'event'::text AS kind, e.id, e.title, e.address, e.starts_at
    FROM guide.collection_items i JOIN guide.events e ON e.id = i.event_id AND e.published
        AND guide.over_at(e.starts_at, e.ends_at) > @now::timestamptz
    WHERE i.collection_id = @collection_id
), total AS (SELECT count(*)::bigint AS items FROM items)
SELECT total.items AS total, page.kind, page.id, page.name, page.address, page.starts_at
FROM total
CROSS JOIN LATERAL (
    SELECT items.position, items.kind, items.id, items.name, items.address, items.starts_at FROM items
    ORDER BY items.position
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.items, @page_number::bigint, @page_size::bigint)) page
ORDER BY page.position;
