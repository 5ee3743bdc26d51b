-- What is published, as an import takes it; references to what is not
-- published are left out.

-- name: ExportDistricts :many
SELECT external_id, name FROM guide.districts WHERE published ORDER BY external_id;

-- name: ExportTypes :many
SELECT external_id, name FROM guide.types WHERE published ORDER BY external_id;

-- name: ExportEventCategories :many
SELECT external_id, name FROM guide.event_categories WHERE published ORDER BY external_id;

-- name: ExportEventSources :many
SELECT external_id, name, url FROM guide.event_sources WHERE published ORDER BY external_id;

-- name: ExportSubcategories :many
SELECT s.external_id, t.external_id AS type, s.name FROM guide.subcategories s
JOIN guide.types t ON t.id = s.type_id AND t.published WHERE s.published ORDER BY s.external_id;

-- name: ExportPlaces :many
SELECT p.external_id, p.name, p.address, p.rating, p.description, p.lat, p.lon, p.phone, p.site,
    COALESCE((SELECT d.external_id FROM guide.districts d WHERE d.id = p.district_id AND d.published), '')::text AS district,
    ARRAY(SELECT t.external_id FROM guide.place_types l JOIN guide.types t ON t.id = l.type_id AND t.published
          WHERE l.place_id = p.id ORDER BY l.position)::text[] AS types,
    ARRAY(SELECT s.external_id FROM guide.place_subcategories l JOIN guide.subcategories s ON s.id = l.subcategory_id AND s.published
          WHERE l.place_id = p.id ORDER BY l.position)::text[] AS subcategories,
    ARRAY(SELECT ph.url FROM guide.place_photos l JOIN guide.photos ph ON ph.id = l.photo_id
          WHERE l.place_id = p.id ORDER BY l.position)::text[] AS photos
FROM guide.places p WHERE p.published AND p.external_id > @after ORDER BY p.external_id LIMIT @size::bigint;

-- name: ExportEvents :many
SELECT e.external_id, e.title, e.starts_at, e.ends_at, e.address, e.url, e.price, e.description,
    COALESCE((SELECT p.external_id FROM guide.places p WHERE p.id = e.place_id AND p.published), '')::text AS place,
    COALESCE((SELECT s.external_id FROM guide.event_sources s WHERE s.id = e.source_id AND s.published), '')::text AS source,
    ARRAY(SELECT c.external_id FROM guide.event_category_links l JOIN guide.event_categories c ON c.id = l.category_id AND c.published
          WHERE l.event_id = e.id ORDER BY l.position)::text[] AS categories,
    ARRAY(SELECT ph.url FROM guide.event_photos l JOIN guide.photos ph ON ph.id = l.photo_id
          WHERE l.event_id = e.id ORDER BY l.position)::text[] AS photos
FROM guide.events e WHERE e.published AND e.external_id > @after ORDER BY e.external_id LIMIT @size::bigint;

-- name: ExportCollections :many
SELECT c.external_id, c.title, c.description,
    ARRAY(SELECT COALESCE('p' || p.external_id, 'e' || e.external_id) FROM guide.collection_items i
          LEFT JOIN guide.places p ON p.id = i.place_id AND p.published
          LEFT JOIN guide.events e ON e.id = i.event_id AND e.published
          WHERE i.collection_id = c.id AND (p.id IS NOT NULL OR e.id IS NOT NULL) ORDER BY i.position)::text[] AS items
FROM guide.collections c WHERE c.published ORDER BY c.external_id;

-- name: ExportPromos :many
SELECT a.external_id, a.title, a.description, a.code, a.starts_at, a.ends_at,
    COALESCE((SELECT p.external_id FROM guide.places p WHERE p.id = a.place_id AND p.published), '')::text AS place
FROM guide.promos a WHERE a.published ORDER BY a.external_id;
