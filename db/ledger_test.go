package db_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/notice"
	wallpost "vestnik/internal/post"
	"vestnik/internal/protocol"
)

// owing is a desk with one delivery, ready to be sent.
func owing(t *testing.T) (d *desk, delivery protocol.DeliveryKey) {
	t.Helper()
	d = newDesk(t)
	return d, d.oweOne(1)
}

func keyOf(postID int64) protocol.DeliveryKey {
	return protocol.DeliveryKey{Destination: somewhere, OwnerID: -1, PostID: postID}
}

func (d *desk) oweOne(postID int64) protocol.DeliveryKey {
	d.t.Helper()
	stored := post(-1, postID, fmt.Sprintf("Новость номер %d", postID))
	_, err := d.posts.StorePage(d.t.Context(), d.page(stored))
	require.NoError(d.t, err)
	_, created, err := d.posts.Owe(d.t.Context(), -1, postID, db.Owed{Destination: somewhere, Weight: 2})
	require.NoError(d.t, err)
	require.True(d.t, created)
	return keyOf(postID)
}

func (d *desk) open(key protocol.DeliveryKey) db.Delivery {
	d.t.Helper()
	delivery, err := d.ledger.Open(d.t.Context(), key, 0)
	require.NoError(d.t, err)
	return delivery
}

// begin begins an attempt at a delivery that was opened just now.
func (d *desk) begin(key protocol.DeliveryKey, part int) (db.Delivery, db.Attempt) {
	d.t.Helper()
	delivery := d.open(key)
	attempt, err := d.ledger.Begin(d.t.Context(), &delivery, db.Attempt{Part: part, Timeout: time.Minute, Shown: db.Shown{Kind: "message"}})
	require.NoError(d.t, err)
	return delivery, attempt
}

// arrive records that an attempt has arrived.
func (d *desk) arrive(key protocol.DeliveryKey, attempt db.Attempt, last bool, ids ...int64) string {
	d.t.Helper()
	status, err := d.ledger.Arrived(d.t.Context(), protocol.Arrival{
		DeliveryKey: key, Part: attempt.Part, Attempt: attempt.Number, BeganAt: attempt.BeganAt, MessageIDs: ids, Last: last,
	})
	require.NoError(d.t, err)
	return status
}

// send sends a part of a delivery.
func (d *desk) send(key protocol.DeliveryKey, part int, last bool, ids ...int64) {
	d.t.Helper()
	_, attempt := d.begin(key, part)
	d.arrive(key, attempt, last, ids...)
}

// overdue makes the deadline of every call in flight pass.
func (d *desk) overdue() {
	d.t.Helper()
	_, err := d.pool.Exec(d.t.Context(), "UPDATE relay.delivery_attempts SET deadline = now() - interval '1 second' WHERE finished_at IS NULL")
	require.NoError(d.t, err)
}

func (d *desk) rowOf(key protocol.DeliveryKey) db.DeliveryRow {
	d.t.Helper()
	rows, err := d.ledger.List(d.t.Context(), db.DeliveryFilter{Destination: key.Destination, Post: wallpost.ID{OwnerID: key.OwnerID, PostID: key.PostID}})
	require.NoError(d.t, err)
	require.Len(d.t, rows, 1)
	return rows[0]
}

func TestADeliveryIsSentWhenItsLastPartHasArrived(t *testing.T) {
	d, key := owing(t)
	delivery := d.open(key)
	cut := &notice.Cut{Parts: []notice.Step{{Text: "один"}, {Text: "два"}}, Photos: []db.Photo{{OwnerID: -1, ID: 7}}, Version: []byte("v1")}
	first, err := d.ledger.Begin(t.Context(), &delivery, db.Attempt{Timeout: time.Minute, Cut: cut})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSending, d.arrive(key, first, false, 11, 12))
	delivery = d.open(key)
	require.Equal(t, [][]int64{{11, 12}}, delivery.Arrived)
	require.Equal(t, cut, delivery.Cut, "what is still to come is sent as it was cut")
	d.send(key, 1, true, 13)
	require.Nil(t, d.open(key).Cut)
	row := d.rowOf(key)
	require.Equal(t, protocol.StatusSent, row.Status)
	require.Equal(t, []int64{11, 12, 13}, row.MessageIDs)
	require.Equal(t, 2, row.Attempts)
	require.NotNil(t, row.SentAt)
}

