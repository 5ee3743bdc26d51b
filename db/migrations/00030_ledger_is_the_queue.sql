-- +goose Up
-- The ledger is the queue: a lane reads its next rows here, and what was decided
-- about a destination is here, not in the lane's memory.

ALTER TABLE relay.destinations
    ADD COLUMN paused_at       timestamptz,
    ADD COLUMN paused_by       text NOT NULL DEFAULT '',
    ADD COLUMN pause_reason    text NOT NULL DEFAULT '',
    ADD COLUMN paused_delivery bigint, -- its refusal paused the lane; resuming it ends the pause
    ADD COLUMN cooling_until   timestamptz,
    ADD COLUMN cool_reason     text NOT NULL DEFAULT '',
    ADD COLUMN failed_turns    integer NOT NULL DEFAULT 0, -- in a row, because the platform was unavailable
    ADD COLUMN failing_since   timestamptz,
    -- A rate set by hand holds while the configured one is as it was then.
    ADD COLUMN rate_per_second        double precision,
    ADD COLUMN rate_per_minute        integer,
    ADD COLUMN configured_per_second  double precision,
    ADD COLUMN configured_per_minute  integer;

ALTER TABLE relay.deliveries
    ADD COLUMN started_at  timestamptz, -- when its workflow was started for what it waits for now
    ADD COLUMN run_seen_at timestamptz, -- of one that waits for a person: when its workflow was last seen to run
    ADD COLUMN wanted      boolean NOT NULL DEFAULT false, -- a person has asked for it: its post's age does not matter
    ADD COLUMN wanted_at   timestamptz, -- when it was last wanted anew: what a workflow before that came to is out of date
    ADD COLUMN untold      boolean NOT NULL DEFAULT false; -- it came to rest from outside, and its workflow is to hear of it
UPDATE relay.deliveries SET started_at = queued_at WHERE status IN ('pending', 'sending') AND queued_at IS NOT NULL;

DROP INDEX relay.deliveries_to_queue;
CREATE INDEX deliveries_open ON relay.deliveries (destination_id, id) WHERE status IN ('pending', 'sending');
CREATE INDEX deliveries_unstarted ON relay.deliveries (id) WHERE status = 'pending' AND started_at IS NULL;
CREATE INDEX deliveries_with_people ON relay.deliveries (run_seen_at NULLS FIRST, id) WHERE status IN ('parked', 'unknown');
CREATE INDEX deliveries_untold ON relay.deliveries (id) WHERE untold;
CREATE INDEX deliveries_sent ON relay.deliveries (destination_id, sent_at) WHERE status = 'sent';

-- An attempt knows until when its call may be in flight, under which lease it is
-- made, and what it shows; the ids of what arrived are kept with it, even if
-- they come too late to count.
ALTER TABLE relay.delivery_attempts
    ADD COLUMN destination_id bigint REFERENCES relay.destinations,
    ADD COLUMN lease          bigint NOT NULL DEFAULT 0,
    ADD COLUMN deadline       timestamptz,
    ADD COLUMN message_ids    bigint[],
    ADD COLUMN kind           text NOT NULL DEFAULT '',
    ADD COLUMN wordy          boolean NOT NULL DEFAULT true,
    ADD COLUMN shown          bytea,
    ADD COLUMN photos         text[] NOT NULL DEFAULT '{}';
-- One call in flight for each destination, whoever believes to have the turn.
CREATE UNIQUE INDEX delivery_attempts_in_flight ON relay.delivery_attempts (destination_id) WHERE finished_at IS NULL;

-- Which schedules of Temporal are wanted: they are made again where they are lost.
CREATE TABLE relay.schedules (
    id text PRIMARY KEY
);

-- +goose Down
DROP TABLE relay.schedules;
DROP INDEX relay.delivery_attempts_in_flight;
ALTER TABLE relay.delivery_attempts DROP COLUMN destination_id, DROP COLUMN lease, DROP COLUMN deadline, DROP COLUMN message_ids,
    DROP COLUMN kind, DROP COLUMN wordy, DROP COLUMN shown, DROP COLUMN photos;
DROP INDEX relay.deliveries_open, relay.deliveries_unstarted, relay.deliveries_with_people, relay.deliveries_untold, relay.deliveries_sent;
CREATE INDEX deliveries_to_queue ON relay.deliveries (queued_at NULLS FIRST, id) WHERE status IN ('pending', 'sending');
ALTER TABLE relay.deliveries DROP COLUMN started_at, DROP COLUMN run_seen_at, DROP COLUMN wanted, DROP COLUMN wanted_at, DROP COLUMN untold;
ALTER TABLE relay.destinations DROP COLUMN paused_at, DROP COLUMN paused_by, DROP COLUMN pause_reason, DROP COLUMN paused_delivery,
    DROP COLUMN cooling_until, DROP COLUMN cool_reason, DROP COLUMN failed_turns, DROP COLUMN failing_since,
    DROP COLUMN rate_per_second, DROP COLUMN rate_per_minute, DROP COLUMN configured_per_second, DROP COLUMN configured_per_minute;
