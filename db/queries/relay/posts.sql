-- name: GetPost :one
SELECT sqlc.embed(p), (c.closed_at IS NOT NULL)::boolean AS case_closed
FROM relay.posts p
LEFT JOIN relay.cases c ON c.id = p.case_id
WHERE p.owner_id = $1 AND p.post_id = $2;

-- name: KnownPosts :many
SELECT post_id, content_hash FROM relay.posts WHERE owner_id = $1 AND post_id = ANY(@post_ids::bigint[]);

-- name: UpsertPost :one
INSERT INTO relay.posts (owner_id, post_id, from_id, posted_at, edited_at, text, reposts, origin_owner_id, origin_post_id,
    photos, attachments, link, content_hash, type, animal, sex, name, phones, location, when_said, contacts, reading, ruleset_version, fingerprint)
VALUES (@owner_id, @post_id, @from_id, @posted_at, @edited_at, @text, @reposts, @origin_owner_id, @origin_post_id,
    @photos, @attachments, @link, @content_hash, @type, @animal, @sex, @name, @phones, @location, @when_said, @contacts, @reading, @ruleset_version, @fingerprint)
ON CONFLICT (owner_id, post_id) DO UPDATE SET
    from_id = excluded.from_id, posted_at = excluded.posted_at, edited_at = excluded.edited_at, text = excluded.text,
    reposts = excluded.reposts, origin_owner_id = excluded.origin_owner_id, origin_post_id = excluded.origin_post_id,
    photos = excluded.photos, attachments = excluded.attachments, link = excluded.link, content_hash = excluded.content_hash,
    type = excluded.type, animal = excluded.animal, sex = excluded.sex, name = excluded.name, phones = excluded.phones,
    location = excluded.location, when_said = excluded.when_said, contacts = excluded.contacts, reading = excluded.reading,
    ruleset_version = excluded.ruleset_version, fingerprint = excluded.fingerprint, deleted_at = NULL, missed_at = NULL, updated_at = now()
WHERE relay.posts.content_hash <> excluded.content_hash OR relay.posts.deleted_at IS NOT NULL
RETURNING (xmax = 0)::boolean AS created;

-- name: MissingPosts :many
-- Posts of a wall that a reading should have met and did not.
SELECT post_id FROM relay.posts
WHERE owner_id = @owner_id AND posted_at BETWEEN @since AND @until AND deleted_at IS NULL
  AND NOT post_id = ANY(@seen::bigint[]) AND (checked_at IS NULL OR checked_at < @checked_before::timestamptz)
ORDER BY posted_at DESC
LIMIT @most;

-- name: PostsToCheck :many
-- Posts of a wall that were told somewhere and were not looked at for a while.
SELECT p.post_id FROM relay.posts p
WHERE p.owner_id = @owner_id AND p.posted_at > @since AND p.deleted_at IS NULL
  AND NOT p.post_id = ANY(@seen::bigint[]) AND coalesce(p.checked_at, p.stored_at) < @checked_before::timestamptz
  AND EXISTS (SELECT FROM relay.deliveries v WHERE v.owner_id = p.owner_id AND v.post_id = p.post_id AND v.status = 'sent')
ORDER BY coalesce(p.checked_at, p.stored_at)
LIMIT @most;

-- name: PostsChecked :exec
UPDATE relay.posts
SET checked_at = now(), missed_at = CASE
    WHEN post_id = ANY(@missing::bigint[]) THEN coalesce(missed_at, now())
    WHEN NOT post_id = ANY(@standing::bigint[]) THEN missed_at
END
WHERE owner_id = @owner_id AND post_id = ANY(@post_ids::bigint[]);

-- name: PostsSeen :exec
UPDATE relay.posts SET missed_at = NULL
WHERE owner_id = @owner_id AND post_id = ANY(@post_ids::bigint[]) AND missed_at IS NOT NULL;

-- name: DeletePosts :many
UPDATE relay.posts SET deleted_at = now(), updated_at = now()
WHERE owner_id = @owner_id AND post_id = ANY(@post_ids::bigint[]) AND missed_at <= @missed_before::timestamptz AND deleted_at IS NULL
RETURNING post_id;

-- name: PostsAfter :many
-- All posts, page by page, for reading them again.
SELECT * FROM relay.posts
WHERE (owner_id, post_id) > (@owner_id::bigint, @post_id::bigint)
ORDER BY owner_id, post_id
LIMIT @most;

-- name: RereadPost :exec
UPDATE relay.posts
SET type = @type, animal = @animal, sex = @sex, name = @name, phones = @phones, location = @location, when_said = @when_said,
    contacts = @contacts, reading = @reading, ruleset_version = @ruleset_version, fingerprint = @fingerprint, updated_at = now()
WHERE owner_id = @owner_id AND post_id = @post_id AND content_hash = @content_hash;
