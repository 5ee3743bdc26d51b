-- +goose Up
-- What a day that is over came to, counted once.
CREATE TABLE relay.days (
    day         timestamptz PRIMARY KEY, -- its beginning, in UTC
    sent        jsonb NOT NULL, -- deliveries by destination
    -- From the post to its message, and of that in the queue, in seconds: what half
    -- of them, and nine in ten, stayed within.
    half        double precision NOT NULL,
    most        double precision NOT NULL,
    half_queued double precision NOT NULL,
    most_queued double precision NOT NULL
);

-- +goose Down
DROP TABLE relay.days;