func TestAnUploadInFlightBarsNobodyButItsOwnDelivery(t *testing.T) {
	d, key := owing(t)
	other := d.oweOne(2)
	delivery := d.open(key)
	attempt, err := d.ledger.Begin(t.Context(), &delivery, db.Attempt{Timeout: time.Minute, Upload: true, Shown: db.Shown{Kind: "document"}})
	require.NoError(t, err)
	require.Zero(t, d.next().InFlightFor)
	d.send(other, 0, true, 11)
	var busy *db.BusyError
	_, err = d.ledger.Open(t.Context(), key, 0)
	require.ErrorAs(t, err, &busy)
	require.InDelta(t, time.Minute, busy.For, float64(10*time.Second))
	require.Equal(t, protocol.StatusSent, d.arrive(key, attempt, true, 12))

	third := d.oweOne(3)
	delivery = d.open(third)
	_, err = d.ledger.Begin(t.Context(), &delivery, db.Attempt{Timeout: time.Minute, Upload: true})
	require.NoError(t, err)
	d.overdue()
	require.Equal(t, 1, d.open(third).Uncertain, "its worker died")
}

func TestACallInFlightBarsEveryOtherToItsDestinationUntilItsDeadline(t *testing.T) {
	d, key := owing(t)
	other := d.oweOne(2)
	d.begin(key, 0)
	var busy *db.BusyError
	for _, barred := range []protocol.DeliveryKey{key, other} {
		_, err := d.ledger.Open(t.Context(), barred, 0)
		require.ErrorAs(t, err, &busy)
		require.InDelta(t, time.Minute, busy.For, float64(10*time.Second))
	}
	d.overdue()
	require.Zero(t, d.open(other).Uncertain)
	delivery := d.open(key)
	require.Equal(t, 1, delivery.Uncertain, "nobody can know whether it went out")
	require.Equal(t, 1, d.open(key).Uncertain, "opening again counts nothing again")
	uncertainty, err := d.ledger.Uncertain(t.Context(), delivery.ID, 0, time.Time{})
	require.NoError(t, err)
	require.Equal(t, 1, uncertainty.Attempts)
	require.Equal(t, 1, uncertainty.Unanswered)
	require.WithinDuration(t, time.Now(), uncertainty.Since, time.Minute)
	uncertainty, err = d.ledger.Uncertain(t.Context(), delivery.ID, 1, time.Time{})
	require.NoError(t, err)
	require.Zero(t, uncertainty.Attempts, "another part is another matter")
	uncertainty, err = d.ledger.Uncertain(t.Context(), delivery.ID, 0, time.Now().Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, 1, uncertainty.Attempts)
	require.Zero(t, uncertainty.Unacknowledged, "a person knows of it and said to send again")
	attempts, err := d.ledger.Attempts(t.Context(), delivery.ID)
	require.NoError(t, err)
	require.Equal(t, db.OutcomeUnknown, attempts[0].Outcome)
	require.NotNil(t, attempts[0].FinishedAt)
}

func TestAnOverdueCallOfADeliveryThatIsSentBarsNobody(t *testing.T) {
	d, key := owing(t)
	other := d.oweOne(2)
	_, late := d.begin(key, 0)
	d.overdue()
	d.begin(key, 0) // and this worker dies
	require.Equal(t, protocol.StatusSent, d.arrive(key, late, true, 11), "the first one's answer came late")
	d.overdue()
	d.send(other, 0, true, 12)
}

