-- name: DestinationID :one
SELECT id FROM relay.destinations WHERE name = $1;

-- name: AddDestination :one
INSERT INTO relay.destinations (name) VALUES ($1)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING id;

-- name: DeliveryID :one
SELECT id FROM relay.deliveries WHERE destination_id = $1 AND owner_id = $2 AND post_id = $3;

-- name: FollowMigration :exec
UPDATE relay.destinations SET migrated_to = $2 WHERE id = $1;

-- name: OweDelivery :one
INSERT INTO relay.deliveries (destination_id, owner_id, post_id, workflow_id, weight, status, reason, case_id, reply_to, stands_for, urgent, ask, ask_for, silence,
    wanted, wanted_at)
VALUES (@destination_id, @owner_id, @post_id, @workflow_id, @weight, @status, @reason, @case_id, @reply_to, @stands_for, @urgent, @ask, @ask_for, @silence,
    @wanted, CASE WHEN @wanted::boolean THEN now() END)
ON CONFLICT (destination_id, owner_id, post_id) DO NOTHING
RETURNING id;

-- name: UnstartedDeliveries :many
-- What is owed, due, and has no workflow yet, oldest first. The page is found
-- before anything is joined to it.
SELECT v.id, d.name AS destination, v.owner_id, v.post_id, v.wanted_at, p.type, p.animal, p.location
FROM (
    SELECT t.delivery_id, t.due_at FROM relay.deliveries_to_start t WHERE t.due_at <= now() ORDER BY t.due_at, t.delivery_id LIMIT @most
) s
JOIN relay.deliveries v ON v.id = s.delivery_id
JOIN relay.destinations d ON d.id = v.destination_id
JOIN relay.posts p USING (owner_id, post_id)
ORDER BY s.due_at, s.delivery_id;

-- name: SpaceOut :many
-- What this transaction has owed to go later is due one after the other at each
-- destination, behind what is spaced out there already, the newest post first.
WITH late AS (
    SELECT v.id, v.destination_id, row_number() OVER (PARTITION BY v.destination_id ORDER BY p.posted_at DESC, v.id) AS place
    FROM relay.deliveries v
    JOIN relay.posts p USING (owner_id, post_id)
    WHERE v.owner_id = @owner_id AND v.status = 'pending' AND NOT v.urgent AND v.created_at = now()
), before AS (
    SELECT v.destination_id, max(v.due_at) AS due_at
    FROM relay.deliveries v
    WHERE v.status = 'pending' AND NOT v.urgent AND v.due_at > now()
    GROUP BY v.destination_id
)
UPDATE relay.deliveries v
SET due_at = coalesce(b.due_at, now()) + l.place * @every::interval
FROM late l
JOIN relay.destinations d ON d.id = l.destination_id
LEFT JOIN before b ON b.destination_id = l.destination_id
WHERE v.id = l.id
RETURNING d.name AS destination, v.owner_id, v.post_id, v.due_at;

-- name: MarkStarted :exec
-- The run of one that was suppressed since it was read is to hear of that; one that
-- is sent already was sent by its run.
UPDATE relay.deliveries SET started_at = now(), untold = untold OR status = 'suppressed' WHERE id = ANY(@ids::bigint[]);

-- name: WaitingForPeople :many
-- Deliveries that wait for a person, those first whose workflow was not looked at for longest.
SELECT v.id, d.name AS destination, v.owner_id, v.post_id, v.wanted_at, p.type, p.animal, p.location, v.status, v.reason
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.status IN ('parked', 'unknown') AND (v.run_seen_at IS NULL OR v.run_seen_at < @seen_before::timestamptz)
ORDER BY v.run_seen_at NULLS FIRST, v.id
LIMIT @most;

-- name: RunsSeen :exec
-- The run of one that has come to rest since it was read is to hear of that.
UPDATE relay.deliveries SET run_seen_at = now(), untold = untold OR status IN ('sent', 'suppressed', 'failed') WHERE id = ANY(@ids::bigint[]);

-- name: DeliveriesNotAtRest :many
SELECT found.id, d.name AS destination, found.owner_id, found.post_id
FROM relay.destinations d
CROSS JOIN unnest(@waiting::text[]) AS asked(status)
CROSS JOIN LATERAL (
    SELECT v.id, v.owner_id, v.post_id FROM relay.deliveries v
    WHERE v.destination_id = d.id AND v.status = asked.status AND v.id > @after
    ORDER BY v.id
    LIMIT @most
) found
ORDER BY found.id
LIMIT @most;

