package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/api"
	"vestnik/internal/config"
	"vestnik/internal/guide"
	"vestnik/internal/sandbox"
)

// The document's own examples, to the byte.
const (
	sampleMessage = `{
  "update_id": 10000001,
  "message": {
    "message_id": 10,
    "from": { "id": 555000111, "is_bot": false, "first_name": "User" },
    "chat": { "id": 555000111, "type": "private" },
    "date": 1700000000,
    "text": "/start"
  }
}`
	sampleCallback = `{
  "update_id": 10000002,
  "callback_query": {
    "id": "abc123",
    "from": { "id": 555000111, "is_bot": false, "first_name": "User" },
    "message": {
      "message_id": 22,
      "chat": { "id": 555000111, "type": "private" }
    },
    "data": "open:place:123"
  }
}`
	samplePerson = 555000111
)

var contentTables = []string{
	"districts", "types", "subcategories", "places", "place_types", "place_subcategories", "place_listings",
	"event_categories", "event_sources", "events", "event_category_links", "event_listings",
	"photos", "place_photos", "event_photos", "collections", "collection_items", "promos",
}

// snapshot is the content of tables of the domain schema.
func (r *harness) snapshot(tables ...string) map[string]string {
	r.t.Helper()
	rows := map[string]string{}
	for _, table := range tables {
		rows[table] = query[string](r, fmt.Sprintf("SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM guide.%s t", table))
	}
	return rows
}

func favourites(p *person) int64 {
	return query[int64](p.harness, "SELECT (SELECT count(*) FROM guide.favourite_places WHERE telegram_id = $1) + (SELECT count(*) FROM guide.favourite_events WHERE telegram_id = $1)", p.id)
}

// everything a person can do, once.
func walk(p *person) {
	p.say("/start")
	for _, data := range []string{
		"open:menu:places", "page:place:0:2", "open:menu:places:d", "page:place:0:1.d1", "open:place:123", "open:place:124", "fav_add:place:123",
		"open:menu:favorites", "fav_remove:place:123", "open:menu:events", "open:menu:events:w", "open:event:456", "open:event:457",
		"fav_add:event:456", "open:menu:collections", "open:collection:77", "open:menu:promos", "open:promo:55", "open:promo:56",
		"open:menu:help", "back:menu:main", "open:place:999999",
	} {
		tr := p.press(data)
		require.Equal(p.t, "ok", tr.line.text("result"), data)
	}
	p.say("просто текст")
}

