package workflows

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
)

// chat is a session in Temporal's test environment. Its activities do nothing
// but note that they were called; a test changes what it is about.
type chat struct {
	*testsuite.TestWorkflowEnvironment
	calls []string // "Answer 7", "Compose 7", "SendText 7", in order
	at    map[string]time.Time

	recall  []protocol.SeenUpdate
	answer  func(update protocol.BotUpdate) error
	check   func(update protocol.BotUpdate) (activities.Subscription, error)
	compose func(composing activities.Composing) (activities.Composed, error)
	photo   func() error
	text    func(showing activities.Showing) error
}

func newChat(t *testing.T) *chat {
	t.Parallel()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	c := &chat{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), at: map[string]time.Time{}}
	c.SetTestTimeout(20 * time.Second)
	c.RegisterWorkflow(BotSession)
	bot := &activities.Guide{}
	c.OnActivity(bot.Recall, mock.Anything, mock.Anything).Return(
		func(context.Context, activities.Recalling) ([]protocol.SeenUpdate, error) { return c.recall, nil }).Maybe()
	c.OnActivity(bot.Answer, mock.Anything, mock.Anything).Return(
		func(_ context.Context, update protocol.BotUpdate) error {
			c.note("Answer", update.ID)
			if c.answer != nil {
				return c.answer(update)
			}
			return nil
		}).Maybe()
	c.OnActivity(bot.CheckSubscription, mock.Anything, mock.Anything).Return(
		func(_ context.Context, update protocol.BotUpdate) (activities.Subscription, error) {
			c.note("Check", update.ID)
			if c.check != nil {
				return c.check(update)
			}
			return activities.Subscribed, nil
		}).Maybe()
	c.OnActivity(bot.Compose, mock.Anything, mock.Anything).Return(
		func(_ context.Context, composing activities.Composing) (activities.Composed, error) {
			c.note("Compose", composing.Update.ID)
			if c.compose != nil {
				return c.compose(composing)
			}
			return activities.Composed{Screen: guide.MenuScreen("", false)}, nil
		}).Maybe()
	c.OnActivity(bot.SendPhoto, mock.Anything, mock.Anything).Return(
		func(_ context.Context, showing activities.Showing) (activities.Shown, error) {
			c.note("SendPhoto", showing.Update.ID)
			if c.photo != nil {
				return activities.Shown{}, c.photo()
			}
			return activities.Shown{MessageID: 100, Photo: true}, nil
		}).Maybe()
	c.OnActivity(bot.SendText, mock.Anything, mock.Anything).Return(
		func(_ context.Context, showing activities.Showing) (activities.Shown, error) {
			c.note("SendText", showing.Update.ID)
			if c.text != nil {
				return activities.Shown{MessageID: 100}, c.text(showing)
			}
			return activities.Shown{MessageID: 100 + showing.Update.ID}, nil
		}).Maybe()
	c.OnActivity(bot.NoteBlocked, mock.Anything, mock.Anything).Return(
		func(_ context.Context, update protocol.BotUpdate) error { c.note("NoteBlocked", update.ID); return nil }).Maybe()
	c.OnActivity(bot.Sweep, mock.Anything, mock.Anything).Return(
		func(_ context.Context, sweeping activities.Sweeping) error {
			c.note("Sweep", int64(len(sweeping.Handled)))
			return nil
		}).Maybe()
	return c
}

