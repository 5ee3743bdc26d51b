package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

// coolAfterUnavailable keeps the next delivery from starting its own round of
// attempts right after one has used all of its own up.
const coolAfterUnavailable = time.Minute

// DeliverPost takes one post to one destination, part by part: it waits for
// its turn in the destination's lane, sends the next part, gives the turn
// back. What the platform answers decides what comes next; a delivery that
// needs a person waits for one, without a timer and without growing history.
//
// Whoever starts it also queues it in the lane (see starter.Deliver), because
// only there is the order of several deliveries known.
func DeliverPost(ctx workflow.Context, input protocol.DeliverPostInput) (protocol.DeliverPostResult, error) {
	if err := input.Validate(); err != nil {
		return protocol.DeliverPostResult{}, temporal.NewNonRetryableApplicationError(err.Error(), protocol.ErrRejected, nil)
	}
	d := &delivery{input: input, waiting: ctx, status: protocol.StatusPending, part: 1}
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

	status     string
	reason     string
	part       int // the part to be sent next, counted from 1
	parts      int // 0 until the first part was rendered
	uncertain  int
	captchaKey string
	forgiven   time.Time        // when an operator last forgave unknown outcomes
	decision   *protocol.Resume // an operator's word, not yet acted on
	granted    *protocol.TurnGranted
	lastLease  int64 // the newest turn taken
}

// setup offers the operator's handles on the delivery.
func (d *delivery) setup(ctx workflow.Context) error {
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
		return fmt.Errorf("the delivery is already taking up %q", d.decision.Action)
	case d.status == protocol.StatusSending:
		return errors.New("the delivery is sending right now: try again in a moment")
	case d.status == protocol.StatusPending && resume.Action != protocol.ResumeSkip && resume.Action != protocol.ResumeMarkSent:
		return errors.New("the delivery waits for its turn and will be sent by itself; a pause is ended with `vestnik destination resume`")
	}
	return nil
}

func (d *delivery) run(ctx workflow.Context) (protocol.DeliverPostResult, error) {
	for {
		if settled := d.waitForTurn(ctx); settled {
			return d.settle(ctx)
		}
		sent, err := d.sendPart(ctx)
		if err == nil {
			d.part, d.parts, d.uncertain = sent.Part+1, sent.Parts, sent.Uncertain
			if sent.Done {
				return d.finish(ctx, sent)
			}
			d.status = protocol.StatusPending
			d.giveBack(ctx, protocol.TurnDone{Again: true, Weight: sent.NextWeight, SentAt: sent.SentAt})
			continue
		}
		switch verdict := judge(err); verdict.kind {
		case tryAgain:
			d.status = protocol.StatusPending
			d.giveBack(ctx, protocol.TurnDone{Again: true, Unsent: true, CoolFor: verdict.coolFor, Reason: verdict.reason})
		case park:
			d.giveBack(ctx, protocol.TurnDone{CoolFor: verdict.coolFor, Pause: verdict.pauseLane, Reason: verdict.reason})
			settled, err := d.park(ctx, verdict)
			if err != nil {
				return protocol.DeliverPostResult{}, err
			}
			if settled {
				return d.settle(ctx)
			}
		default:
			d.giveBack(ctx, protocol.TurnDone{})
			d.status, d.reason = protocol.StatusFailed, verdict.reason
			if err := d.publish(ctx); err != nil {
				return protocol.DeliverPostResult{}, err
			}
			return protocol.DeliverPostResult{}, temporal.NewApplicationErrorWithOptions(
				"the platform refused the message: "+verdict.reason, protocol.ErrRejected,
				temporal.ApplicationErrorOptions{NonRetryable: true, Cause: err})
		}
	}
}

