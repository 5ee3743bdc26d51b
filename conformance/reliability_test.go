package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

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
	{88, "4.2", "in and out are independent", func(t *testing.T, r *rig) {
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
	{89, "4.2", "an acknowledgement is no success", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: chat not found"})
		tr := p.press("open:menu:places") // 200
		require.Equal(t, "error", tr.line.text("result"))
		require.Contains(t, r.metrics(), "vestnik_bot_calls_given_up")
	}},
	{90, "4.3", "nothing heavy before the acknowledgement", func(t *testing.T, _ *rig) {
		r := doorRig(t) // a door has neither a database nor a client of the Bot API to ask
		require.Equal(t, 200, r.post(sampleMessage).status)
		require.EqualValues(t, 1, r.delivered.Load())
	}},
	{91, "4.3", "a repetition is safe, a killed process loses nothing", killedAfterAcknowledgement},
}

// killedAfterAcknowledgement: the worker dies by kill -9 between the 200 and
// the work, and again in the middle of it.
func killedAfterAcknowledgement(t *testing.T, _ *rig) {
	r := newRig(t, setup{noWorker: true})
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
	first.kill() // in the middle of the call
	r.startProcess("worker")
	r.journal.await(t, 1, "the end of the update", func(l line) bool {
		return l.number("update_id") == update.ID && l.text("result") == "ok"
	})
	tr := trail{calls: p.calls()}
	require.Len(t, named(tr.calls, "sendPhoto"), 2, "at most the call in flight is repeated")
	require.Len(t, named(tr.calls, "answerCallbackQuery"), 1)
}

