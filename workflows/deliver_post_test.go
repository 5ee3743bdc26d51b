package workflows

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
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

	// status is what the ledger says; parkedAs what it answers to Park instead,
	// and ledgerAway how often it fails to record.
	status     string
	parkedAs   string
	ledgerAway func(tries int) error
	// whileParking runs while the ledger is told that the delivery waits.
	whileParking func()
	recorded     []protocol.Arrival

	requests []protocol.SendPart
	given    []protocol.TurnDone
	parked   []protocol.Park
	settled  []protocol.Settle
	queued   int
	lease    int64
	waiting  *protocol.Park
}

var errandKey = protocol.DeliveryKey{Destination: "telegram:-100", OwnerID: -1, PostID: 2}

func newErrand(t *testing.T, sends ...func(protocol.SendPart) (protocol.PartSent, error)) *errand {
	t.Parallel()
	e := &errand{TestWorkflowEnvironment: newEnvironment(), t: t, sends: sends, ledgerAway: func(int) error { return nil }}
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
			if e.owed(done) {
				e.grant(10 * time.Millisecond)
			}
			return nil
		}).Maybe()
	e.OnActivity(lanes.QueueAgain, mock.Anything, mock.Anything).Return(
		func(context.Context, protocol.DeliveryKey) (protocol.Requeued, error) {
			e.queued++
			e.status = protocol.StatusPending
			e.grant(10 * time.Millisecond)
			return protocol.Requeued{Status: protocol.StatusPending, WantedAt: e.Now()}, nil
		}).Maybe()
	e.OnActivity(lanes.Status, mock.Anything, mock.Anything).Return(
		func(context.Context, protocol.DeliveryKey) (string, error) { return e.status, nil }).Maybe()
	e.OnActivity(ledger.RecordArrival, mock.Anything, mock.Anything).Return(
		func(_ context.Context, arrival protocol.Arrival) error {
			e.recorded = append(e.recorded, arrival)
			return e.ledgerAway(len(e.recorded))
		}).Maybe()
	e.OnActivity(ledger.Park, mock.Anything, mock.Anything).Return(
		func(_ context.Context, park protocol.Park) (string, error) {
			e.parked = append(e.parked, park)
			if e.whileParking != nil {
				e.whileParking()
			}
			if e.parkedAs != "" {
				return e.parkedAs, nil
			}
			e.status = park.Status
			return park.Status, nil
		}).Maybe()
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

// owed reports whether the lane would grant the delivery its next turn.
func (e *errand) owed(done protocol.TurnDone) bool {
	return done.Again || done.Look && e.status != protocol.StatusParked && e.status != protocol.StatusUnknown && len(e.requests) > 0
}

func (e *errand) grant(after time.Duration) {
	e.lease++
	granted := protocol.TurnGranted{Lease: e.lease}
	e.RegisterDelayedCallback(func() { e.SignalWorkflow(protocol.TurnGrantedSignal, granted) }, after)
}

// deliver runs the delivery, with a first turn at once unless the test has
// something else in mind.
func (e *errand) deliver() (protocol.DeliverPostResult, error) {
	e.ExecuteWorkflow(DeliverPost, protocol.DeliverPostInput{DeliveryKey: errandKey, DeliveryID: 7, PostType: "lost", Protocol: protocol.LedgerQueue, Waiting: e.waiting})
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
		return protocol.PartSent{Part: part, Parts: parts, Done: part == parts, NextWeight: 3, MessageIDs: []int64{int64(10 + part)}}, nil
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
	require.Equal(t, protocol.DeliverPostResult{Status: protocol.StatusSent, Parts: 3, MessageIDs: [][]int64{{11}, {12}, {13}}}, result)
	require.Len(t, e.given, 3)
	require.Equal(t, []bool{true, true, false}, []bool{e.given[0].Again, e.given[1].Again, e.given[2].Again})
	require.Equal(t, 3, e.given[0].Weight, "the next part's weight goes with the turn")
	require.Equal(t, []int64{1, 2, 3}, []int64{e.given[0].Lease, e.given[1].Lease, e.given[2].Lease})
	require.Equal(t, [][]int64{{11}, {12}}, e.requests[2].Arrived, "a ledger that was restored learns what the run knows")
}

func TestATurnThatTheActivityGaveBackIsNotGivenBackAgain(t *testing.T) {
	e := newErrand(t, func(protocol.SendPart) (protocol.PartSent, error) {
		return protocol.PartSent{Part: 1, Parts: 1, Done: true, GaveBack: true, MessageIDs: []int64{11}}, nil
	})
	e.grant(0)
	_, err := e.deliver()
	require.NoError(t, err)
	require.Empty(t, e.given)
}