-- name: UntoldDeliveries :many
-- Deliveries that came to rest while their workflows waited.
SELECT v.id, d.name AS destination, v.owner_id, v.post_id
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE v.untold
ORDER BY v.id
LIMIT @most;

-- name: MarkTold :exec
UPDATE relay.deliveries SET untold = false WHERE id = ANY(@ids::bigint[]);

-- name: OpenDelivery :one
SELECT v.id, v.status, v.reason, v.attempts, v.unknown_attempts, v.captcha, v.cut, v.wanted, v.words_first, v.first_attempt_at,
       greatest(v.due_at - now(), '0'::interval)::interval AS due_in, (v.due_at IS NOT NULL)::boolean AS put_off,
       d.id AS destination_id, d.migrated_to, d.names_refused, d.failed_turns, (d.paused_at IS NOT NULL)::boolean AS paused,
       coalesce((SELECT jsonb_agg(t.message_ids ORDER BY t.part) FROM relay.delivery_parts t WHERE t.delivery_id = v.id), '[]')::jsonb AS arrived,
       -- The first message of the delivery that this one answers, if it is in the chat that the destination is now.
       coalesce((SELECT t.message_ids[1]
                 FROM relay.delivery_parts t
                 WHERE t.delivery_id = v.reply_to AND t.part = 0 AND NOT t.gone AND t.chat_id IS NOT DISTINCT FROM d.migrated_to), 0)::bigint AS reply_to,
       EXISTS (SELECT FROM relay.delivery_attempts a WHERE a.delivery_id = v.id AND a.lease = @lease AND a.lease > 0 AND a.outcome = 'sent') AS lease_used,
       EXISTS (SELECT FROM relay.delivery_attempts a WHERE (a.destination_id = d.id OR a.delivery_id = v.id) AND a.finished_at IS NULL) AS in_flight
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE d.name = @destination AND v.owner_id = @owner_id AND v.post_id = @post_id;

-- name: AttemptsAtPart :one
-- What is uncertain about a part, and how often it was told to wait.
SELECT count(*) FILTER (WHERE outcome = 'unknown') AS unknown,
       count(*) FILTER (WHERE outcome = 'unknown' AND started_at > @acknowledged_at::timestamptz) AS unacknowledged,
       count(*) FILTER (WHERE outcome = 'unknown' AND started_at > @acknowledged_at::timestamptz AND code = 0) AS unanswered,
       count(*) FILTER (WHERE outcome = 'rate_limited') AS rate_limited,
       coalesce(min(started_at) FILTER (WHERE outcome = 'unknown'), now())::timestamptz AS first_unknown
FROM relay.delivery_attempts
WHERE delivery_id = @delivery_id AND part = @part;

-- name: CloseExpiredAttempts :execrows
-- A call whose deadline has passed without an answer: its worker died, and nobody can know.
WITH closed AS (
    UPDATE relay.delivery_attempts a
    SET finished_at = now(), outcome = 'unknown', error = 'the worker ended during the call'
    WHERE a.finished_at IS NULL AND (a.deadline IS NULL OR a.deadline < now())
      AND (a.delivery_id = @delivery_id OR a.destination_id = @destination_id::bigint)
    RETURNING a.delivery_id
)
UPDATE relay.deliveries v
SET unknown_attempts = v.unknown_attempts + c.attempts
FROM (SELECT closed.delivery_id, count(*)::int AS attempts FROM closed GROUP BY closed.delivery_id) c
WHERE v.id = c.delivery_id;

-- name: InFlightFor :one
SELECT coalesce(max(a.deadline - now()), '0'::interval)::interval AS left
FROM relay.delivery_attempts a
WHERE (a.destination_id = @destination_id OR a.delivery_id = @delivery_id) AND a.finished_at IS NULL;