// waitForTurn returns when the lane has granted a turn, or, with true, when an
// operator has settled the delivery while it waited.
func (d *delivery) waitForTurn(ctx workflow.Context) (settled bool) {
	d.describe(ctx, "waits for its turn in "+protocol.DestinationWorkflowID(d.input.Destination))
	grants := workflow.GetSignalChannelWithOptions(ctx, protocol.TurnGrantedSignal,
		workflow.SignalChannelOptions{Description: "The lane grants this delivery its turn."})
	d.await(func() bool {
		var granted protocol.TurnGranted
		for grants.ReceiveAsync(&granted) {
			if granted.Lease > d.lastLease {
				d.granted, d.lastLease = &granted, granted.Lease
			}
		}
		return d.granted != nil || d.decision != nil
	})
	if d.decision != nil {
		d.giveBack(ctx, protocol.TurnDone{Unsent: true})
		return true
	}
	return false
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
		DeliveryID: d.input.DeliveryID, SendAt: d.granted.SendAt,
		CaptchaKey: d.captchaKey, Forgiven: d.forgiven,
	}
	d.captchaKey = "" // good for one call

	var sent protocol.PartSent
	ctx = workflow.WithActivityOptions(ctx, options)
	if protocol.Platform(d.input.Destination) == protocol.VK {
		var vk *activities.VK
		return sent, workflow.ExecuteActivity(ctx, vk.SendToVK, request).Get(ctx, &sent)
	}
	var telegram *activities.Telegram
	return sent, workflow.ExecuteActivity(ctx, telegram.SendToTelegram, request).Get(ctx, &sent)
}

// giveBack returns the turn, or withdraws from the queue if there was none.
func (d *delivery) giveBack(ctx workflow.Context, done protocol.TurnDone) {
	done.WorkflowID = workflow.GetInfo(ctx).WorkflowExecution.ID
	if d.granted != nil {
		done.Lease = d.granted.Lease
	}
	d.granted = nil
	var lanes *activities.Lanes
	ctx = workflow.WithLocalActivityOptions(ctx, activities.LaneOptions("give the turn back"))
	if err := workflow.ExecuteLocalActivity(ctx, lanes.GiveBack, d.input.Destination, done).Get(ctx, nil); err != nil {
		// The lane finds out by itself when the lease runs out.
		workflow.GetLogger(ctx).Warn("turn not given back", "destination", d.input.Destination, "error", err)
	}
}

// park waits for a person. It returns true if that person settled the
// delivery, false if it is to be sent again: then it stands in the queue.
func (d *delivery) park(ctx workflow.Context, verdict verdict) (settled bool, err error) {
	signals := workflow.GetSignalChannelWithOptions(ctx, protocol.ResumeDeliverySignal,
		workflow.SignalChannelOptions{Description: "As the update resume; for batches."})
	for signals.ReceiveAsync(nil) {
		workflow.GetLogger(ctx).Info("resume signal ignored: it came before the delivery was parked")
	}
	d.status, d.reason = verdict.status, verdict.reason
	var ledger *activities.Ledger
	recordCtx := workflow.WithActivityOptions(ctx, activities.LedgerOptions("record why it waits"))
	if err := workflow.ExecuteActivity(recordCtx, ledger.Park, protocol.Park{
		DeliveryID: d.input.DeliveryID, Status: d.status, Reason: d.reason,
	}).Get(ctx, nil); err != nil {
		return false, err
	}
	if err := d.publish(ctx); err != nil {
		return false, err
	}
	d.describe(ctx, fmt.Sprintf("waits for a person: %s. `vestnik resume %d`, `vestnik skip %d`, or the update `resume`", d.reason, d.input.DeliveryID, d.input.DeliveryID))

	d.await(func() bool {
		var resume protocol.Resume
		for d.decision == nil && signals.ReceiveAsync(&resume) {
			if resume.Validate() == nil {
				d.decision = &resume
			}
		}
		return d.decision != nil
	})
	decision := *d.decision
	if decision.Action == protocol.ResumeSkip || decision.Action == protocol.ResumeMarkSent {
		return true, nil
	}
	d.decision = nil
	d.captchaKey = decision.CaptchaKey
	if d.status == protocol.StatusUnknown {
		d.forgiven = workflow.Now(ctx)
	}
	d.status, d.reason = protocol.StatusPending, ""
	if err := d.publish(ctx); err != nil {
		return false, err
	}
	var lanes *activities.Lanes
	queueCtx := workflow.WithActivityOptions(ctx, activities.LedgerOptions("queue again"))
	return false, workflow.ExecuteActivity(queueCtx, lanes.QueueAgain, d.input.DeliveryID).Get(ctx, nil)
}

