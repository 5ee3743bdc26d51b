package guidedb_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/testenv"
)

// largeBatch writes a city of places places as the CMS would send it, without
// holding it in memory: 20 districts, 30 types, 120 subcategories.
func largeBatch(mode content.Mode, places int, description string) io.Reader {
	reader, writer := io.Pipe()
	go func() {
		batch := content.NewWriter(writer, mode)
		add := func(list content.List, object any) {
			if err := batch.Write(list, object); err != nil {
				panic(err) // the reader goes away only when the test has failed
			}
		}
		for n := range 20 {
			add(content.Districts, &content.District{ID: fmt.Sprintf("d%d", n), Name: fmt.Sprintf("Район %02d", n)})
		}
		for n := range 30 {
			add(content.Types, &content.Type{ID: fmt.Sprintf("t%d", n), Name: fmt.Sprintf("Тип %02d", n)})
		}
		for n := range 120 {
			add(content.Subcategories, &content.Subcategory{ID: fmt.Sprintf("s%d", n), Type: fmt.Sprintf("t%d", n%30), Name: fmt.Sprintf("Подвид %03d", n)})
		}
		for n := range places {
			rating, lat, lon := float64(n%50)/10, 57.0+float64(n%1000)/3000, 44.0+float64(n/1000)/300
			add(content.Places, &content.Place{
				ID: fmt.Sprintf("p%d", n), Name: fmt.Sprintf("%s «%s» %d", nouns[n%len(nouns)], adjectives[n%len(adjectives)], n),
				Address: fmt.Sprintf("ул. Длинная, %d", n), Rating: &rating, Lat: &lat, Lon: &lon,
				Description: description,
				District:    fmt.Sprintf("d%d", n%20), Types: []string{fmt.Sprintf("t%d", n%30)}, Subcategories: []string{fmt.Sprintf("s%d", n%120)},
				Photos: []string{fmt.Sprintf("https://photos.example.com/%d.jpg", n)}, Phone: "+7 900 000-12-34",
			})
		}
		_ = writer.CloseWithError(batch.Close()) // a pipe always closes
	}()
	return reader
}

const (
	quiet = "Светлый зал, тихая музыка и вид на реку; по выходным живой звук и детский уголок."
	loud  = "Тёмный зал, громкая музыка и вид на площадь; по выходным танцы до утра."
)

var (
	nouns      = []string{"Кофейня", "Пекарня", "Музей", "Столовая", "Лавка", "Галерея", "Баня"}
	adjectives = []string{"Ветер", "Причал", "Ёлка", "Сосны", "Маяк", "Рябина", "Берег", "Якорь", "Туман", "Облако", "Полдень"}
)

// largest samples the process's live heap until stop; go runs it beside the
// work.
type largest struct {
	heap atomic.Uint64
	stop chan struct{}
}

func watchHeap() *largest {
	l := &largest{stop: make(chan struct{})}
	go func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				var stats runtime.MemStats
				runtime.ReadMemStats(&stats)
				l.heap.Store(max(l.heap.Load(), stats.HeapAlloc))
			case <-l.stop:
				return
			}
		}
	}()
	return l
}

// BenchmarkImportOfALargeCity accepts and applies 100,000 objects: all new, all
// as they were, all changed; and takes half of them away. The goal is 60 s each
// on two cores with memory that does not grow with the batch.
func BenchmarkImportOfALargeCity(b *testing.B) {
	const places = content.MaxObjects - 170
	batches := []struct {
		name   string
		mode   content.Mode
		places int // one more makes the second another batch than the first
		text   string
		count  func(content.Status) int
	}{
		{"created", content.Upsert, places - 1, quiet, func(s content.Status) int { return s.Created }},
		{"unchanged", content.Upsert, places, quiet, func(s content.Status) int { return s.Unchanged }},
		{"changed", content.Upsert, places, loud, func(s content.Status) int { return s.Changed }},
		{"unpublished", content.Snapshot, places / 2, loud, func(s content.Status) int { return s.Unpublished }},
	}
	for range b.N {
		bundle := setup(b)
		runtime.GC()
		heap := watchHeap()
		for _, batch := range batches {
			start := time.Now()
			accepted, err := bundle.imports.Accept(b.Context(), guidedb.Upload{Confirmed: places, Batch: content.NewReader(largeBatch(batch.mode, batch.places, batch.text), content.Rules{})})
			require.NoError(b, err)
			bundle.work(b, accepted.ID)
			b.ReportMetric(time.Since(start).Seconds(), "s/"+batch.name)
			status, err := bundle.imports.Status(b.Context(), accepted.ID)
			require.NoError(b, err)
			require.GreaterOrEqual(b, batch.count(status), places/2, batch.name)
		}
		close(heap.stop)
		b.ReportMetric(float64(heap.heap.Load())/(1<<20), "MiB-heap")
	}
}

