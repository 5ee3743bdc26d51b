-- +goose Up
-- What chats and walls call themselves, for people: by the destination's name,
-- vk:<owner> for a wall that is read. asked_at is when the platform was last
-- asked, with an answer or without.
CREATE TABLE relay.titles (
    name     text PRIMARY KEY,
    title    text NOT NULL,
    asked_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE relay.titles;