var entities = []row{
	{1, "1.2", "nothing that a person does writes the city's content", func(t *testing.T, r *harness) {
		before := r.snapshot(contentTables...)
		walk(r.person(t))
		require.Equal(t, before, r.snapshot(contentTables...))
	}},
	{2, "1.3", "maps are a link, not a callback", func(t *testing.T, r *harness) {
		map_ := r.person(t).press("open:place:123").screen(t).button(t, "Найти на Яндекс-картах")
		require.Empty(t, map_.Data)
		require.True(t, strings.HasPrefix(map_.URL, "https://yandex.ru/maps/?text="))
	}},
	{3, "1.4", "D1 to D6 are in one database", func(t *testing.T, r *harness) {
		for _, table := range append(contentTables, "users", "favourite_places", "favourite_events") {
			require.True(t, query[bool](r, "SELECT to_regclass('guide.' || $1) IS NOT NULL", table), table)
		}
	}},
	{4, "1.4", "service data is not among them", func(t *testing.T, r *harness) {
		require.Zero(t, query[int64](r, "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'guide' AND column_name IN ('trace_id', 'update_id', 'request_id')"))
		require.True(t, query[bool](r, "SELECT to_regclass('service.inbox') IS NOT NULL"))
	}},
	{5, "1.5", "P1 to P9 are there", func(t *testing.T, r *harness) {
		p := r.person(t)
		require.Equal(t, "Выберите раздел:", p.say("/start").screen(t).text)
		for data, begins := range map[string]string{
			"open:menu:places": "Места", "open:menu:events": "Афиша", "open:menu:collections": "Подборки", "open:menu:favorites": "Избранное",
			"open:menu:promos": "Промокоды", "open:menu:help": "Помощь", "open:place:124": "Название: Кофейня №02", "fav_add:place:124": "Добавлено",
			"open:promo:57": "Акция без фото",
		} {
			require.True(t, strings.HasPrefix(p.press(data).screen(t).text, begins), data)
		}
	}},
	{6, "1.5", "an import changes content, nobody's favourites, and calls nobody", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		p := r.person(t)
		p.press("fav_add:place:123")
		people := r.snapshot("users", "favourite_places", "favourite_events")
		batch := city(r.sandbox)
		batch.Places[0].Name = "Кофейня у моста"
		places := query[int64](r, "SELECT count(*) FROM guide.places")
		importBatch(t, r.pool, batch)
		importBatch(t, r.pool, batch)
		require.Equal(t, places, query[int64](r, "SELECT count(*) FROM guide.places"))
		require.Equal(t, people, r.snapshot("users", "favourite_places", "favourite_events"))
		require.Empty(t, p.calls())
		require.Contains(t, p.press("open:place:123").screen(t).text, "Кофейня у моста")
	}},
	{7, "1.6", "an update is acknowledged with 200 and an empty body", acknowledged},
	{8, "1.6", "a repeated update has no effect", oneEffect},
	{9, "1.6", "a pressed button is answered", answered},
	{10, "1.6", "favourites belong to the person in Telegram", func(t *testing.T, r *harness) {
		p, other := r.person(t), r.person(t)
		p.press("fav_add:place:123")
		require.EqualValues(t, 1, favourites(p))
		require.Zero(t, favourites(other))
		require.Contains(t, other.press("open:menu:favorites").screen(t).text, "пока пусто")
	}},
	{11, "1.6", "a promo is the same for everybody and leaves no trace", func(t *testing.T, r *harness) {
		p, other := r.person(t), r.person(t)
		before := r.snapshot("promos")
		require.Equal(t, p.press("open:promo:55").screen(t).text, other.press("open:promo:55").screen(t).text)
		require.Equal(t, before, r.snapshot("promos"))
	}},
	{12, "1.6", "feedback is kept nowhere", feedbackIsKeptNowhere},
}

func acknowledged(t *testing.T, r *harness) {
	p := r.person(t)
	update, err := p.sandbox.Say(token, p.who(), "/start")
	require.NoError(t, err)
	for range 2 {
		said := p.post(string(update.Body))
		require.Equal(t, 200, said.status)
		require.Empty(t, said.body)
		require.Equal(t, "0", said.header.Get("Content-Length"))
	}
	p.await(update)
}

func answered(t *testing.T, r *harness) {
	p := r.person(t)
	tr := p.press("open:menu:help")
	require.Equal(t, []string{"answerCallbackQuery", "sendMessage"}, tr.methods())
	require.Equal(t, tr.update.Query, tr.calls[0].Text("callback_query_id"))
	require.Equal(t, sandbox.Accepted, p.sandbox.Calls(sandbox.CallFilter{Match: func(c sandbox.Call) bool { return c.Seq == tr.calls[0].Seq }, Arrived: true})[0].Outcome)
}

func oneEffect(t *testing.T, r *harness) {
	p := r.person(t)
	second := httptestServer(t, r)
	update := p.tap("open:place:123")
	for range 10 {
		require.Equal(t, 200, p.post(string(update.Body)).status)
	}
	var together sync.WaitGroup
	for i := range 50 {
		together.Go(func() {
			address := p.server.URL
			if i%2 == 0 {
				address = second
			}
			p.postTo(address+api.WebhookPath, string(update.Body))
		})
	}
	together.Wait()
	p.journal.closing(t, update.ID, 60)
	p.press("open:menu:help") // whatever the duplicates did would be done before this
	calls := p.calls()
	require.Empty(t, calls)
	all := p.sandbox.Calls(sandbox.CallFilter{Arrived: true, Match: func(c sandbox.Call) bool {
		return c.Chat == fmt.Sprint(p.id) || c.Text("callback_query_id") == update.Query
	}})
	require.Len(t, all, 3, "one answer, one card, and the help screen")
	results := map[string]int{}
	for _, l := range p.journal.closing(t, update.ID, 60) {
		results[l.text("result")]++
	}
	require.Equal(t, map[string]int{"ok": 1, "duplicate": 59}, results)
}

