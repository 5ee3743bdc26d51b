-- name: RecordUpdate :exec
INSERT INTO service.inbox (bot_id, update_id, chat_id, trace_id)
VALUES (sqlc.arg(bot_id), sqlc.arg(update_id), sqlc.arg(chat_id), sqlc.arg(trace_id))
ON CONFLICT DO NOTHING;

-- name: RecentUpdates :many
SELECT update_id, trace_id
FROM service.inbox
WHERE bot_id = sqlc.arg(bot_id)
  AND chat_id = sqlc.arg(chat_id)
  AND handled_at > sqlc.arg(since)
ORDER BY handled_at DESC
LIMIT sqlc.arg(max_updates)::bigint;

-- name: SweepUpdates :execrows
-- A bounded bite, skipping rows that another sweep is at.
DELETE FROM service.inbox
WHERE (bot_id, update_id) IN (
    SELECT old.bot_id, old.update_id
    FROM service.inbox AS old
    WHERE old.handled_at < sqlc.arg(before)
    ORDER BY old.handled_at
    LIMIT sqlc.arg(max_updates)::bigint
    FOR UPDATE SKIP LOCKED
);
