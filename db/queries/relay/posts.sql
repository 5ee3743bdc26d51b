-- name: GetPost :one
SELECT sqlc.embed(p), (c.closed_at IS NOT NULL)::boolean AS case_closed,
       EXISTS (SELECT FROM relay.posts o WHERE o.case_id = p.case_id AND NOT (o.owner_id = p.owner_id AND o.post_id = p.post_id)) AS has_others
FROM relay.posts p
LEFT JOIN relay.cases c ON c.id = p.case_id
WHERE p.owner_id = $1 AND p.post_id = $2;

-- name: KnownPosts :many
SELECT post_id, content_hash FROM relay.posts WHERE owner_id = $1 AND post_id = ANY(@post_ids::bigint[]);

-- name: StorePost :one
-- Writes a post once: with its case, which it may open, and the keys by which
-- posts of the same case find it.
WITH opened AS (
    INSERT INTO relay.cases (note) SELECT '' WHERE sqlc.narg('case_id')::bigint IS NULL RETURNING id
), stored AS (
    INSERT INTO relay.posts (owner_id, post_id, from_id, posted_at, edited_at, text, reposts, parents, origin_owner_id, origin_post_id, photos, attachments, link,
        content_hash, type, animal, sex, name, phones, location, when_said, contacts, reading, ruleset_version, fingerprint, case_id, case_reason, rules)
    VALUES (@owner_id, @post_id, @from_id, @posted_at, @edited_at, @text, @reposts, @parents, @origin_owner_id, @origin_post_id, @photos, @attachments, @link,
        @content_hash, @type, @animal, @sex, @name, @phones, @location, @when_said, @contacts, @reading, @ruleset_version, @fingerprint,
        coalesce(sqlc.narg('case_id')::bigint, (SELECT opened.id FROM opened)), @case_reason, @rules)
    ON CONFLICT (owner_id, post_id) DO UPDATE SET
        from_id = excluded.from_id, posted_at = excluded.posted_at, edited_at = excluded.edited_at, text = excluded.text,
        reposts = excluded.reposts, parents = excluded.parents, origin_owner_id = excluded.origin_owner_id, origin_post_id = excluded.origin_post_id,
        photos = excluded.photos, attachments = excluded.attachments, link = excluded.link, content_hash = excluded.content_hash,
        type = CASE WHEN relay.posts.type_by_hand THEN relay.posts.type ELSE excluded.type END, animal = excluded.animal, sex = excluded.sex, name = excluded.name, phones = excluded.phones,
        location = excluded.location, when_said = excluded.when_said, contacts = excluded.contacts, reading = excluded.reading,
        ruleset_version = excluded.ruleset_version, fingerprint = excluded.fingerprint,
        case_id = coalesce(relay.posts.case_id, excluded.case_id),
        case_reason = CASE WHEN relay.posts.case_id IS NULL THEN excluded.case_reason ELSE relay.posts.case_reason END,
        rules = CASE WHEN relay.posts.type <> excluded.type THEN excluded.rules ELSE relay.posts.rules END,
        deleted_at = NULL, blanked_at = NULL, updated_at = now()
    WHERE (relay.posts.content_hash <> excluded.content_hash OR relay.posts.deleted_at IS NOT NULL) AND NOT relay.posts.forgotten
    RETURNING case_id, (xmax = 0)::boolean AS created
), keyed AS (
    INSERT INTO relay.case_keys (key, posted_at, owner_id, post_id)
    SELECT DISTINCT k.key, @posted_at::timestamptz, @owner_id::bigint, @post_id::bigint FROM unnest(@keys::bigint[]) AS k(key), stored
    ON CONFLICT DO NOTHING
)
SELECT stored.case_id::bigint AS case_id, stored.created FROM stored;

-- name: MissingPosts :many
-- Posts of a wall that a reading should have met and did not.
SELECT p.post_id FROM relay.posts p
WHERE p.owner_id = @owner_id AND p.posted_at BETWEEN @since AND @until AND p.deleted_at IS NULL AND NOT p.post_id = ANY(@seen::bigint[])
  AND NOT EXISTS (SELECT FROM relay.post_checks c
                  WHERE c.owner_id = p.owner_id AND c.post_id = p.post_id AND c.checked_at >= @checked_before::timestamptz)
ORDER BY p.posted_at DESC
LIMIT @most;

