-- name: BeginAlertRound :one
INSERT INTO relay.alert_rounds (ends_at) VALUES (now() + @lasting::interval)
ON CONFLICT (one) DO UPDATE SET ends_at = excluded.ends_at WHERE relay.alert_rounds.ends_at < now()
RETURNING ends_at;

-- name: EndAlertRound :exec
-- Of another process, which has taken it over meanwhile, it stands.
UPDATE relay.alert_rounds SET ends_at = '-infinity' WHERE ends_at = @ends_at;

-- name: Alerts :many
-- Those that stand, those of the last hour, and those that were decided about just now.
SELECT problem, message_id, said, told_at, over_at, decided FROM relay.alerts 
WHERE over_at IS NULL OR told_at > now() - interval '1 hour' OR (decided OR problem LIKE 'approval|%') AND over_at > now() - interval '1 minute';

-- name: AlertOf :one
SELECT problem, message_id, said, told_at, over_at, decided FROM relay.alerts WHERE message_id = $1 ORDER BY told_at DESC LIMIT 1;

-- name: SaveAlert :exec
INSERT INTO relay.alerts (problem, message_id, said, told_at, over_at, decided) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (problem) DO UPDATE SET message_id = excluded.message_id, said = excluded.said, told_at = excluded.told_at, over_at = excluded.over_at, decided = excluded.decided;

-- name: ForgetAlerts :exec
DELETE FROM relay.alerts WHERE over_at < now() - interval '1 day';
