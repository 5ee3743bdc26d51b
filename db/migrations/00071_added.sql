-- +goose NO TRANSACTION
-- +goose Up
-- A message is edited because another post of its case says more.
ALTER TABLE relay.amendments DROP CONSTRAINT IF EXISTS amendments_cause_check;
ALTER TABLE relay.amendments ADD CONSTRAINT amendments_cause_check
    CHECK (cause IN ('edited', 'deleted', 'restored', 'closed', 'reopened', 'taken_back', 'added')) NOT VALID;
ALTER TABLE relay.amendments VALIDATE CONSTRAINT amendments_cause_check;

-- +goose Down
ALTER TABLE relay.amendments DROP CONSTRAINT amendments_cause_check;
DELETE FROM relay.amendments WHERE cause = 'added';
ALTER TABLE relay.amendments ADD CONSTRAINT amendments_cause_check
    CHECK (cause IN ('edited', 'deleted', 'restored', 'closed', 'reopened', 'taken_back'));