-- name: PostsToCheck :many
-- Posts of a wall that were told somewhere, or were to be until they were gone,
-- and were not looked at for a while.
SELECT p.post_id FROM relay.posts p
LEFT JOIN relay.post_checks c ON c.owner_id = p.owner_id AND c.post_id = p.post_id
WHERE p.owner_id = @owner_id AND p.posted_at > @since AND (p.deleted_at IS NULL OR p.deleted_at > @deleted_since::timestamptz)
  AND NOT p.post_id = ANY(@seen::bigint[]) AND coalesce(c.checked_at, p.stored_at) < @checked_before::timestamptz
  AND EXISTS (SELECT FROM relay.deliveries v WHERE v.owner_id = p.owner_id AND v.post_id = p.post_id
              AND (v.status = 'sent' OR v.status = 'suppressed' AND v.reason = @given_up))
ORDER BY coalesce(c.checked_at, p.stored_at)
LIMIT @most;

-- name: PostsChecked :exec
INSERT INTO relay.post_checks AS c (owner_id, post_id, checked_at, missed_at)
SELECT DISTINCT @owner_id::bigint, look.id, now(), CASE WHEN look.id = ANY(@missing::bigint[]) THEN now() END
FROM unnest(@post_ids::bigint[]) AS look(id)
ON CONFLICT (owner_id, post_id) DO UPDATE
SET checked_at = now(), missed_at = CASE
    WHEN c.post_id = ANY(@missing::bigint[]) THEN coalesce(c.missed_at, now())
    WHEN NOT c.post_id = ANY(@standing::bigint[]) THEN c.missed_at
END;

-- name: PostsSeen :exec
UPDATE relay.post_checks SET missed_at = NULL
WHERE owner_id = @owner_id AND post_id = ANY(@post_ids::bigint[]) AND missed_at IS NOT NULL;

-- name: DeletePosts :many
UPDATE relay.posts p SET deleted_at = now(), updated_at = now()
FROM relay.post_checks c
WHERE c.owner_id = p.owner_id AND c.post_id = p.post_id AND c.missed_at <= @missed_before::timestamptz
  AND p.owner_id = @owner_id AND p.post_id = ANY(@post_ids::bigint[]) AND p.deleted_at IS NULL
RETURNING p.post_id, p.case_id;

-- name: PostsAfter :many
-- All posts, page by page, for reading them again.
SELECT * FROM relay.posts
WHERE (owner_id, post_id) > (@owner_id::bigint, @post_id::bigint) AND blanked_at IS NULL
ORDER BY owner_id, post_id
LIMIT @most;

-- name: RereadPost :execrows
-- Nothing where the post is edited, blanked or of a type set by hand meanwhile.
UPDATE relay.posts
SET type = @type, animal = @animal, sex = @sex, name = @name, phones = @phones, location = @location, when_said = @when_said,
    contacts = @contacts, reading = @reading, ruleset_version = @ruleset_version, fingerprint = @fingerprint, updated_at = now()
WHERE owner_id = @owner_id AND post_id = @post_id AND content_hash = @content_hash AND blanked_at IS NULL AND (NOT type_by_hand OR type = @type);

-- name: SetPostType :execrows
UPDATE relay.posts SET type = @type, type_by_hand = true, fingerprint = @fingerprint, rules = @rules, updated_at = now()
WHERE owner_id = @owner_id AND post_id = @post_id AND content_hash = @content_hash AND blanked_at IS NULL;

-- name: RulesDecided :exec
UPDATE relay.posts SET rules = @rules WHERE owner_id = @owner_id AND post_id = ANY(@post_ids::bigint[]) AND rules <> @rules;

-- name: KeepRules :exec
INSERT INTO relay.rules (version, text) VALUES (@version, @text) ON CONFLICT DO NOTHING;

-- name: GetRules :one
SELECT text, first_used_at FROM relay.rules WHERE version = @version;

-- name: PostsWritten :many
-- Posts that stand, in the order of writing, page by page.
SELECT p.* FROM relay.posts p
WHERE p.posted_at >= @since::timestamptz AND (p.posted_at, p.owner_id, p.post_id) > (@since, @after_owner::bigint, @after_post::bigint)
  AND p.deleted_at IS NULL AND p.blanked_at IS NULL
ORDER BY p.posted_at, p.owner_id, p.post_id
LIMIT @most;

-- name: PostsNeverOwed :many
-- Posts of a wall that stand, are not blanked and have no delivery, in the order of writing.
SELECT sqlc.embed(p), (c.closed_at IS NOT NULL)::boolean AS case_closed
FROM relay.posts p
JOIN relay.cases c ON c.id = p.case_id
WHERE p.owner_id = @owner_id AND p.posted_at >= @since AND p.deleted_at IS NULL AND p.blanked_at IS NULL
  AND NOT EXISTS (SELECT FROM relay.deliveries v WHERE v.owner_id = p.owner_id AND v.post_id = p.post_id)
ORDER BY p.posted_at, p.post_id;

