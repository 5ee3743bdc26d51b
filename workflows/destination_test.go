package workflows

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

const laneOf = "telegram:-100"

// street is a lane in Temporal's test environment, where time passes by
// itself, with deliveries that answer their turns as a test says.
type street struct {
	*testsuite.TestWorkflowEnvironment
	t *testing.T

	grants []grant
	// answer is what a delivery does with its turn; nil sends at the slot and
	// gives the turn back 50 ms later.
	answer func(g grant) (after time.Duration, done protocol.TurnDone)
	gone   map[string]bool // deliveries that do not run
}

type grant struct {
	delivery string
	number   int // 1, 2, 3…
	lease    int64
	sendAt   time.Time
	at       time.Time
}

func newStreet(t *testing.T) *street {
	t.Parallel()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	s := &street{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: t, gone: map[string]bool{}}
	s.SetTestTimeout(30 * time.Second)
	s.RegisterWorkflowWithOptions(Destination, workflow.RegisterOptions{Name: protocol.DestinationWorkflow})
	lanes := &activities.Lanes{}
	s.OnActivity(lanes.DeliveryRuns, mock.Anything, mock.Anything).Return(false, nil).Maybe()
	s.OnActivity(lanes.Grant, mock.Anything, mock.Anything, mock.Anything).Return(
		func(_ context.Context, workflowID string, granted protocol.TurnGranted) (bool, error) {
			if s.gone[workflowID] {
				return false, nil
			}
			g := grant{delivery: workflowID, number: len(s.grants) + 1, lease: granted.Lease, sendAt: granted.SendAt, at: s.Now()}
			s.grants = append(s.grants, g)
			after, done := 50*time.Millisecond, protocol.TurnDone{SentAt: latest(g.sendAt, g.at)}
			if s.answer != nil {
				after, done = s.answer(g)
			}
			if after >= 0 {
				done.WorkflowID, done.Lease = workflowID, g.lease
				s.RegisterDelayedCallback(func() { s.SignalWorkflow(protocol.TurnDoneSignal, done) }, max(g.sendAt.Sub(g.at), 0)+after)
			}
			return true, nil
		}).Maybe()
	return s
}

// queue asks for turns after a while.
func (s *street) queue(after time.Duration, pace protocol.Pace, deliveries ...string) {
	turns := protocol.QueueTurns{Pace: pace}
	for _, delivery := range deliveries {
		turns.Turns = append(turns.Turns, protocol.Turn{WorkflowID: delivery, Weight: 1})
	}
	s.RegisterDelayedCallback(func() { s.SignalWorkflow(protocol.QueueTurnsSignal, turns) }, after)
}

// drive runs the lane for a while.
func (s *street) drive(long time.Duration, carried ...*protocol.LaneCarry) {
	s.t.Helper()
	s.RegisterDelayedCallback(s.CancelWorkflow, long)
	input := protocol.DestinationInput{Destination: laneOf}
	if len(carried) > 0 {
		input.Carried = carried[0]
	}
	s.ExecuteWorkflow(Destination, input)
	require.True(s.t, s.IsWorkflowCompleted())
}

func (s *street) order() []string {
	order := make([]string, len(s.grants))
	for i, g := range s.grants {
		order[i] = g.delivery
	}
	return order
}

// update calls an update of the lane after a while.
func (s *street) update(after time.Duration, name string, arguments ...any) *testsuite.TestUpdateCallback {
	callback := &testsuite.TestUpdateCallback{
		OnAccept: func() {}, OnReject: func(err error) { s.t.Errorf("%s rejected: %v", name, err) },
		OnComplete: func(any, error) {},
	}
	s.RegisterDelayedCallback(func() { s.UpdateWorkflow(name, fmt.Sprintf("%s-%d", name, after), callback, arguments...) }, after)
	return callback
}

func (s *street) state() protocol.LaneState {
	value, err := s.QueryWorkflow(protocol.StateQuery)
	require.NoError(s.t, err)
	var state protocol.LaneState
	require.NoError(s.t, value.Get(&state))
	return state
}

