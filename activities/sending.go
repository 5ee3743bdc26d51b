package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/telemetry"
)

const (
	// maxUnknown is how many attempts at one part may end without any answer
	// before a person is asked, whatever the policy: each may have put one
	// more copy before the readers.
	maxUnknown = 5
	// recordTime is how long the outcome of a call is tried to be recorded,
	// worker stopping or not. What can't be recorded is unknown later on.
	recordTime = 30 * time.Second
	// heartbeatEvery leaves three tries within the heartbeat timeout.
	heartbeatEvery = 3 * time.Second
)

// SendOptions are for SendToTelegram and SendToVK. The retry policy is for an
// unavailable platform, 1 s to 1 min apart, some quarter of an hour in all;
// everything else that a platform may answer ends the activity with a typed
// error. The heartbeat finds a dead worker within ten seconds, whatever the
// HTTP timeout; there is no limit from scheduling on, because a paused task
// queue must not cost a delivery.
func SendOptions(destination, summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.Platform(destination), // the queues are named after the platforms
		StartToCloseTimeout: 10 * time.Minute,
		HeartbeatTimeout:    10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: 20,
		},
		Summary: summary,
	}
}

// Outbound is what the sending activities share.
type Outbound struct {
	Ledger  *db.Ledger
	Posts   *db.Posts
	Routes  *route.Routes
	Log     *slog.Logger
	Metrics *telemetry.Metrics
}

// consignment is a delivery with all that is needed to send its next part.
type consignment struct {
	db.Delivery
	post   db.Post
	target route.Target
	part   int // the part to be sent, counted from 0
	parts  int
	// forgiven is when an operator last forgave unknown outcomes.
	forgiven time.Time
	sentAt   time.Time // when the last call began
	cut      *db.Cut   // of a delivery in several parts
	shown    db.Shown  // what the part shows, for the ledger
}

func (c *consignment) last() bool { return c.part == c.parts-1 }

// more is what the ledger keeps for the parts after this one, nil if there are
// none.
func (c *consignment) more() *db.Cut {
	if c.last() {
		return nil
	}
	return c.cut
}

// courier is what a platform does in its own way.
type courier interface {
	// plan returns the weight of each part. What has begun goes on as it was
	// cut then.
	plan(c *consignment) ([]int, error)
	// settleUncertain looks at what earlier attempts of unknown outcome have
	// left behind. It returns the messages found, or nil to send again; an
	// error ends the attempt.
	settleUncertain(ctx context.Context, c *consignment, uncertainty db.Uncertainty) ([]int64, error)
	// send makes the calls, each through Outbound.attempt.
	send(ctx context.Context, c *consignment, request protocol.SendPart) error
}

// verdict is what an answer that is no success means for the delivery.
type verdict struct {
	ending     db.Ending
	errorType  string
	refusal    protocol.Refusal
	retryAfter time.Duration
	cause      error
}

func (v verdict) Error() string { return v.cause.Error() }

func (v verdict) Unwrap() error { return v.cause }

// sendNext sends the next part of a delivery that has not arrived. It may be
// called any number of times: what has arrived is never sent again.
func (o *Outbound) sendNext(ctx context.Context, request protocol.SendPart, courier courier) (protocol.PartSent, error) {
	defer o.heartbeat(ctx)()
	c, err := o.open(ctx, request)
	if err != nil {
		return protocol.PartSent{}, o.fail(ctx, request, err)
	}
	weights, err := courier.plan(c)
	if err != nil {
		return protocol.PartSent{}, o.fail(ctx, request, err)
	}
	c.parts = len(weights)
	sent := protocol.PartSent{Parts: c.parts, Uncertain: c.Uncertain}
	if c.Status == protocol.StatusSent || c.Status == protocol.StatusSuppressed || c.part >= c.parts {
		sent.Part, sent.Done = c.parts, true
		if c.Status == protocol.StatusSuppressed {
			sent.Status = c.Status
		}
		return sent, nil
	}
	found, err := o.settleUncertain(ctx, c, courier)
	if err == nil && found != nil {
		err = o.record(ctx, func(ctx context.Context) error {
			return o.Ledger.FoundSent(ctx, c.ID, c.part, found, c.more(), c.shown)
		})
	} else if err == nil {
		waitForSlot(ctx, request.SendAt)
		err = courier.send(ctx, c, request)
	}
	if err != nil {
		return protocol.PartSent{}, o.fail(ctx, request, err)
	}
	sent.Part, sent.Done, sent.SentAt = c.part+1, c.last(), c.sentAt
	if !sent.Done {
		sent.NextWeight = weights[sent.Part]
	}
	o.Log.InfoContext(ctx, "part sent", "delivery", c.ID, "destination", c.Destination,
		"post", protocol.WallPost(c.OwnerID, c.PostID), "part", sent.Part, "parts", sent.Parts, "uncertain", sent.Uncertain)
	return sent, nil
}

