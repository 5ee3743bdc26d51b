-- +goose Up

ALTER TABLE relay.deliveries
    ADD COLUMN ask     text NOT NULL DEFAULT '', -- why a person is to approve it before it goes; '' once one has
    ADD COLUMN ask_for interval,                 -- how long they may take; NULL: as long as it takes
    ADD COLUMN silence text NOT NULL DEFAULT ''; -- what happens then: publish or drop

-- +goose Down

ALTER TABLE relay.deliveries DROP COLUMN ask, DROP COLUMN ask_for, DROP COLUMN silence;
