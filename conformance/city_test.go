package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/sandbox"
)

// Ids of the city, those of the specification's examples among them.
const (
	cafe           = 123 // with a photo
	bare           = 124 // without one
	wordy          = 125 // a photo and 1500 characters
	manyPhotos     = 126 // three photos
	closed         = 127 // not published
	roundTheCorner = 129 // the only one whose position is known
	concert        = 456 // with a photo
	lecture        = 457 // without one
	past           = 458
	warm           = 77 // collection
	discount       = 55 // at the cafe
	expired        = 56
	unlit          = 57 // at the place without a photo
)

// furnish fills the database with a small city, the way the CMS does.
func furnish(t testing.TB, pool *pgxpool.Pool, photos *sandbox.Server) {
	t.Helper()
	ctx := context.Background()
	for table, first := range map[string]int{"places": cafe, "events": concert, "collections": warm, "promos": discount} {
		_, err := pool.Exec(ctx, fmt.Sprintf("ALTER TABLE guide.%s ALTER COLUMN id RESTART WITH %d", table, first))
		require.NoError(t, err)
	}
	importBatch(t, pool, city(photos))
	importBatch(t, pool, content.Batch{Mode: content.Snapshot, Places: published(city(photos).Places)})
}

func importBatch(t testing.TB, pool *pgxpool.Pool, batch content.Batch) {
	t.Helper()
	ctx := context.Background()
	body, err := json.Marshal(batch)
	require.NoError(t, err)
	imports := guidedb.NewImports(pool)
	accepted, err := imports.Accept(ctx, guidedb.Upload{Batch: content.NewReader(bytes.NewReader(body), content.Rules{AllowHTTP: true})})
	require.NoError(t, err)
	require.NoError(t, imports.Apply(ctx, accepted.ID, func(guidedb.Progress) {}))
	require.NoError(t, imports.Unpublish(ctx, accepted.ID, func(guidedb.Progress) {}))
	require.NoError(t, imports.Finish(ctx, accepted.ID, time.Now()))
	status, err := imports.Status(ctx, accepted.ID)
	require.NoError(t, err)
	require.Empty(t, status.Refused)
}

func published(places []content.Place) (kept []content.Place) {
	for _, place := range places {
		if place.ID != "p127" {
			kept = append(kept, place)
		}
	}
	return kept
}

func city(photos *sandbox.Server) content.Batch {
	now := time.Now().In(zone)
	day := func(days, hour int) *time.Time {
		at := time.Date(now.Year(), now.Month(), now.Day()+days, hour, 0, 0, 0, zone)
		return &at
	}
	rating := 4.7
	lat, lon := 53.2, 50.15
	batch := content.Batch{
		Districts:       []content.District{{ID: "center", Name: "Центр"}, {ID: "river", Name: "Заречье"}},
		Types:           []content.Type{{ID: "cafe", Name: "Кофейни"}, {ID: "museum", Name: "Музеи"}},
		Subcategories:   []content.Subcategory{{ID: "roasters", Type: "cafe", Name: "Обжарщики"}, {ID: "bakery", Type: "cafe", Name: "Пекарни"}, {ID: "tea", Type: "cafe", Name: "Чайные"}},
		EventCategories: []content.EventCategory{{ID: "music", Name: "Музыка"}, {ID: "talks", Name: "Лекции"}},
		EventSources:    []content.EventSource{{ID: "hall", Name: "Филармония"}, {ID: "library", Name: "Библиотека"}},
	}
	for i := range 24 {
		id := cafe + i
		place := content.Place{
			ID: fmt.Sprintf("p%d", id), Name: fmt.Sprintf("Кофейня №%02d", i+1), Address: fmt.Sprintf("ул. Речная, %d", i+1),
			Rating: &rating, Description: "Тихое место у воды.", District: "center", Types: []string{"cafe"},
			Subcategories: []string{"roasters"}, Photos: []string{photos.PictureURL(fmt.Sprintf("place-%d", id))},
		}
		if i%2 == 1 {
			place.District = "river"
		}
		if i%3 == 2 {
			place.Name, place.Types, place.Subcategories = fmt.Sprintf("Музей №%02d", i+1), []string{"museum"}, nil
		}
		switch id {
		case roundTheCorner:
			place.Lat, place.Lon, place.Subcategories = &lat, &lon, []string{"tea"}
		case bare:
			place.Photos = nil
		case wordy:
			place.Description = strings.Repeat("Подробности о музее. ", 75)
		case manyPhotos:
			place.Photos = append(place.Photos, photos.PictureURL("second"), photos.PictureURL("third"))
		}
		batch.Places = append(batch.Places, place)
	}
	batch.Events = []content.Event{
		{ID: "e456", Title: "Вечер джаза", StartsAt: day(2, 19), EndsAt: day(2, 21), Place: "p123", Categories: []string{"music"}, Source: "hall",
			Price: "от 500 ₽", Description: "Трио и вокал.", Photos: []string{photos.PictureURL("event-456")}},
		{ID: "e457", Title: "Лекция о птицах", StartsAt: day(1, 12), Address: "пл. Искусств, 1", Categories: []string{"talks"}, Source: "library"},
		{ID: "e458", Title: "Прошедший концерт", StartsAt: day(-3, 19), Categories: []string{"music"}, Source: "hall"},
		{ID: "e459", Title: "Ночной показ", StartsAt: day(0, 23), EndsAt: day(1, 1), Categories: []string{"talks"}, Source: "hall"},
	}
	for i := range 12 {
		batch.Events = append(batch.Events, content.Event{ID: fmt.Sprintf("many%d", i), Title: fmt.Sprintf("Спектакль %02d", i+1),
			StartsAt: day(10+i, 18), Place: "p124", Categories: []string{"music"}, Source: "hall"})
	}
	batch.Collections = []content.Collection{
		{ID: "c77", Title: "Тёплые места", Description: "Где согреться.", Items: []content.CollectionItem{{Place: "p123"}, {Event: "e456"}, {Place: "p127"}, {Place: "p124"}}},
		{ID: "c78", Title: "Пустая подборка"},
	}
	batch.Promos = []content.Promo{
		{ID: "a55", Title: "Акция 1", Place: "p123", Code: "РЕЧНАЯ10", Description: "Скидка на фильтр.", EndsAt: day(30, 20)},
		{ID: "a56", Title: "Старая акция", Place: "p123", Code: "БЫЛО", EndsAt: day(-1, 20)},
		{ID: "a57", Title: "Акция без фото", Place: "p124", EndsAt: day(30, 20)},
		{ID: "a58", Title: "Акция без кода", Place: "p123", Description: "Скидка всем.", EndsAt: day(30, 20)},
	}
	return batch
}
