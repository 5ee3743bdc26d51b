package e2e

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

func TestALostPetOnTheWallIsToldInTheChatAndOnTheWall(t *testing.T) {
	s := newHarness(t, toChat, toWall)
	s.work()
	post := s.publish(lost(1))[0]
	result := s.scan()
	require.Equal(t, 2, result.Started)

	toChat := s.ended(s.delivery(chat, post.ID))
	require.Equal(t, protocol.StatusSent, toChat.Status)
	require.Zero(t, toChat.Uncertain)
	messages := s.sandbox.Messages(chatID)
	require.Len(t, messages, 1)
	require.Equal(t, messageIDs(messages), toChat.MessageIDs)
	require.Contains(t, messages[0].Text, "Мурка-1")
	require.Contains(t, messages[0].Text, privateWords)

	toWall := s.ended(s.delivery(wall, post.ID))
	require.Equal(t, protocol.StatusSent, toWall.Status)
	posts := s.sandbox.Posts(target)
	require.Len(t, posts, 1)
	require.Equal(t, []int64{posts[0].ID}, toWall.MessageIDs)
	require.Contains(t, posts[0].Text, privateWords)
	s.keepHistory("DeliverPost/sent_to_telegram", toChat.WorkflowID)
	s.keepHistory("DeliverPost/sent_to_vk", toWall.WorkflowID)
	s.keepHistory("ScanWalls/two_destinations", "scan-walls-by-hand")
}

// slack is how much later than planned something may come on a machine that
// has much else to do.
const slack = 30 * time.Second

// row is a row of the design's error table for a platform: an answer, and
// what is seen to become of it.
type row struct {
	name     string
	faults   []sandbox.Fault
	settings map[string]string

	status    string // the delivery's, in the end
	reason    string // part of its reason
	outcomes  []string
	gaps      []time.Duration // the least time between an answer and the next call
	uncertain int
	messages  int // shown to readers in the end
	lane      string
	history   string // under which name its history is kept
}

