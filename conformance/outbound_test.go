package conformance

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/guide"
	"vestnik/internal/sandbox"
	"vestnik/internal/telegram"
)

var outbound = []row{
	{52, "3.1", "whatever a person sees was sent by a call of its own", func(t *testing.T, r *harness) {
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto"}, r.person(t).press("open:place:123").methods())
	}},
	{53, "3.2", "the token comes from the environment or a file", func(t *testing.T, _ *harness) {
		_, err := config.Load(botEnvironment(map[string]string{"TELEGRAM_BOT_TOKEN": ""}))
		require.ErrorContains(t, err, "INTERNAL_CONFIG_ERROR")
		require.ErrorContains(t, err, "TELEGRAM_BOT_TOKEN")
		file := filepath.Join(t.TempDir(), "token")
		require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
		cfg, err := config.Load(botEnvironment(map[string]string{"TELEGRAM_BOT_TOKEN": "", "TELEGRAM_BOT_TOKEN_FILE": file}))
		require.NoError(t, err)
		require.Equal(t, token, cfg.Bot.Token.Reveal())
	}},
	{54, "3.2", "calls go to base/bot<token>/method", func(t *testing.T, r *harness) {
		// The sandbox answers under no other path, so a call that was accepted says it all.
		call := r.person(t).say("/start").calls[1]
		require.Equal(t, "bot7000000777", call.Key)
	}},
	{55, "3.2", "the token is printed nowhere, whatever breaks", secretsStaySecret},
	{56, "3.2", "a call ends after five seconds", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		measured(t, func() error {
			p := r.person(t)
			p.fault(sandbox.Fault{Method: "sendMessage", Hang: true, Times: 1})
			hung := named(p.press("open:menu:places").calls, "sendMessage")[0]
			require.Equal(t, sandbox.ClientGone, r.call(hung.Seq).Outcome)
			took := r.call(hung.Seq).AnsweredAt.Sub(hung.ReceivedAt)
			if off := (took - 5*time.Second).Abs(); off > within(300*time.Millisecond) {
				return fmt.Errorf("the call ended after %s", took)
			}
			return nil
		})
	}},
	{57, "3.3", "setWebhook is an operation of its own", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		r.person(t).say("/start")
		require.Empty(t, r.sandbox.Calls(sandbox.CallFilter{Method: "setWebhook"}), "no process does it when it starts")
		require.NoError(t, r.registration("https://api.example.com").Set(t.Context()))
		calls := r.sandbox.Calls(sandbox.CallFilter{Method: "setWebhook"})
		require.Len(t, calls, 1)
		require.Equal(t, "https://api.example.com/api/v1/integrations/telegram/webhook", calls[0].Text("url"))
		require.Equal(t, secret, calls[0].Text("secret_token"))
		info, err := r.registration("https://api.example.com").Info(t.Context())
		require.NoError(t, err)
		require.Equal(t, "https://api.example.com/api/v1/integrations/telegram/webhook", info.URL)
		require.NoError(t, r.registration("").Delete(t.Context()))
	}},
	{58, "3.4", "four methods and no other", func(t *testing.T, _ *harness) {
		r := newHarness(t, setup{})
		walk(r.person(t))
		used := map[string]bool{}
		for _, call := range r.sandbox.Calls(sandbox.CallFilter{}) {
			used[call.Method] = true
		}
		require.Equal(t, map[string]bool{"sendMessage": true, "sendPhoto": true, "getChatMember": true, "answerCallbackQuery": true}, used)
	}},
	{59, "3.4.1", "every call is well formed", func(t *testing.T, r *harness) {
		p := r.person(t)
		walk(p)
		calls := p.sandbox.Calls(sandbox.CallFilter{Chat: fmt.Sprint(p.id)})
		require.NotEmpty(t, calls)
		for _, call := range calls {
			require.Equal(t, sandbox.Accepted, call.Outcome, "%s: %s", call.Method, call.Answer)
			require.NotEmpty(t, call.Text("reply_markup"))
			allowed := []string{"chat_id", "text", "reply_markup"}
			if call.Method == "sendPhoto" {
				allowed = []string{"chat_id", "photo", "caption", "reply_markup"}
			}
			for name := range call.Params {
				require.Contains(t, allowed, name, call.Method)
			}
			if text := call.Text("text"); call.Method == "sendMessage" {
				require.NotEmpty(t, text)
				require.LessOrEqual(t, utf8.RuneCountInString(text), 4096)
			}
			require.NotContains(t, call.Text("reply_markup"), `"copy_text":{"text":""}`)
		}
	}},
	{60, "3.4.1", "the main menu is the document's", func(t *testing.T, r *harness) {
		s := r.person(t).say("/start").screen(t)
		require.Equal(t, "Выберите раздел:", s.text)
		require.Equal(t, [][]button{
			{{Text: "Места", Data: "open:menu:places"}, {Text: "Афиша", Data: "open:menu:events"}},
			{{Text: "Подборки", Data: "open:menu:collections"}, {Text: "Избранное", Data: "open:menu:favorites"}},
			{{Text: "Промокоды", Data: "open:menu:promos"}, {Text: "Помощь", Data: "open:menu:help"}},
		}, s.rows)
	}},
	{61, "3.4.1", "a place as text has name, address, rating and its buttons", func(t *testing.T, r *harness) {
		p := r.person(t)
		s := p.press("open:place:124").screen(t)
		require.Equal(t, "sendMessage", s.method)
		require.True(t, strings.HasPrefix(s.text, "Название: Кофейня №02\nАдрес: ул. Речная, 2\nРейтинг: 4,7"), s.text)
		require.Equal(t, [][]button{
			{{Text: "В избранное", Data: "fav_add:place:124"}, {Text: "Назад", Data: "back:menu:places"}},
			{{Text: "Найти на Яндекс-картах", URL: "https://yandex.ru/maps/?text=" + url.QueryEscape("ул. Речная, 2")}},
		}, s.rows)
		p.press("fav_add:place:124")
		require.Equal(t, "fav_remove:place:124", p.press("open:place:124").screen(t).button(t, "Убрать из избранного").Data)
	}},
	{62, "3.4.1", "an address reaches the map unharmed", func(t *testing.T, r *harness) {
		link := r.person(t).press("open:place:123").screen(t).button(t, "Найти на Яндекс-картах").URL
		parsed, err := url.Parse(link)
		require.NoError(t, err)
		require.Equal(t, "ул. Речная, 1", parsed.Query().Get("text"))
		for _, address := range []string{"«Ёлки», 5 & Ко", "д. #1+2?"} {
			card := guide.DefaultTexts().PlaceCard(guide.PlaceView{ID: 1, Name: "Кафе", Address: address}, guide.CardExtra{}, guide.Links{})
			parsed, err := url.Parse(card.Keyboard[1][0].URL)
			require.NoError(t, err)
			require.Equal(t, address, parsed.Query().Get("text"))
		}
	}},
	{63, "3.4.2", "a card is one photo, the cover", func(t *testing.T, r *harness) {
		p := r.person(t)
		for data, photo := range map[string]string{
			"open:place:123": "place-123", "open:event:456": "event-456", "open:promo:55": "place-123", "open:place:126": "place-126",
		} {
			tr := p.press(data)
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto"}, tr.methods(), data)
			require.Equal(t, p.sandbox.PictureURL(photo), tr.screen(t).photo)
		}
	}},
	{64, "3.4.2", "lists are messages without photos", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.press("fav_add:place:123")
		for _, data := range []string{"open:menu:places", "open:menu:events", "open:menu:collections", "open:collection:77", "open:menu:favorites", "open:menu:promos"} {
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, p.press(data).methods(), data)
		}
	}},
	{65, "3.4.2", "photos go by URL, nothing is uploaded", func(t *testing.T, r *harness) {
		call := r.person(t).press("open:place:123").calls[2]
		require.True(t, strings.HasPrefix(call.Text("photo"), "http"))
		require.True(t, strings.HasPrefix(call.ContentType, "application/json"), call.ContentType)
	}},
	{66, "3.4.2", "without a URL, or with one that fails, text is sent", func(t *testing.T, r *harness) {
		noURL(t, r)
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: failed to get HTTP URL content"}, guide.OutboundMediaFetchFailed)
	}},
	{67, "3.4.2", "a place's photo has the document's buttons", func(t *testing.T, r *harness) {
		p := r.person(t)
		tr := p.press("open:place:123")
		require.Equal(t, [][]button{
			{{Text: "Подробнее", Data: "open:place:123"}, {Text: "В избранное", Data: "fav_add:place:123"}},
			{{Text: "Найти на Яндекс-картах", URL: "https://yandex.ru/maps/?text=" + url.QueryEscape("ул. Речная, 1")}},
			{{Text: "Назад", Data: "back:menu:places"}},
		}, tr.screen(t).rows)
		more := p.press("open:place:123").screen(t) // on the photo itself
		require.Equal(t, "sendMessage", more.method)
		require.True(t, strings.HasPrefix(more.text, "Название: "))
		require.Equal(t, "sendMessage", p.press("open:place:123:full").screen(t).method)
		require.Equal(t, "sendPhoto", p.press("open:place:123").screen(t).method, "on a text it opens the card again")
	}},
	{68, "3.4.2", "a promo has the venue's photo, its terms and the document's buttons", func(t *testing.T, r *harness) {
		p := r.person(t)
		s := p.press("open:promo:55").screen(t)
		require.Equal(t, "sendPhoto", s.method)
		require.Equal(t, "РЕЧНАЯ10", s.button(t, "Скопировать промокод").Copy.Text)
		for _, part := range []string{"Акция 1\n", "Адрес: ул. Речная, 1", "Описание акции: Скидка на фильтр.", "Срок действия: ", "РЕЧНАЯ10"} {
			require.Contains(t, s.text, part)
		}
		require.Equal(t, [][]button{{{Text: "Подробнее о месте", Data: "open:place:123"}}, {{Text: "Назад", Data: "back:menu:promos"}}},
			p.press("open:promo:58").screen(t).rows, "the document's promo has no code")
	}},
	{69, "3.4.2", "a favourite opens as a photo", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.press("fav_add:place:123")
		list := p.press("open:menu:favorites").screen(t)
		card := p.press(list.button(t, "Кофейня №01").Data).screen(t)
		require.Equal(t, "sendPhoto", card.method)
		require.Equal(t, "back:menu:favorites", card.button(t, "Назад").Data)
	}},
	{70, "3.4.3", "getChatMember names the channel and the person", func(t *testing.T, r *harness) {
		p := r.person(t)
		call := p.say("/start").calls[0]
		require.Equal(t, channel, call.Text("chat_id"))
		require.Equal(t, fmt.Sprint(p.id), call.Text("user_id"))
		for value, good := range map[string]bool{"@city": true, "-1001234567890": true, "city": false, "t.me/city": false} {
			_, err := config.Load(botEnvironment(map[string]string{"TELEGRAM_CHANNEL": value, "TELEGRAM_CHANNEL_URL": "https://t.me/+AbCdEf"}))
			require.Equal(t, good, err == nil, value)
		}
	}},
	{71, "3.4.3", "members, administrators and the creator come in", func(t *testing.T, r *harness) {
		for _, status := range []sandbox.MemberStatus{sandbox.Ordinary, sandbox.Administrator, sandbox.Creator} {
			p := r.person(t)
			p.member(sandbox.Member{Status: status})
			require.True(t, p.say("/start").screen(t).has("Места"), status)
		}
	}},
	{72, "3.4.3", "who has left or was removed stands at the gate, and gets what they wanted after it", func(t *testing.T, r *harness) {
		for _, status := range []sandbox.MemberStatus{sandbox.Left, sandbox.Kicked} {
			p := r.person(t)
			p.member(sandbox.Member{Status: status})
			gate(t, p.say("/start").screen(t))
			s := p.press("open:place:123").screen(t)
			gate(t, s)
			check := s.button(t, "Проверить подписку").Data
			gate(t, p.press(check).screen(t))
			p.member(sandbox.Member{Status: sandbox.Ordinary})
			require.Contains(t, p.press(check).screen(t).text, "Кофейня №01")
			require.Equal(t, "Выберите раздел:", p.press("open:menu:check").screen(t).text)
		}
	}},
	{73, "3.4.3", "restricted counts by is_member, a status of the future breaks nothing", func(t *testing.T, r *harness) {
		p := r.person(t)
		p.member(sandbox.Member{Status: sandbox.Restricted, IsMember: true})
		require.True(t, p.say("/start").screen(t).has("Места"))
		p.member(sandbox.Member{Status: sandbox.Restricted})
		gate(t, p.say("/start").screen(t))
		own := newHarness(t, setup{})
		q := own.person(t)
		q.fault(sandbox.Fault{Method: "getChatMember", Status: 200, Body: `{"ok":true,"result":{"status":"honorary","user":{"id":1,"is_bot":false,"first_name":"x"}}}`, ContentType: "application/json"})
		require.Equal(t, "ok", q.say("/start").line.text("result"))
	}},
	{74, "3.4.4", "the answer is first and depends on nothing", answerDependsOnNothing},
	{75, "3.4.4", "a toast is short, and absent if empty", func(t *testing.T, r *harness) {
		p := r.person(t)
		_, there := p.press("open:menu:help").calls[0].Params["text"]
		require.False(t, there)
		toast := p.press("open:menu:nope").calls[0].Text("text")
		require.NotEmpty(t, toast)
		require.LessOrEqual(t, utf8.RuneCountInString(toast), 200)
	}},
}