func deliveries(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("deliver/%03d", i)
	}
	return names
}

func TestALaneGrantsInTheOrderOfAskingAndNobodyTwice(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 1}, "a", "b", "c")
	s.queue(500*time.Millisecond, protocol.Pace{PerSecond: 1}, "c", "b", "d") // those that wait keep their place
	s.drive(time.Minute)
	require.Equal(t, []string{"a", "b", "c", "d"}, s.order())
}

func TestALaneTakesNoMoreTurnsThanItCanCarryOverAndTheRestMayAskAgain(t *testing.T) {
	s := newStreet(t)
	owed := deliveries(maxQueue + 5)
	s.update(0, protocol.PauseUpdate, protocol.Pause{Reason: "long"})
	for first := 0; first < len(owed); first += 200 { // as the dispatcher asks
		s.queue(time.Second, protocol.Pace{}, owed[first:min(first+200, len(owed))]...)
	}
	s.RegisterDelayedCallback(func() { require.Equal(t, maxQueue, s.state().Queued) }, time.Minute)
	s.queue(2*time.Minute, protocol.Pace{}, owed...)
	s.RegisterDelayedCallback(func() { require.Equal(t, maxQueue, s.state().Queued) }, 3*time.Minute)
	s.drive(time.Hour)
}

func TestALaneSpacesMessagesByItsRateGiveOrTakeTheJitter(t *testing.T) {
	for _, perSecond := range []float64{0.2, 1, 2, 10} {
		t.Run(fmt.Sprint(perSecond), func(t *testing.T) {
			s := newStreet(t)
			const n = 60
			beat := time.Duration(float64(time.Second) / perSecond)
			s.queue(0, protocol.Pace{PerSecond: perSecond}, deliveries(n)...)
			s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
				return 10 * time.Millisecond, protocol.TurnDone{SentAt: latest(g.sendAt, g.at)}
			}
			s.drive(n*beat + 10*time.Minute)
			require.Len(t, s.grants, n)
			different := false
			for i := 1; i < n; i++ {
				gap := latest(s.grants[i].sendAt, s.grants[i].at).Sub(latest(s.grants[i-1].sendAt, s.grants[i-1].at))
				require.GreaterOrEqual(t, gap, beat*9/10)
				require.LessOrEqual(t, gap, beat+min(2*maxJitter, beat/5))
				require.LessOrEqual(t, s.grants[i].sendAt.Sub(s.grants[i].at), protocol.GrantLead)
				different = different || gap != beat
			}
			require.True(t, different, "messages do not come like clockwork")
			whole := s.grants[n-1].sendAt.Sub(s.grants[0].at)
			require.InDelta(t, (beat * (n - 1)).Seconds(), whole.Seconds(), beat.Seconds(), "and the rate is kept over time")
		})
	}
}

func TestAMessageThatWentOutLateIsNotFollowedByOneInTime(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 2}, deliveries(20)...)
	var sent []time.Time
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		late := time.Duration(0)
		if g.number%3 == 0 {
			late = 400 * time.Millisecond
		}
		at := latest(g.sendAt, g.at).Add(late)
		sent = append(sent, at)
		return late + 20*time.Millisecond, protocol.TurnDone{SentAt: at}
	}
	s.drive(time.Minute)
	require.Len(t, sent, 20)
	for i := range sent[1:] {
		require.GreaterOrEqual(t, sent[i+1].Sub(sent[i]), 450*time.Millisecond)
	}
}

func TestALaneThatRestedDoesNotSendABurst(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 1}, "a")
	s.queue(time.Hour, protocol.Pace{PerSecond: 1}, deliveries(5)...)
	s.drive(2 * time.Hour)
	require.Len(t, s.grants, 6)
	for i := 2; i < 6; i++ {
		require.GreaterOrEqual(t, s.grants[i].sendAt.Sub(s.grants[i-1].sendAt), 900*time.Millisecond)
	}
}

