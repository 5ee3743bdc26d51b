package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

// ScanWalls reads the walls that are due, one after the other, and starts the
// deliveries they owe. It begins with what an earlier scan has stored and not
// started. Trouble with one wall, or with starting, holds up nothing else.
func ScanWalls(ctx workflow.Context, input protocol.ScanWallsInput) (protocol.ScanWallsResult, error) {
	s := &scan{input: input}
	if input.Backfill != nil {
		var walls *activities.Walls
		err := execute(ctx, activities.ReadOptions("backfill of "+input.Backfill.Wall), walls.BackfillWall, &s.result.Backfilled, *input.Backfill)
		return s.result, err
	}
	s.start(ctx)
	if err := s.readWalls(ctx); err != nil {
		return s.result, err
	}
	s.describe(ctx, "done")
	return s.result, nil
}

type scan struct {
	input  protocol.ScanWallsInput
	result protocol.ScanWallsResult
}

func (s *scan) readWalls(ctx workflow.Context) error {
	var walls *activities.Walls
	var plan protocol.ReadPlan
	if err := execute(ctx, activities.PlanOptions("which walls are due"), walls.PlanReads, &plan, s.input); err != nil {
		return err
	}
	for _, wall := range plan.Due() {
		s.describe(ctx, "reads "+wall.Name)
		var read protocol.WallRead
		if err := execute(ctx, activities.ReadOptions(wall.Name), walls.ReadWall, &read, wall.Name); err != nil {
			workflow.GetLogger(ctx).Warn("wall not read: it stays due", "wall", wall.Name, "error", err)
			continue
		}
		s.result.Walls = append(s.result.Walls, read)
		if read.Owed+read.Edits+read.Deleted > 0 {
			s.start(ctx)
		}
		if read.Paused != "" {
			return nil // the key must wait: the other walls would meet the same
		}
	}
	return nil
}

// start starts what is owed. If it fails, the next scan finds it still owed.
func (s *scan) start(ctx workflow.Context) {
	var walls *activities.Walls
	var started int
	if err := execute(ctx, activities.PlanOptions("start what is owed"), walls.StartDeliveries, &started); err != nil {
		workflow.GetLogger(ctx).Warn("deliveries not started: they stay owed", "error", err)
	}
	s.result.Started += started
}

func (s *scan) describe(ctx workflow.Context, now string) {
	text := now + "\n"
	for _, wall := range s.result.Walls {
		text += fmt.Sprintf("\n- %s: %s, %d new, %d owed", wall.Name, words.Count(wall.Posts, "post", "posts"), wall.New, wall.Owed)
		if wall.Parked != "" {
			text += ", parked: " + wall.Parked
		}
		if wall.Paused != "" {
			text += ", the key must wait: " + wall.Paused
		}
	}
	workflow.SetCurrentDetails(ctx, text+"\n\n"+words.Count(s.result.Started, "delivery", "deliveries")+" started")
}
