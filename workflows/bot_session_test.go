package workflows

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
)

// chat is a session in Temporal's test environment. Its activities do nothing
// but note that they were called; a test changes what it is about.
type chat struct {
	*testsuite.TestWorkflowEnvironment
	noting sync.Mutex
	calls  []string // "Answer 7", "Compose 7", "SendText 7", in order
	at     map[string]time.Time

	answer  func(answering activities.Answering) error
	perform func(performing activities.Performing) (activities.Performed, error)
	claim   func() (activities.Claimed, error)
	check   func() (guide.Subscription, error)
	compose func(composing activities.Composing) (activities.Composed, error)
	photo   func(showing activities.Showing) error
	text    func(showing activities.Showing) error
}

// newEnvironment takes no workflow for stuck because the machine is busy.
func newEnvironment() *testsuite.TestWorkflowEnvironment {
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	environment := suite.NewTestWorkflowEnvironment()
	environment.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute})
	return environment
}

func newChat(t *testing.T) *chat {
	t.Parallel()
	return newChatIn(t)
}

func newChatIn(*testing.T) *chat {
	c := &chat{TestWorkflowEnvironment: newEnvironment(), at: map[string]time.Time{}}
	c.SetTestTimeout(20 * time.Second)
	c.RegisterWorkflow(BotSession)
	bot := &activities.Guide{}
	c.OnActivity(bot.Answer, mock.Anything, mock.Anything).Return(
		func(_ context.Context, answering activities.Answering) (bool, error) {
			c.note("Answer", answering.ID)
			if c.answer != nil {
				return false, c.answer(answering)
			}
			return false, nil
		}).Maybe()
	c.OnActivity(bot.Perform, mock.Anything, mock.Anything).Return(
		func(_ context.Context, performing activities.Performing) (activities.Performed, error) {
			if performing.Answer {
				c.note("Answer", performing.Claiming.Update.ID)
			}
			c.note("Perform", performing.Claiming.Update.ID)
			if c.perform != nil {
				return c.perform(performing)
			}
			return done(performing)
		}).Maybe()
	c.OnActivity(bot.Claim, mock.Anything, mock.Anything).Return(
		func(_ context.Context, claiming activities.Claiming) (activities.Claimed, error) {
			c.note("Claim", claiming.Update.ID)
			if c.claim != nil {
				return c.claim()
			}
			return activities.Claimed{}, nil
		}).Maybe()
	c.OnActivity(bot.CheckSubscription, mock.Anything, mock.Anything).Return(
		func(_ context.Context, checking activities.Checking) (guide.Subscription, error) {
			c.note("Check", checking.Update.ID)
			if c.check != nil {
				return c.check()
			}
			return guide.Subscribed, nil
		}).Maybe()
	c.OnActivity(bot.Compose, mock.Anything, mock.Anything).Return(
		func(_ context.Context, composing activities.Composing) (activities.Composed, error) {
			c.note("Compose", composing.Update.ID)
			if c.compose != nil {
				return c.compose(composing)
			}
			return card, nil
		}).Maybe()
	c.OnActivity(bot.SendPhoto, mock.Anything, mock.Anything).Return(
		func(_ context.Context, showing activities.Showing) (activities.Shown, error) {
			c.note("SendPhoto", showing.Update.ID)
			if c.photo != nil {
				return activities.Shown{}, c.photo(showing)
			}
			return activities.Shown{MessageID: 100, Photo: true}, nil
		}).Maybe()
	c.OnActivity(bot.SendText, mock.Anything, mock.Anything).Return(
		func(_ context.Context, showing activities.Showing) (activities.Shown, error) {
			c.note("SendText", showing.Update.ID)
			if c.text != nil {
				return activities.Shown{MessageID: 100}, c.text(showing)
			}
			return activities.Shown{MessageID: 100}, nil
		}).Maybe()
	c.OnActivity(bot.NoteBlocked, mock.Anything, mock.Anything).Return(
		func(_ context.Context, update protocol.BotUpdate) error { c.note("NoteBlocked", update.ID); return nil }).Maybe()
	c.OnActivity(bot.Sweep, mock.Anything).Return(
		func(context.Context) error { c.note("Sweep", 0); return nil }).Maybe()
	return c
}

