-- name: RefuseSettings :exec
INSERT INTO relay.refused_settings AS r (process, variable, reason) VALUES (@process, @variable, @reason)
ON CONFLICT (process) DO UPDATE SET variable = @variable, reason = @reason, seen_at = now(),
    since = CASE WHEN r.variable = @variable THEN r.since ELSE now() END;

-- name: SettingsAreGood :exec
-- Those of a process, and of others that are long gone.
DELETE FROM relay.refused_settings WHERE process = @process OR seen_at < now() - interval '1 day';

-- name: RefusedSettings :many
-- What processes that were there a moment ago have refused.
SELECT variable, max(reason)::text AS reason, min(since)::timestamptz AS since
FROM relay.refused_settings
WHERE seen_at > now() - interval '2 minutes'
GROUP BY variable
ORDER BY variable;
