INSERT INTO service.inbox (bot_id, update_id, session, trace_id) VALUES (1, 1, 'session/1/1', 'trace')