func done(activities.Performing) (activities.Performed, error) {
	return activities.Performed{Shown: activities.Shown{MessageID: 100}}, nil
}

// stop is a Perform that failed at a step.
func stop(step activities.Step, failure activities.Failure, wait time.Duration) func(activities.Performing) (activities.Performed, error) {
	return func(activities.Performing) (activities.Performed, error) {
		p := activities.Performed{Stopped: &activities.Stop{Step: step, Failure: failure, Wait: max(wait, 0), Final: wait < 0}}
		if step == activities.PhotoStep || step == activities.TextStep {
			p.Composed = &card
		}
		return p, nil
	}
}

var card = activities.Composed{Card: "place:1", Screen: guide.Screen{
	Text: "Название: Кофейня", Caption: "Кофейня", Photo: "https://cdn.example.com/1.jpg",
	Keyboard: guide.Keyboard{{{Text: "Назад", Data: "back:menu:places"}}},
}}

func (c *chat) note(what string, id int64) {
	c.noting.Lock() // activities run beside each other
	defer c.noting.Unlock()
	call := fmt.Sprintf("%s %d", what, id)
	c.calls = append(c.calls, call)
	if _, known := c.at[call]; !known {
		c.at[call] = c.Now()
	}
}

// signal sends updates after a while, in one workflow task.
func (c *chat) signal(after time.Duration, updates ...protocol.BotUpdate) {
	c.RegisterDelayedCallback(func() {
		for i, update := range updates {
			if i < len(updates)-1 {
				c.SignalWorkflowSkippingWorkflowTask(protocol.BotUpdateSignal, update)
				continue
			}
			c.SignalWorkflow(protocol.BotUpdateSignal, update)
		}
	}, after)
}

func (c *chat) talk(t *testing.T) {
	t.Helper()
	c.ExecuteWorkflow(BotSession, protocol.SessionInput{BotID: 1, ChatID: 555})
	require.True(t, c.IsWorkflowCompleted())
}

func (c *chat) count(call string) (n int) {
	for _, made := range c.calls {
		if made == call {
			n++
		}
	}
	return n
}

func press(id int64, data string) protocol.BotUpdate {
	return protocol.BotUpdate{
		ID: id, TraceID: fmt.Sprintf("trace-%d", id), Kind: protocol.BotCallback, UserID: 555, ChatID: 555,
		CallbackID: fmt.Sprintf("query-%d", id), MessageID: 22, Data: data,
	}
}

func say(id int64, data string) protocol.BotUpdate {
	return protocol.BotUpdate{ID: id, TraceID: fmt.Sprintf("trace-%d", id), Kind: protocol.BotMessage, UserID: 555, ChatID: 555, Data: data}
}

type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

func failed(failure activities.Failure) error {
	return temporal.NewApplicationErrorWithOptions(failure.Message, string(failure.Code),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{failure}})
}

func TestAnUpdateIsAnsweredAndPerformed(t *testing.T) {
	c := newChat(t)
	c.signal(0, press(7, "open:menu:places"))
	c.talk(t)
	require.NoError(t, c.GetWorkflowError())
	require.ElementsMatch(t, []string{"Answer 7", "Perform 7", "Sweep 0"}, c.calls)
}

func TestAnUpdateDeliveredManyTimesHasOneEffect(t *testing.T) {
	c := newChat(t)
	update := press(7, "fav_add:place:1")
	c.signal(0, update, update, update)
	for i := range 10 {
		c.signal(time.Duration(i)*time.Second, update)
	}
	c.talk(t)
	require.ElementsMatch(t, []string{"Answer 7", "Perform 7", "Sweep 0"}, c.calls)
}

