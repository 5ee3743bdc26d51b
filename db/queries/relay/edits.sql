-- name: EditPost :exec
-- The messages about a post are to follow it, those that are yet to come, too:
-- they may be composed already.
INSERT INTO relay.amendments (delivery_id, cause)
SELECT v.id, @cause::text
FROM relay.deliveries v
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.owner_id = @owner_id AND v.post_id = @post_id AND v.status NOT IN ('failed', 'suppressed') AND v.taken_back_at IS NULL AND p.blanked_at IS NULL
ON CONFLICT (delivery_id) WHERE status = 'pending'
DO UPDATE SET cause = excluded.cause, revision = relay.amendments.revision + 1, due_at = least(relay.amendments.due_at, now());

-- name: EditDelivery :exec
-- The messages of a delivery are to be edited later, though its post has not changed.
WITH outdated AS (
    UPDATE relay.delivery_parts t SET shown = NULL WHERE t.delivery_id = @delivery_id
)
INSERT INTO relay.amendments (delivery_id, cause, due_at) VALUES (@delivery_id, @cause::text, now() + @wait::interval)
ON CONFLICT (delivery_id) WHERE status = 'pending' DO NOTHING;

-- name: EditCase :exec
-- The messages about a case are to show that it is closed, or open again.
INSERT INTO relay.amendments (delivery_id, cause)
SELECT v.id, @cause::text
FROM relay.deliveries v
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.case_id = @case_id AND v.status NOT IN ('failed', 'suppressed') AND p.type <> 'reunited' AND v.taken_back_at IS NULL AND p.blanked_at IS NULL
ON CONFLICT (delivery_id) WHERE status = 'pending'
DO UPDATE SET cause = excluded.cause, revision = relay.amendments.revision + 1, due_at = least(relay.amendments.due_at, now());

-- name: EditFirst :execrows
-- The newest first message about a case in each destination is to say what another post adds, and no more than that.
INSERT INTO relay.amendments (delivery_id, cause)
SELECT DISTINCT ON (v.destination_id) v.id, 'added'
FROM relay.deliveries v
JOIN relay.posts p USING (owner_id, post_id)
WHERE p.blanked_at IS NULL AND v.case_id = @case_id AND v.reply_to IS NULL AND v.status NOT IN ('failed', 'suppressed') AND v.taken_back_at IS NULL
  AND NOT (v.owner_id = @owner_id AND v.post_id = @post_id)
ORDER BY v.destination_id, v.id DESC
ON CONFLICT (delivery_id) WHERE status = 'pending'
DO UPDATE SET revision = relay.amendments.revision + 1, due_at = least(relay.amendments.due_at, now());

-- name: TakeBack :many
-- Nothing of these deliveries is sent any more; what was, or may be on its way, is to be removed.
WITH taken AS (
    UPDATE relay.deliveries v
    SET taken_back_at = now(),
        status = CASE WHEN v.status IN ('pending', 'sending', 'parked', 'unknown') THEN 'suppressed' ELSE v.status END,
        reason = CASE WHEN v.status IN ('pending', 'sending', 'parked', 'unknown') THEN @reason::text ELSE v.reason END,
        untold = v.untold OR v.started_at IS NOT NULL AND v.status IN ('pending', 'sending', 'parked', 'unknown'),
        updated_at = now()
    WHERE v.id = ANY(@ids::bigint[]) AND v.taken_back_at IS NULL
    RETURNING v.id, v.destination_id, v.attempts
), removing AS (
    INSERT INTO relay.amendments (delivery_id, cause)
    SELECT id, 'taken_back' FROM taken WHERE attempts > 0
    ON CONFLICT (delivery_id) WHERE status = 'pending'
    DO UPDATE SET cause = excluded.cause, revision = relay.amendments.revision + 1, due_at = now()
)
SELECT DISTINCT d.name FROM taken JOIN relay.destinations d ON d.id = taken.destination_id ORDER BY d.name;

-- name: OpenEdit :one
UPDATE relay.amendments a
SET attempts = a.attempts + CASE WHEN @begins::boolean THEN 1 ELSE 0 END
FROM relay.deliveries v, relay.destinations d
WHERE a.id = @id AND v.id = a.delivery_id AND d.id = v.destination_id
RETURNING a.id, a.delivery_id, a.cause, a.revision, a.status, a.attempts, a.created_at,
    v.status AS delivery_status, v.cut, v.owner_id, v.post_id, v.sent_at, v.reply_to, (v.taken_back_at IS NOT NULL)::boolean AS taken_back,
    d.id AS destination_id, d.name AS destination, d.migrated_to, d.names_refused;

-- name: PartsToEdit :many
SELECT part, message_ids, kind, wordy, shown, photos, gone, chat_id
FROM relay.delivery_parts
WHERE delivery_id = $1
ORDER BY part;

-- name: PartShows :exec
UPDATE relay.delivery_parts SET shown = $3, gone = $4, photos = $5 WHERE delivery_id = $1 AND part = $2;

-- name: FinishEdit :execrows
-- Photos that are late go as they were when the words went: the edit is due once more after them.
UPDATE relay.amendments a
SET status = CASE WHEN v.status = 'sending' THEN a.status ELSE @status END,
    error = @error,
    due_at = CASE WHEN v.status = 'sending' THEN coalesce(v.due_at, now()) ELSE a.due_at END,
    finished_at = CASE WHEN v.status = 'sending' THEN NULL ELSE now() END
FROM relay.deliveries v
WHERE a.id = @id AND a.revision = @revision AND a.status = 'pending' AND v.id = a.delivery_id;

-- name: PostponeEdit :exec
-- It could not be made now: it is due again after a time, twice as long for each attempt.
UPDATE relay.amendments
SET error = @error, due_at = now() + least(sqlc.arg(again)::interval * power(2, least(attempts, 8)), '6 hours'::interval)
WHERE id = @id AND status = 'pending';

-- name: ListEdits :many
SELECT a.id, a.delivery_id, a.cause, a.status, a.error AS reason, a.attempts, a.created_at, a.finished_at
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
