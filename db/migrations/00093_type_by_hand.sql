-- +goose Up

-- A person has said what type the post is: no later reading does.
ALTER TABLE relay.posts ADD COLUMN type_by_hand boolean NOT NULL DEFAULT false;

-- +goose Down

ALTER TABLE relay.posts DROP COLUMN type_by_hand;
