-- +goose Up
-- How a delivery in several parts was cut, from its first part until its last:
-- the post may be edited in between, and the destination's settings changed.
ALTER TABLE relay.deliveries ADD COLUMN cut jsonb;

-- +goose Down
ALTER TABLE relay.deliveries DROP COLUMN cut;
