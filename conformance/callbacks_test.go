package conformance

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/guide"
	"vestnik/internal/sandbox"
)

var callbacks = []row{
	{33, "2.7", "callback_data is 1 to 64 bytes and names nobody", func(t *testing.T, r *harness) {
		p := r.person(t)
		walk(p)
		for _, call := range p.sandbox.Calls(sandbox.CallFilter{Chat: fmt.Sprint(p.id)}) {
			for _, data := range readScreen(t, call).data() {
				require.LessOrEqual(t, len(data), 64)
				require.NotContains(t, data, fmt.Sprint(p.id))
				for _, letter := range []byte(data) {
					require.Less(t, letter, byte(128))
				}
			}
		}
	}},
	{34, "2.7", "the grammar is action:entity_type:entity_id[:extra]", func(t *testing.T, _ *harness) {
		for _, data := range []string{"open", "open:place", ":place:1", "open::1", "open:place:", "open:place:1:", "a:b:c"} {
			badData(t, data)
		}
		for _, data := range []string{"open:place:1", "open:place:1:x", "open:place:1:x:y"} {
			_, err := guide.ParseAction(data)
			require.NoError(t, err)
		}
	}},
	{35, "2.7", "the document's examples work", func(t *testing.T, r *harness) {
		p := r.person(t)
		for data, begins := range map[string]string{
			"open:place:123": "Кофейня №01", "open:event:456": "Вечер джаза", "open:collection:77": "Тёплые места", "open:promo:55": "Акция 1",
			"fav_add:place:123": "Добавлено в избранное", "fav_remove:event:456": "Убрано из избранного", "open:menu:places": "Места", "page:place:0:2": "Места",
		} {
			require.True(t, strings.HasPrefix(p.press(data).screen(t).text, begins), data)
		}
		require.Contains(t, p.press("page:place:0:2").screen(t).text, "Страница 2 из")
	}},
	{36, "2.7", "entity_id is an integer, or a code of the menu", func(t *testing.T, r *harness) {
		for _, data := range []string{"open:place:abc", "open:place:-1", "open:place:99999999999999999999", "open:place:+1", "open:place:１", "open:place:0"} {
			badData(t, data)
		}
		tr := r.person(t).press("open:menu:nope")
		require.Equal(t, "Кнопка устарела", tr.calls[0].Text("text"))
		require.Contains(t, tr.screen(t).text, "Выберите раздел:")
	}},
	{37, "2.7", "extra is page and filters, out of range is the nearest page", func(t *testing.T, r *harness) {
		p := r.person(t)
		last := p.press("page:place:0:999999").screen(t).text
		require.Contains(t, last, "Страница 3 из 3")
		for _, extra := range []string{"0", "-1", "x", "1"} {
			require.Contains(t, p.press("page:place:0:"+extra).screen(t).text, "Страница 1 из 3", extra)
		}
		require.Contains(t, p.press("page:place:0:2.d1").screen(t).text, "Район:")
	}},
	{38, "2.7", "malformed data: 200, logged, no calls", malformedData},
	{39, "2.7", "every callback is answered, once", answered},
	{40, "2.8", "a person is one row", func(t *testing.T, r *harness) {
		p := r.person(t)
		var together sync.WaitGroup
		var all []sandbox.Update
		for range 20 {
			update, err := p.sandbox.Say(token, p.who(), "/start")
			require.NoError(t, err)
			all = append(all, update)
		}
		for _, update := range all {
			together.Go(func() { p.post(string(update.Body)) })
		}
		together.Wait()
		for _, update := range all {
			p.await(update)
		}
		require.EqualValues(t, 1, query[int64](r, "SELECT count(*) FROM guide.users WHERE telegram_id = $1", p.id))
	}},
	{41, "2.8", "repeated taps break nothing", func(t *testing.T, r *harness) {
		p := r.person(t)
		for range 5 {
			p.press("fav_add:place:123")
			require.Contains(t, p.press("page:place:0:2").screen(t).text, "Страница 2 из 3")
		}
		require.EqualValues(t, 1, favourites(p))
		before := r.snapshot(contentTables...)
		for range 5 {
			require.Contains(t, p.press("open:place:124").screen(t).text, "Кофейня №02")
		}
		require.Equal(t, before, r.snapshot(contentTables...))
	}},
	{42, "2.8", "fifty duplicates at once, over two processes, have one effect", oneEffect},
	{43, "2.8", "the subscription is checked at the next message or callback", subscriptionChanges},
	{44, "2.8", "no update about members is asked for", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{noWorker: true})
		require.NoError(t, r.registration("https://api.example.com").Set(t.Context()))
		call := r.sandbox.Calls(sandbox.CallFilter{Method: "setWebhook"})[0]
		require.JSONEq(t, `["message","callback_query"]`, call.Text("allowed_updates"))
	}},
	{45, "2.8", "feedback is written nowhere", feedbackIsKeptNowhere},
	{46, "2.9", "what can't be handled is accepted all the same", func(t *testing.T, _ *harness) {
		refused(t, guide.InboundInvalidJSON, "{")
		refused(t, guide.InboundUnsupportedUpdate, `{"update_id":7,"poll":{}}`)
		badData(t, "garbage")
	}},
	{47, "2.9", "401 is for the secret only", func(t *testing.T, r *harness) { unauthorized(t, r, nil); unauthorized(t, r, []string{"wrong"}) }},
	{48, "2.9", "500 is for what can't be accepted, and it comes again", notAccepted},
	{49, "2.9", "repetition is Telegram's business", func(t *testing.T, _ *harness) {
		r := doorRig(t)
		r.broken.Store(true)
		require.Equal(t, 500, r.post(sampleMessage).status)
		require.EqualValues(t, 1, r.delivered.Load(), "the receiver itself tries once")
		r.broken.Store(false)
		require.Equal(t, 200, r.post(sampleMessage).status)
	}},
	{50, "2.10", "the document's message works to the byte", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		r.personWithID(t, samplePerson)
		require.Equal(t, 200, r.post(sampleMessage).status)
		require.Equal(t, "ok", r.journal.closing(t, 10000001, 1)[0].text("result"))
		require.Equal(t, []string{"getChatMember", "sendMessage"}, trail{calls: r.sandbox.Calls(sandbox.CallFilter{})}.methods())
		require.EqualValues(t, 1, query[int64](r, "SELECT count(*) FROM guide.users WHERE telegram_id = 555000111"))
	}},
	{51, "2.10", "the document's callback works to the byte", sampleCallbackWorks},
}