func TestWhatTelegramAnswersDecidesWhatHappens(t *testing.T) {
	t.Parallel()
	second := time.Second
	impatient := map[string]string{"TG_HTTP_TIMEOUT": "1s"}
	parking := map[string]string{"TG_HTTP_TIMEOUT": "1s", "ON_UNKNOWN": "park"}
	once := func(fault sandbox.Fault) []sandbox.Fault {
		fault.Platform, fault.Method, fault.Times = sandbox.Telegram, "sendMessage", 1
		return []sandbox.Fault{fault}
	}
	twice := func(fault sandbox.Fault) []sandbox.Fault {
		fault.Platform, fault.Method, fault.Times = sandbox.Telegram, "sendMessage", 2
		return []sandbox.Fault{fault}
	}
	for _, row := range []row{
		{name: "429 is waited out for as long as Telegram asks", faults: once(sandbox.Fault{RetryAfter: 2}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeRateLimited, db.OutcomeSent}, gaps: []time.Duration{2 * second},
			messages: 1, lane: protocol.LaneOpen, history: "rate_limited"},
		{name: "429 without a time is waited out for a second", faults: once(sandbox.Fault{Status: 429, Body: `{"ok":false,"error_code":429,"description":"Too Many Requests"}`, ContentType: "application/json"}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeRateLimited, db.OutcomeSent}, gaps: []time.Duration{second},
			messages: 1, lane: protocol.LaneOpen},
		{name: "500 is repeated after 1 s and 2 s", faults: twice(sandbox.Fault{Status: 500}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeUnknown, db.OutcomeUnknown, db.OutcomeSent}, gaps: []time.Duration{second, 2 * second}, uncertain: 2,
			messages: 1, lane: protocol.LaneOpen, history: "unavailable"},
		{name: "an HTML page with 503 is repeated", faults: once(sandbox.Fault{Status: 503, Body: "<html>Service Unavailable</html>"}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeUnknown, db.OutcomeSent}, gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "500 though it arrived: the double is counted", faults: once(sandbox.Fault{AcceptThenFail: true}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeUnknown, db.OutcomeSent}, uncertain: 1, messages: 2, lane: protocol.LaneOpen},
		{name: "502 of a gateway may have happened: repeated and counted", faults: once(sandbox.Fault{Status: 502, Body: "<html>Bad Gateway</html>"}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeUnknown, db.OutcomeSent}, gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "no answer in time: repeated and counted", faults: once(sandbox.Fault{Hang: true}), settings: impatient,
			status: protocol.StatusSent, outcomes: []string{db.OutcomeUnknown, db.OutcomeSent}, gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen, history: "unknown_retried"},
		{name: "no answer though it arrived: the double is counted", faults: once(sandbox.Fault{AcceptThenFail: true, Hang: true}), settings: impatient,
			status: protocol.StatusSent, outcomes: []string{db.OutcomeUnknown, db.OutcomeSent}, uncertain: 1, messages: 2, lane: protocol.LaneOpen},
		{name: "a reset after the body: repeated and counted", faults: once(sandbox.Fault{Reset: true}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeUnknown, db.OutcomeSent}, gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "no answer in time with ON_UNKNOWN=park: a person is asked", faults: once(sandbox.Fault{Hang: true}), settings: parking,
			status: protocol.StatusUnknown, reason: protocol.ReasonOutcomeUnknown, outcomes: []string{db.OutcomeUnknown}, uncertain: 1, lane: protocol.LaneOpen},
		{name: "a reset after the body with ON_UNKNOWN=park: a person is asked", faults: once(sandbox.Fault{AcceptThenFail: true, Reset: true}), settings: parking,
			status: protocol.StatusUnknown, reason: protocol.ReasonOutcomeUnknown, outcomes: []string{db.OutcomeUnknown}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "an answer that is no JSON may have happened: repeated and counted", faults: once(sandbox.Fault{Status: 200, Body: "<html>ok</html>"}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeUnknown, db.OutcomeSent}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "another 400 fails with its text", faults: once(sandbox.Fault{Code: 400, Description: "Bad Request: BUTTON_URL_INVALID"}),
			status: protocol.StatusFailed, reason: "BUTTON_URL_INVALID", outcomes: []string{db.OutcomeRejected}, lane: protocol.LaneOpen, history: "rejected"},
		{name: "a refusal about media fails where there is none to leave out", faults: once(sandbox.Fault{Code: 400, Description: "Bad Request: WEBPAGE_CURL_FAILED"}),
			status: protocol.StatusFailed, reason: "WEBPAGE_CURL_FAILED", outcomes: []string{db.OutcomeRejected}, lane: protocol.LaneOpen},
		{name: "404, a token that Telegram does not know, parks and pauses the lane", faults: once(sandbox.Fault{Code: 404, Description: "Not Found"}),
			status: protocol.StatusParked, reason: "unauthorized", outcomes: []string{db.OutcomeParked}, lane: protocol.LanePaused},
		{name: "a 409 is none of ours and fails", faults: once(sandbox.Fault{Code: 409, Description: "Conflict: terminated by other getUpdates request"}),
			status: protocol.StatusFailed, reason: "Conflict", outcomes: []string{db.OutcomeRejected}, lane: protocol.LaneOpen},
		{name: "markup that Telegram can't parse goes without markup", faults: once(sandbox.Fault{Code: 400, Description: "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 3"}),
			status: protocol.StatusSent, outcomes: []string{db.OutcomeRejected, db.OutcomeSent}, messages: 1, lane: protocol.LaneOpen},
		{name: "401 parks and pauses the lane", faults: once(sandbox.Fault{Code: 401, Description: "Unauthorized"}),
			status: protocol.StatusParked, reason: "unauthorized", outcomes: []string{db.OutcomeParked}, lane: protocol.LanePaused},
		{name: "403 parks and pauses the lane", faults: once(sandbox.Fault{Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}),
			status: protocol.StatusParked, reason: "forbidden", outcomes: []string{db.OutcomeParked}, lane: protocol.LanePaused},
		{name: "a missing right parks and pauses the lane", faults: once(sandbox.Fault{Code: 400, Description: "Bad Request: not enough rights to send text messages to the chat"}),
			status: protocol.StatusParked, reason: "forbidden", outcomes: []string{db.OutcomeParked}, lane: protocol.LanePaused},
		{name: "an unknown chat parks and pauses the lane", faults: once(sandbox.Fault{Code: 400, Description: "Bad Request: chat not found"}),
			status: protocol.StatusParked, reason: "chat_not_found", outcomes: []string{db.OutcomeParked}, lane: protocol.LanePaused},
		{name: "a closed topic parks and pauses the lane", faults: once(sandbox.Fault{Code: 400, Description: "Bad Request: TOPIC_CLOSED"}),
			status: protocol.StatusParked, reason: "topic_closed", outcomes: []string{db.OutcomeParked}, lane: protocol.LanePaused},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newHarness(t, toChat, row.settings)
			row.play(s, chat, toTelegram, func() int { return len(s.sandbox.Messages(chatID)) })
		})
	}
}

