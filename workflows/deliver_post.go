package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

// maxFaults is how many turns in a row a delivery may end with a fault of our
// own that is no outage, before a person is asked to look.
const maxFaults = 10

// DeliverPost takes one post to one destination, part by part: it waits for
// its turn in the destination's lane, sends the next part, gives the turn
// back. What the platform answers decides what comes next; a delivery that
// needs a person waits for one, without a timer and without growing history.
//
// The ledger decides what is owed: a run may be terminated, begun twice or
// lost, and the lane's grant begins the next one.
func DeliverPost(ctx workflow.Context, input protocol.DeliverPostInput) (protocol.DeliverPostResult, error) {
	if err := input.Validate(); err != nil {
		return protocol.DeliverPostResult{}, temporal.NewNonRetryableApplicationError(err.Error(), protocol.ErrRejected, nil)
	}
	d := &delivery{input: input, waiting: ctx, status: protocol.StatusPending, part: 1, wantedAt: input.WantedAt}
	if input.Waiting != nil { // known before the first update is looked at, which may come with the first task
		d.status, d.reason = input.Waiting.Status, input.Waiting.Reason
	}
	// Only a wait ends when the workflow is cancelled: what has been begun is
	// brought to its end and recorded.
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if err := d.setup(ctx); err != nil {
		return protocol.DeliverPostResult{}, err
	}
	return d.run(ctx)
}

type delivery struct {
	input   protocol.DeliverPostInput
	waiting workflow.Context // ends when the workflow is cancelled

	status         string
	reason         string
	part           int       // the part to be sent next, counted from 1
	parts          int       // 0 until the first part was rendered
	messageIDs     [][]int64 // of the parts that this run has sent
	uncertain      int
	faults         int // of our own, in a row
	captchaKey     string
	acknowledgedAt time.Time        // when an operator last said to send again
	decision       *protocol.Resume // an operator's word, not yet acted on
	granted        *protocol.TurnGranted
	lastLease      int64     // the newest turn taken
	usedLease      int64     // granted once more, though it was given back
	look           bool      // the ledger knows something that the run does not
	wantedAt       time.Time // the newest wish that the run knows of

	grants, resumes workflow.ReceiveChannel
}

// setup offers the operator's handles on the delivery.
func (d *delivery) setup(ctx workflow.Context) error {
	d.grants = workflow.GetSignalChannelWithOptions(ctx, protocol.TurnGrantedSignal,
		workflow.SignalChannelOptions{Description: "The lane grants this delivery its turn."})
	d.resumes = workflow.GetSignalChannelWithOptions(ctx, protocol.ResumeDeliverySignal,
		workflow.SignalChannelOptions{Description: "As the update resume; for batches."})
	return workflow.SetUpdateHandlerWithOptions(ctx, protocol.ResumeDeliveryUpdate,
		func(ctx workflow.Context, resume protocol.Resume) (string, error) {
			d.decision = &resume
			return fmt.Sprintf("%s: %s", workflow.GetInfo(ctx).WorkflowExecution.ID, resume.Action), nil
		},
		workflow.UpdateHandlerOptions{
			Description: `Decide about a delivery that waits: {"action": "retry|captcha|mark_sent|skip", "captcha_key": "…", "note": "…"}.`,
			Validator:   d.validateResume,
		})
}

func (d *delivery) validateResume(resume protocol.Resume) error {
	if err := resume.Validate(); err != nil {
		return err
	}
	switch {
	case d.decision != nil:
		return temporal.NewApplicationError(fmt.Sprintf("the delivery is already taking up %q", d.decision.Action), protocol.ErrDecided)
	case d.status == protocol.StatusSending:
		return temporal.NewApplicationError("the delivery is sending right now: try again in a moment", protocol.ErrSending)
	case d.status == protocol.StatusPending && resume.Action != protocol.ResumeSkip && resume.Action != protocol.ResumeMarkSent:
		return temporal.NewApplicationError("the delivery waits for its turn and will be sent by itself; a pause is ended with `vestnik destination resume`", protocol.ErrQueued)
	}
	return nil
}

func (d *delivery) run(ctx workflow.Context) (protocol.DeliverPostResult, error) {
	ended, err := false, error(nil)
	if d.input.Waiting != nil {
		ended, err = d.waitForPerson(ctx)
	}
	for !ended && err == nil {
		if ended, err = d.waitForTurn(ctx); !ended && err == nil {
			ended, err = d.useTurn(ctx)
		}
	}
	if err == nil && d.decision != nil {
		return d.settle(ctx)
	}
	return d.result(), err
}