func TestNothingBeginsOnADeliveryThatHasChangedSinceItWasOpened(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(d *desk, key protocol.DeliveryKey){
		"a part has arrived": func(d *desk, key protocol.DeliveryKey) { d.send(key, 0, false, 11) },
		"it waits for a person": func(d *desk, key protocol.DeliveryKey) {
			_, err := d.ledger.Park(d.t.Context(), protocol.Park{DeliveryKey: key, Status: protocol.StatusParked, Reason: "forbidden"})
			require.NoError(d.t, err)
		},
		"an attempt has ended without anybody knowing how": func(d *desk, key protocol.DeliveryKey) {
			d.begin(key, 0)
			d.overdue()
			d.open(key)
		},
		"its destination is paused": func(d *desk, key protocol.DeliveryKey) {
			require.NoError(d.t, d.ledger.Pause(d.t.Context(), key.Destination, protocol.Pause{Reason: "ремонт", By: "дежурная"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, key := owing(t)
			opened := d.open(key)
			change(d, key)
			_, err := d.ledger.Begin(t.Context(), &opened, db.Attempt{Timeout: time.Minute})
			require.ErrorIs(t, err, db.ErrChanged)
		})
	}
}

func TestAnAnswerThatComesTooLateAddsItsMessagesAndChangesNothingElse(t *testing.T) {
	d, key := owing(t)
	_, late := d.begin(key, 0)
	d.overdue()
	newer, attempt := d.begin(key, 0)
	require.ErrorIs(t, d.ledger.Close(t.Context(), &newer, late, db.Ending{
		Outcome: db.OutcomeParked, Status: protocol.StatusParked, Reason: "forbidden", Pause: true,
	}, time.Time{}), db.ErrChanged, "a refusal is passed over: a newer call is under way")
	require.Equal(t, protocol.StatusSending, d.rowOf(key).Status)

	d.arrive(key, attempt, true, 12)
	require.Equal(t, protocol.StatusSent, d.arrive(key, late, true, 11))
	row := d.rowOf(key)
	require.Equal(t, []int64{12}, row.MessageIDs, "the part is what arrived first")
	var ids []int64
	require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT message_ids FROM relay.delivery_attempts WHERE delivery_id = $1 AND number = 1", row.ID).Scan(&ids))
	require.Equal(t, []int64{11}, ids, "the double is on record")
	attempts, err := d.ledger.Attempts(t.Context(), row.ID)
	require.NoError(t, err)
	require.Equal(t, []string{db.OutcomeUnknown, db.OutcomeSent}, []string{attempts[0].Outcome, attempts[1].Outcome}, "an attempt closes once")
}

func TestADeliveryThatCameToRestWhileItsWorkflowWaitedIsToBeTold(t *testing.T) {
	d, key := owing(t)
	_, late := d.begin(key, 0)
	d.overdue()
	d.open(key)
	_, err := d.ledger.Park(t.Context(), protocol.Park{DeliveryKey: key, Status: protocol.StatusUnknown, Reason: protocol.ReasonOutcomeUnknown})
	require.NoError(t, err)
	d.arrive(key, late, true, 11)
	keys, ids, err := d.ledger.Untold(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []protocol.DeliveryKey{key}, keys)
	require.NoError(t, d.ledger.Told(t.Context(), ids))
	keys, _, err = d.ledger.Untold(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, keys)
}

// Recovery reads what it is to start, and a row comes to rest before its run is there.
func TestARunThatBeganAfterItsDeliveryCameToRestIsToBeTold(t *testing.T) {
	d, key := owing(t)
	unstarted, err := d.ledger.Unstarted(t.Context(), 10)
	require.NoError(t, err)
	require.NoError(t, d.ledger.Suppress(t.Context(), key, "its case was closed"))
	require.NoError(t, d.ledger.Started(t.Context(), []int64{unstarted[0].ID}))
	keys, _, err := d.ledger.Untold(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []protocol.DeliveryKey{key}, keys)

	asked := d.oweOne(8)
	_, err = d.ledger.Park(t.Context(), protocol.Park{DeliveryKey: asked, Status: protocol.StatusParked, Reason: "captcha"})
	require.NoError(t, err)
	waiting, err := d.ledger.WithPeople(t.Context(), time.Now(), 10)
	require.NoError(t, err)
	require.NoError(t, d.ledger.Suppress(t.Context(), asked, "skipped"))
	require.NoError(t, d.ledger.RunsSeen(t.Context(), []int64{waiting[0].ID}))
	keys, _, err = d.ledger.Untold(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []protocol.DeliveryKey{key, asked}, keys)
}

func TestWhatHasBeenSentStaysSent(t *testing.T) {
	d, key := owing(t)
	ctx := t.Context()
	d.send(key, 0, true, 11)
	status, err := d.ledger.Park(ctx, protocol.Park{DeliveryKey: key, Status: protocol.StatusParked, Reason: "late"})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, status)
	requeued, err := d.ledger.Requeue(ctx, key)
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, requeued.Status)
	result, err := d.ledger.Settle(ctx, protocol.Settle{DeliveryKey: key, Action: protocol.ResumeSkip})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, result.Status)
	require.Equal(t, protocol.StatusSent, d.rowOf(key).Status)
}

