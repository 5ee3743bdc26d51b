INSERT INTO relay.cases (note) VALUES ('');
UPDATE relay.posts SET case_id = 1, fingerprint = '{}', checked_at = now();
UPDATE relay.deliveries SET case_id = 1;
INSERT INTO relay.case_keys (key, posted_at, owner_id, post_id) VALUES (1, now(), -1, 1);
INSERT INTO relay.amendments (delivery_id, cause) VALUES (1, 'edited')
