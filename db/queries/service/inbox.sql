-- name: ClaimUpdate :one
-- Whose the update is: ours, or that of the session that came first. The row
-- of a claim that is too old is taken over. The update that changes nothing
-- is what makes the row come back on a conflict.
INSERT INTO service.inbox AS claim (bot_id, update_id, session, trace_id)
VALUES (sqlc.arg(bot_id), sqlc.arg(update_id), sqlc.arg(session), sqlc.arg(trace_id))
ON CONFLICT (bot_id, update_id) DO UPDATE
SET session    = CASE WHEN claim.claimed_at < sqlc.arg(since) THEN excluded.session ELSE claim.session END,
    trace_id   = CASE WHEN claim.claimed_at < sqlc.arg(since) THEN excluded.trace_id ELSE claim.trace_id END,
    claimed_at = CASE WHEN claim.claimed_at < sqlc.arg(since) THEN excluded.claimed_at ELSE claim.claimed_at END
RETURNING session, trace_id;

-- name: SweepUpdates :execrows
-- A bounded bite, skipping rows that another sweep is at.
DELETE FROM service.inbox
WHERE ctid = ANY(ARRAY(
    SELECT old.ctid
    FROM service.inbox AS old
    WHERE old.claimed_at < sqlc.arg(before)
    ORDER BY old.claimed_at
    LIMIT sqlc.arg(max_updates)::bigint
    FOR UPDATE SKIP LOCKED
));
