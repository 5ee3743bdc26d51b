package conformance

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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
	{52, "3.1", "whatever a person sees was sent by a call of its own", func(t *testing.T, r *rig) {
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto"}, r.person(t).press("open:place:123").methods())
	}},
	{53, "3.2", "the token comes from the environment or a file", func(t *testing.T, _ *rig) {
		_, err := config.Load(botEnvironment(map[string]string{"TELEGRAM_BOT_TOKEN": ""}))
		require.ErrorContains(t, err, "INTERNAL_CONFIG_ERROR")
		require.ErrorContains(t, err, "TELEGRAM_BOT_TOKEN")
		file := filepath.Join(t.TempDir(), "token")
		require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
		cfg, err := config.Load(botEnvironment(map[string]string{"TELEGRAM_BOT_TOKEN": "", "TELEGRAM_BOT_TOKEN_FILE": file}))
		require.NoError(t, err)
		require.Equal(t, token, cfg.Bot.Token.Reveal())
	}},
	{54, "3.2", "calls go to base/bot<token>/method", func(t *testing.T, r *rig) {
		// The sandbox answers under no other path, so a call that was accepted says it all.
		call := r.person(t).say("/start").calls[1]
		require.Equal(t, "bot7000000777", call.Key)
	}},
	{55, "3.2", "the token is printed nowhere, whatever breaks", secretsStaySecret},
	{56, "3.2", "a call ends after five seconds", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendMessage", Hang: true, Times: 1})
		tr := p.press("open:menu:places")
		hung := named(tr.calls, "sendMessage")[0]
		require.Equal(t, sandbox.ClientGone, r.call(hung.Seq).Outcome)
		took := r.call(hung.Seq).AnsweredAt.Sub(hung.ReceivedAt)
		require.InDelta(t, 5, took.Seconds(), 0.3)
	}},
	{57, "3.3", "setWebhook is an operation of its own", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		r.person(t).say("/start")
		require.Empty(t, r.sandbox.Calls(sandbox.CallFilter{Method: "setWebhook"}), "no process does it when it starts")
		require.NoError(t, r.registration("https://api.example.com").Set(t.Context()))
		calls := r.sandbox.Calls(sandbox.CallFilter{Method: "setWebhook"})
		require.Len(t, calls, 1)
		require.Equal(t, "https://api.example.com/api/v1/integrations/telegram/webhook", calls[0].Text("url"))
		require.Equal(t, secret, calls[0].Text("secret_token"))
		require.NotEqual(t, "true", calls[0].Text("drop_pending_updates"))
		info, err := r.registration("https://api.example.com").Info(t.Context())
		require.NoError(t, err)
		require.Equal(t, "https://api.example.com/api/v1/integrations/telegram/webhook", info.URL)
		require.NoError(t, r.registration("").Delete(t.Context()))
	}},
	{58, "3.4", "four methods and no other", func(t *testing.T, _ *rig) {
		r := newRig(t, setup{})
		walk(r.person(t))
		used := map[string]bool{}
		for _, call := range r.sandbox.Calls(sandbox.CallFilter{}) {
			used[call.Method] = true
		}
		require.Equal(t, map[string]bool{"sendMessage": true, "sendPhoto": true, "getChatMember": true, "answerCallbackQuery": true}, used)
	}},
	{59, "3.4.1", "every call is well formed", func(t *testing.T, r *rig) {
		p := r.person(t)
		walk(p)
		calls := p.sandbox.Calls(sandbox.CallFilter{Chat: fmt.Sprint(p.id)})
		require.NotEmpty(t, calls)
		for _, call := range calls {
			require.Equal(t, sandbox.Accepted, call.Outcome, "%s: %s", call.Method, call.Answer)
			require.Empty(t, call.Warnings)
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
			require.NotContains(t, call.Text("reply_markup"), "copy_text")
		}
	}},
	{60, "3.4.1", "the main menu is the document's", func(t *testing.T, r *rig) {
		s := r.person(t).say("/start").screen(t)
		require.Equal(t, "Выберите раздел:", s.text)
		require.Equal(t, [][]button{
			{{Text: "Места", Data: "open:menu:places"}, {Text: "Афиша", Data: "open:menu:events"}},
			{{Text: "Подборки", Data: "open:menu:collections"}, {Text: "Избранное", Data: "open:menu:favorites"}},
			{{Text: "Промокоды", Data: "open:menu:promos"}, {Text: "Помощь", Data: "open:menu:help"}},
		}, s.rows)
	}},
	{61, "3.4.1", "a place as text has name, address, rating and its buttons", func(t *testing.T, r *rig) {
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
	{62, "3.4.1", "an address reaches the map unharmed", func(t *testing.T, r *rig) {
		link := r.person(t).press("open:place:123").screen(t).button(t, "Найти на Яндекс-картах").URL
		parsed, err := url.Parse(link)
		require.NoError(t, err)
		require.Equal(t, "ул. Речная, 1", parsed.Query().Get("text"))
		for _, address := range []string{"«Ёлки», 5 & Ко", "д. #1+2?"} {
			card := guide.PlaceCard(guide.PlaceView{ID: 1, Name: "Кафе", Address: address}, guide.CardExtra{}, "")
			parsed, err := url.Parse(card.Keyboard[1][0].URL)
			require.NoError(t, err)
			require.Equal(t, address, parsed.Query().Get("text"))
		}
	}},
	{63, "3.4.2", "a card is one photo, the cover", func(t *testing.T, r *rig) {
		p := r.person(t)
		for data, photo := range map[string]string{
			"open:place:123": "place-123", "open:event:456": "event-456", "open:promo:55": "place-123", "open:place:126": "place-126",
		} {
			tr := p.press(data)
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto"}, tr.methods(), data)
			require.Equal(t, p.sandbox.PictureURL(photo), tr.screen(t).photo)
		}
	}},
	{64, "3.4.2", "lists are messages without photos", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.press("fav_add:place:123")
		for _, data := range []string{"open:menu:places", "open:menu:events", "open:menu:collections", "open:collection:77", "open:menu:favorites", "open:menu:promos"} {
			require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, p.press(data).methods(), data)
		}
	}},
	{65, "3.4.2", "photos go by URL, nothing is uploaded", func(t *testing.T, r *rig) {
		call := r.person(t).press("open:place:123").calls[2]
		require.True(t, strings.HasPrefix(call.Text("photo"), "http"))
		require.True(t, strings.HasPrefix(call.ContentType, "application/json"), call.ContentType)
	}},
	{66, "3.4.2", "without a URL, or with one that fails, text is sent", func(t *testing.T, r *rig) {
		noURL(t, r)
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: failed to get HTTP URL content"}, guide.OutboundMediaFetchFailed)
	}},
	{67, "3.4.2", "a place's photo has the document's buttons", func(t *testing.T, r *rig) {
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
	{68, "3.4.2", "a promo has the venue's photo, its terms and the document's buttons", func(t *testing.T, r *rig) {
		s := r.person(t).press("open:promo:55").screen(t)
		require.Equal(t, "sendPhoto", s.method)
		for _, part := range []string{"Акция 1\n", "Адрес: ул. Речная, 1", "Описание акции: Скидка на фильтр.", "Срок действия: ", "РЕЧНАЯ10"} {
			require.Contains(t, s.text, part)
		}
		require.Equal(t, [][]button{{{Text: "Подробнее о месте", Data: "open:place:123"}}, {{Text: "Назад", Data: "back:menu:promos"}}}, s.rows)
	}},
	{69, "3.4.2", "a favourite opens as a photo", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.press("fav_add:place:123")
		list := p.press("open:menu:favorites").screen(t)
		card := p.press(list.button(t, "Кофейня №01").Data).screen(t)
		require.Equal(t, "sendPhoto", card.method)
		require.Equal(t, "back:menu:favorites", card.button(t, "Назад").Data)
	}},
	{70, "3.4.3", "getChatMember names the channel and the person", func(t *testing.T, r *rig) {
		p := r.person(t)
		call := p.say("/start").calls[0]
		require.Equal(t, channel, call.Text("chat_id"))
		require.Equal(t, fmt.Sprint(p.id), call.Text("user_id"))
		for value, good := range map[string]bool{"@city": true, "-1001234567890": true, "city": false, "t.me/city": false} {
			_, err := config.Load(botEnvironment(map[string]string{"TELEGRAM_CHANNEL": value}))
			require.Equal(t, good, err == nil, value)
		}
	}},
	{71, "3.4.3", "members, administrators and the creator come in", func(t *testing.T, r *rig) {
		for _, status := range []sandbox.MemberStatus{sandbox.Ordinary, sandbox.Administrator, sandbox.Creator} {
			p := r.person(t)
			p.member(sandbox.Member{Status: status})
			require.True(t, p.say("/start").screen(t).has("Места"), status)
		}
	}},
	{72, "3.4.3", "who has left or was removed stands at the gate, and gets what they wanted after it", func(t *testing.T, r *rig) {
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
	{73, "3.4.3", "restricted counts by is_member, a status of the future breaks nothing", func(t *testing.T, r *rig) {
		p := r.person(t)
		p.member(sandbox.Member{Status: sandbox.Restricted, IsMember: true})
		require.True(t, p.say("/start").screen(t).has("Места"))
		p.member(sandbox.Member{Status: sandbox.Restricted})
		gate(t, p.say("/start").screen(t))
		own := newRig(t, setup{})
		q := own.person(t)
		q.fault(sandbox.Fault{Method: "getChatMember", Status: 200, Body: `{"ok":true,"result":{"status":"honorary","user":{"id":1,"is_bot":false,"first_name":"x"}}}`, ContentType: "application/json"})
		require.Equal(t, "ok", q.say("/start").line.text("result"))
	}},
	{74, "3.4.4", "the answer is first and depends on nothing", answerDependsOnNothing},
	{75, "3.4.4", "a toast is short, and absent if empty", func(t *testing.T, r *rig) {
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

func (r *rig) call(seq int64) sandbox.Call {
	found := r.sandbox.Calls(sandbox.CallFilter{Arrived: true, Match: func(c sandbox.Call) bool { return c.Seq == seq }})
	require.Len(r.t, found, 1)
	return found[0]
}

// answerDependsOnNothing: with the tables locked and getChatMember hanging the
// answer is there within 300 ms of the update.
func answerDependsOnNothing(t *testing.T, _ *rig) {
	r := newRig(t, setup{timeout: 2 * time.Second})
	p := r.person(t)
	p.say("/start")
	p.fault(sandbox.Fault{Method: "getChatMember", DelayMS: 1500, Times: 1})
	lock, err := r.pool.Begin(context.Background())
	require.NoError(t, err)
	_, err = lock.Exec(context.Background(), "LOCK TABLE guide.users, guide.places IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	for range 2 { // the second one stands behind the first
		update := p.tapOn(1, fmt.Sprintf("open:place:%d", 120+len(p.seenQueries())))
		began := time.Now()
		p.deliver(update)
		calls, err := r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Arrived: true, Match: func(c sandbox.Call) bool {
			return c.Text("callback_query_id") == update.Query
		}}, 1)
		require.NoError(t, err)
		require.Less(t, calls[0].ReceivedAt.Sub(began), 300*time.Millisecond)
	}
	require.NoError(t, lock.Rollback(context.Background()))
	for _, query := range r.sandbox.Queries(p.id) {
		require.True(t, query.Answered)
	}
}

func (p *person) seenQueries() []sandbox.Query { return p.sandbox.Queries(p.id) }

// secretsStaySecret breaks everything that can break with the token at hand,
// and looks for it everywhere.
func secretsStaySecret(t *testing.T, _ *rig) {
	r := newRig(t, setup{timeout: time.Second})
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
	q := &person{rig: r, t: t, id: 5_599_999_999}
	said := q.post(fmt.Sprintf(`{"update_id":90000001,"message":{"from":{"id":%d},"chat":{"id":%d,"type":"private"},"text":"/start"}}`, q.id, q.id))
	require.Equal(t, 200, said.status)
	r.journal.closing(t, 90000001, 1)
	for _, where := range []string{r.journal.text(), r.histories(t), r.metrics(), r.dump(t)} {
		require.NotContains(t, where, "conformance-bot-secret")
		require.NotContains(t, where, secret)
		require.NotContains(t, where, "presented-but-wrong")
	}
}

var screens = []row{
	{76, "3.5", "a button names what is there", func(t *testing.T, r *rig) {
		p := r.person(t)
		var all []string
		for _, data := range []string{"open:menu:places", "page:place:0:3", "open:menu:events", "open:collection:77", "open:menu:promos", "open:menu:places:d", "open:menu:events:c"} {
			all = append(all, p.press(data).screen(t).data()...)
		}
		for _, data := range slices.Compact(all) {
			action, err := guide.ParseAction(data)
			require.NoError(t, err)
			table := map[string]string{guide.Place: "places", guide.Event: "events", guide.Collection: "collections", guide.Promo: "promos"}[action.Entity]
			if table != "" && action.ID != 0 {
				require.True(t, query[bool](r, "SELECT published FROM guide."+table+" WHERE id = $1", action.ID), data)
			}
		}
	}},
	{77, "3.5", "data is taken apart, routed, and logged in its four parts", func(t *testing.T, r *rig) {
		p := r.person(t)
		l := p.press("open:place:123:l2.d1").line
		require.Equal(t, []string{"open", "place", "123", "l2.d1"}, []string{l.text("action"), l.text("entity_type"), l.text("entity_id"), l.text("extra")})
		tr := p.press("fav_add:promo:1")
		require.Equal(t, "Кнопка устарела", tr.calls[0].Text("text"))
		require.True(t, tr.screen(t).has("Места"))
		codes := []string{}
		for _, l := range tr.lines {
			codes = append(codes, l.text("error_code"))
		}
		require.Contains(t, codes, string(guide.InboundInvalidCallbackData))
	}},
	{78, "3.5", "a photo or a text, as there is one", func(t *testing.T, r *rig) {
		p := r.person(t)
		require.Equal(t, "sendPhoto", p.press("open:place:123").screen(t).method)
		require.Equal(t, "sendMessage", p.press("open:place:124").screen(t).method)
	}},
	{79, "3.6", "P1 is getChatMember, sendMessage", func(t *testing.T, r *rig) {
		require.Equal(t, []string{"getChatMember", "sendMessage"}, r.person(t).say("/start").methods())
	}},
	{80, "3.6", "P2 is answerCallbackQuery, sendMessage", func(t *testing.T, r *rig) {
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, r.person(t).press("open:menu:main").methods())
	}},
	{81, "3.6", "P3: places by district, type, subcategory, and pages of them", placesAreFiltered},
	{82, "3.6", "P4: events by category, source, day; past ones are hidden", eventsAreFiltered},
	{83, "3.6", "P5: collections and what is in them", func(t *testing.T, r *rig) {
		p := r.person(t)
		list := p.press("open:menu:collections").screen(t)
		s := p.press(list.button(t, "Тёплые места").Data).screen(t)
		require.Equal(t, []string{"open:place:123:c77", "open:event:456:c77", "open:place:124:c77", "back:menu:collections", "open:menu:main"}, s.data())
		card := p.press("open:event:456:c77").screen(t)
		require.Equal(t, "back:collection:77", card.button(t, "Назад").Data)
		require.Contains(t, p.press("back:collection:77").screen(t).text, "Тёплые места")
		require.Contains(t, p.press("open:collection:78").screen(t).text, "пока ничего нет")
	}},
	{84, "3.6", "P6: sendPhoto, or sendMessage in its place", func(t *testing.T, r *rig) {
		require.Equal(t, "sendPhoto", r.person(t).press("open:event:456").screen(t).method)
		require.Equal(t, "sendMessage", r.person(t).press("open:event:457").screen(t).method)
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: wrong type of the web page content"}, guide.OutboundMediaUnsupported)
	}},
	{85, "3.6", "P7: favourites are added, listed newest first, opened, removed", favouritesWork},
	{86, "3.6", "P8 and P9: promos that hold, help with a contact", func(t *testing.T, r *rig) {
		p := r.person(t)
		list := p.press("open:menu:promos").screen(t)
		require.Contains(t, list.text, "Акция 1")
		require.NotContains(t, list.text, "Старая акция")
		require.Contains(t, p.press("open:promo:56").screen(t).text, "Акция завершена")
		tr := p.press("open:menu:help")
		require.Equal(t, []string{"answerCallbackQuery", "sendMessage"}, tr.methods())
		require.Equal(t, contact, tr.screen(t).button(t, "Написать нам").URL)
		p.member(sandbox.Member{Status: sandbox.Left})
		require.Equal(t, contact, p.press("open:menu:help").screen(t).button(t, "Написать нам").URL, "also for who is not subscribed")
	}},
	{87, "3.7", "editing in place, where it is switched on", editsInPlace},
}

func placesAreFiltered(t *testing.T, r *rig) {
	p := r.person(t)
	first := p.press("open:menu:places").screen(t)
	require.Contains(t, first.text, "23 места")
	require.False(t, first.has("← Раньше"))
	second := p.press(first.button(t, "Дальше →").Data).screen(t)
	third := p.press(second.button(t, "Дальше →").Data).screen(t)
	require.False(t, third.has("Дальше →"))
	require.Equal(t, first.text, p.press(second.button(t, "← Раньше").Data).screen(t).text, "the order is stable")
	seen := map[string]bool{}
	for _, page := range []screen{first, second, third} {
		for _, data := range page.data() {
			if strings.HasPrefix(data, "open:place:") {
				id := strings.Split(data, ":")[2]
				require.False(t, seen[id], "a place is on one page")
				seen[id] = true
			}
		}
	}
	require.Len(t, seen, 23)

	districts := p.press(first.button(t, "Район").Data).screen(t)
	inCenter := p.press(districts.button(t, "Центр").Data).screen(t)
	require.Contains(t, inCenter.text, "Район: Центр")
	types := p.press(inCenter.button(t, "Тип").Data).screen(t)
	cafes := p.press(types.button(t, "Кофейни").Data).screen(t)
	require.Contains(t, cafes.text, "Район: Центр\nТип: Кофейни")
	require.NotContains(t, cafes.text, "Музей")
	kinds := p.press(cafes.button(t, "Подкатегория").Data).screen(t)
	roasters := p.press(kinds.button(t, "Обжарщики").Data).screen(t)
	require.Contains(t, roasters.text, "Подкатегория: Обжарщики")
	require.NotContains(t, p.press(roasters.button(t, "Сбросить фильтры").Data).screen(t).text, "Район")
	card := p.press(roasters.rows[0][0].Data).screen(t)
	require.Equal(t, roasters.text, p.press(card.button(t, "Назад").Data).screen(t).text, "back leads to where one was")
	empty := p.press("page:place:0:1.s2").screen(t)
	require.Contains(t, empty.text, "ничего не нашлось")
	require.True(t, empty.has("Сбросить фильтры"))
}

func eventsAreFiltered(t *testing.T, r *rig) {
	p := r.person(t)
	list := p.press("open:menu:events").screen(t)
	require.Contains(t, list.text, "Вечер джаза")
	require.NotContains(t, list.text, "Прошедший")
	require.True(t, list.has("Дальше →"))
	require.Contains(t, p.press(list.button(t, "Сегодня").Data).screen(t).text, "Ночной показ")
	tomorrow := p.press(list.button(t, "Завтра").Data).screen(t)
	require.Contains(t, tomorrow.text, "Лекция о птицах")
	require.NotContains(t, tomorrow.text, "Вечер джаза")
	p.press(list.button(t, "Выходные").Data)
	days := p.press(list.button(t, "Дата").Data).screen(t)
	inTwo := "w" + time.Now().In(zone).AddDate(0, 0, 2).Format("20060102")
	picked := ""
	for _, data := range days.data() {
		if strings.HasSuffix(data, inTwo) {
			picked = data
		}
	}
	require.Contains(t, p.press(picked).screen(t).text, "Вечер джаза")
	categories := p.press(list.button(t, "Категория").Data).screen(t)
	talks := p.press(categories.button(t, "Лекции").Data).screen(t)
	require.Contains(t, talks.text, "Категория: Лекции")
	require.NotContains(t, talks.text, "Вечер джаза")
	sources := p.press(talks.button(t, "Источник").Data).screen(t)
	library := p.press(sources.button(t, "Библиотека").Data).screen(t)
	require.Contains(t, library.text, "Лекция о птицах")
	require.NotContains(t, library.text, "Ночной показ")
	require.True(t, library.has("Сбросить фильтры"))
	require.Contains(t, p.press("open:event:458").screen(t).text, "уже прошло", "an old button still opens it")
}

func favouritesWork(t *testing.T, _ *rig) {
	r := newRig(t, setup{})
	p := r.person(t)
	require.Contains(t, p.press("open:menu:favorites").screen(t).text, "пока пусто")
	p.press("fav_add:place:123")
	p.press("fav_add:event:456")
	list := p.press("open:menu:favorites").screen(t)
	require.Equal(t, "Вечер джаза", list.rows[0][0].Text, "newest first")
	require.Equal(t, "Кофейня №01", list.rows[1][0].Text)
	p.press("fav_remove:event:456")
	require.NotContains(t, p.press("open:menu:favorites").screen(t).text, "Вечер джаза")

	_, err := r.pool.Exec(t.Context(), "UPDATE guide.places SET published = false WHERE id = 123")
	require.NoError(t, err)
	gone := p.press("open:menu:favorites").screen(t)
	require.Contains(t, gone.text, "Кофейня №01 — больше недоступно")
	require.Contains(t, p.press("open:place:123").screen(t).text, "Больше недоступно")
	p.press(gone.rows[0][0].Data)
	require.Zero(t, favourites(p))
}

func editsInPlace(t *testing.T, _ *rig) {
	r := newRig(t, setup{edit: true})
	p := r.person(t)
	p.say("/start")
	menu := p.newest()
	turned := p.tapOn(menu, "open:menu:places")
	tr := p.handle(turned)
	require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "editMessageText"}, tr.methods())
	require.Equal(t, fmt.Sprint(menu), tr.calls[2].Text("message_id"))
	require.Equal(t, menu, p.newest())

	p.post(string(turned.Body)) // the same update again
	r.journal.closing(t, turned.ID, 2)
	require.Empty(t, p.calls(), "a duplicate edits nothing")

	require.Equal(t, "ok", p.handle(p.tapOn(menu, "open:menu:places")).line.text("result"), "not modified is fine")
	require.Equal(t, "sendMessage", p.handle(p.tapOn(menu-1, "open:menu:events")).screen(t).method, "an old message stays as it is")
	require.Equal(t, "sendMessage", p.handle(p.tapOn(999_999, "open:menu:events")).screen(t).method, "date 0: a new message")
	require.Equal(t, "sendPhoto", p.press("open:place:123").screen(t).method)
	liked := p.press("fav_add:place:123")
	require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "editMessageReplyMarkup"}, liked.methods())
	require.Equal(t, "fav_remove:place:123", liked.screen(t).button(t, "Убрать из избранного").Data)
	require.Equal(t, "sendMessage", p.press("back:menu:places").screen(t).method, "a photo can't become a text")
}

