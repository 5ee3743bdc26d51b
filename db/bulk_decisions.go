package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

// BulkDecision is one decision about all deliveries that waited for a person when
// their number was shown. It is handed to them in steps.
type BulkDecision struct {
	Decision // its line of the audit

	Resume protocol.ResumeAction
	// Deliveries is how many waited. So many have been Handed the decision, and so
	// many did not take it, Refused; others were decided about meanwhile.
	Deliveries, Handed, Refused int
	Finished                    bool
	// Opened are the destinations whose pause it has ended.
	Opened []string

	filter WaitingFilter
	asOf   time.Time
	after  int64
	tries  int
}

// BulkStep is what a step of a bulk decision has come to.
type BulkStep struct {
	After  int64 // those up to this id have been gone through
	Handed int
	// Failed is the delivery after these, which could not be asked and is to be
	// asked again in a minute; 0 if none failed.
	Failed   int64
	Finished bool
}

// Step is a step of the decision that has not begun.
func (b BulkDecision) Step() BulkStep { return BulkStep{After: b.after} }

// DecideAll records a decision about all deliveries that match and have waited for
// a person since a time that CountWaiting gave. The decision's action gets their
// number, and the audit its line, in the same transaction; with open, so end the
// pauses of the destinations where they wait, each with a line of its own.
func (l *Ledger) DecideAll(ctx context.Context, decision Decision, filter WaitingFilter, asOf time.Time, open bool) (bulk BulkDecision, err error) {
	first, beyond, err := l.owedBetween(ctx, filter.Since, filter.Until)
	if err != nil {
		return BulkDecision{}, fmt.Errorf("decide about all: %w", err)
	}
	err = l.inTx(ctx, func(q *relaysql.Queries) error {
		action := decision.Action
		deliveries, _, err := l.countWaiting(ctx, q, filter, asOf)
		if err != nil {
			return err
		}
		line := decision
		line.Action = fmt.Sprintf("%s %d", action, deliveries)
		if line.ID, err = openDecision(ctx, q, line); err != nil {
			return err
		}
		bulk = BulkDecision{Decision: line, Resume: protocol.ResumeAction(action), Deliveries: deliveries}
		err = q.AddBulkDecision(ctx, relaysql.AddBulkDecisionParams{
			ID: line.ID, Action: action, Status: unlessZero(filter.Status), Destination: unlessZero(filter.Destination), Type: unlessZero(filter.Type),
			Since: unlessZero(filter.Since), Until: unlessZero(filter.Until), AsOf: asOf, Deliveries: deliveries,
		})
		if err != nil || !open {
			return err
		}
		bulk.Opened, err = q.OpenWhereWaiting(ctx, relaysql.OpenWhereWaitingParams{
			Status: unlessZero(filter.Status), Destination: unlessZero(filter.Destination), Type: unlessZero(filter.Type), AsOf: asOf, First: first, Before: beyond,
		})
		if err != nil {
			return err
		}
		for _, destination := range bulk.Opened {
			line := Decision{Who: decision.Who, Via: decision.Via, Action: "resume", Subject: "destination/" + destination, Note: decision.Note}
			if line.ID, err = openDecision(ctx, q, line); err != nil {
				return err
			}
			if err := closeDecision(ctx, q, line); err != nil {
				return err
			}
		}
		return nil
	})
	return bulk, wrap(err, "decide about all")
}

// ClaimBulk gives a bulk decision that is not finished to one who makes its next
// step within a minute: the one with an id, or the oldest where that is 0. It
// returns ErrNotFound where there is none that nobody else has.
func (l *Ledger) ClaimBulk(ctx context.Context, id int64) (BulkDecision, error) {
	row, err := l.queries.ClaimBulkDecision(ctx, unlessZero(id))
	if err != nil {
		return BulkDecision{}, fmt.Errorf("claim a bulk decision: %w", notFound(err, "bulk decision %d", id))
	}
	line, err := l.queries.GetAudit(ctx, row.ID)
	return bulkOf(row, line), wrap(err, "claim a bulk decision")
}