-- name: BeginAttempt :one
-- Nothing begins if the delivery has changed since it was opened, its destination is
-- paused, or another call is in flight. An upload has no destination here: it bars no other call.
WITH wanted AS (
    SELECT v.id, v.destination_id, v.attempts
    FROM relay.deliveries v
    JOIN relay.destinations d ON d.id = v.destination_id
    WHERE v.id = @delivery_id AND v.status = @status AND v.attempts = @attempts AND v.unknown_attempts = @unknown_attempts AND d.paused_at IS NULL
    FOR UPDATE OF v
), begun AS (
    INSERT INTO relay.delivery_attempts (delivery_id, destination_id, part, number, rung, lease, deadline, kind, wordy, shown, photos)
    SELECT w.id, CASE WHEN NOT @upload::boolean THEN w.destination_id END, @part::int, w.attempts + 1, @rung::text, @lease::bigint, now() + @timeout::interval, @kind::text, @wordy::boolean,
           @shown::bytea, @photos::text[]
    FROM wanted w
    ON CONFLICT (destination_id) WHERE finished_at IS NULL DO NOTHING
    RETURNING delivery_id, number, started_at
)
UPDATE relay.deliveries v
SET status = 'sending', reason = '', attempts = b.number, cut = coalesce(v.cut, sqlc.narg('cut')),
    first_attempt_at = coalesce(v.first_attempt_at, now()),
    updated_at = CASE WHEN v.status = 'sending' THEN v.updated_at ELSE now() END
FROM begun b
WHERE v.id = b.delivery_id
RETURNING b.number, b.started_at;

-- name: RecordArrival :one
-- An attempt closes once, ids are added and not replaced, and what is final stays.
WITH delivery AS (
    SELECT v.id, v.destination_id, v.taken_back_at, d.migrated_to
    FROM relay.deliveries v
    JOIN relay.destinations d ON d.id = v.destination_id
    WHERE d.name = @destination AND v.owner_id = @owner_id AND v.post_id = @post_id
    FOR UPDATE OF v
), attempt AS (
    UPDATE relay.delivery_attempts a
    SET outcome = CASE WHEN a.finished_at IS NULL THEN 'sent' ELSE a.outcome END, finished_at = coalesce(a.finished_at, now()),
        message_ids = coalesce(a.message_ids, @message_ids::bigint[])
    FROM delivery
    WHERE a.delivery_id = delivery.id AND a.number = @number::int AND a.started_at = @began_at::timestamptz
    RETURNING a.kind, a.wordy, a.shown, a.photos
), arrived AS (
    INSERT INTO relay.delivery_parts (delivery_id, part, message_ids, kind, wordy, shown, photos, chat_id)
    SELECT delivery.id, @part::int, @message_ids::bigint[], coalesce(attempt.kind, @kind::text), coalesce(attempt.wordy, true), attempt.shown,
           coalesce(attempt.photos, '{}'), delivery.migrated_to
    FROM delivery LEFT JOIN attempt ON true
    ON CONFLICT (delivery_id, part) DO NOTHING
    RETURNING delivery_id
), removing AS ( -- it has arrived after it was taken back
    INSERT INTO relay.amendments (delivery_id, cause)
    SELECT delivery.id, 'taken_back' FROM delivery JOIN arrived ON arrived.delivery_id = delivery.id WHERE delivery.taken_back_at IS NOT NULL
    ON CONFLICT (delivery_id) WHERE status = 'pending' DO UPDATE SET revision = relay.amendments.revision + 1
), answering AS (
    UPDATE relay.destinations d
    SET failed_turns = 0, failing_since = NULL
    FROM delivery
    WHERE d.id = delivery.destination_id AND d.failed_turns > 0
)
UPDATE relay.deliveries v
SET status = CASE WHEN v.status IN ('sent', 'suppressed') THEN v.status WHEN @last::boolean THEN 'sent' ELSE 'sending' END,
    reason = CASE WHEN v.status = 'suppressed' THEN v.reason ELSE '' END, captcha = NULL,
    untold = v.untold OR v.status IN ('parked', 'unknown'),
    weight = greatest(@next_weight::int, 1),
    due_at = CASE WHEN v.words_first AND @part::int = 0 THEN now() + '1 minute'::interval END,
    cut = CASE WHEN @last::boolean THEN NULL ELSE v.cut END,
    sent_at = CASE WHEN @last::boolean THEN coalesce(v.sent_at, now()) ELSE v.sent_at END,
    updated_at = CASE WHEN v.status = 'sending' AND NOT @last::boolean THEN v.updated_at ELSE now() END
FROM delivery
WHERE v.id = delivery.id
RETURNING v.status;

-- name: CloseAttempt :one
UPDATE relay.delivery_attempts a
SET finished_at = now(), outcome = @outcome, code = @code, error = @error, retry_after = @retry_after
WHERE delivery_id = @delivery_id AND number = @number AND started_at = @began_at AND finished_at IS NULL
RETURNING destination_id;

-- name: ApplyEnding :one
-- What an attempt that did not arrive makes of its delivery.
UPDATE relay.deliveries
SET status = CASE WHEN status IN ('sent', 'suppressed') THEN status ELSE @status END,
    reason = CASE WHEN status IN ('sent', 'suppressed') THEN reason ELSE @reason END,
    captcha = @captcha, unknown_attempts = unknown_attempts + @unknown::int,
    updated_at = CASE WHEN status = @status THEN updated_at ELSE now() END