func TestABatchIsHandledInTheOrderOfItsIDs(t *testing.T) {
	c := newChat(t)
	c.signal(0, say(9, "open:menu:help"), say(7, "open:menu:main"), say(8, "open:menu:places"))
	c.talk(t)
	require.Equal(t, []string{"Perform 7", "Perform 8", "Perform 9", "Sweep 0"}, c.calls)
}

func TestAnAnswerIsNotHeldUpByAnEarlierUpdate(t *testing.T) {
	c := newChat(t)
	c.perform = func(performing activities.Performing) (activities.Performed, error) {
		if performing.Claiming.Update.ID == 7 {
			return stop(activities.TextStep, activities.Failure{Code: guide.Outbound5XX}, 20*time.Second)(performing)
		}
		return done(performing)
	}
	c.signal(0, press(7, "open:menu:places"))
	c.signal(time.Second, press(8, "open:menu:events"))
	c.talk(t)
	require.Less(t, c.at["Answer 8"].Sub(c.at["Answer 7"]), 2*time.Second)
	require.GreaterOrEqual(t, c.at["Perform 8"].Sub(c.at["Answer 8"]), 18*time.Second, "one update at a time")
	require.Equal(t, 1, c.count("SendText 7"))
}

func TestAnAnswerThatFailedIsMadeAgainBesideTheQueue(t *testing.T) {
	c := newChat(t)
	c.perform = func(performing activities.Performing) (activities.Performed, error) {
		p, err := done(performing)
		if performing.Answer && performing.Claiming.Update.ID == 7 {
			p.AnswerAgain = time.Second
		}
		return p, err
	}
	var made []int
	c.answer = func(answering activities.Answering) error {
		made = append(made, answering.Made)
		return temporal.NewApplicationErrorWithOptions("again", "again", temporal.ApplicationErrorOptions{NextRetryDelay: 5 * time.Second})
	}
	c.signal(0, press(7, "open:menu:places"))
	c.signal(500*time.Millisecond, press(8, "open:menu:events"))
	c.talk(t)
	require.Equal(t, []int{1, 1}, made, "one by Perform, two after it")
	require.Equal(t, 500*time.Millisecond, c.at["Perform 8"].Sub(c.at["Perform 7"]), "nobody waits for it")
}

func TestAScreenIsNotHeldUpByAnAnswerBesideTheQueue(t *testing.T) {
	c := newChat(t)
	c.answer = func(activities.Answering) error {
		return temporal.NewApplicationErrorWithOptions("again", "again", temporal.ApplicationErrorOptions{NextRetryDelay: 5 * time.Second})
	}
	c.signal(0, press(7, "open:menu:places"), press(8, "open:menu:events"))
	c.talk(t)
	require.Equal(t, 3, c.count("Answer 8"))
	require.Equal(t, answerLead, c.at["Perform 8"].Sub(c.at["Answer 8"]))
}

func TestAnswersBesideTheQueueAreBounded(t *testing.T) {
	c := newChat(t)
	const taps = 3 * answersAtOnce
	var flood []protocol.BotUpdate
	for id := range int64(taps) {
		flood = append(flood, press(id+1, fmt.Sprintf("open:place:%d", id)))
	}
	c.perform = func(performing activities.Performing) (activities.Performed, error) {
		if performing.Claiming.Update.ID == 1 {
			return stop(activities.TextStep, activities.Failure{Code: guide.Outbound5XX}, time.Minute)(performing)
		}
		return done(performing)
	}
	underWay, most := 0, 0
	full := make(chan struct{}) // closed when as many as may are under way
	var fill sync.Once
	c.answer = func(activities.Answering) error {
		c.noting.Lock()
		underWay++
		most = max(most, underWay)
		if underWay == answersAtOnce {
			fill.Do(func() { close(full) })
		}
		c.noting.Unlock()
		<-full
		c.noting.Lock()
		underWay--
		c.noting.Unlock()
		return nil
	}
	c.signal(0, flood...)
	c.talk(t)
	for id := range taps {
		require.Equal(t, 1, c.count(fmt.Sprintf("Answer %d", id+1)))
		require.Equal(t, 1, c.count(fmt.Sprintf("Perform %d", id+1)))
	}
	require.Equal(t, answersAtOnce, most)
}

