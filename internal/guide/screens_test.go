package guide

import (
	_ "embed"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vestnik/internal/words"

	"github.com/stretchr/testify/require"
)

// oldKeyboards is the data of buttons that have been sent to people, each line
// with the route that they have led to. Lines are added, never changed: a
// button works for ever.
//
//go:embed testdata/keyboards.txt
var oldKeyboards string

func sentButtons(yield func(route Route, data string) bool) {
	for line := range strings.Lines(oldKeyboards) {
		words := strings.Fields(line)
		for _, data := range words[1:] {
			if !yield(Route(words[0]), data) {
				return
			}
		}
	}
}

func TestEveryButtonEverSentStillLeadsWhereItLed(t *testing.T) {
	t.Parallel()
	for route, data := range sentButtons {
		action, err := ParseAction(data)
		require.NoError(t, err, data)
		require.Equal(t, route, action.Route(), data)
		require.Equal(t, data, action.String(), "and is written as it was")
	}
}

func TestEveryKindOfButtonIsAmongThoseThatAreKept(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`[0-9]+`)
	kind := func(data string) string { return number.ReplaceAllString(data, "#") }
	kept := map[string]bool{}
	for _, data := range sentButtons {
		kept[kind(data)] = true
	}
	for name, screen := range allScreens(t, texts) {
		for _, row := range screen.Keyboard {
			for _, button := range row {
				require.True(t, button.Data == "" || kept[kind(button.Data)],
					"%s sends %s: add it to testdata/keyboards.txt, so that it works for ever", name, button.Data)
			}
		}
	}
}

var (
	texts = DefaultTexts()

	city = time.FixedZone("Самара", 4*3600)
	now  = time.Date(2026, 12, 3, 15, 0, 0, 0, city) // a Thursday
)

func cafe() PlaceView {
	return PlaceView{
		ID: 123, Name: "Кофейня «Речная»", Address: "ул. Речная, 4", Rating: 4.7, District: "Центр", Types: []string{"Кофейни"}, Subcategories: []string{"Обжарщики"},
		Description: "Обжаривают зерно сами.", Phone: "+7 900 000-12-34", Site: "https://example.com",
		Photo: "https://cdn.example.com/photos/place/123/main.jpg",
	}
}

func concert() EventView {
	return EventView{
		ID: 456, Title: "Вечер джаза", Starts: time.Date(2026, 12, 5, 15, 0, 0, 0, time.UTC), Ends: new(time.Date(2026, 12, 5, 17, 0, 0, 0, time.UTC)),
		OverAt: time.Date(2026, 12, 5, 17, 0, 0, 0, time.UTC), PlaceID: 9, Venue: "Филармония", Address: "пл. Искусств, 1", Categories: []string{"Музыка"}, Source: "Филармония", Price: "от 500 ₽",
		Description: "Трио и вокал.", Link: "https://example.com/jazz", Photo: "https://cdn.example.com/e.jpg",
	}
}

func discount() PromoView {
	return PromoView{
		ID: 55, Title: "−10 % на фильтр", Description: "Назовите промокод на кассе.", Code: "РЕЧНАЯ10", PlaceID: 123,
		Venue: "Кофейня «Речная»", Address: "ул. Речная, 4", Until: new(time.Date(2026, 12, 31, 20, 59, 59, 0, time.UTC)),
		Photo: "https://cdn.example.com/p.jpg",
	}
}

func parse(t *testing.T, data string) Action {
	t.Helper()
	action, err := ParseAction(data)
	require.NoError(t, err)
	return action
}

func manyChoices() (choices []Choice) {
	for i := range 60 {
		choices = append(choices, Choice{ID: int64(i + 1), Name: strings.Repeat("Очень длинное имя ", i)})
	}
	return choices
}

// longestTexts are as long as a city may make them.
func longestTexts() *Texts {
	long := *DefaultTexts()
	for section, named := range long.named() {
		for _, text := range named {
			*text += strings.Repeat("ж", textLimits[section].letters-utf8.RuneCountInString(*text))
		}
	}
	return &long
}

