package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/protocol"
)

// Ledger records what becomes of deliveries outside of sending.
type Ledger struct {
	ledger *db.Ledger
}

// NewLedger returns the activities on the ledger.
func NewLedger(ledger *db.Ledger) *Ledger { return &Ledger{ledger: ledger} }

// LedgerOptions are for short work on our own servers. It is tried for ever: a
// database that is down is an outage, and nothing may be lost in one.
func LedgerOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.TaskQueue,
		StartToCloseTimeout: 15 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second,
		},
		Summary: summary,
	}
}

// RecordArrival records a part that a platform has taken while the ledger was
// away. A row that is gone, with a restored database, is no error: nothing can
// be recorded about it.
func (a *Ledger) RecordArrival(ctx context.Context, arrival protocol.Arrival) error {
	_, err := a.ledger.Arrived(ctx, arrival)
	return unlessGone(err)
}

// Park records that a delivery waits for a person, and returns its status: it is
// another if the ledger knows better.
func (a *Ledger) Park(ctx context.Context, park protocol.Park) (string, error) {
	status, err := a.ledger.Park(ctx, park)
	return status, unlessGone(err)
}

// Settle records a person's decision that ends a delivery.
func (a *Ledger) Settle(ctx context.Context, settle protocol.Settle) (protocol.DeliverPostResult, error) {
	result, err := a.ledger.Settle(ctx, settle)
	return result, unlessGone(err)
}
