-- name: AddAudit :exec
INSERT INTO relay.audit (who, via, action, subject, note, failure) VALUES ($1, $2, $3, $4, $5, $6);

-- name: ListAudit :many
SELECT id, at, who, via, action, subject, note, failure
FROM relay.audit
WHERE (sqlc.narg('subject')::text IS NULL OR subject = sqlc.narg('subject'))
  AND (sqlc.narg('before')::bigint IS NULL OR id < sqlc.narg('before'))
ORDER BY id DESC
LIMIT @most;