-- name: PlanAsAsked :exec
-- For a transaction whose queries differ much by what is asked: a plan for
-- anything would be a bad one for most.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: ListPosts :many
-- The newest first. The branches that are not asked for cost nothing, and each of
-- the others is a range of an index. Words that every tenth post has are found
-- among the latest thousand: their index would name a part of all posts first.
WITH latest AS MATERIALIZED (
    SELECT t.owner_id, t.post_id, t.posted_at
    FROM (SELECT o.owner_id, o.post_id, o.posted_at, o.type, o.name, o.location FROM relay.posts o
          WHERE sqlc.narg('words')::text IS NOT NULL
            AND o.posted_at >= @since::timestamptz AND o.posted_at <= @until::timestamptz
            AND (o.posted_at, o.owner_id, o.post_id) < (@until::timestamptz, @before_owner::bigint, @before_post::bigint)
          ORDER BY o.posted_at DESC, o.owner_id DESC, o.post_id DESC LIMIT 1000) t
    WHERE (sqlc.narg('type')::text IS NULL OR t.type = sqlc.narg('type')::text)
      AND to_tsvector('pg_catalog.russian', translate(t.name || ' ' || t.location, 'ёЁ', 'еЕ')) @@ to_tsquery('pg_catalog.russian', sqlc.narg('words')::text)
    ORDER BY t.posted_at DESC, t.owner_id DESC, t.post_id DESC LIMIT @most
), page AS (
    (SELECT o.owner_id, o.post_id, o.posted_at FROM relay.posts o
     WHERE NOT @searched::boolean AND sqlc.narg('type')::text IS NULL
       AND o.posted_at >= @since::timestamptz AND o.posted_at <= @until::timestamptz
       AND (o.posted_at, o.owner_id, o.post_id) < (@until::timestamptz, @before_owner::bigint, @before_post::bigint)
     ORDER BY o.posted_at DESC, o.owner_id DESC, o.post_id DESC LIMIT @most)
    UNION ALL
    (SELECT o.owner_id, o.post_id, o.posted_at FROM relay.posts o
     WHERE NOT @searched::boolean AND o.type = sqlc.narg('type')::text
       AND o.posted_at >= @since::timestamptz AND o.posted_at <= @until::timestamptz
       AND (o.posted_at, o.owner_id, o.post_id) < (@until::timestamptz, @before_owner::bigint, @before_post::bigint)
     ORDER BY o.posted_at DESC, o.owner_id DESC, o.post_id DESC LIMIT @most)
    UNION ALL
    (SELECT o.owner_id, o.post_id, o.posted_at FROM relay.posts o
     WHERE o.phones && sqlc.narg('phones')::text[]
       AND (sqlc.narg('type')::text IS NULL OR o.type = sqlc.narg('type')::text)
       AND o.posted_at >= @since::timestamptz AND o.posted_at <= @until::timestamptz
       AND (o.posted_at, o.owner_id, o.post_id) < (@until::timestamptz, @before_owner::bigint, @before_post::bigint)
     ORDER BY o.posted_at DESC, o.owner_id DESC, o.post_id DESC LIMIT @most)
    UNION ALL
    SELECT l.owner_id, l.post_id, l.posted_at FROM latest l WHERE (SELECT count(*) FROM latest) >= @most
    UNION ALL
    (SELECT o.owner_id, o.post_id, o.posted_at FROM relay.posts o
     WHERE to_tsvector('pg_catalog.russian', translate(o.name || ' ' || o.location, 'ёЁ', 'еЕ')) @@ to_tsquery('pg_catalog.russian', sqlc.narg('words')::text)
       AND (SELECT count(*) FROM latest) < @most
       AND (sqlc.narg('type')::text IS NULL OR o.type = sqlc.narg('type')::text)
       AND o.posted_at >= @since::timestamptz AND o.posted_at <= @until::timestamptz
       AND (o.posted_at, o.owner_id, o.post_id) < (@until::timestamptz, @before_owner::bigint, @before_post::bigint)
     ORDER BY o.posted_at DESC, o.owner_id DESC, o.post_id DESC LIMIT @most)
)
SELECT p.owner_id, p.post_id, p.posted_at, p.type, p.animal, p.name, p.location, coalesce(p.photos -> 0, 'null')::jsonb AS photo,
       coalesce(w.name, '')::text AS wall, (p.deleted_at IS NOT NULL)::boolean AS deleted,
       ARRAY(SELECT DISTINCT v.status FROM relay.deliveries v WHERE v.owner_id = p.owner_id AND v.post_id = p.post_id ORDER BY v.status)::text[] AS statuses
FROM page
JOIN relay.posts p ON p.owner_id = page.owner_id AND p.post_id = page.post_id
LEFT JOIN relay.walls w ON w.owner_id = p.owner_id
ORDER BY p.posted_at DESC, p.owner_id DESC, p.post_id DESC
LIMIT @most;
