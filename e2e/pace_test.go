package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

func lostPets(n int) []sandbox.Post {
	posts := make([]sandbox.Post, n)
	for i := range posts {
		posts[i] = lost(i + 1)
	}
	return posts
}

func upTo(n int) []int64 {
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = int64(i + 1)
	}
	return numbers
}

// times are when calls reached the platform.
func times(calls []sandbox.Call) []time.Time {
	times := make([]time.Time, len(calls))
	for i, call := range calls {
		times[i] = call.ReceivedAt
	}
	return times
}

// It measures, so it does not run beside the other tests of this package, and
// where the machine had something else to do it measures again: the spacing
// must hold every time, the rate once.
func TestThreeWorkersKeepThePaceOfOneChat(t *testing.T) { //nolint:paralleltest // see above
	const posts, perSecond, rounds = 20, 2.0, 4
	s := setHarness(t, toChat, map[string]string{"TG_RATE_PER_SEC": fmt.Sprint(perSecond)})
	require.NoError(t, s.sandbox.SetLimits(chatID, sandbox.Limits{PerSecond: perSecond, Burst: 2}))
	for range 3 {
		s.spawn()
	}
	everyone, rate := lostPets(posts*rounds), 0.0
	for round := 0; round < rounds && rate < 0.95*perSecond; round++ {
		s.pauseLane(chat, "until all are queued", "")
		s.publish(everyone[round*posts : (round+1)*posts]...)
		s.scan()
		s.until("all wait", func() bool { return s.lane(chat).Queued == posts })
		s.openLane(chat)

		calls := s.calls(toTelegram, posts*(round+1))
		sent := times(calls)[posts*round:]
		shortest, longest := time.Hour, time.Duration(0)
		for i := range sent[1:] {
			gap := sent[i+1].Sub(sent[i])
			shortest, longest = min(shortest, gap), max(longest, gap)
		}
		rate = float64(posts-1) / sent[posts-1].Sub(sent[0]).Seconds()
		t.Logf("spacing %s to %s, %.3f messages a second", shortest, longest, rate)
		require.GreaterOrEqual(t, shortest, 400*time.Millisecond)
		for _, call := range calls {
			require.Equal(t, sandbox.Accepted, call.Outcome, "nobody is answered 429")
		}
		require.Equal(t, upTo(posts*(round+1)), numbersIn(t, s.sandbox.Messages(chatID)))
	}
	require.GreaterOrEqual(t, rate, 0.95*perSecond)
}

func TestA429SilencesTheChatForAsLongAsItSays(t *testing.T) {
	const posts = 10
	s := newHarness(t, toChat, map[string]string{"TG_RATE_PER_SEC": "5"})
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, After: 4, Times: 1, RetryAfter: 5})
	s.publish(lostPets(posts)...)
	s.scan()
	for _, delivery := range s.deliveries(chat) {
		require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	}
	calls := s.sandbox.Calls(toTelegram)
	require.Len(t, calls, posts+1)
	refused := slices.IndexFunc(calls, func(call sandbox.Call) bool { return call.Outcome == sandbox.Faulted })
	require.Equal(t, 4, refused)
	silence := calls[refused+1].ReceivedAt.Sub(calls[refused].AnsweredAt)
	t.Logf("silent for %s", silence)
	require.GreaterOrEqual(t, silence, 5*time.Second)
	require.Less(t, silence, 5*time.Second+slack)
	require.Equal(t, upTo(posts), numbersIn(t, s.sandbox.Messages(chatID)), "nothing lost, order kept")
	s.keepHistory("Destination/cooldown_in_the_middle", protocol.DestinationWorkflowID(chat))
}