// allScreens is one of each screen, with content as awkward as a CMS has it.
func allScreens(t *testing.T, texts *Texts) map[string]Screen {
	huge := strings.Repeat("Очень подробно 👩‍👩‍👧‍👦 ", 600)
	place, event, promo := cafe(), concert(), discount()
	place.Description, event.Description, promo.Description = huge, huge, huge
	bare := PlaceView{ID: 9_007_199_254_740_993, Name: "  \n "}
	entries := []Entry{
		{Entity: Place, ID: 1, Name: "Кофейня", Address: "ул. Речная, 4"},
		{Entity: Event, ID: 2, Name: huge, Address: huge},
		{Entity: Place, ID: 3, Name: "Закрытое место", Gone: true},
		{Entity: Place, ID: 4},
	}
	places := Listing[PlaceLine]{Items: []PlaceLine{{ID: 1, Name: "Кофейня", Address: "ул. Речная, 4", Rating: 4.5}, {ID: 2, Name: huge}}, Page: 2, Pages: 3, Total: 18}
	events := Listing[EventLine]{Items: []EventLine{{ID: 1, Title: "Концерт", Starts: now, Venue: "Зал"}, {ID: 2, Title: huge, Starts: now, Venue: huge}}, Page: 1, Pages: 2, Total: 9}
	placeQuery := PlaceQuery{Page: 2, PlaceFilter: PlaceFilter{District: 3, Type: 5, Subcategory: 7, ByRating: true}}
	eventQuery := EventQuery{Page: 1, Category: 1, Source: 2, Day: "20261205"}
	screens := map[string]Screen{
		"menu":                  texts.MenuScreen(""),
		"menu with a notice":    texts.MenuScreen(texts.Notices.Gone),
		"gate":                  texts.GateScreen("https://t.me/city_guide", parse(t, "open:place:123"), false),
		"gate again":            texts.GateScreen("", parse(t, "page:place:0:2.d3.t5.s7"), true),
		"help":                  texts.HelpScreen("https://t.me/editors", ""),
		"help without contact":  texts.HelpScreen("", "https://t.me/city_guide"),
		"near":                  texts.NearScreen(),
		"find":                  texts.FindScreen(),
		"found":                 texts.FoundList(Find, AskQuery{Page: 2, Asked: 700}, Listing[Entry]{Items: entries, Page: 2, Pages: 3, Total: 20}, now),
		"near you":              texts.FoundList(Near, AskQuery{Page: 2, Asked: 700, Type: 5}, Listing[Entry]{Items: entries, Page: 2, Pages: 20, Total: 160}, now),
		"nothing near":          texts.FoundList(Near, AskQuery{Page: 1, Asked: 700}, Listing[Entry]{Page: 1, Pages: 1}, now),
		"types near":            texts.NearFilterScreen(parse(t, "open:menu:near:t.u700.t5"), manyChoices()),
		"places":                texts.PlaceList(placeQuery, PlaceFilterNames{District: "Центр", Type: "Кофейни", Subcategory: "Обжарщики"}, places, "dts"),
		"no places":             texts.PlaceList(placeQuery, PlaceFilterNames{}, Listing[PlaceLine]{Page: 1, Pages: 1}, "d"),
		"no places at all":      texts.PlaceList(PlaceQuery{Page: 1}, PlaceFilterNames{}, Listing[PlaceLine]{Page: 1, Pages: 1}, "d"),
		"districts":             texts.PlaceFilterScreen(parse(t, "open:menu:places:d.p2.t5.s7"), manyChoices()),
		"types":                 texts.PlaceFilterScreen(parse(t, "open:menu:places:t.d3"), manyChoices()),
		"subcategories":         texts.PlaceFilterScreen(parse(t, "open:menu:places:s"), nil),
		"place":                 texts.PlaceCard(place, CardExtra{}, Links{}),
		"place in full":         texts.PlaceCard(place, CardExtra{Full: true, Origin: "l2.d3.t5.s7.r"}, Links{City: "Самара", Share: ShareURL("city_bot", Place, 123)}),
		"bare place":            texts.PlaceCard(bare, CardExtra{Origin: "c77.2"}, Links{}),
		"events":                texts.EventList(eventQuery, EventFilterNames{Category: "Музыка", Source: "Филармония"}, events, "cs", now),
		"no events":             texts.EventList(EventQuery{Page: 1, Day: Weekend}, EventFilterNames{}, Listing[EventLine]{Page: 1, Pages: 1}, "", now),
		"categories":            texts.EventFilterScreen(parse(t, "open:menu:events:c.s2.wt"), manyChoices(), now),
		"sources":               texts.EventFilterScreen(parse(t, "open:menu:events:s.p9"), manyChoices(), now),
		"days":                  texts.EventFilterScreen(parse(t, "open:menu:events:w.c1"), nil, now),
		"event":                 texts.EventCard(event, CardExtra{Origin: "f2"}, Links{}, now),
		"bare event":            texts.EventCard(EventView{ID: 1, Title: "Концерт"}, CardExtra{}, Links{}, now),
		"collections":           texts.CollectionList(Listing[Choice]{Items: []Choice{{1, "Тёплые места"}, {2, huge}}, Page: 2, Pages: 3, Total: 20}),
		"no collections":        texts.CollectionList(Listing[Choice]{Page: 1, Pages: 1}),
		"collection":            texts.CollectionScreen(CollectionView{ID: 77, Title: huge, Description: huge}, Listing[Entry]{Items: entries, Page: 2, Pages: 3, Total: 20}, now),
		"favourites":            texts.FavouriteList(Listing[Entry]{Items: entries, Page: 2, Pages: 3, Total: 20}, now),
		"no favourites":         texts.FavouriteList(Listing[Entry]{Page: 1, Pages: 1}, now),
		"favourite added":       texts.FavouriteChanged(parse(t, "fav_add:place:123:l2.d3"), huge),
		"favourite removed":     texts.FavouriteChanged(parse(t, "fav_remove:event:456"), ""),
		"promos":                texts.PromoList(Listing[PromoLine]{Items: []PromoLine{{1, "Акция", "Кофейня", &now}, {2, huge, huge, nil}}, Page: 2, Pages: 3, Total: 20}, now),
		"no promos":             texts.PromoList(Listing[PromoLine]{Page: 1, Pages: 1}, now),
		"promo":                 texts.PromoCard(promo, false, now),
		"promo without a venue": texts.PromoCard(PromoView{ID: 1, Title: "Акция"}, false, now),
	}
	return screens
}