func named(calls []sandbox.Call, method string) (found []sandbox.Call) {
	for _, call := range calls {
		if call.Method == method {
			found = append(found, call)
		}
	}
	return found
}

func (r *harness) call(seq int64) sandbox.Call {
	found := r.sandbox.Calls(sandbox.CallFilter{Arrived: true, Match: func(c sandbox.Call) bool { return c.Seq == seq }})
	require.Len(r.t, found, 1)
	return found[0]
}

// answerDependsOnNothing: with the tables locked and getChatMember hanging the
// answer is there within 300 ms of the update.
func answerDependsOnNothing(t *testing.T, _ *harness) {
	r := newHarness(t, setup{timeout: 2 * time.Second})
	p := r.person(t)
	p.say("/start")
	p.fault(sandbox.Fault{Method: "getChatMember", DelayMS: 1500, Times: 1})
	unlock := lockTables(t, r)
	for range 2 { // the second one stands behind the first
		update := p.tapOn(1, fmt.Sprintf("open:place:%d", 120+len(p.seenQueries())))
		began := time.Now()
		p.deliver(update)
		answers := func(c sandbox.Call) bool { return c.Text("callback_query_id") == update.Query }
		calls, err := r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Arrived: true, Match: answers}, 1)
		require.NoError(t, err)
		require.Less(t, calls[0].ReceivedAt.Sub(began), within(300*time.Millisecond))
		_, err = r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Match: answers}, 1) // answered, not just arrived
		require.NoError(t, err)
	}
	unlock()
	for _, query := range r.sandbox.Queries(p.id) {
		require.True(t, query.Answered)
	}
}

