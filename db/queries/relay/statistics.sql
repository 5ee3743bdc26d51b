-- name: SentPerDay :many
SELECT date_trunc('day', v.sent_at, 'UTC')::timestamptz AS day, d.name AS destination, count(*)::int AS deliveries
FROM relay.deliveries v
JOIN relay.destinations d ON d.id = v.destination_id
WHERE v.status = 'sent' AND v.sent_at >= @since::timestamptz
GROUP BY 1, 2;

-- name: DelaysPerDay :many
-- From the post to its message, and of that in the queue: what half of them, and nine in ten, stayed within.
SELECT date_trunc('day', v.sent_at, 'UTC')::timestamptz AS day,
       coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM v.sent_at - p.posted_at)), 0)::float8 AS half,
       coalesce(percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM v.sent_at - p.posted_at)), 0)::float8 AS most,
       coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM v.sent_at - coalesce(v.wanted_at, v.created_at))), 0)::float8 AS half_queued,
       coalesce(percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM v.sent_at - coalesce(v.wanted_at, v.created_at))), 0)::float8 AS most_queued
FROM relay.destinations d
CROSS JOIN LATERAL (
    SELECT s.owner_id, s.post_id, s.sent_at, s.wanted_at, s.created_at FROM relay.deliveries s
    WHERE s.destination_id = d.id AND s.status = 'sent' AND s.sent_at >= @since::timestamptz
    OFFSET 0
) v
CROSS JOIN LATERAL (
    SELECT o.posted_at FROM relay.posts o WHERE o.owner_id = v.owner_id AND o.post_id = v.post_id LIMIT 1
) p
GROUP BY 1;

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
