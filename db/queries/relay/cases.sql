-- name: LockKeys :exec
-- Two transactions that hold posts with a key in common come one after the
-- other. The stripes come sorted, so that they never wait for each other.
SELECT pg_advisory_xact_lock(@class::int, stripe) FROM unnest(@stripes::int[]) AS stripe;

-- name: StoredPosts :many
SELECT post_id, case_id, type, type_by_hand, fingerprint, deleted_at, forgotten, content_hash
FROM relay.posts
WHERE owner_id = @owner_id AND post_id = ANY(@post_ids::bigint[]);

-- name: CaseCandidates :many
SELECT p.owner_id, p.post_id, p.case_id, p.case_reason, p.fingerprint, c.closed_at
FROM (
    SELECT DISTINCT k.posted_at, k.owner_id, k.post_id
    FROM unnest(@keys::bigint[]) AS wanted(key)
    CROSS JOIN LATERAL (
        SELECT n.posted_at, n.owner_id, n.post_id
        FROM relay.case_keys n
        WHERE n.key = wanted.key AND n.posted_at BETWEEN @since AND @until
        ORDER BY n.posted_at DESC
        LIMIT @per_key
    ) k
    ORDER BY k.posted_at DESC, k.owner_id, k.post_id
    LIMIT @most
) near
JOIN relay.posts p ON p.owner_id = near.owner_id AND p.post_id = near.post_id
LEFT JOIN relay.cases c ON c.id = p.case_id
WHERE p.fingerprint IS NOT NULL AND NOT (p.owner_id = @owner_id AND p.post_id = @post_id)
ORDER BY p.posted_at DESC, p.owner_id, p.post_id;

-- name: LastOfAuthor :one
-- What the author of a post wrote on the wall just before it, if it is about an animal.
SELECT case_id, post_id, type
FROM relay.posts
WHERE owner_id = @owner_id AND posted_at BETWEEN @since AND @until AND from_id = @from_id AND post_id <> @post_id AND deleted_at IS NULL
ORDER BY posted_at DESC, post_id DESC
LIMIT 1;

-- name: OthersOfCase :many
-- The newest first.
SELECT * FROM relay.posts
WHERE case_id = @case_id::bigint AND NOT (owner_id = @owner_id AND post_id = @post_id) AND deleted_at IS NULL AND blanked_at IS NULL
ORDER BY posted_at DESC
LIMIT @most;

-- name: AddCaseKeys :exec
INSERT INTO relay.case_keys (key, posted_at, owner_id, post_id)
SELECT DISTINCT key, @posted_at::timestamptz, @owner_id::bigint, @post_id::bigint FROM unnest(@keys::bigint[]) AS key
ON CONFLICT DO NOTHING;

-- name: DropCaseKeys :exec
DELETE FROM relay.case_keys
WHERE key = ANY(@keys::bigint[]) AND posted_at = @posted_at AND owner_id = @owner_id AND post_id = @post_id;

-- name: OpenCase :one
INSERT INTO relay.cases (note) VALUES ($1) RETURNING id;

-- name: FilePost :exec
UPDATE relay.posts SET case_id = $3, case_reason = $4 WHERE owner_id = $1 AND post_id = $2;

-- name: LockCase :one
SELECT * FROM relay.cases WHERE id = $1 FOR UPDATE;

-- name: JoinCase :one
-- A case has one more post; it is locked. Nothing if it was joined to another meanwhile.
UPDATE relay.cases SET posts = posts + 1 WHERE id = $1 AND joined_to IS NULL RETURNING closed_at;

-- name: GetCase :one
SELECT * FROM relay.cases WHERE id = $1;

-- name: RefreshCase :one
-- Brings a case in step with its posts.
UPDATE relay.cases c
SET closed_at       = home.at,
    closed_owner_id = home.owner_id,
    closed_post_id  = home.post_id,
    posts           = (SELECT count(*) FROM relay.posts m WHERE m.case_id = c.id),
    updated_at      = now()