// NextOfBulk returns up to most deliveries to which a bulk decision is to be handed
// next: those that wait still.
func (l *Ledger) NextOfBulk(ctx context.Context, bulk BulkDecision, most int) ([]int64, error) {
	first, beyond, err := l.owedBetween(ctx, bulk.filter.Since, bulk.filter.Until)
	if err != nil {
		return nil, fmt.Errorf("what waits for a bulk decision: %w", err)
	}
	ids, err := l.queries.WaitingSince(ctx, relaysql.WaitingSinceParams{
		Status: unlessZero(bulk.filter.Status), Destination: unlessZero(bulk.filter.Destination), Type: unlessZero(bulk.filter.Type),
		AsOf: bulk.asOf, First: max(first, bulk.after+1), Before: beyond, Most: most,
	})
	return ids, wrap(err, "what waits for a bulk decision")
}

// maxBulkTries is how often in a row a delivery is asked to take a bulk decision.
const maxBulkTries = 5

// StepBulk records a step of a bulk decision that was claimed, and gives that back,
// unless a delivery failed: then it rests until the claim runs out. One that has
// failed maxBulkTries times in a row is passed over. The line of the audit is closed
// when the decision is finished, and says how many those were.
func (l *Ledger) StepBulk(ctx context.Context, bulk BulkDecision, step BulkStep) (BulkDecision, error) {
	made := bulk
	made.after, made.tries, made.Handed, made.Finished = step.After, 0, bulk.Handed+step.Handed, step.Finished
	if step.Failed != 0 {
		if made.tries = 1; step.After == bulk.after {
			made.tries = bulk.tries + 1
		}
	}
	if made.tries >= maxBulkTries {
		made.after, made.tries, made.Refused = step.Failed, 0, bulk.Refused+1
	}
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		stepped, err := q.StepBulkDecision(ctx, relaysql.StepBulkDecisionParams{
			ID: bulk.ID, Was: bulk.after, After: made.after, Handed: made.Handed, Refused: made.Refused, Tries: made.tries, Finished: made.Finished,
		})
		if err != nil || stepped == 0 || !made.Finished { // who took 0 rows was late, and another has made the step
			return err
		}
		line := bulk.Decision
		if made.Refused > 0 {
			line.Failure = fmt.Sprintf("%d of %s did not take it", made.Refused, words.Count(made.Deliveries, "delivery", "deliveries"))
		}
		return closeDecision(ctx, q, line)
	})
	return made, wrap(err, "step of a bulk decision")
}

// OpenBulk returns the bulk decisions that are not finished, the oldest first.
func (l *Ledger) OpenBulk(ctx context.Context) ([]BulkDecision, error) {
	rows, err := l.queries.OpenBulkDecisions(ctx)
	return listOf(rows, func(row relaysql.OpenBulkDecisionsRow) BulkDecision {
		return bulkOf(row.RelayBulkDecision, row.RelayAudit)
	}), wrap(err, "bulk decisions")
}

func bulkOf(row relaysql.RelayBulkDecision, line relaysql.RelayAudit) BulkDecision {
	return BulkDecision{
		Decision: Decision{
			ID: line.ID, At: line.At, Who: line.Who, Via: line.Via, Action: line.Action, Subject: line.Subject, Note: line.Note,
			Failure: line.Failure, Open: line.ClosedAt == nil,
		},
		Resume:     protocol.ResumeAction(row.Action),
		Deliveries: row.Deliveries, Handed: row.Handed, Refused: row.Refused,
		filter: WaitingFilter{
			Status: orZero(row.Status), Destination: orZero(row.Destination), Type: orZero(row.Type), Since: orZero(row.Since), Until: orZero(row.Until),
		},
		asOf: row.AsOf, after: row.AfterID, tries: row.Tries,
	}
}