func TestWhatHasArrivedIsRecordedForAsLongAsItTakes(t *testing.T) {
	arrival := &protocol.Arrival{DeliveryKey: errandKey, Attempt: 1, MessageIDs: []int64{11}, Last: true}
	e := newErrand(t, func(protocol.SendPart) (protocol.PartSent, error) {
		return protocol.PartSent{Part: 1, Parts: 1, Done: true, Arrival: arrival, MessageIDs: []int64{11}}, nil
	})
	e.ledgerAway = func(tries int) error {
		if tries < 8 {
			return errors.New("Postgres does not answer")
		}
		return nil
	}
	e.grant(0)
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Len(t, e.recorded, 8)
	require.Equal(t, *arrival, e.recorded[7])
	require.Len(t, e.requests, 1)
	require.Len(t, e.given, 1, "and then the turn goes back")
}

func TestADeliveryThatIsToldToWaitGivesItsTurnBackAndHasTheNext(t *testing.T) {
	e := newErrand(t,
		ends(protocol.ErrRateLimited, protocol.Refusal{Reason: "Telegram asks to wait 8s"}, temporal.ApplicationErrorOptions{NonRetryable: true, NextRetryDelay: 8 * time.Second}),
		sent(1, 1))
	e.grant(0)
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Equal(t, protocol.TurnDone{WorkflowID: "default-test-workflow-id", Lease: 1, Unsent: true, Look: true}, e.given[0])
}

func TestADeliveryParksFreeingItsLaneFirst(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		turns int
		ends  func(protocol.SendPart) (protocol.PartSent, error)
		park  protocol.Park
	}{
		{"a refusal", 1, ends(protocol.ErrParked, protocol.Refusal{Reason: "forbidden"}, final),
			protocol.Park{DeliveryKey: errandKey, Status: protocol.StatusParked, Reason: "forbidden"}},
		{"an unknown outcome under ON_UNKNOWN=park", 1, ends(protocol.ErrUnknownParked, protocol.Refusal{Reason: protocol.ReasonOutcomeUnknown}, final),
			protocol.Park{DeliveryKey: errandKey, Status: protocol.StatusUnknown, Reason: protocol.ReasonOutcomeUnknown}},
		{"a fault of our own that does not go away", maxFaults, func(protocol.SendPart) (protocol.PartSent, error) {
			return protocol.PartSent{}, temporal.NewNonRetryableApplicationError("panic", "PanicError", nil)
		}, protocol.Park{DeliveryKey: errandKey, Status: protocol.StatusParked, Reason: protocol.ReasonFault}},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := newErrand(t, append(slices.Repeat([]func(protocol.SendPart) (protocol.PartSent, error){row.ends}, row.turns), sent(1, 1))...)
			e.grant(0)
			e.decide(48*time.Hour, protocol.Resume{Action: protocol.ResumeRetry})
			result, err := e.deliver()
			require.NoError(t, err)
			require.Equal(t, protocol.StatusSent, result.Status)
			require.Equal(t, []protocol.Park{row.park}, e.parked)
			require.True(t, e.given[row.turns-1].Look, "the ledger says whether the lane is paused")
			require.Equal(t, 1, e.queued)
			require.False(t, e.requests[row.turns].AcknowledgedAt.IsZero())
		})
	}
}

func TestAPlatformThatStaysAwayAsksNobody(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(protocol.SendPart) (protocol.PartSent, error){
		"unavailable": ends(protocol.ErrRetryLater, protocol.Refusal{}, final),
		"unknown":     ends(protocol.ErrOutcomeUnknown, protocol.Refusal{}, final),
		"timed out": func(protocol.SendPart) (protocol.PartSent, error) {
			return protocol.PartSent{}, temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_HEARTBEAT, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newErrand(t, append(slices.Repeat([]func(protocol.SendPart) (protocol.PartSent, error){away}, 50), sent(1, 1))...)
			e.grant(0)
			result, err := e.deliver()
			require.NoError(t, err)
			require.Equal(t, protocol.StatusSent, result.Status)
			require.Empty(t, e.parked)
		})
	}
}

func TestATurnThatIsGrantedAgainIsTakenOnceAndGivenBackAgain(t *testing.T) {
	e := newErrand(t, sent(1, 2), sent(2, 2))
	e.RegisterDelayedCallback(func() { e.SignalWorkflow(protocol.TurnGrantedSignal, protocol.TurnGranted{Lease: 1}) }, 0)
	e.RegisterDelayedCallback(func() { e.SignalWorkflow(protocol.TurnGrantedSignal, protocol.TurnGranted{Lease: 1}) }, time.Hour)
	e.lease = 1
	e.sends[0] = func(protocol.SendPart) (protocol.PartSent, error) {
		return protocol.PartSent{Part: 1, Parts: 2, GaveBack: true}, nil // and the lane never heard of it
	}
	e.RegisterDelayedCallback(func() { e.SignalWorkflow(protocol.TurnGrantedSignal, protocol.TurnGranted{Lease: 2}) }, 2*time.Hour)
	_, err := e.deliver()
	require.NoError(t, err)
	require.Len(t, e.requests, 2)
	require.Equal(t, []int64{1, 2}, []int64{e.given[0].Lease, e.given[1].Lease})
	require.True(t, e.given[0].Unsent)
}

