package guidedb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/protocol"
)

// village is some places of a snapshot, under ids of their own.
func village(from, to int) string {
	var places []string
	for n := from; n < to; n++ {
		places = append(places, fmt.Sprintf(`{"id": "p%d", "name": "Место %d"}`, n, n))
	}
	return `{"mode": "snapshot", "places": [` + strings.Join(places, ",") + `]}`
}

func (b *bundle) accept(t *testing.T, upload guidedb.Upload, batch string) guidedb.Acceptance {
	t.Helper()
	upload.Batch = content.NewReader(strings.NewReader(batch), content.Rules{})
	accepted, err := b.imports.Accept(t.Context(), upload)
	require.NoError(t, err)
	return accepted
}

func (b *bundle) published(t *testing.T, list content.List) (count int) {
	t.Helper()
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM cms.objects WHERE list = $1 AND published", string(list)).Scan(&count))
	return count
}

func TestASnapshotThatTakesAwayTooMuchWaitsForItsNumberToBeConfirmed(t *testing.T) {
	t.Parallel()
	for name, batch := range map[string]string{
		"an empty list": village(0, 0), "cut short": village(0, 10), "too few": village(100, 450),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.load(t, village(0, 500))
			gone := 500 - strings.Count(batch, `"id"`)
			accepted := b.accept(t, guidedb.Upload{}, batch)
			require.Equal(t, content.Held, accepted.State)
			require.Equal(t, gone, accepted.Unpublishes)
			b.work(t, accepted.ID)
			require.Equal(t, 500, b.published(t, content.Places), "nothing happens by itself")

			status, err := b.imports.Status(t.Context(), accepted.ID)
			require.NoError(t, err)
			require.Equal(t, content.Held, status.State)
			require.Equal(t, gone, status.Unpublished)
			require.Equal(t, content.ObjectUnpublished, status.Difference[0].Kind)
			require.Len(t, status.Difference[0].Objects, 100)
			require.Contains(t, status.Difference[0].Objects[0].Name, "Место ")

			require.ErrorAs(t, b.imports.Confirm(t.Context(), accepted.ID, gone-1), new(*guidedb.CountError))
			require.NoError(t, b.imports.Confirm(t.Context(), accepted.ID, gone))
			b.work(t, accepted.ID)
			require.Equal(t, 500-gone, b.published(t, content.Places))
		})
	}
}

func TestASnapshotThatWaitsIsConfirmedByTheNumberThatEachAnswerNames(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{"by its key": "k", "by its content": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.load(t, strings.Replace(village(0, 500), "snapshot", "upsert", 1))
			b.load(t, `{"types": [{"id": "t", "name": "Тип"}, {"id": "hidden", "name": "Спрятанный"}], "unpublish": {"types": ["hidden"]}}`)
			b.load(t, `{"unpublish": {"types": ["hidden"]}}`)
			batch := strings.Replace(village(0, 10), `"places"`, `"unpublish": {"types": ["t", "hidden", "nowhere"]}, "places"`, 1)
			accepted := b.accept(t, guidedb.Upload{Key: key}, batch)
			require.Equal(t, content.Held, accepted.State)
			again := b.accept(t, guidedb.Upload{Key: key}, batch)
			require.True(t, again.Repeated)
			require.Equal(t, []int{491, 491}, []int{accepted.Unpublishes, again.Unpublishes})
			require.NoError(t, b.imports.Confirm(t.Context(), accepted.ID, accepted.Unpublishes))
		})
	}
}

func TestASnapshotWithinItsBrakeOrConfirmedInAdvanceGoesThrough(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.load(t, village(0, 50))
	require.Equal(t, 10, b.load(t, village(10, 50)).Unpublished, "a fifth")
	accepted := b.accept(t, guidedb.Upload{Confirmed: 30}, village(40, 50))
	require.Equal(t, content.Running, accepted.State)
	b.work(t, accepted.ID)
	require.Equal(t, 10, b.published(t, content.Places))
	require.Equal(t, content.Running, b.accept(t, guidedb.Upload{Brake: 100}, village(0, 0)).State, "who wants no brake has none")
}

func TestTheBrakeLooksAgainWhenAnImportsTurnComes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.load(t, village(0, 20))
	waiting := b.accept(t, guidedb.Upload{Key: "waiting"}, village(0, 18))
	require.Equal(t, content.Running, waiting.State)
	b.again(t, "meanwhile", strings.Replace(village(20, 60), "snapshot", "upsert", 1))
	b.work(t, waiting.ID)
	status, err := b.imports.Status(t.Context(), waiting.ID)
	require.NoError(t, err)
	require.Equal(t, content.Held, status.State)
	require.Equal(t, 42, status.Unpublished)
	require.Equal(t, 60, b.published(t, content.Places))
}

