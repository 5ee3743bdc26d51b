package conformance

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vestnik/api"
	"vestnik/internal/config"
	"vestnik/internal/guide"
	"vestnik/internal/sandbox"
)

var catalogue = []row{
	{132, "4.7", "an error is a record", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: chat not found"})
		p.press("open:menu:places")
		errorsAreRecords(t, r)
	}},
	{133, "4.7", "the classes are the document's, and each occurs", func(t *testing.T, r *harness) {
		found := map[string]bool{}
		for _, class := range guide.Classes {
			found[class] = true
		}
		require.Equal(t, map[string]bool{
			"INBOUND_VALIDATION": true, "OUTBOUND_RATE_LIMIT": true, "OUTBOUND_TRANSPORT": true, "OUTBOUND_BAD_REQUEST": true, "OUTBOUND_MEDIA": true,
			"INTERNAL_DB": true, "INTERNAL_CONFIG": true, "INTERNAL_UNEXPECTED": true,
		}, found)
		everyCodeIsProvoked(t, r)
	}},
	{134, "4.7", "the codes are the document's, each of one class, and each occurs", func(t *testing.T, r *harness) {
		require.Len(t, guide.Classes, 14)
		require.Equal(t, config.CodeInternalConfig, string(guide.InternalConfig))
		everyCodeIsProvoked(t, r)
	}},
}

func errorsAreRecords(t *testing.T, r *harness) {
	t.Helper()
	lines := r.journal.all(func(l line) bool { return l.text("level") == "ERROR" })
	require.NotEmpty(t, lines)
	for _, l := range lines {
		code := guide.Code(l.text("error_code"))
		require.Contains(t, guide.Classes, code, "%v", l)
		require.Equal(t, code.Class(), l.text("error_class"))
		require.NotEmpty(t, l.text("message"))
		require.NotEmpty(t, l.text("traceId"), "%v", l)
	}
}

