-- name: WatchWall :exec
INSERT INTO relay.walls (name, read_every) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET watched = true, next_read_at = least(relay.walls.next_read_at, now()), updated_at = now()
WHERE NOT relay.walls.watched;

-- name: UnwatchWallsExcept :execrows
UPDATE relay.walls SET watched = false, updated_at = now() WHERE watched AND NOT name = ANY(@names::text[]);

-- name: LookAtUnresolved :exec
-- The name that another stood in the way of may be free now.
UPDATE relay.walls SET next_read_at = now(), updated_at = now() WHERE watched AND owner_id IS NULL AND next_read_at > now();

-- name: WatchedWalls :many
SELECT * FROM relay.walls WHERE watched ORDER BY name;

-- name: GetWall :one
SELECT * FROM relay.walls WHERE name = $1;

-- name: BeginReading :one
-- A wall counts as one that can't be read until it has been: whatever happens
-- meanwhile, it is due again later and later.
UPDATE relay.walls
SET failures = failures + @failures::int,
    next_read_at = now() + least(read_every * power(2, least(failures, 20)), sqlc.arg(slowest)::interval), updated_at = now()
WHERE name = @name
RETURNING *;

-- name: ReadingFailed :exec
UPDATE relay.walls SET reason = $2, updated_at = now() WHERE name = $1;

-- name: ReadingSpared :exec
-- A reading that was not made, for no fault of the wall's.
UPDATE relay.walls SET failures = greatest(failures - 1, 0), next_read_at = now(), updated_at = now() WHERE name = $1;

-- name: FreeOwner :many
-- A wall that is not watched under this name any more may be under another.
UPDATE relay.walls SET owner_id = NULL, updated_at = now()
WHERE owner_id = @owner_id AND NOT watched
RETURNING *;

-- name: ResolveWall :one
UPDATE relay.walls
SET owner_id = @owner_id, newest_post_at = coalesce(newest_post_at, sqlc.narg('newest_post_at')),
    last_read_at = coalesce(last_read_at, sqlc.narg('last_read_at')), updated_at = now()
WHERE name = @name
RETURNING *;

-- name: ParkWall :exec
UPDATE relay.walls SET state = 'parked', reason = $2, last_read_at = now(), next_read_at = $3, updated_at = now() WHERE name = $1;

-- name: WallRead :exec
UPDATE relay.walls
SET state = 'open', reason = @reason, failures = 0, posts_per_day = @posts_per_day, last_read_at = now(), next_read_at = @next_read_at,
    read_every = @read_every, newest_post_at = greatest(newest_post_at, sqlc.narg('newest_post_at')::timestamptz), updated_at = now()
WHERE name = @name;

-- name: SpendCall :exec
INSERT INTO relay.read_calls (key, hour, calls) VALUES ($1, date_trunc('hour', now()), 1)
ON CONFLICT (key, hour) DO UPDATE SET calls = relay.read_calls.calls + 1;

-- name: ReadingKeys :many
-- Reading keys in the order given, with the calls that each has made since a time,
-- counted in whole hours.
SELECT k.key::text AS key, coalesce((SELECT sum(c.calls) FROM relay.read_calls c WHERE c.key = k.key AND c.hour >= @since), 0)::int AS used,
       p.until, coalesce(p.reason, '') AS reason, p.captcha, coalesce(p.answer, '') AS answer
FROM unnest(@keys::text[]) WITH ORDINALITY k (key, place)
LEFT JOIN relay.key_pauses p ON p.key = k.key
ORDER BY k.place;

-- name: ForgetCalls :exec
DELETE FROM relay.read_calls WHERE hour < $1;

-- name: PauseKey :exec
INSERT INTO relay.key_pauses (key, until, reason, captcha) VALUES ($1, $2, $3, $4)
ON CONFLICT (key) DO UPDATE
SET until = greatest(relay.key_pauses.until, excluded.until), reason = excluded.reason, captcha = excluded.captcha, answer = '';

-- name: ResumeKeys :execrows
DELETE FROM relay.key_pauses WHERE key = ANY(@keys::text[]) AND (until > now() OR answer <> '');

-- name: AnswerCaptcha :execrows
-- The key that asks for longest gets a person's answer, and reads again.
UPDATE relay.key_pauses SET until = now(), answer = @answer
WHERE key = (SELECT p.key FROM relay.key_pauses p WHERE p.key = ANY(@keys::text[]) AND p.captcha IS NOT NULL AND p.until > now() ORDER BY p.until LIMIT 1);

-- name: CountPostsOf :one
SELECT count(*) FROM relay.posts WHERE owner_id = $1 AND posted_at > $2;

-- name: WallHasNews :one
-- Makes a community's wall due, once for each event, and returns its name. Events
-- of the days before are forgotten.
WITH old AS (
    DELETE FROM relay.callback_events WHERE received_at < now() - '1 day'::interval
), fresh AS (
    INSERT INTO relay.callback_events (event_id) VALUES (@event_id) ON CONFLICT DO NOTHING RETURNING event_id
)
UPDATE relay.walls SET next_read_at = now(), updated_at = now()
WHERE owner_id = @owner_id AND watched AND EXISTS (SELECT FROM fresh)
RETURNING name;