func TestWhatASuppressedDeliveryStillSentIsOnRecordAndItStaysSuppressed(t *testing.T) {
	d, key := owing(t)
	_, attempt := d.begin(key, 0)
	_, err := d.ledger.Settle(t.Context(), protocol.Settle{DeliveryKey: key, Action: protocol.ResumeSkip, Note: "не надо\x00\x1b"})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSuppressed, d.arrive(key, attempt, true, 11))
	row := d.rowOf(key)
	require.Equal(t, "skipped by an operator: не надо", row.Reason)
	require.Equal(t, []int64{11}, row.MessageIDs)
}

func TestAWishThatIsNewerThanWhatARunKnowsIsNotParked(t *testing.T) {
	d, key := owing(t)
	park := protocol.Park{DeliveryKey: key, Status: protocol.StatusParked, Reason: "forbidden"}
	_, err := d.ledger.Park(t.Context(), park)
	require.NoError(t, err)
	requeued, err := d.ledger.Requeue(t.Context(), key)
	require.NoError(t, err)
	status, err := d.ledger.Park(t.Context(), park)
	require.NoError(t, err)
	require.Equal(t, protocol.StatusPending, status)
	park.WantedAt = requeued.WantedAt
	status, err = d.ledger.Park(t.Context(), park)
	require.NoError(t, err)
	require.Equal(t, protocol.StatusParked, status)
}

func TestARestoredLedgerLearnsFromClosedWorkflows(t *testing.T) {
	t.Parallel()
	wished := time.Now().Add(-time.Hour)
	for _, row := range []struct {
		name     string
		result   protocol.DeliverPostResult
		requeued bool // since the workflow closed
		settled  bool
		status   string
	}{
		{"sent was sent", protocol.DeliverPostResult{Status: protocol.StatusSent, MessageIDs: [][]int64{{7}, nil, {9}}}, false, true, protocol.StatusSent},
		{"sent was sent, whatever anybody wished since", protocol.DeliverPostResult{Status: protocol.StatusSent, MessageIDs: [][]int64{{7}, {9}}}, true, true, protocol.StatusSent},
		{"skipped is skipped", protocol.DeliverPostResult{Status: protocol.StatusSuppressed, Reason: "skipped by an operator"}, false, true, protocol.StatusSuppressed},
		{"skipped and wanted again is owed", protocol.DeliverPostResult{Status: protocol.StatusSuppressed, WantedAt: wished}, true, false, protocol.StatusPending},
		{"a run whose row was gone knows nothing", protocol.DeliverPostResult{Status: protocol.StatusUnrecorded}, false, false, protocol.StatusPending},
		{"terminated is owed", protocol.DeliverPostResult{}, false, false, protocol.StatusPending},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, key := owing(t)
			if row.requeued {
				_, err := d.ledger.Requeue(t.Context(), key)
				require.NoError(t, err)
			}
			settled, err := d.ledger.Learn(t.Context(), key, row.result)
			require.NoError(t, err)
			require.Equal(t, row.settled, settled)
			require.Equal(t, row.status, d.rowOf(key).Status)
			if row.status == protocol.StatusSent {
				require.Equal(t, []int64{7, 9}, d.rowOf(key).MessageIDs)
			}
		})
	}
}

func TestAParkedDeliveryKeepsItsCaptchaUntilItIsSent(t *testing.T) {
	d, key := owing(t)
	ctx := t.Context()
	asked := &protocol.Captcha{SID: "1", Picture: "https://vk.example/1.jpg"}
	delivery, attempt := d.begin(key, 0)
	require.NoError(t, d.ledger.Close(ctx, &delivery, attempt, db.Ending{
		Outcome: db.OutcomeParked, Code: 14, Error: "vk: wall.post: captcha 14", Status: protocol.StatusParked, Reason: "captcha", Captcha: asked, Pause: true,
	}, time.Time{}))
	_, err := d.ledger.Park(ctx, protocol.Park{DeliveryKey: key, Status: protocol.StatusParked, Reason: "captcha"})
	require.NoError(t, err)
	require.Equal(t, asked, d.rowOf(key).Captcha)
	require.Equal(t, protocol.LanePaused, d.lane().State)
	_, err = d.ledger.Requeue(ctx, key)
	require.NoError(t, err)
	require.Equal(t, protocol.LaneOpen, d.lane().State, "resuming what paused the lane lets it go on")
	require.Equal(t, protocol.StatusPending, d.rowOf(key).Status)
	require.Equal(t, asked, d.open(key).Captcha, "the next call names it")
	d.send(key, 0, true, 1)
	require.Nil(t, d.rowOf(key).Captcha)
}