var idempotency = []row{
	{92, "4.4", "no favourite twice", func(t *testing.T, r *rig) {
		p := r.person(t)
		update := p.tap("fav_add:place:123")
		p.deliver(update)
		p.deliver(update)
		p.journal.closing(t, update.ID, 2)
		require.EqualValues(t, 1, favourites(p))
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, p.await(update).methods())
	}},
	{93, "4.4", "no message or photo twice", oneEffect},
	{94, "4.4", "no step twice", func(t *testing.T, r *rig) {
		p := r.person(t)
		update := p.tap("page:place:0:2")
		p.deliver(update)
		p.deliver(update)
		p.journal.closing(t, update.ID, 2)
		require.Contains(t, p.press("page:place:0:2").screen(t).text, "Страница 2 из 3")
	}},
	{95, "4.4", "duplicates over several processes have one effect", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{noWorker: true})
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
	{97, "4.4", "a duplicate is known for 25 hours, over sessions", func(t *testing.T, _ *rig) {
		require.Equal(t, 25*time.Hour, inbox.Kept)
		r := newRig(t, setup{})
		p := r.person(t)
		tr := p.press("open:place:123")
		// The session ends; another door has no memory of its own.
		id := protocol.SessionWorkflowID(7000000777, p.id)
		require.NoError(t, r.temporal.TerminateWorkflow(t.Context(), id, "", "test"))
		_, err := r.pool.Exec(t.Context(), "UPDATE service.inbox SET claimed_at = claimed_at - interval '24 hours 30 minutes'")
		require.NoError(t, err)
		p.postTo(httptestServer(t, r)+api.WebhookPath, string(tr.update.Body))
		lines := r.journal.closing(t, tr.update.ID, 2)
		require.Equal(t, "duplicate", lines[1].text("result"))
		require.Equal(t, lines[0].text("trace_id"), lines[1].text("original_trace_id"))
		require.Empty(t, named(p.calls(), "sendPhoto"))

		_, err = r.pool.Exec(t.Context(), "UPDATE service.inbox SET claimed_at = claimed_at - interval '1 hour'")
		require.NoError(t, err)
		swept, err := inbox.New(r.pool).Sweep(t.Context(), time.Now())
		require.NoError(t, err)
		require.EqualValues(t, 1, swept, "what is older is forgotten")
	}},
	{98, "4.4", "a person is unique by telegram_id", func(t *testing.T, r *rig) {
		require.True(t, query[bool](r, `SELECT EXISTS (SELECT FROM information_schema.table_constraints c JOIN information_schema.key_column_usage k USING (constraint_name, table_schema)
			WHERE c.table_schema = 'guide' AND c.table_name = 'users' AND c.constraint_type = 'PRIMARY KEY' AND k.column_name = 'telegram_id')`))
	}},
	{99, "4.4", "adding and removing favourites may be repeated", func(t *testing.T, r *rig) {
		p := r.person(t)
		for _, verb := range []string{"fav_add", "fav_add", "fav_remove", "fav_remove", "fav_add"} {
			require.Equal(t, "ok", p.press(verb+":place:123").line.text("result"))
		}
		require.EqualValues(t, 1, favourites(p))
	}},
	{100, "4.4", "walking about changes nothing", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
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
	{101, "4.5.1", "bodies that are no JSON", func(t *testing.T, _ *rig) {
		for _, body := range []string{"{", "", "\x00\xff\xfe", sampleMessage + "}", `{"update_id":1,}`, strings.Repeat("[", 100_000)} {
			refused(t, guide.InboundInvalidJSON, body)
		}
		l := refused(t, guide.InboundInvalidJSON, `{"text":"жалоба-канарейка"`)
		require.NotContains(t, fmt.Sprint(l), "канарейка")
		refused(t, guide.InboundInvalidJSON, `{"x":"`+strings.Repeat("a", 1<<20)+`"}`)
	}},
	{102, "4.5.1", "JSON that is no update", func(t *testing.T, _ *rig) {
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
	{105, "4.5.2", "429, 5xx and the network are tried again", func(t *testing.T, r *rig) {
		for _, fault := range []sandbox.Fault{{Code: 429, RetryAfter: 1}, {Code: 502}, {Reset: true}} {
			triedAgain(t, r, fault)
		}
	}},
	{106, "4.5.2", "4xx are not", func(t *testing.T, r *rig) {
		once(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: BUTTON_DATA_INVALID"})
	}},
	{107, "4.5.2", "media errors are not, and become text", func(t *testing.T, r *rig) {
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: PHOTO_INVALID_DIMENSIONS"}, guide.OutboundMediaUnsupported)
	}},
	{108, "4.5.3", "a database that is down: 200, answered, done after it is back", databaseDown},
	{109, "4.5.3", "an error in the content ends that update only", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		p := r.person(t)
		_, err := r.pool.Exec(t.Context(), "ALTER TABLE guide.places ALTER COLUMN name DROP NOT NULL; UPDATE guide.places SET name = NULL WHERE id = 123")
		require.NoError(t, err)
		tr := p.press("open:place:123")
		require.Equal(t, "error", tr.line.text("result"))
		require.Equal(t, "INTERNAL_UNEXPECTED_ERROR", tr.line.text("error_code"))
		require.Empty(t, named(tr.calls, "sendMessage"))
		require.Equal(t, "ok", r.person(t).press("open:place:124").line.text("result"), "others are served")
		require.Equal(t, "ok", p.press("open:menu:main").line.text("result"))
	}},
	{110, "4.5.3", "a fault of the configuration stops the start", func(t *testing.T, _ *rig) {
		for _, variable := range []string{"TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET", "TELEGRAM_CHANNEL"} {
			_, err := config.Load(botEnvironment(map[string]string{variable: ""}))
			require.ErrorContains(t, err, "INTERNAL_CONFIG_ERROR")
			require.ErrorContains(t, err, variable)
		}
	}},
	{111, "4.5.3", "a panic ends the action, not the process", panicsAreContained},
	{112, "4.5.3", "people are not told of errors", func(t *testing.T, r *rig) {
		databaseDown(t, r)
		panicsAreContained(t, r)
	}},
}

func databaseDown(t *testing.T, _ *rig) {
	r := newRig(t, setup{})
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
func panicsAreContained(t *testing.T, _ *rig) {
	r := newRig(t, setup{noWorker: true})
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
func triedAgain(t *testing.T, r *rig, fault sandbox.Fault) trail {
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
func once(t *testing.T, r *rig, fault sandbox.Fault) trail {
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

var retries = []row{
	{113, "4.6.1", "429 is tried again", func(t *testing.T, r *rig) {
		withCode(t, triedAgain(t, r, sandbox.Fault{Code: 429, RetryAfter: 1}), guide.OutboundRateLimit)
	}},
	{114, "4.6.1", "5xx is tried again", func(t *testing.T, r *rig) {
		for _, fault := range []sandbox.Fault{{Code: 500}, {Status: 502, Body: "<html>bad gateway</html>"}, {Status: 503, Body: " "}, {Status: 504, Body: "<html/>"}} {
			withCode(t, triedAgain(t, r, fault), guide.Outbound5XX)
		}
	}},
	{115, "4.6.1", "a timeout is tried again", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{timeout: time.Second})
		withCode(t, triedAgain(t, r, sandbox.Fault{Hang: true}), guide.OutboundTimeout)
		require.Contains(t, r.metrics(), "vestnik_bot_call_unknown_outcomes")
	}},
	{116, "4.6.1", "400 is not", func(t *testing.T, r *rig) {
		once(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: chat not found"})
	}},
	{117, "4.6.1", "401 is not, and the process is not ready", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		require.False(t, r.token.Rejected())
		once(t, r, sandbox.Fault{Code: 401, Description: "Unauthorized"})
		require.True(t, r.token.Rejected())
	}},
	{118, "4.6.1", "403 is not, and the person is marked", func(t *testing.T, r *rig) {
		tr := once(t, r, sandbox.Fault{Code: 403, Description: "Forbidden: bot was blocked by the user"})
		require.False(t, query[bool](r, "SELECT active FROM guide.users WHERE telegram_id = $1", tr.line.number("telegram_user_id")))
	}},
	{119, "4.6.1", "404 is not", func(t *testing.T, _ *rig) {
		once(t, newRig(t, setup{}), sandbox.Fault{Code: 404, Description: "Not Found"})
	}},
	{120, "4.6.1", "other refusals are not", func(t *testing.T, r *rig) {
		once(t, r, sandbox.Fault{Code: 409, Description: "Conflict: something"})
		once(t, r, sandbox.Fault{Code: 413, Description: "Request Entity Too Large"})
		once(t, r, sandbox.Fault{Status: 200, Body: `{"ok":false,"description":"no"}`, ContentType: "application/json"})
	}},
	{121, "4.6.1", "a photo that can't be used is not", func(t *testing.T, r *rig) {
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: IMAGE_PROCESS_FAILED"}, guide.OutboundMediaUnsupported)
	}},
	{122, "4.6.2", "three attempts in all", func(t *testing.T, r *rig) {
		for _, method := range []string{"sendMessage", "getChatMember", "answerCallbackQuery"} {
			own := newRig(t, setup{})
			p := own.person(t)
			p.fault(sandbox.Fault{Method: method, Code: 500})
			tr := p.press("open:menu:places")
			own.journal.await(t, 1, "the end of "+method, func(l line) bool { return l.text("method") == method && l.text("attempts") != "" })
			require.Len(t, append(named(tr.calls, method), named(p.calls(), method)...), 3, method)
		}
	}},
	{123, "4.6.2", "after one second, then two", func(t *testing.T, r *rig) {
		measured(t, func() error {
			gaps := gapsOf(t, r, sandbox.Fault{Code: 500})
			if gaps[0] < time.Second || gaps[0] > 1500*time.Millisecond || gaps[1] < 2*time.Second || gaps[1] > 2750*time.Millisecond {
				return fmt.Errorf("waits of %s", gaps)
			}
			return nil
		})
	}},
	{124, "4.6.2", "with a little jitter", func(t *testing.T, r *rig) {
		var all []time.Duration
		var mu sync.Mutex
		var together sync.WaitGroup
		for range 12 {
			together.Go(func() {
				gaps := gapsOf(t, r, sandbox.Fault{Code: 500})
				mu.Lock()
				defer mu.Unlock()
				all = append(all, gaps[0])
			})
		}
		together.Wait()
		require.GreaterOrEqual(t, slices.Min(all), time.Second)
		require.Greater(t, slices.Max(all)-slices.Min(all), 20*time.Millisecond)
	}},
	{125, "4.6.2", "retry_after is the least wait", func(t *testing.T, r *rig) {
		tr := triedAgain(t, r, sandbox.Fault{Code: 429, RetryAfter: 3})
		sends := named(tr.calls, "sendMessage")
		require.GreaterOrEqual(t, sends[1].ReceivedAt.Sub(sends[0].ReceivedAt), 3*time.Second)
		gaps := gapsOf(t, r, sandbox.Fault{Code: 429, RetryAfter: 1})
		require.GreaterOrEqual(t, gaps[1], 2*time.Second, "the backoff, if that is longer")
		tr = triedAgain(t, r, sandbox.Fault{Status: 429, Body: "slow down", ContentType: "text/plain", Headers: map[string]string{"Retry-After": "2"}})
		sends = named(tr.calls, "sendMessage")
		require.GreaterOrEqual(t, sends[1].ReceivedAt.Sub(sends[0].ReceivedAt), 2*time.Second)

		own := newRig(t, setup{})
		p := own.person(t)
		p.fault(sandbox.Fault{Method: "answerCallbackQuery", Code: 429, RetryAfter: 11})
		tr = p.press("open:menu:places")
		own.journal.await(t, 1, "giving up", func(l line) bool { return l.text("method") == "answerCallbackQuery" && l.text("attempts") == "1" })
		require.Equal(t, "ok", tr.line.text("result"), "the screen comes all the same")
	}},
	{126, "4.6.3", "answers before screens before checks", priorities},
	{127, "4.6.3", "an answer is quick, whatever else waits", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		_, err := r.sandbox.SetFault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", DelayMS: 4500})
		require.NoError(t, err)
		var held []sandbox.Update
		for range 200 {
			p := r.person(t)
			held = append(held, p.tap("open:menu:help"))
			p.deliver(held[len(held)-1])
		}
		_, err = r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Method: "answerCallbackQuery"}, len(held))
		require.NoError(t, err)
		_, err = r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Method: "sendMessage", Arrived: true}, 64) // as many as may
		require.NoError(t, err)
		var late []time.Duration
		for range 20 {
			p := r.person(t)
			update := p.tap("open:menu:help")
			began := time.Now()
			p.deliver(update)
			calls, err := r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Arrived: true, Match: func(c sandbox.Call) bool { return c.Text("callback_query_id") == update.Query }}, 1)
			require.NoError(t, err)
			late = append(late, calls[0].ReceivedAt.Sub(began))
		}
		require.Less(t, slices.Max(late), time.Second)
	}},
	{128, "4.6.3", "a photo that fails becomes text", func(t *testing.T, r *rig) {
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: wrong file identifier/HTTP URL specified"}, guide.OutboundMediaInvalidURL)
	}},
	{129, "4.6.4", "giving up is logged and counted", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 500})
		tr := p.press("open:menu:places")
		given := slices.IndexFunc(tr.lines, func(l line) bool { return l.text("attempts") == "3" && l.text("error_code") == "TG_OUTBOUND_5XX" })
		require.GreaterOrEqual(t, given, 0)
		found := false
		for metric := range strings.Lines(r.metrics()) {
			found = found || strings.HasPrefix(metric, "vestnik_bot_calls_given_up") && strings.Contains(metric, `method="sendMessage"`) && strings.Contains(metric, `code="TG_OUTBOUND_5XX"`)
		}
		require.True(t, found, r.metrics())
	}},
	{130, "4.6.4", "after giving up nothing more is sent", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 500, Times: 3})
		tr := p.press("open:menu:places")
		require.Equal(t, "error", tr.line.text("result"))
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, p.press("open:menu:events").methods(), "only the next screen")
	}},
	{131, "4.6.4", "no resending behind people's backs", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 500, Times: 3})
		p.press("open:menu:places")
		value, err := r.temporal.QueryWorkflow(t.Context(), protocol.SessionWorkflowID(7000000777, p.id), "", protocol.SessionQuery)
		require.NoError(t, err)
		var state protocol.SessionState
		require.NoError(t, value.Get(&state))
		require.Zero(t, state.Waiting)
		require.Zero(t, state.Handling)
	}},
}