// useTurn sends the next part and acts on the platform's answer, which may end the
// delivery.
func (d *delivery) useTurn(ctx workflow.Context) (ended bool, err error) {
	sent, err := d.sendPart(ctx)
	if err == nil {
		return d.take(ctx, sent)
	}
	switch next := d.classify(err); next.kind {
	case tryAgain:
		d.status = protocol.StatusPending
		d.giveBack(ctx, protocol.TurnDone{Unsent: true, Look: true})
		return false, nil
	case park:
		return d.park(ctx, next)
	default:
		d.giveBack(ctx, protocol.TurnDone{Unsent: true})
		d.status, d.reason = protocol.StatusFailed, next.reason
		if err := d.publish(ctx); err != nil {
			return true, err
		}
		return true, temporal.NewApplicationErrorWithOptions(
			"the platform refused the message: "+next.reason, protocol.ErrRejected,
			temporal.ApplicationErrorOptions{NonRetryable: true, Cause: err})
	}
}

// waitForTurn returns when the lane has granted a turn, or, with true, when the
// delivery has ended while it waited: an operator has settled it, or the ledger
// knows that nothing is to be sent.
func (d *delivery) waitForTurn(ctx workflow.Context) (ended bool, err error) {
	d.describe(ctx, "waits for its turn in "+protocol.DestinationWorkflowID(d.input.Destination))
	for {
		d.await(func() bool { return d.takeGrants() || d.decision != nil })
		switch {
		case d.decision != nil && !d.decision.Settles() && workflow.GetVersion(ctx, "resumed while pending", workflow.DefaultVersion, 1) == 1:
			// Taken up while the ledger was told that the delivery waits, and it
			// was wanted again meanwhile: its turn comes anyway.
			d.captchaKey, d.decision = d.decision.CaptchaKey, nil
			continue
		case d.decision != nil:
			if d.granted != nil || d.input.Protocol < protocol.LedgerQueue {
				d.giveBack(ctx, protocol.TurnDone{Unsent: true, Look: true})
			}
			return true, nil
		case d.granted != nil:
			return false, nil
		}
		if ended, err := d.lookAtLedger(ctx); ended || err != nil {
			return ended, err
		}
	}
}

// takeGrants takes the newest turn that was granted, each number once. It reports
// whether there is something to do.
func (d *delivery) takeGrants() bool {
	var granted protocol.TurnGranted
	for d.grants.ReceiveAsync(&granted) {
		switch {
		case granted.Lease > d.lastLease:
			d.granted, d.lastLease = &granted, granted.Lease
		case d.input.Protocol < protocol.LedgerQueue:
		case granted.Lease == 0:
			d.look = true
		case granted.Lease == d.lastLease && d.granted == nil:
			d.usedLease = granted.Lease
		}
	}
	return d.granted != nil || d.look || d.usedLease != 0
}

// lookAtLedger gives a turn back that was granted once more, and ends the
// delivery if it has come to rest from outside.
func (d *delivery) lookAtLedger(ctx workflow.Context) (ended bool, err error) {
	if used := d.usedLease; used != 0 {
		d.usedLease = 0
		d.granted = &protocol.TurnGranted{Lease: used}
		d.giveBack(ctx, protocol.TurnDone{Unsent: true, Look: true})
	}
	if !d.look {
		return false, nil
	}
	d.look = false
	var lanes *activities.Lanes
	var status string
	if err := execute(ctx, activities.LedgerOptions("what has become of it"), lanes.Status, &status, d.input.DeliveryKey); err != nil {
		return false, err
	}
	switch status {
	case protocol.StatusSent, protocol.StatusSuppressed, protocol.StatusFailed, protocol.StatusUnrecorded:
		d.status, d.reason = status, ""
		return true, d.publish(ctx)
	}
	return false, nil
}

func (d *delivery) sendPart(ctx workflow.Context) (protocol.PartSent, error) {
	d.status = protocol.StatusSending
	what := fmt.Sprintf("part %d", d.part)
	if d.parts > 0 {
		what = fmt.Sprintf("part %d of %d", d.part, d.parts)
	}
	d.describe(ctx, "sends "+what)
	options := activities.SendOptions(d.input.Destination, what+" → "+d.input.Destination)
	request := protocol.SendPart{
		DeliveryKey: d.input.DeliveryKey, Lease: d.granted.Lease, SendAt: d.granted.SendAt,
		CaptchaKey: d.captchaKey, AcknowledgedAt: d.acknowledgedAt,
		Arrived: d.messageIDs, GiveBack: d.input.Protocol >= protocol.LedgerQueue,
	}
	d.captchaKey = "" // good for one call

	var telegram *activities.Telegram
	var vk *activities.VK
	var send any = telegram.SendToTelegram
	if protocol.Platform(d.input.Destination) == protocol.VK {
		send = vk.SendToVK
	}
	var sent protocol.PartSent
	err := execute(ctx, options, send, &sent, request)
	return sent, err
}

