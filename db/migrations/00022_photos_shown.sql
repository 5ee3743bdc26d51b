-- +goose Up
-- Which of the source's photos a part shows, so that an edited post's photos
-- can be exchanged; empty if it shows none, or was sent by a build that did not
-- keep them.
ALTER TABLE relay.delivery_parts ADD COLUMN photos text[] NOT NULL DEFAULT '{}';
-- Which photo was uploaded as this one of the delivery; '' if it was by a build
-- that did not keep it.
ALTER TABLE relay.delivery_photos ADD COLUMN source text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE relay.delivery_photos DROP COLUMN source;
ALTER TABLE relay.delivery_parts DROP COLUMN photos;
