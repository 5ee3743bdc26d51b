package guidedb_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
)

func names[T any](items []T, name func(T) string) []string {
	list := make([]string, 0, len(items))
	for _, item := range items {
		list = append(list, name(item))
	}
	return list
}

func placeNames(page guidedb.Page[guidedb.PlaceLine]) []string {
	return names(page.Items, func(p guidedb.PlaceLine) string { return p.Name })
}

func choiceNames(choices []guidedb.Choice) []string {
	return names(choices, func(c guidedb.Choice) string { return c.Name })
}

func TestPlacesComeInPagesThatTogetherAreEveryPlaceOnce(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	seen := make(map[int64]bool)
	var order []string
	for number := 1; number <= 5; number++ {
		page, err := b.store.Places(t.Context(), guidedb.PlaceFilter{}, guidedb.Paging{Number: number, Size: 8})
		require.NoError(t, err)
		require.Equal(t, 40, page.Total)
		require.Equal(t, 5, page.Pages)
		require.Equal(t, number, page.Number)
		require.Len(t, page.Items, 8)
		for _, place := range page.Items {
			require.False(t, seen[place.ID])
			seen[place.ID] = true
			order = append(order, content.SortKey(place.Name))
		}
	}
	require.IsNonDecreasing(t, order)
}

func TestAPageThatIsNotThereGivesTheNearest(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	for asked, want := range map[int]int{0: 1, -7: 1, 6: 5, 999_999: 5} {
		page, err := b.store.Places(t.Context(), guidedb.PlaceFilter{}, guidedb.Paging{Number: asked, Size: 8})
		require.NoError(t, err)
		require.Equal(t, want, page.Number)
		require.Len(t, page.Items, 8)
	}
	empty, err := b.store.Places(t.Context(), guidedb.PlaceFilter{District: 999_999}, guidedb.Paging{Number: 3, Size: 8})
	require.NoError(t, err)
	require.Equal(t, guidedb.Page[guidedb.PlaceLine]{Items: []guidedb.PlaceLine{}, Number: 1, Pages: 1}, empty)
}

func TestFiltersOfPlacesCombine(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	center, sosnovka := b.id(t, content.Districts, "center"), b.id(t, content.Districts, "sosnovka")
	food, coffee := b.id(t, content.Types, "food"), b.id(t, content.Types, "coffee")
	veranda, roasters := b.id(t, content.Subcategories, "veranda"), b.id(t, content.Subcategories, "roasters")
	tests := map[string]struct {
		filter guidedb.PlaceFilter
		want   []string
	}{
		"district and type":             {guidedb.PlaceFilter{District: center, Type: coffee}, []string{"Кофейня «Откос»", "Пекарня «Булка да корка»"}},
		"subcategory alone":             {guidedb.PlaceFilter{Subcategory: veranda}, []string{"Алазани", "Двор и сад", "Ресторан «Щука»"}},
		"all three":                     {guidedb.PlaceFilter{District: sosnovka, Type: food, Subcategory: veranda}, []string{"Двор и сад"}},
		"subcategory of another type":   {guidedb.PlaceFilter{Type: food, Subcategory: roasters}, []string{}},
		"subcategory that is not there": {guidedb.PlaceFilter{Subcategory: 999_999}, []string{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := b.store.Places(t.Context(), test.filter, guidedb.Paging{Number: 1, Size: 20})
			require.NoError(t, err)
			require.Equal(t, test.want, placeNames(page))
			require.Equal(t, len(test.want), page.Total)
		})
	}
}

func TestOnlyFiltersThatLeadSomewhereAreOffered(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	b.load(t, `{"districts": [{"id": "empty", "name": "Пустошь"}], "types": [{"id": "none", "name": "Ничего"}]}`)
	districts, err := b.store.PlaceDistricts(t.Context(), guidedb.PlaceFilter{})
	require.NoError(t, err)
	require.Equal(t, []string{"Вокзальный", "Ёлочки", "Заречье", "Сосновка", "Центр", "Ямская слобода"}, choiceNames(districts))

	narrowed, err := b.store.PlaceDistricts(t.Context(), guidedb.PlaceFilter{District: 5, Subcategory: b.id(t, content.Subcategories, "books")})
	require.NoError(t, err)
	require.Equal(t, []string{"Сосновка", "Центр"}, choiceNames(narrowed))

	types, err := b.store.PlaceTypes(t.Context(), guidedb.PlaceFilter{District: b.id(t, content.Districts, "yolochki")})
	require.NoError(t, err)
	require.NotContains(t, choiceNames(types), "Ничего")
	require.Contains(t, choiceNames(types), "Музеи и галереи")
	require.NotContains(t, choiceNames(types), "Кофейни")

	subcategories, err := b.store.PlaceSubcategories(t.Context(), guidedb.PlaceFilter{Type: b.id(t, content.Types, "food"), District: b.id(t, content.Districts, "center")})
	require.NoError(t, err)
	require.Equal(t, []string{"Кавказская кухня", "С верандой"}, names(subcategories, func(s guidedb.Subcategory) string { return s.Name }))

	chosen, err := b.store.PlaceFilterNames(t.Context(), guidedb.PlaceFilter{District: b.id(t, content.Districts, "center"), Type: 999_999})
	require.NoError(t, err)
	require.Equal(t, guidedb.PlaceFilterNames{District: "Центр"}, chosen)
}