func TestEveryScreenKeepsTelegramsLimits(t *testing.T) {
	t.Parallel()
	screens := allScreens(t, texts)
	for name, screen := range allScreens(t, longestTexts()) {
		screens[name+" in the longest words"] = screen
	}
	for name, screen := range screens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, strings.TrimSpace(screen.Text))
			require.True(t, utf8.ValidString(screen.Text+screen.Caption))
			require.LessOrEqual(t, utf8.RuneCountInString(screen.Text), words.MessageLimit)
			require.LessOrEqual(t, utf8.RuneCountInString(screen.Caption), words.CaptionLimit)
			require.Equal(t, screen.Photo == "", screen.Caption == "")
			require.NotEmpty(t, screen.Keyboard, "a screen without a way on")
			buttons := 0
			for _, row := range screen.Keyboard {
				require.NotEmpty(t, row)
				require.LessOrEqual(t, len(row), 8, "Telegram shows eight in a row")
				for _, button := range row {
					buttons++
					require.NotEmpty(t, strings.TrimSpace(button.Text))
					require.Len(t, slices.DeleteFunc([]string{button.Data, button.URL, button.Copy}, func(kind string) bool { return kind == "" }), 1, "%+v", button)
					if button.Copy != "" {
						continue
					}
					if button.URL != "" {
						parsed, err := url.Parse(button.URL)
						require.NoError(t, err)
						require.Equal(t, "https", parsed.Scheme)
						continue
					}
					require.LessOrEqual(t, len(button.Data), DataLimit)
					action, err := ParseAction(button.Data)
					require.NoError(t, err, button.Data)
					require.NotEqual(t, ToNothing, action.Route(), button.Data)
				}
			}
			require.LessOrEqual(t, buttons, 100)
		})
	}
}

func TestEveryScreenButTheMenuHasAWayBack(t *testing.T) {
	t.Parallel()
	for name, screen := range allScreens(t, texts) {
		if strings.HasPrefix(name, "menu") || strings.HasPrefix(name, "gate") {
			continue
		}
		back := screen.Keyboard[len(screen.Keyboard)-1]
		found := false
		for _, row := range append([][]Button{back}, screen.Keyboard...) {
			for _, button := range row {
				found = found || button.Text == texts.Buttons.Back
			}
		}
		require.True(t, found, name)
	}
}

func TestTheMainMenuIsTheSpecificationsOwn(t *testing.T) {
	t.Parallel()
	require.Equal(t, Screen{Text: "Выберите раздел:", Keyboard: Keyboard{
		{{Text: "Места", Data: "open:menu:places"}, {Text: "Афиша", Data: "open:menu:events"}},
		{{Text: "Подборки", Data: "open:menu:collections"}, {Text: "Избранное", Data: "open:menu:favorites"}},
		{{Text: "Промокоды", Data: "open:menu:promos"}, {Text: "Помощь", Data: "open:menu:help"}},
	}}, texts.MenuScreen(""))
}

func TestAPlaceWithAPhotoIsACaptionWithTheWholeTextInReserve(t *testing.T) {
	t.Parallel()
	card := texts.PlaceCard(cafe(), CardExtra{}, Links{})
	require.Equal(t, "https://cdn.example.com/photos/place/123/main.jpg", card.Photo)
	require.True(t, strings.HasPrefix(card.Caption, "Кофейня «Речная»\nАдрес: ул. Речная, 4\nРейтинг: 4,7\n"), card.Caption)
	require.Equal(t, "Название: "+card.Caption+"\n\nРайон: Центр\nЧто здесь: Кофейни, Обжарщики\nСайт: https://example.com", card.Text)
	require.Equal(t, Keyboard{
		{{Text: "Подробнее", Data: "open:place:123"}, {Text: "В избранное", Data: "fav_add:place:123"}},
		{{Text: "Найти на Яндекс-картах", URL: "https://yandex.ru/maps/?text=" + url.QueryEscape("ул. Речная, 4")}},
		{{Text: "Назад", Data: "back:menu:places"}},
	}, card.Keyboard)
}

