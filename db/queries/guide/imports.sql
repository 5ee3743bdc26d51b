-- Accepting a batch.

-- name: NextQueueNumber :one
SELECT nextval('cms.queue_numbers')::bigint;

-- name: LockAcceptance :exec
-- Held to the end of the transaction: batches are accepted, and take their
-- turns, one after another.
SELECT pg_advisory_xact_lock(hashtextextended('cms.accept', 0));

-- name: FindImportByKey :one
SELECT id, queue_number, state, content_hash FROM cms.imports
WHERE (idempotency_key = @idempotency_key::text OR imports.id = @idempotency_key::text) AND state <> 'failed'
ORDER BY turn LIMIT 1;

-- name: LastImport :one
SELECT id, queue_number, state, content_hash FROM cms.imports ORDER BY turn DESC LIMIT 1;

-- name: HasImport :one
-- One that failed gives its id back.
SELECT EXISTS (SELECT FROM cms.imports WHERE id = @id AND state <> 'failed');

-- name: RepeatedIDs :many
-- Ids that stand in the batch more than once, with where they stand first. No
-- join: nothing is known yet of the rows that were just staged, and a plan made
-- for a handful of them would take minutes.
SELECT rank, list, external_id, min(seq)::int AS seq FROM cms.staged_objects
WHERE queue_number = @queue_number AND NOT refused
GROUP BY rank, list, external_id HAVING count(*) > 1;

-- name: RefuseRepeatedID :exec
UPDATE cms.staged_objects AS s
SET refused = true, payload = NULL, digest = NULL,
    faults = jsonb_build_array(jsonb_build_object('path', s.path || '.id', 'value', s.external_id,
        'name', COALESCE(s.payload ->> 'name', s.payload ->> 'title', ''), 'table', s.source_table, 'row', s.source_row,
        'reason', 'этот id в файле уже есть: ' || e.path, 'message', 'этот id в файле уже есть: %s', 'args', jsonb_build_array(e.path)))
FROM cms.staged_objects e
WHERE e.queue_number = @queue_number AND e.rank = @rank AND e.seq = @seq AND s.queue_number = @queue_number AND s.list = @list AND s.external_id = @external_id AND s.seq > @seq AND NOT s.refused;

-- name: DropImport :execrows
-- One that failed gives its id and key back to whoever sends the batch again,
-- and what it replaced to that one; one that is held has done nothing.
WITH dropped AS (
    DELETE FROM cms.imports WHERE imports.id = @id AND state = @state RETURNING queue_number
), kept AS (
    UPDATE cms.replaced_objects r SET queue_number = @heir FROM dropped WHERE r.queue_number = dropped.queue_number
), staged AS (
    DELETE FROM cms.staged_objects s USING dropped WHERE s.queue_number = dropped.queue_number
)
SELECT queue_number FROM dropped;

-- name: InsertImport :exec
INSERT INTO cms.imports (id, queue_number, idempotency_key, content_hash, mode, lists, objects, author, origin, undoes, brake, confirmed, notes, refused)
SELECT @id, @queue_number, sqlc.narg(idempotency_key), @content_hash, @mode, @lists::text[], @objects, @author, @origin, sqlc.narg(undoes), @brake, @confirmed, @notes,
    (SELECT count(*) FROM cms.staged_objects s WHERE s.queue_number = @queue_number AND s.refused);

-- Working one off.

-- name: GetImport :one
SELECT * FROM cms.imports WHERE id = @id;

-- name: ListImports :many
-- The latest first.
SELECT * FROM cms.imports ORDER BY turn DESC LIMIT @max_imports::bigint;

-- Waiting for a person's word.

-- name: ImportsWithPeople :many
-- Those that are held, and the last one if it failed.
SELECT i.id, i.state, coalesce(i.finished_at, i.accepted_at)::timestamptz AS since
FROM cms.imports i
WHERE i.state = 'held' OR i.state = 'failed' AND i.turn = (SELECT max(l.turn) FROM cms.imports l)
ORDER BY i.turn;

-- name: ForgetUnnamed :exec
DELETE FROM cms.staged_objects WHERE queue_number = @queue_number AND gone AND path = '';

