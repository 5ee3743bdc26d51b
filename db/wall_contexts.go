package db

import (
	"context"
	"encoding/json"
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
	wall := &petpost.WallContext{Version: int(row.Version), Posts: int(row.Posts)}
	if err := json.Unmarshal(row.Units, &wall.Units); err != nil {
		return nil, fmt.Errorf("what wall %d repeats: %w", ownerID, err)
	}
	return wall, nil
}

// LearnWall learns from a wall's last stored posts what they repeat, and keeps
// it for the next to be read.
func (s *Posts) LearnWall(ctx context.Context, ownerID int64) (petpost.WallContext, error) {
	texts, err := s.queries.LastTexts(ctx, relaysql.LastTextsParams{OwnerID: ownerID, Most: petpost.WallPosts})
	if err != nil {
		return petpost.WallContext{}, fmt.Errorf("learn what wall %d repeats: %w", ownerID, err)
	}
	wall := petpost.LearnWall(texts)
	units, err := json.Marshal(wall.Units)
	if err == nil {
		err = s.queries.KeepWallContext(ctx, relaysql.KeepWallContextParams{
			OwnerID: ownerID, Version: int32(wall.Version), Posts: int32(wall.Posts), Units: withoutNUL(units),
		})
	}
	if err != nil {
		return petpost.WallContext{}, fmt.Errorf("learn what wall %d repeats: %w", ownerID, err)
	}
	return wall, nil
}
