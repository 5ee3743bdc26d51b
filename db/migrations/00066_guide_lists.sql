-- What the lists of the guide show beside a name, and what they leave out.

-- +goose Up
-- A place's first type and its district: "Кофейни, Центр".
CREATE FUNCTION guide.place_kind(place bigint) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT concat_ws(', ',
        COALESCE(
            (SELECT t.name FROM guide.place_types l JOIN guide.types t ON t.id = l.type_id AND t.published
             WHERE l.place_id = place ORDER BY l.position LIMIT 1),
            (SELECT t.name FROM guide.place_subcategories l JOIN guide.subcategories s ON s.id = l.subcategory_id
             JOIN guide.types t ON t.id = s.type_id AND t.published
             WHERE l.place_id = place ORDER BY l.position LIMIT 1)),
        (SELECT d.name FROM guide.places p JOIN guide.districts d ON d.id = p.district_id AND d.published WHERE p.id = place)));

-- Whether a collection has anything to show: an empty one is not offered.
CREATE FUNCTION guide.collection_shows(collection bigint, now timestamptz) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN EXISTS (
        SELECT 1 FROM guide.collection_items i
        LEFT JOIN guide.places p ON p.id = i.place_id AND p.published
        LEFT JOIN guide.events e ON e.id = i.event_id AND e.published AND e.over_at > now
        WHERE i.collection_id = collection AND num_nonnulls(p.id, e.id) > 0);

-- +goose Down
DROP FUNCTION guide.collection_shows(bigint, timestamptz);
DROP FUNCTION guide.place_kind(bigint);