var records = []row{
	{135, "4.8.1", "update_id", everyLineHas("update_id")},
	{136, "4.8.1", "event_type", everyLineHas("event_type")},
	{137, "4.8.1", "telegram_user_id", everyLineHas("telegram_user_id")},
	{138, "4.8.1", "chat_id", everyLineHas("chat_id")},
	{139, "4.8.1", "action, entity_type, entity_id, extra", func(t *testing.T, r *harness) {
		for _, name := range []string{"action", "entity_type", "entity_id"} {
			everyLineHas(name)(t, r)
		}
		l := r.person(t).press("open:place:123").line
		require.Equal(t, []string{"open", "place", "123", ""}, []string{l.text("action"), l.text("entity_type"), l.text("entity_id"), l.text("extra")})
	}},
	{140, "4.8.1", "the method, for each attempt", func(t *testing.T, r *harness) {
		tr := r.person(t).press("open:place:123")
		var methods []string
		for _, l := range tr.lines {
			if method := l.text("method"); method != "" {
				methods = append(methods, method)
			}
		}
		require.ElementsMatch(t, tr.methods(), methods)
	}},
	{141, "4.8.1", "a photo's URL without its secrets, and what became of it", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
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
	{142, "4.8.1", "one closing line for each update", func(t *testing.T, r *harness) {
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
	{143, "4.8.1", "error_code and error_class", func(t *testing.T, r *harness) {
		tr := once(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: chat not found"})
		require.Equal(t, "OUTBOUND_BAD_REQUEST", tr.line.text("error_class"))
	}},
	{144, "4.8.1", "attempt, delay and status of each attempt", func(t *testing.T, r *harness) {
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
	{147, "4.8.2", "no names, no texts", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		p := r.person(t)
		walk(p)
		p.say("мой номер +7 900 000-12-34")
		p.say("/find канареечный_запрос")
		// What can't be sent at once is kept until it can: sealed.
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 429, RetryAfter: 1, Times: 1})
		require.Contains(t, p.send(`"location":{"latitude":53.217171,"longitude":50.151515}`).screen(t).text, "Рядом с вами")
		for _, where := range []string{r.journal.text(), r.histories(t), r.dump(t)} {
			for _, private := range []string{"Канарейкин", "canary_user", "Имярек", "900 000-12-34", "канареечный_запрос", "53.217171", "Рядом с вами"} {
				require.NotContains(t, where, private)
			}
		}
	}},
	{148, "4.8.3", "a trace id is made at the receiver, for each delivery", func(t *testing.T, _ *harness) {
		r := doorRig(t)
		r.post(sampleMessage)
		r.post(sampleMessage)
		r.post("{", func(request *http.Request) {
			request.Header.Set("Traceparent", "00-11111111111111111111111111111111-2222222222222222-01")
		})
		r.post("{", withSecret("wrong"))
		traces := map[string]bool{}
		for _, l := range r.journal.all(func(line) bool { return true }) {
			require.Regexp(t, "^[0-9a-f]{32}$", l.text("traceId"), "%v", l)
			traces[l.text("traceId")] = true
		}
		require.Len(t, traces, 4)
		require.NotContains(t, traces, strings.Repeat("1", 32))
	}},
	{149, "4.8.3", "it is in every line, down to the last call", func(t *testing.T, r *harness) {
		p := r.person(t)
		first, second := p.press("open:place:123"), p.press("open:menu:events")
		for _, tr := range []trail{first, second} {
			traces := map[string]bool{}
			for _, l := range tr.lines {
				traces[l.text("traceId")] = true
			}
			require.Len(t, traces, 1)
			require.GreaterOrEqual(t, len(tr.lines), 5, "accepted, three calls, done")
		}
		require.NotEqual(t, first.line.text("traceId"), second.line.text("traceId"))
		p.postTo(httptestServer(t, r)+api.WebhookPath, string(first.update.Body))
		lines := p.journal.closing(t, first.update.ID, 2)
		require.NotEqual(t, lines[0].text("traceId"), lines[1].text("traceId"))
		require.Equal(t, lines[0].text("traceId"), lines[1].text("original_traceId"))
	}},
	{150, "4.8.3", "it is not in the domain's tables", func(t *testing.T, r *harness) {
		require.Zero(t, query[int64](r, "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'guide' AND column_name LIKE '%trace%'"))
	}},
	{151, "4.9.1", "the subscription is checked at the next action", subscriptionChanges},
	{152, "4.9.1", "its errors follow the same policy", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "getChatMember", Code: 500, Times: 2})
		tr := p.say("/start")
		require.Equal(t, []string{"getChatMember", "getChatMember", "getChatMember", "sendMessage"}, tr.methods())
		require.True(t, tr.screen(t).has("Места"))

		other := newHarness(t, setup{})
		q := other.person(t)
		q.fault(sandbox.Fault{Method: "getChatMember", Code: 400, Description: "Bad Request: member list is inaccessible"})
		tr = q.say("/start")
		require.Equal(t, []string{"getChatMember", "sendMessage"}, tr.methods())
		require.True(t, tr.screen(t).has("Места"), "a fault of the bot's is not the person's")
		alert := withCode(t, tr, guide.InternalConfig)
		require.Equal(t, "ERROR", alert.text("level"), "the operator is told")
		require.Contains(t, other.metrics(), "vestnik_bot_subscription_unknown")
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
	{153, "4.9.2", "that somebody wrote is logged, what they wrote is not", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.press("open:menu:help")
		tr := p.say("жалоба-канарейка-153")
		require.Equal(t, "message", tr.line.text("event_type"))
		require.Equal(t, p.id, tr.line.number("telegram_user_id"))
		require.NotEmpty(t, tr.line.text("traceId"))
		require.NotContains(t, r.journal.text(), "канарейка-153")
	}},
}

func everyLineHas(name string) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		tr := r.person(t).press("open:place:123")
		require.GreaterOrEqual(t, len(tr.lines), 5)
		for _, l := range tr.lines {
			require.NotEmpty(t, l.text(name), "%v", l)
		}
		// Lines without update_id, but of the same trace, would escape notice.
		require.Len(t, r.journal.all(func(l line) bool { return l.text("traceId") == tr.line.text("traceId") && l.text(name) == "" }), 0)
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
	{154, "4.10", "for places, events, promos and favourites alike", func(t *testing.T, r *harness) {
		for _, data := range []string{"open:place:123", "open:event:456", "open:promo:55", "open:place:123:f"} {
			p := r.person(t)
			p.fault(sandbox.Fault{Method: "sendPhoto", Code: 400, Description: "Bad Request: failed to get HTTP URL content"})
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto", "sendMessage"}, p.press(data).methods(), data)
		}
	}},
	{155, "4.10", "the text says what the caption said, under the same buttons", func(t *testing.T, r *harness) {
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: file is too big"}, guide.OutboundMediaUnsupported)
	}},
	{156, "4.10", "a trouble that may pass: three attempts, then text", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{timeout: time.Second})
		for _, fault := range []sandbox.Fault{{Code: 500}, {Code: 429, RetryAfter: 1}, {Hang: true}} {
			p := r.person(t)
			fault.Method = "sendPhoto"
			p.fault(fault)
			tr := p.press("open:place:123")
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto", "sendPhoto", "sendPhoto", "sendMessage"}, tr.methods())
			withCode(t, tr, guide.OutboundMediaFallback)
		}
	}},
	{157, "4.10", "a trouble that stays: text at once, with its own code", func(t *testing.T, r *harness) {
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
	{158, "4.10", "only what is about the photo becomes text", func(t *testing.T, r *harness) {
		own := newHarness(t, setup{}) // 401 and 404 speak of the token
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
	{159, "4.10", "without a usable URL sendPhoto is not called", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		noURL(t, r)
		for address, code := range map[string]guide.Code{"   ": guide.OutboundMediaFallback, "ftp://example.com/1.jpg": guide.OutboundMediaInvalidURL, "cdn/1.jpg": guide.OutboundMediaInvalidURL} {
			_, err := r.pool.Exec(t.Context(), "UPDATE guide.photos SET url = $1 WHERE id = (SELECT photo_id FROM guide.place_photos WHERE place_id = 123 AND position = (SELECT min(position) FROM guide.place_photos WHERE place_id = 123))", address)
			require.NoError(t, err)
			tr := r.person(t).press("open:place:123")
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, tr.methods(), address)
			withCode(t, tr, code)
		}
	}},
	{160, "4.10", "the text in the photo's place is tried three times too", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendPhoto", Code: 400, Description: "Bad Request: failed to get HTTP URL content"})
		p.fault(sandbox.Fault{Method: "sendMessage", Code: 500, Times: 2})
		tr := p.press("open:place:123")
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto", "sendMessage", "sendMessage", "sendMessage"}, tr.methods())
		require.Equal(t, "ok", tr.line.text("result"))
	}},
	{161, "4.10", "captions and texts keep Telegram's limits", func(t *testing.T, r *harness) {
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
