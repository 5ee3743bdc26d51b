package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/guide"
	"vestnik/internal/sandbox"
)

// everyCodeIsProvoked makes each fault of the document's catalogue happen once
// and looks for its code and class in the log.
func everyCodeIsProvoked(t *testing.T, _ *harness) {
	r := newHarness(t, setup{timeout: time.Second})
	failing := func(fault sandbox.Fault, data string) {
		r.sandbox.ClearFaults()
		p := r.person(t)
		p.fault(fault)
		p.press(data)
		r.sandbox.ClearFaults()
	}
	photo := func(description string) {
		failing(sandbox.Fault{Method: "sendPhoto", Code: 400, Description: "Bad Request: " + description, Times: 1}, "open:place:123")
	}
	const list = "open:menu:places"
	provocations := map[guide.Code]func(){
		guide.InboundInvalidJSON:         func() { r.post("{") },
		guide.InboundUnsupportedUpdate:   func() { r.post(`{"update_id":7,"poll":{}}`) },
		guide.InboundInvalidCallbackData: func() { r.post(strings.Replace(sampleCallback, "open:place:123", "garbage", 1)) },
		guide.OutboundRateLimit:          func() { failing(sandbox.Fault{Method: "sendMessage", Code: 429, RetryAfter: 1, Times: 1}, list) },
		guide.Outbound5XX:                func() { failing(sandbox.Fault{Method: "sendMessage", Code: 502, Times: 1}, list) },
		guide.OutboundTimeout:            func() { failing(sandbox.Fault{Method: "sendMessage", Hang: true, Times: 1}, list) },
		guide.OutboundBadRequest: func() {
			failing(sandbox.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: chat not found"}, list)
		},
		guide.OutboundMediaInvalidURL:  func() { photo("wrong HTTP URL specified") },
		guide.OutboundMediaFetchFailed: func() { photo("failed to get HTTP URL content") },
		guide.OutboundMediaUnsupported: func() { photo("wrong type of the web page content") },
		guide.OutboundMediaFallback:    func() { r.person(t).press("open:place:124") },
		guide.InternalConfig: func() {
			failing(sandbox.Fault{Method: "getChatMember", Code: 400, Description: "Bad Request: member list is inaccessible"}, list)
		},
		guide.InternalUnexpected: func() {
			_, err := r.pool.Exec(t.Context(), "ALTER TABLE guide.promos ALTER COLUMN title DROP NOT NULL; UPDATE guide.promos SET title = NULL WHERE id = 57")
			require.NoError(t, err)
			r.person(t).press("open:promo:57")
		},
		guide.InternalDB: func() {
			p := r.person(t)
			r.cable.sever()
			update := p.tap(list)
			p.deliver(update)
			r.journal.await(t, 1, "a failed attempt", func(l line) bool { return l.text("error_code") == string(guide.InternalDB) })
			r.cable.mend()
			p.await(update)
		},
	}
	require.Len(t, provocations, len(guide.Classes))
	for code, provoke := range provocations {
		r.journal.forget()
		provoke()
		found := r.journal.all(func(l line) bool { return l.text("error_code") == string(code) })
		require.NotEmpty(t, found, "no line with %s", code)
		require.Equal(t, guide.Classes[code], found[0].text("error_class"))
	}
}
