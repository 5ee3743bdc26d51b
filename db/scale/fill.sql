-- Ten years of the relay and a large guide: :posts posts, and all else in
-- proportion. One statement a blank line; no foreign key is checked meanwhile.

SET session_replication_role = replica;

INSERT INTO relay.walls (name, owner_id, next_read_at, newest_post_at)
SELECT 'wall' || n, -n, now(), now() FROM generate_series(1, 500) n;

INSERT INTO relay.destinations (name) SELECT 'telegram:-100' || n FROM generate_series(1, 41) n;

INSERT INTO relay.titles (name, title, asked_at)
SELECT name, 'Чат ' || name, now() FROM relay.destinations UNION ALL SELECT 'vk:' || owner_id, 'Стена ' || owner_id, now() FROM relay.walls;

-- 5 posts in 2 cases; one case in 20 is closed. A wall's posts come one by one.
INSERT INTO relay.posts (owner_id, post_id, from_id, posted_at, stored_at, text, photos, link, content_hash, type, animal, name, phones, location,
    reading, ruleset_version, fingerprint, case_id)
SELECT -1 - n % 500, 1 + n / 500, 1 + n % 70000, at, at, repeat('Пропала собака, рыжая, в ошейнике. ', 12),
    jsonb_build_array(jsonb_build_object('owner_id', -1, 'id', n, 'sizes', jsonb_build_array(jsonb_build_object('url', repeat('https://sun9-1.example.com/' || n, 6))))),
    'https://vk.com/wall-' || n, sha256(n::text::bytea), (ARRAY['lost', 'found', 'sighting', 'adoption', 'news'])[1 + n % 5], 'dog', 'Рыжик',
    ARRAY['+79000' || lpad((n % 90000)::text, 6, '0')], 'Пушкинская 283', jsonb_build_object('evidence', jsonb_build_array(jsonb_build_object('field', 'type', 'words', repeat('рыжая ', 30)))), 9,
    jsonb_build_object('words', 40, 'name', repeat('a1b2c3d4 ', 40)), n * 2 / 5 + 1
FROM generate_series(0, :posts - 1) n, LATERAL (SELECT now() - (:posts - n) * (interval '10 years' / :posts) AS at) t;

INSERT INTO relay.cases (id, closed_at, closed_owner_id, closed_post_id, created_at) OVERRIDING SYSTEM VALUE
SELECT p.case_id, CASE WHEN p.case_id % 20 = 0 THEN min(p.posted_at) END, CASE WHEN p.case_id % 20 = 0 THEN -1 END, CASE WHEN p.case_id % 20 = 0 THEN 1 END,
    min(p.posted_at)
FROM relay.posts p GROUP BY p.case_id;

-- One case has many posts.
UPDATE relay.posts SET case_id = 7 WHERE case_id BETWEEN 8 AND 30;

-- A volunteer's phone is a key of every fiftieth post.
INSERT INTO relay.case_keys (key, posted_at, owner_id, post_id)
SELECT key, posted_at, owner_id, post_id FROM (
    SELECT CASE WHEN k = 0 AND n % 50 = 0 THEN 1 ELSE hashint8extended(n * 2 / 5 * 8 + k, 0) END AS key, -1 - n % 500 AS owner_id, 1 + n / 500 AS post_id,
        now() - (:posts - n) * (interval '10 years' / :posts) AS posted_at
    FROM generate_series(0, :posts - 1) n, generate_series(0, 7) k) keys
ORDER BY key, posted_at
ON CONFLICT DO NOTHING;

-- Two or three for each post. The newest of destination 1, which is paused, wait.
INSERT INTO relay.deliveries (id, destination_id, owner_id, post_id, status, reason, case_id, attempts, workflow_id, created_at, updated_at,
    started_at, first_attempt_at, sent_at, stands_for, post_type) OVERRIDING SYSTEM VALUE
SELECT id, destination, -1 - n % 500, 1 + n / 500, status, CASE status WHEN 'suppressed' THEN 'case ' || n * 2 / 5 + 1 || ' is told by delivery ' || id - 1 ELSE '' END,
    n * 2 / 5 + 1, CASE WHEN status IN ('sent', 'failed', 'unknown') THEN 1 ELSE 0 END,
    'deliver/telegram:-100' || destination || '/wall-' || n % 500 || '_' || n / 500, at, at, CASE WHEN status <> 'pending' OR n % 20 > 0 THEN at END, at, CASE status WHEN 'sent' THEN at END,
    CASE status WHEN 'suppressed' THEN id - 1 END, (ARRAY['lost', 'found', 'sighting', 'adoption', 'news'])[1 + n % 5]
