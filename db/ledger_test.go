package db_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
)

// owing is a desk with one delivery, ready to be sent.
func owing(t *testing.T) (d *desk, delivery int64) {
	t.Helper()
	d = newDesk(t)
	return d, d.oweOne(1)
}

func (d *desk) oweOne(postID int64) int64 {
	d.t.Helper()
	stored := post(-1, postID, fmt.Sprintf("Новость номер %d", postID))
	_, err := d.posts.StorePage(d.t.Context(), d.page(stored))
	require.NoError(d.t, err)
	id, created, err := d.posts.Owe(d.t.Context(), -1, postID, db.Owed{Destination: somewhere, Weight: 2})
	require.NoError(d.t, err)
	require.True(d.t, created)
	return id
}

func (d *desk) open(id int64) db.Delivery {
	d.t.Helper()
	delivery, err := d.ledger.Open(d.t.Context(), id)
	require.NoError(d.t, err)
	return delivery
}

func (d *desk) begin(id int64, part int) db.Attempt {
	d.t.Helper()
	attempt, err := d.ledger.Begin(d.t.Context(), d.open(id), part, "", db.Shown{Kind: "message"})
	require.NoError(d.t, err)
	return attempt
}

func (d *desk) rowOf(id int64) db.DeliveryRow {
	d.t.Helper()
	rows, err := d.ledger.List(d.t.Context(), db.DeliveryFilter{ID: id})
	require.NoError(d.t, err)
	require.Len(d.t, rows, 1)
	return rows[0]
}

func TestADeliveryIsSentWhenItsLastPartHasArrived(t *testing.T) {
	d, id := owing(t)
	ctx := t.Context()
	require.NoError(t, d.ledger.Arrived(ctx, d.begin(id, 0), []int64{11, 12}, &db.Cut{Parts: []byte(`[1,2]`), Version: []byte("v1")}))
	require.Equal(t, protocol.StatusSending, d.rowOf(id).Status)
	delivery := d.open(id)
	require.Equal(t, [][]int64{{11, 12}}, delivery.Arrived)
	require.JSONEq(t, `[1,2]`, string(delivery.Cut.Parts), "what is still to come is sent as it was cut")
	require.Equal(t, []byte("v1"), delivery.Cut.Version)
	require.NoError(t, d.ledger.Arrived(ctx, d.begin(id, 1), []int64{13}, nil))
	require.Nil(t, d.open(id).Cut)
	row := d.rowOf(id)
	require.Equal(t, protocol.StatusSent, row.Status)
	require.Equal(t, []int64{11, 12, 13}, row.MessageIDs)
	require.Equal(t, 2, row.Attempts)
	require.NotNil(t, row.SentAt)
}

func TestAnAttemptThatWasCutOffIsClosedAsUnknownAndCountedOnce(t *testing.T) {
	d, id := owing(t)
	d.begin(id, 0) // and the worker dies
	delivery := d.open(id)
	require.Equal(t, 1, delivery.Uncertain)
	require.Equal(t, 1, d.open(id).Uncertain, "opening again counts nothing again")
	uncertainty, err := d.ledger.Uncertain(t.Context(), id, 0, time.Time{})
	require.NoError(t, err)
	require.Equal(t, 1, uncertainty.Attempts)
	require.Equal(t, 1, uncertainty.Unanswered)
	require.WithinDuration(t, time.Now(), uncertainty.Since, time.Minute)
	uncertainty, err = d.ledger.Uncertain(t.Context(), id, 1, time.Time{})
	require.NoError(t, err)
	require.Zero(t, uncertainty.Attempts, "another part is another matter")
	uncertainty, err = d.ledger.Uncertain(t.Context(), id, 0, time.Now().Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, 1, uncertainty.Attempts)
	require.Zero(t, uncertainty.Unforgiven, "a person knows of it and said to send again")
	attempts, err := d.ledger.Attempts(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, db.OutcomeUnknown, attempts[0].Outcome)
	require.NotNil(t, attempts[0].FinishedAt)
}

