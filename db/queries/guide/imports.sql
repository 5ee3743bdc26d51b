-- Accepting a batch.

-- name: NextQueueNumber :one
SELECT nextval('cms.queue_numbers')::bigint;

-- name: LockAcceptance :exec
-- Held to the end of the transaction: batches are accepted, and take their
-- turns, one after another.
SELECT pg_advisory_xact_lock(hashtextextended('cms.accept', 0));

-- name: FindImportByKey :one
SELECT id, state, content_hash FROM cms.imports
WHERE (idempotency_key = @idempotency_key::text OR imports.id = @idempotency_key::text) AND state <> 'failed'
ORDER BY turn LIMIT 1;

-- name: LastImport :one
SELECT id, state, content_hash FROM cms.imports ORDER BY turn DESC LIMIT 1;

-- name: CountImportsLike :one
SELECT count(*) FROM cms.imports WHERE content_hash = @content_hash;

-- name: RepeatedIDs :many
-- Ids that stand in the batch more than once, with where they stand first. No
-- join: nothing is known yet of the rows that were just staged, and a plan made
-- for a handful of them would take minutes.
SELECT rank, list, external_id, min(seq)::int AS seq FROM cms.staged_objects
WHERE queue_number = @queue_number AND NOT refused
GROUP BY rank, list, external_id HAVING count(*) > 1;

-- name: RefuseRepeatedID :exec
UPDATE cms.staged_objects AS s
SET refused = true, refused_path = s.path || '.id', refused_value = s.external_id, payload = NULL, digest = NULL,
    reason = 'stands in the batch already, at ' || (
        SELECT e.path FROM cms.staged_objects e WHERE e.queue_number = @queue_number AND e.rank = @rank AND e.seq = @seq)
WHERE s.queue_number = @queue_number AND s.list = @list AND s.external_id = @external_id AND s.seq > @seq AND NOT s.refused;

-- name: DropFailedImport :exec
-- A failed import gives its id and key back to whoever sends the batch again.
WITH dropped AS (
    DELETE FROM cms.imports WHERE imports.id = @id AND state = 'failed' RETURNING queue_number
)
DELETE FROM cms.staged_objects s USING dropped WHERE s.queue_number = dropped.queue_number;

-- name: InsertImport :exec
INSERT INTO cms.imports (id, queue_number, idempotency_key, content_hash, mode, lists, objects, refused)
SELECT @id, @queue_number, sqlc.narg(idempotency_key), @content_hash, @mode, @lists::text[], @objects,
    (SELECT count(*) FROM cms.staged_objects s WHERE s.queue_number = @queue_number AND s.refused);

-- Working one off.

-- name: GetImport :one
SELECT id, queue_number, mode, lists, state, phase, failure, objects, created, changed, unchanged, unpublished, refused,
    accepted_at, finished_at
FROM cms.imports WHERE id = @id;

-- name: GoByIndexes :exec
-- For the transaction. A chunk finds each of its rows by a key, and says so:
-- the planner knows nothing yet of rows that came in a moment ago and would
-- read whole tables for them. One plan for each statement will then do; made
-- anew each time, the foreign keys' own statements, six for each place, would
-- take a fifth of the import.
SELECT set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: LockImport :one
-- Held to the end of the transaction, so that two attempts at one import, the
-- older of them perhaps given up for dead, never work at the same time.
SELECT queue_number, mode, lists, state, phase, applied_rank, applied_seq FROM cms.imports WHERE id = @id FOR UPDATE;

-- name: EarlierImport :one
SELECT e.id FROM cms.imports e
WHERE e.state = 'running' AND e.turn < (SELECT i.turn FROM cms.imports i WHERE i.id = @id)
ORDER BY e.turn LIMIT 1;

-- name: RunningImports :many
SELECT id FROM cms.imports WHERE state = 'running' ORDER BY turn LIMIT @max_imports::bigint;

