package guidedb_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/guide"
)

func names[T any](items []T, name func(T) string) []string {
	list := make([]string, 0, len(items))
	for _, item := range items {
		list = append(list, name(item))
	}
	return list
}

func placeNames(page guide.Listing[guide.PlaceLine]) []string {
	return names(page.Items, func(p guide.PlaceLine) string { return p.Name })
}

func choiceNames(choices []guide.Choice) []string {
	return names(choices, func(c guide.Choice) string { return c.Name })
}

func TestPlacesComeInPagesThatTogetherAreEveryPlaceOnce(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	seen := make(map[int64]bool)
	var order []string
	for number := 1; number <= 5; number++ {
		page, err := b.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: number, Size: 8})
		require.NoError(t, err)
		require.Equal(t, 40, page.Total)
		require.Equal(t, 5, page.Pages)
		require.Equal(t, number, page.Page)
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
		page, err := b.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: asked, Size: 8})
		require.NoError(t, err)
		require.Equal(t, want, page.Page)
		require.Len(t, page.Items, 8)
	}
	empty, err := b.store.Places(t.Context(), guide.PlaceFilter{District: 999_999}, guidedb.Paging{Number: 3, Size: 8})
	require.NoError(t, err)
	require.Equal(t, guide.Listing[guide.PlaceLine]{Items: []guide.PlaceLine{}, Page: 1, Pages: 1}, empty)
}