func TestQuickTapsOnOneButtonMakeOneScreenAndAreAllAnswered(t *testing.T) {
	c := newChat(t)
	c.signal(0, press(7, "open:place:1"), press(8, "open:place:1"), press(9, "open:place:1"))
	c.signal(time.Hour/4, press(10, "open:place:1"))
	c.talk(t)
	for _, once := range []string{"Answer 7", "Answer 8", "Answer 9", "Answer 10", "Perform 7", "Perform 10"} {
		require.Equal(t, 1, c.count(once), once)
	}
	require.Zero(t, c.count("Perform 8")+c.count("Perform 9"))
}

func TestATapRightAfterItsScreenMakesNoOther(t *testing.T) {
	c := newChat(t)
	c.signal(0, press(7, "open:place:1"))
	c.signal(tapAgain/2, press(8, "open:place:1"))
	c.signal(tapAgain+time.Millisecond, press(9, "open:place:1"))
	c.signal(tapAgain+tapAgain/2, press(10, "open:place:2"))
	c.signal(tapAgain+tapAgain*2/3, press(11, "open:place:1"))
	c.talk(t)
	for _, once := range []string{"Answer 7", "Answer 8", "Perform 7", "Perform 9", "Perform 10", "Perform 11"} {
		require.Equal(t, 1, c.count(once), once)
	}
	require.Zero(t, c.count("Perform 8"), "a finger that came down twice")
}

func TestATapIsTriedAgainAtOnceIfItsScreenFailed(t *testing.T) {
	c := newChat(t)
	c.perform = func(performing activities.Performing) (activities.Performed, error) {
		if performing.Claiming.Update.ID == 7 {
			return activities.Performed{}, errors.New("no screen")
		}
		return done(performing)
	}
	c.signal(0, press(7, "open:place:1"))
	c.signal(tapAgain/2, press(8, "open:place:1"))
	c.talk(t)
	require.Equal(t, 1, c.count("Perform 8"))
}

