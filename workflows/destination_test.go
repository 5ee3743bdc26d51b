package workflows

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
// itself, with a ledger in memory and deliveries that answer their turns as a
// test says.
type street struct {
	*testsuite.TestWorkflowEnvironment
	t *testing.T

	owed   []protocol.Job
	view   protocol.LaneView // but for its jobs
	cool   time.Time
	looks  int
	before []protocol.SentAgo // what a lane before this one has sent

	grants []grant
	// answer is what a delivery does with its turn; nil sends at the slot and
	// gives the turn back 50 ms later. A negative time never gives it back.
	answer  func(g grant) (after time.Duration, done protocol.TurnDone)
	settled map[string]bool // deliveries that a grant finds settled
	edits   []protocol.EditMessage
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
	return newStreetBeside(t)
}

func newStreetBeside(t *testing.T) *street {
	s := &street{TestWorkflowEnvironment: newEnvironment(), t: t, settled: map[string]bool{}}
	s.SetTestTimeout(30 * time.Second)
	s.RegisterWorkflowWithOptions(Destination, workflow.RegisterOptions{Name: protocol.DestinationWorkflow})
	lanes, telegram := &activities.Lanes{}, &activities.Telegram{}
	s.OnActivity(lanes.Next, mock.Anything, mock.Anything).Return(s.next).Maybe()
	s.OnActivity(lanes.Begin, mock.Anything, mock.Anything, mock.Anything).Return(
		func(ctx context.Context, destination string, _ time.Duration) (protocol.LaneView, error) {
			view, err := s.next(ctx, destination)
			view.Sent = s.before
			return view, err
		}).Maybe()
	s.OnActivity(lanes.Pause, mock.Anything, mock.Anything, mock.Anything).Return(
		func(ctx context.Context, destination string, pause protocol.Pause) (protocol.LaneView, error) {
			s.view.Paused = &pause
			return s.next(ctx, destination)
		}).Maybe()
	s.OnActivity(lanes.Resume, mock.Anything, mock.Anything).Return(
		func(ctx context.Context, destination string) (protocol.LaneView, error) {
			s.view.Paused, s.cool = nil, time.Time{}
			return s.next(ctx, destination)
		}).Maybe()
	s.OnActivity(lanes.SetRate, mock.Anything, mock.Anything, mock.Anything).Return(
		func(ctx context.Context, destination string, pace protocol.Pace) (protocol.LaneView, error) {
			s.view.Pace = pace
			return s.next(ctx, destination)
		}).Maybe()
	s.OnActivity(lanes.StillOwed, mock.Anything, mock.Anything).Return(
		func(_ context.Context, key protocol.DeliveryKey) (bool, error) { return s.owes(nameOf(key)), nil }).Maybe()
	s.OnActivity(lanes.Grant, mock.Anything, mock.Anything).Return(
		func(_ context.Context, granted protocol.Grant) (bool, error) {
			name := nameOf(granted.Job.Key(granted.Destination))
			if s.settled[name] {
				s.settle(name)
				return false, nil
			}
			g := grant{delivery: name, number: len(s.grants) + 1, lease: granted.Turn.Lease, sendAt: granted.Turn.SendAt, at: s.Now()}
			s.grants = append(s.grants, g)
			after, done := 50*time.Millisecond, protocol.TurnDone{SentAt: latest(g.sendAt, g.at)}
			if s.answer != nil {
				after, done = s.answer(g)
			}
			if after >= 0 {
				done.WorkflowID, done.Lease = g.delivery, g.lease
				s.RegisterDelayedCallback(func() {
					if !done.Again && !done.Look {
						s.settle(name)
					}
					s.SignalWorkflow(protocol.TurnDoneSignal, done)
				}, max(g.sendAt.Sub(g.at), 0)+after)
			}
			return true, nil
		}).Maybe()
	s.OnActivity(telegram.EditOnTelegram, mock.Anything, mock.Anything).Return(
		func(_ context.Context, edit protocol.EditMessage) (protocol.MessageEdited, error) {
			s.edits = append(s.edits, edit)
			s.owed = slices.DeleteFunc(s.owed, func(job protocol.Job) bool { return job.EditID == edit.EditID })
			return protocol.MessageEdited{Status: protocol.EditDone}, nil
		}).Maybe()
	return s
}

