package db

import (
	"context"
	"fmt"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
)

// WallContext returns what a wall repeats, as it was last learned; nil if this
// build has not learned it yet.
func (s *Posts) WallContext(ctx context.Context, ownerID int64) (*petpost.WallContext, error) {
	row, err := s.queries.WallContext(ctx, ownerID)
	if errorsIsNoRows(err) || err == nil && row.Version != petpost.WallContextVersion {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what wall %d repeats: %w", ownerID, err)
	}
	return &petpost.WallContext{Version: row.Version, Posts: row.Posts, Units: row.Units}, nil
}

// LearnWall learns from a wall's last stored posts what they repeat, and keeps
// it for the next to be read.
func (s *Posts) LearnWall(ctx context.Context, ownerID int64) (petpost.WallContext, error) {
	texts, err := s.queries.LastTexts(ctx, relaysql.LastTextsParams{OwnerID: ownerID, Most: petpost.WallPosts})
	if err != nil {
		return petpost.WallContext{}, fmt.Errorf("learn what wall %d repeats: %w", ownerID, err)
	}
	wall := petpost.LearnWall(texts)
	err = s.queries.KeepWallContext(ctx, relaysql.KeepWallContextParams{
		OwnerID: ownerID, Version: wall.Version, Posts: wall.Posts, Units: notNil(wall.Units),
	})
	return wall, wrap(err, "learn what wall %d repeats", ownerID)
}
