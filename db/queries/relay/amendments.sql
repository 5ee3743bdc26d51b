-- name: AmendPost :exec
-- The messages about a post are to follow it.
INSERT INTO relay.amendments (delivery_id, cause)
SELECT v.id, @cause::text
FROM relay.deliveries v
WHERE v.owner_id = @owner_id AND v.post_id = @post_id AND v.attempts > 0 AND v.status NOT IN ('failed', 'suppressed')
ON CONFLICT (delivery_id) WHERE status = 'pending'
DO UPDATE SET cause = excluded.cause, revision = relay.amendments.revision + 1;

-- name: AmendCase :exec
-- The messages about a case are to show that it is closed, or open again.
INSERT INTO relay.amendments (delivery_id, cause)
SELECT v.id, @cause::text
FROM relay.deliveries v
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.case_id = @case_id AND v.attempts > 0 AND v.status NOT IN ('failed', 'suppressed') AND p.type <> 'reunited'
ON CONFLICT (delivery_id) WHERE status = 'pending'
DO UPDATE SET cause = excluded.cause, revision = relay.amendments.revision + 1;

-- name: OpenAmendment :one
UPDATE relay.amendments a
SET attempts = a.attempts + 1
FROM relay.deliveries v, relay.destinations d
WHERE a.id = @id AND v.id = a.delivery_id AND d.id = v.destination_id
RETURNING a.id, a.delivery_id, a.cause, a.revision, a.status, a.attempts, a.created_at,
    v.status AS delivery_status, v.owner_id, v.post_id, v.sent_at, v.reply_to,
    d.id AS destination_id, d.name AS destination, d.migrated_to, d.names_refused;

-- name: PartsToAmend :many
SELECT part, message_ids, kind, wordy, shown, photos, gone, chat_id
FROM relay.delivery_parts
WHERE delivery_id = $1
ORDER BY part;

-- name: PartShows :exec
UPDATE relay.delivery_parts SET shown = $3, gone = $4, photos = $5 WHERE delivery_id = $1 AND part = $2;

-- name: FinishAmendment :execrows
UPDATE relay.amendments
SET status = @status, error = @error, finished_at = now()
WHERE id = @id AND revision = @revision AND status = 'pending';

-- name: PostponeAmendment :exec
-- It could not be made now: it is due again after a time, twice as long for each attempt.
UPDATE relay.amendments
SET error = @error, due_at = now() + least(sqlc.arg(again)::interval * power(2, least(attempts, 8)), '6 hours'::interval)
WHERE id = @id AND status = 'pending';

-- name: ListAmendments :many
SELECT a.id, a.delivery_id, a.cause, a.status, a.error, a.attempts, a.created_at, a.finished_at
FROM relay.amendments a
WHERE a.delivery_id = ANY(@delivery_ids::bigint[])
ORDER BY a.id;

-- name: FirstMessage :one
-- The first message of a delivery, if it is in the chat that its destination is now.
SELECT t.message_ids[1]::bigint AS message_id
FROM relay.delivery_parts t
JOIN relay.deliveries v ON v.id = t.delivery_id
JOIN relay.destinations d ON d.id = v.destination_id
WHERE t.delivery_id = $1 AND t.part = 0 AND NOT t.gone AND t.chat_id IS NOT DISTINCT FROM d.migrated_to;