func (p *person) newest() int64 {
	for _, m := range slices.Backward(p.sandbox.Messages(p.id)) {
		if m.Out {
			return m.ID
		}
	}
	return 0
}

// noURL: a card whose photo has no URL.
func noURL(t *testing.T, r *rig) {
	t.Helper()
	tr := r.person(t).press("open:place:124")
	require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, tr.methods())
	l := withCode(t, tr, guide.OutboundMediaFallback)
	require.Equal(t, "photo_url_missing", l.text("details"))
}

// fallsBack: a photo that Telegram refuses once and for all.
func fallsBack(t *testing.T, r *rig, fault sandbox.Fault, code guide.Code) {
	t.Helper()
	p := r.person(t)
	fault.Method = "sendPhoto"
	p.fault(fault)
	tr := p.press("open:place:123")
	require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto", "sendMessage"}, tr.methods(), fault.Description)
	require.Less(t, tr.calls[3].ReceivedAt.Sub(tr.calls[2].ReceivedAt), time.Second)
	withCode(t, tr, code)
	require.Contains(t, tr.calls[3].Text("text"), tr.calls[2].Text("caption"))
	require.Equal(t, tr.calls[2].Text("reply_markup"), tr.calls[3].Text("reply_markup"))
	require.Equal(t, "ok", tr.line.text("result"))
}

func withCode(t *testing.T, tr trail, code guide.Code) line {
	t.Helper()
	for _, l := range tr.lines {
		if l.text("error_code") == string(code) {
			require.Equal(t, code.Class(), l.text("error_class"))
			return l
		}
	}
	t.Fatalf("no line with %s among %v", code, tr.lines)
	return nil
}