func (o *Outbound) open(ctx context.Context, request protocol.SendPart) (*consignment, error) {
	delivery, err := o.Ledger.Open(ctx, request.DeliveryID)
	if err != nil {
		return nil, err
	}
	destination, err := route.ParseDestination(delivery.Destination)
	if err != nil {
		return nil, err
	}
	target, configured := o.Routes.Target(destination)
	if !configured {
		return nil, parked("not_configured", fmt.Errorf("destination %s is not configured any more", delivery.Destination))
	}
	post, err := o.Posts.Get(ctx, delivery.OwnerID, delivery.PostID)
	if err != nil {
		return nil, err
	}
	return &consignment{Delivery: delivery, post: post, target: target, part: len(delivery.Arrived), forgiven: request.Forgiven}, nil
}

// settleUncertain applies the policy on unknown outcomes before anything is
// sent again.
func (o *Outbound) settleUncertain(ctx context.Context, c *consignment, courier courier) ([]int64, error) {
	uncertainty, err := o.Ledger.Uncertain(ctx, c.ID, c.part, c.forgiven)
	if err != nil || uncertainty.Attempts == 0 {
		return nil, err
	}
	return courier.settleUncertain(ctx, c, uncertainty)
}

// askPerson ends an attempt before it begins: an earlier one has an unknown
// outcome, and it is not for us to decide.
func askPerson(attempts int) error {
	return verdict{
		ending:    db.Ending{Status: protocol.StatusUnknown, Reason: protocol.ReasonOutcomeUnknown},
		errorType: protocol.ErrUnknownParked,
		refusal:   protocol.Refusal{Reason: protocol.ReasonOutcomeUnknown},
		cause:     fmt.Errorf("%d attempts ended with an unknown outcome", attempts),
	}
}

// attempt makes one call and records it: that it is about to go out, and what
// came of it. The record outlives the activity's context, because a message
// that is out stays out.
func (o *Outbound) attempt(ctx context.Context, c *consignment, rung string, call func(context.Context) ([]int64, error), judge func(error) verdict) error {
	attempt, err := o.Ledger.Begin(ctx, c.Delivery, c.part, rung, c.shown)
	if err != nil {
		return err
	}
	began := time.Now()
	c.sentAt = began
	ids, err := call(ctx)
	if err == nil {
		o.Metrics.Send(ctx, protocol.Platform(c.Destination), db.OutcomeSent, time.Since(began))
		return o.record(ctx, func(ctx context.Context) error { return o.Ledger.Arrived(ctx, attempt, ids, c.more()) })
	}
	verdict := judge(err)
	o.Metrics.Send(ctx, protocol.Platform(c.Destination), verdict.ending.Outcome, time.Since(began))
	if err := o.record(ctx, func(ctx context.Context) error { return o.Ledger.Close(ctx, attempt, verdict.ending) }); err != nil {
		return err
	}
	return verdict
}

// record writes to the ledger for as long as recordTime, come what may.
func (o *Outbound) record(ctx context.Context, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, write(ctx) },
		backoff.WithMaxElapsedTime(recordTime))
	return err
}

// fail turns an error into the one that tells Temporal and the workflow what
// to do. What is no verdict of a platform is a failure of our own, the
// database say, and is tried again.
func (o *Outbound) fail(ctx context.Context, request protocol.SendPart, err error) error {
	var v verdict
	if !errors.As(err, &v) {
		v = verdict{errorType: protocol.ErrRetryLater, cause: err}
	}
	o.Log.WarnContext(ctx, "part not sent", "delivery", request.DeliveryID, "outcome", v.ending.Outcome,
		"error_type", v.errorType, "reason", v.refusal.Reason, "retry_after", v.retryAfter, "error", v.cause)
	options := temporal.ApplicationErrorOptions{
		NonRetryable:   v.errorType != protocol.ErrRetryLater && v.errorType != protocol.ErrOutcomeUnknown,
		NextRetryDelay: v.retryAfter,
		Details:        []any{v.refusal},
	}
	if v.errorType == protocol.ErrRateLimited {
		options.Category = temporal.ApplicationErrorCategoryBenign
	}
	return temporal.NewApplicationErrorWithOptions(v.cause.Error(), v.errorType, options)
}

// parked is the verdict that a person is needed though nothing was sent.
func parked(reason string, cause error) error {
	return verdict{
		ending:    db.Ending{Status: protocol.StatusParked, Reason: reason},
		errorType: protocol.ErrParked,
		refusal:   protocol.Refusal{Reason: reason},
		cause:     cause,
	}
}

// heartbeat keeps telling Temporal that the worker lives, until the returned
// function is called.
func (o *Outbound) heartbeat(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(heartbeatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// waitForSlot waits for the slot that the lane has planned, but never longer
// than a lane plans ahead: clocks of two machines may differ.
func waitForSlot(ctx context.Context, slot time.Time) {
	pause(ctx, min(time.Until(slot), protocol.GrantLead))
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
