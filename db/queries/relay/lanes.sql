-- name: Lane :one
-- What holds for a destination now. Times are told as spans, so that no other clock matters.
SELECT d.id, d.paused_at, d.paused_by, d.pause_reason, d.paused_delivery, d.cool_reason, d.failed_turns, d.failing_since,
       greatest(d.cooling_until - now(), '0'::interval)::interval AS cool_for,
       d.rate_per_second, d.rate_per_minute, d.configured_per_second, d.configured_per_minute,
       greatest((SELECT a.deadline - now() FROM relay.delivery_attempts a WHERE a.destination_id = d.id AND a.finished_at IS NULL),
                '0'::interval)::interval AS in_flight_for
FROM relay.destinations d
WHERE d.name = $1;

-- name: SentLately :many
SELECT (now() - v.sent_at)::interval AS ago,
       coalesce((SELECT sum(cardinality(t.message_ids)) FROM relay.delivery_parts t WHERE t.delivery_id = v.id), 1)::int AS weight
FROM relay.deliveries v
WHERE v.destination_id = @destination_id AND v.status = 'sent' AND v.sent_at > now() - @within::interval
ORDER BY v.sent_at;

-- name: NextDeliveries :many
-- What has begun goes on, what a person asked for comes next, then the oldest.
SELECT v.id, v.owner_id, v.post_id, v.status, v.weight, v.created_at, v.wanted_at, p.type, p.animal, p.location
FROM relay.deliveries v
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.destination_id = @destination_id AND v.status IN ('pending', 'sending') AND v.urgent = @urgent AND (v.due_at IS NULL OR v.due_at <= now())
ORDER BY v.status = 'sending' DESC, v.wanted DESC, v.id
LIMIT @most;

-- name: SentUrgent :many
-- Which of the last deliveries were urgent, the last first.
SELECT v.urgent
FROM relay.deliveries v
WHERE v.destination_id = @destination_id AND v.status = 'sent'
ORDER BY v.sent_at DESC
LIMIT @most;

-- name: NextEdits :many
-- A delivery's messages are edited when it has all of them, because until then an attempt
-- may still put before the readers what its post said before, and while its photos are late.
SELECT a.id, a.cause, a.created_at, v.id AS delivery_id, v.owner_id, v.post_id
FROM relay.amendments a
JOIN relay.deliveries v ON v.id = a.delivery_id
WHERE v.destination_id = @destination_id AND a.status = 'pending' AND a.due_at <= now()
  AND (v.status IN ('sent', 'failed', 'suppressed') OR v.status = 'sending' AND v.due_at > now())
ORDER BY a.due_at, a.id
LIMIT @most;

-- name: PauseDestination :exec
UPDATE relay.destinations
SET paused_at = now(), paused_by = @paused_by, pause_reason = @pause_reason, paused_delivery = sqlc.narg('paused_delivery')
WHERE id = @id AND (paused_at IS NULL OR NOT @unless_paused::boolean);

-- name: ResumeDestination :many
-- The delivery whose refusal paused the destination is taken up again.
WITH was AS (
    SELECT d.id, d.paused_delivery FROM relay.destinations d WHERE d.id = @id FOR UPDATE
), resumed AS (
    UPDATE relay.destinations d
    SET paused_at = NULL, paused_by = '', pause_reason = '', paused_delivery = NULL, cooling_until = NULL, cool_reason = '',
        failed_turns = 0, failing_since = NULL
    FROM was
    WHERE d.id = was.id
)
UPDATE relay.deliveries v
SET status = 'pending', reason = '', started_at = NULL, wanted = true, wanted_at = now(), updated_at = now()
FROM was
WHERE v.id = was.paused_delivery AND v.status = 'parked'
RETURNING v.id;

-- name: EndPauseOf :exec
-- The delivery whose refusal paused its lane is to be tried again: the lane goes on.
UPDATE relay.destinations
SET paused_at = NULL, paused_by = '', pause_reason = '', paused_delivery = NULL
WHERE id = @id AND paused_delivery = @delivery_id::bigint;

-- name: CoolDestination :exec
UPDATE relay.destinations
SET cool_reason = CASE WHEN cooling_until > now() + @wait::interval THEN cool_reason ELSE @reason::text END,
    cooling_until = greatest(cooling_until, now() + @wait::interval)
WHERE id = @id;

-- name: FailedTurn :one
UPDATE relay.destinations
SET failed_turns = failed_turns + 1, failing_since = coalesce(failing_since, now())
WHERE id = @id
RETURNING failed_turns;

-- name: SetRate :exec
UPDATE relay.destinations
SET rate_per_second = @rate_per_second, rate_per_minute = @rate_per_minute,
    configured_per_second = @configured_per_second, configured_per_minute = @configured_per_minute
WHERE id = @id;

-- name: ListDestinations :many
SELECT d.name, d.paused_at, d.paused_by, d.pause_reason, d.paused_delivery, d.cooling_until, d.cool_reason, d.failing_since,
       d.rate_per_second, d.rate_per_minute, d.configured_per_second, d.configured_per_minute,
       (SELECT count(*) FROM relay.deliveries v WHERE v.destination_id = d.id AND v.status IN ('pending', 'sending'))::int AS waiting,
       coalesce(first.wanted_at, first.created_at, now())::timestamptz AS oldest
FROM relay.destinations d
LEFT JOIN LATERAL (
    SELECT v.created_at, v.wanted_at
    FROM unnest('{pending,sending}'::text[]) AS asked(status)
    CROSS JOIN LATERAL (
        SELECT o.id, o.created_at, o.wanted_at FROM relay.deliveries o
        WHERE o.destination_id = d.id AND o.status = asked.status
        ORDER BY o.id
        LIMIT 1
    ) v
    ORDER BY v.id
    LIMIT 1
) first ON true
WHERE sqlc.narg('name')::text IS NULL OR d.name = sqlc.narg('name')
ORDER BY d.name;

-- name: Destinations :many
SELECT name, migrated_to FROM relay.destinations ORDER BY name;

-- name: OwingDestinations :many
-- Destinations with something to send or to edit.
WITH edited AS (
    SELECT DISTINCT v.destination_id
    FROM relay.amendments a
    JOIN relay.deliveries v ON v.id = a.delivery_id
    WHERE a.status = 'pending' AND a.due_at <= now()
      AND (v.status IN ('sent', 'failed', 'suppressed') OR v.status = 'sending' AND v.due_at > now())
)
SELECT d.name AS destination, (d.paused_at IS NOT NULL)::boolean AS paused, (e.destination_id IS NOT NULL)::boolean AS edits
FROM relay.destinations d
LEFT JOIN edited e ON e.destination_id = d.id
WHERE e.destination_id IS NOT NULL
   OR EXISTS (SELECT FROM relay.deliveries v
              WHERE v.destination_id = d.id AND v.status IN ('pending', 'sending') AND (v.due_at IS NULL OR v.due_at <= now()))
ORDER BY d.name;

-- name: WantSchedule :exec
INSERT INTO relay.schedules (id) VALUES ($1) ON CONFLICT DO NOTHING;

-- name: WantedSchedules :many
SELECT id FROM relay.schedules;
