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
       coalesce((SELECT sum(cardinality(t.message_ids)) FROM relay.delivery_parts t WHERE t.delivery_id = v.id), 1)::int AS messages
FROM relay.deliveries v
WHERE v.destination_id = @destination_id AND v.status = 'sent' AND v.sent_at > now() - @within::interval
ORDER BY v.sent_at;

-- name: NextDeliveries :many
SELECT v.id, v.owner_id, v.post_id, v.weight, v.created_at, v.wanted_at, p.type, p.animal, p.location
FROM relay.deliveries v
JOIN relay.posts p USING (owner_id, post_id)
WHERE v.destination_id = @destination_id AND v.status IN ('pending', 'sending')
ORDER BY v.id
LIMIT @most;

-- name: NextEdits :many
SELECT a.id, a.cause, a.created_at, v.id AS delivery_id, v.owner_id, v.post_id
FROM relay.amendments a
JOIN relay.deliveries v ON v.id = a.delivery_id
WHERE v.destination_id = @destination_id AND a.status = 'pending' AND a.due_at <= now()
ORDER BY a.due_at, a.id
LIMIT @most;

-- name: PauseDestination :exec
UPDATE relay.destinations
SET paused_at = now(), paused_by = @paused_by, pause_reason = @pause_reason, paused_delivery = sqlc.narg('paused_delivery')
WHERE id = @id AND (paused_at IS NULL OR NOT @unless_paused::boolean);

-- name: ResumeDestination :exec
UPDATE relay.destinations
SET paused_at = NULL, paused_by = '', pause_reason = '', paused_delivery = NULL, cooling_until = NULL, cool_reason = '',
    failed_turns = 0, failing_since = NULL
WHERE id = @id;

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
SELECT d.name, d.paused_at, d.paused_by, d.pause_reason, d.cooling_until, d.cool_reason, d.failing_since,
       d.rate_per_second, d.rate_per_minute, d.configured_per_second, d.configured_per_minute,
       (SELECT count(*) FROM relay.deliveries v WHERE v.destination_id = d.id AND v.status IN ('pending', 'sending'))::int AS waiting
FROM relay.destinations d
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
)
SELECT d.name, (d.paused_at IS NOT NULL)::boolean AS paused, (e.destination_id IS NOT NULL)::boolean AS edits
FROM relay.destinations d
LEFT JOIN edited e ON e.destination_id = d.id
WHERE e.destination_id IS NOT NULL
   OR EXISTS (SELECT FROM relay.deliveries v WHERE v.destination_id = d.id AND v.status IN ('pending', 'sending'))
ORDER BY d.name;

-- name: WantSchedule :exec
INSERT INTO relay.schedules (id) VALUES ($1) ON CONFLICT DO NOTHING;

-- name: WantedSchedules :many
SELECT id FROM relay.schedules;