-- name: StagedChunk :many
-- The objects that follow the one worked off last, of one list.
SELECT s.seq, s.rank, s.list, s.path, s.external_id, s.payload, s.digest FROM cms.staged_objects s
WHERE s.queue_number = @queue_number AND NOT s.refused AND (s.rank, s.seq) > (@applied_rank::smallint, @applied_seq::int)
  AND s.rank = (SELECT f.rank FROM cms.staged_objects f
                WHERE f.queue_number = @queue_number AND NOT f.refused AND (f.rank, f.seq) > (@applied_rank::smallint, @applied_seq::int)
                ORDER BY f.rank, f.seq LIMIT 1)
ORDER BY s.rank, s.seq LIMIT @size::bigint;

-- name: NamedInBatch :many
SELECT external_id FROM cms.staged_objects
WHERE queue_number = @queue_number AND list = @list AND external_id = ANY(@external_ids::text[]);

-- name: RefuseObjects :exec
UPDATE cms.staged_objects AS s
SET refused = true, refused_path = o.refused_path, refused_value = o.refused_value, reason = o.reason, payload = NULL, digest = NULL
FROM (SELECT unnest(@seqs::int[]) AS seq, unnest(@refused_paths::text[]) AS refused_path,
             unnest(@refused_values::text[]) AS refused_value, unnest(@reasons::text[]) AS reason) AS o
WHERE s.queue_number = @queue_number AND s.rank = @rank AND s.seq = o.seq;

-- name: MoveImport :exec
UPDATE cms.imports SET applied_rank = @rank, applied_seq = @seq WHERE id = @id;

-- name: AddToImport :one
UPDATE cms.imports
SET created = created + @created, changed = changed + @changed, unchanged = unchanged + @unchanged,
    unpublished = unpublished + @unpublished, refused = refused + @refused
WHERE id = @id
RETURNING created, changed, unchanged, unpublished, refused, objects;

-- name: SetImportPhase :exec
-- A late attempt at a step of an import that has ended changes nothing.
UPDATE cms.imports SET phase = @phase
WHERE id = @id AND (state = 'running') = (@phase::text IN ('waiting', 'applying', 'unpublishing')) AND state <> 'failed';

-- name: FinishImport :exec
UPDATE cms.imports SET state = @state, phase = @phase, failure = @failure, finished_at = now()
WHERE id = @id AND state = 'running';

-- name: ForgetStagedObjects :exec
-- What was applied is in the guide; what was refused stays as the report.
DELETE FROM cms.staged_objects WHERE queue_number = @queue_number AND NOT refused;

-- name: ForgetOldImports :exec
WITH old AS (
    DELETE FROM cms.imports WHERE state <> 'running' AND finished_at < @before::timestamptz RETURNING queue_number
)
DELETE FROM cms.staged_objects s USING old WHERE s.queue_number = old.queue_number;

-- name: ListRefused :many
SELECT refused_path, refused_value, reason FROM cms.staged_objects
WHERE queue_number = @queue_number AND refused ORDER BY seq LIMIT @max_refused::bigint;

-- name: KnownObjects :many
-- Of one list, by the CMS's ids. The planner leaves out the tables that the
-- list does not name.
SELECT external_id, id, digest, published FROM guide.districts        WHERE @list::text = 'districts'        AND external_id = ANY(@external_ids::text[])
UNION ALL
SELECT external_id, id, digest, published FROM guide.types            WHERE @list::text = 'types'            AND external_id = ANY(@external_ids::text[])
UNION ALL
SELECT external_id, id, digest, published FROM guide.subcategories    WHERE @list::text = 'subcategories'    AND external_id = ANY(@external_ids::text[])
UNION ALL
SELECT external_id, id, digest, published FROM guide.places           WHERE @list::text = 'places'           AND external_id = ANY(@external_ids::text[])
UNION ALL
SELECT external_id, id, digest, published FROM guide.event_categories WHERE @list::text = 'event_categories' AND external_id = ANY(@external_ids::text[])
UNION ALL
SELECT external_id, id, digest, published FROM guide.event_sources    WHERE @list::text = 'event_sources'    AND external_id = ANY(@external_ids::text[])
UNION ALL
SELECT external_id, id, digest, published FROM guide.events           WHERE @list::text = 'events'           AND external_id = ANY(@external_ids::text[])
UNION ALL
SELECT external_id, id, digest, published FROM guide.collections      WHERE @list::text = 'collections'      AND external_id = ANY(@external_ids::text[])
UNION ALL
SELECT external_id, id, digest, published FROM guide.promos           WHERE @list::text = 'promos'           AND external_id = ANY(@external_ids::text[]);

