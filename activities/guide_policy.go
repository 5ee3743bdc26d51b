package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
)

// The specification's retry policy (4.6.2) for calls of the Bot API.
const (
	callAttempts = 3           // in all
	callBackoff  = time.Second // doubled for the second wait
	callJitter   = 0.25        // added at random
	// longestWait is the longest retry_after that a screen is worth.
	longestWait = time.Minute
	// queryLife is how long a pressed button can be answered at all, more or
	// less: Telegram does not say.
	queryLife = 10 * time.Second
)

// callPolicy lets Temporal count the attempts, so that a crash does not start
// the count again. The errors bring the exact wait with them.
func callPolicy(made int) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval: callBackoff, BackoffCoefficient: 2, MaximumInterval: longestWait,
		MaximumAttempts: int32(max(callAttempts-made, 1)),
	}
}

// AnswerOptions are for Answer, of which made attempts were made before. One
// call takes at most 5 s.
func AnswerOptions(made int) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.TaskQueue,
		StartToCloseTimeout: 8 * time.Second,
		RetryPolicy:         callPolicy(made),
		Summary:             "answer the button",
	}
}

// PerformOptions are for Perform. It is never repeated: what it leaves undone
// is taken up step by step. A worker that dies is noticed by its heartbeats.
func PerformOptions(action string) workflow.ActivityOptions {
	options := CallOptions(cmp.Or(action, "a message"), 0)
	options.RetryPolicy = &temporal.RetryPolicy{MaximumAttempts: 1}
	return options
}

// CallOptions are for CheckSubscription, SendPhoto and SendText, of which made
// attempts were made before. The minute covers the wait for a turn.
func CallOptions(summary string, made int) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.TaskQueue,
		StartToCloseTimeout: time.Minute,
		HeartbeatTimeout:    HeartbeatTimeout,
		RetryPolicy:         callPolicy(made),
		Summary:             summary,
	}
}

// RecordOptions are for what needs the database only: Claim, Compose,
// NoteBlocked and Sweep. A person waits, so a database that is down is waited
// for only so long.
func RecordOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              protocol.TaskQueue,
		StartToCloseTimeout:    10 * time.Second,
		ScheduleToCloseTimeout: 2 * time.Minute,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
		},
		Summary: summary,
	}
}

// Failure is why an activity of the guide did not do its work, in the words
// of the specification's catalogue. Nothing in it is a secret or a person's.
type Failure struct {
	Code    guide.Code `json:"code"`
	Message string     `json:"message"`
	Details string     `json:"details,omitempty"`
	// TextInstead: what could not be sent as a photo may be sent as text.
	TextInstead bool `json:"text_instead,omitempty"`
	// Blocked: the person has blocked the bot, or is gone.
	Blocked bool `json:"blocked,omitempty"`
}

// FailureOf reads the failure that an activity's error carries.
func FailureOf(err error) Failure {
	if application, is := errors.AsType[*temporal.ApplicationError](err); is {
		var failure Failure
		if application.HasDetails() && application.Details(&failure) == nil && failure.Code != "" {
			return failure
		}
		return Failure{Code: guide.InternalUnexpected, Message: "the activity failed", Details: application.Type()}
	}
	var timeout *temporal.TimeoutError
	var failed *temporal.ActivityError
	if errors.As(err, &timeout) && errors.As(err, &failed) {
		switch failed.ActivityType().GetName() {
		case "Claim", "Compose", "Sweep", "NoteBlocked":
			return Failure{Code: guide.InternalDB, Message: "the database did not answer in time"}
		}
		return Failure{Code: guide.OutboundTimeout, Message: "the call did not end in time", TextInstead: true}
	}
	return Failure{Code: guide.InternalUnexpected, Message: "the activity failed", Details: fmt.Sprintf("%T", err)}
}

// Err is the failure as an error, for a session that goes no further.
func (f Failure) Err() error { return f.fail(-1) }

// fail is the error that carries a failure. wait is the pause before the next
// attempt; negative for none. It is benign to the SDK, which would log it a
// second time, as this package has logged it already.
func (f Failure) fail(wait time.Duration) error {
	return temporal.NewApplicationErrorWithOptions(f.Message, string(f.Code), temporal.ApplicationErrorOptions{
		NonRetryable: wait < 0, NextRetryDelay: max(wait, 0), Details: []any{f},
		Category: temporal.ApplicationErrorCategoryBenign,
	})
}

