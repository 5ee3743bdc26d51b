-- +goose Up
-- A case joins the posts about one animal. It is told once to each destination
-- within a window; it is closed while one of its posts says that the animal is
-- home again.
CREATE TABLE relay.cases (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    closed_at       timestamptz,
    closed_owner_id bigint,
    closed_post_id  bigint,
    joined_to       bigint REFERENCES relay.cases, -- an operator has joined it to this one: it is empty
    note            text NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    CHECK ((closed_at IS NULL) = (closed_owner_id IS NULL) AND (closed_at IS NULL) = (closed_post_id IS NULL))
);

ALTER TABLE relay.posts
    ADD COLUMN case_id     bigint REFERENCES relay.cases,
    ADD COLUMN case_reason text NOT NULL DEFAULT '', -- why it was taken for this case
    ADD COLUMN fingerprint jsonb,
    ADD COLUMN checked_at  timestamptz; -- when VK was last asked for it by its id
CREATE INDEX posts_by_case ON relay.posts (case_id, posted_at) WHERE case_id IS NOT NULL;
CREATE INDEX posts_of_wall ON relay.posts (owner_id, posted_at DESC);

-- What candidates are looked up by: a 64-bit hash of each key of a post's
-- fingerprint. A collision only costs a comparison. The primary key holds all
-- that the lookup reads, in its order.
CREATE TABLE relay.case_keys (
    key       bigint NOT NULL,
    posted_at timestamptz NOT NULL,
    owner_id  bigint NOT NULL,
    post_id   bigint NOT NULL,
    PRIMARY KEY (key, posted_at, owner_id, post_id)
);

ALTER TABLE relay.deliveries
    ADD CONSTRAINT deliveries_case_fkey FOREIGN KEY (case_id) REFERENCES relay.cases,
    ADD COLUMN reply_to   bigint REFERENCES relay.deliveries, -- an update: it answers the case's first message there
    ADD COLUMN stands_for bigint REFERENCES relay.deliveries; -- of a suppressed one: the delivery that stands for it
CREATE INDEX deliveries_by_case ON relay.deliveries (case_id, destination_id) WHERE case_id IS NOT NULL;
CREATE INDEX deliveries_stood_for ON relay.deliveries (stands_for) WHERE stands_for IS NOT NULL;

-- What must be known of a message to edit it later.
ALTER TABLE relay.delivery_parts
    ADD COLUMN kind    text NOT NULL DEFAULT '' CHECK (kind IN ('', 'message', 'photo', 'album', 'post')),
    ADD COLUMN wordy   boolean NOT NULL DEFAULT true, -- it has words, not photos alone
    ADD COLUMN chat_id bigint, -- the chat that a Telegram group had become by then
    ADD COLUMN shown   bytea,  -- the version of the post that it shows
    ADD COLUMN gone    boolean NOT NULL DEFAULT false; -- it was found to be gone when it was to be edited

-- A delivery whose messages are to be brought in step with their post: it was
-- edited or deleted, or its case was closed. The messages show what the post
-- says when the edit is made, so one row stands for all that came until then.
CREATE TABLE relay.amendments (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery_id bigint NOT NULL REFERENCES relay.deliveries,
    cause       text NOT NULL CHECK (cause IN ('edited', 'deleted', 'restored', 'closed', 'reopened')),
    revision    integer NOT NULL DEFAULT 1, -- counts what has come since the row was made
    status      text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'done', 'gone', 'refused', 'failed')),
    error       text NOT NULL DEFAULT '',
    attempts    integer NOT NULL DEFAULT 0,
    due_at      timestamptz NOT NULL DEFAULT now(),
    created_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
CREATE UNIQUE INDEX amendments_pending ON relay.amendments (delivery_id) WHERE status = 'pending';
CREATE INDEX amendments_due ON relay.amendments (due_at, id) WHERE status = 'pending';
CREATE INDEX amendments_of_delivery ON relay.amendments (delivery_id, id);

-- +goose Down
DROP TABLE relay.amendments;
ALTER TABLE relay.delivery_parts DROP COLUMN kind, DROP COLUMN wordy, DROP COLUMN chat_id, DROP COLUMN shown, DROP COLUMN gone;
ALTER TABLE relay.deliveries DROP CONSTRAINT deliveries_case_fkey, DROP COLUMN reply_to, DROP COLUMN stands_for;
DROP INDEX relay.deliveries_by_case;
DROP TABLE relay.case_keys;
DROP INDEX relay.posts_of_wall;
ALTER TABLE relay.posts DROP COLUMN case_id, DROP COLUMN case_reason, DROP COLUMN fingerprint, DROP COLUMN checked_at;
UPDATE relay.deliveries SET case_id = NULL;
DROP TABLE relay.cases;