-- name: PhotosOf :many
SELECT id, url FROM guide.photos WHERE url = ANY(@urls::text[]);

-- name: EnsurePhotos :exec
-- New addresses come in; those that an object brought again are looked at anew.
INSERT INTO guide.photos AS p (url) SELECT DISTINCT unnest(@urls::text[])
ON CONFLICT (url) DO UPDATE SET due_at = now(), state = CASE p.state WHEN 'unused' THEN 'unchecked' ELSE p.state END
WHERE p.due_at > now() OR p.state = 'unused';

-- name: UpsertDistrict :batchone
INSERT INTO guide.districts AS t (external_id, name, sort_key, digest) VALUES (@external_id, @name, @sort_key, @digest)
ON CONFLICT (external_id) DO UPDATE SET name = excluded.name, sort_key = excluded.sort_key, digest = excluded.digest,
    published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id;

-- name: UpsertType :batchone
INSERT INTO guide.types AS t (external_id, name, sort_key, digest) VALUES (@external_id, @name, @sort_key, @digest)
ON CONFLICT (external_id) DO UPDATE SET name = excluded.name, sort_key = excluded.sort_key, digest = excluded.digest,
    published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id;

-- name: UpsertEventCategory :batchone
INSERT INTO guide.event_categories AS t (external_id, name, sort_key, digest) VALUES (@external_id, @name, @sort_key, @digest)
ON CONFLICT (external_id) DO UPDATE SET name = excluded.name, sort_key = excluded.sort_key, digest = excluded.digest,
    published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id;

-- name: UpsertEventSource :batchone
INSERT INTO guide.event_sources AS t (external_id, name, sort_key, url, digest) VALUES (@external_id, @name, @sort_key, @url, @digest)
ON CONFLICT (external_id) DO UPDATE SET name = excluded.name, sort_key = excluded.sort_key, url = excluded.url, digest = excluded.digest,
    published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id;

-- name: UpsertSubcategory :batchone
INSERT INTO guide.subcategories AS t (external_id, type_id, name, sort_key, digest) VALUES (@external_id, @type_id, @name, @sort_key, @digest)
ON CONFLICT (external_id) DO UPDATE SET type_id = excluded.type_id, name = excluded.name, sort_key = excluded.sort_key, digest = excluded.digest,
    published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id;

-- name: UpsertPlaces :many
-- All of a chunk in one statement, because places are nearly all of a city. In
-- the parallel lists 0 stands for no district and NaN for no number.
INSERT INTO guide.places AS t (external_id, name, sort_key, address, description, rating, district_id, lat, lon, phone, site, digest)
SELECT unnest(@external_ids::text[]), unnest(@names::text[]), unnest(@sort_keys::text[]), unnest(@addresses::text[]),
    unnest(@descriptions::text[]), NULLIF(unnest(@ratings::float8[]), 'NaN'), NULLIF(unnest(@district_ids::bigint[]), 0),
    NULLIF(unnest(@lats::float8[]), 'NaN'), NULLIF(unnest(@lons::float8[]), 'NaN'),
    unnest(@phones::text[]), unnest(@sites::text[]), unnest(@digests::bytea[])
