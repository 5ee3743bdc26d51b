package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

// errand is a delivery in Temporal's test environment; the lane grants it a
// turn whenever it stands in the queue.
type errand struct {
	*testsuite.TestWorkflowEnvironment
	t *testing.T

	// sends is what the send activity comes to, one call after another.
	sends []func(request protocol.SendPart) (protocol.PartSent, error)

	requests []protocol.SendPart
	given    []protocol.TurnDone
	parked   []protocol.Park
	settled  []protocol.Settle
	queued   int
	lease    int64
}

func newErrand(t *testing.T, sends ...func(protocol.SendPart) (protocol.PartSent, error)) *errand {
	t.Parallel()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	e := &errand{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: t, sends: sends}
	e.SetTestTimeout(20 * time.Second)
	e.RegisterWorkflowWithOptions(DeliverPost, workflow.RegisterOptions{Name: protocol.DeliverPostWorkflow})
	telegram, lanes, ledger := &activities.Telegram{}, &activities.Lanes{}, &activities.Ledger{}
	e.OnActivity(telegram.SendToTelegram, mock.Anything, mock.Anything).Return(
		func(_ context.Context, request protocol.SendPart) (protocol.PartSent, error) {
			e.requests = append(e.requests, request)
			return e.sends[min(len(e.requests), len(e.sends))-1](request)
		}).Maybe()
	e.OnActivity(lanes.GiveBack, mock.Anything, mock.Anything, mock.Anything).Return(
		func(_ context.Context, _ string, done protocol.TurnDone) error {
			e.given = append(e.given, done)
			if done.Again {
				e.grant(max(done.CoolFor, 10*time.Millisecond))
			}
			return nil
		}).Maybe()
	e.OnActivity(lanes.QueueAgain, mock.Anything, mock.Anything).Return(
		func(context.Context, int64) error { e.queued++; e.grant(10 * time.Millisecond); return nil }).Maybe()
	e.OnActivity(ledger.Park, mock.Anything, mock.Anything).Return(
		func(_ context.Context, park protocol.Park) error { e.parked = append(e.parked, park); return nil }).Maybe()
	e.OnActivity(ledger.Settle, mock.Anything, mock.Anything).Return(
		func(_ context.Context, settle protocol.Settle) (protocol.DeliverPostResult, error) {
			e.settled = append(e.settled, settle)
			status := protocol.StatusSuppressed
			if settle.Action == protocol.ResumeMarkSent {
				status = protocol.StatusSent
			}
			return protocol.DeliverPostResult{Status: status}, nil
		}).Maybe()
	return e
}

func (e *errand) grant(after time.Duration) {
	e.lease++
	granted := protocol.TurnGranted{Lease: e.lease}
	e.RegisterDelayedCallback(func() { e.SignalWorkflow(protocol.TurnGrantedSignal, granted) }, after)
}

// deliver runs the delivery, with a first turn at once unless the test has
// something else in mind.
func (e *errand) deliver() (protocol.DeliverPostResult, error) {
	e.ExecuteWorkflow(DeliverPost, protocol.DeliverPostInput{DeliveryID: 7, Destination: "telegram:-100", OwnerID: -1, PostID: 2, PostType: "lost"})
	require.True(e.t, e.IsWorkflowCompleted())
	var result protocol.DeliverPostResult
	err := e.GetWorkflowError()
	if err == nil {
		require.NoError(e.t, e.GetWorkflowResult(&result))
	}
	return result, err
}

// decide is an operator's word after a while; it returns why it was refused.
func (e *errand) decide(after time.Duration, resume protocol.Resume) *error {
	refusal := new(error)
	e.RegisterDelayedCallback(func() {
		e.UpdateWorkflow(protocol.ResumeDeliveryUpdate, after.String(), &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { *refusal = err }, OnComplete: func(any, error) {},
		}, resume)
	}, after)
	return refusal
}

func sent(part, parts int) func(protocol.SendPart) (protocol.PartSent, error) {
	return func(protocol.SendPart) (protocol.PartSent, error) {
		return protocol.PartSent{Part: part, Parts: parts, Done: part == parts, NextWeight: 3}, nil
	}
}

func ends(errorType string, refusal protocol.Refusal, options temporal.ApplicationErrorOptions) func(protocol.SendPart) (protocol.PartSent, error) {
	options.Details = []any{refusal}
	return func(protocol.SendPart) (protocol.PartSent, error) {
		return protocol.PartSent{}, temporal.NewApplicationErrorWithOptions("said the platform", errorType, options)
	}
}