func TestAPlaceWithoutAPhotoIsTextAndSaysWhy(t *testing.T) {
	t.Parallel()
	for photo, why := range map[string]NoPhoto{
		"": PhotoMissing, "   ": PhotoMissing, "ftp://example.com/1.jpg": PhotoMalformed, "cdn/1.jpg": PhotoMalformed,
		"https://": PhotoMalformed, "https://cdn.example.com/a b.jpg": PhotoMalformed, "http://[::1/x.jpg": PhotoMalformed,
	} {
		place := cafe()
		place.Photo = photo
		card := texts.PlaceCard(place, CardExtra{}, Links{})
		require.Empty(t, card.Photo, photo)
		require.Equal(t, why, card.NoPhoto, photo)
		require.Equal(t, Keyboard{
			{{Text: "В избранное", Data: "fav_add:place:123"}, {Text: "Назад", Data: "back:menu:places"}},
			{{Text: "Найти на Яндекс-картах", URL: "https://yandex.ru/maps/?text=" + url.QueryEscape("ул. Речная, 4")}},
		}, card.Keyboard)
	}
}

func TestTheWholeTextIsNotAPhotoThatFailed(t *testing.T) {
	t.Parallel()
	card := texts.PlaceCard(cafe(), CardExtra{Full: true}, Links{})
	require.Empty(t, card.Photo)
	require.Empty(t, card.NoPhoto)
}

func TestAnAddressSurvivesTheWayToTheMap(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"ул. «Речная», 4 & 5", "пр. #1+2, д. 3?", "Ё 100%", "a=b&c=d"} {
		place := cafe()
		place.Address = address
		card := texts.PlaceCard(place, CardExtra{}, Links{})
		parsed, err := url.Parse(card.Keyboard[1][0].URL)
		require.NoError(t, err)
		require.Equal(t, address, parsed.Query().Get("text"))
	}
}

func TestACardLeadsBackToWhereItWasOpened(t *testing.T) {
	t.Parallel()
	for extra, back := range map[string]string{
		"": "back:menu:places", "l2.d3": "page:place:0:2.d3", "f": "back:menu:favorites", "f2": "page:menu:favorites:2",
		"c77": "back:collection:77", "c77.3": "page:collection:77:3", "full.l2": "page:place:0:2", "zzz": "back:menu:places",
		"a55": "back:promo:55", "a": "back:menu:promos", "e456": "back:event:456", "q2.u700": "page:menu:find:2.u700", "n1.u700.t5": "page:menu:near:1.u700.t5",
		"c": "back:menu:places", "l": "back:menu:places", "lx": "back:menu:places",
	} {
		card := texts.PlaceCard(cafe(), ParseCardExtra(extra), Links{})
		found := ""
		for _, row := range card.Keyboard {
			for _, button := range row {
				if button.Text == texts.Buttons.Back {
					found = button.Data
				}
			}
		}
		require.Equal(t, back, found, "%q", extra)
	}
}

func TestAPromoShowsVenueValidityAndTheWayToThePlace(t *testing.T) {
	t.Parallel()
	card := texts.PromoCard(discount(), false, now)
	require.Equal(t, "−10 % на фильтр\nМесто: Кофейня «Речная»\nАдрес: ул. Речная, 4\nОписание акции: Назовите промокод на кассе.\n"+
		"Промокод: РЕЧНАЯ10\nСрок действия: до 1 января 2027, 00:59", card.Caption) // 23:59:59 in Moscow is next year in this city
	require.Equal(t, Keyboard{
		{{Text: "Подробнее о месте", Data: "open:place:123"}},
		{{Text: "Скопировать промокод", Copy: "РЕЧНАЯ10"}},
		{{Text: "Назад", Data: "back:menu:promos"}},
	}, card.Keyboard)
}

func TestALongPromoKeepsItsCodeAndTerm(t *testing.T) {
	t.Parallel()
	promo := discount()
	promo.Description = strings.Repeat("Очень выгодно. ", 200)
	card := texts.PromoCard(promo, false, now)
	require.LessOrEqual(t, utf8.RuneCountInString(card.Caption), words.CaptionLimit)
	require.Contains(t, card.Caption, "РЕЧНАЯ10")
	require.Contains(t, card.Caption, "Срок действия")
}