-- name: StageUnnamed :exec
-- What a snapshot does not name, in each of its lists; not in one of which an
-- object was refused that nobody can name, for it may be any of them. The rank
-- puts them after everything else. OFFSET 0 makes it one look into the index for
-- each: nothing is known yet of the rows that were just staged.
INSERT INTO cms.staged_objects (queue_number, seq, rank, list, path, external_id, gone)
SELECT @queue_number, 200000 + row_number() OVER (ORDER BY l.rank, o.id), 100 + l.rank, o.list, '', o.external_id, true
FROM (SELECT unnest(@lists::text[]) AS list, unnest(@ranks::smallint[]) AS rank) AS l
JOIN cms.objects o ON o.list = l.list AND o.published
WHERE NOT EXISTS (SELECT FROM cms.staged_objects s
                  WHERE s.queue_number = @queue_number AND s.list = o.list AND s.external_id IN (o.external_id, '') OFFSET 0);

-- name: WeighUnnamed :many
-- Per list: how many objects people still see, and how many of them go.
SELECT o.list, count(*)::int AS published, count(s.seq)::int AS gone
FROM cms.objects o
LEFT JOIN cms.staged_objects s ON s.queue_number = @queue_number AND s.gone AND s.list = o.list AND s.external_id = o.external_id
WHERE o.published AND o.ends_at > now() AND o.list = ANY(@lists::text[])
GROUP BY o.list;

-- name: CountGone :one
-- Without what the batch itself says is gone (it stands at a path) and people do
-- not see anyway.
SELECT count(*)::int FROM cms.staged_objects s
WHERE s.queue_number = @queue_number AND s.gone AND (s.path = '' OR EXISTS (
    SELECT FROM cms.objects o WHERE o.list = s.list AND o.external_id = s.external_id AND o.published));

-- name: HoldImport :exec
UPDATE cms.imports SET state = 'held', phase = 'waiting', report = @report
WHERE id = @id AND (state = 'held' OR state = 'running' AND @report::jsonb IS NULL);

-- name: ConfirmImport :execrows
-- Its turn comes after those accepted meanwhile.
UPDATE cms.imports SET state = 'running', confirmed = @confirmed, report = NULL, turn = nextval('cms.queue_numbers')
WHERE id = @id AND state = 'held';

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
SELECT queue_number, mode, lists, state, applied_rank, applied_seq, brake, confirmed, undoes FROM cms.imports WHERE id = @id FOR UPDATE;

-- name: EarlierImport :one
SELECT e.id FROM cms.imports e
WHERE e.state = 'running' AND e.turn < (SELECT i.turn FROM cms.imports i WHERE i.id = @id)
ORDER BY e.turn LIMIT 1;

-- name: RunningImports :many
SELECT id FROM cms.imports WHERE state = 'running' ORDER BY turn LIMIT @max_imports::bigint;

-- name: StagedChunk :many
-- The objects that follow the one worked off last, of one list, below a rank.
SELECT s.gone, s.source_table, s.source_row, s.seq, s.rank, s.list, s.path, s.external_id, s.payload, s.digest FROM cms.staged_objects s
WHERE s.queue_number = @queue_number AND NOT s.refused AND s.rank < @below::smallint AND (s.rank, s.seq) > (@applied_rank::smallint, @applied_seq::int)
  AND s.rank = (SELECT f.rank FROM cms.staged_objects f
                WHERE f.queue_number = @queue_number AND NOT f.refused AND (f.rank, f.seq) > (@applied_rank::smallint, @applied_seq::int)
                ORDER BY f.rank, f.seq LIMIT 1)
ORDER BY s.rank, s.seq LIMIT @size::bigint;

-- name: RefuseObjects :exec
UPDATE cms.staged_objects AS s
SET refused = true, faults = o.faults, payload = NULL, digest = NULL
FROM (SELECT unnest(@seqs::int[]) AS seq, unnest(@faults::jsonb[]) AS faults) AS o
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
WHERE id = @id AND state = CASE WHEN @phase::text IN ('waiting', 'applying', 'unpublishing') THEN 'running' ELSE 'done' END;