func TestARunThatBeganBeforeThatAnswersApartAndShowsEveryTap(t *testing.T) {
	c := newChat(t)
	c.OnGetVersion(oneActivityChange, workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	c.OnGetVersion(tapAgainChange, workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	var apart []int64
	c.answer = func(answering activities.Answering) error { apart = append(apart, answering.ID); return nil }
	c.signal(0, press(7, "open:place:1"))
	c.signal(tapAgain/2, press(8, "open:place:1"))
	c.talk(t)
	require.Equal(t, 1, c.count("Perform 8"))
	require.Equal(t, []int64{7, 8}, apart)
}

func TestDifferentButtonsInBetweenKeepEveryTap(t *testing.T) {
	c := newChat(t)
	c.signal(0, press(7, "fav_add:place:1"), press(8, "fav_remove:place:1"), press(9, "fav_add:place:1"))
	c.talk(t)
	for _, performed := range []string{"Perform 7", "Perform 8", "Perform 9"} {
		require.Equal(t, 1, c.count(performed), performed)
	}
}

func TestATapThatGetsNoScreenIsClaimedWithItsAnswer(t *testing.T) {
	c := newChat(t)
	var claimed []int64
	c.answer = func(answering activities.Answering) error {
		if answering.Claim {
			claimed = append(claimed, answering.ID)
			require.EqualValues(t, 1, answering.BotID)
		}
		return nil
	}
	c.signal(0, press(7, "open:place:1"), press(8, "open:place:1"), press(9, "open:place:2"))
	c.talk(t)
	require.Equal(t, []int64{8}, claimed)
}

func TestAWorkerThatDiesLeavesTheAnswerToAnother(t *testing.T) {
	c := newChat(t)
	c.perform = func(activities.Performing) (activities.Performed, error) {
		return activities.Performed{}, temporal.NewHeartbeatTimeoutError()
	}
	var made []int
	c.answer = func(answering activities.Answering) error { made = append(made, answering.Made); return nil }
	c.signal(0, press(7, "open:place:1"))
	c.talk(t)
	require.Equal(t, []int{1}, made)
	require.Equal(t, 1, c.count("SendPhoto 7"))
}

func TestABacklogThatNoRunCouldInheritIsCutOffAndSaidSo(t *testing.T) {
	c := newChat(t)
	c.perform = func(performing activities.Performing) (activities.Performed, error) {
		return stop(activities.TextStep, activities.Failure{Code: guide.Outbound5XX}, time.Minute)(performing)
	}
	big := say(7, "")
	big.Sealed = make([]byte, backlogMax/2-200)
	dropped := say(8, "")
	dropped.Sealed = make([]byte, 400)
	c.signal(0, big)
	c.signal(time.Second, dropped, say(9, "open:menu:main"))
	c.talk(t)
	require.Equal(t, []int{1, 0, 1}, []int{c.count("Perform 7"), c.count("Perform 8"), c.count("Perform 9")})
}

func TestAStepThatFailedIsTakenUpAfterItsWait(t *testing.T) {
	for step, rest := range map[activities.Step][]string{
		activities.ClaimStep:   {"Claim 7", "Check 7", "Compose 7", "SendPhoto 7"},
		activities.CheckStep:   {"Check 7", "Compose 7", "SendPhoto 7"},
		activities.ComposeStep: {"Compose 7", "SendPhoto 7"},
		activities.PhotoStep:   {"SendPhoto 7"},
		activities.TextStep:    {"SendText 7"},
	} {
		t.Run(string(step), func(t *testing.T) {
			c := newChat(t)
			c.perform = stop(step, activities.Failure{Code: guide.Outbound5XX}, 3*time.Second)
			c.signal(0, say(7, "open:place:1"))
			c.talk(t)
			require.Equal(t, append(append([]string{"Perform 7"}, rest...), "Sweep 0"), c.calls)
			require.Equal(t, 3*time.Second, c.at[rest[0]].Sub(c.at["Perform 7"]))
		})
	}
}

func TestThreeAttemptsAreMadeInAll(t *testing.T) {
	c := newChat(t)
	c.perform = stop(activities.TextStep, activities.Failure{Code: guide.Outbound5XX}, time.Second)
	var made []int
	c.text = func(showing activities.Showing) error {
		made = append(made, showing.Made)
		return temporal.NewApplicationErrorWithOptions("again", "again", temporal.ApplicationErrorOptions{NextRetryDelay: time.Second})
	}
	c.signal(0, say(7, "open:place:1"))
	c.talk(t)
	require.Equal(t, []int{1, 1}, made, "one by Perform, two after it")
}

func TestAWorkerThatDiesLeavesItsWorkToTheSteps(t *testing.T) {
	c := newChat(t)
	c.perform = func(activities.Performing) (activities.Performed, error) {
		return activities.Performed{}, temporal.NewHeartbeatTimeoutError()
	}
	var made int
	c.photo = func(showing activities.Showing) error { made = showing.Made; return nil }
	c.signal(0, say(7, "open:place:1"))
	c.talk(t)
	require.Equal(t, []string{"Perform 7", "Claim 7", "Check 7", "Compose 7", "SendPhoto 7", "Sweep 0"}, c.calls)
	require.Equal(t, 1, made, "the call may have been made once")
}

func TestADuplicateOfAnEarlierSessionEndsWithItsClaim(t *testing.T) {
	for _, found := range []string{"by Perform", "by Claim"} {
		t.Run(found, func(t *testing.T) {
			c := newChat(t)
			duplicate := activities.Claimed{Duplicate: true, OriginalTraceID: "earlier"}
			c.perform = func(activities.Performing) (activities.Performed, error) {
				return activities.Performed{Claimed: duplicate}, nil
			}
			if found == "by Claim" {
				c.perform = stop(activities.ClaimStep, activities.Failure{Code: guide.InternalDB}, time.Second)
				c.claim = func() (activities.Claimed, error) { return duplicate, nil }
			}
			c.signal(0, say(7, "open:menu:main"))
			c.talk(t)
			require.Zero(t, c.count("Check 7")+c.count("Compose 7")+c.count("SendText 7"))
		})
	}
}

func TestAPhotoThatFailsInTheEndBecomesText(t *testing.T) {
	c := newChat(t)
	c.perform = stop(activities.PhotoStep, activities.Failure{Code: guide.Outbound5XX, TextInstead: true}, time.Second)
	c.photo = func(activities.Showing) error {
		return failed(activities.Failure{Code: guide.Outbound5XX, TextInstead: true})
	}
	var shown activities.Showing
	c.text = func(showing activities.Showing) error { shown = showing; return nil }
	c.signal(0, press(7, "open:place:1"))
	c.talk(t)
	require.Equal(t, 1, c.count("SendText 7"))
	require.Equal(t, guide.Outbound5XX, shown.PhotoFailed)
	require.Zero(t, shown.Made)
}

func TestAPersonWhoBlockedTheBotGetsNothingMoreAndIsMarked(t *testing.T) {
	for _, step := range []activities.Step{activities.PhotoStep, activities.TextStep} {
		c := newChatIn(t)
		c.perform = stop(step, activities.Failure{Code: guide.OutboundBadRequest, Blocked: true}, -1)
		c.signal(0, say(7, "open:place:1"))
		c.talk(t)
		require.Equal(t, []string{"Perform 7", "NoteBlocked 7", "Sweep 0"}, c.calls)
	}
}

func TestACheckThatCantBeMadeIsNoVerdict(t *testing.T) {
	c := newChat(t)
	c.perform = stop(activities.CheckStep, activities.Failure{Code: guide.Outbound5XX}, time.Second)
	c.check = func() (guide.Subscription, error) {
		return "", failed(activities.Failure{Code: guide.Outbound5XX})
	}
	var subscription guide.Subscription
	c.compose = func(composing activities.Composing) (activities.Composed, error) {
		subscription = composing.Subscription
		return card, nil
	}
	c.signal(0, say(7, "open:menu:main"))
	c.talk(t)
	require.Equal(t, guide.SubscriptionUnknown, subscription)
	require.Equal(t, 1, c.count("SendPhoto 7"))
}

func TestHelpAndTextsAfterItAskForNoSubscription(t *testing.T) {
	c := newChat(t)
	asked := map[int64]bool{}
	c.perform = func(performing activities.Performing) (activities.Performed, error) {
		id := performing.Claiming.Update.ID
		asked[id] = performing.Check
		return activities.Performed{Help: id < 9}, nil
	}
	help := press(7, "open:menu:help")
	help.Open = true
	c.signal(0, help)
	for i := range 3 {
		c.signal(time.Duration(i+1)*time.Second, say(int64(8+i), ""))
	}
	c.talk(t)
	require.Equal(t, map[int64]bool{7: false, 8: false, 9: false, 10: true}, asked, "after 9 help is not the last screen any more")
}

func TestAFailedUpdateEndsNothingElse(t *testing.T) {
	c := newChat(t)
	c.perform = func(performing activities.Performing) (activities.Performed, error) {
		if performing.Claiming.Update.ID == 7 {
			return activities.Performed{}, failed(activities.Failure{Code: guide.InternalUnexpected})
		}
		return done(performing)
	}
	c.signal(0, press(7, "open:place:1"), press(8, "open:menu:main"))
	c.talk(t)
	require.NoError(t, c.GetWorkflowError())
	require.Zero(t, c.count("SendText 7")+c.count("Claim 7"))
	require.Equal(t, 1, c.count("Perform 8"))
}

func TestAButtonWithoutAChatIsOnlyAnswered(t *testing.T) {
	c := newChat(t)
	update := press(7, "open:menu:main")
	update.ChatID = 0
	c.signal(0, update)
	c.talk(t)
	require.Equal(t, []string{"Answer 7", "Sweep 0"}, c.calls)
}

func TestOnlyTheNewestScreenMayBeReplaced(t *testing.T) {
	c := newChat(t)
	replaceable := map[int64]int64{}
	c.perform = func(performing activities.Performing) (activities.Performed, error) {
		replaceable[performing.Claiming.Update.ID] = performing.Replaceable
		return done(performing)
	}
	c.signal(0, say(7, "open:menu:main")) // sends message 100
	fresh := press(8, "open:menu:places")
	fresh.MessageID = 100
	stale := press(9, "open:menu:events")
	gone := fresh
	gone.ID, gone.Inaccessible, gone.Data = 10, true, "open:menu:promos"
	c.signal(time.Second, fresh)
	c.signal(2*time.Second, stale)
	c.signal(3*time.Second, gone)
	c.talk(t)
	require.Equal(t, map[int64]int64{7: 0, 8: 100, 9: 0, 10: 0}, replaceable)
}

func TestASessionEndsHalfAnHourAfterItsLastUpdate(t *testing.T) {
	c := newChat(t)
	started := c.Now()
	c.signal(0, say(7, "open:menu:main"))
	c.signal(20*time.Minute, say(8, "open:menu:main"))
	c.talk(t)
	require.NoError(t, c.GetWorkflowError())
	require.InDelta(t, (50 * time.Minute).Minutes(), c.Now().Sub(started).Minutes(), 1.1)
	require.Equal(t, 1, c.count("Perform 8"))
}

func TestALongHistoryContinuesWithWhatWaits(t *testing.T) {
	c := newChat(t)
	c.perform = func(activities.Performing) (activities.Performed, error) {
		c.SetContinueAsNewSuggested(true) // from now on
		return activities.Performed{Help: true}, nil
	}
	c.signal(0, press(7, "open:menu:help"), press(8, "open:menu:places"), say(9, ""))
	c.talk(t)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, c.GetWorkflowError(), &next)
	var input protocol.SessionInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &input))
	carried := input.Carried
	require.Equal(t, protocol.SessionInput{BotID: 1, ChatID: 555, Carried: carried}, input)
	require.Len(t, carried.Seen, 3)
	require.EqualValues(t, 1, carried.Handled)
	require.True(t, carried.View.Help)
	require.Len(t, carried.Queue, 2)
	require.Equal(t, c.count("Answer 8") == 1, carried.Queue[0].Answered)
	carried.Queue[0].Answered = true
	require.Equal(t, protocol.Waiting{Update: press(8, "open:menu:places"), Answered: true}, carried.Queue[0])
	require.Zero(t, c.count("Perform 8"))
}