func TestAnEventShowsTheCitysTime(t *testing.T) {
	t.Parallel()
	card := texts.EventCard(concert(), CardExtra{}, Links{}, now)
	require.Contains(t, card.Caption, "Когда: сб, 5 декабря, 19:00–21:00")
	require.Contains(t, card.Keyboard, []Button{{Text: "О месте", Data: "open:place:9:e456"}})
	past := texts.EventCard(concert(), CardExtra{}, Links{}, now.AddDate(0, 1, 0))
	require.Contains(t, past.Caption, "уже прошло")
}

func TestAnEventThatIsOnSaysUntilWhen(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) time.Time { return time.Date(2026, 12, day, hour, 0, 0, 0, city) }
	list := texts.EventList(EventQuery{Page: 1}, EventFilterNames{}, Listing[EventLine]{Page: 1, Pages: 1, Total: 6, Items: []EventLine{
		{ID: 1, Title: "Выставка", Starts: at(-10, 10), Ends: new(at(30, 18).UTC()), Venue: "Музей"},
		{ID: 2, Title: "Ярмарка", Starts: at(3, 9), Ends: new(at(3, 20).UTC())},
		{ID: 3, Title: "Концерт", Starts: at(5, 19).UTC(), Ends: new(at(5, 21))},
		{ID: 4, Title: "Фестиваль", Starts: at(6, 10), Ends: new(at(8, 22))},
		{ID: 5, Title: "Без конца", Starts: at(3, 14)},
		{ID: 6, Title: "Ночь кино", Starts: at(6, 22), Ends: new(at(7, 4))},
	}}, "", now)
	for _, line := range []string{
		"1. Выставка — идёт до 30 декабря · Музей", "2. Ярмарка — идёт до 20:00", "3. Концерт — сб, 5 декабря, 19:00",
		"4. Фестиваль — 6–8 декабря", "5. Без конца — идёт сейчас", "6. Ночь кино — вс, 6 декабря, 22:00",
	} {
		require.Contains(t, list.Text, line)
	}
}

func TestACaptionIsCutBetweenLettersNeverInOne(t *testing.T) {
	t.Parallel()
	family := "👩\u200d👩\u200d👧"
	require.Equal(t, "аб…", clip("абвгд", 3))
	require.Equal(t, "а…", clip("аб\u0301вгд", 3), "a letter keeps its accent")
	require.Equal(t, "а…", clip("а"+family+"б", 5), "a family stays together")
	require.Equal(t, "абвгд", clip("абвгд", 5))
	place := cafe()
	place.Description = strings.Repeat(family, 300)
	require.LessOrEqual(t, utf8.RuneCountInString(texts.PlaceCard(place, CardExtra{}, Links{}).Caption), words.CaptionLimit)
}

func TestTheGateRemembersWhatWasWanted(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"open:place:123", "fav_add:event:456", "page:place:0:2.d3.t5.s7"} {
		gate := texts.GateScreen("https://t.me/city", parse(t, data), false)
		require.Equal(t, "https://t.me/city", gate.Keyboard[0][0].URL)
		check := parse(t, gate.Keyboard[1][0].Data)
		require.Equal(t, ToCheck, check.Route())
		require.Equal(t, data, check.AfterCheck().String())
	}
	require.Equal(t, ToMenu, parse(t, "open:menu:check").AfterCheck().Route())
	require.Equal(t, ToMenu, parse(t, "open:menu:check:open:menu:check").AfterCheck().Route())
	require.Equal(t, ToMenu, parse(t, "open:menu:check:nonsense").AfterCheck().Route())
}

func TestTheGateAndHelpLeadToWhereOneCanGo(t *testing.T) {
	t.Parallel()
	for address, shown := range map[string]string{
		"https://t.me/city_guide": "https://t.me/city_guide", "https://t.me/+AbCdEf": "https://t.me/+AbCdEf", "tg://join?invite=AbCdEf": "tg://join?invite=AbCdEf",
		"": "", "javascript:alert(1)": "",
	} {
		first := texts.GateScreen(address, OpenMenu(Main), false).Keyboard[0][0]
		require.Equal(t, shown, first.URL)
		require.Equal(t, shown == "", first.Data != "", "without a link, the check comes first")
	}
	require.Equal(t, Button{Text: "Написать нам", URL: "https://t.me/editors"}, texts.HelpScreen("https://t.me/editors", "https://t.me/city").Keyboard[0][0])
	require.Equal(t, Button{Text: "Открыть канал", URL: "https://t.me/city"}, texts.HelpScreen("", "https://t.me/city").Keyboard[0][0])
}