func TestAPlacesCardHasEverythingAndItsFavouriteMark(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	id := b.id(t, content.Places, "shchuka")
	card, err := b.store.Place(t.Context(), id, 555000111)
	require.NoError(t, err)
	require.Equal(t, "Ресторан «Щука»", card.Name)
	require.Equal(t, "Ольховск, наб. Сплавщиков, 12", card.Address)
	require.Equal(t, []string{"Рестораны и кафе"}, card.Types)
	require.Equal(t, []string{"С верандой"}, card.Subcategories)
	require.Equal(t, "https://photos.example.com/olkhovsk/shchuka-1.jpg", card.PhotoURL)
	require.InDelta(t, 4.4, *card.Rating, 1e-9)
	require.False(t, card.Favourite)

	_, err = b.store.AddFavourite(t.Context(), 555000111, guidedb.KindPlace, id)
	require.NoError(t, err)
	card, err = b.store.Place(t.Context(), id, 555000111)
	require.NoError(t, err)
	require.True(t, card.Favourite)
	card, err = b.store.Place(t.Context(), id, 555000222)
	require.NoError(t, err)
	require.False(t, card.Favourite)

	_, err = b.store.Place(t.Context(), 999_999, 0)
	require.ErrorIs(t, err, guidedb.ErrNotFound)
}

func TestEventsThatAreOverAreHiddenAndDatesNarrow(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	titles := func(filter guidedb.EventFilter) []string {
		page, err := b.store.Events(t.Context(), filter, guidedb.Paging{Number: 1, Size: 50})
		require.NoError(t, err)
		return names(page.Items, func(e guidedb.EventLine) string { return e.Title })
	}
	today := time.Date(2026, 11, 20, 0, 0, 0, 0, city)
	all := titles(guidedb.EventFilter{Now: now})
	require.Len(t, all, 30)
	require.Equal(t, "Ольховск, которого нет", all[0], "a long exhibition began first")

	later := now.Add(8 * time.Hour) // 23:00: the organ is over, the jam goes on
	require.NotContains(t, titles(guidedb.EventFilter{Now: later}), "Бах при свечах")
	require.Contains(t, titles(guidedb.EventFilter{Now: later}), "Джем до последнего трамвая")

	music := b.id(t, content.EventCategories, "music")
	require.Equal(t, []string{"Бах при свечах", "Джем до последнего трамвая"},
		titles(guidedb.EventFilter{Now: now, Category: music, From: today, To: today.AddDate(0, 0, 1)}))
	require.Equal(t, []string{"Бах при свечах"},
		titles(guidedb.EventFilter{Now: now, Category: music, Source: b.id(t, content.EventSources, "philharmonic"), From: today, To: today.AddDate(0, 0, 1)}))
	require.Empty(t, titles(guidedb.EventFilter{Now: now.AddDate(1, 0, 0)}))

	categories, err := b.store.EventCategories(t.Context(), guidedb.EventFilter{Now: now, From: today.AddDate(0, 0, 12)})
	require.NoError(t, err)
	require.NotContains(t, choiceNames(categories), "Экскурсии")
	sources, err := b.store.EventSources(t.Context(), guidedb.EventFilter{Now: now, Category: music})
	require.NoError(t, err)
	require.Equal(t, []string{"Афиша города", "Ольховская филармония"}, choiceNames(sources))
	days, err := b.store.EventDays(t.Context(), guidedb.EventFilter{Now: now, Category: music}, city, 14)
	require.NoError(t, err)
	require.Equal(t, []time.Time{today, today.AddDate(0, 0, 2), today.AddDate(0, 0, 4), today.AddDate(0, 0, 5)}, days)
}

func TestAnEventsCardFallsBackToTheVenuesAddress(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	card, err := b.store.Event(t.Context(), b.id(t, content.Events, "organ"), 0)
	require.NoError(t, err)
	require.Equal(t, "Филармония", card.Place)
	require.Equal(t, "Ольховск, ул. Садовая, 2", card.Address)
	require.Equal(t, b.id(t, content.Places, "filarmoniya"), card.PlaceID)
	require.Equal(t, []string{"Музыка"}, card.Categories)
	require.Equal(t, card.StartsAt.Add(2*time.Hour), card.OverAt)
	require.NotEmpty(t, card.PhotoURL)

	homeless, err := b.store.Event(t.Context(), b.id(t, content.Events, "courtyards"), 0)
	require.NoError(t, err)
	require.Zero(t, homeless.PlaceID)
	require.Empty(t, homeless.PhotoURL)
}