// gapsOf is how long passed between the three attempts at a screen.
func gapsOf(t *testing.T, r *rig, fault sandbox.Fault) []time.Duration {
	t.Helper()
	p := r.person(t)
	fault.Method = "sendMessage"
	p.fault(fault)
	sends := named(p.press("open:menu:places").calls, "sendMessage")
	require.Len(t, sends, 3)
	return []time.Duration{sends[1].ReceivedAt.Sub(sends[0].AnsweredAt), sends[2].ReceivedAt.Sub(sends[1].AnsweredAt)}
}

// priorities lets one call pass at a time and makes all three kinds wait.
func priorities(t *testing.T, _ *rig) {
	r := newRig(t, setup{concurrency: 1, timeout: 30 * time.Second})
	blocker := r.person(t)
	blocker.fault(sandbox.Fault{Method: "sendMessage", DelayMS: 10_000, Times: 1})
	blocked := blocker.tap("open:menu:help")
	blocker.deliver(blocked)
	_, err := r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Method: "sendMessage", Arrived: true}, 1)
	require.NoError(t, err)
	from := r.sandbox.Calls(sandbox.CallFilter{Arrived: true})
	after := from[len(from)-1].Seq

	var updates []sandbox.Update
	for i := range 30 {
		p := r.person(t)
		data := "open:menu:places" // asks for the subscription first
		if i%2 == 0 {
			data = "open:menu:help" // sends at once
		}
		updates = append(updates, p.tap(data))
		p.deliver(updates[i])
	}
	for _, update := range updates {
		r.journal.closing(t, update.ID, 1)
	}
	var order []string
	for _, call := range r.sandbox.Calls(sandbox.CallFilter{After: after, Arrived: true}) {
		order = append(order, call.Method)
	}
	lastAnswer, firstCheck := lastOf(order, "answerCallbackQuery"), slices.Index(order, "getChatMember")
	require.Less(t, lastAnswer, firstCheck)
	require.Less(t, lastAnswer, slices.Index(order, "sendMessage"))
	helps := 0
	for _, method := range order[:firstCheck] {
		if method == "sendMessage" {
			helps++
		}
	}
	require.GreaterOrEqual(t, helps, 14, "screens that wait go before checks: %v", order)
}

