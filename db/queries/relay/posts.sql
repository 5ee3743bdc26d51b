-- name: GetPost :one
SELECT * FROM relay.posts WHERE owner_id = $1 AND post_id = $2;

-- name: KnownPosts :many
SELECT post_id, content_hash FROM relay.posts WHERE owner_id = $1 AND post_id = ANY(@post_ids::bigint[]);

-- name: UpsertPost :one
INSERT INTO relay.posts (owner_id, post_id, from_id, posted_at, edited_at, text, reposts, origin_owner_id, origin_post_id,
    photos, attachments, link, content_hash, type, animal, sex, name, phones, location, when_said, contacts, reading, ruleset_version)
VALUES (@owner_id, @post_id, @from_id, @posted_at, @edited_at, @text, @reposts, @origin_owner_id, @origin_post_id,
    @photos, @attachments, @link, @content_hash, @type, @animal, @sex, @name, @phones, @location, @when_said, @contacts, @reading, @ruleset_version)
ON CONFLICT (owner_id, post_id) DO UPDATE SET
    from_id = excluded.from_id, posted_at = excluded.posted_at, edited_at = excluded.edited_at, text = excluded.text,
    reposts = excluded.reposts, origin_owner_id = excluded.origin_owner_id, origin_post_id = excluded.origin_post_id,
    photos = excluded.photos, attachments = excluded.attachments, link = excluded.link, content_hash = excluded.content_hash,
    type = excluded.type, animal = excluded.animal, sex = excluded.sex, name = excluded.name, phones = excluded.phones,
    location = excluded.location, when_said = excluded.when_said, contacts = excluded.contacts, reading = excluded.reading,
    ruleset_version = excluded.ruleset_version, deleted_at = NULL, updated_at = now()
WHERE relay.posts.content_hash <> excluded.content_hash
RETURNING (xmax = 0)::boolean AS created;
