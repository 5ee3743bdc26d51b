-- +goose Up

-- What the posts of a wall repeat, learned from its last hundred: it is set
-- aside when one of them is read. units is petpost.WallContext.Units.
CREATE TABLE relay.wall_contexts (
    owner_id   bigint PRIMARY KEY,
    version    integer NOT NULL,
    posts      integer NOT NULL,
    units      jsonb NOT NULL,
    learned_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE relay.wall_contexts;