func TestAnImportThatIsConfirmedBeforeItsWorkerLooksAgainIsNotEndedUnapplied(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.load(t, village(0, 20))
	waiting := b.accept(t, guidedb.Upload{Key: "waiting"}, village(0, 18))
	b.again(t, "meanwhile", strings.Replace(village(20, 60), "snapshot", "upsert", 1))
	require.NoError(t, b.imports.Apply(t.Context(), waiting.ID, func(guidedb.Progress) {}))
	require.NoError(t, b.imports.Unpublish(t.Context(), waiting.ID, func(guidedb.Progress) {}))
	require.NoError(t, b.imports.Confirm(t.Context(), waiting.ID, 42))
	require.NoError(t, b.imports.Finish(t.Context(), waiting.ID, time.Now()))
	status, err := b.imports.Status(t.Context(), waiting.ID)
	require.NoError(t, err)
	require.Equal(t, content.Running, status.State)
	b.work(t, waiting.ID)
	require.Equal(t, 18, b.published(t, content.Places))
}

func TestWhatIsRefusedIsNeverUnpublishedInTheSameBreath(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.load(t, village(0, 500))
	nameless := strings.ReplaceAll(village(0, 50), `"id": "p`, `"code": "p`)
	status := b.load(t, nameless)
	require.Equal(t, content.Done, status.State)
	require.Equal(t, 50, status.RefusedCount)
	require.Zero(t, status.Unpublished, "any of the 500 may be among those refused")

	status = b.load(t, strings.Replace(village(0, 490), `"name": "Место 7"`, `"name": ""`, 1))
	require.Equal(t, 10, status.Unpublished)
	require.Equal(t, 490, b.published(t, content.Places), "p7 is refused, and stays as it was")
}

func TestWhatPeopleDoNotSeeAnyMoreGoesWithoutAWord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var events []string
	for n := range 40 {
		at := time.Now().AddDate(0, 0, n-30)
		events = append(events, fmt.Sprintf(`{"id": "e%d", "title": "Концерт", "starts_at": %q}`, n, at.Format(time.RFC3339)))
	}
	b.load(t, `{"events": [`+strings.Join(events, ",")+`]}`)
	require.Equal(t, 31, b.load(t, `{"mode": "snapshot", "events": [`+strings.Join(events[31:], ",")+`]}`).Unpublished)
}

func TestACheckTellsWhatAnImportWouldDoAndDoesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.load(t, `{"districts": [{"id": "d", "name": "Центр"}], "places": [{"id": "a", "name": "Кофейня", "address": "ул. Речная, 4", "district": "d"}, {"id": "b", "name": "Парк"}]}`)
	before := b.export(t)
	batch := `{"mode": "snapshot", "places": [{"id": "a", "name": "Кофейня", "address": "ул. Речная, 5", "district": "d"}, {"id": "c", "name": "Музей"}, {"id": "x", "name": "Тир", "district": "nope"}]}`
	status, err := b.imports.Check(t.Context(), guidedb.Upload{Batch: content.NewReader(strings.NewReader(batch), content.Rules{})})
	require.NoError(t, err)
	require.Equal(t, content.Difference{
		{List: content.Places, Kind: content.ObjectUnpublished, Count: 1, Objects: []content.ChangedObject{{ID: "b", Name: "Парк"}}},
		{List: content.Places, Kind: content.ObjectChanged, Count: 1, Objects: []content.ChangedObject{{
			ID: "a", Name: "Кофейня", Fields: []content.FieldChange{{Field: "address", Before: "ул. Речная, 4", After: "ул. Речная, 5"}},
		}}},
		{List: content.Places, Kind: content.ObjectCreated, Count: 1, Objects: []content.ChangedObject{{ID: "c", Name: "Музей"}}},
	}, status.Difference)
	require.Len(t, status.Refused, 1)
	require.Equal(t, "Тир", status.Refused[0].Name)
	require.Equal(t, before, b.export(t))
	var rows int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM cms.imports) + (SELECT count(*) FROM cms.staged_objects)").Scan(&rows))
	require.Equal(t, 1, rows)
}

func TestAHeldImportIsPreviewedThenConfirmedOrDiscarded(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	before := b.export(t)
	batch := `{"types": [{"id": "coffee", "name": "Кофе"}, {"id": "new", "name": "Новое"}, {"id": "bad"}]}`
	held := b.accept(t, guidedb.Upload{Hold: true, Author: "Анна", Origin: "места.xlsx"}, batch)
	status, err := b.imports.Status(t.Context(), held.ID)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 1}, []int{status.Created, status.Changed, status.RefusedCount})
	require.Equal(t, "Анна", status.Author)
	require.Equal(t, before, b.export(t))
	require.NoError(t, b.imports.Discard(t.Context(), held.ID))
	_, err = b.imports.Status(t.Context(), held.ID)
	require.ErrorIs(t, err, guidedb.ErrNotFound)

	held = b.accept(t, guidedb.Upload{Hold: true}, batch)
	require.NoError(t, b.imports.Confirm(t.Context(), held.ID, 0))
	b.work(t, held.ID)
	status, err = b.imports.Status(t.Context(), held.ID)
	require.NoError(t, err)
	require.Equal(t, content.Done, status.State)
	require.Equal(t, "coffee", status.Difference[0].Objects[0].ID)
	require.ErrorIs(t, b.imports.Discard(t.Context(), held.ID), guidedb.ErrNotFound)
}