func TestAnAlbumCountsOneForEachItemInALanesMinute(t *testing.T) {
	s := newStreet(t)
	s.RegisterDelayedCallback(func() {
		s.SignalWorkflow(protocol.QueueTurnsSignal, protocol.QueueTurns{Pace: protocol.Pace{PerMinute: 20}, Turns: []protocol.Turn{
			{WorkflowID: "a", Weight: 10}, {WorkflowID: "b", Weight: 9}, {WorkflowID: "c", Weight: 1}, {WorkflowID: "d", Weight: 1}, {WorkflowID: "e", Weight: 30},
		}})
	}, 0)
	s.drive(10 * time.Minute)
	require.Equal(t, []string{"a", "b", "c", "d", "e"}, s.order())
	at := func(i int) time.Duration { return s.grants[i].sendAt.Sub(s.grants[0].sendAt) }
	require.Less(t, at(2), time.Second, "20 fit")
	require.GreaterOrEqual(t, at(3), time.Minute, "the 21st does not")
	require.GreaterOrEqual(t, at(4), at(3)+time.Minute, "what is heavier than the limit goes when the minute is empty")
}

func TestA429CoolsTheWholeLaneAndTheRefusedOneGoesFirst(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 10, PerMinute: 100}, "a", "b", "c")
	var answered time.Time
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.number == 2 {
			answered = latest(g.sendAt, g.at).Add(10 * time.Millisecond)
			return 10 * time.Millisecond, protocol.TurnDone{Again: true, Unsent: true, CoolFor: 5 * time.Second, Reason: "Telegram asks to wait 5s"}
		}
		return 10 * time.Millisecond, protocol.TurnDone{SentAt: latest(g.sendAt, g.at)}
	}
	s.RegisterDelayedCallback(func() {
		state := s.state()
		require.Equal(t, protocol.LaneCooling, state.State)
		require.Equal(t, "Telegram asks to wait 5s", state.Reason)
		require.NotNil(t, state.CoolingUntil)
		require.Equal(t, []string{"b", "c"}, state.Next)
	}, 2*time.Second)
	s.drive(time.Minute)
	require.Equal(t, []string{"a", "b", "b", "c"}, s.order())
	require.GreaterOrEqual(t, s.grants[2].at.Sub(answered), 5*time.Second)
	require.False(t, s.grants[2].sendAt.Before(answered.Add(5*time.Second)), "nor by the sender's slot")
}

func TestAPausedLaneGrantsNothingUntilItIsResumed(t *testing.T) {
	s := newStreet(t)
	s.update(0, protocol.PauseUpdate, protocol.Pause{Reason: "ремонт", By: "дежурная"})
	s.queue(time.Second, protocol.Pace{PerSecond: 1}, "a", "b")
	s.RegisterDelayedCallback(func() {
		require.Empty(t, s.grants)
		require.Equal(t, protocol.LanePaused, s.state().State)
		require.Equal(t, "ремонт", s.state().Reason)
	}, time.Hour)
	s.update(time.Hour+time.Second, protocol.ResumeUpdate)
	s.drive(2 * time.Hour)
	require.Equal(t, []string{"a", "b"}, s.order())
}

func TestADeliveryThatPausedTheLaneOpensItWhenItComesBack(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 1}, "a", "b", "c")
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.number == 1 {
			return 0, protocol.TurnDone{Pause: true, Reason: "forbidden"}
		}
		return 0, protocol.TurnDone{}
	}
	s.queue(time.Minute, protocol.Pace{PerSecond: 1}, "d") // another one does not
	s.RegisterDelayedCallback(func() { require.Len(t, s.grants, 1) }, 2*time.Minute)
	s.queue(3*time.Minute, protocol.Pace{PerSecond: 1}, "a")
	s.drive(time.Hour)
	require.Equal(t, []string{"a", "a", "b", "c", "d"}, s.order())
}

