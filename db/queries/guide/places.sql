-- name: ListPlaces :many
-- One statement, so that the total and the page are of the same moment.
WITH total AS (
    SELECT count(*)::bigint AS places FROM (
        SELECT 1 FROM guide.place_listings c
        WHERE c.district_id = @district_id AND c.type_id = @type_id AND c.subcategory_id = @subcategory_id
        LIMIT @count_limit::bigint) counted
)
SELECT total.places AS total, p.id, p.name, p.address, guide.place_kind(p.id)::text AS kind, COALESCE(p.rating, 0)::float8 AS rating
FROM total
CROSS JOIN LATERAL (
    SELECT l.sort_key, l.place_id FROM guide.place_listings l
    WHERE l.district_id = @district_id AND l.type_id = @type_id AND l.subcategory_id = @subcategory_id
    ORDER BY l.sort_key, l.place_id
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.places, @page_number::bigint, @page_size::bigint)) page
JOIN guide.places p ON p.id = page.place_id
ORDER BY page.sort_key, page.place_id;

-- name: ListPlacesByRating :many
-- Walks the places from the best rated down and looks each up in the list, unless that holds all.
WITH total AS (
    SELECT count(*)::bigint AS places FROM (
        SELECT 1 FROM guide.place_listings c
        WHERE c.district_id = @district_id AND c.type_id = @type_id AND c.subcategory_id = @subcategory_id
        LIMIT @count_limit::bigint) counted
)
SELECT total.places AS total, p.id, p.name, p.address, guide.place_kind(p.id)::text AS kind, COALESCE(p.rating, 0)::float8 AS rating
FROM total
CROSS JOIN LATERAL (
    SELECT r.id, r.rating, r.sort_key FROM guide.places r
    WHERE r.published AND (@district_id::bigint = 0 AND @type_id::bigint = 0 AND @subcategory_id::bigint = 0 OR EXISTS (
        SELECT 1 FROM guide.place_listings l
        WHERE l.district_id = @district_id AND l.type_id = @type_id AND l.subcategory_id = @subcategory_id
          AND l.sort_key = r.sort_key AND l.place_id = r.id OFFSET 0))
    ORDER BY r.rating DESC NULLS LAST, r.sort_key, r.id
    LIMIT @page_size::bigint
    OFFSET guide.page_offset(total.places, @page_number::bigint, @page_size::bigint)) page
CROSS JOIN LATERAL (SELECT * FROM guide.places o WHERE o.id = page.id LIMIT 1) p
ORDER BY page.rating DESC NULLS LAST, page.sort_key, page.id;

-- name: ListPlaceDistricts :many
-- Districts that have a place under the other filters.
SELECT d.id, d.name FROM guide.districts d
WHERE d.published AND EXISTS (
    SELECT 1 FROM guide.place_listings l
    WHERE l.district_id = d.id AND l.type_id = @type_id AND l.subcategory_id = @subcategory_id)
ORDER BY d.sort_key, d.id;

-- name: ListPlaceTypes :many
SELECT t.id, t.name FROM guide.types t
WHERE t.published AND EXISTS (
    SELECT 1 FROM guide.place_listings l
    WHERE l.district_id = @district_id AND l.type_id = t.id AND l.subcategory_id = 0)
ORDER BY t.sort_key, t.id;

-- name: ListPlaceSubcategories :many
SELECT s.id, s.name FROM guide.subcategories s
WHERE s.published AND (s.type_id = @type_id OR @type_id = 0) AND EXISTS (
    SELECT 1 FROM guide.place_listings l
    WHERE l.district_id = @district_id AND l.type_id = s.type_id AND l.subcategory_id = s.id)
ORDER BY s.sort_key, s.id;

-- name: SubcategoryType :one
SELECT type_id FROM guide.subcategories WHERE id = @id;

-- name: FilterNames :one
-- Names of chosen filters, empty for those that are not there any more.
SELECT
    COALESCE((SELECT d.name FROM guide.districts d WHERE d.id = @district_id AND d.published), '')::text AS district,
    COALESCE((SELECT t.name FROM guide.types t WHERE t.id = @type_id AND t.published), '')::text AS type,
    COALESCE((SELECT s.name FROM guide.subcategories s WHERE s.id = @subcategory_id AND s.published), '')::text AS subcategory;

-- name: GetPlace :one
-- The whole card in one statement: an import that commits meanwhile is seen
-- entirely or not at all.
SELECT p.id, p.name, p.address, COALESCE(p.rating, 0)::float8 AS rating,
    COALESCE((SELECT d.name FROM guide.districts d WHERE d.id = p.district_id), '')::text AS district,
    ARRAY(SELECT t.name FROM guide.place_types l JOIN guide.types t ON t.id = l.type_id
          WHERE l.place_id = p.id ORDER BY l.position)::text[] AS types,
    ARRAY(SELECT s.name FROM guide.place_subcategories l JOIN guide.subcategories s ON s.id = l.subcategory_id
          WHERE l.place_id = p.id ORDER BY l.position)::text[] AS subcategories,
    p.description, p.phone, p.site, p.lat, p.lon,
    COALESCE((SELECT ph.served_url FROM guide.place_photos l JOIN guide.photos ph ON ph.id = l.photo_id
          WHERE l.place_id = p.id ORDER BY (ph.state = 'bad'), l.position LIMIT 1), '')::text AS photo,
    EXISTS (SELECT 1 FROM guide.favourite_places f
          WHERE f.place_id = p.id AND f.telegram_id = @telegram_id)::boolean AS favourite
FROM guide.places p WHERE p.id = @id AND p.published;
