-- +goose Up
-- What a post reposts, in step with the texts in reposts: each one's name and author.
ALTER TABLE relay.posts ADD COLUMN parents jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE relay.posts DROP COLUMN parents;
