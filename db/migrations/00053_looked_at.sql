-- +goose NO TRANSACTION
-- When posts were last asked for by their ids, and since when they are missing:
-- that changes a thousand times a day, and wrote their wide rows anew each time.
-- relay.posts keeps the columns until no build reads them.

-- +goose Up
CREATE TABLE IF NOT EXISTS relay.post_checks (
    owner_id   bigint NOT NULL,
    post_id    bigint NOT NULL,
    checked_at timestamptz NOT NULL,
    missed_at  timestamptz, -- when VK first showed its wall without it; null while it stands
    PRIMARY KEY (owner_id, post_id)
) WITH (fillfactor = 70);
INSERT INTO relay.post_checks (owner_id, post_id, checked_at, missed_at)
SELECT owner_id, post_id, checked_at, missed_at FROM relay.posts WHERE checked_at IS NOT NULL
ON CONFLICT DO NOTHING;

-- +goose Down
DROP TABLE IF EXISTS relay.post_checks;
