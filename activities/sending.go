package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/telemetry"
	"vestnik/internal/words"
	"vestnik/starter"
)

const (
	// maxUnknown is how many attempts at one part may end without any answer
	// before a person is asked, whatever the policy: each may have put one
	// more copy before the readers.
	maxUnknown = 5
	// recordTime is how long the outcome of a call is tried to be recorded by
	// the activity, worker stopping or not. What has arrived is recorded by the
	// workflow then; what has not, is unknown later on.
	recordTime = 5 * time.Second
	// sendTries is how many tries a turn has while the platform is unavailable.
	sendTries = 4
	// deadlineSlack is how much longer the ledger counts with a call than the
	// worker that makes it.
	deadlineSlack = time.Second
)

// SendOptions are for SendToTelegram and SendToVK. The retry policy is for an
// unavailable platform: a few tries within the turn, 1 s ×2 apart; then the
// lane's breaker takes over. A database that is away is waited for within the
// activity, and uses up no tries. Everything else that a platform may answer
// ends the activity with a typed error. There is no limit from scheduling on,
// because a paused task queue must not cost a delivery.
func SendOptions(destination, summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.Platform(destination), // the queues are named after the platforms
		StartToCloseTimeout: 30 * time.Minute,
		HeartbeatTimeout:    HeartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: sendTries,
		},
		Summary: summary,
	}
}

// Outbound is what the sending activities share.
type Outbound struct {
	Ledger  *db.Ledger
	Posts   *db.Posts
	Starter *starter.Starter
	Routes  func() *route.Routes
	// MaxAge is the age from which a post is not sent any more, unless a person
	// asks for it.
	MaxAge  time.Duration
	Log     *slog.Logger
	Metrics *telemetry.Metrics
}

// sendJob is a delivery with all that is needed to send its next part.
type sendJob struct {
	db.Delivery

	request protocol.SendPart
	post    db.Post
	target  route.Target
	part    int // the part to be sent, counted from 0
	weights []int
	sentAt  time.Time   // when the last call began
	upload  bool        // the call goes on beside the lane
	cut     *notice.Cut // of a delivery in several parts
	shown   db.Shown    // what the part shows, for the ledger

	uncertainty db.Uncertainty // about the attempts at the part so far

	arrived *protocol.Arrival // what the platform has taken
	pending bool              // and the ledger does not know yet
}

func (j *sendJob) last() bool { return j.part == len(j.weights)-1 }

// firstOfSeveral is the cut that the ledger keeps for the parts after this one,
// nil if there are none or it has it.
func (j *sendJob) firstOfSeveral() *notice.Cut {
	if j.last() || j.Cut != nil {
		return nil
	}
	return j.cut
}

// nextWeight is what the part after this one counts for.
func (j *sendJob) nextWeight() int {
	if j.last() {
		return 0
	}
	return j.weights[j.part+1]
}

// sender is what a platform does in its own way.
type sender interface {
	// plan returns the weight of each part. What has begun goes on as it was
	// cut then.
	plan(j *sendJob) []int
	// reach makes a harmless call: is the platform there at all?
	reach(ctx context.Context, j *sendJob) error
	// settleUncertain looks at what earlier attempts of unknown outcome have
	// left behind. It returns the messages found, or nil to send again; an
	// error ends the attempt.
	settleUncertain(ctx context.Context, j *sendJob) ([]int64, error)
	// send makes the calls, each through Outbound.attempt.
	send(ctx context.Context, j *sendJob) error
	// progress is what the heartbeats tell.
	progress() []any
}

// refusedSend is what an answer that is no success means for the delivery.
type refusedSend struct {
	ending     db.Ending
	errorType  string
	reason     string // a slug
	retryAfter time.Duration
	cause      error
}

func (r *refusedSend) Error() string { return r.cause.Error() }

func (r *refusedSend) Unwrap() error { return r.cause }