FROM (SELECT 1) one
LEFT JOIN (
    SELECT greatest(p.posted_at, p.edited_at) AS at, p.owner_id, p.post_id
    FROM relay.posts p
    WHERE p.case_id = $1 AND p.type = 'reunited'
    ORDER BY p.posted_at
    LIMIT 1
) home ON true
WHERE c.id = $1
RETURNING c.closed_at;

-- name: AnnouncedDeliveries :many
-- What a case has been told by, or is about to be; not what a person may not want to go out at all.
SELECT v.id, v.destination_id, d.name AS destination, v.owner_id, v.post_id, v.status, v.created_at, v.sent_at, p.type
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.case_id = $1 AND v.status NOT IN ('failed', 'suppressed') AND NOT (v.status = 'parked' AND v.reason IN ('unsure', 'awaiting_approval'))
ORDER BY v.id;

-- name: AskedAbout :one
-- The delivery of a case that waits for a person to approve it before it goes somewhere.
SELECT v.id, v.owner_id, v.post_id, p.type
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.case_id = @case_id::bigint AND d.name = @destination AND v.status = 'parked' AND v.reason IN ('unsure', 'awaiting_approval')
ORDER BY v.id
LIMIT 1;

-- name: SuppressWaiting :many
-- Nothing of these has gone out, and nothing is to.
UPDATE relay.deliveries v
SET status = 'suppressed', reason = @reason, untold = v.started_at IS NOT NULL OR v.status = 'parked', updated_at = now()
FROM relay.posts p
WHERE p.owner_id = v.owner_id AND p.post_id = v.post_id
  AND (v.status = 'pending' OR v.status = 'parked' AND v.reason IN ('unsure', 'awaiting_approval')) AND v.attempts = 0
  AND (v.case_id = sqlc.narg('case_id')::bigint AND p.type <> 'reunited'
    OR v.owner_id = sqlc.narg('owner_id')::bigint AND v.post_id = sqlc.narg('post_id')::bigint)
RETURNING v.id;

-- name: SuppressMistyped :many
-- What no rule asks for any more, now that a person has said what type the post is, and
-- nothing of it has gone out. News about a case that was told may stay.
UPDATE relay.deliveries v
SET status = 'suppressed', reason = @reason, untold = true, updated_at = now()
FROM relay.destinations d
WHERE d.id = v.destination_id AND v.owner_id = @owner_id AND v.post_id = @post_id AND v.status IN ('pending', 'parked') AND v.unknown_attempts = 0
  AND NOT d.name = ANY(@routed::text[]) AND NOT (@keep_news::boolean AND v.reply_to IS NOT NULL)
  AND NOT EXISTS (SELECT FROM relay.delivery_parts t WHERE t.delivery_id = v.id)
RETURNING v.id;

-- name: GivenUpDeliveries :many
-- What was not sent for a reason that holds no more: its post was deleted, and now stands again.
SELECT v.id, v.destination_id FROM relay.deliveries v
WHERE v.owner_id = @owner_id AND v.post_id = @post_id AND v.status = 'suppressed' AND v.reason = @given_up AND v.unknown_attempts = 0
  AND NOT EXISTS (SELECT FROM relay.delivery_parts t WHERE t.delivery_id = v.id)
ORDER BY v.id;

-- name: SuppressedAsHome :many
-- The newest delivery to each destination that was not made because the animal seemed to be
-- home, where nothing else tells of its case; nothing of a case that is closed.
SELECT DISTINCT ON (v.destination_id) v.id
FROM relay.deliveries v
WHERE v.case_id = @case_id::bigint AND v.status = 'suppressed' AND v.reason = @reason AND v.attempts = 0
  AND EXISTS (SELECT FROM relay.cases c WHERE c.id = v.case_id AND c.closed_at IS NULL)
  AND NOT EXISTS (
      SELECT FROM relay.deliveries o
      WHERE o.case_id = v.case_id AND o.destination_id = v.destination_id AND o.status NOT IN ('failed', 'suppressed')
  )