func newStop(failure Failure, wait time.Duration, refused *telegram.Error) *Stop {
	return &Stop{Failure: failure, Wait: max(wait, 0), Final: wait < 0, refused: refused}
}

// asError is what makes Temporal try again, or not.
func (s *Stop) asError() error {
	switch {
	case s == nil:
		return nil
	case s.Final:
		return s.Failure.Err()
	}
	return s.Failure.fail(s.Wait)
}

// nextWait is the pause after an attempt that failed: the specification's
// backoff with a little jitter, or what Telegram asked for if that is longer.
// Negative means that there is no next attempt.
func nextWait(attempt int, refused *telegram.Error, longest time.Duration) time.Duration {
	switch refused.Class {
	case telegram.RateLimited, telegram.Unavailable, telegram.Unreachable, telegram.OutcomeUnknown:
	default:
		return -1
	}
	wait := time.Duration(float64(callBackoff<<(attempt-1)) * (1 + callJitter*rand.Float64()))
	wait = max(wait, refused.RetryAfter)
	if attempt >= callAttempts || wait > longest {
		return -1
	}
	return wait
}

// dbFailure logs what went wrong with the database, if something did. An outage is
// waited for; an error that will come again whatever one does is not.
func (a *Guide) dbFailure(ctx context.Context, update protocol.BotUpdate, err error) *Stop {
	if err == nil {
		return nil
	}
	failure, wait := Failure{Code: guide.InternalDB, Message: "the database failed", Details: dbDetails(err)}, time.Duration(0)
	var scan pgx.ScanArgError
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &scan):
		failure.Code, failure.Message, wait = guide.InternalUnexpected, "a row could not be read", -1
	case errors.As(err, &refused) && permanent(refused.Code):
		wait = -1
	}
	a.config.Log.ErrorContext(ctx, "bot database failed", append(append(update.LogFields(),
		"attempt", activity.GetInfo(ctx).Attempt), failure.Code.LogFields(failure.Message, failure.Details)...)...)
	return newStop(failure, wait, nil)
}

// permanent: errors of data, constraints, syntax and rights (classes 22, 23
// and 42 of Postgres's error codes).
func permanent(sqlState string) bool {
	return len(sqlState) == 5 && (sqlState[:2] == "22" || sqlState[:2] == "23" || sqlState[:2] == "42")
}

// dbDetails keeps Postgres's code and leaves its text out: it may quote values.
func dbDetails(err error) string {
	var refused *pgconn.PgError
	var scan pgx.ScanArgError
	switch {
	case errors.As(err, &scan):
		return "column " + scan.FieldName
	case errors.As(err, &refused):
		return "SQLSTATE " + refused.Code
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "no connection"
}

// recoverInto ends a panic where it happened: the update fails, the worker and
// the session live on. The value of the panic may quote content, so only its
// type is logged.
func (a *Guide) recoverInto(ctx context.Context, update protocol.BotUpdate, err *error) {
	cause := recover()
	if cause == nil {
		return
	}
	failure := Failure{Code: guide.InternalUnexpected, Message: "panic", Details: fmt.Sprintf("%T", cause)}
	a.config.Log.ErrorContext(ctx, "bot action panicked", append(append(update.LogFields(),
		"stack", string(debug.Stack())), failure.Code.LogFields(failure.Message, failure.Details)...)...)
	*err = failure.fail(-1)
}

// outboundCode is the specification's error_code for a call that failed; an album item counts by what was wrong with it.
func outboundCode(refused *telegram.Error) guide.Code {
	class := refused.Class
	if class == telegram.MediaItem {
		class = cmp.Or(refused.ItemClass, telegram.MediaUnsupported)
	}
	return cmp.Or(outboundCodes[class], guide.OutboundBadRequest)
}

// outboundCodes: whatever the network did is a timeout, as the specification has no other word for it.
var outboundCodes = map[telegram.Class]guide.Code{
	telegram.RateLimited: guide.OutboundRateLimit, telegram.Unavailable: guide.Outbound5XX,
	telegram.Unreachable: guide.OutboundTimeout, telegram.OutcomeUnknown: guide.OutboundTimeout,
	telegram.MediaInvalidURL: guide.OutboundMediaInvalidURL, telegram.MediaFetchFailed: guide.OutboundMediaFetchFailed,
	telegram.MediaUnsupported: guide.OutboundMediaUnsupported, telegram.Internal: guide.InternalUnexpected, "": guide.InternalUnexpected,
}