var final = temporal.ApplicationErrorOptions{NonRetryable: true}

func TestADeliveryTakesATurnForEachPart(t *testing.T) {
	e := newErrand(t, sent(1, 3), sent(2, 3), sent(3, 3))
	e.grant(0)
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.DeliverPostResult{Status: protocol.StatusSent, Parts: 3}, result)
	require.Len(t, e.given, 3)
	require.Equal(t, []bool{true, true, false}, []bool{e.given[0].Again, e.given[1].Again, e.given[2].Again})
	require.Equal(t, 3, e.given[0].Weight, "the next part's weight goes with the turn")
	require.Equal(t, []int64{1, 2, 3}, []int64{e.given[0].Lease, e.given[1].Lease, e.given[2].Lease})
}

func TestADeliveryThatIsToldToWaitTellsItsLaneAndKeepsItsPlace(t *testing.T) {
	e := newErrand(t,
		ends(protocol.ErrRateLimited, protocol.Refusal{Reason: "Telegram asks to wait 8s"}, temporal.ApplicationErrorOptions{NonRetryable: true, NextRetryDelay: 8 * time.Second}),
		sent(1, 1))
	e.grant(0)
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Equal(t, protocol.TurnDone{WorkflowID: "default-test-workflow-id", Lease: 1, Again: true, Unsent: true, CoolFor: 8 * time.Second, Reason: "Telegram asks to wait 8s"}, e.given[0])
}

func TestADeliveryParksFreeingItsLaneFirst(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		ends     func(protocol.SendPart) (protocol.PartSent, error)
		park     protocol.Park
		pause    bool
		cool     time.Duration
		forgiven bool // sent again although nobody knows
	}{
		{"a refusal that holds for the whole destination", ends(protocol.ErrParked, protocol.Refusal{Reason: "forbidden", PauseLane: true}, final),
			protocol.Park{DeliveryID: 7, Status: protocol.StatusParked, Reason: "forbidden"}, true, 0, false},
		{"a refusal of this one alone", ends(protocol.ErrParked, protocol.Refusal{Reason: "too_many_recipients"}, final),
			protocol.Park{DeliveryID: 7, Status: protocol.StatusParked, Reason: "too_many_recipients"}, false, 0, false},
		{"an unknown outcome under ON_UNKNOWN=park", ends(protocol.ErrUnknownParked, protocol.Refusal{Reason: protocol.ReasonOutcomeUnknown}, final),
			protocol.Park{DeliveryID: 7, Status: protocol.StatusUnknown, Reason: protocol.ReasonOutcomeUnknown}, false, 0, true},
		{"unknown outcomes without end", ends(protocol.ErrOutcomeUnknown, protocol.Refusal{}, final),
			protocol.Park{DeliveryID: 7, Status: protocol.StatusUnknown, Reason: protocol.ReasonOutcomeUnknown}, false, 0, true},
		{"a platform that stays away", ends(protocol.ErrRetryLater, protocol.Refusal{}, final),
			protocol.Park{DeliveryID: 7, Status: protocol.StatusParked, Reason: protocol.ReasonUnavailable}, false, coolAfterUnavailable, false},
		{"workers that keep dying", func(protocol.SendPart) (protocol.PartSent, error) {
			return protocol.PartSent{}, temporal.NewNonRetryableApplicationError("panic", "PanicError", nil)
		}, protocol.Park{DeliveryID: 7, Status: protocol.StatusParked, Reason: protocol.ReasonUnavailable}, false, coolAfterUnavailable, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := newErrand(t, row.ends, sent(1, 1))
			e.grant(0)
			e.decide(48*time.Hour, protocol.Resume{Action: protocol.ResumeRetry})
			result, err := e.deliver()
			require.NoError(t, err)
			require.Equal(t, protocol.StatusSent, result.Status)
			require.Equal(t, []protocol.Park{row.park}, e.parked)
			require.Equal(t, row.pause, e.given[0].Pause)
			require.Equal(t, row.cool, e.given[0].CoolFor)
			require.False(t, e.given[0].Again)
			require.Equal(t, 1, e.queued)
			require.Equal(t, row.forgiven, !e.requests[1].Forgiven.IsZero())
		})
	}
}

func TestATurnThatIsToldOfTwiceIsTakenOnce(t *testing.T) {
	e := newErrand(t, sent(1, 2), sent(2, 2))
	e.grant(0)
	e.RegisterDelayedCallback(func() { e.SignalWorkflow(protocol.TurnGrantedSignal, protocol.TurnGranted{Lease: 1}) }, time.Millisecond)
	_, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, []int64{1, 2}, []int64{e.given[0].Lease, e.given[1].Lease})
}