func TestATurnOfADeliveryThatDoesNotRunCostsTheOthersNoTime(t *testing.T) {
	s := newStreet(t)
	s.gone["b"] = true
	s.queue(0, protocol.Pace{PerSecond: 1}, "a", "b", "c")
	s.drive(time.Minute)
	require.Equal(t, []string{"a", "c"}, s.order())
	require.Less(t, s.grants[1].sendAt.Sub(s.grants[0].sendAt), 1200*time.Millisecond)
}

func TestATurnThatNeverComesBackIsTakenBackWhenItsDeliveryHasEnded(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 1}, "a", "b")
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.delivery == "a" {
			return -1, protocol.TurnDone{}
		}
		return 0, protocol.TurnDone{}
	}
	s.drive(time.Hour)
	require.Equal(t, []string{"a", "b"}, s.order())
	require.GreaterOrEqual(t, s.grants[1].at.Sub(s.grants[0].at), leaseTime)
}

func TestATurnThatIsOutForLongIsLeftAloneWhileItsDeliveryRuns(t *testing.T) {
	t.Parallel()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	s := &street{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: t}
	s.RegisterWorkflowWithOptions(Destination, workflow.RegisterOptions{Name: protocol.DestinationWorkflow})
	lanes := &activities.Lanes{}
	s.OnActivity(lanes.DeliveryRuns, mock.Anything, "a").Return(true, nil)
	s.OnActivity(lanes.Grant, mock.Anything, mock.Anything, mock.Anything).Return(
		func(_ context.Context, workflowID string, granted protocol.TurnGranted) (bool, error) {
			s.grants = append(s.grants, grant{delivery: workflowID, lease: granted.Lease, at: s.Now()})
			return true, nil
		})
	s.queue(0, protocol.Pace{PerSecond: 1}, "a", "b")
	s.RegisterDelayedCallback(func() {
		require.Equal(t, []string{"a"}, s.order())
		s.SignalWorkflow(protocol.TurnDoneSignal, protocol.TurnDone{WorkflowID: "a", Lease: s.grants[0].lease})
	}, 14*time.Minute)
	s.drive(time.Hour)
	require.Equal(t, []string{"a", "b"}, s.order())
}

func TestALaneContinuesAsNewWithAllThatItKnowsAndNoSignalIsLost(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 1, PerMinute: 20}, deliveries(8)...)
	s.update(1500*time.Millisecond, protocol.SetRateUpdate, protocol.Pace{PerSecond: 4, PerMinute: 20})
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.number == 5 {
			// Word of this turn, of another delivery and of a cooldown arrive
			// in the very task in which the history has grown too long.
			s.RegisterDelayedCallback(func() {
				s.SetContinueAsNewSuggested(true)
				s.SignalWorkflowSkippingWorkflowTask(protocol.QueueTurnsSignal, protocol.QueueTurns{Pace: protocol.Pace{PerSecond: 1, PerMinute: 20}, Turns: []protocol.Turn{{WorkflowID: "late", Weight: 3}}})
				s.SignalWorkflow(protocol.TurnDoneSignal, protocol.TurnDone{WorkflowID: g.delivery, Lease: g.lease, Again: true, Weight: 2, CoolFor: time.Minute, Reason: "flood"})
			}, 10*time.Millisecond)
			return -1, protocol.TurnDone{}
		}
		return 0, protocol.TurnDone{SentAt: latest(g.sendAt, g.at)}
	}
	s.drive(time.Hour)
	var continued *workflow.ContinueAsNewError
	require.ErrorAs(t, s.GetWorkflowError(), &continued)
	var input protocol.DestinationInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(continued.Input, &input))
	require.Equal(t, laneOf, input.Destination)
	carried := input.Carried
	waiting := make([]string, len(carried.Queue))
	for i, turn := range carried.Queue {
		waiting[i] = turn.WorkflowID
	}
	require.Equal(t, append(deliveries(8)[4:], "late"), waiting)
	require.Equal(t, 2, carried.Queue[0].Weight)
	require.Equal(t, 3, carried.Queue[4].Weight)
	require.Nil(t, carried.Lease)
	require.Equal(t, s.grants[4].lease, carried.Leases)
	require.Equal(t, "flood", carried.CoolReason)
	require.Equal(t, &protocol.Pace{PerSecond: 4, PerMinute: 20}, carried.Override)
	require.Len(t, carried.Recent, 5)

	// The next run takes it up where this one left it.
	next := newStreetBeside(s)
	next.SetStartTime(s.Now())
	next.drive(time.Hour, carried)
	require.Equal(t, waiting, next.order())
	require.Equal(t, carried.Leases+1, next.grants[0].lease)
	require.False(t, next.grants[0].at.Before(carried.Cooling))
}

