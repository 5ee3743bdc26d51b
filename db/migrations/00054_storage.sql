-- +goose NO TRANSACTION
-- +goose Up
-- Room in each page for the row's next version, and vacuum by what has changed
-- lately, not by a fifth of ten years.
ALTER TABLE relay.posts SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE relay.deliveries SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE relay.delivery_attempts SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE relay.destinations SET (fillfactor = 50);
ALTER TABLE relay.walls SET (fillfactor = 50);
ALTER TABLE relay.delivery_tallies SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE service.inbox SET (autovacuum_vacuum_scale_factor = 0.02);

-- +goose Down
ALTER TABLE relay.posts RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor);
ALTER TABLE relay.deliveries RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_scale_factor);
ALTER TABLE relay.delivery_attempts RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor);
ALTER TABLE relay.destinations RESET (fillfactor);
ALTER TABLE relay.walls RESET (fillfactor);
ALTER TABLE service.inbox RESET (autovacuum_vacuum_scale_factor);
