-- Nothing an editor does may ruin the city silently: an import can wait for a
-- person's word, can be taken back, and says who sent what.

-- +goose Up
-- An event that names no end lasts as long as its category usually does.
ALTER TABLE guide.event_categories ADD COLUMN usual_hours double precision CHECK (usual_hours > 0);

-- Every object of the guide as a batch would bring it: the one place that turns
-- rows back into content, for exports, forms, previews and undoing. References
-- are there whether what they name is published or not. ends_at is when people
-- stop seeing it by itself.
CREATE VIEW cms.objects AS
SELECT 'districts' AS list, d.id, d.external_id, d.published, d.digest, d.name AS title, '' AS detail, 'infinity'::timestamptz AS ends_at,
    jsonb_build_object('id', d.external_id, 'name', d.name) AS payload
FROM guide.districts d
UNION ALL
SELECT 'types', t.id, t.external_id, t.published, t.digest, t.name, '', 'infinity',
    jsonb_build_object('id', t.external_id, 'name', t.name)
FROM guide.types t
UNION ALL
SELECT 'event_categories', c.id, c.external_id, c.published, c.digest, c.name, '', 'infinity',
    jsonb_strip_nulls(jsonb_build_object('id', c.external_id, 'name', c.name, 'hours', c.usual_hours))
FROM guide.event_categories c
UNION ALL
SELECT 'event_sources', s.id, s.external_id, s.published, s.digest, s.name, '', 'infinity',
    jsonb_build_object('id', s.external_id, 'name', s.name, 'url', s.url)
FROM guide.event_sources s
UNION ALL
SELECT 'subcategories', s.id, s.external_id, s.published, s.digest, s.name, '', 'infinity',
    jsonb_build_object('id', s.external_id, 'name', s.name, 'type', (SELECT t.external_id FROM guide.types t WHERE t.id = s.type_id))
FROM guide.subcategories s
UNION ALL
SELECT 'places', p.id, p.external_id, p.published, p.digest, p.name, p.address, 'infinity',
    jsonb_build_object('id', p.external_id, 'name', p.name, 'address', p.address, 'rating', p.rating, 'description', p.description,
        'lat', p.lat, 'lon', p.lon, 'phone', p.phone, 'site', p.site,
        'district', (SELECT d.external_id FROM guide.districts d WHERE d.id = p.district_id),
        'types', ARRAY(SELECT t.external_id FROM guide.place_types l JOIN guide.types t ON t.id = l.type_id
                       WHERE l.place_id = p.id ORDER BY l.position),
        'subcategories', ARRAY(SELECT s.external_id FROM guide.place_subcategories l JOIN guide.subcategories s ON s.id = l.subcategory_id
                               WHERE l.place_id = p.id ORDER BY l.position),
        'photos', ARRAY(SELECT ph.url FROM guide.place_photos l JOIN guide.photos ph ON ph.id = l.photo_id
                        WHERE l.place_id = p.id ORDER BY l.position))