func TestOddPagesAreTheNearestOnes(t *testing.T) {
	t.Parallel()
	for extra, page := range map[string]int{"2": 2, "0": 1, "-1": 1, "x": 1, "": 1, "999999": 999999, "2.d3": 2, "99999999999999999999": 1, "d3": 1} {
		require.Equal(t, page, ParsePlaceQuery(extra).Page, "%q", extra)
		require.Equal(t, page, ParseEventQuery(extra).Page, "%q", extra)
	}
}

func TestQueriesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	places := PlaceQuery{Page: 2, PlaceFilter: PlaceFilter{District: 3, Type: 5, Subcategory: 7}}
	require.Equal(t, "2.d3.t5.s7", places.String())
	require.Equal(t, places, ParsePlaceQuery(places.String()))
	events := EventQuery{Page: 4, Category: 1, Source: 2, Day: "20261205"}
	require.Equal(t, "4.c1.s2.w20261205", events.String())
	require.Equal(t, events, ParseEventQuery(events.String()))
	require.Empty(t, ParseEventQuery("1.w20261345").Day)
}

func TestAnotherTypeDropsTheSubcategory(t *testing.T) {
	t.Parallel()
	screen := texts.PlaceFilterScreen(parse(t, "open:menu:places:t.d3.t5.s7"), []Choice{{5, "Кофейни"}, {6, "Музеи"}})
	require.Equal(t, "page:place:0:1.d3", screen.Keyboard[0][0].Data)
	require.Equal(t, "page:place:0:1.d3.t5.s7", screen.Keyboard[1][0].Data)
	require.Equal(t, "page:place:0:1.d3.t6", screen.Keyboard[1][1].Data)
}

func TestDaysAreWindowsInTheCitysTime(t *testing.T) {
	t.Parallel()
	day := func(month time.Month, d int) time.Time { return time.Date(2026, month, d, 0, 0, 0, 0, city) }
	for _, row := range []struct {
		day         Day
		now         time.Time
		from, until time.Time
	}{
		{Today, now, day(12, 3), day(12, 4)},
		{Tomorrow, now, day(12, 4), day(12, 5)},
		{Weekend, now, day(12, 5), day(12, 7)},
		{Weekend, day(12, 5).Add(time.Hour), day(12, 5), day(12, 7)},
		{Weekend, day(12, 6).Add(time.Hour), day(12, 6), day(12, 7)},
		{"20261224", now, day(12, 24), day(12, 25)},
		{AnyDay, now, time.Time{}, time.Time{}},
	} {
		from, until := row.day.Window(row.now)
		require.True(t, from.Equal(row.from) && until.Equal(row.until), fmt.Sprintf("%s on %s: %s – %s", row.day, row.now, from, until))
	}
}

func TestCommandsAreReadAndEverythingElseIsDropped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/start": "open:menu:main", "/START": "open:menu:main", "/start@city_bot": "open:menu:main", " /start": "open:menu:main",
		"/start p123": "open:place:123", "/start e4": "open:event:4", "/start c77": "open:collection:77", "/start a5": "open:promo:5",
		"/start жалоба": "open:menu:main", "/start p0": "open:menu:main", "/start p1x": "open:menu:main", "/start utm_site": "open:menu:main",
		"/help": "open:menu:help", "/menu сейчас": "open:menu:main", "/find кофе": "open:menu:find", "/find": "open:menu:find",
	} {
		require.Equal(t, want, ReadText(text).Action.String(), text)
	}
	for _, text := range []string{"", "/unknown", "/", "/старт", "🐈", "5"} {
		require.Equal(t, Wish{}, ReadText(text), text)
	}
	require.Equal(t, "кофе у реки", ReadText("/find  кофе\nу   реки ").Words)
	require.Equal(t, Words, utf8.RuneCountInString(ReadText("/find "+strings.Repeat("ё", 500)).Words))
}

func TestAShortMessageMayBeASearchAndAMessageToSomebodyIsNot(t *testing.T) {
	t.Parallel()
	for text, words := range map[string]string{
		"кофе": "кофе", "  музей   Речной, 4 ": "музей Речной, 4", "Что сегодня?": "Что сегодня?",
	} {
		require.Equal(t, Wish{Words: words}, ReadText(text), text)
	}
	for _, text := range []string{
		"Вчера были у вас в кофейне, кофе был холодный, а персонал груб", "первая строка\nвторая строка", "перезвоните +7 900 000-12-34",
		"пишите на anna@example.com", "вот https://example.com", "и @anna_city", "ok\u2028ok",
	} {
		require.Equal(t, Wish{}, ReadText(text), text)
	}
}