// take takes in that a part has arrived, or that nothing is left to send; done
// ends the delivery. What the ledger does not know yet is recorded first, until
// it succeeds (no limit).
func (d *delivery) take(ctx workflow.Context, sent protocol.PartSent) (done bool, err error) {
	if sent.Arrival != nil {
		var ledger *activities.Ledger
		if err := execute(ctx, activities.LedgerOptions("record what has arrived"), ledger.RecordArrival, nil, *sent.Arrival); err != nil {
			return false, err
		}
	}
	d.part, d.parts, d.uncertain, d.faults = sent.Part+1, sent.Parts, sent.Uncertain, 0
	for len(d.messageIDs) < sent.Part {
		d.messageIDs = append(d.messageIDs, nil)
	}
	if sent.Part > 0 && sent.MessageIDs != nil {
		d.messageIDs[sent.Part-1] = sent.MessageIDs
	}
	if sent.GaveBack {
		d.granted = nil
	} else {
		d.giveBack(ctx, protocol.TurnDone{Again: !sent.Done, Weight: sent.NextWeight, SentAt: sent.SentAt})
	}
	if !sent.Done {
		d.status = protocol.StatusPending
		return false, nil
	}
	d.status, d.reason = cmp.Or(sent.Status, protocol.StatusSent), sent.Reason
	if d.uncertain > 0 {
		d.reason = d.unknownOutcomes()
	}
	return true, d.publish(ctx)
}

// giveBack returns the turn. It is tried within the workflow task first, where
// it costs next to nothing, and then for as long as it takes.
func (d *delivery) giveBack(ctx workflow.Context, done protocol.TurnDone) {
	done.WorkflowID = workflow.GetInfo(ctx).WorkflowExecution.ID
	if d.granted != nil {
		done.Lease = d.granted.Lease
	}
	d.granted = nil
	var lanes *activities.Lanes
	local := workflow.WithLocalActivityOptions(ctx, activities.QuickOptions("give the turn back"))
	err := workflow.ExecuteLocalActivity(local, lanes.GiveBack, d.input.Destination, done).Get(ctx, nil)
	if err != nil && d.input.Protocol >= protocol.LedgerQueue {
		err = execute(ctx, activities.LedgerOptions("give the turn back"), lanes.GiveBack, nil, d.input.Destination, done)
	}
	if err != nil { // the lane asks the ledger when the lease runs out
		workflow.GetLogger(ctx).Warn("turn not given back", "destination", d.input.Destination, "error", err)
	}
}

// park records that a person is needed and waits for one; ended is as for
// waitForPerson.
func (d *delivery) park(ctx workflow.Context, next next) (ended bool, err error) {
	if d.input.Protocol < protocol.LedgerQueue {
		d.giveBack(ctx, protocol.TurnDone{Unsent: true, Look: true})
	}
	for d.resumes.ReceiveAsync(nil) {
		workflow.GetLogger(ctx).Info("resume signal ignored: it came before the delivery was parked")
	}
	d.status, d.reason = next.status, next.reason
	if wanted, ended, err := d.rest(ctx); wanted || ended || err != nil {
		return ended, err
	}
	if d.granted != nil {
		d.giveBack(ctx, protocol.TurnDone{Unsent: true, Look: true})
	}
	if err := d.publish(ctx); err != nil {
		return false, err
	}
	return d.waitForPerson(ctx)
}

// rest records that the delivery waits for a person, and why. The ledger may know
// better: that it was wanted anew meanwhile, or has ended.
func (d *delivery) rest(ctx workflow.Context) (wanted, ended bool, err error) {
	var ledger *activities.Ledger
	var status string
	if err := execute(ctx, activities.LedgerOptions("record why it waits"), ledger.Park, &status, protocol.Park{
		DeliveryKey: d.input.DeliveryKey, Status: d.status, Reason: d.reason, WantedAt: d.wantedAt,
	}); err != nil {
		return false, false, err
	}
	switch status {
	case protocol.StatusPending:
		d.status, d.reason, d.wantedAt = status, "", workflow.Now(ctx)
		return true, false, d.publish(ctx)
	case protocol.StatusSent, protocol.StatusSuppressed:
		d.status, d.reason = status, ""
		if d.granted != nil {
			d.giveBack(ctx, protocol.TurnDone{Unsent: true, Look: true})
		}
		return false, true, d.publish(ctx)
	}
	return false, false, nil
}

