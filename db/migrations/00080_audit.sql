-- +goose Up
-- What people have decided: who, when, through what, about what, and why. The
-- words are kept here and nowhere else.
CREATE TABLE relay.audit (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL DEFAULT now(),
    who     text NOT NULL,
    via     text NOT NULL,
    action  text NOT NULL,
    subject text NOT NULL,
    note    text NOT NULL DEFAULT '',
    failure text NOT NULL DEFAULT '' -- why nothing came of it
);
CREATE INDEX audit_of ON relay.audit (subject, id);

-- +goose Down
DROP TABLE relay.audit;
