package guidedb_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/guide"
)

// again imports batch under a key of its own, so that it is not taken for the
// import before.
func (b *bundle) again(t testing.TB, key, batch string) content.Status {
	t.Helper()
	accepted, err := b.imports.Accept(t.Context(), guidedb.Upload{Key: key, Batch: content.NewReader(strings.NewReader(batch), content.Rules{})})
	require.NoError(t, err)
	require.False(t, accepted.Repeated)
	b.work(t, accepted.ID)
	status, err := b.imports.Status(t.Context(), accepted.ID)
	require.NoError(t, err)
	return status
}

func encoded(t testing.TB, batch content.Batch, indent string) string {
	t.Helper()
	text, err := json.MarshalIndent(batch, "", indent)
	require.NoError(t, err)
	return string(text)
}

func TestTheSameBatchTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := content.SampleCity(now, "https://photos.example.com")
	first := b.again(t, "first", encoded(t, batch, ""))
	require.Equal(t, content.Done, first.State)
	require.Equal(t, 129, first.Created)
	before := b.versions(t)
	second := b.again(t, "second", encoded(t, batch, " "))
	require.Equal(t, 129, second.Unchanged)
	require.Zero(t, second.Created+second.Changed+second.Unpublished+second.RefusedCount)
	require.Equal(t, before, b.versions(t))
}

func TestOnlyWhatChangedGetsANewVersion(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	before := b.versions(t)
	status := b.load(t, `{"types": [{"id": "coffee", "name": "Кофе"}, {"id": "food", "name": "Рестораны и кафе"}, {"id": "new", "name": "Новое"}]}`)
	require.Equal(t, []int{1, 1, 1}, []int{status.Created, status.Changed, status.Unchanged})
	after := b.versions(t)
	require.NotEqual(t, before["types/coffee"], after["types/coffee"])
	require.True(t, strings.HasPrefix(after["types/coffee"], "2 "))
	delete(after, "types/coffee")
	delete(after, "types/new")
	delete(before, "types/coffee")
	require.Equal(t, before, after)
}

func TestABrokenReferenceIsRefusedObjectByObject(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	status := b.load(t, `{
		"subcategories": [{"id": "s", "type": "nope", "name": "Нет"}],
		"places": [{"id": "ok", "name": "Хорошее", "district": "center", "subcategories": ["books"]},
			{"id": "a", "name": "А", "district": "nowhere"},
			{"id": "b", "name": "Б", "types": ["coffee", "nope"]},
			{"id": "c", "name": "В", "subcategories": ["s"]}],
		"events": [{"id": "e", "title": "Е", "starts_at": "2027-01-01T00:00:00Z", "place": "a"},
			{"id": "f", "title": "Ё", "starts_at": "2027-01-01T00:00:00Z", "source": "nope", "categories": ["music"]}],
		"collections": [{"id": "k", "title": "К", "items": [{"place": "ok"}, {"event": "nope"}]}],
		"promos": [{"id": "p", "title": "П", "place": "nope"}]}`)
	require.Equal(t, 1, status.Created)
	refused := make([]string, 0)
	for _, refusal := range status.Refused {
		refused = append(refused, refusal.Path+"="+refusal.Value)
		require.Contains(t, refusal.Reason, "нет: ни в путеводителе")
	}
	require.Equal(t, []string{
		"subcategories[0].type=nope", "places[1].district=nowhere", "places[2].types[1]=nope", "places[3].subcategories[0]=s",
		"events[0].place=a", "events[1].source=nope", "collections[0].items[1].event=nope", "promos[0].place=nope",
	}, refused)
	require.Equal(t, 8, status.RefusedCount)
}