func TestADeliveryRefusedForGoodFailsWithThePlatformsWords(t *testing.T) {
	e := newErrand(t, ends(protocol.ErrRejected, protocol.Refusal{Reason: "bad_request"}, final))
	e.grant(0)
	_, err := e.deliver()
	require.ErrorContains(t, err, "said the platform")
	require.Len(t, e.given, 1)
	require.Empty(t, e.parked)
}

func TestAnUnavailablePlatformIsTriedForAQuarterOfAnHourWithinOneTurn(t *testing.T) {
	e := newErrand(t, ends(protocol.ErrRetryLater, protocol.Refusal{}, temporal.ApplicationErrorOptions{}))
	e.grant(0)
	e.decide(48*time.Hour, protocol.Resume{Action: protocol.ResumeSkip})
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSuppressed, result.Status)
	require.Len(t, e.requests, 20)
	require.Len(t, e.given, 1)
	require.Equal(t, protocol.ReasonUnavailable, e.parked[0].Reason)
}

func TestAnOperatorsWord(t *testing.T) {
	t.Parallel()
	parked := ends(protocol.ErrParked, protocol.Refusal{Reason: protocol.ReasonCaptcha, PauseLane: true}, final)
	t.Run("a captcha's answer is used once", func(t *testing.T) {
		e := newErrand(t, parked, parked, sent(1, 1))
		e.grant(0)
		e.decide(time.Hour, protocol.Resume{Action: protocol.ResumeCaptcha, CaptchaKey: "зл7к"})
		e.decide(2*time.Hour, protocol.Resume{Action: protocol.ResumeRetry})
		_, err := e.deliver()
		require.NoError(t, err)
		require.Equal(t, []string{"", "зл7к", ""}, []string{e.requests[0].CaptchaKey, e.requests[1].CaptchaKey, e.requests[2].CaptchaKey})
	})
	t.Run("skip or mark_sent settles what waits in the queue", func(t *testing.T) {
		e := newErrand(t)
		refused := e.decide(time.Minute, protocol.Resume{Action: protocol.ResumeRetry})
		e.decide(time.Hour, protocol.Resume{Action: protocol.ResumeMarkSent, Note: "сама видела"})
		result, err := e.deliver()
		require.NoError(t, err)
		require.ErrorContains(t, *refused, "waits for its turn")
		require.Equal(t, protocol.StatusSent, result.Status)
		require.Equal(t, []protocol.Settle{{DeliveryID: 7, Action: protocol.ResumeMarkSent, Note: "сама видела"}}, e.settled)
		require.Equal(t, []protocol.TurnDone{{WorkflowID: "default-test-workflow-id", Unsent: true}}, e.given, "it withdraws from the queue")
	})
	t.Run("comes by signal too, unless it came before there was anything to decide", func(t *testing.T) {
		e := newErrand(t, parked, sent(1, 1))
		e.RegisterDelayedCallback(func() {
			e.SignalWorkflow(protocol.ResumeDeliverySignal, protocol.Resume{Action: protocol.ResumeSkip})
		}, 0)
		e.grant(time.Second)
		e.RegisterDelayedCallback(func() {
			e.SignalWorkflow(protocol.ResumeDeliverySignal, protocol.Resume{Action: "nonsense"})
			e.SignalWorkflow(protocol.ResumeDeliverySignal, protocol.Resume{Action: protocol.ResumeRetry})
		}, time.Hour)
		result, err := e.deliver()
		require.NoError(t, err)
		require.Equal(t, protocol.StatusSent, result.Status)
		require.Empty(t, e.settled)
	})
	t.Run("cancels: what waits is skipped, its turn given back", func(t *testing.T) {
		e := newErrand(t, parked)
		e.grant(0)
		e.RegisterDelayedCallback(e.CancelWorkflow, time.Hour)
		_, err := e.deliver()
		var cancelled *temporal.CanceledError
		require.ErrorAs(t, err, &cancelled)
		require.Equal(t, protocol.ResumeSkip, e.settled[0].Action)
		require.Len(t, e.given, 1)
	})
}

func TestAnInputWithoutARowIsRefusedWithTheRemedy(t *testing.T) {
	t.Parallel()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflow(DeliverPost)
	env.ExecuteWorkflow(DeliverPost, protocol.DeliverPostInput{Destination: "telegram:-100"})
	require.ErrorContains(t, env.GetWorkflowError(), "vestnik deliver")
}
