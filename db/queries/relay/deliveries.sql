-- name: DestinationID :one
SELECT id FROM relay.destinations WHERE name = $1;

-- name: AddDestination :one
INSERT INTO relay.destinations (name) VALUES ($1)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: DeliveryID :one
SELECT id FROM relay.deliveries WHERE destination_id = $1 AND owner_id = $2 AND post_id = $3;

-- name: ListDestinations :many
SELECT d.name,
       d.migrated_to,
       count(v.id) FILTER (WHERE v.status IN ('pending', 'sending')) AS waiting
FROM relay.destinations d
LEFT JOIN relay.deliveries v ON v.destination_id = d.id AND v.status IN ('pending', 'sending')
GROUP BY d.id
ORDER BY d.name;

-- name: FollowMigration :exec
UPDATE relay.destinations SET migrated_to = $2 WHERE id = $1;

-- name: OweDelivery :one
INSERT INTO relay.deliveries (destination_id, owner_id, post_id, workflow_id, weight, status, reason, case_id, reply_to, stands_for)
VALUES (@destination_id, @owner_id, @post_id, @workflow_id, @weight, @status, @reason, @case_id, @reply_to, @stands_for)
ON CONFLICT (destination_id, owner_id, post_id) DO NOTHING
RETURNING id;

-- name: DeliveriesToQueue :many
SELECT v.id, d.name AS destination, v.owner_id, v.post_id, v.weight, p.type, p.animal, p.location
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.status IN ('pending', 'sending')
  AND (v.queued_at IS NULL OR v.queued_at < @queued_before::timestamptz)
ORDER BY v.id
LIMIT @most;

-- name: DeliveryToQueue :one
SELECT v.id, d.name AS destination, v.owner_id, v.post_id, v.weight, p.type, p.animal, p.location
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.id = $1;

-- name: MarkQueued :exec
UPDATE relay.deliveries SET queued_at = now() WHERE id = ANY(@ids::bigint[]);

-- name: LockDelivery :one
SELECT v.id, v.status, v.owner_id, v.post_id, v.attempts, v.unknown_attempts, v.first_attempt_at, v.captcha, v.reply_to, v.cut,
       d.id AS destination_id, d.name AS destination, d.migrated_to, d.names_refused
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE v.id = $1
FOR UPDATE OF v;

-- name: CloseOpenAttempts :many
UPDATE relay.delivery_attempts
SET finished_at = now(), outcome = 'unknown', error = 'the worker ended during the call'
WHERE delivery_id = $1 AND finished_at IS NULL
RETURNING part, started_at;

-- name: OpenAttempt :one
INSERT INTO relay.delivery_attempts (delivery_id, part, number, rung)
VALUES ($1, $2, $3, $4)
RETURNING id;

-- name: StartSending :one
UPDATE relay.deliveries
SET status = 'sending', reason = '', attempts = attempts + 1,
    first_attempt_at = coalesce(first_attempt_at, now()), updated_at = now()
WHERE id = $1 AND status NOT IN ('sent', 'suppressed')
RETURNING attempts;

-- name: CountUnknown :exec
UPDATE relay.deliveries
SET unknown_attempts = unknown_attempts + @unknown::int, updated_at = now()
WHERE id = $1;

-- name: CloseAttempt :exec
UPDATE relay.delivery_attempts
SET finished_at = now(), outcome = $2, code = $3, error = $4, retry_after = $5
WHERE id = $1;

-- name: RecordPart :exec
INSERT INTO relay.delivery_parts (delivery_id, part, message_ids, kind, wordy, shown, photos, chat_id)
SELECT v.id, @part::int, @message_ids::bigint[], @kind::text, @wordy::boolean, @shown::bytea, @photos::text[], d.migrated_to
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE v.id = @delivery_id
ON CONFLICT (delivery_id, part) DO NOTHING;

-- name: KeepCut :exec
UPDATE relay.deliveries SET cut = $2 WHERE id = $1;

-- name: FirstMessage :one
-- The first message of a delivery, if it is in the chat that its destination is now.
SELECT t.message_ids[1]::bigint AS message_id
FROM relay.delivery_parts t
JOIN relay.deliveries v ON v.id = t.delivery_id
JOIN relay.destinations d ON d.id = v.destination_id
WHERE t.delivery_id = $1 AND t.part = 0 AND NOT t.gone AND t.chat_id IS NOT DISTINCT FROM d.migrated_to;

