package conformance

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

var retries = []row{
	{113, "4.6.1", "429 is tried again", func(t *testing.T, r *harness) {
		withCode(t, triedAgain(t, r, sandbox.Fault{Code: 429, RetryAfter: 1}), guide.OutboundRateLimit)
	}},
	{114, "4.6.1", "5xx is tried again", func(t *testing.T, r *harness) {
		for _, fault := range []sandbox.Fault{{Code: 500}, {Status: 502, Body: "<html>bad gateway</html>"}, {Status: 503, Body: " "}, {Status: 504, Body: "<html/>"}} {
			withCode(t, triedAgain(t, r, fault), guide.Outbound5XX)
		}
	}},
	{115, "4.6.1", "a timeout is tried again", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{timeout: time.Second})
		withCode(t, triedAgain(t, r, sandbox.Fault{Hang: true}), guide.OutboundTimeout)
		require.Contains(t, r.metrics(), "vestnik_bot_call_unknown_outcomes")
	}},
	{116, "4.6.1", "400 is not", func(t *testing.T, r *harness) {
		once(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: chat not found"})
	}},
	{117, "4.6.1", "401 is not, and the process is not ready", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		require.False(t, r.token.Rejected())
		once(t, r, sandbox.Fault{Code: 401, Description: "Unauthorized"})
		require.True(t, r.token.Rejected())
	}},
	{118, "4.6.1", "403 is not, and the person is marked", func(t *testing.T, r *harness) {
		tr := once(t, r, sandbox.Fault{Code: 403, Description: "Forbidden: bot was blocked by the user"})
		require.False(t, query[bool](r, "SELECT active FROM guide.users WHERE telegram_id = $1", tr.line.number("telegram_user_id")))
	}},
	{119, "4.6.1", "404 is not", func(t *testing.T, _ *harness) {
		once(t, newHarness(t, setup{}), sandbox.Fault{Code: 404, Description: "Not Found"})
	}},
	{120, "4.6.1", "other refusals are not", func(t *testing.T, r *harness) {
		once(t, r, sandbox.Fault{Code: 409, Description: "Conflict: something"})
		once(t, r, sandbox.Fault{Code: 413, Description: "Request Entity Too Large"})
		once(t, r, sandbox.Fault{Status: 200, Body: `{"ok":false,"description":"no"}`, ContentType: "application/json"})
	}},
	{121, "4.6.1", "a photo that can't be used is not", func(t *testing.T, r *harness) {
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: IMAGE_PROCESS_FAILED"}, guide.OutboundMediaUnsupported)
	}},
	{122, "4.6.2", "three attempts in all", func(t *testing.T, r *harness) {
		var ends []func() // their waits pass at the same time
		for _, method := range []string{"sendMessage", "getChatMember", "answerCallbackQuery"} {
			own := newHarness(t, setup{})
			p := own.person(t)
			p.fault(sandbox.Fault{Method: method, Code: 500})
			tap := p.tap("open:menu:places")
			p.deliver(tap)
			ends = append(ends, func() {
				tr := p.await(tap)
				own.journal.await(t, 1, "the end of "+method, func(l line) bool { return l.text("method") == method && l.text("attempts") != "" })
				require.Len(t, append(named(tr.calls, method), named(p.calls(), method)...), 3, method)
			})
		}
		for _, end := range ends {
			end()
		}
	}},
	{123, "4.6.2", "after one second, then two", func(t *testing.T, r *harness) {
		measured(t, func() error {
			gaps := gapsOf(t, r, sandbox.Fault{Code: 500})
			if gaps[0] < time.Second || gaps[0] > time.Second+within(500*time.Millisecond) || gaps[1] < 2*time.Second || gaps[1] > 2*time.Second+within(750*time.Millisecond) {
				return fmt.Errorf("waits of %s", gaps)
			}
			return nil
		})
	}},
	{124, "4.6.2", "with a little jitter", func(t *testing.T, r *harness) {
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
	{125, "4.6.2", "retry_after is the least wait", func(t *testing.T, r *harness) {
		tr := triedAgain(t, r, sandbox.Fault{Code: 429, RetryAfter: 3})
		sends := named(tr.calls, "sendMessage")
		require.GreaterOrEqual(t, sends[1].ReceivedAt.Sub(sends[0].ReceivedAt), 3*time.Second)
		gaps := gapsOf(t, r, sandbox.Fault{Code: 429, RetryAfter: 1})
		require.GreaterOrEqual(t, gaps[1], 2*time.Second, "the backoff, if that is longer")
		tr = triedAgain(t, r, sandbox.Fault{Status: 429, Body: "slow down", ContentType: "text/plain", Headers: map[string]string{"Retry-After": "2"}})
		sends = named(tr.calls, "sendMessage")
		require.GreaterOrEqual(t, sends[1].ReceivedAt.Sub(sends[0].ReceivedAt), 2*time.Second)

		own := newHarness(t, setup{})
		p := own.person(t)
		p.fault(sandbox.Fault{Method: "answerCallbackQuery", Code: 429, RetryAfter: 11})
		tr = p.press("open:menu:places")
		own.journal.await(t, 1, "giving up", func(l line) bool { return l.text("method") == "answerCallbackQuery" && l.text("attempts") == "1" })
		require.Equal(t, "ok", tr.line.text("result"), "the screen comes all the same")
	}},
	{126, "4.6.3", "answers before screens before checks", priorities},
	{127, "4.6.3", "an answer is quick, whatever else waits", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
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
		require.Less(t, slices.Max(late), within(time.Second))
	}},
	{128, "4.6.3", "a photo that fails becomes text", func(t *testing.T, r *harness) {
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: wrong file identifier/HTTP URL specified"}, guide.OutboundMediaInvalidURL)
	}},
	{129, "4.6.4", "giving up is logged and counted", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
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
	{130, "4.6.4", "after giving up nothing more is sent", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 500, Times: 3})
		tr := p.press("open:menu:places")
		require.Equal(t, "error", tr.line.text("result"))
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, p.press("open:menu:events").methods(), "only the next screen")
	}},
	{131, "4.6.4", "no resending behind people's backs", func(t *testing.T, r *harness) {
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
func gapsOf(t *testing.T, r *harness, fault sandbox.Fault) []time.Duration {
	t.Helper()
	p := r.person(t)
	fault.Method = "sendMessage"
	p.fault(fault)
	sends := named(p.press("open:menu:places").calls, "sendMessage")
	require.Len(t, sends, 3)
	return []time.Duration{sends[1].ReceivedAt.Sub(sends[0].AnsweredAt), sends[2].ReceivedAt.Sub(sends[1].AnsweredAt)}
}

// priorities lets one call pass at a time and makes all three kinds wait.
func priorities(t *testing.T, _ *harness) {
	r := newHarness(t, setup{concurrency: 1, timeout: 30 * time.Second})
	blocker := r.person(t)
	blocker.fault(sandbox.Fault{Method: "sendMessage", DelayMS: 20_000, Times: 1})
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