func TestAcceptingALargeBatchNeedsLittleMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // whatever GOGC says
	bundle := setup(t)
	runtime.GC()
	heap := watchHeap()
	_, err := bundle.imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(largeBatch(content.Upsert, 8000, strings.Repeat(quiet, 16)), content.Rules{})})
	close(heap.stop)
	require.NoError(t, err)
	require.Less(t, heap.heap.Load(), uint64(64<<20), "the batch alone has 20 MB, decoded several times as much")
}

// planned notes the queries that a pool runs and explains them afterwards.
type planned struct {
	queries []plannedQuery
	on      bool
}

type plannedQuery struct {
	sql  string
	args []any
}

func (p *planned) TraceQueryStart(ctx context.Context, _ *pgx.Conn, query pgx.TraceQueryStartData) context.Context {
	if p.on {
		p.queries = append(p.queries, plannedQuery{query.SQL, query.Args})
	}
	return ctx
}

func (p *planned) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

type plan struct {
	NodeType string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Plans    []plan
}

func (p plan) sequentialScans() []string {
	var tables []string
	if p.NodeType == "Seq Scan" {
		tables = append(tables, p.Relation)
	}
	for _, part := range p.Plans {
		tables = append(tables, part.sequentialScans()...)
	}
	return tables
}

// multiply makes of the guide's places, up to 10,000 of them, times as many:
// importing them all is the benchmark's part.
func (b *bundle) multiply(t testing.TB, times int) {
	t.Helper()
	for _, copies := range []string{
		`INSERT INTO guide.places (id, external_id, name, sort_key, address, description, rating, district_id, lat, lon, phone, site, digest)
		OVERRIDING SYSTEM VALUE
		SELECT id + n * 10000, external_id || '-' || n, name || ' ' || n, sort_key || ' ' || n, address, description, rating, district_id,
			lat + n * 0.002, lon + n * 0.003, phone, site, digest FROM guide.places, generate_series(1, $1 - 1) AS n`,
		`INSERT INTO guide.place_types SELECT place_id + n * 10000, type_id, position FROM guide.place_types, generate_series(1, $1 - 1) AS n`,
		`INSERT INTO guide.place_subcategories SELECT place_id + n * 10000, subcategory_id, position FROM guide.place_subcategories, generate_series(1, $1 - 1) AS n`,
		`INSERT INTO guide.place_photos SELECT place_id + n * 10000, position, photo_id FROM guide.place_photos, generate_series(1, $1 - 1) AS n`,
		`INSERT INTO guide.place_listings SELECT district_id, type_id, subcategory_id, sort_key || ' ' || n, place_id + n * 10000
		FROM guide.place_listings, generate_series(1, $1 - 1) AS n`,
	} {
		_, err := b.pool.Exec(t.Context(), copies, times)
		require.NoError(t, err)
	}
}

