-- name: PostsToBlank :many
-- A page of the posts that are due, after one of them, and whether each waits until
-- its messages say what they are to say: of those that were deleted at the source,
-- or of those from before a time.
SELECT p.owner_id, p.post_id, p.posted_at, p.fingerprint, due.at::timestamptz AS at, EXISTS (
    SELECT FROM relay.deliveries v
    WHERE v.owner_id = p.owner_id AND v.post_id = p.post_id
      AND (v.status IN ('pending', 'sending')
        OR v.status NOT IN ('parked', 'unknown') AND EXISTS (SELECT FROM relay.amendments a WHERE a.delivery_id = v.id AND a.status = 'pending'))
)::boolean AS waits
FROM (
    (SELECT d.owner_id, d.post_id, d.deleted_at AS at FROM relay.posts d
     WHERE @deleted::boolean AND d.blanked_at IS NULL
       AND d.deleted_at >= @after::timestamptz AND (d.deleted_at, d.owner_id, d.post_id) > (@after, @owner_id::bigint, @post_id::bigint)
     ORDER BY d.deleted_at, d.owner_id, d.post_id LIMIT @most)
    UNION ALL
    (SELECT o.owner_id, o.post_id, o.posted_at FROM relay.posts o
     WHERE NOT @deleted AND o.blanked_at IS NULL AND o.posted_at < @before::timestamptz
       AND o.posted_at >= @after AND (o.posted_at, o.owner_id, o.post_id) > (@after, @owner_id, @post_id)
     ORDER BY o.posted_at, o.owner_id, o.post_id LIMIT @most)
) due
JOIN relay.posts p USING (owner_id, post_id)
ORDER BY due.at, p.owner_id, p.post_id
FOR UPDATE OF p SKIP LOCKED;

-- name: BlankPosts :exec
WITH RECURSIVE blanked AS (
    UPDATE relay.posts p
    SET text = '', reposts = '{}', parents = '[]', from_id = 0, origin_owner_id = NULL, origin_post_id = NULL, photos = '[]', attachments = '[]',
        name = '', phones = '{}', location = '', when_said = '', contacts = '{}', reading = jsonb_build_object('Type', p.type),
        fingerprint = NULL, case_reason = '', blanked_at = coalesce(p.blanked_at, now()), forgotten = p.forgotten OR @forgotten::boolean, updated_at = now()
    WHERE (p.owner_id, p.post_id) IN (SELECT unnest(@owner_ids::bigint[]), unnest(@post_ids::bigint[]))
    RETURNING p.owner_id, p.post_id, p.case_id
), cut AS ( -- a delivery keeps the words of parts that are yet to be sent, and a link to a captcha
    UPDATE relay.deliveries v
    SET cut = NULL, captcha = NULL
    FROM blanked
    WHERE v.owner_id = blanked.owner_id AND v.post_id = blanked.post_id AND (v.cut IS NOT NULL OR v.captcha IS NOT NULL)
), ended AS ( -- cases of which nothing is kept, and those that were joined to them
    SELECT e.case_id AS id FROM blanked e
    WHERE NOT EXISTS (
        SELECT FROM relay.posts o
        WHERE o.case_id = e.case_id AND o.blanked_at IS NULL AND NOT EXISTS (SELECT FROM blanked b WHERE b.owner_id = o.owner_id AND b.post_id = o.post_id)
    )
    UNION
    SELECT j.id FROM relay.cases j JOIN ended ON j.joined_to = ended.id
)
UPDATE relay.cases c SET note = '' WHERE c.note <> '' AND c.id IN (SELECT ended.id FROM ended);

-- name: PostsToForget :many
-- A post and what reposts it; what a person wrote and what reposts them; what
-- names a phone. What is not asked for is 0 or ''. key is that of the post, as an
-- origin, or of the phone among the keys of cases.
SELECT p.owner_id, p.post_id, p.posted_at, p.type, p.case_id, p.fingerprint, p.forgotten
FROM relay.posts p
WHERE (p.owner_id, p.post_id) IN (
    SELECT @owner_id::bigint, @post_id::bigint
    UNION
    SELECT a.owner_id, a.post_id FROM relay.posts a WHERE a.from_id = @author::bigint AND a.from_id > 0
    UNION
    SELECT r.owner_id, r.post_id FROM relay.posts r WHERE r.origin_owner_id = @author AND r.origin_owner_id > 0
    UNION
    SELECT k.owner_id, k.post_id
    FROM relay.case_keys k
    JOIN relay.posts q USING (owner_id, post_id)
    WHERE k.key = @key AND (q.phones @> ARRAY[@phone::text] OR q.origin_owner_id = @owner_id AND q.origin_post_id = @post_id)
)
ORDER BY p.owner_id, p.post_id;

-- name: CopiesOfPosts :many
-- What was sent about posts, or may be, and what became of its removal.
SELECT v.id, d.name AS destination, d.migrated_to, v.owner_id, v.post_id, v.status, v.unknown_attempts,
       (v.taken_back_at IS NOT NULL)::boolean AS taken_back,
       ARRAY(SELECT unnest(t.message_ids) FROM relay.delivery_parts t WHERE t.delivery_id = v.id ORDER BY t.part)::bigint[] AS message_ids,
       coalesce(a.status, '')::text AS removal, coalesce(a.error, '')::text AS removal_error
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
LEFT JOIN LATERAL (
    SELECT m.status, m.error FROM relay.amendments m WHERE m.delivery_id = v.id AND m.cause = 'taken_back' ORDER BY m.id DESC LIMIT 1
) a ON true
WHERE (v.owner_id, v.post_id) IN (SELECT unnest(@owner_ids::bigint[]), unnest(@post_ids::bigint[]))
  AND (v.attempts > 0 OR v.status IN ('pending', 'parked'))
ORDER BY v.id;