// httptestServer is a second api process.
func httptestServer(t *testing.T, r *harness) string {
	server := newServer(r.webhook())
	t.Cleanup(server.Close)
	return server.URL
}

func feedbackIsKeptNowhere(t *testing.T, _ *harness) {
	r := newHarness(t, setup{})
	p := r.person(t)
	canary := "жалоба-7c1f4a90"
	p.press("open:menu:help")
	tr := p.say(canary + " было невкусно")
	require.Equal(t, []string{"sendMessage"}, tr.methods())
	require.Contains(t, tr.screen(t).text, contact)
	require.Equal(t, contact, tr.screen(t).button(t, "Написать нам").URL)
	for _, text := range []string{"/start " + canary, "/help " + canary, "/нет " + canary, canary} {
		p.say(text)
	}
	p.send(`"caption":"` + canary + `","photo":[{"file_id":"x"}]`)
	require.NotContains(t, r.journal.text(), canary)
	require.NotContains(t, r.histories(t), canary)
	require.NotContains(t, r.dump(t), canary)
}

var transport = []row{
	{13, "2.2", "the route is exactly this one", func(t *testing.T, r *harness) {
		acknowledged(t, r)
		for _, path := range []string{"/", api.WebhookPath + "/", "/api/v1/integrations/telegram"} {
			require.Equal(t, 404, r.postTo(r.server.URL+path, sampleMessage).status, path)
		}
		require.Equal(t, "/api/v1/integrations/telegram/webhook", api.WebhookPath)
	}},
	{14, "2.2", "host and address are configuration", func(t *testing.T, r *harness) {
		for public, want := range map[string]string{
			"https://a.example.com":      "https://a.example.com/api/v1/integrations/telegram/webhook",
			"https://b.example.com/bot/": "https://b.example.com/bot/api/v1/integrations/telegram/webhook",
		} {
			address, err := r.registration(public).Address()
			require.NoError(t, err)
			require.Equal(t, want, address)
		}
	}},
	{15, "2.2", "JSON is read whatever its content type says", func(t *testing.T, r *harness) {
		for _, kind := range []string{"application/json; charset=utf-8", "text/plain", ""} {
			p := r.person(t)
			update := p.tap("open:menu:help")
			said := p.post(string(update.Body), func(request *http.Request) { request.Header.Set("Content-Type", kind) })
			require.Equal(t, 200, said.status)
			require.Equal(t, "ok", p.await(update).line.text("result"))
		}
	}},
	{16, "2.2", "only POST", func(t *testing.T, r *harness) {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodHead} {
			said := r.post("", func(request *http.Request) { request.Method, request.Body = method, nil })
			require.Equal(t, 405, said.status, method)
			require.Equal(t, "POST", said.header.Get("Allow"))
			require.Empty(t, said.body)
		}
	}},
	{17, "2.3", "without the header: 401", func(t *testing.T, r *harness) { unauthorized(t, r, nil) }},
	{18, "2.3", "with another value: 401", func(t *testing.T, r *harness) {
		for _, values := range [][]string{
			{"wrong"}, {""}, {secret[:5]}, {secret + "x"}, {strings.ToUpper(secret)}, {strings.Repeat("a", 257)}, {secret, secret}, {" " + secret + "x"},
		} {
			unauthorized(t, r, values)
		}
	}},
	{19, "2.3", "a secret is 1 to 256 of A-Z a-z 0-9 _ -", func(t *testing.T, _ *harness) {
		for value, good := range map[string]bool{
			"": false, strings.Repeat("a", 257): false, "a b": false, "a:b": false, "ключ": false, "a": true, strings.Repeat("Z", 256): true, "aZ9_-": true,
		} {
			_, err := config.Load(botEnvironment(map[string]string{"TELEGRAM_WEBHOOK_SECRET": value}))
			_, handlerErr := api.NewWebhook(api.WebhookConfig{Secret: value})
			if good {
				require.NoError(t, err)
				require.NoError(t, handlerErr)
				continue
			}
			require.ErrorContains(t, err, "INTERNAL_CONFIG_ERROR", value)
			require.ErrorIs(t, handlerErr, api.ErrWebhookSecret)
		}
	}},
	{20, "2.3", "401 has no effect", func(t *testing.T, r *harness) {
		p := r.person(t)
		update := p.tap("open:menu:help")
		require.Equal(t, 401, p.post(string(update.Body), withSecret("wrong")).status)
		require.Empty(t, p.calls())
		require.Equal(t, "ok", p.handle(update).line.text("result"), "the update itself is still new")
	}},
	{21, "2.3", "the secret comes before everything", func(t *testing.T, r *harness) {
		require.Equal(t, 401, r.post("{", withSecret("wrong")).status)
		huge := new(countingBody)
		huge.left.Store(50 << 20)
		said := r.post("", withSecret("wrong"), func(request *http.Request) { request.Body, request.ContentLength = huge, 50<<20 })
		require.Equal(t, 401, said.status)
		require.Greater(t, huge.left.Load(), int64(40<<20), "the body is not read")
		require.Equal(t, 401, r.post("", withSecret("wrong"), func(request *http.Request) { request.Method = http.MethodGet }).status)
	}},
	{22, "2.4", "the body of every answer is empty", func(t *testing.T, r *harness) {
		acknowledged(t, r)
		for _, body := range []string{"{", "[]", `{"update_id":1}`} {
			require.Empty(t, r.post(body).body)
		}
		require.Empty(t, r.post("{", withSecret("wrong")).body)
	}},
	{23, "2.4", "the Bot API is never called by the answer to the webhook", func(t *testing.T, r *harness) {
		p := r.person(t)
		require.NotEmpty(t, p.say("/start").calls)
	}},
	{24, "2.4", "the acknowledgement waits for no work", quickAcknowledgement},
}