ON CONFLICT (external_id) DO UPDATE SET name = excluded.name, sort_key = excluded.sort_key, address = excluded.address,
    description = excluded.description, rating = excluded.rating, district_id = excluded.district_id, lat = excluded.lat, lon = excluded.lon,
    phone = excluded.phone, site = excluded.site, digest = excluded.digest,
    published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id, external_id;

-- name: UpsertEvent :batchone
INSERT INTO guide.events AS t (external_id, title, sort_key, description, starts_at, ends_at, place_id, address, source_id, url, price, digest)
VALUES (@external_id, @title, @sort_key, @description, @starts_at::timestamptz, @ends_at, @place_id, @address, @source_id, @url, @price, @digest)
ON CONFLICT (external_id) DO UPDATE SET title = excluded.title, sort_key = excluded.sort_key, description = excluded.description,
    starts_at = excluded.starts_at, ends_at = excluded.ends_at, place_id = excluded.place_id, address = excluded.address,
    source_id = excluded.source_id, url = excluded.url, price = excluded.price, digest = excluded.digest,
    published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id;

-- name: UpsertCollection :batchone
INSERT INTO guide.collections AS t (external_id, title, sort_key, description, digest) VALUES (@external_id, @title, @sort_key, @description, @digest)
ON CONFLICT (external_id) DO UPDATE SET title = excluded.title, sort_key = excluded.sort_key, description = excluded.description,
    digest = excluded.digest, published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id;

-- name: UpsertPromo :batchone
INSERT INTO guide.promos AS t (external_id, title, sort_key, description, code, place_id, starts_at, ends_at, digest)
VALUES (@external_id, @title, @sort_key, @description, @code, @place_id, @starts_at, @ends_at, @digest)
ON CONFLICT (external_id) DO UPDATE SET title = excluded.title, sort_key = excluded.sort_key, description = excluded.description,
    code = excluded.code, place_id = excluded.place_id, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
    digest = excluded.digest, published = true, row_version = t.row_version + 1, updated_at = now()
RETURNING id;

-- Links are replaced: those of the owners are taken away, then the new set
-- comes in, one row per element of the parallel lists.

-- name: ClearPlaceTypes :exec
DELETE FROM guide.place_types WHERE place_id = ANY(@place_ids::bigint[]);

-- name: LinkPlaceTypes :exec
INSERT INTO guide.place_types (place_id, type_id, position)
SELECT unnest(@owners::bigint[]), unnest(@targets::bigint[]), unnest(@positions::int[]);

-- name: ClearPlaceSubcategories :exec
DELETE FROM guide.place_subcategories WHERE place_id = ANY(@place_ids::bigint[]);

-- name: LinkPlaceSubcategories :exec
INSERT INTO guide.place_subcategories (place_id, subcategory_id, position)
SELECT unnest(@owners::bigint[]), unnest(@targets::bigint[]), unnest(@positions::int[]);

-- name: ClearPlacePhotos :exec
DELETE FROM guide.place_photos WHERE place_id = ANY(@place_ids::bigint[]);

-- name: LinkPlacePhotos :exec
INSERT INTO guide.place_photos (place_id, photo_id, position)
SELECT unnest(@owners::bigint[]), unnest(@targets::bigint[]), unnest(@positions::int[]);

-- name: ClearEventCategories :exec
DELETE FROM guide.event_category_links WHERE event_id = ANY(@event_ids::bigint[]);

-- name: LinkEventCategories :exec
INSERT INTO guide.event_category_links (event_id, category_id, position)
SELECT unnest(@owners::bigint[]), unnest(@targets::bigint[]), unnest(@positions::int[]);

-- name: ClearEventPhotos :exec
DELETE FROM guide.event_photos WHERE event_id = ANY(@event_ids::bigint[]);

