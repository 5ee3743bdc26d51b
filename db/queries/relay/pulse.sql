-- name: Pulse :one
-- Another value when something has changed that the console shows.
SELECT md5(concat_ws('/',
    (SELECT max(v.id) FROM relay.deliveries v),
    (SELECT string_agg(t.total, ',' ORDER BY t.total) FROM (SELECT status || sum(change) AS total FROM relay.delivery_tallies GROUP BY status) t),
    (SELECT count(*) || ' ' || max(v.updated_at) FROM relay.deliveries v WHERE v.status IN ('parked', 'unknown')),
    (SELECT string_agg(concat_ws(' ', d.id, d.paused_at, d.cooling_until, d.failing_since, d.rate_per_second, d.rate_per_minute), ',' ORDER BY d.id)
     FROM relay.destinations d),
    (SELECT string_agg(concat_ws(' ', w.name, w.watched, w.state, w.reason, w.failures > 1), ',' ORDER BY w.name) FROM relay.walls w),
    (SELECT floor(extract(epoch FROM max(w.last_read_at)) / 15) FROM relay.walls w),
    (SELECT string_agg(concat_ws(' ', k.key, k.until), ',' ORDER BY k.key) FROM relay.key_pauses k),
    (SELECT concat_ws(' ', a.id, a.closed_at) FROM relay.audit a ORDER BY a.id DESC LIMIT 1),
    (SELECT count(*) || ' ' || sum(b.handed + b.refused) FROM relay.bulk_decisions b WHERE b.finished_at IS NULL),
    (SELECT max(m.id) FROM relay.amendments m),
    (SELECT count(*) || ' ' || max(t.asked_at) FROM relay.titles t),
    (SELECT max(i.queue_number) FROM cms.imports i),
    (SELECT count(*) || ' ' || sum(i.applied_rank * 1000000 + i.applied_seq) FROM cms.imports i WHERE i.state = 'running')
))::text AS pulse;