// countingBody may still be sent when its answer is there: the server does not
// wait for it.
type countingBody struct{ left atomic.Int64 }

func (b *countingBody) Read(p []byte) (int, error) {
	left := b.left.Load()
	if left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), int(left))
	b.left.Add(-int64(n))
	return n, nil
}

func (b *countingBody) Close() error { return nil }

func unauthorized(t *testing.T, r *harness, values []string) {
	t.Helper()
	p := r.person(t)
	update := p.tap("open:menu:help")
	said := p.post(string(update.Body), withSecret(values...))
	require.Equal(t, 401, said.status, values)
	require.Empty(t, said.body)
	require.Empty(t, p.calls())
	require.Zero(t, query[int64](r, "SELECT count(*) FROM guide.users WHERE telegram_id = $1", p.id))
}

func quickAcknowledgement(t *testing.T, _ *harness) {
	r := newHarness(t, setup{})
	_, err := r.sandbox.SetFault(sandbox.Fault{Platform: sandbox.Telegram, DelayMS: 4000})
	require.NoError(t, err)
	lockTables(t, r)
	measured(t, func() error { return acknowledgeUnderLoad(r) })
}

// lockTables bars the guide from its tables until unlock, or to the test's end.
func lockTables(t *testing.T, r *harness) (unlock func()) {
	t.Helper()
	lock, err := r.pool.Begin(context.Background())
	require.NoError(t, err)
	_, err = lock.Exec(context.Background(), "LOCK TABLE guide.users, guide.places IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	unlock = sync.OnceFunc(func() { require.NoError(t, lock.Rollback(context.Background())) })
	t.Cleanup(unlock)
	return unlock
}

func acknowledgeUnderLoad(r *harness) error {
	const rate, seconds = 50, 2
	goal := within(200 * time.Millisecond)
	var updates []sandbox.Update
	for range rate * seconds {
		updates = append(updates, r.person(r.t).tap("open:place:123"))
	}
	took := make(chan time.Duration, len(updates))
	var posts sync.WaitGroup
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	for _, update := range updates {
		<-tick.C
		posts.Go(func() {
			began := time.Now()
			r.post(string(update.Body))
			took <- time.Since(began)
		})
	}
	posts.Wait()
	close(took)
	slow := 0
	for d := range took {
		if d > goal {
			slow++
		}
	}
	if slow > len(updates)/100 {
		return fmt.Errorf("%d of %d acknowledgements took more than %s", slow, len(updates), goal)
	}
	return nil
}

var updates = []row{
	{25, "2.5", "two events in one update: neither", func(t *testing.T, _ *harness) {
		refused(t, guide.InboundUnsupportedUpdate, strings.Replace(sampleCallback, `"callback_query"`, `"message":{"from":{"id":1},"chat":{"id":1}},"callback_query"`, 1))
	}},
	{26, "2.5", "update_id is an integer", func(t *testing.T, _ *harness) {
		for _, id := range []string{`"5"`, "5.5", "null", "-1", "9223372036854775808", "1e3", "[]", "true", "0"} {
			refused(t, guide.InboundUnsupportedUpdate, strings.Replace(sampleMessage, "10000001", id, 1))
		}
		refused(t, guide.InboundUnsupportedUpdate, strings.Replace(sampleMessage, `"update_id": 10000001,`, "", 1))
	}},
	{27, "2.5", "other events are acknowledged and left alone", otherEvents},
	{28, "2.5", "commands and texts, /start in all its forms", func(t *testing.T, r *harness) {
		p := r.person(t)
		for _, text := range []string{"/start", "/start@conformance_bot", "/start payload", "/START", "что угодно"} {
			require.True(t, strings.HasSuffix(p.say(text).screen(t).text, "Выберите раздел:"), text)
		}
		for _, fields := range []string{`"photo":[{"file_id":"x"}]`, `"sticker":{"emoji":"🐈"}`, `"location":{"latitude":53.2,"longitude":50.1}`} {
			require.NotEmpty(t, p.send(fields).screen(t).rows, fields)
		}
	}},
	{29, "2.6", "the person is from.id", func(t *testing.T, r *harness) {
		p, chat := r.person(t), r.person(t)
		update, err := p.sandbox.Push(token, "message", []byte(fmt.Sprintf(
			`{"message_id":1,"date":1,"from":{"id":%d},"chat":{"id":%d,"type":"private"},"text":"/start"}`, p.id, chat.id)))
		require.NoError(t, err)
		tr := p.handle(update)
		require.Equal(t, p.id, tr.line.number("telegram_user_id"))
		require.Equal(t, chat.id, tr.line.number("chat_id"))
		require.EqualValues(t, 1, query[int64](r, "SELECT count(*) FROM guide.users WHERE telegram_id = $1", p.id))
		require.Zero(t, query[int64](r, "SELECT count(*) FROM guide.users WHERE telegram_id = $1", chat.id))
	}},
	{30, "2.6", "the chat is message.chat.id; groups are left alone", func(t *testing.T, r *harness) {
		p := r.personWithID(t, 7_000_000_000_001)
		require.Equal(t, "7000000000001", p.say("/start").calls[1].Chat)
		update, err := p.sandbox.Push(token, "message", []byte(fmt.Sprintf(
			`{"message_id":1,"from":{"id":%d},"chat":{"id":-1001234567890,"type":"supergroup"},"text":"/start"}`, p.id)))
		require.NoError(t, err)
		tr := p.handle(update)
		require.Equal(t, "ignored", tr.line.text("result"))
		require.Empty(t, tr.calls)
	}},
	{31, "2.6", "a callback's chat is callback_query.message.chat.id", sampleCallbackWorks},
	{32, "2.6", "a callback without a message is only answered", func(t *testing.T, r *harness) {
		p := r.person(t)
		for _, extra := range []string{"", `"inline_message_id":"AgAAAB",`} {
			update, err := p.sandbox.Push(token, "callback_query", []byte(fmt.Sprintf(`{"id":"inline-%d-%d",%s"from":{"id":%d},"data":"open:menu:places"}`, p.id, len(extra), extra, p.id)))
			require.NoError(t, err)
			p.deliver(update)
			l := p.journal.closing(t, update.ID, 1)[0]
			require.Equal(t, "ok", l.text("result"))
			calls := p.sandbox.Calls(sandbox.CallFilter{Arrived: true, Match: func(c sandbox.Call) bool {
				return c.Text("callback_query_id") == fmt.Sprintf("inline-%d-%d", p.id, len(extra))
			}})
			require.Len(t, calls, 1)
			require.NotEmpty(t, calls[0].Text("text"))
			require.Empty(t, p.calls())
		}
	}},
}

// refused sends a body that must end at the receiver, to a bot that nobody else
// talks to: whatever it did would be seen.
func refused(t *testing.T, code guide.Code, body string) line {
	t.Helper()
	r := doorRig(t)
	said := r.post(body)
	require.Equal(t, 200, said.status, body)
	require.Empty(t, said.body)
	lines := r.journal.all(func(l line) bool { return l.text("result") != "" })
	require.Len(t, lines, 1, body)
	require.Equal(t, "error", lines[0].text("result"))
	require.Equal(t, string(code), lines[0].text("error_code"), body)
	require.Equal(t, "INBOUND_VALIDATION", lines[0].text("error_class"))
	require.NotEmpty(t, lines[0].text("traceId"))
	require.Zero(t, r.delivered.Load(), "nothing goes on to a session: %s", body)
	return lines[0]
}

func otherEvents(t *testing.T, _ *harness) {
	for _, kind := range []string{
		"edited_message", "channel_post", "inline_query", "my_chat_member", "chat_member", "poll", "poll_answer", "message_reaction",
		"chat_join_request", "business_message", "purchased_paid_media", "chat_boost", "shipping_query", "pre_checkout_query",
	} {
		l := refused(t, guide.InboundUnsupportedUpdate, fmt.Sprintf(`{"update_id":7,%q:{"id":"x"}}`, kind))
		require.Contains(t, l.text("details"), kind)
	}
	refused(t, guide.InboundUnsupportedUpdate, `{"update_id":7,"something_of_2030":{"id":"x"}}`)
}

func sampleCallbackWorks(t *testing.T, _ *harness) {
	for _, body := range []string{sampleCallback, strings.Replace(sampleCallback, `"message_id": 22,`, `"message_id": 22, "date": 0,`, 1)} {
		r := newHarness(t, setup{})
		p := r.personWithID(t, samplePerson)
		said := r.post(body)
		require.Equal(t, 200, said.status)
		require.Equal(t, "ok", r.journal.closing(t, 10000002, 1)[0].text("result"))
		calls := r.sandbox.Calls(sandbox.CallFilter{Arrived: true})
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto"}, trail{calls: calls}.methods())
		require.Equal(t, "abc123", calls[0].Text("callback_query_id"))
		require.Equal(t, fmt.Sprint(p.id), calls[2].Chat)
		require.Contains(t, calls[2].Text("caption"), "Кофейня №01")
	}
}

var errNoTemporal = errors.New("no Temporal")

func botEnvironment(changes map[string]string) map[string]string {
	environment := map[string]string{
		"BOT_ENABLED": "true", "TELEGRAM_BOT_TOKEN": token, "TELEGRAM_WEBHOOK_SECRET": secret, "TELEGRAM_CHANNEL": channel,
		"PATH": os.Getenv("PATH"),
	}
	for name, value := range changes {
		environment[name] = value
	}
	return environment
}