-- name: FinishImport :exec
UPDATE cms.imports SET state = @state, phase = @phase, failure = @failure, report = @report, finished_at = now()
WHERE id = @id AND state = 'running';

-- name: ForgetStagedObjects :exec
-- What was applied is in the guide; what was refused stays as the report.
DELETE FROM cms.staged_objects WHERE queue_number = @queue_number AND NOT refused;

-- name: ForgetOldImports :exec
WITH old AS (
    DELETE FROM cms.imports WHERE state <> 'running' AND COALESCE(finished_at, accepted_at) < @before::timestamptz RETURNING queue_number
), replaced AS (
    DELETE FROM cms.replaced_objects r USING old WHERE r.queue_number = old.queue_number
)
DELETE FROM cms.staged_objects s WHERE s.queue_number = ANY(ARRAY(SELECT old.queue_number FROM old));

-- name: ListRefused :many
SELECT faults FROM cms.staged_objects
WHERE queue_number = @queue_number AND refused ORDER BY seq LIMIT @max_refused::bigint;

-- name: KnownObjects :many
-- Of one list, by the CMS's ids. The planner leaves out the tables that the
-- list does not name.
SELECT external_id, id, digest, published FROM cms.objects WHERE list = @list::text AND external_id = ANY(@external_ids::text[]);

-- What an import replaces, and taking it back.

-- name: KeepReplaced :exec
-- Objects as they are, before an import writes them.
INSERT INTO cms.replaced_objects (queue_number, list, external_id, published, payload, digest)
SELECT @queue_number, @list::text, n.external_id, COALESCE(o.published, false), o.payload, o.digest
FROM (SELECT unnest(@external_ids::text[]) AS external_id) AS n
LEFT JOIN cms.objects o ON o.list = @list::text AND o.external_id = n.external_id
ON CONFLICT DO NOTHING;

-- name: ForgetReplaced :exec
DELETE FROM cms.replaced_objects WHERE queue_number = @queue_number AND list = @list AND external_id = ANY(@external_ids::text[]);

-- name: CountDifference :many
SELECT d.list, d.kind, count(*)::int AS objects FROM (
    SELECT r.list, CASE WHEN r.payload IS NULL THEN 'created' WHEN o.published THEN 'changed' ELSE 'unpublished' END AS kind
    FROM cms.replaced_objects r JOIN cms.objects o ON o.list = r.list AND o.external_id = r.external_id
    WHERE r.queue_number = @queue_number) AS d
GROUP BY d.list, d.kind;

-- name: ListDifference :many
-- The first of one list and kind, as they were and as they are. What they are is
-- put together for these alone.
WITH first AS MATERIALIZED (
    SELECT r.external_id, o.title, COALESCE(r.payload, '{}') AS before
    FROM cms.replaced_objects r JOIN cms.objects o ON o.list = @list::text AND o.external_id = r.external_id
    WHERE r.queue_number = @queue_number AND r.list = @list::text
      AND CASE WHEN r.payload IS NULL THEN 'created' WHEN o.published THEN 'changed' ELSE 'unpublished' END = @kind::text
    ORDER BY r.external_id LIMIT @size::bigint
)
SELECT f.external_id, f.title, f.before::jsonb AS before, o.payload AS after
FROM first f JOIN cms.objects o ON o.list = @list::text AND o.external_id = f.external_id ORDER BY f.external_id;

