package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"vestnik/db"
	"vestnik/internal/operators"
	"vestnik/internal/protocol"
)

const (
	// bulkStep is how many deliveries one step of a bulk decision hands it to, and
	// atOnce how many of them at the same time.
	bulkStep = 200
	atOnce   = 8
	// maxHandedOn is about how many deliveries one call of HandOn goes through:
	// 14 million a day.
	maxHandedOn = 10_000
)

// DecideAll decides about all deliveries that match and have waited for a person
// since a time that db.Ledger.CountWaiting gave. The decision is recorded, with one
// line of the audit about subject, and with open the pauses of the destinations where
// they wait end with it; the first step hands it on at once, and recovery
// the others, whatever becomes of this process. It does not wait for what comes of
// it: deliveries take it up when a worker runs.
func (s *Starter) DecideAll(ctx context.Context, subject string, filter db.WaitingFilter, asOf time.Time, resume protocol.Resume, open bool) (db.BulkDecision, error) {
	if err := resume.Validate(); err != nil {
		return db.BulkDecision{}, err
	}
	if resume.Action == protocol.ResumeCaptcha {
		return db.BulkDecision{}, errors.New("a captcha's answer is for one delivery")
	}
	actor := operators.Of(ctx)
	bulk, err := s.Ledger.DecideAll(ctx, db.Decision{
		Who: actor.Name, Via: actor.Via, Action: string(resume.Action), Subject: subject, Note: resume.Note,
	}, filter, asOf, open)
	if err != nil {
		return db.BulkDecision{}, err
	}
	for _, destination := range bulk.Opened {
		if err := s.Nudge(ctx, destination); err != nil {
			s.Log.WarnContext(ctx, "opened lane left to recovery", "destination", destination, "error", err)
		}
	}
	stepped, err := s.stepBulk(ctx, bulk.ID)
	if err != nil {
		s.Log.WarnContext(ctx, "bulk decision left to recovery", "decision", bulk.ID, "error", err)
		return bulk, nil
	}
	if !stepped.Finished { // the next round, at most a minute away, does it otherwise
		_ = s.Temporal.ScheduleClient().GetHandle(ctx, protocol.RecoverID).Trigger(ctx, client.ScheduleTriggerOptions{})
	}
	return stepped, nil
}

// HandOn makes steps of bulk decisions until nothing is left or it has gone through
// about maxHandedOn deliveries.
func (s *Starter) HandOn(ctx context.Context) error {
	for range maxHandedOn / bulkStep {
		_, err := s.stepBulk(ctx, 0)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stepBulk hands a bulk decision, the oldest where id is 0, to the next deliveries
// that wait for one. It returns db.ErrNotFound if there is none to be handed on,
// and the failures of deliveries that could not be asked.
func (s *Starter) stepBulk(ctx context.Context, id int64) (db.BulkDecision, error) {
	ctx = operators.As(ctx, operators.Actor{}) // one line of the audit is enough
	bulk, err := s.Ledger.ClaimBulk(ctx, id)
	if err != nil {
		return db.BulkDecision{}, err
	}
	ids, err := s.Ledger.NextOfBulk(ctx, bulk, bulkStep)
	if err != nil {
		return db.BulkDecision{}, err
	}
	failures := make([]error, len(ids))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, id := range ids {
		group.Go(func() error {
			failures[i] = s.handOver(ctx, id, protocol.Resume{Action: bulk.Resume, Note: bulk.Note})
			return nil
		})
	}
	_ = group.Wait()
	step := bulk.Step()
	for i, id := range ids {
		if failures[i] != nil {
			step.Failed = id
			break
		}
		step.After, step.Handed = id, step.Handed+1
	}
	step.Finished = step.Failed == 0 && len(ids) < bulkStep
	bulk, err = s.Ledger.StepBulk(ctx, bulk, step)
	return bulk, errors.Join(append(failures, err)...)
}

func (s *Starter) handOver(ctx context.Context, id int64, resume protocol.Resume) error {
	delivery, err := s.Ledger.Delivery(ctx, id)
	if err != nil {
		return err
	}
	err = s.Temporal.SignalWorkflow(ctx, delivery.WorkflowID, "", protocol.ResumeDeliverySignal, resume)
	if isNotFound(err) {
		_, err = s.Resume(ctx, id, resume)
		return err
	}
	if err != nil {
		return fmt.Errorf("delivery %d: %w", id, err)
	}
	return nil
}
