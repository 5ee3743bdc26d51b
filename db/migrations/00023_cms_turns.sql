-- Whose turn it is among the CMS's batches. An upload takes its queue_number
-- when it begins, so one that began first and was accepted last stood before an
-- import that ran already, and both ran at once. The turn is taken when a batch
-- is accepted, one at a time.

-- +goose Up
ALTER TABLE cms.imports ADD COLUMN turn bigint NOT NULL DEFAULT nextval('cms.queue_numbers');
UPDATE cms.imports SET turn = queue_number;
CREATE UNIQUE INDEX imports_turn ON cms.imports (turn);
DROP INDEX cms.imports_running;
CREATE INDEX imports_running ON cms.imports (turn) WHERE state = 'running';

-- +goose Down
DROP INDEX cms.imports_running;
CREATE INDEX imports_running ON cms.imports (queue_number) WHERE state = 'running';
ALTER TABLE cms.imports DROP COLUMN turn;