func badData(t *testing.T, data string) {
	t.Helper()
	refused(t, guide.InboundInvalidCallbackData, strings.Replace(sampleCallback, "open:place:123", data, 1))
}

func malformedData(t *testing.T, _ *harness) {
	for _, data := range []string{"garbage", "", strings.Repeat("a", 65), "open:place:1:" + strings.Repeat("x", 60), "open::1", "open:place:１"} {
		badData(t, data)
	}
}

func subscriptionChanges(t *testing.T, r *harness) {
	p := r.person(t)
	require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, p.press("open:menu:places").methods())
	p.member(sandbox.Member{Status: sandbox.Left})
	tr := p.press("open:menu:places")
	require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, tr.methods())
	gate(t, tr.screen(t))
	gate(t, p.say("/start").screen(t))
	p.member(sandbox.Member{Status: sandbox.Ordinary})
	require.Contains(t, p.press("open:menu:places").screen(t).text, "Места")
}

func gate(t *testing.T, s screen) {
	t.Helper()
	require.Equal(t, "https://t.me/conformance_city", s.button(t, "Подписаться на канал").URL)
	require.True(t, strings.HasPrefix(s.button(t, "Проверить подписку").Data, "open:menu:check"))
	require.False(t, s.has("Места"))
}

func notAccepted(t *testing.T, _ *harness) {
	r := doorRig(t)
	r.broken.Store(true)
	said := r.post(sampleMessage)
	require.Equal(t, 500, said.status)
	require.Equal(t, "5", said.header.Get("Retry-After"))
	require.Empty(t, said.body)
	r.broken.Store(false)
	r.panics.Store(true)
	require.Equal(t, 500, r.post(sampleMessage).status)
	r.panics.Store(false)
	require.Equal(t, 200, r.post(sampleMessage).status)
	require.EqualValues(t, 3, r.delivered.Load(), "what was not accepted was not taken for a duplicate")
}
