INSERT INTO relay.walls (name, owner_id) VALUES ('club1', -1);
INSERT INTO relay.destinations (name) VALUES ('telegram:-1001');
INSERT INTO relay.posts (owner_id, post_id, posted_at, text, link, content_hash, type, ruleset_version)
SELECT -1, n, now(), 'Пропала кошка', '', '\x01', 'lost', 1 FROM generate_series(1, 3) n;
INSERT INTO relay.deliveries (destination_id, owner_id, post_id, status, workflow_id, attempts, sent_at)
VALUES (1, -1, 1, 'sent', 'w1', 1, now()), (1, -1, 2, 'pending', 'w2', 0, NULL), (1, -1, 3, 'failed', 'w3', 1, NULL);
INSERT INTO relay.delivery_parts (delivery_id, part, message_ids) VALUES (1, 0, '{11}');
INSERT INTO relay.delivery_attempts (delivery_id, part, number, finished_at, outcome) VALUES (1, 0, 1, now(), 'sent'), (3, 0, 1, now(), 'rejected');
INSERT INTO relay.delivery_photos (delivery_id, photo) VALUES (1, 0);
INSERT INTO relay.read_calls (key, hour, calls) VALUES ('key', now(), 1);
INSERT INTO relay.key_pauses (key, until, reason) VALUES ('key', now(), 'flood')