func TestAnyImportCanBeTakenBackAndThatToo(t *testing.T) {
	t.Parallel()
	b := setupCity(t)
	before, listings := b.export(t), b.listings(t)
	batch := `{"mode": "snapshot", "types": [{"id": "coffee", "name": "��"}], "collections": [], "unpublish": {"events": ["jazz", "nowhere"]},
		"places": [{"id": "otkos", "name": "Кофейня «Обрыв»", "rating": 3, "types": ["coffee"]}, {"id": "new", "name": "Новое"}]}`
	ruin := b.accept(t, guidedb.Upload{Confirmed: 1000}, batch)
	b.work(t, ruin.ID)
	after := b.export(t)
	require.NotEqual(t, before, after)

	undo, err := b.imports.Undo(t.Context(), ruin.ID, "Анна")
	require.NoError(t, err)
	b.work(t, undo.ID)
	require.Equal(t, before, b.export(t))
	require.Equal(t, listings, b.listings(t))
	status, err := b.imports.Status(t.Context(), undo.ID)
	require.NoError(t, err)
	require.Equal(t, ruin.ID, status.Undoes)

	redo, err := b.imports.Undo(t.Context(), undo.ID, "Анна")
	require.NoError(t, err)
	b.work(t, redo.ID)
	require.Equal(t, after, b.export(t))
	history, err := b.imports.History(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, history, 4)
	require.Equal(t, undo.ID, history[0].Undoes)
}

func TestAnUndoLeavesWhatALaterImportWrote(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.load(t, `{"types": [{"id": "a", "name": "А"}, {"id": "b", "name": "Б"}]}`)
	ruin := b.accept(t, guidedb.Upload{}, `{"types": [{"id": "a", "name": "?"}, {"id": "b", "name": "?"}]}`)
	b.work(t, ruin.ID)
	b.load(t, `{"types": [{"id": "b", "name": "Новое"}]}`)
	undo, err := b.imports.Undo(t.Context(), ruin.ID, "")
	require.NoError(t, err)
	b.work(t, undo.ID)
	status, err := b.imports.Status(t.Context(), undo.ID)
	require.NoError(t, err)
	require.Equal(t, 1, status.Notes.KeptLater)
	require.Contains(t, b.export(t), `"name":"А"`)
	require.Contains(t, b.export(t), `"name":"Новое"`)
	_, err = b.imports.Undo(t.Context(), ruin.ID, "")
	require.ErrorIs(t, err, guidedb.ErrNotFound, "nothing is left of it")
}

func TestAnUndoLeavesWhatAnImportBeforeItIsAboutToWrite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.load(t, `{"types": [{"id": "a", "name": "А"}, {"id": "b", "name": "Б"}]}`)
	ruin := b.accept(t, guidedb.Upload{}, `{"types": [{"id": "a", "name": "?"}, {"id": "b", "name": "?"}]}`)
	b.work(t, ruin.ID)
	next := b.accept(t, guidedb.Upload{}, `{"types": [{"id": "b", "name": "Новое"}]}`)
	undo, err := b.imports.Undo(t.Context(), ruin.ID, "")
	require.NoError(t, err)
	b.work(t, next.ID)
	b.work(t, undo.ID)
	require.Contains(t, b.export(t), `"name":"А"`)
	require.Contains(t, b.export(t), `"name":"Новое"`)
}

func TestAnImportThatIsHeldOrHasFailedNeedsAPersonUntilTheNext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kinds := func() (kinds []string) {
		problems, err := b.store.ImportsWithPeople(t.Context())
		require.NoError(t, err)
		for _, problem := range problems {
			require.Contains(t, protocol.ProblemKinds, problem.Kind)
			require.NotEmpty(t, problem.Subject)
			require.NotNil(t, problem.Since)
			kinds = append(kinds, problem.Kind)
		}
		return kinds
	}
	b.load(t, village(0, 500))
	require.Empty(t, kinds())
	held := b.accept(t, guidedb.Upload{}, village(0, 10))
	require.Equal(t, []string{protocol.ProblemImportHeld}, kinds())
	failed := b.accept(t, guidedb.Upload{}, village(0, 499))
	require.NoError(t, b.imports.Fail(t.Context(), failed.ID, "for the test"))
	require.Equal(t, []string{protocol.ProblemImportHeld, protocol.ProblemImportFailed}, kinds())
	require.NoError(t, b.imports.Discard(t.Context(), held.ID))
	b.load(t, village(0, 498))
	require.Empty(t, kinds())
}