func newStreetBeside(s *street) *street {
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	next := &street{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: s.t}
	next.RegisterWorkflowWithOptions(Destination, workflow.RegisterOptions{Name: protocol.DestinationWorkflow})
	lanes := &activities.Lanes{}
	next.OnActivity(lanes.Grant, mock.Anything, mock.Anything, mock.Anything).Return(
		func(_ context.Context, workflowID string, granted protocol.TurnGranted) (bool, error) {
			next.grants = append(next.grants, grant{delivery: workflowID, lease: granted.Lease, sendAt: granted.SendAt, at: next.Now()})
			next.RegisterDelayedCallback(func() {
				next.SignalWorkflow(protocol.TurnDoneSignal, protocol.TurnDone{WorkflowID: workflowID, Lease: granted.Lease})
			}, max(granted.SendAt.Sub(next.Now()), 0))
			return true, nil
		})
	return next
}

func TestALanesRateHoldsUntilTheConfiguredOneChanges(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 1}, "a")
	s.update(time.Second, protocol.SetRateUpdate, protocol.Pace{PerSecond: 0.1})
	s.queue(2*time.Second, protocol.Pace{PerSecond: 1}, "b")
	s.RegisterDelayedCallback(func() { require.InDelta(t, 0.1, s.state().RatePerSec, 0) }, 3*time.Second)
	s.queue(time.Minute, protocol.Pace{PerSecond: 5}, "c")
	s.RegisterDelayedCallback(func() { require.InDelta(t, 5, s.state().RatePerSec, 0) }, 2*time.Minute)
	s.drive(time.Hour)
	require.Equal(t, []string{"a", "b", "c"}, s.order())
}

func TestAnOldLeasesWordStillCountsForThePauseAndNotForTheTurn(t *testing.T) {
	s := newStreet(t)
	s.queue(0, protocol.Pace{PerSecond: 1}, "a", "b")
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.delivery == "b" {
			return -1, protocol.TurnDone{}
		}
		return 0, protocol.TurnDone{}
	}
	s.RegisterDelayedCallback(func() {
		s.SignalWorkflow(protocol.TurnDoneSignal, protocol.TurnDone{WorkflowID: "a", Lease: s.grants[0].lease, Pause: true, Reason: "forbidden"})
	}, 10*time.Second)
	s.RegisterDelayedCallback(func() {
		require.Equal(t, protocol.LanePaused, s.state().State)
		require.Equal(t, "b", s.state().Sending, "b keeps its turn")
	}, 11*time.Second)
	s.drive(time.Minute)
}

func TestALaneThatBeginsAnewGrantsNumbersThatNoneBeforeItHas(t *testing.T) {
	before := newStreet(t)
	before.SetStartTime(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	before.queue(0, protocol.Pace{PerSecond: 20}, deliveries(100)...)
	before.drive(time.Minute)
	after := newStreetBeside(before)
	after.SetStartTime(time.Date(2026, 11, 20, 12, 1, 0, 0, time.UTC))
	after.queue(0, protocol.Pace{PerSecond: 1}, "a")
	after.drive(time.Minute)
	require.Greater(t, after.grants[0].lease, before.grants[99].lease)
}
