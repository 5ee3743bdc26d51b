package conformance

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/api"
	"vestnik/db/inbox"
	"vestnik/internal/config"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/telegram"
	"vestnik/workflows"
)

var acceptance = []row{
	{88, "4.2", "in and out are independent", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 500, Times: 2})
		update := p.tap("open:menu:places")
		began := time.Now()
		p.deliver(update)
		require.Less(t, time.Since(began), time.Second)
		tr := p.await(update)
		require.Equal(t, "ok", tr.line.text("result"), "it goes on when Telegram is back")
		require.Len(t, named(tr.calls, "sendMessage"), 3)
	}},
	{89, "4.2", "an acknowledgement is no success", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: chat not found"})
		tr := p.press("open:menu:places") // 200
		require.Equal(t, "error", tr.line.text("result"))
		require.Contains(t, r.metrics(), "vestnik_bot_calls_given_up")
	}},
	{90, "4.3", "nothing heavy before the acknowledgement", func(t *testing.T, _ *harness) {
		r := doorRig(t) // a receiver has neither a database nor a client of the Bot API to ask
		require.Equal(t, 200, r.post(sampleMessage).status)
		require.EqualValues(t, 1, r.delivered.Load())
	}},
	{91, "4.3", "a repetition is safe, a killed process loses nothing", killedAfterAcknowledgement},
}

// killedAfterAcknowledgement: the worker dies by kill -9 between the 200 and
// the work, and again in the middle of it.
func killedAfterAcknowledgement(t *testing.T, _ *harness) {
	r := newHarness(t, setup{noWorker: true})
	front := r.startProcess("api")
	p := r.person(t)
	update := p.tap("open:place:123")
	require.Equal(t, 200, p.postTo(front.address+api.WebhookPath, string(update.Body)).status)
	front.kill() // right after the 200
	second := r.startProcess("api")
	require.Equal(t, 200, p.postTo(second.address+api.WebhookPath, string(update.Body)).status, "Telegram may repeat it")

	p.fault(sandbox.Fault{Method: "sendPhoto", Hang: true, Times: 1})
	first := r.startProcess("worker")
	_, err := r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Method: "sendPhoto", Arrived: true}, 1)
	require.NoError(t, err)
	r.answerRecorded(t, p.id) // which else is a call in flight, too
	first.kill()              // in the middle of the call
	r.startProcess("worker")
	r.journal.await(t, 1, "the end of the update", func(l line) bool {
		return l.number("update_id") == update.ID && l.text("result") == "ok"
	})
	tr := trail{calls: p.calls()}
	require.Len(t, named(tr.calls, "sendPhoto"), 2, "at most the call in flight is repeated")
	require.Len(t, named(tr.calls, "answerCallbackQuery"), 1)
}

// answerRecorded waits until Temporal has heard that a session's button is
// answered: it is told so by a heartbeat.
func (r *harness) answerRecorded(t *testing.T, chat int64) {
	t.Helper()
	for {
		described, err := r.temporal.DescribeWorkflowExecution(t.Context(), protocol.SessionWorkflowID(7000000777, chat), "")
		require.NoError(t, err)
		for _, pending := range described.GetPendingActivities() {
			if len(pending.GetHeartbeatDetails().GetPayloads()) > 0 {
				return
			}
		}
	}
}