WHERE id = @id
RETURNING status;

-- name: FailedAlone :one
-- Reports whether a delivery keeps failing while others get through to its destination. A part
-- of its own that got through ends what failed before.
SELECT (count(*) >= @least::int AND EXISTS (
    SELECT FROM relay.deliveries o
    WHERE o.destination_id = @destination_id AND o.status = 'sent' AND o.sent_at > min(a.started_at) AND o.id <> @delivery_id
))::boolean AS alone
FROM relay.delivery_attempts a
WHERE a.delivery_id = @delivery_id AND a.outcome IN ('retry', 'unknown') AND a.started_at > greatest(@since::timestamptz, (
    SELECT max(s.started_at) FROM relay.delivery_attempts s WHERE s.delivery_id = @delivery_id AND s.outcome = 'sent'
));

-- name: GetDelivery :one
SELECT v.id, v.status, v.reason, v.captcha, v.wanted_at, v.destination_id, v.ask
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE d.name = @destination AND v.owner_id = @owner_id AND v.post_id = @post_id
FOR UPDATE OF v;

-- name: DeliveryStatus :one
SELECT v.status
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE d.name = @destination AND v.owner_id = @owner_id AND v.post_id = @post_id;

-- name: SetStatus :exec
UPDATE relay.deliveries
SET status = @status, reason = @reason, captcha = @captcha,
    cut = CASE WHEN @status::text IN ('sent', 'suppressed') THEN NULL ELSE cut END,
    sent_at = CASE WHEN @status::text = 'sent' THEN coalesce(sent_at, now()) ELSE sent_at END,
    started_at = CASE WHEN @status::text = 'pending' THEN NULL ELSE started_at END,
    wanted = wanted OR @status::text = 'pending',
    ask = CASE WHEN @status::text = 'pending' THEN '' ELSE ask END,
    due_at = CASE WHEN @status::text = 'pending' THEN NULL ELSE due_at END,
    wanted_at = CASE WHEN @status::text = 'pending' THEN now() ELSE wanted_at END,
    taken_back_at = CASE WHEN @status::text = 'pending' THEN NULL ELSE taken_back_at END,
    updated_at = now()
WHERE id = @id;

-- name: ListDeliveries :many
-- The branches that are not asked for cost nothing. Each of the others is a
-- range of an index, so that what is rare, or not there, is found as fast.
-- LIMIT 1 keeps a plan for any arguments from reading all deliveries: it takes the
-- page for a tenth of them.
WITH page AS (
    SELECT o.id FROM relay.deliveries o WHERE o.id = sqlc.narg('id')::bigint AND o.id >= @first AND o.id < @before
    UNION ALL
    SELECT o.id FROM relay.deliveries o
    WHERE o.owner_id = sqlc.narg('owner_id')::bigint AND o.post_id = sqlc.narg('post_id')::bigint AND o.id >= @first AND o.id < @before
    UNION ALL
    SELECT o.id FROM relay.deliveries o WHERE o.case_id = sqlc.narg('case_id')::bigint AND o.id >= @first AND o.id < @before
    UNION ALL
    SELECT o.id FROM (
        SELECT found.id
        FROM relay.destinations t
        CROSS JOIN unnest(@statuses::text[]) AS asked(status)
        CROSS JOIN LATERAL (
            SELECT f.id FROM relay.deliveries f
            WHERE f.destination_id = t.id AND f.status = asked.status AND f.id >= @first AND f.id < @before
            ORDER BY f.id DESC
            LIMIT @most
        ) found
        WHERE sqlc.narg('id')::bigint IS NULL AND sqlc.narg('post_id')::bigint IS NULL AND sqlc.narg('case_id')::bigint IS NULL
          AND sqlc.narg('type')::text IS NULL
          AND (sqlc.narg('destination')::text IS NULL OR t.name = sqlc.narg('destination'))
        ORDER BY found.id DESC
        LIMIT @most
    ) o
    UNION ALL
    SELECT o.id FROM (
        SELECT found.id
        FROM relay.destinations t
        CROSS JOIN unnest(@statuses::text[]) AS asked(status)
        CROSS JOIN LATERAL (
            SELECT f.id FROM relay.deliveries f
            WHERE f.destination_id = t.id AND f.status = asked.status AND f.post_type = sqlc.narg('type')::text AND f.id >= @first AND f.id < @before
            ORDER BY f.id DESC
            LIMIT @most
        ) found
        WHERE sqlc.narg('id')::bigint IS NULL AND sqlc.narg('post_id')::bigint IS NULL AND sqlc.narg('case_id')::bigint IS NULL
          AND sqlc.narg('type')::text IS NOT NULL
          AND (sqlc.narg('destination')::text IS NULL OR t.name = sqlc.narg('destination'))
        ORDER BY found.id DESC
        LIMIT @most
    ) o
)
SELECT v.id, d.name AS destination, v.owner_id, v.post_id, p.type, v.case_id, v.status, v.reason, v.attempts,
       v.unknown_attempts, v.workflow_id, v.created_at, v.sent_at, v.captcha, v.reply_to, v.stands_for, v.taken_back_at,
       v.ask, v.ask_for, v.silence, v.updated_at,
       (v.status = 'pending' AND d.paused_at IS NOT NULL)::boolean AS held,
       p.posted_at, p.animal, p.name, p.location, coalesce(p.photos -> 0, 'null')::jsonb AS photo, coalesce(w.name, '')::text AS wall,
       ARRAY(SELECT unnest(m.message_ids) FROM relay.delivery_parts m WHERE m.delivery_id = v.id ORDER BY m.part)::bigint[] AS message_ids
