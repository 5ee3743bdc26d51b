-- name: WatchWall :exec
INSERT INTO relay.walls (name, read_every) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET watched = true, updated_at = now()
WHERE NOT relay.walls.watched;

-- name: UnwatchWallsExcept :exec
UPDATE relay.walls SET watched = false, updated_at = now() WHERE watched AND NOT name = ANY(@names::text[]);

-- name: WatchedWalls :many
SELECT * FROM relay.walls WHERE watched ORDER BY name;

-- name: GetWall :one
SELECT * FROM relay.walls WHERE name = $1;

-- name: ResolveWall :exec
UPDATE relay.walls SET owner_id = $2, updated_at = now() WHERE name = $1;

-- name: ParkWall :exec
UPDATE relay.walls SET state = 'parked', reason = $2, last_read_at = now(), next_read_at = $3, updated_at = now() WHERE name = $1;

-- name: WallRead :exec
UPDATE relay.walls
SET state = 'open', reason = '', posts_per_day = $2, last_read_at = now(), next_read_at = $3, read_every = $4,
    newest_post_at = greatest(newest_post_at, sqlc.narg('newest_post_at')::timestamptz), updated_at = now()
WHERE name = $1;

-- name: PostponeWall :exec
UPDATE relay.walls SET next_read_at = $2, updated_at = now() WHERE name = $1;

-- name: SpendCall :exec
INSERT INTO relay.read_calls (key, hour, calls) VALUES ($1, date_trunc('hour', now()), 1)
ON CONFLICT (key, hour) DO UPDATE SET calls = relay.read_calls.calls + 1;

-- name: CallsSince :one
SELECT coalesce(sum(calls), 0)::int AS calls FROM relay.read_calls WHERE key = $1 AND hour > $2;

-- name: ForgetCalls :exec
DELETE FROM relay.read_calls WHERE hour < $1;

-- name: PauseKey :exec
INSERT INTO relay.key_pauses (key, until, reason) VALUES ($1, $2, $3)
ON CONFLICT (key) DO UPDATE SET until = greatest(relay.key_pauses.until, excluded.until), reason = excluded.reason;

-- name: KeyPause :one
SELECT until, reason FROM relay.key_pauses WHERE key = $1 AND until > now();

-- name: CountPostsOf :one
SELECT count(*) FROM relay.posts WHERE owner_id = $1 AND posted_at > $2;