FROM guide.places p
UNION ALL
SELECT 'events', e.id, e.external_id, e.published, e.digest, e.title, to_char(e.starts_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), COALESCE(e.ends_at, e.starts_at + interval '3 hours'),
    jsonb_build_object('id', e.external_id, 'title', e.title, 'address', e.address, 'url', e.url, 'price', e.price, 'description', e.description,
        'starts_at', to_char(e.starts_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'ends_at', to_char(e.ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'place', (SELECT p.external_id FROM guide.places p WHERE p.id = e.place_id),
        'source', (SELECT s.external_id FROM guide.event_sources s WHERE s.id = e.source_id),
        'categories', ARRAY(SELECT c.external_id FROM guide.event_category_links l JOIN guide.event_categories c ON c.id = l.category_id
                            WHERE l.event_id = e.id ORDER BY l.position),
        'photos', ARRAY(SELECT ph.url FROM guide.event_photos l JOIN guide.photos ph ON ph.id = l.photo_id
                        WHERE l.event_id = e.id ORDER BY l.position))
FROM guide.events e
UNION ALL
SELECT 'collections', c.id, c.external_id, c.published, c.digest, c.title, '', 'infinity',
    jsonb_build_object('id', c.external_id, 'title', c.title, 'description', c.description,
        'items', ARRAY(SELECT jsonb_strip_nulls(jsonb_build_object('place', p.external_id, 'event', e.external_id)) FROM guide.collection_items i
                       LEFT JOIN guide.places p ON p.id = i.place_id LEFT JOIN guide.events e ON e.id = i.event_id
                       WHERE i.collection_id = c.id ORDER BY i.position))
FROM guide.collections c
UNION ALL
SELECT 'promos', a.id, a.external_id, a.published, a.digest, a.title, '', COALESCE(a.ends_at, 'infinity'),
    jsonb_build_object('id', a.external_id, 'title', a.title, 'description', a.description, 'code', a.code,
        'starts_at', to_char(a.starts_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'ends_at', to_char(a.ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'place', (SELECT p.external_id FROM guide.places p WHERE p.id = a.place_id))
FROM guide.promos a;

-- held: accepted, and nothing is done before somebody confirms it.
ALTER TABLE cms.imports DROP CONSTRAINT imports_state_check;
ALTER TABLE cms.imports ADD CONSTRAINT imports_state_check CHECK (state IN ('held', 'running', 'done', 'failed'));
ALTER TABLE cms.imports DROP CONSTRAINT imports_check;
ALTER TABLE cms.imports ADD CONSTRAINT imports_finished CHECK ((state IN ('held', 'running')) = (finished_at IS NULL));
ALTER TABLE cms.imports
    ADD COLUMN author     text NOT NULL DEFAULT '',      -- who sent it
    ADD COLUMN origin     text NOT NULL DEFAULT '',      -- what it was: a file, a form
    ADD COLUMN undoes     text,                          -- the import that it takes back
    ADD COLUMN brake      smallint NOT NULL DEFAULT 20,  -- the share of a list, in percent, that goes without a word
    ADD COLUMN confirmed  integer NOT NULL DEFAULT 0,    -- how many may be unpublished, by somebody's word
    ADD COLUMN notes      jsonb NOT NULL DEFAULT '{}',   -- what the reader of the batch has to say besides
    ADD COLUMN report     jsonb;                         -- what it made of the guide; of a held one, its status after a rehearsal
CREATE INDEX imports_turned ON cms.imports (turn DESC);

-- An object may be refused for several faults; one that is gone is to be
-- unpublished: a batch says so, or a snapshot does not name it. Those come last.
ALTER TABLE cms.staged_objects
    ADD COLUMN faults       jsonb,
    ADD COLUMN gone         boolean NOT NULL DEFAULT false,
    ADD COLUMN source_table text NOT NULL DEFAULT '',  -- of a table: its name
    ADD COLUMN source_row   integer NOT NULL DEFAULT 0; -- and the row in it
UPDATE cms.staged_objects SET faults = jsonb_build_array(jsonb_build_object('path', refused_path, 'value', refused_value, 'reason', reason)) WHERE refused;
ALTER TABLE cms.staged_objects DROP COLUMN refused_path, DROP COLUMN refused_value, DROP COLUMN reason;

-- What an import replaced: each object that it wrote as it was before, without
-- payload if it was not there. Kept as long as the import.
CREATE TABLE cms.replaced_objects (
    queue_number bigint NOT NULL,
    list         text NOT NULL,
    external_id  text NOT NULL,
    published    boolean NOT NULL,
    payload      jsonb,
    digest       bytea,
    PRIMARY KEY (queue_number, list, external_id)
);
CREATE INDEX replaced_objects_later ON cms.replaced_objects (list, external_id, queue_number);

-- +goose Down
DROP TABLE cms.replaced_objects;
ALTER TABLE cms.staged_objects
    ADD COLUMN refused_path text NOT NULL DEFAULT '', ADD COLUMN refused_value text NOT NULL DEFAULT '', ADD COLUMN reason text NOT NULL DEFAULT '';
UPDATE cms.staged_objects SET refused_path = faults -> 0 ->> 'path', refused_value = COALESCE(faults -> 0 ->> 'value', ''), reason = faults -> 0 ->> 'reason'
WHERE refused;
DELETE FROM cms.staged_objects WHERE gone;
ALTER TABLE cms.staged_objects DROP COLUMN source_row, DROP COLUMN source_table, DROP COLUMN gone, DROP COLUMN faults;
DROP INDEX cms.imports_turned;
DELETE FROM cms.imports WHERE state = 'held';
ALTER TABLE cms.imports DROP COLUMN report, DROP COLUMN notes, DROP COLUMN confirmed, DROP COLUMN brake, DROP COLUMN undoes, DROP COLUMN origin, DROP COLUMN author;
ALTER TABLE cms.imports DROP CONSTRAINT imports_finished;
ALTER TABLE cms.imports ADD CONSTRAINT imports_check CHECK ((state = 'running') = (finished_at IS NULL));
ALTER TABLE cms.imports DROP CONSTRAINT imports_state_check;
ALTER TABLE cms.imports ADD CONSTRAINT imports_state_check CHECK (state IN ('running', 'done', 'failed'));
DROP VIEW cms.objects;
ALTER TABLE guide.event_categories DROP COLUMN usual_hours;