func (c *chat) note(what string, id int64) {
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

func TestAnUpdateIsAnsweredCheckedComposedAndShown(t *testing.T) {
	c := newChat(t)
	c.signal(0, press(7, "open:menu:places"))
	c.talk(t)
	require.NoError(t, c.GetWorkflowError())
	require.Equal(t, []string{"Answer 7", "Check 7", "Compose 7", "SendText 7", "Sweep 0"}, c.calls)
}

func TestAnUpdateDeliveredManyTimesHasOneEffect(t *testing.T) {
	c := newChat(t)
	update := press(7, "fav_add:place:1")
	c.signal(0, update, update, update)
	for i := range 10 {
		c.signal(time.Duration(i)*time.Second, update)
	}
	c.talk(t)
	require.Equal(t, []string{"Answer 7", "Check 7", "Compose 7", "SendText 7", "Sweep 0"}, c.calls)
}

func TestAnUpdateOfAnEarlierSessionHasNoEffectAgain(t *testing.T) {
	c := newChat(t)
	c.recall = []protocol.SeenUpdate{{ID: 7, TraceID: "earlier"}}
	c.signal(0, say(7, "open:menu:main"))
	c.signal(time.Second, say(8, "open:menu:main"))
	c.talk(t)
	require.Equal(t, []string{"Check 8", "Compose 8", "SendText 8", "Sweep 0"}, c.calls)
}

func TestABatchIsHandledInTheOrderOfItsIDs(t *testing.T) {
	c := newChat(t)
	c.signal(0, say(9, "open:menu:help"), say(7, "open:menu:main"), say(8, "open:menu:places"))
	c.talk(t)
	require.Equal(t, []string{"Check 7", "Compose 7", "SendText 7", "Check 8", "Compose 8", "SendText 8",
		"Check 9", "Compose 9", "SendText 9", "Sweep 0"}, c.calls)
}

func TestAnAnswerIsNotHeldUpByAnEarlierUpdate(t *testing.T) {
	c := newChat(t)
	tries := 0
	c.text = func(showing activities.Showing) error {
		if tries++; tries < 3 {
			return temporal.NewApplicationErrorWithOptions("again", "again", temporal.ApplicationErrorOptions{NextRetryDelay: 10 * time.Second})
		}
		return nil
	}
	c.signal(0, press(7, "open:menu:places"))
	c.signal(time.Second, press(8, "open:menu:events"))
	c.talk(t)
	require.Less(t, c.at["Answer 8"].Sub(c.at["Answer 7"]), 2*time.Second)
	require.GreaterOrEqual(t, c.at["Check 8"].Sub(c.at["Answer 8"]), 15*time.Second, "one update at a time")
	require.Equal(t, 3, c.count("SendText 7"))
}

func TestAScreenIsNotHeldUpByItsAnswer(t *testing.T) {
	c := newChat(t)
	c.answer = func(protocol.BotUpdate) error {
		return temporal.NewApplicationErrorWithOptions("again", "again", temporal.ApplicationErrorOptions{NextRetryDelay: 5 * time.Second})
	}
	c.signal(0, press(7, "open:menu:places"))
	c.talk(t)
	require.Equal(t, 3, c.count("Answer 7"))
	require.Equal(t, 1, c.count("SendText 7"))
	require.LessOrEqual(t, c.at["Check 7"].Sub(c.at["Answer 7"]), answerLead)
}

func TestQuickTapsOnOneButtonMakeOneScreenAndAreAllAnswered(t *testing.T) {
	c := newChat(t)
	c.signal(0, press(7, "open:place:1"), press(8, "open:place:1"), press(9, "open:place:1"))
	c.signal(time.Hour/4, press(10, "open:place:1"))
	c.talk(t)
	for _, once := range []string{"Answer 7", "Answer 8", "Answer 9", "Answer 10", "SendText 7", "SendText 10"} {
		require.Equal(t, 1, c.count(once), once)
	}
	require.Zero(t, c.count("SendText 8")+c.count("SendText 9")+c.count("Compose 8"))
}

func TestDifferentButtonsInBetweenKeepEveryTap(t *testing.T) {
	c := newChat(t)
	c.signal(0, press(7, "fav_add:place:1"), press(8, "fav_remove:place:1"), press(9, "fav_add:place:1"))
	c.talk(t)
	for _, composed := range []string{"Compose 7", "Compose 8", "Compose 9"} {
		require.Equal(t, 1, c.count(composed), composed)
	}
}

func TestTapsLeftOutAreRecordedWithTheNextUpdateOrAtTheEnd(t *testing.T) {
	c := newChat(t)
	var also []protocol.SeenUpdate
	c.compose = func(composing activities.Composing) (activities.Composed, error) {
		also = append(also, composing.AlsoHandled...)
		return activities.Composed{Screen: guide.MenuScreen("", false)}, nil
	}
	c.signal(0, press(7, "open:place:1"), press(8, "open:place:1"))
	c.talk(t)
	require.Equal(t, 1, len(also)+c.count("Sweep 1"))
}

func TestAPhotoThatTelegramCantUseBecomesText(t *testing.T) {
	for name, failure := range map[string]activities.Failure{
		"for good":      {Code: guide.OutboundMediaFetchFailed, TextInstead: true},
		"after retries": {Code: guide.Outbound5XX, TextInstead: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(t)
			c.compose = card
			c.photo = func() error { return failed(failure) }
			var shown activities.Showing
			c.text = func(showing activities.Showing) error { shown = showing; return nil }
			c.signal(0, press(7, "open:place:1"))
			c.talk(t)
			require.Equal(t, []string{"Answer 7", "Check 7", "Compose 7", "SendPhoto 7", "SendText 7", "Sweep 0"}, c.calls)
			require.Equal(t, failure.Code, shown.PhotoFailed)
			require.Equal(t, "Название: Кофейня", shown.Screen.Text)
		})
	}
}

func card(activities.Composing) (activities.Composed, error) {
	return activities.Composed{Card: "place:1", Screen: guide.Screen{
		Text: "Название: Кофейня", Caption: "Кофейня", Photo: "https://cdn.example.com/1.jpg",
		Keyboard: guide.Keyboard{{{Text: "Назад", Data: "back:menu:places"}}},
	}}, nil
}

