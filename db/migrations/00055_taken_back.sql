-- +goose NO TRANSACTION
-- +goose Up
-- A delivery that was taken back: nothing of it is sent any more, and what has
-- arrived is removed, by an amendment.
ALTER TABLE relay.deliveries ADD COLUMN IF NOT EXISTS taken_back_at timestamptz;
ALTER TABLE relay.amendments DROP CONSTRAINT IF EXISTS amendments_cause_check;
ALTER TABLE relay.amendments ADD CONSTRAINT amendments_cause_check
    CHECK (cause IN ('edited', 'deleted', 'restored', 'closed', 'reopened', 'taken_back')) NOT VALID;
ALTER TABLE relay.amendments VALIDATE CONSTRAINT amendments_cause_check;
-- What refers to a delivery or a case is found when that is deleted.
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_replying ON relay.deliveries (reply_to) WHERE reply_to IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS cases_joined ON relay.cases (joined_to) WHERE joined_to IS NOT NULL;

-- +goose Down
DROP INDEX relay.cases_joined;
DROP INDEX relay.deliveries_replying;
ALTER TABLE relay.amendments DROP CONSTRAINT amendments_cause_check;
DELETE FROM relay.amendments WHERE cause = 'taken_back';
ALTER TABLE relay.amendments ADD CONSTRAINT amendments_cause_check CHECK (cause IN ('edited', 'deleted', 'restored', 'closed', 'reopened'));
ALTER TABLE relay.deliveries DROP COLUMN taken_back_at;
