package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/starter"
)

// Lanes reads the ledger for the lanes and speaks between them and deliveries.
type Lanes struct {
	Starter *starter.Starter
	Ledger  *db.Ledger
	// Pace is how fast each destination is configured to be sent to.
	Pace func(destination string) protocol.Pace
	// Quiet is how long it stays quiet at a destination, 0 if it is not.
	Quiet func(destination string) time.Duration
}

// QuickOptions are for local activities: short calls of our own servers, made
// within a workflow task, some two seconds in all. What fails here is tried
// again as an ordinary activity (see LedgerOptions), or later.
func QuickOptions(summary string) workflow.LocalActivityOptions {
	return workflow.LocalActivityOptions{
		StartToCloseTimeout: 2 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumAttempts: 4,
		},
		Summary: summary,
	}
}

// Next says what a lane is to do next.
func (a *Lanes) Next(ctx context.Context, destination string) (protocol.LaneView, error) {
	view, err := a.Ledger.Next(ctx, destination, a.Pace(destination))
	if quiet := a.Quiet(destination); quiet > view.CoolFor {
		view.CoolFor, view.CoolReason = quiet, protocol.ReasonQuietHours
	}
	return view, err
}

// Begin is Next for a lane that begins: it says what was sent within the last
// minute, too.
func (a *Lanes) Begin(ctx context.Context, destination string, within time.Duration) (protocol.LaneView, error) {
	view, err := a.Next(ctx, destination)
	if err == nil {
		view.Sent, err = a.Ledger.SentLately(ctx, destination, within)
	}
	return view, err
}

// Grant gives a delivery its turn; false if it turned out to be settled. It may
// be told twice: the number of the lease shows that.
func (a *Lanes) Grant(ctx context.Context, grant protocol.Grant) (bool, error) {
	return a.Starter.Grant(ctx, grant)
}

// GiveBack returns a granted turn to its lane.
func (a *Lanes) GiveBack(ctx context.Context, destination string, done protocol.TurnDone) error {
	return a.Starter.GiveBack(ctx, destination, done)
}

// StillOwed reports whether a delivery is still to be sent.
func (a *Lanes) StillOwed(ctx context.Context, key protocol.DeliveryKey) (bool, error) {
	status, err := a.Ledger.Status(ctx, key)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return status == protocol.StatusPending || status == protocol.StatusSending, err
}

// Status returns a delivery's status; unrecorded if the ledger does not know it.
func (a *Lanes) Status(ctx context.Context, key protocol.DeliveryKey) (string, error) {
	status, err := a.Ledger.Status(ctx, key)
	if errors.Is(err, db.ErrNotFound) {
		return protocol.StatusUnrecorded, nil
	}
	return status, err
}

// QueueAgain makes a delivery that waited for a person pending again, nudges its
// lane and returns how it stands.
func (a *Lanes) QueueAgain(ctx context.Context, key protocol.DeliveryKey) (protocol.Requeued, error) {
	requeued, err := a.Ledger.Requeue(ctx, key)
	if err != nil {
		return requeued, err
	}
	return requeued, a.Starter.Nudge(ctx, key.Destination)
}

// Pause keeps a destination silent and returns what holds for it now.
func (a *Lanes) Pause(ctx context.Context, destination string, pause protocol.Pause) (protocol.LaneView, error) {
	if err := a.Ledger.Pause(ctx, destination, pause); err != nil {
		return protocol.LaneView{}, err
	}
	return a.Next(ctx, destination)
}

// Resume ends a pause and a cooldown, takes up the delivery that had caused the
// pause, and returns what holds now.
func (a *Lanes) Resume(ctx context.Context, destination string) (protocol.LaneView, error) {
	takenUp, err := a.Ledger.Resume(ctx, destination)
	if err != nil {
		return protocol.LaneView{}, err
	}
	view, err := a.Next(ctx, destination)
	view.TakenUp = takenUp
	return view, err
}

// SetRate sets a rate that holds until the configured one changes, and returns
// what holds now.
func (a *Lanes) SetRate(ctx context.Context, destination string, pace protocol.Pace) (protocol.LaneView, error) {
	if err := a.Ledger.SetRate(ctx, destination, pace, a.Pace(destination)); err != nil {
		return protocol.LaneView{}, err
	}
	return a.Next(ctx, destination)
}