func TestTheNextRunGoesOnWhereTheLastOneStopped(t *testing.T) {
	c := newChat(t)
	c.ExecuteWorkflow(BotSession, protocol.SessionInput{BotID: 1, ChatID: 555, Carried: &protocol.SessionCarry{
		Seen: []protocol.SeenUpdate{{ID: 7}, {ID: 8}, {ID: 9}, {ID: 10}}, Handled: 1,
		Queue: protocol.Backlog{
			{Update: press(8, "open:menu:places"), Answered: true}, {Update: press(9, "open:menu:events")},
			{Update: press(10, "open:menu:events"), Only: "the same again"},
		},
	}})
	require.NoError(t, c.GetWorkflowError())
	require.Zero(t, c.count("Answer 8")+c.count("Perform 10"))
	for _, once := range []string{"Perform 8", "Answer 9", "Perform 9", "Answer 10"} {
		require.Equal(t, 1, c.count(once), once)
	}
}

func TestACancelledSessionEnds(t *testing.T) {
	c := newChat(t)
	c.signal(0, press(7, "open:place:1"))
	c.RegisterDelayedCallback(c.CancelWorkflow, time.Minute)
	c.talk(t)
	var cancelled *temporal.CanceledError
	require.True(t, errors.As(c.GetWorkflowError(), &cancelled))
}
