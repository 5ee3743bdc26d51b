-- The CMS's batches on their way into the guide. Not domain content, so a
-- schema of its own.

-- +goose Up
CREATE SCHEMA cms;

-- One accepted batch. queue_number is the order of acceptance, in which batches
-- are worked off, one at a time.
CREATE TABLE cms.imports (
    id              text PRIMARY KEY CHECK (id <> ''),
    queue_number    bigint NOT NULL UNIQUE,
    idempotency_key text,
    content_hash    bytea NOT NULL,
    mode            text NOT NULL CHECK (mode IN ('upsert', 'snapshot')),
    lists           text[] NOT NULL, -- that the batch has, empty ones too
    state           text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    phase           text NOT NULL DEFAULT 'waiting',
    failure         text NOT NULL DEFAULT '',
    objects         integer NOT NULL,
    created         integer NOT NULL DEFAULT 0,
    changed         integer NOT NULL DEFAULT 0,
    unchanged       integer NOT NULL DEFAULT 0,
    unpublished     integer NOT NULL DEFAULT 0,
    refused         integer NOT NULL DEFAULT 0,
    -- The object worked off last; the next one follows it in the order of
    -- (rank, seq). Moves in the transaction that writes the objects.
    applied_rank    smallint NOT NULL DEFAULT -1,
    applied_seq     integer NOT NULL DEFAULT 0,
    accepted_at     timestamptz NOT NULL DEFAULT now(),
    finished_at     timestamptz,
    CHECK ((state = 'running') = (finished_at IS NULL))
);
CREATE UNIQUE INDEX imports_idempotency_key ON cms.imports (idempotency_key) WHERE idempotency_key IS NOT NULL AND state <> 'failed';
CREATE INDEX imports_content ON cms.imports (content_hash, queue_number DESC);
CREATE INDEX imports_running ON cms.imports (queue_number) WHERE state = 'running';

-- Numbers of uploads; an upload that becomes an import keeps its number.
CREATE SEQUENCE cms.queue_numbers;

-- The objects of a batch, as they came. seq counts from 1 over the whole batch.
-- rank is the order in which lists are worked off, so that what is referred to
-- comes before what refers to it; unknown parts of a batch have -1.
CREATE TABLE cms.staged_objects (
    queue_number  bigint NOT NULL,
    seq           integer NOT NULL,
    rank          smallint NOT NULL,
    list          text NOT NULL,
    path          text NOT NULL,
    external_id   text NOT NULL,
    payload       jsonb,
    digest        bytea,
    refused       boolean NOT NULL DEFAULT false,
    refused_path  text NOT NULL DEFAULT '',
    refused_value text NOT NULL DEFAULT '',
    reason        text NOT NULL DEFAULT '',
    PRIMARY KEY (queue_number, rank, seq)
);
CREATE INDEX staged_objects_refused ON cms.staged_objects (queue_number, seq) WHERE refused;
CREATE INDEX staged_objects_named ON cms.staged_objects (queue_number, list, external_id);

-- +goose Down
DROP SCHEMA cms CASCADE;