func (p *person) seenQueries() []sandbox.Query { return p.sandbox.Queries(p.id) }

// secretsStaySecret breaks everything that can break with the token at hand,
// and looks for it everywhere.
func secretsStaySecret(t *testing.T, _ *harness) {
	r := newHarness(t, setup{timeout: time.Second})
	for _, fault := range []sandbox.Fault{
		{Reset: true}, {Hang: true}, {Status: 502, Body: "<html>" + token + "</html>"}, {GzipGarbage: true}, {Code: 401, Description: "Unauthorized: " + token},
		{Status: 302, Headers: map[string]string{"Location": "https://example.com/bot" + token + "/x"}},
	} {
		p := r.person(t)
		fault.Method, fault.Times = "sendMessage", 1
		p.fault(fault)
		p.press("open:menu:places")
	}
	p := r.person(t)
	p.post(string(p.tap("open:menu:help").Body), withSecret("presented-but-wrong-9"))
	for _, bad := range []string{token + "\n%zz", token + "/x y"} {
		_, err := telegram.New(telegram.Config{Token: bad})
		require.Error(t, err)
		require.NotContains(t, err.Error(), "conformance-bot-secret")
	}
	_, err := telegram.New(telegram.Config{Token: token, BaseURL: "::bad::"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "conformance-bot-secret")
	_ = r.sandbox.Close() // refused from now on
	q := &person{harness: r, t: t, id: 5_599_999_999}
	said := q.post(fmt.Sprintf(`{"update_id":90000001,"message":{"from":{"id":%d},"chat":{"id":%d,"type":"private"},"text":"/start"}}`, q.id, q.id))
	require.Equal(t, 200, said.status)
	r.journal.closing(t, 90000001, 1)
	for _, where := range []string{r.journal.text(), r.histories(t), r.metrics(), r.dump(t)} {
		require.NotContains(t, where, "conformance-bot-secret")
		require.NotContains(t, where, secret)
		require.NotContains(t, where, "presented-but-wrong")
	}
}
