-- +goose Up
-- Links to photos that Telegram could not use, by a hash of them. It remembers
-- that for days, whichever chat the photo is for next.
CREATE TABLE relay.refused_links (
    link       bytea PRIMARY KEY,
    refused_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX refused_links_by_time ON relay.refused_links (refused_at);

-- +goose Down
DROP TABLE relay.refused_links;