FROM page
CROSS JOIN LATERAL (SELECT i.* FROM relay.deliveries i WHERE i.id = page.id LIMIT 1) v
JOIN relay.destinations d ON d.id = v.destination_id
CROSS JOIN LATERAL (SELECT o.* FROM relay.posts o WHERE o.owner_id = v.owner_id AND o.post_id = v.post_id LIMIT 1) p
LEFT JOIN relay.walls w ON w.owner_id = v.owner_id
WHERE v.status = ANY(@statuses::text[])
  AND (sqlc.narg('destination')::text IS NULL OR d.name = sqlc.narg('destination'))
  AND (sqlc.narg('type')::text IS NULL OR v.post_type = sqlc.narg('type'))
ORDER BY v.id DESC
LIMIT @most;

-- name: ListAttempts :many
SELECT part, number, started_at, finished_at, outcome, code, error, retry_after, rung
FROM relay.delivery_attempts
WHERE delivery_id = $1
ORDER BY number;

-- name: CountDeliveries :many
-- Those that rest are not counted, their tallies are.
SELECT asked.status::text AS status, sum(waiting.deliveries)::bigint AS deliveries, coalesce(min(waiting.oldest), now())::timestamptz AS oldest
FROM relay.destinations d
CROSS JOIN unnest(@waiting::text[]) AS asked(status)
CROSS JOIN LATERAL (
    SELECT count(*) AS deliveries, (
        SELECT f.created_at FROM relay.deliveries f WHERE f.destination_id = d.id AND f.status = asked.status ORDER BY f.id LIMIT 1
    ) AS oldest
    FROM relay.deliveries v
    WHERE v.destination_id = d.id AND v.status = asked.status
) waiting
GROUP BY asked.status
UNION ALL
SELECT status, sum(change)::bigint, now() FROM relay.delivery_tallies GROUP BY status;

-- name: FoldTallies :exec
WITH folded AS (
    DELETE FROM relay.delivery_tallies RETURNING status, change
)
INSERT INTO relay.delivery_tallies (status, change) SELECT status, sum(change) FROM folded GROUP BY status;

-- name: CountWithPeople :many
-- Deliveries that wait for a person, by what for.
SELECT d.name AS destination, v.status, v.reason, count(*)::int AS deliveries, min(v.updated_at)::timestamptz AS since
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE v.status IN ('parked', 'unknown')
GROUP BY d.name, v.status, v.reason
ORDER BY d.name, v.status, v.reason;

-- name: SentSince :one
SELECT coalesce(sum(sent.deliveries), 0)::bigint AS deliveries, coalesce(sum(sent.uncertain), 0)::bigint AS uncertain
FROM relay.destinations d
CROSS JOIN LATERAL (
    SELECT count(*) AS deliveries, sum(v.unknown_attempts) AS uncertain
    FROM relay.deliveries v
    WHERE v.destination_id = d.id AND v.status = 'sent' AND v.sent_at >= $1
) sent;

-- name: LowerPhoto :exec
INSERT INTO relay.delivery_photos (delivery_id, photo, rung) VALUES ($1, $2, $3)
ON CONFLICT (delivery_id, photo) DO UPDATE SET rung = greatest(relay.delivery_photos.rung, excluded.rung);