func TestAPhotoAlbumCountsOneForEachItemInTheLimitPerMinute(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"TG_PER_MINUTE": "8"})
	require.NoError(t, s.sandbox.SetLimits(chatID, sandbox.Limits{Burst: 1 << 30, PerMinute: 8}))
	s.work()
	album := lost(1)
	for i := range 5 {
		album.Photos = append(album.Photos, sandbox.WallPhoto{Drawing: fmt.Sprintf("cat-%d", i), Width: 640, Height: 480})
	}
	second := album
	second.Text = lost(2).Text
	posts := s.publish(album, lost(3), second, lost(4))
	s.scan()
	for _, post := range posts {
		require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, post.ID)).Status)
	}
	calls := s.sandbox.Calls(toTelegram)
	require.Len(t, calls, 4)
	for _, call := range calls {
		require.Equal(t, sandbox.Accepted, call.Outcome, "nobody is answered 429")
	}
	sent := times(calls)
	require.Less(t, sent[1].Sub(sent[0]), slack, "5 and 1 fit into the minute")
	require.GreaterOrEqual(t, sent[2].Sub(sent[0]), time.Minute, "5 more do not")
	require.Less(t, sent[3].Sub(sent[0]), time.Minute+slack, "and then there is room again")
}

func TestAHeapOfPostsGoesInTheOrderInWhichPeopleWrote(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.publish(lostPets(40)...)
	s.scan()
	require.Equal(t, upTo(40), numbersIn(t, s.afterMessages(40)))
}

func TestALaneThatContinuesAsNewKeepsItsPauseItsQueueAndItsSignals(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.pauseLane(chat, "уборка в чате", "дежурная")
	s.publish(lostPets(3)...)
	s.scan()
	s.until("all wait", func() bool { return s.lane(chat).Queued == 3 })
	laneID := protocol.DestinationWorkflowID(chat)
	before, err := s.temporal.DescribeWorkflow(s.ctx, laneID, "")
	require.NoError(t, err)

	// Temporal suggests it at 4 MiB of history; the signals come in a heap with
	// news among them.
	s.publish(lost(4))
	for i := range 5 {
		if i == 4 {
			s.scan()
		}
		require.NoError(t, s.temporal.SignalWorkflow(s.ctx, laneID, "", protocol.NudgeSignal, strings.Repeat("x", 900<<10)))
	}
	var after *client.WorkflowExecutionDescription
	s.until("another run", func() bool {
		after, err = s.temporal.DescribeWorkflow(s.ctx, laneID, "")
		return err == nil && after.WorkflowExecution.RunID != before.WorkflowExecution.RunID
	})
	s.until("the fourth waits too", func() bool { return s.lane(chat).Queued == 4 })
	state := s.lane(chat)
	require.Equal(t, protocol.LanePaused, state.State)
	require.Equal(t, "уборка в чате", state.Reason)
	s.openLane(chat)
	require.Equal(t, upTo(4), numbersIn(t, s.afterMessages(4)))
	for _, delivery := range s.deliveries(chat) {
		s.ended(delivery)
	}
	s.keepHistory("Destination/continued_as_new", laneID)
}

func TestInQuietHoursWhatIsOwedWaits(t *testing.T) {
	now := time.Now().UTC()
	quiet := now.Add(-time.Hour).Format("15:04") + "-" + now.Add(time.Hour).Format("15:04")
	s := newHarness(t, toChat, map[string]string{"BOT_TIMEZONE": "UTC", "QUIET_HOURS": quiet})
	stop := s.work()
	s.publish(lostPets(3)...)
	s.scan()
	s.until("the lane has looked", func() bool { return len(s.lane(chat).Next) == 3 })
	lane := s.lane(chat)
	require.Equal(t, protocol.LaneCooling, lane.State)
	require.Equal(t, protocol.ReasonQuietHours, lane.Reason)
	require.WithinDuration(t, now.Add(time.Hour), *lane.CoolingUntil, time.Minute+slack)
	s.openLane(chat)
	require.Equal(t, protocol.LaneCooling, s.lane(chat).State, "resuming it does not wake people")
	require.Empty(t, s.sandbox.Calls(toTelegram))

	// The morning comes: for this destination there are none.
	stop()
	delete(s.environ, "QUIET_HOURS")
	morning := setHarnessBeside(t, s)
	morning.work()
	morning.openLane(chat)
	require.Equal(t, upTo(3), numbersIn(t, s.afterMessages(3)))
}