func TestAPersonWhoBlockedTheBotGetsNothingMoreAndIsMarked(t *testing.T) {
	c := newChat(t)
	c.compose = card
	c.photo = func() error {
		return failed(activities.Failure{Code: guide.OutboundBadRequest, Blocked: true})
	}
	c.signal(0, press(7, "open:place:1"))
	c.talk(t)
	require.Equal(t, []string{"Answer 7", "Check 7", "Compose 7", "SendPhoto 7", "NoteBlocked 7", "Sweep 0"}, c.calls)
}

func TestACheckThatCantBeMadeIsNoVerdict(t *testing.T) {
	c := newChat(t)
	c.check = func(protocol.BotUpdate) (activities.Subscription, error) {
		return "", failed(activities.Failure{Code: guide.Outbound5XX})
	}
	var subscription activities.Subscription
	c.compose = func(composing activities.Composing) (activities.Composed, error) {
		subscription = composing.Subscription
		return activities.Composed{Screen: guide.MenuScreen("", false)}, nil
	}
	c.signal(0, say(7, "open:menu:main"))
	c.talk(t)
	require.Equal(t, activities.SubscriptionUnknown, subscription)
	require.Equal(t, 1, c.count("SendText 7"))
}

func TestHelpAndTextsAfterItAskForNoSubscription(t *testing.T) {
	c := newChat(t)
	c.compose = func(composing activities.Composing) (activities.Composed, error) {
		return activities.Composed{Screen: guide.HelpScreen("", false), Help: composing.Update.ID < 9}, nil
	}
	help := press(7, "open:menu:help")
	help.Open = true
	c.signal(0, help)
	c.signal(time.Second, say(8, ""))
	c.signal(2*time.Second, say(9, ""))
	c.signal(3*time.Second, say(10, ""))
	c.talk(t)
	require.Zero(t, c.count("Check 7")+c.count("Check 8")+c.count("Check 9"))
	require.Equal(t, 1, c.count("Check 10"), "help is not the last screen any more")
}

func TestAFailedUpdateSendsNothingAndEndsNothingElse(t *testing.T) {
	c := newChat(t)
	c.compose = func(composing activities.Composing) (activities.Composed, error) {
		if composing.Update.ID == 7 {
			return activities.Composed{}, failed(activities.Failure{Code: guide.InternalUnexpected})
		}
		return activities.Composed{Screen: guide.MenuScreen("", false)}, nil
	}
	c.signal(0, press(7, "open:place:1"), press(8, "open:menu:main"))
	c.talk(t)
	require.NoError(t, c.GetWorkflowError())
	require.Zero(t, c.count("SendText 7"))
	require.Equal(t, 1, c.count("SendText 8"))
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
	c.text = func(showing activities.Showing) error {
		replaceable[showing.Update.ID] = showing.Replaceable
		return nil
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
	require.Equal(t, 1, c.count("SendText 8"))
}

func TestALongHistoryContinuesWithWhatWaits(t *testing.T) {
	c := newChat(t)
	c.compose = func(composing activities.Composing) (activities.Composed, error) {
		c.SetContinueAsNewSuggested(true) // from now on
		return activities.Composed{Screen: guide.HelpScreen("", false), Help: true}, nil
	}
	c.signal(0, press(7, "open:menu:help"), press(8, "open:menu:places"), say(9, ""))
	c.talk(t)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, c.GetWorkflowError(), &next)
	var input protocol.SessionInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &input))
	carried := input.Carried
	require.Equal(t, protocol.SessionInput{BotID: 1, ChatID: 555, Carried: carried}, input)
	require.True(t, carried.Recalled)
	require.Len(t, carried.Seen, 3)
	require.EqualValues(t, 1, carried.Handled)
	require.True(t, carried.View.Help)
	require.Len(t, carried.Queue, 2)
	require.Equal(t, protocol.Waiting{Update: press(8, "open:menu:places"), Answered: true}, carried.Queue[0])
	require.Equal(t, 1, c.count("Answer 8"), "answers do not wait for the next run")
	require.Zero(t, c.count("Compose 8"))
}

func TestTheNextRunGoesOnWhereTheLastOneStopped(t *testing.T) {
	c := newChat(t)
	c.ExecuteWorkflow(BotSession, protocol.SessionInput{BotID: 1, ChatID: 555, Carried: &protocol.SessionCarry{
		Recalled: true, Seen: []protocol.SeenUpdate{{ID: 7}, {ID: 8}, {ID: 9}}, Handled: 1,
		Queue: []protocol.Waiting{{Update: press(8, "open:menu:places"), Answered: true}, {Update: press(9, "open:menu:events")}},
	}})
	require.NoError(t, c.GetWorkflowError())
	require.Zero(t, c.count("Answer 8"))
	for _, once := range []string{"SendText 8", "Answer 9", "SendText 9"} {
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