// settle records an operator's decision that ends the delivery.
func (d *delivery) settle(ctx workflow.Context) (protocol.DeliverPostResult, error) {
	var ledger *activities.Ledger
	ctx = workflow.WithActivityOptions(ctx, activities.LedgerOptions("record the operator's decision"))
	settle := protocol.Settle{DeliveryID: d.input.DeliveryID, Action: d.decision.Action, Note: d.decision.Note}
	var result protocol.DeliverPostResult
	if err := workflow.ExecuteActivity(ctx, ledger.Settle, settle).Get(ctx, &result); err != nil {
		return result, err
	}
	d.status, d.reason = result.Status, result.Reason
	if err := d.publish(ctx); err != nil {
		return result, err
	}
	return result, d.waiting.Err()
}

// await waits without a timer. Whoever cancels the workflow wants the delivery
// skipped.
func (d *delivery) await(condition func() bool) {
	if err := workflow.Await(d.waiting, condition); err != nil && d.decision == nil {
		d.decision = &protocol.Resume{Action: protocol.ResumeSkip, Note: "its workflow was cancelled"}
	}
}

func (d *delivery) finish(ctx workflow.Context, sent protocol.PartSent) (protocol.DeliverPostResult, error) {
	d.giveBack(ctx, protocol.TurnDone{SentAt: sent.SentAt})
	d.status, d.reason = cmp.Or(sent.Status, protocol.StatusSent), ""
	if d.uncertain > 0 {
		d.reason = fmt.Sprintf("%d attempts of unknown outcome", d.uncertain)
	}
	return protocol.DeliverPostResult{Status: d.status, Reason: d.reason, Parts: d.parts}, d.publish(ctx)
}

// publish brings the search attributes in step with the status, so that an
// operator's inbox is a list in the Web UI, with no worker running.
func (d *delivery) publish(ctx workflow.Context) error {
	d.describe(ctx, d.status)
	return workflow.UpsertTypedSearchAttributes(ctx,
		protocol.DeliveryState.ValueSet(d.status),
		keywordOrUnset(protocol.ParkReason, d.reason))
}

// describe sets what the Web UI shows of a running delivery.
func (d *delivery) describe(ctx workflow.Context, now string) {
	text := fmt.Sprintf("[%s](https://vk.com/%[1]s) → %s: %s",
		protocol.WallPost(d.input.OwnerID, d.input.PostID), d.input.Destination, now)
	if d.uncertain > 0 {
		text += fmt.Sprintf("\n\n%d attempts of unknown outcome", d.uncertain)
	}
	workflow.SetCurrentDetails(ctx, text)
}

type verdictKind int

const (
	fail verdictKind = iota
	tryAgain
	park
)

// verdict is what the delivery makes of a send that did not succeed.
type verdict struct {
	kind      verdictKind
	status    string
	reason    string
	pauseLane bool
	coolFor   time.Duration
}

// judge maps how a send activity ended to what happens to the delivery. The
// platforms' own answers were classified before, in their catalogues.
func judge(err error) verdict {
	unavailable := verdict{kind: park, status: protocol.StatusParked, reason: protocol.ReasonUnavailable, coolFor: coolAfterUnavailable}
	var failure *temporal.ApplicationError
	if !errors.As(err, &failure) {
		return unavailable // every attempt timed out, or the workers kept dying
	}
	var refusal protocol.Refusal
	if failure.HasDetails() {
		_ = failure.Details(&refusal)
	}
	switch failure.Type() {
	case protocol.ErrRateLimited:
		return verdict{kind: tryAgain, coolFor: failure.NextRetryDelay(), reason: refusal.Reason}
	case protocol.ErrParked:
		return verdict{kind: park, status: protocol.StatusParked, reason: refusal.Reason, pauseLane: refusal.PauseLane}
	case protocol.ErrUnknownParked, protocol.ErrOutcomeUnknown:
		return verdict{kind: park, status: protocol.StatusUnknown, reason: protocol.ReasonOutcomeUnknown}
	case protocol.ErrRejected:
		return verdict{kind: fail, reason: refusal.Reason}
	default:
		return unavailable
	}
}