var idempotency = []row{
	{92, "4.4", "no favourite twice", func(t *testing.T, r *harness) {
		p := r.person(t)
		update := p.tap("fav_add:place:123")
		p.deliver(update)
		p.deliver(update)
		p.journal.closing(t, update.ID, 2)
		require.EqualValues(t, 1, favourites(p))
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, p.await(update).methods())
	}},
	{93, "4.4", "no message or photo twice", oneEffect},
	{94, "4.4", "no step twice", func(t *testing.T, r *harness) {
		p := r.person(t)
		update := p.tap("page:place:0:2")
		p.deliver(update)
		p.deliver(update)
		p.journal.closing(t, update.ID, 2)
		require.Contains(t, p.press("page:place:0:2").screen(t).text, "Страница 2 из 3")
	}},
	{95, "4.4", "duplicates over several processes have one effect", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{noWorker: true})
		r.startProcess("worker")
		r.startProcess("worker")
		fronts := []string{r.startProcess("api").address, r.startProcess("api").address}
		p := r.person(t)
		update := p.tap("open:place:123")
		var together sync.WaitGroup
		for i := range 50 {
			together.Go(func() { p.postTo(fronts[i%2]+api.WebhookPath, string(update.Body)) })
		}
		together.Wait()
		r.journal.closing(t, update.ID, 50)
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto"}, trail{calls: p.calls()}.methods())
	}},
	{96, "4.4", "what is marked and not yet done is done after a crash", killedAfterAcknowledgement},
	{97, "4.4", "a duplicate is known for 25 hours, over sessions", func(t *testing.T, _ *harness) {
		require.Equal(t, 25*time.Hour, inbox.Kept)
		r := newHarness(t, setup{})
		p := r.person(t)
		tr := p.press("open:place:123")
		// The session ends; another receiver has no memory of its own.
		id := protocol.SessionWorkflowID(7000000777, p.id)
		require.NoError(t, r.temporal.TerminateWorkflow(t.Context(), id, "", "test"))
		_, err := r.pool.Exec(t.Context(), "UPDATE service.inbox SET claimed_at = claimed_at - interval '24 hours 30 minutes'")
		require.NoError(t, err)
		p.postTo(httptestServer(t, r)+api.WebhookPath, string(tr.update.Body))
		lines := r.journal.closing(t, tr.update.ID, 2)
		require.Equal(t, "duplicate", lines[1].text("result"))
		require.Equal(t, lines[0].text("traceId"), lines[1].text("original_traceId"))
		require.Empty(t, named(p.calls(), "sendPhoto"))

		_, err = r.pool.Exec(t.Context(), "UPDATE service.inbox SET claimed_at = claimed_at - interval '1 hour'")
		require.NoError(t, err)
		swept, err := inbox.New(r.pool).Sweep(t.Context(), time.Now())
		require.NoError(t, err)
		require.EqualValues(t, 1, swept, "what is older is forgotten")
	}},
	{98, "4.4", "a person is unique by telegram_id", func(t *testing.T, r *harness) {
		require.True(t, query[bool](r, `SELECT EXISTS (SELECT FROM information_schema.table_constraints c JOIN information_schema.key_column_usage k USING (constraint_name, table_schema)
			WHERE c.table_schema = 'guide' AND c.table_name = 'users' AND c.constraint_type = 'PRIMARY KEY' AND k.column_name = 'telegram_id')`))
	}},
	{99, "4.4", "adding and removing favourites may be repeated", func(t *testing.T, r *harness) {
		p := r.person(t)
		for _, verb := range []string{"fav_add", "fav_add", "fav_remove", "fav_remove", "fav_add"} {
			require.Equal(t, "ok", p.press(verb+":place:123").line.text("result"))
		}
		require.EqualValues(t, 1, favourites(p))
	}},
	{100, "4.4", "walking about changes nothing", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		p := r.person(t)
		p.say("/start")
		all := append([]string{"users", "favourite_places", "favourite_events"}, contentTables...)
		before := r.snapshot(all...)
		for _, data := range []string{"open:menu:places", "page:place:0:2", "back:menu:main", "open:place:123", "open:event:456", "open:promo:55"} {
			p.press(data)
		}
		require.Equal(t, before, r.snapshot(all...))
	}},
}

var failures = []row{
	{101, "4.5.1", "bodies that are no JSON", func(t *testing.T, _ *harness) {
		for _, body := range []string{"{", "", "\x00\xff\xfe", sampleMessage + "}", `{"update_id":1,}`, strings.Repeat("[", 100_000)} {
			refused(t, guide.InboundInvalidJSON, body)
		}
		l := refused(t, guide.InboundInvalidJSON, `{"text":"жалоба-канарейка"`)
		require.NotContains(t, fmt.Sprint(l), "канарейка")
		refused(t, guide.InboundInvalidJSON, `{"x":"`+strings.Repeat("a", 1<<20)+`"}`)
	}},
	{102, "4.5.1", "JSON that is no update", func(t *testing.T, _ *harness) {
		for _, body := range []string{
			"[]", "null", "5", "{}", `"x"`, `{"update_id":7}`, `{"update_id":7,"message":null}`, `{"update_id":7,"message":[]}`,
			`{"update_id":7,"message":{"chat":{"id":1}}}`, `{"update_id":7,"message":{"from":{"id":1}}}`, `{"update_id":7,"message":{"from":{"id":"1"},"chat":{"id":1}}}`,
			`{"update_id":7,"callback_query":{"from":{"id":1},"data":"open:menu:main"}}`, `{"update_id":7,"callback_query":{"id":"a","data":"open:menu:main"}}`,
			`{"update_id":7,"callback_query":{"id":"a","from":{"id":1},"message":{"message_id":1},"data":"open:menu:main"}}`,
		} {
			refused(t, guide.InboundUnsupportedUpdate, body)
		}
	}},
	{103, "4.5.1", "events of other kinds", otherEvents},
	{104, "4.5.1", "bad callback data", malformedData},
	{105, "4.5.2", "429, 5xx and the network are tried again", func(t *testing.T, r *harness) {
		for _, fault := range []sandbox.Fault{{Code: 429, RetryAfter: 1}, {Code: 502}, {Reset: true}} {
			triedAgain(t, r, fault)
		}
	}},
	{106, "4.5.2", "4xx are not", func(t *testing.T, r *harness) {
		once(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: BUTTON_DATA_INVALID"})
	}},
	{107, "4.5.2", "media errors are not, and become text", func(t *testing.T, r *harness) {
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: PHOTO_INVALID_DIMENSIONS"}, guide.OutboundMediaUnsupported)
	}},
	{108, "4.5.3", "a database that is down: 200, answered, done after it is back", databaseDown},
	{109, "4.5.3", "an error in the content ends that update only", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		p := r.person(t)
		_, err := r.pool.Exec(t.Context(), "ALTER TABLE guide.places ALTER COLUMN name DROP NOT NULL; UPDATE guide.places SET name = NULL WHERE id = 123")
		require.NoError(t, err)
		tr := p.press("open:place:123")
		require.Equal(t, "error", tr.line.text("result"))
		require.Equal(t, "INTERNAL_UNEXPECTED_ERROR", tr.line.text("error_code"))
		require.Equal(t, "column name", tr.line.text("details"))
		require.Empty(t, named(tr.calls, "sendMessage"))
		require.Equal(t, "ok", r.person(t).press("open:place:124").line.text("result"), "others are served")
		require.Equal(t, "ok", p.press("open:menu:main").line.text("result"))
	}},
	{110, "4.5.3", "a fault of the configuration stops the start", func(t *testing.T, _ *harness) {
		for _, variable := range []string{"TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET", "TELEGRAM_CHANNEL"} {
			_, err := config.Load(botEnvironment(map[string]string{variable: ""}))
			require.ErrorContains(t, err, "INTERNAL_CONFIG_ERROR")
			require.ErrorContains(t, err, variable)
		}
	}},
	{111, "4.5.3", "a panic ends the action, not the process", panicsAreContained},
	{112, "4.5.3", "people are not told of errors", func(t *testing.T, r *harness) {
		databaseDown(t, r)
		panicsAreContained(t, r)
	}},
}