func lastOf(all []string, wanted string) int {
	for i, method := range slices.Backward(all) {
		if method == wanted {
			return i
		}
	}
	return -1
}

var catalogue = []row{
	{132, "4.7", "an error is a record", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: chat not found"})
		p.press("open:menu:places")
		errorsAreRecords(t, r)
	}},
	{133, "4.7", "the classes are the document's", func(t *testing.T, _ *rig) {
		found := map[string]bool{}
		for _, class := range guide.Classes {
			found[class] = true
		}
		require.Equal(t, map[string]bool{
			"INBOUND_VALIDATION": true, "OUTBOUND_RATE_LIMIT": true, "OUTBOUND_TRANSPORT": true, "OUTBOUND_BAD_REQUEST": true, "OUTBOUND_MEDIA": true,
			"INTERNAL_DB": true, "INTERNAL_CONFIG": true, "INTERNAL_UNEXPECTED": true,
		}, found)
	}},
	{134, "4.7", "the codes are the document's, each of one class", func(t *testing.T, _ *rig) {
		require.Len(t, guide.Classes, 14)
		for _, code := range []telegram.SpecCode{
			telegram.CodeRateLimit, telegram.Code5XX, telegram.CodeTimeout, telegram.CodeBadRequest, telegram.CodeMediaInvalidURL,
			telegram.CodeMediaFetchFailed, telegram.CodeMediaUnsupported, telegram.CodeMediaFallback, telegram.CodeUnexpected,
		} {
			require.Equal(t, string(code.Class()), guide.Code(code).Class(), code)
		}
		require.Equal(t, config.CodeInternalConfig, string(guide.InternalConfig))
	}},
}

