package guidedb_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/testenv"
)

// listingsByDefinition is what place_listings is to hold, said in one query.
const listingsByDefinition = `
	SELECT district.id, kind.type_id, kind.subcategory_id, p.sort_key, p.id
	FROM guide.places p
	CROSS JOIN LATERAL (
		SELECT 0::bigint AS id UNION
		SELECT p.district_id WHERE p.district_id IS NOT NULL) AS district
	CROSS JOIN LATERAL (
		SELECT 0::bigint AS type_id, 0::bigint AS subcategory_id UNION
		SELECT l.type_id, 0 FROM guide.place_types l WHERE l.place_id = p.id UNION
		SELECT s.type_id, 0 FROM guide.place_subcategories l JOIN guide.subcategories s ON s.id = l.subcategory_id WHERE l.place_id = p.id UNION
		SELECT s.type_id, s.id FROM guide.place_subcategories l JOIN guide.subcategories s ON s.id = l.subcategory_id WHERE l.place_id = p.id) AS kind
	WHERE p.published`

const listingsAsTheyAre = `SELECT district_id, type_id, subcategory_id, sort_key, place_id FROM guide.place_listings`

func TestPlacesAreListedByWhatTheyAreWhateverChanges(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	steps := []struct{ name, batch string }{
		{"as they came", `{"types": [{"id": "other", "name": "Другое"}]}`},
		{"a place gets more of everything", `{"places": [{"id": "otkos", "name": "Кофейня «Откос»", "district": "center",
			"types": ["coffee", "food", "other"], "subcategories": ["books"]}]}`},
		{"its types come in another order", `{"places": [{"id": "otkos", "name": "Кофейня «Откос»", "district": "center",
			"types": ["other", "food", "coffee"], "subcategories": ["books"]}]}`},
		{"it loses them", `{"places": [{"id": "otkos", "name": "Кофейня «Откос»"}]}`},
		{"it gets another name", `{"places": [{"id": "otkos", "name": "Бывшая кофейня"}]}`},
		{"it gets another rating only", `{"places": [{"id": "otkos", "name": "Бывшая кофейня", "rating": 1}]}`},
		{"a subcategory moves to another type", `{"subcategories": [{"id": "books", "type": "kids", "name": "Книги"}]}`},
		{"a subcategory is renamed", `{"subcategories": [{"id": "books", "type": "kids", "name": "Книжки"}]}`},
		{"nearly all go", `{"mode": "snapshot", "places": [{"id": "otkos", "name": "Бывшая кофейня", "types": ["coffee"]}]}`},
		{"one comes back as it was", `{"places": [{"id": "rynok", "name": "Ямской рынок", "district": "center"}]}`},
		{"all go", `{"mode": "snapshot", "places": []}`},
	}
	for _, step := range steps {
		require.Empty(t, b.load(t, step.batch).Refused, step.name)
		b.requireNoRows(t, step.name+": listed and not to be", listingsAsTheyAre+" EXCEPT "+listingsByDefinition)
		b.requireNoRows(t, step.name+": to be listed and not", listingsByDefinition+" EXCEPT "+listingsAsTheyAre)
	}
	b.load(t, content.SampleCity(now, "https://photos.example.com/olkhovsk"))
	b.requireNoRows(t, "all come back", listingsByDefinition+" EXCEPT "+listingsAsTheyAre)
	b.requireNoRows(t, "nothing else does", listingsAsTheyAre+" EXCEPT "+listingsByDefinition)
}

func (b *bundle) requireNoRows(t testing.TB, what, query string) {
	t.Helper()
	var rows int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM ("+query+") q").Scan(&rows))
	require.Zero(t, rows, what)
}

// TestWhatAPlaceKeepsIsNotWrittenAgain: each row written again costs every
// index of its table.
func TestWhatAPlaceKeepsIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	const linked = `SELECT string_agg(r, ',' ORDER BY r) FROM (
		SELECT l::text || l.xmin AS r FROM guide.place_types l UNION ALL SELECT l::text || l.xmin FROM guide.place_subcategories l
		UNION ALL SELECT l::text || l.xmin FROM guide.place_photos l UNION ALL SELECT l::text || l.xmin FROM guide.place_listings l
		UNION ALL SELECT l::text || l.xmin FROM guide.event_category_links l UNION ALL SELECT l::text || l.xmin FROM guide.event_photos l) rows`
	rows := func() (all string) {
		require.NoError(t, b.pool.QueryRow(t.Context(), linked).Scan(&all))
		return all
	}
	city := content.SampleCity(now, "https://photos.example.com/olkhovsk")
	before := rows()
	for n := range city.Places {
		city.Places[n].Description += " Вход со двора."
	}
	for n := range city.Events {
		city.Events[n].Price = "от 300 ₽"
	}
	status := b.load(t, city)
	require.Equal(t, len(city.Places)+len(city.Events), status.Changed)
	require.Equal(t, before, rows())
}

// TestAnImportReadsNoTableWhole: nothing is known yet of the rows that have
// just come in, and plans that read them all for each chunk would make a city
// of 100,000 places a matter of hours.
func TestAnImportReadsNoTableWhole(t *testing.T) {
	t.Parallel()
	url := testenv.Database(t)
	for _, batch := range []struct {
		mode   content.Mode
		places int
		text   string
	}{{content.Upsert, 1200, quiet}, {content.Upsert, 1200, loud}, {content.Snapshot, 600, loud}} {
		var id string
		readInSequence(t, url, func(imports *guidedb.Imports) {
			accepted, err := imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(largeBatch(batch.mode, batch.places, batch.text), content.Rules{})})
			require.NoError(t, err)
			id = accepted.ID
		})
		require.Zero(t, readInSequence(t, url, func(imports *guidedb.Imports) {
			require.NoError(t, imports.Apply(t.Context(), id, func(guidedb.Progress) {}))
			require.NoError(t, imports.Unpublish(t.Context(), id, func(guidedb.Progress) {}))
		}), "rows read in sequence")
		readInSequence(t, url, func(imports *guidedb.Imports) { require.NoError(t, imports.Finish(t.Context(), id, now)) })
	}
}

// readInSequence counts the rows that sequential scans read during work.
// Postgres publishes what a connection read at the latest when it has ended.
func readInSequence(t *testing.T, url string, work func(*guidedb.Imports)) int {
	t.Helper()
	watching, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer watching.Close(context.WithoutCancel(t.Context()))
	count := func() (rows int) {
		require.NoError(t, watching.QueryRow(t.Context(),
			"SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname IN ('guide', 'cms')").Scan(&rows))
		return rows
	}
	before := count()
	pool, err := db.Open(t.Context(), url)
	require.NoError(t, err)
	work(guidedb.NewImports(pool))
	pool.Close()
	require.Eventually(t, func() bool {
		var others int
		err := watching.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").Scan(&others)
		return err == nil && others == 0
	}, 10*time.Second, 5*time.Millisecond)
	return count() - before
}