ORDER BY v.destination_id, v.id DESC;

-- name: RestoreDelivery :exec
UPDATE relay.deliveries
SET status = CASE WHEN @status::text = 'pending' AND ask <> '' THEN 'parked' ELSE @status END,
    reason = CASE @status WHEN 'pending' THEN ask ELSE @reason END, stands_for = @stands_for, reply_to = coalesce(@reply_to, reply_to),
    started_at = NULL, wanted_at = now(), untold = untold AND @status <> 'pending', updated_at = now()
WHERE id = @id;

-- name: SuppressDelivery :exec
UPDATE relay.deliveries
SET status = 'suppressed', reason = $2, stands_for = $3, untold = started_at IS NOT NULL, updated_at = now()
WHERE id = $1 AND status = 'pending' AND attempts = 0;

-- name: AskedDelivery :one
-- A delivery that waits for a person to approve it.
SELECT case_id, destination_id FROM relay.deliveries
WHERE id = @id AND status = 'parked' AND reason IN ('unsure', 'awaiting_approval')
FOR UPDATE;

-- name: SuppressAsked :exec
UPDATE relay.deliveries
SET status = 'suppressed', reason = @reason, stands_for = @stands_for, untold = started_at IS NOT NULL, updated_at = now()
WHERE id = @id AND status = 'parked';

-- name: WantDelivery :one
-- A delivery that its case, or its type, had suppressed is wanted after all, as an update.
UPDATE relay.deliveries
SET status = CASE ask WHEN '' THEN 'pending' ELSE 'parked' END, reason = ask, stands_for = NULL, reply_to = @reply_to, started_at = NULL, wanted_at = now(), untold = false, updated_at = now()
WHERE id = @id AND status = 'suppressed' AND (stands_for IS NOT NULL OR reason = @other_type)
RETURNING id;

-- name: ReleaseStranded :many
-- One delivery, the newest, for each case and destination whose delivery that
-- stood for the others has failed, or was given up with its deleted post, or as its type was set by hand.
UPDATE relay.deliveries
SET status = CASE ask WHEN '' THEN 'pending' ELSE 'parked' END, reason = ask, stands_for = NULL, started_at = NULL, wanted_at = now(), untold = false, updated_at = now()
WHERE id IN (
    SELECT DISTINCT ON (s.case_id, s.destination_id) s.id
    FROM relay.deliveries t
    JOIN relay.deliveries s ON s.stands_for = t.id AND s.status = 'suppressed'
    JOIN relay.posts p ON p.owner_id = s.owner_id AND p.post_id = s.post_id
    JOIN relay.cases c ON c.id = s.case_id
    WHERE t.status IN ('failed', 'suppressed') AND t.stands_for IS NULL AND (t.status = 'failed' OR t.reason = ANY(@reasons::text[]))
      AND t.updated_at > @since AND s.created_at > @since
      AND p.deleted_at IS NULL AND c.closed_at IS NULL
      AND NOT EXISTS (
          SELECT FROM relay.deliveries o
          WHERE o.case_id = s.case_id AND o.destination_id = s.destination_id AND o.status NOT IN ('failed', 'suppressed')
      )
    ORDER BY s.case_id, s.destination_id, s.id DESC
)
RETURNING id, case_id, destination_id;

-- name: StandFor :exec
UPDATE relay.deliveries
SET stands_for = @id, reason = @reason, updated_at = now()
WHERE case_id = @case_id AND destination_id = @destination_id AND status = 'suppressed' AND stands_for IS NOT NULL;