-- name: DeliveryParts :many
SELECT part, message_ids, sent_at FROM relay.delivery_parts WHERE delivery_id = $1 ORDER BY part;

-- name: SetStatus :exec
UPDATE relay.deliveries
SET status = @status, reason = @reason, captcha = @captcha,
    cut = CASE WHEN @status::text IN ('sent', 'suppressed') THEN NULL ELSE cut END,
    sent_at = CASE WHEN @status::text = 'sent' THEN coalesce(sent_at, now()) ELSE sent_at END,
    queued_at = CASE WHEN @status::text = 'pending' THEN NULL ELSE queued_at END,
    updated_at = now()
WHERE id = @id;

-- name: UnknownSince :one
SELECT count(*) AS attempts,
       count(*) FILTER (WHERE started_at > @forgiven::timestamptz) AS unforgiven,
       count(*) FILTER (WHERE started_at > @forgiven::timestamptz AND code = 0) AS unanswered,
       coalesce(min(started_at), now())::timestamptz AS first
FROM relay.delivery_attempts
WHERE delivery_id = @delivery_id AND part = @part AND outcome = 'unknown';

-- name: ListDeliveries :many
SELECT v.id, d.name AS destination, v.owner_id, v.post_id, p.type, v.case_id, v.status, v.reason, v.attempts,
       v.unknown_attempts, v.workflow_id, v.created_at, v.sent_at, v.captcha, v.reply_to, v.stands_for,
       ARRAY(SELECT unnest(t.message_ids) FROM relay.delivery_parts t WHERE t.delivery_id = v.id ORDER BY t.part)::bigint[] AS message_ids
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
JOIN relay.posts p USING (owner_id, post_id)
WHERE (sqlc.narg('status')::text IS NULL OR v.status = sqlc.narg('status'))
  AND (sqlc.narg('destination')::text IS NULL OR d.name = sqlc.narg('destination'))
  AND (sqlc.narg('id')::bigint IS NULL OR v.id = sqlc.narg('id'))
  AND (sqlc.narg('case_id')::bigint IS NULL OR v.case_id = sqlc.narg('case_id'))
  AND (sqlc.narg('owner_id')::bigint IS NULL OR v.owner_id = sqlc.narg('owner_id'))
  AND (sqlc.narg('post_id')::bigint IS NULL OR v.post_id = sqlc.narg('post_id'))
ORDER BY v.id DESC
LIMIT @most;

-- name: ListAttempts :many
SELECT part, number, started_at, finished_at, outcome, code, error, retry_after, rung
FROM relay.delivery_attempts
WHERE delivery_id = $1
ORDER BY number;

-- name: CountDeliveries :many
SELECT status, count(*) AS deliveries, min(created_at)::timestamptz AS oldest
FROM relay.deliveries
GROUP BY status;

-- name: SentSince :one
SELECT count(*) AS deliveries, coalesce(sum(unknown_attempts), 0)::bigint AS uncertain
FROM relay.deliveries
WHERE status = 'sent' AND sent_at >= $1;

-- name: LowerPhoto :exec
INSERT INTO relay.delivery_photos (delivery_id, photo, rung) VALUES ($1, $2, $3)
ON CONFLICT (delivery_id, photo) DO UPDATE SET rung = greatest(relay.delivery_photos.rung, excluded.rung);

-- name: PhotoRungs :many
SELECT photo, rung FROM relay.delivery_photos WHERE delivery_id = $1;

-- name: SavePhoto :exec
INSERT INTO relay.delivery_photos (delivery_id, photo, source, saved) VALUES ($1, $2, $3, $4)
ON CONFLICT (delivery_id, photo) DO UPDATE SET source = excluded.source, saved = excluded.saved;

-- name: SavedPhotos :many
SELECT photo, source, saved FROM relay.delivery_photos WHERE delivery_id = $1 AND saved <> '';

-- name: RefuseNames :exec
UPDATE relay.destinations SET names_refused = true WHERE id = $1;

-- name: RefuseLink :exec
INSERT INTO relay.refused_links (link) VALUES ($1)
ON CONFLICT (link) DO UPDATE SET refused_at = now();

-- name: ForgetLinks :exec
DELETE FROM relay.refused_links WHERE refused_at < $1;

-- name: RefusedLinks :many
SELECT link FROM relay.refused_links WHERE link = ANY(@links::bytea[]) AND refused_at >= @since;