func databaseDown(t *testing.T, _ *harness) {
	r := newHarness(t, setup{})
	p := r.person(t)
	p.say("/start")
	r.cable.sever()
	update := p.tap("open:menu:places")
	p.deliver(update)
	failed := r.journal.await(t, 2, "failed attempts at the database", func(l line) bool {
		return l.number("update_id") == update.ID && l.text("error_code") == "INTERNAL_DB_ERROR"
	})
	require.Equal(t, "INTERNAL_DB", failed[0].text("error_class"))
	require.Equal(t, []string{"answerCallbackQuery"}, trail{calls: p.calls()}.methods())
	r.cable.mend()
	tr := p.await(update)
	require.Equal(t, "ok", tr.line.text("result"))
	require.Equal(t, []string{"getChatMember", "sendMessage"}, tr.methods())
}

// panicsAreContained runs a worker whose guide has no store: the first look
// into it panics.
func panicsAreContained(t *testing.T, _ *harness) {
	r := newHarness(t, setup{noWorker: true})
	bot, err := telegram.New(telegram.Config{Token: token, BaseURL: r.sandbox.TelegramURL()})
	require.NoError(t, err)
	w := worker.New(r.client(), protocol.TaskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(workflows.BotSession, workflow.RegisterOptions{Name: protocol.BotSessionWorkflow})
	w.RegisterActivity(activities.NewGuide(activities.GuideConfig{
		Answers: bot, Screens: bot, Inbox: inbox.New(r.pool), Channel: channel, Log: r.voice.Logger,
	}))
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	p := r.person(t)
	for range 2 {
		tr := p.press("open:place:123")
		require.Equal(t, "INTERNAL_UNEXPECTED_ERROR", tr.line.text("error_code"))
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember"}, tr.methods())
		stack := slices.IndexFunc(tr.lines, func(l line) bool { return strings.Contains(l.text("stack"), "guide_compose.go") })
		require.GreaterOrEqual(t, stack, 0)
	}
}

// triedAgain: one failure, then success, in two calls.
func triedAgain(t *testing.T, r *harness, fault sandbox.Fault) trail {
	t.Helper()
	p := r.person(t)
	fault.Method, fault.Times = "sendMessage", 1
	p.fault(fault)
	tr := p.press("open:menu:places")
	require.Len(t, named(tr.calls, "sendMessage"), 2)
	require.Equal(t, "ok", tr.line.text("result"))
	return tr
}

// once: a failure that is not tried again.
func once(t *testing.T, r *harness, fault sandbox.Fault) trail {
	t.Helper()
	p := r.person(t)
	fault.Method = "sendMessage"
	p.fault(fault)
	tr := p.press("open:menu:places")
	require.Len(t, named(tr.calls, "sendMessage"), 1, fault.Description)
	require.Equal(t, "error", tr.line.text("result"))
	require.Equal(t, "TG_OUTBOUND_4XX_BAD_REQUEST", tr.line.text("error_code"))
	return tr
}