func errorsAreRecords(t *testing.T, r *rig) {
	t.Helper()
	lines := r.journal.all(func(l line) bool { return l.text("level") == "ERROR" })
	require.NotEmpty(t, lines)
	for _, l := range lines {
		code := guide.Code(l.text("error_code"))
		require.Contains(t, guide.Classes, code, "%v", l)
		require.Equal(t, code.Class(), l.text("error_class"))
		require.NotEmpty(t, l.text("message"))
		require.NotEmpty(t, l.text("trace_id"), "%v", l)
	}
}

var records = []row{
	{135, "4.8.1", "update_id", everyLineHas("update_id")},
	{136, "4.8.1", "event_type", everyLineHas("event_type")},
	{137, "4.8.1", "telegram_user_id", everyLineHas("telegram_user_id")},
	{138, "4.8.1", "chat_id", everyLineHas("chat_id")},
	{139, "4.8.1", "action, entity_type, entity_id, extra", func(t *testing.T, r *rig) {
		for _, name := range []string{"action", "entity_type", "entity_id"} {
			everyLineHas(name)(t, r)
		}
		l := r.person(t).press("open:place:123").line
		require.Equal(t, []string{"open", "place", "123", ""}, []string{l.text("action"), l.text("entity_type"), l.text("entity_id"), l.text("extra")})
	}},
	{140, "4.8.1", "the method, for each attempt", func(t *testing.T, r *rig) {
		tr := r.person(t).press("open:place:123")
		var methods []string
		for _, l := range tr.lines {
			if method := l.text("method"); method != "" {
				methods = append(methods, method)
			}
		}
		require.ElementsMatch(t, tr.methods(), methods)
	}},
	{141, "4.8.1", "a photo's URL without its secrets, and what became of it", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		p := r.person(t)
		picture := strings.Replace(r.sandbox.PictureURL("place-123"), "http://", "http://u:p@", 1) + "?token=S3CR3T#f"
		_, err := r.pool.Exec(t.Context(), "UPDATE guide.photos SET url = $1 WHERE url LIKE '%place-123%'", picture)
		require.NoError(t, err)
		sent := lineOf(t, p.press("open:place:123"), "sendPhoto")
		require.Equal(t, r.sandbox.PictureURL("place-123"), sent.text("photo_url"))
		require.Equal(t, "ok", sent.text("photo_result"))
		p.fault(sandbox.Fault{Method: "sendPhoto", Code: 400, Description: "Bad Request: failed to get HTTP URL content"})
		require.Equal(t, "failed", lineOf(t, p.press("open:promo:55"), "sendPhoto").text("photo_result"))
		require.NotContains(t, r.journal.text(), "S3CR3T")
		require.NotContains(t, r.journal.text(), "u:p@")
	}},
	{142, "4.8.1", "one closing line for each update", func(t *testing.T, r *rig) {
		p := r.person(t)
		var all []sandbox.Update
		for _, data := range []string{"open:menu:places", "open:place:123", "open:menu:nope"} {
			all = append(all, p.press(data).update)
		}
		all = append(all, p.say("/start").update)
		for _, update := range all {
			require.Len(t, p.journal.closing(t, update.ID, 1), 1)
			require.Equal(t, "ok", p.journal.closing(t, update.ID, 1)[0].text("result"))
		}
	}},
	{143, "4.8.1", "error_code and error_class", func(t *testing.T, r *rig) {
		tr := once(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: chat not found"})
		require.Equal(t, "OUTBOUND_BAD_REQUEST", tr.line.text("error_class"))
	}},
	{144, "4.8.1", "attempt, delay and status of each attempt", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 500})
		var attempts []string
		for _, l := range p.press("open:menu:places").lines {
			if l.text("method") == "sendMessage" {
				attempts = append(attempts, l.text("attempt"))
				require.Equal(t, "500", l.text("http_status"))
				require.Equal(t, "error", l.text("status"))
				require.NotEmpty(t, l.text("delay_ms"))
			}
		}
		require.Equal(t, []string{"1", "2", "3"}, attempts)
	}},
	{145, "4.8.2", "not the token", secretsStaySecret},
	{146, "4.8.2", "not the secret, nor what was presented in its place", secretsStaySecret},
	{147, "4.8.2", "no names, no texts", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{extras: true})
		p := r.person(t)
		walk(p)
		p.say("мой номер +7 900 000-12-34")
		p.say("/find канареечный_запрос")
		p.send(`"location":{"latitude":53.217171,"longitude":50.151515}`)
		for _, where := range []string{r.journal.text(), r.histories(t), r.dump(t)} {
			for _, private := range []string{"Канарейкин", "canary_user", "Имярек", "900 000-12-34", "канареечный_запрос", "53.217171"} {
				require.NotContains(t, where, private)
			}
		}
	}},
	{148, "4.8.3", "a trace id is made at the door, for each delivery", func(t *testing.T, _ *rig) {
		r := doorRig(t)
		r.post(sampleMessage)
		r.post(sampleMessage)
		r.post("{", func(request *http.Request) {
			request.Header.Set("Traceparent", "00-11111111111111111111111111111111-2222222222222222-01")
		})
		r.post("{", withSecret("wrong"))
		traces := map[string]bool{}
		for _, l := range r.journal.all(func(line) bool { return true }) {
			require.Regexp(t, "^[0-9a-f]{32}$", l.text("trace_id"), "%v", l)
			traces[l.text("trace_id")] = true
		}
		require.Len(t, traces, 4)
		require.NotContains(t, traces, strings.Repeat("1", 32))
	}},
	{149, "4.8.3", "it is in every line, down to the last call", func(t *testing.T, r *rig) {
		p := r.person(t)
		first, second := p.press("open:place:123"), p.press("open:menu:events")
		for _, tr := range []trail{first, second} {
			traces := map[string]bool{}
			for _, l := range tr.lines {
				traces[l.text("trace_id")] = true
			}
			require.Len(t, traces, 1)
			require.GreaterOrEqual(t, len(tr.lines), 5, "accepted, three calls, done")
		}
		require.NotEqual(t, first.line.text("trace_id"), second.line.text("trace_id"))
		p.postTo(httptestServer(t, r)+api.WebhookPath, string(first.update.Body))
		lines := p.journal.closing(t, first.update.ID, 2)
		require.NotEqual(t, lines[0].text("trace_id"), lines[1].text("trace_id"))
		require.Equal(t, lines[0].text("trace_id"), lines[1].text("original_trace_id"))
	}},
	{150, "4.8.3", "it is not in the domain's tables", func(t *testing.T, r *rig) {
		require.Zero(t, query[int64](r, "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'guide' AND column_name LIKE '%trace%'"))
	}},
	{151, "4.9.1", "the subscription is checked at the next action", subscriptionChanges},
	{152, "4.9.1", "its errors follow the same policy", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "getChatMember", Code: 500, Times: 2})
		tr := p.say("/start")
		require.Equal(t, []string{"getChatMember", "getChatMember", "getChatMember", "sendMessage"}, tr.methods())
		require.True(t, tr.screen(t).has("Места"))

		other := newRig(t, setup{})
		q := other.person(t)
		q.fault(sandbox.Fault{Method: "getChatMember", Code: 400, Description: "Bad Request: member list is inaccessible"})
		tr = q.say("/start")
		require.Equal(t, []string{"getChatMember", "sendMessage"}, tr.methods())
		require.True(t, tr.screen(t).has("Места"), "a fault of the bot's is not the person's")
		withCode(t, tr, guide.InternalConfig)
		other.sandbox.ClearFaults()
		q.member(sandbox.Member{Status: sandbox.Left})
		gate(t, q.say("/start").screen(t))
		q.fault(sandbox.Fault{Method: "getChatMember", Code: 400, Description: "Bad Request: member list is inaccessible"})
		gate(t, q.say("/start").screen(t)) // what was known a day ago counts
		other.sandbox.ClearFaults()
		for _, text := range []string{"member not found", "user not found", "PARTICIPANT_ID_INVALID"} {
			q.fault(sandbox.Fault{Method: "getChatMember", Code: 400, Description: "Bad Request: " + text, Times: 1})
			gate(t, q.say("/start").screen(t))
		}
	}},
	{153, "4.9.2", "that somebody wrote is logged, what they wrote is not", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.press("open:menu:help")
		tr := p.say("жалоба-канарейка-153")
		require.Equal(t, "message", tr.line.text("event_type"))
		require.Equal(t, p.id, tr.line.number("telegram_user_id"))
		require.NotEmpty(t, tr.line.text("trace_id"))
		require.NotContains(t, r.journal.text(), "канарейка-153")
	}},
}

