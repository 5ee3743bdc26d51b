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

// LedgerOptions are for short work on the database. It is tried for ever: a
// database that is down is an outage, and nothing may be lost in one.
func LedgerOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.TaskQueue,
		StartToCloseTimeout: 15 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
		Summary: summary,
	}
}

// Park records that a delivery waits for a person.
func (a *Ledger) Park(ctx context.Context, park protocol.Park) error {
	return a.ledger.Park(ctx, park)
}

// Settle records a person's decision that ends a delivery.
func (a *Ledger) Settle(ctx context.Context, settle protocol.Settle) (protocol.DeliverPostResult, error) {
	return a.ledger.Settle(ctx, settle)
}