// waitForPerson waits for a decision. It reports true if that ended the
// delivery, false if it is to be sent again: then the ledger owes it.
func (d *delivery) waitForPerson(ctx workflow.Context) (ended bool, err error) {
	d.describe(ctx, fmt.Sprintf("waits for a person: %s. `vestnik resume %d`, `vestnik skip %d`, or the update `resume`", d.reason, d.input.DeliveryID, d.input.DeliveryID))
	for d.decision == nil {
		d.await(func() bool {
			return d.takeDecision() || d.input.Protocol >= protocol.LedgerQueue && d.takeGrants()
		})
		if d.granted != nil { // the lane believes that it is owed: the ledger may have been restored
			if wanted, ended, err := d.rest(ctx); wanted || ended || err != nil {
				return ended, err
			}
			d.giveBack(ctx, protocol.TurnDone{Unsent: true, Look: true})
		}
		if ended, err := d.lookAtLedger(ctx); ended || err != nil {
			return ended, err
		}
	}
	if d.decision.Settles() {
		return true, nil
	}
	return d.queueAgain(ctx)
}

// takeDecision reports whether there is a person's decision, by the update or the signal.
func (d *delivery) takeDecision() bool {
	var resume protocol.Resume
	for d.decision == nil && d.resumes.ReceiveAsync(&resume) {
		if resume.Validate() == nil {
			d.decision = &resume
		}
	}
	return d.decision != nil
}

// queueAgain has the ledger owe a delivery that a person wants to be sent again. It
// reports true if that had arrived.
func (d *delivery) queueAgain(ctx workflow.Context) (ended bool, err error) {
	d.captchaKey, d.decision = d.decision.CaptchaKey, nil
	if d.status == protocol.StatusUnknown || d.input.Protocol >= protocol.LedgerQueue {
		d.acknowledgedAt = workflow.Now(ctx)
	}
	d.status, d.reason, d.faults = protocol.StatusPending, "", 0
	if err := d.publish(ctx); err != nil {
		return false, err
	}
	var lanes *activities.Lanes
	var requeued protocol.Requeued
	if err := execute(ctx, activities.LedgerOptions("queue again"), lanes.QueueAgain, &requeued, d.input.DeliveryKey); err != nil {
		return false, err
	}
	d.wantedAt = requeued.WantedAt
	if requeued.Status == protocol.StatusSent { // it had arrived, and word of it came late
		d.status = requeued.Status
		return true, d.publish(ctx)
	}
	return false, nil
}

func (d *delivery) result() protocol.DeliverPostResult {
	result := protocol.DeliverPostResult{Status: d.status, Reason: d.reason, Parts: d.parts, WantedAt: d.wantedAt}
	if slices.ContainsFunc(d.messageIDs, func(ids []int64) bool { return ids != nil }) {
		result.MessageIDs = d.messageIDs
	}
	return result
}

// settle records an operator's decision that ends the delivery.
func (d *delivery) settle(ctx workflow.Context) (protocol.DeliverPostResult, error) {
	var ledger *activities.Ledger
	ctx = workflow.WithActivityOptions(ctx, activities.LedgerOptions("record the operator's decision"))
	settle := protocol.Settle{DeliveryKey: d.input.DeliveryKey, Action: d.decision.Action, Note: d.decision.Note}
	var result protocol.DeliverPostResult
	if err := workflow.ExecuteActivity(ctx, ledger.Settle, settle).Get(ctx, &result); err != nil {
		return result, err
	}
	d.status, d.reason = result.Status, result.Reason
	if err := d.publish(ctx); err != nil {
		return result, err
	}
	return d.result(), d.waiting.Err()
}

// await waits without a timer. Whoever cancels the workflow wants the delivery
// skipped.
func (d *delivery) await(condition func() bool) {
	if err := workflow.Await(d.waiting, condition); err != nil && d.decision == nil {
		d.decision = &protocol.Resume{Action: protocol.ResumeSkip, Note: "its workflow was cancelled"}
	}
}

// publish brings the search attributes in step with the status, so that an
// operator's inbox is a list in the Web UI, with no worker running. They carry
// slugs only: the words are in the ledger.
func (d *delivery) publish(ctx workflow.Context) error {
	d.describe(ctx, d.status)
	reason := d.reason
	if atRest := d.status == protocol.StatusSent || d.status == protocol.StatusSuppressed; atRest && d.input.Protocol >= protocol.LedgerQueue {
		reason = ""
	}
	return workflow.UpsertTypedSearchAttributes(ctx,
		protocol.DeliveryState.ValueSet(d.status),
		keywordOrUnset(protocol.ParkReason, reason))
}

func (d *delivery) unknownOutcomes() string {
	return words.Count(d.uncertain, "attempt", "attempts") + " of unknown outcome"
}

// describe sets what the Web UI shows of a running delivery.
func (d *delivery) describe(ctx workflow.Context, now string) {
	text := fmt.Sprintf("[%s](https://vk.com/%[1]s) → %s: %s",
		protocol.WallPost(d.input.OwnerID, d.input.PostID), d.input.Destination, now)
	if d.uncertain > 0 {
		text += "\n\n" + d.unknownOutcomes()
	}
	workflow.SetCurrentDetails(ctx, text)
}