func everyLineHas(name string) func(*testing.T, *rig) {
	return func(t *testing.T, r *rig) {
		tr := r.person(t).press("open:place:123")
		require.GreaterOrEqual(t, len(tr.lines), 5)
		for _, l := range tr.lines {
			require.NotEmpty(t, l.text(name), "%v", l)
		}
		// Lines without update_id, but of the same trace, would escape notice.
		require.Len(t, r.journal.all(func(l line) bool { return l.text("trace_id") == tr.line.text("trace_id") && l.text(name) == "" }), 0)
	}
}

func lineOf(t *testing.T, tr trail, method string) line {
	t.Helper()
	for _, l := range tr.lines {
		if l.text("method") == method {
			return l
		}
	}
	t.Fatalf("no line about %s among %v", method, tr.lines)
	return nil
}

var photos = []row{
	{154, "4.10", "for places, events, promos and favourites alike", func(t *testing.T, r *rig) {
		for _, data := range []string{"open:place:123", "open:event:456", "open:promo:55", "open:place:123:f"} {
			p := r.person(t)
			p.fault(sandbox.Fault{Method: "sendPhoto", Code: 400, Description: "Bad Request: failed to get HTTP URL content"})
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto", "sendMessage"}, p.press(data).methods(), data)
		}
	}},
	{155, "4.10", "the text says what the caption said, under the same buttons", func(t *testing.T, r *rig) {
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: file is too big"}, guide.OutboundMediaUnsupported)
	}},
	{156, "4.10", "a trouble that may pass: three attempts, then text", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{timeout: time.Second})
		for _, fault := range []sandbox.Fault{{Code: 500}, {Code: 429, RetryAfter: 1}, {Hang: true}} {
			p := r.person(t)
			fault.Method = "sendPhoto"
			p.fault(fault)
			tr := p.press("open:place:123")
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto", "sendPhoto", "sendPhoto", "sendMessage"}, tr.methods())
			withCode(t, tr, guide.OutboundMediaFallback)
		}
	}},
	{157, "4.10", "a trouble that stays: text at once, with its own code", func(t *testing.T, r *rig) {
		for description, code := range map[string]guide.Code{
			"invalid file HTTP URL specified: Unsupported URL protocol": guide.OutboundMediaInvalidURL,
			"wrong HTTP URL specified":                                  guide.OutboundMediaInvalidURL,
			"wrong file identifier/HTTP URL specified":                  guide.OutboundMediaInvalidURL,
			"wrong remote file identifier specified: Wrong padding":     guide.OutboundMediaInvalidURL,
			"remote file identifier must be non-empty":                  guide.OutboundMediaInvalidURL,
			"URL must be in UTF-8":                                      guide.OutboundMediaInvalidURL,
			"failed to get HTTP URL content":                            guide.OutboundMediaFetchFailed,
			"can't upload file by URL":                                  guide.OutboundMediaFetchFailed,
			"wrong type of the web page content":                        guide.OutboundMediaUnsupported,
			"PHOTO_INVALID_DIMENSIONS":                                  guide.OutboundMediaUnsupported,
			"IMAGE_PROCESS_FAILED":                                      guide.OutboundMediaUnsupported,
			"photo has unsupported extension. Use one of .jpg, .png":    guide.OutboundMediaUnsupported,
			"file is too big":                                           guide.OutboundMediaUnsupported,
			"type of file mismatch":                                     guide.OutboundMediaUnsupported,
		} {
			fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: " + description}, code)
		}
		fallsBack(t, r, sandbox.Fault{Code: 413, Description: "Request Entity Too Large"}, guide.OutboundMediaUnsupported)
	}},
	{158, "4.10", "only what is about the photo becomes text", func(t *testing.T, r *rig) {
		own := newRig(t, setup{}) // 401 and 404 speak of the token
		for _, fault := range []sandbox.Fault{
			{Code: 403, Description: "Forbidden: bot was blocked by the user"}, {Code: 401, Description: "Unauthorized"},
			{Code: 404, Description: "Not Found"}, {Code: 400, Description: "Bad Request: chat not found"},
		} {
			p := own.person(t)
			fault.Method = "sendPhoto"
			p.fault(fault)
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto"}, p.press("open:place:123").methods(), fault.Description)
		}
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: something nobody has seen before"}, guide.OutboundMediaUnsupported)
	}},
	{159, "4.10", "without a usable URL sendPhoto is not called", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		noURL(t, r)
		for address, code := range map[string]guide.Code{"   ": guide.OutboundMediaFallback, "ftp://example.com/1.jpg": guide.OutboundMediaInvalidURL, "cdn/1.jpg": guide.OutboundMediaInvalidURL} {
			_, err := r.pool.Exec(t.Context(), "UPDATE guide.photos SET url = $1 WHERE id = (SELECT photo_id FROM guide.place_photos WHERE place_id = 123 AND position = (SELECT min(position) FROM guide.place_photos WHERE place_id = 123))", address)
			require.NoError(t, err)
			tr := r.person(t).press("open:place:123")
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, tr.methods(), address)
			withCode(t, tr, code)
		}
	}},
	{160, "4.10", "the text in the photo's place is tried three times too", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendPhoto", Code: 400, Description: "Bad Request: failed to get HTTP URL content"})
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 500, Times: 2})
		tr := p.press("open:place:123")
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto", "sendMessage", "sendMessage", "sendMessage"}, tr.methods())
		require.Equal(t, "ok", tr.line.text("result"))
	}},
	{161, "4.10", "captions and texts keep Telegram's limits", func(t *testing.T, r *rig) {
		p := r.person(t)
		card := p.press("open:place:125").screen(t)
		require.Equal(t, "sendPhoto", card.method)
		require.LessOrEqual(t, utf8.RuneCountInString(card.text), 1024)
		require.Greater(t, utf8.RuneCountInString(card.text), 900)
		require.True(t, strings.HasSuffix(card.text, "…"))
		full := p.press("open:place:125:full").screen(t)
		require.Greater(t, utf8.RuneCountInString(full.text), 1500)
		require.LessOrEqual(t, utf8.RuneCountInString(full.text), 4096)
	}},
}
