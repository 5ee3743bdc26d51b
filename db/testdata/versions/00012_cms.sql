INSERT INTO cms.imports (id, queue_number, content_hash, mode, lists, objects) VALUES ('import1', nextval('cms.queue_numbers'), '\x01', 'upsert', '{places}', 1);
INSERT INTO cms.staged_objects (queue_number, seq, rank, list, path, external_id) VALUES (1, 1, 3, 'places', 'places[0]', 'p')