func TestADeliveryAtRestGivesATurnBackAndRecordsWhyItRests(t *testing.T) {
	e := newErrand(t, ends(protocol.ErrParked, protocol.Refusal{Reason: "forbidden"}, final), sent(1, 1))
	e.grant(0)
	e.RegisterDelayedCallback(func() {
		e.status = protocol.StatusPending // the ledger was restored from before it was parked
		e.grant(0)
	}, time.Hour)
	e.decide(2*time.Hour, protocol.Resume{Action: protocol.ResumeRetry})
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Len(t, e.parked, 2)
	require.Equal(t, int64(2), e.given[1].Lease)
	require.Len(t, e.requests, 2)
}

func TestADeliveryThatWasWantedAnewTakesTheTurnInsteadOfResting(t *testing.T) {
	e := newErrand(t, ends(protocol.ErrParked, protocol.Refusal{Reason: "forbidden"}, final), sent(1, 1))
	e.parkedAs = protocol.StatusPending
	e.grant(0)
	e.grant(time.Hour)
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Len(t, e.requests, 2)
}

func TestACaptchaAnsweredWhileTheDeliveryParksIsNoSkip(t *testing.T) {
	e := newErrand(t, ends(protocol.ErrParked, protocol.Refusal{Reason: protocol.ReasonCaptcha}, final), sent(1, 1))
	e.parkedAs = protocol.StatusPending // a resume of the whole lane has come before
	e.whileParking = func() {
		e.UpdateWorkflow(protocol.ResumeDeliveryUpdate, "answer", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { t.Error(err) }, OnComplete: func(any, error) {},
		}, protocol.Resume{Action: protocol.ResumeCaptcha, CaptchaKey: "зл7к"})
	}
	e.grant(0)
	e.grant(time.Hour)
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Empty(t, e.settled)
	require.Equal(t, "зл7к", e.requests[1].CaptchaKey)
}

func TestADeliveryThatCameToRestFromOutsideEnds(t *testing.T) {
	t.Parallel()
	look := func(e *errand, status string) {
		e.RegisterDelayedCallback(func() {
			e.status = status
			e.SignalWorkflow(protocol.TurnGrantedSignal, protocol.TurnGranted{})
		}, time.Hour)
	}
	t.Run("while it waits for its turn", func(t *testing.T) {
		e := newErrand(t)
		look(e, protocol.StatusSuppressed)
		result, err := e.deliver()
		require.NoError(t, err)
		require.Equal(t, protocol.StatusSuppressed, result.Status)
	})
	t.Run("while it waits for a person", func(t *testing.T) {
		e := newErrand(t, ends(protocol.ErrUnknownParked, protocol.Refusal{}, final))
		e.grant(0)
		look(e, protocol.StatusSent)
		result, err := e.deliver()
		require.NoError(t, err)
		require.Equal(t, protocol.StatusSent, result.Status)
	})
}

func TestARowThatWaitsForAPersonGetsARunThatDoes(t *testing.T) {
	e := newErrand(t, sent(1, 1))
	e.waiting = &protocol.Park{DeliveryKey: errandKey, Status: protocol.StatusParked, Reason: "forbidden"}
	e.decide(time.Hour, protocol.Resume{Action: protocol.ResumeRetry})
	result, err := e.deliver()
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Empty(t, e.parked, "the row says so already")
	require.Equal(t, 1, e.queued)
}

func TestADeliveryRefusedForGoodFailsWithThePlatformsWords(t *testing.T) {
	e := newErrand(t, ends(protocol.ErrRejected, protocol.Refusal{Reason: "bad_request"}, final))
	e.grant(0)
	_, err := e.deliver()
	require.ErrorContains(t, err, "said the platform")
	require.Len(t, e.given, 1)
	require.Empty(t, e.parked)
}

func TestAnUnavailablePlatformIsTriedAFewTimesWithinOneTurn(t *testing.T) {
	e := newErrand(t, append(slices.Repeat([]func(protocol.SendPart) (protocol.PartSent, error){
		ends(protocol.ErrRetryLater, protocol.Refusal{}, temporal.ApplicationErrorOptions{})}, 4), sent(1, 1))...)
	e.grant(0)
	_, err := e.deliver()
	require.NoError(t, err)
	require.Len(t, e.requests, 5)
	require.Equal(t, []int64{1, 1, 1, 1, 2}, []int64{e.requests[0].Lease, e.requests[1].Lease, e.requests[2].Lease, e.requests[3].Lease, e.requests[4].Lease})
}

func TestAnOperatorsWord(t *testing.T) {
	t.Parallel()
	parked := ends(protocol.ErrParked, protocol.Refusal{Reason: protocol.ReasonCaptcha}, final)
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
		require.Equal(t, []protocol.Settle{{DeliveryKey: errandKey, Action: protocol.ResumeMarkSent, Note: "сама видела"}}, e.settled)
		require.Empty(t, e.given, "it had no turn")
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
	env := newEnvironment()
	env.RegisterWorkflow(DeliverPost)
	env.ExecuteWorkflow(DeliverPost, protocol.DeliverPostInput{DeliveryKey: protocol.DeliveryKey{Destination: "telegram:-100"}})
	require.ErrorContains(t, env.GetWorkflowError(), "vestnik deliver")
}