// next is the ledger: up to five rows at a time.
func (s *street) next(context.Context, string) (protocol.LaneView, error) {
	s.looks++
	view := s.view
	view.Jobs = slices.Clone(s.owed[:min(len(s.owed), 5)])
	view.All = len(s.owed) <= 5
	view.CoolFor = max(s.cool.Sub(s.Now()), 0)
	return view, nil
}

func (s *street) owes(name string) bool {
	return slices.ContainsFunc(s.owed, func(job protocol.Job) bool { return nameOf(job.Key(laneOf)) == name })
}

func (s *street) settle(name string) {
	s.owed = slices.DeleteFunc(s.owed, func(job protocol.Job) bool { return nameOf(job.Key(laneOf)) == name && job.EditID == 0 })
}

// Deliveries are called by letters: the post of a is 1.
func nameOf(key protocol.DeliveryKey) string { return string(rune('a' + key.PostID - 1)) }

func job(name string, weight int) protocol.Job {
	return protocol.Job{OwnerID: -1, PostID: int64([]rune(name)[0]-'a') + 1, DeliveryID: 1, Weight: weight}
}

// owe writes what is owed after a while, and nudges the lane.
func (s *street) owe(after time.Duration, names ...string) {
	s.RegisterDelayedCallback(func() {
		for _, name := range names {
			s.owed = append(s.owed, job(name, 1))
		}
		s.SignalWorkflow(protocol.NudgeSignal, nil)
	}, after)
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
		names[i] = string(rune('a' + i))
	}
	return names
}

func TestALaneGrantsInTheOrderOfTheLedgerAndNobodyTwice(t *testing.T) {
	s := newStreet(t)
	s.view.Pace.PerSecond = 1
	s.owe(0, "a", "b", "c")
	s.owe(500*time.Millisecond, "d")
	s.drive(time.Minute)
	require.Equal(t, []string{"a", "b", "c", "d"}, s.order())
}

func TestALaneReadsAFewRowsAtATimeAndOneThatRestsReadsNothing(t *testing.T) {
	s := newStreet(t)
	s.owe(0, deliveries(12)...)
	s.drive(24 * time.Hour)
	require.Equal(t, deliveries(12), s.order())
	require.LessOrEqual(t, s.looks, 5)
}

func TestALaneThatIsNudgedWhileATurnIsOutLooksBeforeTheNext(t *testing.T) {
	s := newStreet(t)
	s.owe(0, "b", "c")
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.number == 1 {
			s.owed = append([]protocol.Job{job("a", 1)}, s.owed...) // more urgent
			s.RegisterDelayedCallback(func() { s.SignalWorkflow(protocol.NudgeSignal, nil) }, 5*time.Millisecond)
		}
		return 10 * time.Millisecond, protocol.TurnDone{}
	}
	s.drive(time.Minute)
	require.Equal(t, []string{"b", "a", "c"}, s.order())
}

func TestALaneMakesEditsItselfInTheirTurn(t *testing.T) {
	s := newStreet(t)
	s.view.Pace.PerSecond = 1
	s.RegisterDelayedCallback(func() {
		s.owed = []protocol.Job{job("a", 1), {EditID: 7, OwnerID: -1, PostID: 26, Weight: 1}, job("b", 1)}
		s.SignalWorkflow(protocol.NudgeSignal, nil)
	}, 0)
	s.drive(time.Minute)
	require.Equal(t, []string{"a", "b"}, s.order())
	require.Len(t, s.edits, 1)
	require.Equal(t, int64(7), s.edits[0].EditID)
	require.True(t, s.edits[0].EditAt.After(s.grants[0].sendAt) && s.edits[0].EditAt.Before(s.grants[1].sendAt))
}