// sendNext sends the next part of a delivery that has not arrived. It may be
// called any number of times: what has arrived is never sent again, and one
// lease sends one part.
func (o *Outbound) sendNext(ctx context.Context, request protocol.SendPart, sender sender) (protocol.PartSent, error) {
	defer beat(ctx, sender.progress)()
	j, over, err := o.open(ctx, request)
	if err != nil {
		return protocol.PartSent{}, o.fail(ctx, request, err)
	}
	if over != nil {
		return *over, nil
	}
	j.weights = sender.plan(j)
	if j.LeaseUsed || j.part >= len(j.weights) { // an attempt before this one got that far, and no further
		j.part--
		return o.sent(ctx, j), nil
	}
	err = o.waitOut(ctx, func() error { return o.bring(ctx, j, sender) })
	switch {
	case errors.Is(err, db.ErrChanged): // meanwhile: see how
		return o.sendNext(ctx, request, sender)
	case err != nil && j.arrived == nil:
		return protocol.PartSent{}, o.fail(ctx, request, err)
	}
	o.Log.InfoContext(ctx, "part sent", "delivery", j.ID, "destination", j.Destination, "post", protocol.WallPost(j.OwnerID, j.PostID),
		"part", j.part+1, "parts", len(j.weights), "uncertain", j.Uncertain, "recorded", !j.pending)
	return o.sent(ctx, j), nil
}

// open reads what is to be sent, or how the delivery has ended without.
func (o *Outbound) open(ctx context.Context, request protocol.SendPart) (j *sendJob, over *protocol.PartSent, err error) {
	j = &sendJob{request: request}
	err = o.waitOut(ctx, func() error { return o.read(ctx, j) })
	if errors.Is(err, db.ErrNotFound) { // the database was restored from before it was owed
		return nil, &protocol.PartSent{Done: true, Status: protocol.StatusUnrecorded}, nil
	}
	if err == nil {
		over, err = o.over(ctx, j)
	}
	if over != nil || err != nil {
		return nil, over, err
	}
	destination, err := route.ParseDestination(j.Destination)
	if err != nil {
		return nil, nil, err
	}
	var configured bool
	if j.target, configured = o.Routes().Target(destination); !configured {
		return nil, nil, parked("not_configured", fmt.Errorf("destination %s is not configured any more", j.Destination))
	}
	if quiet := j.target.Settings.Quiet.Left(time.Now()); quiet > 0 { // since the lane looked
		return nil, nil, notNow(protocol.ReasonQuietHours, "it is quiet there for "+quiet.Round(time.Second).String())
	}
	j.part = len(j.Arrived)
	return j, nil, nil
}

// read reads the delivery and its post. What has arrived since the backup from
// which the ledger was restored is recorded again.
func (o *Outbound) read(ctx context.Context, j *sendJob) (err error) {
	if j.Delivery, err = o.Ledger.Open(ctx, j.request.DeliveryKey, j.request.Lease); err != nil {
		return err
	}
	if len(j.Arrived) < len(j.request.Arrived) {
		for part, ids := range j.request.Arrived { // any of them may be missing
			if ids == nil {
				continue // sent by a run before this one
			}
			if _, err := o.Ledger.Arrived(ctx, protocol.Arrival{DeliveryKey: j.request.DeliveryKey, Part: part, MessageIDs: ids}); err != nil {
				return err
			}
		}
		if j.Delivery, err = o.Ledger.Open(ctx, j.request.DeliveryKey, j.request.Lease); err != nil {
			return err
		}
	}
	j.post, err = o.Posts.Get(ctx, j.request.OwnerID, j.request.PostID)
	if j.ReplyTo != 0 {
		j.post = j.post.AsUpdate()
	}
	return err
}

// over is how the delivery has ended without this turn, nil if it has not; an error
// is why nothing may be sent now.
func (o *Outbound) over(ctx context.Context, j *sendJob) (*protocol.PartSent, error) {
	suppressed := func(why, reason string) (*protocol.PartSent, error) {
		err := o.waitOut(ctx, func() error { return o.Ledger.Suppress(ctx, j.request.DeliveryKey, why) })
		return &protocol.PartSent{Done: true, Status: protocol.StatusSuppressed, Reason: reason}, err
	}
	atAnyAge := j.Wanted || len(j.Arrived) > 0 || j.Uncertain > 0
	switch {
	case j.Status == protocol.StatusSuppressed, j.Status == protocol.StatusFailed:
		return &protocol.PartSent{Done: true, Status: j.Status, Uncertain: j.Uncertain}, nil
	case j.Status == protocol.StatusParked:
		return nil, parked(j.Reason, errors.New("it waits for a person"))
	case j.Status == protocol.StatusUnknown:
		return nil, askPerson(j.Uncertain)
	case j.DueIn > 0: // and the lane had read it before
		return nil, notNow("not_due", "it is due in "+j.DueIn.Round(time.Second).String())
	case j.Paused:
		return nil, notNow("paused", "the destination is paused")
	case j.Status == protocol.StatusSent:
		over := &protocol.PartSent{Part: len(j.Arrived), Parts: len(j.Arrived), Done: true, Uncertain: j.Uncertain}
		if n := len(j.Arrived); n > 0 {
			over.MessageIDs = j.Arrived[n-1]
		}
		return over, nil
	case !j.post.BlankedAt.IsZero():
		return suppressed(db.ErrBlanked.Error(), "blanked")
	case !atAnyAge && !j.post.DeletedAt.IsZero(): // and it had begun before
		return suppressed(db.GivenUp, "deleted")
	case !atAnyAge && o.MaxAge > 0 && time.Since(later(j.post.PostedAt, j.post.EditedAt)) > o.MaxAge:
		return suppressed("its post was older than DELIVER_MAX_AGE when its turn came", "too_old")
	}
	return nil, nil
}