FROM (
    SELECT n, row_number() OVER (ORDER BY n, k) AS id, 1 + (n * 7 + k * 11) % 40 AS destination, now() - (:posts - n) * (interval '10 years' / :posts) AS at,
        CASE WHEN n > :posts * 0.94 AND (n * 7 + k * 11) % 40 = 0 THEN 'pending'
            WHEN (n + k) % 900 = 1 THEN 'failed' WHEN (n + k) % 7000 = 2 THEN 'parked' WHEN (n + k) % 70000 = 3 THEN 'unknown'
            WHEN (n + k) % 5 < 2 THEN 'suppressed' ELSE 'sent' END AS status
    FROM generate_series(0, :posts - 1) n, generate_series(0, 3) k WHERE k < 2 + n % 2) d
ORDER BY id;

-- A backfill is spaced out over the weeks ahead.
UPDATE relay.deliveries SET status = 'pending', started_at = NULL, urgent = false, due_at = now() + id * interval '1 minute'
WHERE id IN (SELECT id FROM relay.deliveries WHERE status = 'suppressed' ORDER BY id DESC LIMIT 2000);

INSERT INTO relay.deliveries_to_start SELECT id, coalesce(due_at, '-infinity') FROM relay.deliveries WHERE status = 'pending' AND started_at IS NULL;

INSERT INTO relay.delivery_parts (delivery_id, part, message_ids, kind, shown, sent_at)
SELECT id, 0, ARRAY[id], 'message', '\x00', sent_at FROM relay.deliveries WHERE status = 'sent' ORDER BY id;

INSERT INTO relay.delivery_attempts (delivery_id, destination_id, part, number, started_at, finished_at, outcome, kind)
SELECT id, destination_id, 0, 1, created_at, created_at, CASE status WHEN 'sent' THEN 'sent' ELSE 'rejected' END, 'message'
FROM relay.deliveries WHERE attempts > 0 ORDER BY id;

INSERT INTO relay.delivery_photos (delivery_id, photo, saved) SELECT id, 0, 'photo1_' || id FROM relay.deliveries WHERE id % 4 = 0 ORDER BY id;

INSERT INTO relay.amendments (delivery_id, cause, status, created_at, finished_at)
SELECT id, 'edited', CASE WHEN id % 50000 = 0 THEN 'pending' ELSE 'done' END, created_at, created_at FROM relay.deliveries WHERE id % 20 = 0 ORDER BY id;

INSERT INTO relay.refused_links (link, refused_at) SELECT sha256(n::text::bytea), now() - n * interval '1 minute' FROM generate_series(1, :posts / 40) n;

INSERT INTO relay.read_calls (key, hour, calls) SELECT 'key', now() - n * interval '1 hour', 100 FROM generate_series(1, 200) n;

INSERT INTO service.inbox (bot_id, update_id, session, trace_id, claimed_at)
SELECT 1, n, 'session/1/' || n % 1000, 'trace', now() - (:posts - n) * (interval '25 hours' / :posts) FROM generate_series(1, :posts / 4) n;

INSERT INTO guide.districts (external_id, name, sort_key, digest) SELECT n, 'Район ' || n, 'район ' || n, '' FROM generate_series(1, 20) n;

INSERT INTO guide.types (external_id, name, sort_key, digest) SELECT n, 'Тип ' || n, 'тип ' || n, '' FROM generate_series(1, 20) n;

INSERT INTO guide.subcategories (external_id, type_id, name, sort_key, digest)
SELECT n, 1 + n % 20, 'Вид ' || n, 'вид ' || n, '' FROM generate_series(1, 100) n;

INSERT INTO guide.places (external_id, name, sort_key, address, description, rating, district_id, lat, lon, digest)
SELECT 'p' || n, 'Кофейня у дома ' || n, 'кофейня у дома ' || n, 'ул. Речная, ' || n, repeat('Тёплое место на берегу. ', 6), 4, 1 + n % 20,
    56.7 + (n % 1000) / 5000.0, 53.1 + (n / 1000) / 500.0, sha256(n::text::bytea)
FROM generate_series(1, :posts / 20) n;

INSERT INTO guide.place_types (place_id, type_id, position) SELECT id, 1 + id % 20, 0 FROM guide.places;

INSERT INTO guide.place_subcategories (place_id, subcategory_id, position) SELECT id, 1 + id % 100, 0 FROM guide.places;

INSERT INTO guide.place_listings (district_id, type_id, subcategory_id, sort_key, place_id)
SELECT d, t, s, p.sort_key, p.id
FROM guide.places p, unnest(ARRAY[0, 1 + p.id % 20]) d, unnest(ARRAY[0, 1 + p.id % 20]) t, unnest(ARRAY[0, 1 + p.id % 100]) s
WHERE s = 0 OR t <> 0;