-- name: LinkEventPhotos :exec
INSERT INTO guide.event_photos (event_id, photo_id, position)
SELECT unnest(@owners::bigint[]), unnest(@targets::bigint[]), unnest(@positions::int[]);

-- name: ClearCollectionItems :exec
DELETE FROM guide.collection_items WHERE collection_id = ANY(@collection_ids::bigint[]);

-- name: LinkCollectionItems :exec
-- 0 stands for none.
INSERT INTO guide.collection_items (collection_id, position, place_id, event_id)
SELECT unnest(@owners::bigint[]), unnest(@positions::int[]), NULLIF(unnest(@places::bigint[]), 0), NULLIF(unnest(@events::bigint[]), 0);

-- Listings are made of the rows they are to show.

-- name: ClearPlaceListings :exec
DELETE FROM guide.place_listings WHERE place_id = ANY(@place_ids::bigint[]);

-- name: LinkedPlaces :many
-- Places with what they are linked to and listed by, in the CMS's order.
SELECT p.id, p.published, COALESCE(p.district_id, 0)::bigint AS district_id, p.sort_key,
    ARRAY(SELECT l.type_id FROM guide.place_types l WHERE l.place_id = p.id ORDER BY l.position)::bigint[] AS type_ids,
    ARRAY(SELECT l.subcategory_id FROM guide.place_subcategories l WHERE l.place_id = p.id ORDER BY l.position)::bigint[] AS subcategory_ids,
    ARRAY(SELECT s.type_id FROM guide.place_subcategories l JOIN guide.subcategories s ON s.id = l.subcategory_id
          WHERE l.place_id = p.id ORDER BY l.position)::bigint[] AS subcategory_type_ids,
    ARRAY(SELECT l.photo_id FROM guide.place_photos l WHERE l.place_id = p.id ORDER BY l.position)::bigint[] AS photo_ids
FROM guide.places p WHERE p.id = ANY(@place_ids::bigint[]);

-- name: AddPlaceListings :exec
INSERT INTO guide.place_listings (district_id, type_id, subcategory_id, sort_key, place_id)
SELECT unnest(@district_ids::bigint[]), unnest(@type_ids::bigint[]), unnest(@subcategory_ids::bigint[]),
    unnest(@sort_keys::text[]), unnest(@place_ids::bigint[]);

-- name: SubcategoryTypes :many
SELECT id, type_id FROM guide.subcategories WHERE id = ANY(@subcategory_ids::bigint[]);

-- name: PlacesOfSubcategories :many
SELECT DISTINCT place_id FROM guide.place_subcategories WHERE subcategory_id = ANY(@subcategory_ids::bigint[]);

-- name: LinkedEvents :many
-- Events with what they are linked to, in the CMS's order.
SELECT e.id,
    ARRAY(SELECT l.category_id FROM guide.event_category_links l WHERE l.event_id = e.id ORDER BY l.position)::bigint[] AS category_ids,
    ARRAY(SELECT l.photo_id FROM guide.event_photos l WHERE l.event_id = e.id ORDER BY l.position)::bigint[] AS photo_ids
FROM guide.events e WHERE e.id = ANY(@event_ids::bigint[]);

-- name: ClearEventListings :exec
DELETE FROM guide.event_listings WHERE event_id = ANY(@event_ids::bigint[]);

-- name: FillEventListings :exec
INSERT INTO guide.event_listings (category_id, source_id, starts_at, event_id, over_at)
SELECT category.id, source.id, e.starts_at, e.id, guide.over_at(e.starts_at, e.ends_at)
FROM guide.events e
CROSS JOIN LATERAL (
    SELECT 0::bigint AS id UNION
    SELECT l.category_id FROM guide.event_category_links l WHERE l.event_id = e.id) AS category
CROSS JOIN LATERAL (
    SELECT 0::bigint AS id UNION
    SELECT e.source_id WHERE e.source_id IS NOT NULL) AS source
WHERE e.id = ANY(@event_ids::bigint[]) AND e.published;
