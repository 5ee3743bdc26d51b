-- name: WallContext :one
SELECT version, posts, units FROM relay.wall_contexts WHERE owner_id = $1;

-- name: LastTexts :many
-- The newest first.
SELECT text FROM relay.posts WHERE owner_id = @owner_id AND deleted_at IS NULL AND text <> '' ORDER BY post_id DESC LIMIT @most;

-- name: KeepWallContext :exec
INSERT INTO relay.wall_contexts (owner_id, version, posts, units) VALUES (@owner_id, @version, @posts, @units)
ON CONFLICT (owner_id) DO UPDATE SET version = excluded.version, posts = excluded.posts, units = excluded.units, learned_at = now();