-- name: ListCases :many
-- A page is the newest of each number of posts, put together: however few cases
-- have so many, none of the others is read.
WITH page AS (
    SELECT o.id FROM relay.cases o WHERE o.id = sqlc.narg('id')::bigint
    UNION ALL
    SELECT o.id FROM (
        SELECT found.id
        FROM generate_series(greatest(@least_posts::int, 1), (SELECT max(m.posts) FROM relay.cases m WHERE m.joined_to IS NULL)) AS size(posts)
        CROSS JOIN (VALUES (true), (false)) AS state(closed)
        CROSS JOIN LATERAL (
            SELECT f.id FROM relay.cases f
            WHERE f.joined_to IS NULL AND f.posts = size.posts AND (f.closed_at IS NOT NULL) = state.closed AND f.id < @before
            ORDER BY f.id DESC
            LIMIT @most
        ) found
        WHERE sqlc.narg('id')::bigint IS NULL AND (sqlc.narg('closed')::boolean IS NULL OR state.closed = sqlc.narg('closed'))
        ORDER BY found.id DESC
        LIMIT @most
    ) o
)
SELECT c.id, p.first_at, c.closed_at, c.closed_owner_id, c.closed_post_id, c.note,
       p.posts, p.last_at, p.type, p.animal, p.location,
       v.owed, v.told, v.suppressed
FROM page
CROSS JOIN LATERAL (SELECT * FROM relay.cases o WHERE o.id = page.id LIMIT 1) c
CROSS JOIN LATERAL (
    SELECT count(*)::int AS posts, min(q.posted_at)::timestamptz AS first_at, max(q.posted_at)::timestamptz AS last_at,
           coalesce((array_agg(q.type ORDER BY q.posted_at DESC))[1], '')::text AS type,
           coalesce(max(q.animal), '')::text AS animal,
           coalesce((array_agg(q.location ORDER BY q.location = '', q.posted_at))[1], '')::text AS location
    FROM relay.posts q
    WHERE q.case_id = page.id
    HAVING count(*) > 0
) p
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE w.status = 'sent')::int AS told, count(*) FILTER (WHERE w.status = 'suppressed')::int AS suppressed,
           count(*)::int AS owed
    FROM relay.deliveries w
    WHERE w.case_id = page.id
) v
WHERE c.joined_to IS NULL
ORDER BY c.id DESC
LIMIT @most;

-- name: CasePosts :many
SELECT * FROM relay.posts WHERE case_id = $1 ORDER BY posted_at, owner_id, post_id;

-- name: MovePosts :many
UPDATE relay.posts
SET case_id = @case_id::bigint, case_reason = @reason::text
WHERE case_id = @from_case::bigint AND (owner_id, post_id) IN (SELECT unnest(@owner_ids::bigint[]), unnest(@post_ids::bigint[]))
RETURNING owner_id, post_id;

-- name: MoveDeliveries :exec
UPDATE relay.deliveries v
SET case_id = p.case_id, updated_at = now()
FROM relay.posts p
WHERE p.owner_id = v.owner_id AND p.post_id = v.post_id AND p.case_id = @case_id AND v.case_id IS DISTINCT FROM p.case_id;

-- name: JoinedTo :exec
UPDATE relay.cases SET joined_to = $2, note = $3, updated_at = now() WHERE id = $1;

-- name: SuppressedByCase :many
-- Suppressed deliveries of a case whose delivery that stands for them is of another.
SELECT s.id, s.destination_id
FROM relay.deliveries s
JOIN relay.deliveries t ON t.id = s.stands_for
WHERE s.case_id = @case_id AND s.status = 'suppressed' AND t.case_id IS DISTINCT FROM s.case_id
ORDER BY s.id DESC;

-- name: ReleaseDelivery :exec
UPDATE relay.deliveries
SET status = CASE ask WHEN '' THEN 'pending' ELSE 'parked' END, reason = ask, stands_for = NULL, started_at = NULL, wanted_at = now(), untold = false, updated_at = now()
WHERE id = $1 AND status = 'suppressed';