func TestShareLinksOpenWhatTheyName(t *testing.T) {
	t.Parallel()
	for _, entity := range []string{Place, Event, Collection, Promo} {
		payload := SharePayload(entity, 77)
		require.Regexp(t, `^[A-Za-z0-9_-]{1,64}$`, payload)
		action, ok := ReadShareLink(payload)
		require.True(t, ok)
		require.Equal(t, Action{Verb: Open, Entity: entity, ID: 77}, action)
	}
	require.Empty(t, SharePayload(Menu, 1))
	require.Empty(t, ShareURL("", Place, 1))
}

func TestWhatIsSealedIsOpenedOnlyForItsUpdateAndToken(t *testing.T) {
	t.Parallel()
	seal, err := NewSeal(func() string { return "123:token" })
	require.NoError(t, err)
	sealed, err := seal.Close(Private{Words: "кофе у реки"}, 7)
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "кофе")
	var opened Private
	require.NoError(t, seal.Open(sealed, 7, &opened))
	require.Equal(t, "кофе у реки", opened.Words)

	require.ErrorIs(t, seal.Open(sealed, 8, &opened), ErrSealed)
	other, err := NewSeal(func() string { return "124:token" })
	require.NoError(t, err)
	require.ErrorIs(t, other.Open(sealed, 7, &opened), ErrSealed)
	_, err = NewSeal(func() string { return "" })
	require.Error(t, err)
}

func TestEveryCodeHasAClassAndTheRecordOfTheSpecification(t *testing.T) {
	t.Parallel()
	require.Len(t, Classes, 14)
	for code, class := range Classes {
		require.Equal(t, class, code.Class())
		require.Contains(t, []string{"INBOUND_VALIDATION", "OUTBOUND_RATE_LIMIT", "OUTBOUND_TRANSPORT", "OUTBOUND_BAD_REQUEST",
			"OUTBOUND_MEDIA", "INTERNAL_DB", "INTERNAL_CONFIG", "INTERNAL_UNEXPECTED"}, class)
	}
	require.Equal(t, []any{"error_code", "INTERNAL_DB_ERROR", "error_class", "INTERNAL_DB", "message", "m", "details", "d"}, InternalDB.LogFields("m", "d"))
}

func TestAPhotosURLIsLoggedWithoutWhatMightBeSecret(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://cdn.example.com/x.jpg", PublicURL("https://u:p@cdn.example.com/x.jpg?token=S#f"))
	require.Equal(t, "(unreadable URL)", PublicURL("http://[::1/x"))
}

func TestAnEventWithoutAnEndIsOnForAsLongAsItUsuallyTakes(t *testing.T) {
	t.Parallel()
	event := EventView{ID: 1, Title: "Лекция", Starts: now.Add(-5 * time.Minute), OverAt: now.Add(175 * time.Minute)}
	require.Contains(t, texts.EventCard(event, CardExtra{}, Links{}, now).Text, "(идёт сейчас)")
	require.Contains(t, texts.EventCard(event, CardExtra{}, Links{}, now.Add(3*time.Hour)).Text, "(уже прошло)")
}

func TestAPromoSaysTheLastDayOnWhichItHolds(t *testing.T) {
	t.Parallel()
	at := func(day, hour, minute int) *time.Time { return new(time.Date(2026, 12, day, hour, minute, 0, 0, city)) }
	for want, promo := range map[string]PromoView{
		"по 24 декабря":        {Until: at(25, 0, 0)},
		"по 25 декабря":        {Until: at(25, 23, 59)},
		"до 25 декабря, 20:00": {Until: at(25, 20, 0)},
		"начнётся сб, 5 декабря, 10:00, по 24 декабря": {Starts: at(5, 10, 0), Until: at(25, 0, 0)},
		"начнётся сб, 5 декабря, 10:00":                {Starts: at(5, 10, 0)},
		"бессрочно": {},
	} {
		require.Equal(t, want, texts.validity(promo, now))
	}
	require.False(t, PromoView{Starts: at(5, 10, 0)}.OverAt(now), "what has not begun is not over")
	require.True(t, PromoView{Until: at(3, 15, 0)}.OverAt(now))
}

func TestPlacesOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	list := Listing[PlaceLine]{Page: 1, Pages: 1, Total: 3, Items: []PlaceLine{
		{ID: 1, Name: "Додо", Address: "ул. Мира, 5", Kind: "Пиццерии, Центр", Rating: 4.5}, {ID: 2, Name: "Додо", Address: "ул. Речная, 1"}, {ID: 3, Name: "Музей"},
	}}
	screen := texts.PlaceList(PlaceQuery{Page: 1}, PlaceFilterNames{}, list, "")
	require.Contains(t, screen.Text, "1. Додо — Пиццерии, Центр · ул. Мира, 5 · ★ 4,5\n2. Додо — ул. Речная, 1\n3. Музей")
	require.Equal(t, []string{"1. Додо · ул. Мира, 5 · ★ 4,5", "2. Додо · ул. Речная, 1", "3. Музей"},
		[]string{screen.Keyboard[0][0].Text, screen.Keyboard[1][0].Text, screen.Keyboard[2][0].Text})
}