func TestWhatHasBeenSentStaysSent(t *testing.T) {
	d, id := owing(t)
	ctx := t.Context()
	require.NoError(t, d.ledger.Arrived(ctx, d.begin(id, 0), []int64{11}, nil))
	require.NoError(t, d.ledger.Park(ctx, protocol.Park{DeliveryID: id, Status: protocol.StatusParked, Reason: "late"}))
	require.NoError(t, d.ledger.Requeue(ctx, id))
	result, err := d.ledger.Settle(ctx, protocol.Settle{DeliveryID: id, Action: protocol.ResumeSkip})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Equal(t, protocol.StatusSent, d.rowOf(id).Status)
}

func TestAParkedDeliveryKeepsItsCaptchaUntilItIsSent(t *testing.T) {
	d, id := owing(t)
	ctx := t.Context()
	asked := &db.Captcha{SID: "1", Picture: "https://vk.example/1.jpg"}
	require.NoError(t, d.ledger.Close(ctx, d.begin(id, 0), db.Ending{
		Outcome: db.OutcomeParked, Code: 14, Error: "vk: wall.post: captcha 14", Status: protocol.StatusParked, Reason: "captcha", Captcha: asked,
	}))
	require.NoError(t, d.ledger.Park(ctx, protocol.Park{DeliveryID: id, Status: protocol.StatusParked, Reason: "captcha"}))
	require.Equal(t, asked, d.rowOf(id).Captcha)
	require.NoError(t, d.ledger.Requeue(ctx, id))
	require.Equal(t, protocol.StatusPending, d.rowOf(id).Status)
	require.Equal(t, asked, d.open(id).Captcha, "the next call names it")
	require.NoError(t, d.ledger.Arrived(ctx, d.begin(id, 0), []int64{1}, nil))
	require.Nil(t, d.rowOf(id).Captcha)
}

func TestARungOnlyEverComesDown(t *testing.T) {
	d, id := owing(t)
	ctx := t.Context()
	require.NoError(t, d.ledger.LowerPhoto(ctx, id, 3, db.RungSmaller))
	require.NoError(t, d.ledger.LowerPhoto(ctx, id, 3, db.RungUpload))
	rungs, err := d.ledger.PhotoRungs(ctx, id)
	require.NoError(t, err)
	require.Equal(t, map[int]db.Rung{3: db.RungSmaller}, rungs)
}

func TestWhatIsOwedIsQueuedOnceAndAgainOnlyAfterAWhile(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	first, second := d.oweOne(1), d.oweOne(2)
	owed, err := d.ledger.Unqueued(ctx, time.Now().Add(-time.Hour), 10)
	require.NoError(t, err)
	require.Equal(t, []int64{first, second}, []int64{owed[0].ID, owed[1].ID}, "the oldest first")
	require.Equal(t, 2, owed[0].Weight)
	require.NoError(t, d.ledger.MarkQueued(ctx, []int64{first}))
	owed, err = d.ledger.Unqueued(ctx, time.Now().Add(-time.Hour), 10)
	require.NoError(t, err)
	require.Len(t, owed, 1)
	owed, err = d.ledger.Unqueued(ctx, time.Now().Add(time.Hour), 10)
	require.NoError(t, err)
	require.Len(t, owed, 2, "a lane may have lost it")
	require.NoError(t, d.ledger.Park(ctx, protocol.Park{DeliveryID: first, Status: protocol.StatusParked}))
	owed, err = d.ledger.Unqueued(ctx, time.Now().Add(time.Hour), 10)
	require.NoError(t, err)
	require.Len(t, owed, 1, "what waits for a person does not wait for its turn")
}

