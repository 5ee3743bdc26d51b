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