// TestListsAndFiltersOverALargeCityReadNoTableWhole looks, over 20,000 places, at
// the plans of the very queries that the store makes. How long they take is
// measured by db/scale.
func TestListsAndFiltersOverALargeCityReadNoTableWhole(t *testing.T) {
	url := testenv.Database(t)
	config, err := pgxpool.ParseConfig(url)
	require.NoError(t, err)
	tracer := &planned{}
	config.ConnConfig.Tracer = tracer
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	b := &bundle{pool: pool, store: guidedb.New(pool), imports: guidedb.NewImports(pool)}

	accepted, err := b.imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(largeBatch(content.Upsert, 1000, quiet), content.Rules{})})
	require.NoError(t, err)
	b.work(t, accepted.ID)
	b.multiply(t, 20)
	b.tidy(t)
	var places int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM guide.places").Scan(&places))
	require.Equal(t, 20_000, places)

	district, kind, sub := b.id(t, content.Districts, "d7"), b.id(t, content.Types, "t7"), b.id(t, content.Subcategories, "s7")
	looks := map[string]func() error{
		"best rated": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{ByRating: true}, guidedb.Paging{Number: 100, Size: 8}))
		},
		"best rated of a type": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{Type: kind, ByRating: true}, guidedb.Paging{Number: 2, Size: 8}))
		},
		"first page": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: 1, Size: 8}))
		},
		"last page": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: 99_999, Size: 8}))
		},
		"district": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{District: district}, guidedb.Paging{Number: 100, Size: 8}))
		},
		"type": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{Type: kind}, guidedb.Paging{Number: 100, Size: 8}))
		},
		"subcategory": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{Subcategory: sub}, guidedb.Paging{Number: 3, Size: 8}))
		},
		"all filters": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{District: district, Type: kind, Subcategory: sub}, guidedb.Paging{Number: 1, Size: 8}))
		},
		"nothing found": func() error {
			return second(b.store.Places(t.Context(), guide.PlaceFilter{District: 999}, guidedb.Paging{Number: 1, Size: 8}))
		},
		"districts": func() error {
			return second(b.store.PlaceDistricts(t.Context(), guide.PlaceFilter{Subcategory: sub}))
		},
		"types": func() error { return second(b.store.PlaceTypes(t.Context(), guide.PlaceFilter{District: district})) },
		"subcategories": func() error {
			return second(b.store.PlaceSubcategories(t.Context(), guide.PlaceFilter{Type: kind, District: district}))
		},
		"card": func() error { return second(b.store.Place(t.Context(), b.id(t, content.Places, "p777-17"), 555000111)) },
		"near": func() error { return second(b.store.PlacesNear(t.Context(), 57.1, 44.1, 3000, 0, 80)) },
		"search by words": func() error {
			return found(b.store.Search(t.Context(), "бани у маяка", now, guidedb.Paging{Number: 1, Size: 8}))
		},
		"search by a word all have": func() error {
			return found(b.store.Search(t.Context(), "музыка", now, guidedb.Paging{Number: 1, Size: 8}))
		},
		"search by a word many have": func() error {
			return found(b.store.Search(t.Context(), "кофейни", now, guidedb.Paging{Number: 1, Size: 8}))
		},
		"search by any word": func() error {
			return found(b.store.Search(t.Context(), "бани и зюзюблики", now, guidedb.Paging{Number: 1, Size: 8}))
		},
		"search with typos": func() error {
			return found(b.store.Search(t.Context(), "кафейня пречал", now, guidedb.Paging{Number: 1, Size: 8}))
		},
		"search with one typo": func() error {
			return found(b.store.Search(t.Context(), "кофийня", now, guidedb.Paging{Number: 1, Size: 8}))
		},
		"search with nothing to find": func() error {
			return second(b.store.Search(t.Context(), "экзоскелет зюйдвест", now, guidedb.Paging{Number: 1, Size: 8}))
		},
	}
	for name, look := range looks {
		tracer.queries, tracer.on = nil, true
		require.NoError(t, look(), name)
		tracer.on = false
		var settings []plannedQuery
		for _, query := range tracer.queries {
			switch {
			case strings.Contains(query.sql, "set_config"):
				settings = append(settings, query)
				continue
			case !strings.Contains(query.sql, "-- name:") || strings.Contains(query.sql, "TrigramsInstalled"):
				continue
			}
			planned := b.explain(t, settings, query)
			for _, table := range planned.sequentialScans() {
				require.Contains(t, smallTables, table, "%s: sequential scan in\n%s", name, query.sql)
			}
		}
	}
}

// smallTables have so few rows that reading them whole is the quickest.
var smallTables = []string{"districts", "types", "subcategories", "event_categories", "events", "event_listings", "users", "favourite_places"}

func second[T any](_ T, err error) error { return err }

func found(hits guide.Listing[guide.Entry], err error) error {
	if err == nil && hits.Total == 0 {
		err = guidedb.ErrNotFound
	}
	return err
}

func (b *bundle) explain(t testing.TB, settings []plannedQuery, query plannedQuery) plan {
	t.Helper()
	var text []byte
	require.NoError(t, pgx.BeginFunc(t.Context(), b.pool, func(tx pgx.Tx) error {
		for _, setting := range settings {
			if _, err := tx.Exec(t.Context(), setting.sql, setting.args...); err != nil {
				return err
			}
		}
		return tx.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+query.sql, query.args...).Scan(&text)
	}), query.sql)
	var explained []struct{ Plan plan }
	require.NoError(t, json.Unmarshal(text, &explained))
	return explained[0].Plan
}

// tidy goes on until every page of the listings is known to be visible: while
// another snapshot is open, a vacuum leaves some, and they would be planned for.
func (b *bundle) tidy(t *testing.T) {
	t.Helper()
	for range 50 {
		require.NoError(t, b.imports.Tidy(t.Context()))
		var visible bool
		require.NoError(t, b.pool.QueryRow(t.Context(), `SELECT bool_and(relallvisible >= relpages) FROM pg_class
			WHERE oid IN ('guide.place_listings'::regclass, 'guide.event_listings'::regclass)`).Scan(&visible))
		if visible {
			return
		}
	}
	t.Fatal("the listings do not become visible to all")
}