func TestACollectionLeavesOutWhatIsGone(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	list, err := b.store.Collections(t.Context(), guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Equal(t, 6, list.Total)
	id := b.id(t, content.Collections, "with-kids")
	collection, items, err := b.store.Collection(t.Context(), id, now, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Equal(t, "С детьми в выходной", collection.Title)
	require.Len(t, items.Items, 7)
	require.Equal(t, guidedb.KindEvent, items.Items[0].Kind)

	_, items, err = b.store.Collection(t.Context(), id, now.AddDate(0, 0, 2), guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.NotContains(t, names(items.Items, func(i guidedb.CollectionItem) string { return i.Name }), "Спектакль «Как ёж искал зиму»")

	b.load(t, snapshotOf(content.SampleCity(now, "https://photos.example.com/olkhovsk"), "skazka"))
	_, items, err = b.store.Collection(t.Context(), id, now, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Len(t, items.Items, 6)
	_, _, err = b.store.Collection(t.Context(), 999_999, now, guidedb.Paging{})
	require.ErrorIs(t, err, guidedb.ErrNotFound)
}

// snapshotOf is the list of places without one of them, as a snapshot.
func snapshotOf(batch content.Batch, without string) content.Batch {
	snapshot := content.Batch{Mode: content.Snapshot}
	for _, place := range batch.Places {
		if place.ID != without {
			snapshot.Places = append(snapshot.Places, place)
		}
	}
	return snapshot
}

func TestFavouritesAreNewestFirstAndSurviveUnpublishing(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	const person = 555000111
	place, event := b.id(t, content.Places, "lozhka"), b.id(t, content.Events, "jam")
	add := func(kind guidedb.Kind, id int64, want bool) {
		added, err := b.store.AddFavourite(t.Context(), person, kind, id)
		require.NoError(t, err)
		require.Equal(t, want, added)
	}
	add(guidedb.KindPlace, place, true)
	add(guidedb.KindPlace, place, false)
	add(guidedb.KindEvent, event, true)
	list := func() []guidedb.Favourite {
		page, err := b.store.Favourites(t.Context(), person, guidedb.Paging{Number: 1, Size: 10})
		require.NoError(t, err)
		require.Equal(t, len(page.Items), page.Total)
		return page.Items
	}
	require.Equal(t, []guidedb.Kind{guidedb.KindEvent, guidedb.KindPlace}, names2(list()))

	b.load(t, snapshotOf(content.SampleCity(now, "https://photos.example.com/olkhovsk"), "lozhka"))
	gone := list()[1]
	require.False(t, gone.Available)
	require.Equal(t, "Столовая «Ложка»", gone.Name)
	_, err := b.store.Place(t.Context(), place, person)
	require.ErrorIs(t, err, guidedb.ErrNotFound)
	_, err = b.store.AddFavourite(t.Context(), 555000222, guidedb.KindPlace, place)
	require.ErrorIs(t, err, guidedb.ErrNotFound)

	removed, err := b.store.RemoveFavourite(t.Context(), person, guidedb.KindPlace, place)
	require.NoError(t, err)
	require.True(t, removed)
	removed, err = b.store.RemoveFavourite(t.Context(), person, guidedb.KindPlace, place)
	require.NoError(t, err)
	require.False(t, removed)
	require.Len(t, list(), 1)
}

func names2(favourites []guidedb.Favourite) []guidedb.Kind {
	kinds := make([]guidedb.Kind, 0, len(favourites))
	for _, favourite := range favourites {
		kinds = append(kinds, favourite.Kind)
	}
	return kinds
}

func TestPromosAreListedWhileTheyHoldAndOpenAfterwards(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	list, err := b.store.Promos(t.Context(), now, guidedb.Paging{Number: 1, Size: 20})
	require.NoError(t, err)
	titles := names(list.Items, func(p guidedb.PromoLine) string { return p.Title })
	require.Len(t, titles, 10)
	require.NotContains(t, titles, "Осенний тыквенный трамвай")
	require.NotContains(t, titles, "Чай к плову", "begins in three days")
	require.Equal(t, "Книга за книгу", titles[9], "without an end, so last")

	card, err := b.store.Promo(t.Context(), b.id(t, content.Promos, "tramvai-autumn"))
	require.NoError(t, err)
	require.False(t, card.ActiveAt(now))
	require.Equal(t, "Кофейня «Трамвай №5»", card.Place)
	require.Equal(t, "https://photos.example.com/olkhovsk/tramvai-1.jpg", card.PhotoURL)
	require.Equal(t, b.id(t, content.Places, "tramvai"), card.PlaceID)
}

func TestAPersonIsOneRowHoweverManyMessagesComeAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			user, err := b.store.SeeUser(t.Context(), 555000111, "ru")
			if err != nil || user.TelegramID != 555000111 {
				t.Errorf("see user: %+v, %v", user, err)
			}
		})
	}
	group.Wait()
	var rows int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM guide.users").Scan(&rows))
	require.Equal(t, 1, rows)
}

func TestAPersonsSubscriptionAndActivityAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	user, err := b.store.SeeUser(t.Context(), 7, "")
	require.NoError(t, err)
	require.Equal(t, guidedb.SubscriptionUnknown, user.Subscription)
	require.True(t, user.Active)

	require.NoError(t, b.store.SetSubscription(t.Context(), 7, true, now))
	require.NoError(t, b.store.SetSubscription(t.Context(), 7, false, now.Add(-time.Minute)), "a late answer changes nothing")
	require.NoError(t, b.store.DeactivateUser(t.Context(), 7, now))
	user, err = b.store.User(t.Context(), 7)
	require.NoError(t, err)
	require.Equal(t, guidedb.Subscribed, user.Subscription)
	require.True(t, now.Equal(user.CheckedAt))
	require.False(t, user.Active)

	user, err = b.store.SeeUser(t.Context(), 7, "ru")
	require.NoError(t, err)
	require.True(t, user.Active)
	require.Equal(t, "ru", user.LanguageCode)
	require.Equal(t, guidedb.Subscribed, user.Subscription)
	_, err = b.store.User(t.Context(), 8)
	require.ErrorIs(t, err, guidedb.ErrNotFound)
}

func TestNearestPlacesComeFirstWithTheirDistance(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	otkos, err := b.store.Place(t.Context(), b.id(t, content.Places, "otkos"), 0)
	require.NoError(t, err)
	places, err := b.store.PlacesNear(t.Context(), *otkos.Latitude, *otkos.Longitude, 5000, 5)
	require.NoError(t, err)
	require.Len(t, places, 5)
	require.Equal(t, "Кофейня «Откос»", places[0].Name)
	require.Less(t, places[0].Metres, 1.0)
	for n := 1; n < len(places); n++ {
		require.GreaterOrEqual(t, places[n].Metres, places[n-1].Metres)
	}
	none, err := b.store.PlacesNear(t.Context(), -33, 151, 50_000, 5)
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = b.store.PlacesNear(t.Context(), 91, 0, 1000, 5)
	require.Error(t, err)
}

func TestSearchKnowsGrammarAndForgivesTypos(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	for query, want := range map[string]string{
		"кофейни":         "Кофейня «Откос»",
		"ЁЛОЧКИ":          "",
		"пироги":          "Пекарня «Булка да корка»",
		"кофейня аткос":   "Кофейня «Откос»",
		"планитарий":      "Планетарий",
		"кафейня аткос":   "Кофейня «Откос»",
		"аткос кофейню":   "Кофейня «Откос»",
		"органных":        "Бах при свечах",
		"кофе у реки":     "Кофейня «Откос»",
		"планетарий or":   "Планетарий",
		"набережная":      "Набережная Сплавщиков",
		"'; DROP TABLE--": "",
		"   ":             "",
		"\x00\xff":        "",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			hits, err := b.store.Search(t.Context(), query, now, 10)
			require.NoError(t, err)
			found := names(hits, func(h guidedb.Hit) string { return h.Name })
			if want == "" {
				require.Empty(t, found)
				return
			}
			require.Contains(t, found, want)
		})
	}
}

func TestSearchWithoutTrigramsStillFindsWords(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	_, err := b.pool.Exec(t.Context(), "DROP EXTENSION pg_trgm CASCADE")
	require.NoError(t, err)
	hits, err := b.store.Search(t.Context(), "органных", now, 10)
	require.NoError(t, err)
	require.Len(t, hits, 3, "the philharmonic with its organ, and two concerts")
	hits, err = b.store.Search(t.Context(), "планитарий", now, 10)
	require.NoError(t, err)
	require.Empty(t, hits)
}

func TestAShareLinkNamesItsCardAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, shared := range []guidedb.Shared{{"place", 1}, {"event", 456}, {"collection", 77}, {"promo", 9223372036854775807}} {
		payload := shared.StartPayload()
		require.Regexp(t, `^[A-Za-z0-9_-]{1,64}$`, payload)
		parsed, ok := guidedb.ParseStartPayload(payload)
		require.True(t, ok)
		require.Equal(t, shared, parsed)
	}
	for _, payload := range []string{"", "p", "p0", "p-1", "p01", "p+1", "x5", "p99999999999999999999", "ref_abc"} {
		_, ok := guidedb.ParseStartPayload(payload)
		require.False(t, ok, payload)
	}
}
