-- name: SumDay :one
-- What was sent on a day: from the post to its message, and of that in the queue, what half of them, and nine in ten, stayed within.
WITH sent AS (
    SELECT d.name, extract(epoch FROM v.sent_at - p.posted_at) AS delay, extract(epoch FROM v.sent_at - coalesce(v.wanted_at, v.created_at)) AS queued
    FROM relay.destinations d
    CROSS JOIN LATERAL (
        SELECT s.owner_id, s.post_id, s.sent_at, s.wanted_at, s.created_at FROM relay.deliveries s
        WHERE s.destination_id = d.id AND s.status = 'sent' AND s.sent_at >= @since::timestamptz AND s.sent_at < @until::timestamptz
        OFFSET 0
    ) v
    CROSS JOIN LATERAL (
        SELECT o.posted_at FROM relay.posts o WHERE o.owner_id = v.owner_id AND o.post_id = v.post_id LIMIT 1
    ) p
)
SELECT coalesce((SELECT jsonb_object_agg(c.name, c.deliveries) FROM (SELECT name, count(*) AS deliveries FROM sent GROUP BY name) c), '{}')::jsonb AS sent,
       coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY delay), 0)::float8 AS half,
       coalesce(percentile_cont(0.9) WITHIN GROUP (ORDER BY delay), 0)::float8 AS most,
       coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY queued), 0)::float8 AS half_queued,
       coalesce(percentile_cont(0.9) WITHIN GROUP (ORDER BY queued), 0)::float8 AS most_queued
FROM sent;

-- name: KeepDay :exec
INSERT INTO relay.days (day, sent, half, most, half_queued, most_queued) VALUES (@day, @sent, @half, @most, @half_queued, @most_queued)
ON CONFLICT DO NOTHING;

-- name: KeptDays :many
SELECT day, sent, half, most, half_queued, most_queued FROM relay.days WHERE day >= @since;

-- name: TypesPerDay :many
SELECT date_trunc('day', posted_at, 'UTC')::timestamptz AS day, count(*) FILTER (WHERE type = 'lost')::int AS lost,
       count(*) FILTER (WHERE type = 'reunited')::int AS reunited
FROM relay.posts
WHERE posted_at >= @since::timestamptz AND type IN ('lost', 'reunited')
GROUP BY 1;

-- name: CallsPerDay :many
SELECT date_trunc('day', hour, 'UTC')::timestamptz AS day, sum(calls)::int AS calls
FROM relay.read_calls
WHERE hour >= @since::timestamptz
GROUP BY 1;