// play sends one post through the row's fault and compares.
func (r row) play(s *harness, destination string, filter sandbox.CallFilter, shown func() int) {
	t := s.t
	s.work()
	for _, fault := range r.faults {
		s.fault(fault)
	}
	delivery := s.send(destination, lost(7))
	switch r.status {
	case protocol.StatusParked, protocol.StatusUnknown:
		delivery = s.waits(delivery)
	default:
		delivery = s.ended(delivery)
	}
	require.Equal(t, r.status, delivery.Status)
	require.Equal(t, r.outcomes, s.outcomes(delivery))
	require.Equal(t, len(r.outcomes), delivery.Attempts)
	require.Equal(t, r.uncertain, delivery.Uncertain)
	require.Contains(t, delivery.Reason, r.reason)
	require.Equal(t, r.status, s.searchable(delivery.WorkflowID, protocol.DeliveryState.GetName()))

	calls := s.sandbox.Calls(filter)
	require.Len(t, calls, len(r.outcomes), "one call for each attempt and no other")
	for i, least := range r.gaps {
		gap := calls[i+1].ReceivedAt.Sub(calls[i].AnsweredAt)
		require.GreaterOrEqual(t, gap, least)
		require.Less(t, gap, least+slack)
	}
	require.Equal(t, r.messages, shown())
	require.Equal(t, r.lane, s.lane(destination).State)
	if r.history != "" {
		s.keepHistory("DeliverPost/"+r.history, delivery.WorkflowID)
		s.keepHistory("Destination/"+r.history, protocol.DestinationWorkflowID(destination))
	}
}

func TestWhatDoesNotReachTelegramIsSimplyRepeated(t *testing.T) {
	t.Parallel()
	t.Run("a refused connection, until it is taken", func(t *testing.T) {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		address := listener.Addr().String()
		require.NoError(t, listener.Close())
		s := newHarness(t, toChat, map[string]string{"TELEGRAM_API_URL": "http://" + address})
		s.work()
		delivery := s.send(chat, lost(1))
		s.until("two attempts", func() bool { return len(s.history(delivery)) >= 2 })
		forward(t, address, s.sandbox.Addr())

		delivery = s.ended(delivery)
		outcomes := s.outcomes(delivery)
		require.Equal(t, protocol.StatusSent, delivery.Status)
		require.Zero(t, delivery.Uncertain, "what was never connected can't have happened")
		require.Len(t, s.sandbox.Messages(chatID), 1)
		for _, outcome := range outcomes[:len(outcomes)-1] {
			require.Equal(t, db.OutcomeRetry, outcome)
		}
	})
	for name, address := range map[string]string{
		"a name that does not resolve": "http://no-such-host.invalid",
		"no TLS where it should be":    "", // the sandbox speaks plain HTTP
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toChat)
			if address == "" {
				address = "https://" + s.sandbox.Addr()
			}
			s.starter.Config.Platforms.TelegramURL = address
			s.work()
			delivery := s.send(chat, lost(1))
			s.until("two attempts have ended", func() bool {
				attempts := s.history(delivery)
				return len(attempts) >= 2 && attempts[1].FinishedAt != nil
			})
			require.Equal(t, []string{db.OutcomeRetry, db.OutcomeRetry}, s.outcomes(delivery)[:2])
			delivery = s.again(delivery)
			require.Equal(t, protocol.StatusSending, delivery.Status)
			require.Zero(t, delivery.Uncertain)
			require.Equal(t, protocol.LaneOpen, s.lane(chat).State)
		})
	}
}

// forward passes connections on until the test ends.
func forward(t *testing.T, from, to string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", from)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	context.AfterFunc(ctx, func() { _ = listener.Close() })
	t.Cleanup(cancel)
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := new(net.Dialer).DialContext(ctx, "tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })
			go func() { _, _ = io.Copy(far, near) }()
			go func() { _, _ = io.Copy(near, far) }()
		}
	}()
}

