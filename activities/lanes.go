package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/dispatch"
	"vestnik/internal/protocol"
)

// Lanes speaks with the destinations' lanes.
type Lanes struct {
	dispatcher *dispatch.Dispatcher
	ledger     *db.Ledger
}

// NewLanes returns the activities that speak with lanes.
func NewLanes(dispatcher *dispatch.Dispatcher, ledger *db.Ledger) *Lanes {
	return &Lanes{dispatcher: dispatcher, ledger: ledger}
}

// LaneOptions are for Grant, GiveBack and DeliveryRuns: calls of Temporal's own
// frontend, short enough to be made within a workflow task.
func LaneOptions(summary string) workflow.LocalActivityOptions {
	return workflow.LocalActivityOptions{
		StartToCloseTimeout: 5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 2 * time.Second, MaximumAttempts: 10,
		},
		Summary: summary,
	}
}

// GiveBack returns a granted turn to its lane.
func (a *Lanes) GiveBack(ctx context.Context, destination string, done protocol.TurnDone) error {
	return a.dispatcher.GiveBack(ctx, destination, done)
}

// Grant tells a delivery that it is its turn; false if it does not run. It may
// be told twice: the number of the lease shows that.
func (a *Lanes) Grant(ctx context.Context, workflowID string, granted protocol.TurnGranted) (bool, error) {
	return a.dispatcher.Grant(ctx, workflowID, granted)
}

// DeliveryRuns tells whether a delivery's workflow is running.
func (a *Lanes) DeliveryRuns(ctx context.Context, workflowID string) (bool, error) {
	return a.dispatcher.Runs(ctx, workflowID)
}

// QueueAgain makes a parked delivery pending and puts it at the end of its
// lane's queue.
func (a *Lanes) QueueAgain(ctx context.Context, deliveryID int64) error {
	if err := a.ledger.Requeue(ctx, deliveryID); err != nil {
		return err
	}
	delivery, err := a.ledger.ToQueue(ctx, deliveryID)
	if err != nil {
		return err
	}
	return a.dispatcher.Queue(ctx, delivery.Destination, []db.ToQueue{delivery})
}
