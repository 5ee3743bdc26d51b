-- name: ClaimDuePhotos :many
-- A claim keeps others away until it runs out, so that a lost worker's photos
-- come round again.
UPDATE guide.photos AS p SET due_at = @claimed_until::timestamptz
WHERE p.id = ANY(ARRAY(
    SELECT d.id FROM guide.photos d
    WHERE d.due_at <= @now::timestamptz AND d.state <> 'unused'
    ORDER BY d.due_at, d.id LIMIT @max_photos::bigint
    FOR UPDATE SKIP LOCKED))
RETURNING p.id, p.url;

-- name: RetirePhotos :exec
UPDATE guide.photos AS p SET state = 'unused'
WHERE p.state <> 'unused'
  AND NOT EXISTS (SELECT 1 FROM guide.place_photos l WHERE l.photo_id = p.id)
  AND NOT EXISTS (SELECT 1 FROM guide.event_photos l WHERE l.photo_id = p.id);

-- name: RecordPhoto :exec
-- The served address gets a new version when the image is another one, and
-- when it came back: Telegram may remember the failure.
UPDATE guide.photos AS p
SET version = p.version + CASE
        WHEN @state::text = 'good' AND (p.state = 'bad' OR p.content_hash IS NOT NULL AND p.content_hash <> sqlc.narg(content_hash)::bytea)
        THEN 1 ELSE 0 END,
    state = @state::text, reason = @reason, checked_at = @checked_at::timestamptz, due_at = @due_at::timestamptz,
    content_hash = COALESCE(sqlc.narg(content_hash)::bytea, p.content_hash),
    media_type = @media_type, bytes = @bytes, width = @width, height = @height
WHERE p.id = @id;

-- name: CountPhotos :one
SELECT (SELECT count(*) FROM guide.photos u WHERE u.state = 'unchecked')::bigint AS due,
       (SELECT count(*) FROM guide.photos g WHERE g.state = 'good')::bigint AS good,
       (SELECT count(*) FROM guide.photos b WHERE b.state = 'bad')::bigint AS bad;

-- name: ListBadPhotos :many
SELECT p.url, p.reason, p.checked_at::timestamptz AS checked_at, used.used_by::text[] AS used_by
FROM guide.photos p
CROSS JOIN LATERAL (
    SELECT array_agg(u.name ORDER BY u.name) AS used_by FROM (
        SELECT 'places/' || o.external_id AS name FROM guide.place_photos l JOIN guide.places o ON o.id = l.place_id AND o.published WHERE l.photo_id = p.id
        UNION
        SELECT 'events/' || o.external_id AS name FROM guide.event_photos l JOIN guide.events o ON o.id = l.event_id AND o.published WHERE l.photo_id = p.id
        LIMIT 10) u) AS used
WHERE p.state = 'bad' AND used.used_by IS NOT NULL
ORDER BY p.id LIMIT @max_photos::bigint;