-- name: WordsFirst :exec
-- The words go alone, and the photos follow: what was cut otherwise is cut anew.
UPDATE relay.deliveries SET words_first = true, cut = NULL WHERE id = $1;

-- name: PutOff :exec
UPDATE relay.deliveries SET due_at = now() + @wait::interval WHERE id = @id;

-- name: PhotoRungs :many
SELECT photo, rung FROM relay.delivery_photos WHERE delivery_id = $1;

-- name: SavePhoto :exec
INSERT INTO relay.delivery_photos (delivery_id, photo, source, saved) VALUES ($1, $2, $3, $4)
ON CONFLICT (delivery_id, photo) DO UPDATE SET source = excluded.source, saved = excluded.saved;

-- name: SavedPhotos :many
SELECT photo, source, saved FROM relay.delivery_photos WHERE delivery_id = $1 AND saved <> '';

-- name: RefuseNames :exec
UPDATE relay.destinations SET names_refused = true WHERE id = $1;

-- name: RefuseLink :exec
INSERT INTO relay.refused_links (link) VALUES ($1)
ON CONFLICT (link) DO UPDATE SET refused_at = now();

-- name: ForgetLinks :exec
DELETE FROM relay.refused_links WHERE refused_at < $1;

-- name: RefusedLinks :many
SELECT link FROM relay.refused_links WHERE link = ANY(@links::bytea[]) AND refused_at >= @since;

-- name: AnswerForNobody :execrows
-- What was to be approved, and nobody has in time, goes or does not, as its rule says.
UPDATE relay.deliveries
SET status = CASE silence WHEN 'publish' THEN 'pending' ELSE 'suppressed' END,
    reason = CASE silence WHEN 'publish' THEN '' ELSE @reason::text END,
    ask = CASE silence WHEN 'publish' THEN '' ELSE ask END,
    wanted = wanted OR silence = 'publish', wanted_at = CASE silence WHEN 'publish' THEN now() ELSE wanted_at END,
    started_at = CASE silence WHEN 'publish' THEN NULL ELSE started_at END,
    untold = silence <> 'publish', updated_at = now()
WHERE status = 'parked' AND ask <> '' AND updated_at + ask_for < now();

-- name: CountWaiting :one
-- How many deliveries wait for a person, and have since a time, and as of when by
-- the database's clock.
SELECT count(*)::int AS deliveries, now()::timestamptz AS as_of
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE v.status IN ('parked', 'unknown') AND (sqlc.narg('status')::text IS NULL OR v.status = sqlc.narg('status'))
  AND (sqlc.narg('destination')::text IS NULL OR d.name = sqlc.narg('destination'))
  AND (sqlc.narg('type')::text IS NULL OR v.post_type = sqlc.narg('type')) AND v.id >= @first AND v.id < @before
  AND v.updated_at <= coalesce(sqlc.narg('as_of')::timestamptz, now());

-- name: WaitingSince :many
-- The oldest of those that have waited for a person since a time.
SELECT v.id
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE v.status IN ('parked', 'unknown') AND (sqlc.narg('status')::text IS NULL OR v.status = sqlc.narg('status')) AND v.updated_at <= @as_of::timestamptz
  AND (sqlc.narg('destination')::text IS NULL OR d.name = sqlc.narg('destination'))
  AND (sqlc.narg('type')::text IS NULL OR v.post_type = sqlc.narg('type')) AND v.id >= @first AND v.id < @before
ORDER BY v.id
LIMIT @most;

-- name: OpenWhereWaiting :many
-- Ends the pauses of destinations where something has waited for a person since a time.
UPDATE relay.destinations d
SET paused_at = NULL, paused_by = '', pause_reason = '', paused_delivery = NULL
WHERE d.paused_at IS NOT NULL AND (sqlc.narg('destination')::text IS NULL OR d.name = sqlc.narg('destination'))
  AND EXISTS (
    SELECT FROM relay.deliveries v
    WHERE v.destination_id = d.id AND v.status IN ('parked', 'unknown') AND (sqlc.narg('status')::text IS NULL OR v.status = sqlc.narg('status'))
      AND (sqlc.narg('type')::text IS NULL OR v.post_type = sqlc.narg('type')) AND v.id >= @first AND v.id < @before AND v.updated_at <= @as_of::timestamptz)
RETURNING d.name;

-- name: FirstDeliverySince :one
SELECT relay.first_delivery_since(@since)::bigint;
