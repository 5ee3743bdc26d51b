-- +goose Up
-- One decision about all deliveries that waited for a person when their number was
-- shown. It is handed to them in steps, in the order of their ids.
CREATE TABLE relay.bulk_decisions (
    id            bigint PRIMARY KEY REFERENCES relay.audit, -- its line of the audit: who, through what, about what, why
    action        text NOT NULL,
    status        text, -- what they were narrowed by, and NULL where they were not
    destination   text,
    type          text,
    since         timestamptz,
    until         timestamptz,
    as_of         timestamptz NOT NULL, -- what came to wait later is not among them
    deliveries    integer NOT NULL,     -- how many waited
    after_id      bigint NOT NULL DEFAULT 0, -- those up to it have been gone through
    handed        integer NOT NULL DEFAULT 0,
    refused       integer NOT NULL DEFAULT 0, -- did not take it, however often they were asked
    tries         integer NOT NULL DEFAULT 0, -- at the one after after_id
    claimed_until timestamptz, -- somebody makes a step, and after it is taken to have died; NULL: nobody does
    finished_at   timestamptz
);
CREATE INDEX bulk_decisions_open ON relay.bulk_decisions (id) WHERE finished_at IS NULL;

-- +goose Down
DROP TABLE relay.bulk_decisions;