func TestAnIDThatRepeatsIsRefusedTheSecondTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	status := b.load(t, `{"types": [{"id": "t", "name": "Первый"}, {"id": "u", "name": "Другой"}, {"id": " t", "name": "Второй"}]}`)
	require.Equal(t, 2, status.Created)
	require.Equal(t, []content.Refusal{{Path: "types[2].id", Value: "t", Name: "Второй", Why: content.Because("этот id в файле уже есть: %s", "types[0]")}}, status.Refused)
}

func TestASnapshotUnpublishesWhatItsListsDoNotName(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	accepted := b.accept(t, guidedb.Upload{Confirmed: 6 + 38}, `{"mode": "snapshot", "districts": [], "places": [{"id": "otkos", "name": "Кофейня «Откос»"}, {"id": "rynok", "rating": 9}]}`)
	b.work(t, accepted.ID)
	status, err := b.imports.Status(t.Context(), accepted.ID)
	require.NoError(t, err)
	require.Equal(t, 6+38, status.Unpublished, "all districts, and all places but the one named and the one refused")
	require.Equal(t, 1, status.Changed)
	page, err := b.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Equal(t, []string{"Кофейня «Откос»", "Ямской рынок"}, placeNames(page))
	events, err := b.store.Events(t.Context(), guide.EventFilter{Now: now}, guidedb.Paging{Number: 1, Size: 50})
	require.NoError(t, err)
	require.Equal(t, 30, events.Total, "a list that is not there is left alone")

	back := b.load(t, content.SampleCity(now, "https://photos.example.com/olkhovsk"))
	require.Equal(t, 6+39, back.Changed, "what comes back is published again")
}

