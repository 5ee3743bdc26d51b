package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

const (
	// requeueAfter is how long a delivery may wait before it is queued again,
	// in case its lane has lost it. Queueing twice is harmless.
	requeueAfter = 10 * time.Minute
	// queueBatch is how many deliveries are started before they are queued.
	queueBatch = 200
)

// StartDeliveries starts what is owed and not queued yet, and queues again
// what has waited so long that its lane may have lost it: deliveries, then the
// amendments of what was delivered.
func (a *Walls) StartDeliveries(ctx context.Context) (int, error) {
	if _, err := a.Ledger.ReleaseStranded(ctx, time.Now().Add(-a.CaseWindow)); err != nil {
		return 0, err
	}
	started, err := a.startDeliveries(ctx)
	if err != nil {
		return started, err
	}
	return started, a.startAmendments(ctx)
}

func (a *Walls) startAmendments(ctx context.Context) error {
	for {
		due, err := a.Ledger.AmendmentsDue(ctx, time.Now(), queueBatch)
		if err != nil || len(due) == 0 {
			return err
		}
		if err := a.Dispatcher.Amend(ctx, due); err != nil {
			return err
		}
		activity.RecordHeartbeat(ctx)
	}
}

func (a *Walls) startDeliveries(ctx context.Context) (int, error) {
	started := 0
	for before := time.Now().Add(-requeueAfter); ; {
		deliveries, err := a.Ledger.Unqueued(ctx, before, queueBatch)
		if err != nil || len(deliveries) == 0 {
			return started, err
		}
		if err := a.Dispatcher.Deliver(ctx, deliveries); err != nil {
			return started, err
		}
		started += len(deliveries)
		activity.RecordHeartbeat(ctx, started)
	}
}
