-- name: EndSession :exec
-- Ends a session, and forgets those that have ended by themselves.
WITH forgotten AS (
    DELETE FROM service.console_logouts AS past WHERE past.ends_at < sqlc.arg(now)
)
INSERT INTO service.console_logouts (session, ends_at)
VALUES (sqlc.arg(session), sqlc.arg(ends_at))
ON CONFLICT (session) DO NOTHING;

-- name: SessionEnded :one
SELECT EXISTS (SELECT FROM service.console_logouts AS past WHERE past.session = sqlc.arg(session));