func TestAnImportTouchesNoPersonAndNoFavourite(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	_, err := b.store.AddFavourite(t.Context(), 555000111, guide.Place, b.id(t, content.Places, "otkos"))
	require.NoError(t, err)
	people := func() (rows string) {
		require.NoError(t, b.pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(r, ','), '') FROM (
			SELECT u::text || u.xmin || u.xmax AS r FROM guide.users u
			UNION ALL SELECT f::text || f.xmin || f.xmax FROM guide.favourite_places f) rows`).Scan(&rows))
		return rows
	}
	before := people()
	b.work(t, b.accept(t, guidedb.Upload{Confirmed: 40}, `{"mode": "snapshot", "places": []}`).ID)
	b.load(t, content.SampleCity(now, "https://photos.example.com/olkhovsk"))
	require.Equal(t, before, people())
}

func TestTheSameKeyOrTheSameContentIsTheSameImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	accept := func(key, batch string) guidedb.Acceptance {
		accepted, err := b.imports.Accept(t.Context(), guidedb.Upload{Key: key, Batch: content.NewReader(strings.NewReader(batch), content.Rules{})})
		require.NoError(t, err)
		return accepted
	}
	one, two := `{"types": [{"id": "t", "name": "Один"}]}`, `{"types": [{"id": "t", "name": "Два"}]}`
	first := accept("batch-1", one)
	require.Equal(t, "batch-1", first.ID)
	require.Equal(t, guidedb.Acceptance{ID: "batch-1", State: content.Running, Repeated: true}, accept("batch-1", one))
	require.Equal(t, guidedb.Acceptance{ID: "batch-1", State: content.Running, Repeated: true, OtherContent: true}, accept("batch-1", two))
	require.Equal(t, "batch-1", accept("", one).ID)
	require.Equal(t, "batch-1", accept("other key", one).ID)

	second := accept("", two)
	require.False(t, second.Repeated)
	reverted := accept("", one)
	require.False(t, reverted.Repeated, "an editor goes back to what was before")
	require.NotEqual(t, first.ID, reverted.ID)
	twice := accept("", two)
	require.Regexp(t, "^"+second.ID+`-\d+$`, twice.ID)
	for _, id := range []string{first.ID, second.ID, reverted.ID, twice.ID} {
		earlier, err := b.imports.Earlier(t.Context(), id)
		require.NoError(t, err)
		require.Empty(t, earlier, "imports are worked off in the order of their acceptance")
		b.work(t, id)
	}
	var name string
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT name FROM guide.types").Scan(&name))
	require.Equal(t, "Два", name)
}

func TestAnImportWaitsForThoseAcceptedBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for n, key := range []string{"a", "b", "c"} {
		_, err := b.imports.Accept(t.Context(), guidedb.Upload{Key: key, Batch: content.NewReader(strings.NewReader(fmt.Sprintf(`{"types": [{"id": "t", "name": "%d"}]}`, n)), content.Rules{})})
		require.NoError(t, err)
	}
	earlier, err := b.imports.Earlier(t.Context(), "c")
	require.NoError(t, err)
	require.Equal(t, "a", earlier)
	b.work(t, "a")
	require.NoError(t, b.imports.Fail(t.Context(), "b", "for the test"))
	earlier, err = b.imports.Earlier(t.Context(), "c")
	require.NoError(t, err)
	require.Empty(t, earlier)

	failed, err := b.imports.Status(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, content.Failed, failed.State)
	retried, err := b.imports.Accept(t.Context(), guidedb.Upload{Key: "b", Batch: content.NewReader(strings.NewReader(`{"types": [{"id": "t", "name": "1"}]}`), content.Rules{})})
	require.NoError(t, err)
	require.Equal(t, guidedb.Acceptance{ID: "b", State: content.Running}, retried, "a failed import may be sent again")
}

func TestABatchThatArrivesSlowlyHasItsTurnAfterThoseAcceptedMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	slow, sender := io.Pipe()
	began := make(chan struct{})
	var group errgroup.Group
	group.Go(func() error {
		_, err := b.imports.Accept(t.Context(), guidedb.Upload{Key: "slow", Batch: content.NewReader(slow, content.Rules{})})
		return err
	})
	group.Go(func() error {
		_, err := io.WriteString(sender, `{"types": [{"id": "t", "name": "1"}`) // returns when it is read
		close(began)
		return err
	})
	<-began
	_, err := b.imports.Accept(t.Context(), guidedb.Upload{Key: "quick", Batch: content.NewReader(strings.NewReader(`{"types": [{"id": "t", "name": "2"}]}`), content.Rules{})})
	require.NoError(t, err)
	earlier, err := b.imports.Earlier(t.Context(), "quick")
	require.NoError(t, err)
	require.Empty(t, earlier, "it may run at once")

	_, err = io.WriteString(sender, `]}`)
	require.NoError(t, err)
	require.NoError(t, sender.Close())
	require.NoError(t, group.Wait())
	earlier, err = b.imports.Earlier(t.Context(), "slow")
	require.NoError(t, err)
	require.Equal(t, "quick", earlier, "not beside it")
	running, err := b.imports.Running(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []string{"quick", "slow"}, running)
	accepted, err := b.imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(strings.NewReader(`{"types": [{"id": "t", "name": "1"}]}`), content.Rules{})})
	require.NoError(t, err)
	require.Equal(t, "slow", accepted.ID, "the one accepted last")
}

func TestABatchRefusedWholeLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.imports.Accept(t.Context(), guidedb.Upload{Key: "k", Batch: content.NewReader(strings.NewReader(`{"types": [{"id": "t", "name": "Тип"}, {]}`), content.Rules{})})
	var refused *content.BatchError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "types[1]", refused.Path)
	var rows int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM cms.imports) + (SELECT count(*) FROM cms.staged_objects)").Scan(&rows))
	require.Zero(t, rows)
	_, err = b.imports.Status(t.Context(), "k")
	require.ErrorIs(t, err, guidedb.ErrNotFound)
}

func TestAnImportCutOffAnywhereEndsAsAnUndisturbedOne(t *testing.T) {
	t.Parallel()
	undisturbed, disturbed := setupCity(t), setup(t)
	accepted, err := disturbed.imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(strings.NewReader(encoded(t, content.SampleCity(now, "https://photos.example.com/olkhovsk"), "")), content.Rules{})})
	require.NoError(t, err)
	// Each attempt is cut off by the end of its context, wherever it is then.
	cuts := 0
	for limit := 500 * time.Microsecond; ; limit += limit / 16 {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		progress, err := disturbed.imports.ApplyChunk(ctx, accepted.ID, 7)
		cancel()
		if err != nil {
			cuts++
			continue
		}
		if !progress.More {
			break
		}
	}
	require.Positive(t, cuts)
	require.NoError(t, disturbed.imports.Finish(t.Context(), accepted.ID, time.Now()))
	status, err := disturbed.imports.Status(t.Context(), accepted.ID)
	require.NoError(t, err)
	require.Equal(t, 129, status.Created)
	require.Zero(t, status.Changed+status.Unchanged+status.RefusedCount)
	require.Equal(t, undisturbed.export(t), disturbed.export(t))
	require.Equal(t, undisturbed.listings(t), disturbed.listings(t))

	late, err := disturbed.imports.ApplyChunk(t.Context(), accepted.ID, 7)
	require.NoError(t, err)
	require.False(t, late.More, "a late attempt finds nothing to do")
}

func (b *bundle) export(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	writer := content.NewWriter(&out, content.Upsert)
	require.NoError(t, b.imports.Export(t.Context(), writer.Write))
	require.NoError(t, writer.Close())
	return out.String()
}

func (b *bundle) listings(t testing.TB) (sum string) {
	t.Helper()
	require.NoError(t, b.pool.QueryRow(t.Context(), `SELECT string_agg(r, E'\n' ORDER BY r) FROM (
		SELECT coalesce(d.external_id, '') || ' ' || coalesce(y.external_id, '') || ' ' || coalesce(s.external_id, '') || ' ' || p.external_id || ' ' || l.sort_key AS r
		FROM guide.place_listings l JOIN guide.places p ON p.id = l.place_id LEFT JOIN guide.districts d ON d.id = l.district_id
		LEFT JOIN guide.types y ON y.id = l.type_id LEFT JOIN guide.subcategories s ON s.id = l.subcategory_id) rows`).Scan(&sum))
	return sum
}

func TestWhatIsExportedImportsAsUnchanged(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	before := b.versions(t)
	status := b.load(t, b.export(t))
	require.Equal(t, 129, status.Unchanged)
	require.Equal(t, before, b.versions(t))

	other := setup(t)
	require.Equal(t, 129, other.load(t, b.export(t)).Created)
	require.Equal(t, b.export(t), other.export(t))
}

func TestWhoReadsDuringAnImportSeesEachPlaceWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := func(version int) string {
		var places []content.Place
		for n := range 200 {
			word := fmt.Sprintf("v%d", version)
			places = append(places, content.Place{
				ID: fmt.Sprintf("p%d", n), Name: fmt.Sprintf("Место %03d", n), Address: word, Description: word,
				Types: []string{word}, Photos: []string{"https://photos.example.com/" + word},
			})
		}
		return encoded(t, content.Batch{Types: []content.Type{{ID: "v0", Name: "v0"}, {ID: "v1", Name: "v1"}}, Places: places}, "")
	}
	b.again(t, "import-0", batch(0))
	ids := make([]int64, 0, 200)
	page, err := b.store.Places(t.Context(), guide.PlaceFilter{}, guidedb.Paging{Number: 1, Size: 50})
	require.NoError(t, err)
	for _, line := range page.Items {
		ids = append(ids, line.ID)
	}
	ctx, stop := context.WithCancel(t.Context())
	group, ctx := errgroup.WithContext(ctx)
	reads := 0
	group.Go(func() error {
		for ; ctx.Err() == nil; reads++ {
			card, err := b.store.Place(context.WithoutCancel(ctx), ids[reads%len(ids)], 0)
			if err != nil {
				return err
			}
			if card.Address != card.Description || len(card.Types) != 1 || card.Types[0] != card.Address || !strings.HasSuffix(card.Photo, card.Address) {
				return fmt.Errorf("half a place: %+v", card)
			}
			list, err := b.store.Places(context.WithoutCancel(ctx), guide.PlaceFilter{}, guidedb.Paging{Number: 2, Size: 50})
			if err != nil {
				return err
			}
			if list.Total != 200 || len(list.Items) != 50 {
				return fmt.Errorf("a list of %d of %d", len(list.Items), list.Total)
			}
		}
		return nil
	})
	for n := 1; n <= 6; n++ {
		require.Equal(t, 200, b.again(t, fmt.Sprintf("import-%d", n), batch(n%2)).Changed)
	}
	stop()
	require.NoError(t, group.Wait())
	require.Positive(t, reads)
}

func TestASubcategoryThatMovesToAnotherTypeTakesItsPlacesAlong(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	b.load(t, `{"subcategories": [{"id": "books", "type": "kids", "name": "Книги"}]}`)
	page, err := b.store.Places(t.Context(), guide.PlaceFilter{
		Type: b.id(t, content.Types, "kids"), Subcategory: b.id(t, content.Subcategories, "books"),
	}, guidedb.Paging{Number: 1, Size: 10})
	require.NoError(t, err)
	require.Equal(t, []string{"Букинист «Закладка»", "Книжная лавка «Улитка»"}, placeNames(page))
}

func TestAPhotoThatChangedOrCameBackIsServedUnderANewAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.load(t, `{"places": [{"id": "p", "name": "Место", "photos": ["https://a.example.com/1.jpg?w=9", "https://a.example.com/2.jpg"]}]}`)
	id := b.id(t, content.Places, "p")
	cover := func() string {
		card, err := b.store.Place(t.Context(), id, 0)
		require.NoError(t, err)
		return card.Photo
	}
	due, err := b.imports.ClaimDuePhotos(t.Context(), time.Now(), 10)
	require.NoError(t, err)
	require.Len(t, due, 2)
	none, err := b.imports.ClaimDuePhotos(t.Context(), time.Now(), 10)
	require.NoError(t, err)
	require.Empty(t, none, "what somebody looks at is given to nobody else")

	first := due[0]
	if first.URL != "https://a.example.com/1.jpg?w=9" {
		first = due[1]
	}
	record := func(finding guidedb.PhotoFinding) {
		require.NoError(t, b.imports.RecordPhoto(t.Context(), first.ID, finding, time.Now()))
	}
	record(guidedb.PhotoFinding{Hash: []byte{1}})
	require.Equal(t, "https://a.example.com/1.jpg?w=9", cover())
	record(guidedb.PhotoFinding{Hash: []byte{1}})
	require.Equal(t, "https://a.example.com/1.jpg?w=9", cover())
	record(guidedb.PhotoFinding{Hash: []byte{2}})
	require.Equal(t, "https://a.example.com/1.jpg?w=9&v=1", cover())
	record(guidedb.PhotoFinding{Reason: "photo at a.example.com: gone (HTTP 404)"})
	require.Equal(t, "https://a.example.com/2.jpg", cover(), "one that is not known to be broken goes first")
	report, err := b.imports.PhotoReport(t.Context())
	require.NoError(t, err)
	require.Equal(t, content.Photos{Due: 1, Bad: 1}, report.Photos)
	require.Equal(t, []string{"places/p"}, report.BadPhotos[0].UsedBy)
	record(guidedb.PhotoFinding{Hash: []byte{2}})
	require.Equal(t, "https://a.example.com/1.jpg?w=9&v=2", cover())

	b.load(t, `{"places": [{"id": "p", "name": "Место", "address": "ул. Новая, 1", "photos": ["https://a.example.com/1.jpg?w=9"]}]}`)
	due, err = b.imports.ClaimDuePhotos(t.Context(), time.Now(), 10)
	require.NoError(t, err)
	require.Equal(t, []guidedb.DuePhoto{{ID: first.ID, URL: "https://a.example.com/1.jpg?w=9"}}, due, "what an editor touched is looked at again")

	b.load(t, `{"places": [{"id": "p", "name": "Место", "photos": []}]}`)
	report, err = b.imports.PhotoReport(t.Context())
	require.NoError(t, err)
	require.Zero(t, report.Photos, "nothing shows them any more")
	b.load(t, `{"places": [{"id": "p", "name": "Место", "photos": ["https://a.example.com/1.jpg?w=9"]}]}`)
	record(guidedb.PhotoFinding{Hash: []byte{3}})
	require.Equal(t, "https://a.example.com/1.jpg?w=9&v=3", cover(), "what Telegram may remember is remembered here, too")
}

func FuzzAnyBatchIsTakenOrRefusedAndEveryObjectAccountedFor(f *testing.F) {
	for _, seed := range []string{
		`{"types":[{"id":"t","name":"Тип"}],"places":[{"id":"p","name":"П","types":["t"],"rating":5,"lat":1,"lon":2}]}`,
		`{"mode":"snapshot","events":[{"id":"e","title":"Е","starts_at":"0001-01-01T00:00:00Z","ends_at":"9999-12-31T23:59:59Z"}]}`,
		`{"collections":[{"id":"c","title":"К","items":[{"place":"p"}]}],"promos":[{"id":"a","title":"А"}],"x":1}`,
		`{"districts":[{"id":"d","name":"\ud800"}]}`, `{"event_sources":[{"id":"s","name":"С","url":"https://[::1]"}]}`,
	} {
		f.Add([]byte(seed))
	}
	b := setup(f)
	f.Fuzz(func(t *testing.T, batch []byte) {
		accepted, err := b.imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(bytes.NewReader(batch), content.Rules{})})
		var refused *content.BatchError
		if errors.As(err, &refused) {
			return
		}
		require.NoError(t, err)
		if accepted.State == content.Running {
			b.work(t, accepted.ID)
		}
		status, err := b.imports.Status(t.Context(), accepted.ID)
		require.NoError(t, err)
		require.Equal(t, content.Done, status.State)
		require.Equal(t, status.Objects, status.Created+status.Changed+status.Unchanged+status.RefusedCount)
	})
}

func TestTheSameBatchSentManyTimesAtOnceIsOneImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := encoded(t, content.SampleCity(now, "https://photos.example.com"), "")
	ids := make([]string, 8)
	var group errgroup.Group
	for n := range ids {
		group.Go(func() error {
			accepted, err := b.imports.Accept(t.Context(), guidedb.Upload{Batch: content.NewReader(strings.NewReader(batch), content.Rules{})})
			ids[n] = accepted.ID
			return err
		})
	}
	require.NoError(t, group.Wait())
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	running, err := b.imports.Running(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, ids[:1], running)
	var staged int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM cms.staged_objects").Scan(&staged))
	require.Equal(t, 129, staged)
}

func TestContentThatComesBackIsTakenAfterItsFirstImportIsForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	week, weekend := `{"types": [{"id": "t", "name": "Будни"}]}`, `{"types": [{"id": "t", "name": "Выходные"}]}`
	first := b.load(t, week)
	for range 2 {
		b.load(t, weekend)
		b.load(t, week)
	}
	_, err := b.pool.Exec(t.Context(), "UPDATE cms.imports SET finished_at = finished_at - interval '31 days' WHERE id = $1", first.ID)
	require.NoError(t, err)
	b.load(t, weekend)
	_, err = b.imports.Status(t.Context(), first.ID)
	require.ErrorIs(t, err, guidedb.ErrNotFound)
	require.Equal(t, content.Done, b.load(t, week).State)
}
