package activities

import (
	"context"

	"go.temporal.io/sdk/activity"
)

// StartDeliveries starts what is owed and has no workflow yet, nudges the lanes of
// what was delivered and is to be edited, and deliveries of what has become of
// their cases.
func (a *Walls) StartDeliveries(ctx context.Context) (int, error) {
	started, err := a.Starter.StartOwed(ctx, func() { activity.RecordHeartbeat(ctx) })
	if err != nil {
		return started, err
	}
	if err := a.Starter.NudgeEdits(ctx); err != nil {
		return started, err
	}
	_, err = a.Starter.TellRuns(ctx)
	return started, err
}