func TestARungOnlyEverComesDown(t *testing.T) {
	d, key := owing(t)
	ctx := t.Context()
	id := d.rowOf(key).ID
	require.NoError(t, d.ledger.LowerPhoto(ctx, id, 3, db.RungSmaller))
	require.NoError(t, d.ledger.LowerPhoto(ctx, id, 3, db.RungUpload))
	rungs, err := d.ledger.PhotoRungs(ctx, id)
	require.NoError(t, err)
	require.Equal(t, map[int]db.Rung{3: db.RungSmaller}, rungs)
}

func TestADeliveryOwedTwiceIsOneRow(t *testing.T) {
	d, key := owing(t)
	id := d.rowOf(key).ID
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
	first, second := d.rowOf(d.oweOne(1)).ID, d.rowOf(d.oweOne(2)).ID
	d.send(keyOf(1), 0, true, 1)
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
	rows, err = d.ledger.List(ctx, db.DeliveryFilter{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, second, rows[0].ID)
	rows, err = d.ledger.List(ctx, db.DeliveryFilter{Limit: 1, Before: rows[0].ID})
	require.NoError(t, err)
	require.Equal(t, first, rows[0].ID, "the next page")
	rows, err = d.ledger.List(ctx, db.DeliveryFilter{Before: first})
	require.NoError(t, err)
	require.Empty(t, rows)
}

func TestAListIsFilteredByTypeAndTimeAndItsPagesFollowEachOther(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	var ids []int64
	for postID := range int64(6) {
		ids = append(ids, d.rowOf(d.oweOne(postID+1)).ID)
	}
	exec := func(statement string, arguments ...any) {
		_, err := d.pool.Exec(ctx, statement, arguments...)
		require.NoError(t, err)
	}
	exec("UPDATE relay.posts SET type = CASE post_id % 2 WHEN 0 THEN 'found' ELSE 'lost' END")
	day := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	for i, id := range ids { // two a day
		exec("UPDATE relay.deliveries SET created_at = $1 WHERE id = $2", day.Add(time.Duration(i)*12*time.Hour), id)
	}
	exec("UPDATE relay.deliveries SET status = 'parked' WHERE id = ANY($1)", ids[2:])
	all := func(filter db.DeliveryFilter) (found []int64) { // a row a page
		for filter.Limit = 1; ; {
			rows, err := d.ledger.List(ctx, filter)
			require.NoError(t, err)
			if len(rows) == 0 {
				return found
			}
			found, filter.Before = append(found, rows[0].ID), rows[0].ID
		}
	}
	second, third := day.AddDate(0, 0, 1), day.AddDate(0, 0, 2)
	require.Equal(t, []int64{ids[5], ids[3], ids[1]}, all(db.DeliveryFilter{Type: "found"}), "also of those whose type has changed since")
	require.Empty(t, all(db.DeliveryFilter{Type: "adoption"}))
	require.Equal(t, []int64{ids[5], ids[4], ids[3], ids[2]}, all(db.DeliveryFilter{Since: second}))
	require.Equal(t, []int64{ids[3], ids[2]}, all(db.DeliveryFilter{Since: second, Until: third}))
	require.Equal(t, []int64{ids[2]}, all(db.DeliveryFilter{Since: second, Until: third, Type: "lost", Status: protocol.StatusParked, Destination: somewhere}))
	require.Empty(t, all(db.DeliveryFilter{Since: third.AddDate(0, 0, 1)}))
	require.Empty(t, all(db.DeliveryFilter{Until: day}))
	require.Equal(t, []int64{ids[2]}, all(db.DeliveryFilter{Post: wallpost.ID{OwnerID: -1, PostID: 3}, Type: "lost"}))
	require.Empty(t, all(db.DeliveryFilter{Post: wallpost.ID{OwnerID: -1, PostID: 3}, Type: "found"}))

	matching := db.WaitingFilter{Type: "found", Since: second, Until: third.AddDate(0, 0, 1)}
	waiting, asOf, err := d.ledger.CountWaiting(ctx, matching)
	require.NoError(t, err)
	require.Equal(t, 2, waiting)
	_, err = d.ledger.DecideAll(ctx, db.Decision{Action: "skip"}, matching, asOf, false)
	require.NoError(t, err)
	bulk, err := d.ledger.ClaimBulk(ctx, 0)
	require.NoError(t, err)
	found, err := d.ledger.NextOfBulk(ctx, bulk, 10)
	require.NoError(t, err)
	require.Equal(t, []int64{ids[3], ids[5]}, found)
}

func TestWhatRestsIsTalliedThroughEveryChange(t *testing.T) {
	d := newDesk(t)
	counts := func() map[string]int {
		summary, err := d.ledger.Summarise(t.Context(), time.Now())
		require.NoError(t, err)
		return summary.Statuses
	}
	d.oweOne(1)
	d.oweOne(2)
	require.Equal(t, map[string]int{protocol.StatusPending: 2}, counts())
	d.send(keyOf(1), 0, true, 1)
	_, err := d.pool.Exec(t.Context(), "UPDATE relay.deliveries SET status = 'failed' WHERE post_id = 2")
	require.NoError(t, err)
	require.Equal(t, map[string]int{protocol.StatusSent: 1, protocol.StatusFailed: 1}, counts())
	require.NoError(t, d.ledger.FoldTallies(t.Context()))
	_, err = d.ledger.Requeue(t.Context(), keyOf(2))
	require.NoError(t, err)
	require.Equal(t, map[string]int{protocol.StatusSent: 1, protocol.StatusPending: 1}, counts())
	require.NoError(t, d.ledger.FoldTallies(t.Context()))
	require.Equal(t, map[string]int{protocol.StatusSent: 1, protocol.StatusPending: 1}, counts())
}

func TestWhatIsToStartIsKnownThroughEveryChange(t *testing.T) {
	d := newDesk(t)
	toStart := func() (posts []int64) {
		rows, err := d.ledger.Unstarted(t.Context(), 10)
		require.NoError(t, err)
		for _, row := range rows {
			posts = append(posts, row.PostID)
		}
		var marked int
		require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT count(*) FROM relay.deliveries_to_start").Scan(&marked))
		require.Len(t, posts, marked, "and nothing else is kept")
		return posts
	}
	d.oweOne(1)
	d.oweOne(2)
	require.Equal(t, []int64{1, 2}, toStart())
	require.NoError(t, d.ledger.Started(t.Context(), []int64{d.open(keyOf(1)).ID}))
	require.Equal(t, []int64{2}, toStart())
	delivery, attempt := d.begin(keyOf(2), 0) // its turn comes before it was started
	require.Empty(t, toStart())
	require.NoError(t, d.ledger.Close(t.Context(), &delivery, attempt, db.Ending{
		Outcome: db.OutcomeRateLimited, Status: protocol.StatusPending, Reason: "too_many_requests",
	}, time.Now()))
	require.Equal(t, []int64{2}, toStart())
	require.NoError(t, d.ledger.Suppress(t.Context(), keyOf(2), "skipped"))
	require.Empty(t, toStart())
	delivery, attempt = d.begin(keyOf(1), 0)
	require.NoError(t, d.ledger.Close(t.Context(), &delivery, attempt, db.Ending{
		Outcome: db.OutcomeParked, Status: protocol.StatusParked, Reason: "captcha",
	}, time.Now()))
	_, err := d.ledger.Requeue(t.Context(), keyOf(1))
	require.NoError(t, err)
	require.Equal(t, []int64{1}, toStart(), "wanted anew")
}

func TestWhatIsSpacedOutIsToStartWhenItIsDue(t *testing.T) {
	d := newDesk(t)
	for id := range int64(3) {
		d.oweOne(id + 1)
	}
	toStart := func(due string, of int64) (posts []int64) {
		_, err := d.pool.Exec(t.Context(), "UPDATE relay.deliveries SET due_at = "+due+" WHERE post_id = $1", of)
		require.NoError(t, err)
		rows, err := d.ledger.Unstarted(t.Context(), 10)
		require.NoError(t, err)
		for _, row := range rows {
			posts = append(posts, row.PostID)
		}
		return posts
	}
	require.Equal(t, []int64{2, 3}, toStart("now() + interval '1 day'", 1))
	require.Equal(t, []int64{3}, toStart("now() + interval '1 hour'", 2))
	require.Equal(t, []int64{3, 1}, toStart("now() - interval '1 second'", 1), "behind what has been due all along")
	require.Equal(t, []int64{2, 3, 1}, toStart("NULL", 2))
}

func TestARowThatIsNotThereIsSaidSo(t *testing.T) {
	d := newDesk(t)
	_, err := d.ledger.Open(t.Context(), keyOf(404), 0)
	require.ErrorIs(t, err, db.ErrNotFound)
	_, err = d.ledger.Requeue(t.Context(), keyOf(404))
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