func TestATelegramGroupThatBecameASupergroupIsFollowed(t *testing.T) {
	const upgraded = int64(-1001500000099)
	s := newHarness(t, toChat)
	require.NoError(t, s.sandbox.AddChat(sandbox.Chat{ID: upgraded, Type: sandbox.Supergroup}))
	require.NoError(t, s.sandbox.ChangeChat(chatID, func(c *sandbox.Chat) { c.MigratedTo = upgraded }))
	s.work()

	first := s.ended(s.send(chat, lost(1)))
	require.Equal(t, protocol.StatusSent, first.Status)
	require.Equal(t, []string{db.OutcomeMigrated, db.OutcomeSent}, s.outcomes(first))
	second := s.ended(s.send(chat, lost(2)))
	require.Equal(t, []string{db.OutcomeSent}, s.outcomes(second), "the new chat is remembered")
	require.Len(t, s.sandbox.Messages(upgraded), 2)
	rows, err := s.starter.Ledger.Destinations(s.ctx)
	require.NoError(t, err)
	require.Equal(t, chat, rows[0].Name)
	require.Equal(t, upgraded, *rows[0].MigratedTo)
}

func TestAPostGoesToTheTopicThatIsNamedAndToGeneralWithoutItsNumber(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ thread, sent string }{
		"General":    {"1", ""},
		"topic 7":    {"7", "7"},
		"no topic":   {"0", ""},
		"a gone one": {"8", "8"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toChat, map[string]string{"TG_THREAD_ID": row.thread})
			require.NoError(t, s.sandbox.ChangeChat(chatID, func(c *sandbox.Chat) {
				c.Forum, c.Topics = true, []sandbox.Topic{{ID: 7, Name: "Потеряшки"}}
			}))
			s.work()
			s.publish(lost(1))
			s.scan()
			delivery := s.deliveries("")[0]
			if row.thread == "8" {
				delivery = s.waits(delivery)
				require.Equal(t, "thread_not_found", delivery.Reason)
				return
			}
			require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
			require.Equal(t, row.sent, s.sandbox.Calls(toTelegram)[0].Text("message_thread_id"))
		})
	}
}

func TestAKickedBotCostsOneAttemptHoweverManyPostsWait(t *testing.T) {
	s := newHarness(t, toChat)
	require.NoError(t, s.sandbox.SetMember(chatID, 7100000001, sandbox.Member{Status: sandbox.Kicked}))
	s.work()
	posts := s.publish(lost(1), lost(2), lost(3))
	s.scan()
	first := s.waits(s.delivery(chat, posts[0].ID))
	require.Equal(t, protocol.StatusParked, first.Status)
	s.until("the lane is paused", func() bool { return s.lane(chat).State == protocol.LanePaused })
	require.Equal(t, 2, s.lane(chat).Queued)
	require.Len(t, s.sandbox.Calls(toTelegram), 1)
	for _, post := range posts[1:] {
		require.Zero(t, s.delivery(chat, post.ID).Attempts)
	}
	require.Equal(t, protocol.LanePaused, s.searchable(protocol.DestinationWorkflowID(chat), protocol.DeliveryState.GetName()))

	require.NoError(t, s.sandbox.SetMember(chatID, 7100000001, sandbox.Member{Status: sandbox.Ordinary}))
	_, err := s.starter.Resume(s.ctx, first.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	for _, post := range posts {
		require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, post.ID)).Status, "resuming the one that paused the lane opens it")
	}
	require.Equal(t, []int64{1, 2, 3}, numbersIn(t, s.sandbox.Messages(chatID)), "in the order in which people wrote")
	s.keepHistory("DeliverPost/parked_then_resumed_by_update", first.WorkflowID)
	s.keepHistory("Destination/paused_by_a_delivery", protocol.DestinationWorkflowID(chat))
}

func TestAPublicChatIsNamedByItsName(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"TG_CHAT": "@Poteryashki_e2e"})
	require.NoError(t, s.sandbox.ChangeChat(chatID, func(c *sandbox.Chat) { c.Username = "poteryashki_e2e" }))
	s.work()
	delivery := s.ended(s.send("telegram:@poteryashki_e2e", withPhotos(1, 2)))
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Len(t, s.sandbox.Messages(chatID), 2)
	state, err := s.starter.Destination(s.ctx, "telegram:@poteryashki_e2e")
	require.NoError(t, err)
	require.Equal(t, protocol.LaneOpen, state.State)
}