func TestALaneSpacesMessagesByItsRateGiveOrTakeTheJitter(t *testing.T) {
	for _, perSecond := range []float64{0.2, 1, 2, 10} {
		t.Run(fmt.Sprint(perSecond), func(t *testing.T) {
			s := newStreet(t)
			const n = 60
			beat := time.Duration(float64(time.Second) / perSecond)
			s.view.Pace = protocol.Pace{PerSecond: perSecond}
			s.owe(0, deliveries(n)...)
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
	s.view.Pace = protocol.Pace{PerSecond: 2}
	s.owe(0, deliveries(20)...)
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
	s.view.Pace = protocol.Pace{PerSecond: 1}
	s.owe(0, "a")
	s.owe(time.Hour, deliveries(6)[1:]...)
	s.drive(2 * time.Hour)
	require.Len(t, s.grants, 6)
	for i := 2; i < 6; i++ {
		require.GreaterOrEqual(t, s.grants[i].sendAt.Sub(s.grants[i-1].sendAt), 900*time.Millisecond)
	}
}

func TestAnAlbumCountsOneForEachItemInALanesMinute(t *testing.T) {
	s := newStreet(t)
	s.view.Pace.PerMinute = 20
	s.RegisterDelayedCallback(func() {
		s.owed = []protocol.Job{job("a", 10), job("b", 9), job("c", 1), job("d", 1), job("e", 30)}
		s.SignalWorkflow(protocol.NudgeSignal, nil)
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
	s.view.Pace = protocol.Pace{PerSecond: 10, PerMinute: 100}
	s.owe(0, "a", "b", "c")
	var answered time.Time
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.number == 2 {
			answered = latest(g.sendAt, g.at).Add(10 * time.Millisecond)
			s.cool, s.view.CoolReason = answered.Add(5*time.Second), "Telegram asks to wait 5s"
			return 10 * time.Millisecond, protocol.TurnDone{Unsent: true, Look: true}
		}
		return 10 * time.Millisecond, protocol.TurnDone{SentAt: latest(g.sendAt, g.at)}
	}
	s.RegisterDelayedCallback(func() {
		state := s.state()
		require.Equal(t, protocol.LaneCooling, state.State)
		require.Equal(t, "Telegram asks to wait 5s", state.Reason)
		require.NotNil(t, state.CoolingUntil)
		require.Len(t, state.Next, 2)
	}, 2*time.Second)
	s.drive(time.Minute)
	require.Equal(t, []string{"a", "b", "b", "c"}, s.order())
	require.GreaterOrEqual(t, s.grants[2].at.Sub(answered), 5*time.Second)
	require.False(t, s.grants[2].sendAt.Before(answered.Add(5*time.Second)), "nor by the sender's slot")
}

func TestAPausedLaneGrantsNothingUntilItIsResumed(t *testing.T) {
	s := newStreet(t)
	s.view.Pace.PerSecond = 1
	s.update(0, protocol.PauseUpdate, protocol.Pause{Reason: "ремонт", By: "дежурная"})
	s.owe(time.Second, "a", "b")
	s.RegisterDelayedCallback(func() {
		require.Empty(t, s.grants)
		require.Equal(t, protocol.LanePaused, s.state().State)
		require.Equal(t, "ремонт", s.state().Reason)
	}, time.Hour)
	s.update(time.Hour+time.Second, protocol.ResumeUpdate)
	s.drive(2 * time.Hour)
	require.Equal(t, []string{"a", "b"}, s.order())
}

func TestALaneIsPausedByWhatTheLedgerSays(t *testing.T) {
	s := newStreet(t)
	s.owe(0, "a", "b")
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.number == 1 {
			s.view.Paused = &protocol.Pause{Reason: "forbidden", Delivery: 1}
			s.settle("a") // it waits for a person
			return 0, protocol.TurnDone{Unsent: true, Look: true}
		}
		return 0, protocol.TurnDone{}
	}
	s.RegisterDelayedCallback(func() { require.Len(t, s.grants, 1) }, 2*time.Minute)
	s.RegisterDelayedCallback(func() { s.view.Paused = nil }, 3*time.Minute)
	s.owe(3*time.Minute, "c")
	s.drive(time.Hour)
	require.Equal(t, []string{"a", "b", "c"}, s.order())
}

func TestATurnOfADeliveryThatIsSettledCostsTheOthersNoTime(t *testing.T) {
	s := newStreet(t)
	s.view.Pace.PerSecond = 1
	s.settled["b"] = true
	s.owe(0, "a", "b", "c")
	s.drive(time.Minute)
	require.Equal(t, []string{"a", "c"}, s.order())
	require.Less(t, s.grants[1].sendAt.Sub(s.grants[0].sendAt), 2200*time.Millisecond)
}

func TestATurnThatNeverComesBackIsGrantedAgainUnderItsNumberWhileItIsOwed(t *testing.T) {
	s := newStreet(t)
	s.owe(0, "a", "b")
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.number < 3 {
			return -1, protocol.TurnDone{}
		}
		return 0, protocol.TurnDone{}
	}
	s.drive(time.Hour)
	require.Equal(t, []string{"a", "a", "a", "b"}, s.order())
	require.Equal(t, s.grants[0].lease, s.grants[1].lease)
	require.Equal(t, s.grants[0].lease, s.grants[2].lease)
	require.GreaterOrEqual(t, s.grants[1].at.Sub(s.grants[0].at), leaseTime)
}

func TestATurnThatNeverComesBackIsTakenBackWhenItIsNotWantedAnyMore(t *testing.T) {
	s := newStreet(t)
	s.owe(0, "a", "b")
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.delivery == "a" {
			s.settle("a")
			return -1, protocol.TurnDone{}
		}
		return 0, protocol.TurnDone{}
	}
	s.drive(time.Hour)
	require.Equal(t, []string{"a", "b"}, s.order())
	require.GreaterOrEqual(t, s.grants[1].at.Sub(s.grants[0].at), leaseTime)
}

func TestANewLaneWaitsForWhatMayStillBeInFlight(t *testing.T) {
	s := newStreet(t)
	s.view.InFlightFor = 11 * time.Second
	began := s.Now()
	s.owe(0, "a")
	s.RegisterDelayedCallback(func() { s.view.InFlightFor = 0 }, 5*time.Second)
	s.drive(time.Minute)
	require.Equal(t, []string{"a"}, s.order())
	require.GreaterOrEqual(t, s.grants[0].at.Sub(began), 11*time.Second)
}

func TestALaneThatBeginsKeepsThePaceOfTheOneBeforeIt(t *testing.T) {
	s := newStreet(t)
	s.view.Pace = protocol.Pace{PerSecond: 1, PerMinute: 20}
	s.before = []protocol.SentAgo{{Ago: 40 * time.Second, Weight: 10}, {Ago: 300 * time.Millisecond, Weight: 9}}
	began := s.Now()
	s.owe(0, "a", "b")
	s.drive(time.Hour)
	require.GreaterOrEqual(t, s.grants[0].sendAt.Sub(began), 600*time.Millisecond)
	require.GreaterOrEqual(t, s.grants[1].sendAt.Sub(began), 20*time.Second, "the minute had room for one")
}

func TestALaneContinuesAsNewWithAllThatItKnowsAndNoSignalIsLost(t *testing.T) {
	s := newStreet(t)
	s.view.Pace = protocol.Pace{PerSecond: 1, PerMinute: 20}
	s.owe(0, deliveries(8)...)
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.number == 5 {
			// Word of this turn and a nudge arrive in the very task in which
			// the history has grown too long.
			s.RegisterDelayedCallback(func() {
				s.SetContinueAsNewSuggested(true)
				s.SignalWorkflowSkippingWorkflowTask(protocol.NudgeSignal, nil)
				s.SignalWorkflow(protocol.TurnDoneSignal, protocol.TurnDone{WorkflowID: g.delivery, Lease: g.lease, Again: true, Weight: 2})
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
	require.Nil(t, carried.Lease)
	require.Equal(t, s.grants[4].lease, carried.Leases)
	require.Len(t, carried.Recent, 5)

	// The next run reads the rest in the ledger.
	next := newStreetBeside(t)
	next.owed, next.view = s.owed, s.view
	next.SetStartTime(s.Now())
	next.drive(time.Hour, carried)
	require.Equal(t, deliveries(8)[4:], next.order())
	require.Equal(t, carried.Leases+1, next.grants[0].lease)
	require.GreaterOrEqual(t, next.grants[0].sendAt.Sub(carried.LastSent), 900*time.Millisecond)
}

func TestALaneThatContinuesAsNewWithATurnOutRemembersItsMinute(t *testing.T) {
	s := newStreet(t)
	s.view.Pace = protocol.Pace{PerSecond: 1, PerMinute: 20}
	began := s.Now()
	carried := &protocol.LaneCarry{
		Pace: s.view.Pace, Leases: 21, LastSent: began, Slot: began,
		Lease:  &protocol.Lease{Number: 21, Job: job("a", 1), SendAt: began, Until: began.Add(leaseTime)},
		Recent: []protocol.SentMark{{At: began.Add(-20 * time.Second), Weight: 19}},
	}
	s.owed = []protocol.Job{job("b", 1)}
	s.RegisterDelayedCallback(func() {
		s.SignalWorkflow(protocol.TurnDoneSignal, protocol.TurnDone{WorkflowID: "a", Lease: 21, SentAt: began})
	}, time.Second)
	s.drive(2*time.Minute, carried)
	require.Equal(t, []string{"b"}, s.order())
	require.GreaterOrEqual(t, s.grants[0].sendAt.Sub(began), 40*time.Second, "the minute is full until then")
}

func TestAnOldLeasesWordMakesTheLaneLookAndTakesNoTurn(t *testing.T) {
	s := newStreet(t)
	s.owe(0, "a", "b", "c")
	s.answer = func(g grant) (time.Duration, protocol.TurnDone) {
		if g.delivery == "b" {
			return -1, protocol.TurnDone{}
		}
		return 0, protocol.TurnDone{}
	}
	s.RegisterDelayedCallback(func() {
		s.SignalWorkflow(protocol.TurnDoneSignal, protocol.TurnDone{WorkflowID: "a", Lease: s.grants[0].lease, Unsent: true, Look: true})
	}, 10*time.Second)
	s.RegisterDelayedCallback(func() {
		require.Equal(t, "deliver/telegram:-100/wall-1_2", s.state().Sending, "b keeps its turn")
	}, 11*time.Second)
	s.drive(40 * time.Second)
	require.Equal(t, []string{"a", "b"}, s.order())
}

func TestALaneThatBeginsAnewGrantsNumbersThatNoneBeforeItHas(t *testing.T) {
	before := newStreet(t)
	before.SetStartTime(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	before.view.Pace.PerSecond = 20
	before.owe(0, deliveries(100)...)
	before.drive(time.Minute)
	after := newStreetBeside(t)
	after.SetStartTime(time.Date(2026, 11, 20, 12, 1, 0, 0, time.UTC))
	after.owe(0, "a")
	after.drive(time.Minute)
	require.Greater(t, after.grants[0].lease, before.grants[99].lease)
}

func TestAReasonTooLongForTheLedgerIsRefused(t *testing.T) {
	s := newStreet(t)
	var refused error
	s.RegisterDelayedCallback(func() {
		s.UpdateWorkflow(protocol.PauseUpdate, "long", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { refused = err }, OnComplete: func(any, error) {},
		}, protocol.Pause{Reason: strings.Repeat("ж", 4001)})
	}, 0)
	s.drive(time.Minute)
	require.ErrorContains(t, refused, "4001 characters")
}
