package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/guide"
	"vestnik/internal/sandbox"
)

var screens = []row{
	{76, "3.5", "a button names what is there", func(t *testing.T, r *harness) {
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
	{77, "3.5", "data is taken apart, routed, and logged in its four parts", func(t *testing.T, r *harness) {
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
	{78, "3.5", "a photo or a text, as there is one", func(t *testing.T, r *harness) {
		p := r.person(t)
		require.Equal(t, "sendPhoto", p.press("open:place:123").screen(t).method)
		require.Equal(t, "sendMessage", p.press("open:place:124").screen(t).method)
	}},
	{79, "3.6", "P1 is getChatMember, sendMessage", func(t *testing.T, r *harness) {
		require.Equal(t, []string{"getChatMember", "sendMessage"}, r.person(t).say("/start").methods())
	}},
	{80, "3.6", "P2 is answerCallbackQuery, sendMessage", func(t *testing.T, r *harness) {
		require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, r.person(t).press("open:menu:main").methods())
	}},
	{81, "3.6", "P3: places by district, type, subcategory, and pages of them", placesAreFiltered},
	{82, "3.6", "P4: events by category, source, day; past ones are hidden", eventsAreFiltered},
	{83, "3.6", "P5: collections and what is in them", func(t *testing.T, r *harness) {
		p := r.person(t)
		list := p.press("open:menu:collections").screen(t)
		s := p.press(list.button(t, "Тёплые места").Data).screen(t)
		require.Equal(t, []string{"open:place:123:c77", "open:event:456:c77", "open:place:124:c77", "back:menu:collections", "open:menu:main"}, s.data())
		card := p.press("open:event:456:c77").screen(t)
		require.Equal(t, "back:collection:77", card.button(t, "Назад").Data)
		require.Contains(t, p.press("back:collection:77").screen(t).text, "Тёплые места")
		require.Contains(t, p.press("open:collection:78").screen(t).text, "пока ничего нет")
	}},
	{84, "3.6", "P6: sendPhoto, or sendMessage in its place", func(t *testing.T, r *harness) {
		require.Equal(t, "sendPhoto", r.person(t).press("open:event:456").screen(t).method)
		require.Equal(t, "sendMessage", r.person(t).press("open:event:457").screen(t).method)
		fallsBack(t, r, sandbox.Fault{Code: 400, Description: "Bad Request: wrong type of the web page content"}, guide.OutboundMediaUnsupported)
	}},
	{85, "3.6", "P7: favourites are added, listed newest first, opened, removed", favouritesWork},
	{86, "3.6", "P8 and P9: promos that hold, help with a contact", func(t *testing.T, r *harness) {
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

func placesAreFiltered(t *testing.T, r *harness) {
	p := r.person(t)
	first := p.press("open:menu:places").screen(t)
	require.Contains(t, first.text, "23 места")
	require.False(t, first.has("← 1"))
	second := p.press(first.button(t, "Показать ещё").Data).screen(t)
	third := p.press(second.button(t, "Показать ещё").Data).screen(t)
	require.False(t, third.has("Показать ещё"))
	require.Equal(t, first.text, p.press(second.button(t, "← 1").Data).screen(t).text, "the order is stable")
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

func eventsAreFiltered(t *testing.T, r *harness) {
	p := r.person(t)
	list := p.press("open:menu:events").screen(t)
	require.Contains(t, list.text, "Вечер джаза")
	require.NotContains(t, list.text, "Прошедший")
	require.True(t, list.has("Показать ещё"))
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

func favouritesWork(t *testing.T, _ *harness) {
	r := newHarness(t, setup{})
	p := r.person(t)
	require.Contains(t, p.press("open:menu:favorites").screen(t).text, "пока пусто")
	p.press("fav_add:place:123")
	p.press("fav_add:event:456")
	list := p.press("open:menu:favorites").screen(t)
	require.Equal(t, "1. Вечер джаза", list.rows[0][0].Text, "newest first")
	require.Equal(t, "2. Кофейня №01", list.rows[1][0].Text)
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

func editsInPlace(t *testing.T, _ *harness) {
	r := newHarness(t, setup{edit: true})
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

	require.Equal(t, "ok", p.handle(p.tapOn(menu, "page:place:0:1")).line.text("result"), "not modified is fine")
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
func noURL(t *testing.T, r *harness) {
	t.Helper()
	tr := r.person(t).press("open:place:124")
	require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendMessage"}, tr.methods())
	l := withCode(t, tr, guide.OutboundMediaFallback)
	require.Equal(t, "photo_url_missing", l.text("details"))
}

// fallsBack: a photo that Telegram refuses once and for all.
func fallsBack(t *testing.T, r *harness, fault sandbox.Fault, code guide.Code) {
	t.Helper()
	p := r.person(t)
	fault.Method = "sendPhoto"
	p.fault(fault)
	tr := p.press("open:place:123")
	require.Equal(t, []string{"answerCallbackQuery", "getChatMember", "sendPhoto", "sendMessage"}, tr.methods(), fault.Description)
	require.Less(t, tr.calls[3].ReceivedAt.Sub(tr.calls[2].ReceivedAt), within(time.Second))
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