-- name: StageUndo :one
-- The objects of an import as they were before it. What was not published is
-- hidden again. An object that a later import wrote stays as that left it.
WITH before AS (
    SELECT r.*, EXISTS (
        SELECT FROM cms.replaced_objects l JOIN cms.imports j ON j.queue_number = l.queue_number
        WHERE l.list = r.list AND l.external_id = r.external_id AND j.turn > i.turn
    ) OR EXISTS ( -- or is about to write
        SELECT FROM cms.imports j JOIN cms.staged_objects t ON t.queue_number = j.queue_number
        WHERE j.state = 'running' AND j.turn > i.turn AND t.list = r.list AND t.external_id = r.external_id AND NOT t.refused) AS later
    FROM cms.imports i JOIN cms.replaced_objects r ON r.queue_number = i.queue_number WHERE i.id = @id
), staged AS (
    INSERT INTO cms.staged_objects (queue_number, seq, rank, list, path, external_id, payload, digest, gone)
    SELECT @queue_number, row_number() OVER (ORDER BY l.rank, b.external_id),
        CASE WHEN b.published THEN l.rank ELSE 100 + l.rank END, b.list, 'undo.' || b.list, b.external_id,
        CASE WHEN b.published THEN b.payload END, CASE WHEN b.published THEN b.digest END, NOT b.published
    FROM before b JOIN (SELECT unnest(@lists::text[]) AS list, unnest(@ranks::smallint[]) AS rank) AS l ON l.list = b.list
    WHERE NOT b.later
    RETURNING gone
)
SELECT (SELECT count(*) FROM staged WHERE NOT gone)::int AS objects, (SELECT count(*) FROM staged)::int AS staged,
    (SELECT count(*) FROM before WHERE later)::int AS later;

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
INSERT INTO guide.event_categories AS t (external_id, name, sort_key, usual_hours, digest) VALUES (@external_id, @name, @sort_key, @usual_hours, @digest)
ON CONFLICT (external_id) DO UPDATE SET name = excluded.name, sort_key = excluded.sort_key, usual_hours = excluded.usual_hours, digest = excluded.digest,
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

-- name: EventsOfCategories :many
SELECT DISTINCT event_id FROM guide.event_category_links WHERE category_id = ANY(@category_ids::bigint[]);

-- name: TimeEvents :exec
-- When events are over.
WITH timed AS (
    UPDATE guide.events e SET over_at = COALESCE(
        (SELECT e.starts_at + make_interval(secs => 3600 * max(c.usual_hours)) FROM guide.event_category_links l
         JOIN guide.event_categories c ON c.id = l.category_id AND c.usual_hours IS NOT NULL
         WHERE l.event_id = e.id AND NOT COALESCE(e.ends_at > e.starts_at, false)),
        guide.over_at(e.starts_at, e.ends_at))
    WHERE e.id = ANY(@event_ids::bigint[])
    RETURNING e.id, e.over_at
)
UPDATE guide.event_listings l SET over_at = timed.over_at FROM timed WHERE l.event_id = timed.id AND l.over_at <> timed.over_at;

-- name: ClearEventListings :exec
DELETE FROM guide.event_listings WHERE event_id = ANY(@event_ids::bigint[]);

-- name: FillEventListings :exec
INSERT INTO guide.event_listings (category_id, source_id, starts_at, event_id, over_at)
SELECT category.id, source.id, e.starts_at, e.id, e.over_at
FROM guide.events e
CROSS JOIN LATERAL (
    SELECT 0::bigint AS id UNION
    SELECT l.category_id FROM guide.event_category_links l WHERE l.event_id = e.id) AS category
CROSS JOIN LATERAL (
    SELECT 0::bigint AS id UNION
    SELECT e.source_id WHERE e.source_id IS NOT NULL) AS source
WHERE e.id = ANY(@event_ids::bigint[]) AND e.published;

-- name: DropPastListings :execrows
-- What is over is listed no more. A bounded number of events, the oldest first.
DELETE FROM guide.event_listings l
WHERE l.event_id = ANY(ARRAY(
    SELECT past.event_id FROM guide.event_listings past
    WHERE past.category_id = 0 AND past.source_id = 0 AND past.over_at <= @over_before::timestamptz
    ORDER BY past.over_at
    LIMIT @max_events::bigint
));

-- Files that editors have uploaded.

-- name: KeepUpload :exec
INSERT INTO cms.uploads (id, name, file, options) VALUES (@id, @name, @file, @options)
ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, file = EXCLUDED.file, options = EXCLUDED.options, uploaded_at = now();

-- name: GetUpload :one
SELECT name, file, options FROM cms.uploads WHERE id = @id;

-- name: HasUpload :one
SELECT EXISTS (SELECT FROM cms.uploads WHERE id = @id);

-- name: ForgetUpload :exec
DELETE FROM cms.uploads WHERE id = @id;

-- name: ForgetOldUploads :exec
DELETE FROM cms.uploads WHERE uploaded_at < @before::timestamptz;