func TestFiltersOfPlacesCombine(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	center, sosnovka := b.id(t, content.Districts, "center"), b.id(t, content.Districts, "sosnovka")
	food, coffee := b.id(t, content.Types, "food"), b.id(t, content.Types, "coffee")
	veranda, roasters := b.id(t, content.Subcategories, "veranda"), b.id(t, content.Subcategories, "roasters")
	tests := map[string]struct {
		filter guide.PlaceFilter
		want   []string
	}{
		"district and type":             {guide.PlaceFilter{District: center, Type: coffee}, []string{"Кофейня «Откос»", "Пекарня «Булка да корка»"}},
		"subcategory alone":             {guide.PlaceFilter{Subcategory: veranda}, []string{"Алазани", "Двор и сад", "Ресторан «Щука»"}},
		"all three":                     {guide.PlaceFilter{District: sosnovka, Type: food, Subcategory: veranda}, []string{"Двор и сад"}},
		"subcategory of another type":   {guide.PlaceFilter{Type: food, Subcategory: roasters}, []string{}},
		"subcategory that is not there": {guide.PlaceFilter{Subcategory: 999_999}, []string{}},
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
	districts, err := b.store.PlaceDistricts(t.Context(), guide.PlaceFilter{})
	require.NoError(t, err)
	require.Equal(t, []string{"Вокзальный", "Ёлочки", "Заречье", "Сосновка", "Центр", "Ямская слобода"}, choiceNames(districts))

	narrowed, err := b.store.PlaceDistricts(t.Context(), guide.PlaceFilter{District: 5, Subcategory: b.id(t, content.Subcategories, "books")})
	require.NoError(t, err)
	require.Equal(t, []string{"Сосновка", "Центр"}, choiceNames(narrowed))

	types, err := b.store.PlaceTypes(t.Context(), guide.PlaceFilter{District: b.id(t, content.Districts, "yolochki")})
	require.NoError(t, err)
	require.NotContains(t, choiceNames(types), "Ничего")
	require.Contains(t, choiceNames(types), "Музеи и галереи")
	require.NotContains(t, choiceNames(types), "Кофейни")

	subcategories, err := b.store.PlaceSubcategories(t.Context(), guide.PlaceFilter{Type: b.id(t, content.Types, "food"), District: b.id(t, content.Districts, "center")})
	require.NoError(t, err)
	require.Equal(t, []string{"Кавказская кухня", "С верандой"}, names(subcategories, func(s guide.Choice) string { return s.Name }))

	chosen, err := b.store.PlaceFilterNames(t.Context(), guide.PlaceFilter{District: b.id(t, content.Districts, "center"), Type: 999_999})
	require.NoError(t, err)
	require.Equal(t, guide.PlaceFilterNames{District: "Центр"}, chosen)
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
	require.Equal(t, "https://photos.example.com/olkhovsk/shchuka-1.jpg", card.Photo)
	require.InDelta(t, 4.4, card.Rating, 1e-9)
	require.False(t, card.Favourite)

	_, err = b.store.AddFavourite(t.Context(), 555000111, guide.Place, id)
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

func TestACategoryThatLastsLongerKeepsItsEventsLonger(t *testing.T) {
	t.Parallel()
	b := setup(t)
	shown := func(at time.Time) int {
		page, err := b.store.Events(t.Context(), guide.EventFilter{Now: at}, guidedb.Paging{Number: 1, Size: 8})
		require.NoError(t, err)
		return len(page.Items)
	}
	b.load(t, fmt.Sprintf(`{"event_categories": [{"id": "a", "name": "Выставки"}, {"id": "b", "name": "Лекции"}],
		"events": [{"id": "1", "title": "Графика", "starts_at": %[1]q, "address": "ул. Речная, 4", "categories": ["a"]},
			{"id": "2", "title": "О птицах", "starts_at": %[1]q, "address": "ул. Речная, 4", "categories": ["b"]}]}`, now.Format(time.RFC3339)))
	require.Equal(t, 2, shown(now.Add(2*time.Hour)))
	require.Zero(t, shown(now.Add(4*time.Hour)))
	b.load(t, `{"event_categories": [{"id": "a", "name": "Выставки", "hours": 8}]}`)
	require.Equal(t, 1, shown(now.Add(7*time.Hour)))
	require.Zero(t, shown(now.Add(9*time.Hour)))
}

func TestEventsThatAreOverAreHiddenAndDatesNarrow(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	titles := func(filter guide.EventFilter) []string {
		page, err := b.store.Events(t.Context(), filter, guidedb.Paging{Number: 1, Size: 50})
		require.NoError(t, err)
		return names(page.Items, func(e guide.EventLine) string { return e.Title })
	}
	today := time.Date(2026, 11, 20, 0, 0, 0, 0, city)
	all := titles(guide.EventFilter{Now: now})
	require.Len(t, all, 30)
	require.Equal(t, "Ольховск, которого нет", all[0], "a long exhibition began first")

	later := now.Add(8 * time.Hour) // 23:00: the organ is over, the jam goes on
	require.NotContains(t, titles(guide.EventFilter{Now: later}), "Бах при свечах")
	require.Contains(t, titles(guide.EventFilter{Now: later}), "Джем до последнего трамвая")

	music := b.id(t, content.EventCategories, "music")
	require.Equal(t, []string{"Бах при свечах", "Джем до последнего трамвая"},
		titles(guide.EventFilter{Now: now, Category: music, From: today, To: today.AddDate(0, 0, 1)}))
	require.Equal(t, []string{"Бах при свечах"},
		titles(guide.EventFilter{Now: now, Category: music, Source: b.id(t, content.EventSources, "philharmonic"), From: today, To: today.AddDate(0, 0, 1)}))
	require.Empty(t, titles(guide.EventFilter{Now: now.AddDate(1, 0, 0)}))

	categories, err := b.store.EventCategories(t.Context(), guide.EventFilter{Now: now, From: today.AddDate(0, 0, 12)})
	require.NoError(t, err)
	require.NotContains(t, choiceNames(categories), "Экскурсии")
	sources, err := b.store.EventSources(t.Context(), guide.EventFilter{Now: now, Category: music})
	require.NoError(t, err)
	require.Equal(t, []string{"Афиша города", "Ольховская филармония"}, choiceNames(sources))
}

func TestAnEventsCardFallsBackToTheVenuesAddress(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	card, err := b.store.Event(t.Context(), b.id(t, content.Events, "organ"), 0)
	require.NoError(t, err)
	require.Equal(t, "Филармония", card.Venue)
	require.Equal(t, "Ольховск, ул. Садовая, 2", card.Address)
	require.Equal(t, []string{"Музыка"}, card.Categories)
	require.Equal(t, card.Starts.Add(2*time.Hour), *card.Ends)
	require.NotEmpty(t, card.Photo)

	homeless, err := b.store.Event(t.Context(), b.id(t, content.Events, "courtyards"), 0)
	require.NoError(t, err)
	require.Empty(t, homeless.Venue)
	require.Empty(t, homeless.Photo)
}

func TestACollectionLeavesOutWhatIsGone(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	list, err := b.store.Collections(t.Context(), now, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Equal(t, 6, list.Total)
	id := b.id(t, content.Collections, "with-kids")
	collection, items, err := b.store.Collection(t.Context(), id, now, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Equal(t, "С детьми в выходной", collection.Title)
	require.Len(t, items.Items, 7)
	require.Equal(t, guide.Event, items.Items[0].Entity)

	_, items, err = b.store.Collection(t.Context(), id, now.AddDate(0, 0, 2), guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.NotContains(t, names(items.Items, func(i guide.Entry) string { return i.Name }), "Спектакль «Как ёж искал зиму»")

	b.load(t, snapshotOf(content.SampleCity(now, "https://photos.example.com/olkhovsk"), "skazka"))
	_, items, err = b.store.Collection(t.Context(), id, now, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Len(t, items.Items, 6)
	_, _, err = b.store.Collection(t.Context(), 999_999, now, guidedb.Paging{})
	require.ErrorIs(t, err, guidedb.ErrNotFound)
}

func TestACollectionThatShowsNothingIsNotOffered(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	offered := func() []string {
		list, err := b.store.Collections(t.Context(), now, guidedb.Paging{Number: 1, Size: 10})
		require.NoError(t, err)
		return names(list.Items, func(i guide.Choice) string { return i.Name })
	}
	batch := content.Batch{Collections: []content.Collection{{ID: "new", Title: "Открылось недавно"}}}
	b.load(t, batch)
	require.NotContains(t, offered(), "Открылось недавно")
	batch.Collections[0].Items = []content.CollectionItem{{Place: "lozhka"}}
	b.load(t, batch)
	require.Contains(t, offered(), "Открылось недавно")
}

func TestTheBestRatedComeFirstAndTheUnratedLast(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	list, err := b.store.Places(t.Context(), guide.PlaceFilter{ByRating: true}, guidedb.Paging{Number: 1, Size: 100})
	require.NoError(t, err)
	require.Len(t, list.Items, list.Total)
	require.True(t, slices.IsSortedFunc(list.Items, func(a, b guide.PlaceLine) int { return cmp.Compare(b.Rating, a.Rating) }))
	require.Positive(t, list.Items[0].Rating)
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
	add := func(kind string, id int64, want bool) {
		added, err := b.store.AddFavourite(t.Context(), person, kind, id)
		require.NoError(t, err)
		require.Equal(t, want, added)
	}
	add(guide.Place, place, true)
	add(guide.Place, place, false)
	add(guide.Event, event, true)
	list := func() []guide.Entry {
		page, err := b.store.Favourites(t.Context(), person, now, guidedb.Paging{Number: 1, Size: 10})
		require.NoError(t, err)
		require.Equal(t, len(page.Items), page.Total)
		return page.Items
	}
	require.Equal(t, []string{guide.Event, guide.Place}, names2(list()))

	b.load(t, snapshotOf(content.SampleCity(now, "https://photos.example.com/olkhovsk"), "lozhka"))
	gone := list()[1]
	require.True(t, gone.Gone)
	require.Equal(t, "Столовая «Ложка»", gone.Name)
	_, err := b.store.Place(t.Context(), place, person)
	require.ErrorIs(t, err, guidedb.ErrNotFound)
	_, err = b.store.AddFavourite(t.Context(), 555000222, guide.Place, place)
	require.ErrorIs(t, err, guidedb.ErrNotFound)

	removed, err := b.store.RemoveFavourite(t.Context(), person, guide.Place, place)
	require.NoError(t, err)
	require.True(t, removed)
	removed, err = b.store.RemoveFavourite(t.Context(), person, guide.Place, place)
	require.NoError(t, err)
	require.False(t, removed)
	require.Len(t, list(), 1)
}

func names2(favourites []guide.Entry) []string {
	kinds := make([]string, 0, len(favourites))
	for _, favourite := range favourites {
		kinds = append(kinds, favourite.Entity)
	}
	return kinds
}

func TestPromosAreListedWhileTheyHoldAndOpenAfterwards(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	list, err := b.store.Promos(t.Context(), now, guidedb.Paging{Number: 1, Size: 20})
	require.NoError(t, err)
	titles := names(list.Items, func(p guide.PromoLine) string { return p.Title })
	require.Len(t, titles, 10)
	require.NotContains(t, titles, "Осенний тыквенный трамвай")
	require.NotContains(t, titles, "Чай к плову", "begins in three days")
	require.Equal(t, "Книга за книгу", titles[9], "without an end, so last")

	card, err := b.store.Promo(t.Context(), b.id(t, content.Promos, "tramvai-autumn"))
	require.NoError(t, err)
	require.True(t, card.OverAt(now))
	require.Equal(t, "Кофейня «Трамвай №5»", card.Venue)
	require.Equal(t, "https://photos.example.com/olkhovsk/tramvai-1.jpg", card.Photo)
	require.Equal(t, b.id(t, content.Places, "tramvai"), card.PlaceID)
}

func TestAPersonIsOneRowHoweverManyMessagesComeAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := b.store.SeeUser(t.Context(), 555000111, "ru"); err != nil {
				t.Error(err)
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
	active := func() (active bool) {
		require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT active FROM guide.users WHERE telegram_id = 7").Scan(&active))
		return active
	}
	user, err := b.store.SeeUser(t.Context(), 7, "")
	require.NoError(t, err)
	require.Equal(t, guidedb.User{Subscription: guide.SubscriptionUnknown}, user)
	require.True(t, active())

	require.NoError(t, b.store.SetSubscription(t.Context(), 7, guide.Subscribed, now))
	require.NoError(t, b.store.SetSubscription(t.Context(), 7, guide.NotSubscribed, now.Add(-time.Minute)), "a late answer changes nothing")
	require.NoError(t, b.store.DeactivateUser(t.Context(), 7, now))
	require.False(t, active())

	user, err = b.store.SeeUser(t.Context(), 7, "")
	require.NoError(t, err)
	require.Equal(t, guide.Subscribed, user.Subscription)
	require.True(t, now.Equal(user.CheckedAt))
	require.True(t, active())
}

func TestNearestPlacesComeFirstWithTheirDistance(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	var lat, lon float64
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT lat, lon FROM guide.places WHERE external_id = 'otkos'").Scan(&lat, &lon))
	places, err := b.store.PlacesNear(t.Context(), lat, lon, 5000, 0, 5)
	require.NoError(t, err)
	require.Len(t, places, 5)
	require.Equal(t, "Кофейня «Откос»", places[0].Name)
	require.Less(t, *places[0].Metres, 1.0)
	for n := 1; n < len(places); n++ {
		require.GreaterOrEqual(t, *places[n].Metres, *places[n-1].Metres)
	}
	none, err := b.store.PlacesNear(t.Context(), -33, 151, 50_000, 0, 5)
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = b.store.PlacesNear(t.Context(), 91, 0, 1000, 0, 5)
	require.Error(t, err)
}

func TestSearchKnowsGrammarAndForgivesTypos(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	for query, want := range map[string]string{
		"кофейни":         "Кофейня «Откос»",
		"ЁЛОЧКИ":          "Планетарий", // a district
		"кофе":            "Кофейня «Откос»",
		"зюзюблики":       "",
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
			hits, err := b.store.Search(t.Context(), query, now, guidedb.Paging{Number: 1, Size: 10})
			require.NoError(t, err)
			found := names(hits.Items, func(h guide.Entry) string { return h.Name })
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
	hits, err := b.store.Search(t.Context(), "органных", now, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Len(t, hits.Items, 3, "the philharmonic with its organ, and two concerts")
	hits, err = b.store.Search(t.Context(), "планитарий", now, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Empty(t, hits.Items)
}