// notNow ends a turn that came too early.
func notNow(reason, why string) error {
	return &refusedSend{errorType: protocol.ErrRateLimited, reason: reason, cause: errors.New(why)}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// bring gets the part to the platform, unless it is there already.
func (o *Outbound) bring(ctx context.Context, j *sendJob, sender sender) error {
	if j.arrived != nil {
		return nil // and is being recorded
	}
	if j.Attempts > 0 {
		var err error
		if j.uncertainty, err = o.Ledger.Uncertain(ctx, j.ID, j.part, j.request.AcknowledgedAt); err != nil {
			return err
		}
	}
	if j.uncertainty.Attempts > 0 {
		found, err := sender.settleUncertain(ctx, j)
		if err != nil {
			return err
		}
		if found != nil {
			return o.arrive(ctx, j, db.Attempt{}, found)
		}
	}
	if j.FailedTurns > 0 { // no message is risked on a platform that may take it and not answer
		if err := sender.reach(ctx, j); err != nil {
			return o.unreached(ctx, j, err)
		}
	}
	waitForSlot(ctx, j.request.SendAt)
	return sender.send(ctx, j)
}

// unreached records that the platform does not answer at all.
func (o *Outbound) unreached(ctx context.Context, j *sendJob, cause error) error {
	const reason = "unreachable"
	if lastTry(ctx) {
		if err := o.Ledger.TurnFailed(ctx, j.Delivery, reason); err != nil {
			return err
		}
	}
	return &refusedSend{errorType: protocol.ErrRetryLater, reason: reason, cause: cause}
}

// lastTry reports whether this is the turn's last.
func lastTry(ctx context.Context) bool { return activity.GetInfo(ctx).Attempt >= sendTries }

// sent is the result of an activity whose part has arrived. Where that is on
// record, the turn goes back to the lane from here.
func (o *Outbound) sent(ctx context.Context, j *sendJob) protocol.PartSent {
	sent := protocol.PartSent{
		Part: j.part + 1, Parts: len(j.weights), Done: j.last(), SentAt: j.sentAt, NextWeight: j.nextWeight(), Uncertain: j.Uncertain,
	}
	switch {
	case j.arrived != nil:
		sent.MessageIDs = j.arrived.MessageIDs
	case j.part < len(j.Arrived):
		sent.MessageIDs = j.Arrived[j.part]
	}
	if j.pending {
		sent.Arrival = j.arrived
		return sent
	}
	if j.request.GiveBack {
		err := o.Starter.GiveBack(ctx, j.Destination, protocol.TurnDone{
			WorkflowID: j.WorkflowID(), Lease: j.request.Lease, Again: !sent.Done && !j.WordsFirst, Look: j.WordsFirst, Weight: sent.NextWeight, SentAt: sent.SentAt,
		})
		sent.GaveBack = err == nil // else the workflow does it
	}
	return sent
}

// askPerson ends an attempt before it begins: an earlier one has an unknown
// outcome, and it is not for us to decide.
func askPerson(attempts int) error {
	return &refusedSend{
		ending:    db.Ending{Status: protocol.StatusUnknown, Reason: protocol.ReasonOutcomeUnknown},
		errorType: protocol.ErrUnknownParked,
		reason:    protocol.ReasonOutcomeUnknown,
		cause:     errors.New(words.Count(attempts, "attempt", "attempts") + " ended with an unknown outcome"),
	}
}

// attempt makes one call and records it: that it is about to go out, and what
// came of it. The record outlives the activity's context, because a message
// that is out stays out; the call does not outlive the deadline that the
// ledger knows.
func (o *Outbound) attempt(ctx context.Context, j *sendJob, timeout time.Duration, rung string, call func(context.Context) ([]int64, error), classify func(error) *refusedSend) error {
	// Counted from before the ledger counts, and by the wall clock too: the other
	// one stands still while a machine sleeps.
	deadline := time.Now().Add(timeout).Round(0)
	callCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	attempt, err := o.Ledger.Begin(ctx, &j.Delivery, db.Attempt{
		Part: j.part, Rung: rung, Lease: j.request.Lease, Timeout: timeout + deadlineSlack, Upload: j.upload, Shown: j.shown, Cut: j.firstOfSeveral(),
	})
	if err != nil {
		return err
	}
	if time.Until(deadline) <= 0 { // so long has the ledger taken to begin it: no call is made
		late := &refusedSend{errorType: protocol.ErrRetryLater, reason: "late", cause: errors.New("the deadline passed before the call could be made")}
		late.ending = db.Ending{Outcome: db.OutcomeRetry, Status: protocol.StatusSending, Error: late.Error()}
		return cmp.Or(o.close(ctx, j, attempt, late.ending), error(late))
	}
	began := time.Now()
	j.sentAt = began
	ids, err := call(callCtx)
	if err == nil {
		o.Metrics.Send(ctx, protocol.Platform(j.Destination), db.OutcomeSent, time.Since(began))
		return o.arrive(ctx, j, attempt, ids)
	}
	refused := classify(err)
	o.Metrics.Send(ctx, protocol.Platform(j.Destination), refused.ending.Outcome, time.Since(began))
	unavailable := refused.errorType == protocol.ErrRetryLater || refused.errorType == protocol.ErrOutcomeUnknown
	refused.ending.TurnFailed = unavailable && lastTry(ctx)
	if err := o.close(ctx, j, attempt, refused.ending); err != nil {
		return err
	}
	if unavailable && j.Status == protocol.StatusParked { // others get through meanwhile
		refused.errorType, refused.reason = protocol.ErrParked, protocol.ReasonUnavailable
	}
	return refused
}

// close records how an attempt has ended, whatever happens to the activity.
func (o *Outbound) close(ctx context.Context, j *sendJob, attempt db.Attempt, ending db.Ending) error {
	closing := func(ctx context.Context) error {
		return o.Ledger.Close(ctx, &j.Delivery, attempt, ending, j.request.AcknowledgedAt)
	}
	if o.record(ctx, closing) == nil {
		return nil
	}
	return o.waitOut(ctx, func() error { return closing(ctx) })
}

// fail turns an error into the one that says to Temporal and the workflow what
// to do. A call that may still be in flight is waited for; what is no answer of
// a platform's is a fault of our own, and is tried again.
func (o *Outbound) fail(ctx context.Context, request protocol.SendPart, err error) error {
	var refused *refusedSend
	var busy *db.BusyError
	switch {
	case errors.As(err, &refused):
	case errors.As(err, &busy):
		refused = &refusedSend{errorType: protocol.ErrRetryLater, reason: "in_flight", retryAfter: busy.For + 50*time.Millisecond, cause: err}
	default:
		refused = &refusedSend{errorType: errFault, cause: err}
	}
	o.Log.WarnContext(ctx, "part not sent", "post", request.DeliveryKey.String(), "outcome", refused.ending.Outcome,
		"error_type", refused.errorType, "reason", refused.reason, "retry_after", refused.retryAfter, "error", refused.cause)
	again := refused.errorType == protocol.ErrRetryLater || refused.errorType == protocol.ErrOutcomeUnknown || refused.errorType == errFault
	options := temporal.ApplicationErrorOptions{
		NonRetryable:   !again,
		NextRetryDelay: refused.retryAfter,
		Details:        []any{protocol.Refusal{Reason: refused.reason}},
	}
	if refused.errorType == protocol.ErrRateLimited {
		options.Category = temporal.ApplicationErrorCategoryBenign
	}
	return temporal.NewApplicationErrorWithOptions(refused.cause.Error(), refused.errorType, options)
}

// errFault is the type of an error that is nobody's answer: a fault of our own.
const errFault = "Fault"

// parked means that a person is needed though nothing was sent.
func parked(reason string, cause error) error {
	return &refusedSend{
		ending:    db.Ending{Status: protocol.StatusParked, Reason: reason},
		errorType: protocol.ErrParked,
		reason:    reason,
		cause:     cause,
	}
}

// waitForSlot waits for the slot that the lane has planned, but never longer
// than a lane plans ahead: clocks of two machines may differ.
func waitForSlot(ctx context.Context, slot time.Time) {
	pause(ctx, min(time.Until(slot), protocol.GrantLead))
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
}