func TestADeliveryOwedTwiceIsOneRow(t *testing.T) {
	d, id := owing(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			again, created, err := d.posts.Owe(t.Context(), -1, 1, db.Owed{Destination: somewhere})
			if err != nil || created || again != id {
				t.Errorf("again: %d %t %v", again, created, err)
			}
		})
	}
	wait.Wait()
	rows, err := d.ledger.List(t.Context(), db.DeliveryFilter{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
}

func TestADatabaseThatFailsInTheMiddleOfAPageStoresNothingOfIt(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	walls := db.NewWalls(d.pool)
	require.NoError(t, walls.Watch(ctx, []string{"wall"}, time.Minute))
	failing, fail := context.WithCancel(ctx)
	page := db.Page{
		Posts: []db.Post{post(-1, 1, "Пропала кошка, ул. Мира 1"), post(-1, 2, "Пропала собака, ул. Речная 2")},
		Wall:  &db.WallRead{Name: "wall", NextReadAt: time.Now(), ReadEvery: time.Minute},
		Owed: func(post db.Post) []db.Owed {
			if post.PostID == 2 {
				fail()
			}
			return []db.Owed{{Destination: somewhere}}
		},
	}
	_, err := d.posts.StorePage(failing, page)
	require.Error(t, err)
	known, err := d.posts.Known(ctx, -1, []int64{1, 2})
	require.NoError(t, err)
	require.Empty(t, known, "posts, deliveries and cursor stand or fall together")
	rows, err := d.ledger.List(ctx, db.DeliveryFilter{})
	require.NoError(t, err)
	require.Empty(t, rows)
	wall, err := walls.Get(ctx, "wall")
	require.NoError(t, err)
	require.True(t, wall.LastReadAt.IsZero())
}

func TestTheSamePageStoredByManyAtOnceOwesNothingTwice(t *testing.T) {
	d := newDesk(t)
	texts := []string{
		"Пропал рыжий кот Персик, ул. Мира, 1, тел. 8 900 000-01-01", "Потерялась собака Альма, чёрная, пр. Строителей, 7, 8 900 000-02-02",
		"Сбежал попугай Кеша, зелёный, ул. Лесная, 40, позвоните 8 900 000-03-03",
	}
	totals := make([]db.PageStored, 6)
	var wait sync.WaitGroup
	for i := range totals {
		wait.Go(func() {
			var posts []db.Post
			for n, text := range texts {
				posts = append(posts, post(-1, int64(n+1), text))
			}
			var err error
			if totals[i], err = d.posts.StorePage(context.WithoutCancel(t.Context()), d.page(posts...)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	created, owed := 0, 0
	for _, total := range totals {
		created, owed = created+total.New, owed+total.Owed
	}
	require.Equal(t, len(texts), created)
	rows, err := d.ledger.List(t.Context(), db.DeliveryFilter{})
	require.NoError(t, err)
	require.Len(t, rows, owed)
	require.Len(t, rows, len(texts))
}

func TestAListIsFilteredAndTheNewestComesFirst(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	first, second := d.oweOne(1), d.oweOne(2)
	require.NoError(t, d.ledger.Arrived(ctx, d.begin(first, 0), []int64{1}, nil))
	rows, err := d.ledger.List(ctx, db.DeliveryFilter{})
	require.NoError(t, err)
	require.Equal(t, []int64{second, first}, []int64{rows[0].ID, rows[1].ID})
	rows, err = d.ledger.List(ctx, db.DeliveryFilter{Status: protocol.StatusSent})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	rows, err = d.ledger.List(ctx, db.DeliveryFilter{Destination: elsewhere})
	require.NoError(t, err)
	require.Empty(t, rows)
	summary, err := d.ledger.Summarise(ctx, time.Now())
	require.NoError(t, err)
	require.Equal(t, 1, summary.SentLastHour)
	require.Equal(t, map[string]int{protocol.StatusSent: 1, protocol.StatusPending: 1}, summary.Statuses)
}

func TestARowThatIsNotThereIsSaidSo(t *testing.T) {
	d := newDesk(t)
	_, err := d.ledger.Open(t.Context(), 404)
	require.ErrorIs(t, err, db.ErrNotFound)
	_, err = d.ledger.ToQueue(t.Context(), 404)
	require.ErrorIs(t, err, db.ErrNotFound)
	_, err = d.posts.Get(t.Context(), -1, 404)
	require.ErrorIs(t, err, db.ErrNotFound)
	_, _, err = d.posts.Owe(t.Context(), -1, 404, db.Owed{Destination: somewhere})
	require.ErrorIs(t, err, db.ErrNotFound)
}

func TestATextThatPostgresCannotKeepIsCleaned(t *testing.T) {
	d := newDesk(t)
	stored := post(-1, 1, "Пропала\x00 кошка \xff, ул. Мира")
	_, err := d.posts.StorePage(t.Context(), d.page(stored))
	require.NoError(t, err)
	kept, err := d.posts.Get(t.Context(), -1, 1)
	require.NoError(t, err)
	require.Equal(t, "Пропала кошка \uFFFD, ул. Мира", kept.Text)
}
