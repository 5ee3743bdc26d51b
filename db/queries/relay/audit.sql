-- name: OpenAudit :one
INSERT INTO relay.audit (who, via, action, subject, note, closed_at) VALUES (@who, @via, @action, @subject, @note, NULL) RETURNING id;

-- name: CloseAudit :exec
UPDATE relay.audit SET subject = @subject, failure = @failure, closed_at = now() WHERE id = @id;

-- name: ListAudit :many
SELECT id, at, who, via, action, subject, note, failure, (closed_at IS NULL)::boolean AS open
FROM relay.audit
WHERE (sqlc.narg('subject')::text IS NULL OR subject = sqlc.narg('subject'))
  AND (sqlc.narg('before')::bigint IS NULL OR id < sqlc.narg('before'))
ORDER BY id DESC
LIMIT @most;

-- name: AddBulkDecision :exec
INSERT INTO relay.bulk_decisions (id, action, status, destination, type, since, until, as_of, deliveries)
VALUES (@id, @action, sqlc.narg('status'), sqlc.narg('destination'), sqlc.narg('type'), sqlc.narg('since'), sqlc.narg('until'), @as_of, @deliveries);

-- name: ClaimBulkDecision :one
-- The one that is asked for, or the oldest, if nobody else makes a step of it.
UPDATE relay.bulk_decisions SET claimed_until = now() + interval '1 minute'
WHERE id = (
    SELECT b.id FROM relay.bulk_decisions b
    WHERE b.finished_at IS NULL AND (b.claimed_until IS NULL OR b.claimed_until < now()) AND (sqlc.narg('id')::bigint IS NULL OR b.id = sqlc.narg('id'))
    ORDER BY b.id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING *;

-- name: StepBulkDecision :execrows
-- Unless another has made the step, after the claim had run out.
UPDATE relay.bulk_decisions
SET after_id = @after, handed = @handed, refused = @refused, tries = @tries,
    claimed_until = CASE WHEN @tries::int > 0 THEN claimed_until END, finished_at = CASE WHEN @finished::boolean THEN now() END
WHERE id = @id AND after_id = @was AND finished_at IS NULL;

-- name: OpenBulkDecisions :many
SELECT sqlc.embed(b), sqlc.embed(a)
FROM relay.bulk_decisions b
JOIN relay.audit a ON a.id = b.id
WHERE b.finished_at IS NULL
ORDER BY b.id;

-- name: GetAudit :one
SELECT * FROM relay.audit WHERE id = $1;