func TestAButtonOfOneNameHasStreetAndHouseRatherThanTheCity(t *testing.T) {
	t.Parallel()
	list := Listing[PlaceLine]{Page: 1, Pages: 1, Total: 2, Items: []PlaceLine{
		{ID: 1, Name: "Додо", Address: "Ольховск, ул. Академика Ветрова, 195", Rating: 4.5}, {ID: 2, Name: "Додо", Address: "Ольховск, ул. Мира, 5", Rating: 3},
	}}
	keyboard := texts.PlaceList(PlaceQuery{Page: 1}, PlaceFilterNames{}, list, "").Keyboard
	require.Equal(t, "1. Додо · ул. Академика Ветрова, 195", keyboard[0][0].Text)
	require.Equal(t, "2. Додо · ул. Мира, 5 · ★ 3,0", keyboard[1][0].Text)
}

func TestSixtyPagesAreAFewTapsApart(t *testing.T) {
	t.Parallel()
	turn := func(page int) Action { return Action{Verb: Page, Entity: Place, Extra: fmt.Sprint(page)} }
	steps := map[int]int{1: 0}
	for reached := []int{1}; len(reached) > 0; reached = reached[1:] {
		for _, row := range texts.pager(reached[0], 63, turn) {
			for _, button := range row {
				page := parse(t, button.Data).ListPage()
				if _, known := steps[page]; !known {
					steps[page] = steps[reached[0]] + 1
					reached = append(reached, page)
				}
			}
		}
	}
	require.Len(t, steps, 63)
	for page, taps := range steps {
		require.LessOrEqual(t, taps, 8, "page %d", page)
	}
	require.Nil(t, texts.pager(1, 1, turn))
	require.Equal(t, [][]Button{{press("← 1", turn(1))}}, texts.pager(2, 2, turn))
}

func TestTheMapKnowsCityAndPosition(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://yandex.ru/maps/?text="+url.QueryEscape("Самара, ул. Мира, 5")+"&ll=50.15,53.2&z=17", mapURL("Самара", "ул. Мира, 5", new(53.2), new(50.15)))
	require.Equal(t, "https://yandex.ru/maps/?text="+url.QueryEscape("г. Самара, ул. Мира, 5"), mapURL("Самара", "г. Самара, ул. Мира, 5", nil, nil))
}

func TestDistancesAreReadAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for metres, want := range map[float64]string{3: "0 м", 347: "350 м", 994: "990 м", 996: "1 км", 1010: "1 км", 1240: "1,2 км", 2980: "3 км"} {
		require.Equal(t, want, texts.distance(metres))
	}
}

func TestMoreIsOfferedOnlyWhereThereIsMore(t *testing.T) {
	t.Parallel()
	place := PlaceView{ID: 1, Name: "Сквер", Address: "ул. Мира", Photo: "https://cdn.example.com/1.jpg", Description: "Тихо."}
	require.Equal(t, "В избранное", texts.PlaceCard(place, CardExtra{}, Links{}).Keyboard[0][0].Text)
	place.District = "Центр"
	require.Equal(t, "Подробнее", texts.PlaceCard(place, CardExtra{}, Links{}).Keyboard[0][0].Text)
	full := texts.PlaceCard(place, CardExtra{Full: true}, Links{})
	require.Equal(t, place.Photo, full.Preview, "with its photo")
	require.Empty(t, full.Photo)
}

func TestPastFavouritesAreMarkedAndCanBeRemoved(t *testing.T) {
	t.Parallel()
	screen := texts.FavouriteList(Listing[Entry]{Items: []Entry{{Entity: Event, ID: 2, Name: "Концерт", Starts: &now, Over: true}}, Page: 1, Pages: 1, Total: 1}, now)
	require.Contains(t, screen.Text, "1. Концерт — уже прошло")
	require.Equal(t, []Button{{Text: "1. Концерт", Data: "open:event:2:f"}, {Text: "Убрать", Data: "fav_remove:event:2:f"}}, screen.Keyboard[0])
}

func TestAGreetingIsNoSearch(t *testing.T) {
	t.Parallel()
	for words, greeting := range map[string]bool{"Привет!": true, "добрый вечер": true, "привет, бот": true, "приветливая кофейня": false, "кофе": false, "!": false} {
		require.Equal(t, greeting, IsGreeting(words), words)
	}
}