-- One event in 20 is still to come.
INSERT INTO guide.event_categories (external_id, name, sort_key, digest) SELECT n, 'Музыка ' || n, 'музыка ' || n, '' FROM generate_series(1, 20) n;

INSERT INTO guide.event_sources (external_id, name, sort_key, digest) SELECT n, 'Афиша ' || n, 'афиша ' || n, '' FROM generate_series(1, 20) n;

INSERT INTO guide.events (external_id, title, sort_key, starts_at, place_id, address, source_id, digest)
SELECT 'e' || n, 'Концерт ' || n, 'концерт ' || n, now() + (n - :posts / 10 * 0.95) * interval '10 minutes', 1 + n % (:posts / 20), 'ул. Речная, ' || n, 1 + n % 20, ''
FROM generate_series(1, :posts / 10) n;

INSERT INTO guide.event_category_links (event_id, category_id, position) SELECT id, 1 + id % 20, 0 FROM guide.events;

INSERT INTO guide.event_listings (category_id, source_id, starts_at, event_id, over_at)
SELECT c, s, e.starts_at, e.id, guide.over_at(e.starts_at, e.ends_at)
FROM guide.events e, unnest(ARRAY[0, 1 + e.id % 20]) c, unnest(ARRAY[0, e.source_id]) s;

INSERT INTO guide.photos (url, state, due_at, checked_at)
SELECT 'https://photos.example.com/' || n, CASE WHEN n % 500 = 0 THEN 'bad' WHEN n % 501 = 0 THEN 'unchecked' ELSE 'good' END, now() + n * interval '1 second', now()
FROM generate_series(1, :posts / 10) n;

INSERT INTO guide.place_photos (place_id, position, photo_id) SELECT id, 0, id FROM guide.places;

INSERT INTO guide.event_photos (event_id, position, photo_id) SELECT id, 0, id FROM guide.events;

INSERT INTO guide.users (telegram_id, subscription, subscription_checked_at) SELECT n, 'subscribed', now() FROM generate_series(1, :posts / 10) n;

INSERT INTO guide.favourite_places (telegram_id, place_id)
SELECT 1 + n % (:posts / 10), 1 + (n * 7919::bigint) % (:posts / 20) FROM generate_series(1, :posts / 4) n ON CONFLICT DO NOTHING;

INSERT INTO guide.favourite_events (telegram_id, event_id)
SELECT 1 + n % (:posts / 10), 1 + (n * 7919::bigint) % (:posts / 10) FROM generate_series(1, :posts / 4) n ON CONFLICT DO NOTHING;

INSERT INTO guide.collections (external_id, title, sort_key, digest) SELECT n, 'Подборка ' || n, 'подборка ' || n, '' FROM generate_series(1, 1000) n;

INSERT INTO guide.collection_items (collection_id, position, place_id) SELECT 1 + n % 1000, n / 1000, 1 + n % (:posts / 20) FROM generate_series(0, 19999) n;

INSERT INTO guide.promos (external_id, title, sort_key, place_id, starts_at, ends_at, digest)
SELECT n, 'Скидка ' || n, 'скидка ' || n, 1 + n % (:posts / 20), now() - interval '1 year', now() + (n - 4500) * interval '1 hour', '' FROM generate_series(1, 5000) n;

-- 30 batches, the last of which is being worked off.
INSERT INTO cms.imports (id, queue_number, content_hash, mode, lists, state, objects, finished_at)
SELECT 'import' || n, n, sha256(n::text::bytea), 'snapshot', ARRAY['places', 'events'], CASE n WHEN 30 THEN 'running' ELSE 'done' END, 10,
    CASE WHEN n < 30 THEN now() - (30 - n) * interval '1 hour' END
FROM generate_series(1, 30) n;

INSERT INTO cms.staged_objects (queue_number, seq, rank, list, path, external_id, payload, digest)
SELECT 30, n, 3, 'places', 'places[' || n || ']', 'p' || n, '{"name": "Кофейня"}', sha256(n::text::bytea) FROM generate_series(1, :posts / 20) n;

INSERT INTO cms.staged_objects (queue_number, seq, rank, list, path, external_id, refused, faults)
SELECT 1 + n % 29, n, 3, 'places', 'places[' || n || ']', 'p' || n, true, '[{"path": "places[1].name", "reason": "no name"}]' FROM generate_series(1, :posts / 50) n;

SELECT setval(pg_get_serial_sequence('relay.cases', 'id'), (SELECT max(id) FROM relay.cases)),
    setval(pg_get_serial_sequence('relay.deliveries', 'id'), (SELECT max(id) FROM relay.deliveries));

SET session_replication_role = origin;
