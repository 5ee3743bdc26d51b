package db_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
)

var configured = protocol.Pace{PerSecond: 1, PerMinute: 20}

func (d *desk) next() protocol.LaneView {
	d.t.Helper()
	view, err := d.ledger.Next(d.t.Context(), somewhere, configured)
	require.NoError(d.t, err)
	return view
}

func (d *desk) lane() protocol.LaneState {
	d.t.Helper()
	lanes, err := d.ledger.Lanes(d.t.Context(), somewhere, func(string) protocol.Pace { return configured })
	require.NoError(d.t, err)
	require.Len(d.t, lanes, 1)
	return lanes[0]
}

// posts are the posts of the jobs that are next.
func posts(view protocol.LaneView) []int64 {
	var ids []int64
	for _, job := range view.Jobs {
		ids = append(ids, job.PostID)
	}
	return ids
}

// edits are the edits among the jobs that are next.
func edits(view protocol.LaneView) []protocol.Job {
	return slices.DeleteFunc(view.Jobs, func(job protocol.Job) bool { return job.EditID == 0 })
}

func TestALaneReadsWhatItsDestinationOwesInOrderAFewAtATime(t *testing.T) {
	d := newDesk(t)
	for post := range int64(25) {
		d.oweOne(post + 1)
	}
	view := d.next()
	require.Len(t, view.Jobs, 20)
	require.False(t, view.All)
	require.Equal(t, int64(1), view.Jobs[0].PostID)
	require.Equal(t, 2, view.Jobs[0].Weight)
	require.Equal(t, configured, view.Pace)

	d.send(keyOf(1), 0, true, 11)
	_, err := d.ledger.Park(t.Context(), protocol.Park{DeliveryKey: keyOf(2), Status: protocol.StatusParked, Reason: "forbidden"})
	require.NoError(t, err)
	for post := range int64(8) {
		require.NoError(t, d.ledger.Suppress(t.Context(), keyOf(post+10), "нет"))
	}
	view = d.next()
	require.Equal(t, []int64{3, 4, 5, 6, 7, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25}, posts(view))
	require.True(t, view.All)

	_, err = d.ledger.Requeue(t.Context(), keyOf(2))
	require.NoError(t, err)
	require.Equal(t, int64(2), d.next().Jobs[0].PostID, "what is sent again goes where it stood")
}

func TestAPostThatIsEditedWhileItsMessageIsComposedIsEditedWhenThatHasArrived(t *testing.T) {
	d, key := owing(t)
	delivery := d.open(key)
	d.store(post(-1, 1, "Новость номер 1, исправленная"))
	attempt, err := d.ledger.Begin(t.Context(), &delivery, db.Attempt{Timeout: time.Minute, Shown: db.Shown{Kind: "message"}})
	require.NoError(t, err)
	require.Empty(t, edits(d.next()), "an attempt may still bring the words before")
	d.arrive(key, attempt, true, 11)
	require.Len(t, edits(d.next()), 1)
}

func TestWhatIsNotStartedIsStartedOnceAndAgainWhenItIsWantedAgain(t *testing.T) {
	d := newDesk(t)
	d.oweOne(1)
	d.oweOne(2)
	owed, err := d.ledger.Unstarted(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []protocol.DeliveryKey{keyOf(1), keyOf(2)}, []protocol.DeliveryKey{owed[0].DeliveryKey, owed[1].DeliveryKey}, "the oldest first")
	require.NoError(t, d.ledger.Started(t.Context(), []int64{owed[0].ID, owed[1].ID}))
	owed, err = d.ledger.Unstarted(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, owed)
	_, err = d.ledger.Requeue(t.Context(), keyOf(1))
	require.NoError(t, err)
	owed, err = d.ledger.Unstarted(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, owed, 1)
	require.False(t, owed[0].WantedAt.IsZero())
}

func TestWhatWasDecidedAboutADestinationIsInTheLedger(t *testing.T) {
	d, key := owing(t)
	ctx := t.Context()
	words := strings.Repeat("ж", 3000) + "\x00\x1b[31m\n"
	require.NoError(t, d.ledger.Pause(ctx, somewhere, protocol.Pause{Reason: words, By: "дежурная"}))
	view := d.next()
	require.Equal(t, strings.Repeat("ж", 3000)+"[31m\n", view.Paused.Reason)
	require.Equal(t, "operator", view.Paused.Slug())
	require.Equal(t, protocol.LanePaused, d.lane().State)
	require.Equal(t, "дежурная", d.lane().PausedBy)
	_, err := d.ledger.Resume(ctx, somewhere)
	require.NoError(t, err)
	require.Nil(t, d.next().Paused)

	require.NoError(t, d.ledger.SetRate(ctx, somewhere, protocol.Pace{PerSecond: 0.1}, configured))
	require.Equal(t, protocol.Pace{PerSecond: 0.1}, d.next().Pace)
	changed, err := d.ledger.Next(ctx, somewhere, protocol.Pace{PerSecond: 2, PerMinute: 20})
	require.NoError(t, err)
	require.InDelta(t, 2, changed.Pace.PerSecond, 0, "until the configured rate changes")

	delivery, attempt := d.begin(key, 0)
	require.InDelta(t, time.Minute, d.next().InFlightFor, float64(10*time.Second))
	require.NoError(t, d.ledger.Close(ctx, &delivery, attempt, db.Ending{
		Outcome: db.OutcomeRateLimited, Status: protocol.StatusPending, Reason: "Telegram asks to wait 40s", Cool: 40 * time.Second,
	}, time.Time{}))
	view = d.next()
	require.Zero(t, view.InFlightFor)
	require.InDelta(t, 40*time.Second, view.CoolFor, float64(10*time.Second))
	require.Equal(t, "Telegram asks to wait 40s", view.CoolReason)
	require.Equal(t, protocol.LaneCooling, d.lane().State)
}

// fail makes a turn of a delivery fail, because the platform is unavailable, and
// returns the delivery's status.
func (d *desk) fail(key protocol.DeliveryKey) string {
	d.t.Helper()
	delivery, attempt := d.begin(key, 0)
	require.NoError(d.t, d.ledger.Close(d.t.Context(), &delivery, attempt, db.Ending{
		Outcome: db.OutcomeRetry, Status: protocol.StatusSending, Reason: "server_error", TurnFailed: true,
	}, time.Time{}))
	return delivery.Status
}

func TestAPlatformThatIsDownForEverybodyCoolsItsDestinationAndParksNobody(t *testing.T) {
	d := newDesk(t)
	for post := range int64(4) {
		d.oweOne(post + 1)
	}
	var waits []time.Duration
	var tried []int64
	for range 8 {
		first := d.next().Jobs[0].PostID
		tried = append(tried, first)
		require.Equal(t, protocol.StatusSending, d.fail(keyOf(first)))
		waits = append(waits, d.next().CoolFor.Round(time.Second))
		_, err := d.pool.Exec(t.Context(), "UPDATE relay.destinations SET cooling_until = NULL")
		require.NoError(t, err)
	}
	require.Equal(t, []int64{1, 1, 1, 2, 1, 3, 1, 4}, tried, "from the third on, another one each time: two may be at fault")
	require.Equal(t, []time.Duration{5 * time.Second, 15 * time.Second, 0, time.Minute, 0, time.Minute, 0, time.Minute}, waits)
	require.NotNil(t, d.lane().FailingSince)
	d.send(keyOf(1), 0, true, 11)
	require.Nil(t, d.lane().FailingSince)
	require.Equal(t, []int64{2, 3, 4}, posts(d.next()), "in order again")
}

func TestFailuresBeforeAPartArrivedDoNotCountAgainstTheNext(t *testing.T) {
	d := newDesk(t)
	d.oweOne(1)
	d.oweOne(2)
	require.Equal(t, protocol.StatusSending, d.fail(keyOf(1)))
	d.send(keyOf(1), 0, false, 11)
	d.send(keyOf(2), 0, true, 12)
	for range 4 { // one turn's tries
		require.Equal(t, protocol.StatusSending, d.fail(keyOf(1)), "nobody has got through since")
	}
}

func TestADeliveryThatKeepsFailingWhileOthersGetThroughIsParked(t *testing.T) {
	d := newDesk(t)
	d.oweOne(1)
	d.oweOne(2)
	for range 6 {
		require.Equal(t, protocol.StatusSending, d.fail(keyOf(1)))
	}
	d.send(keyOf(2), 0, true, 12)
	require.Equal(t, protocol.StatusParked, d.fail(keyOf(1)))
	require.Equal(t, protocol.ReasonUnavailable, d.rowOf(keyOf(1)).Reason)
	require.Nil(t, d.lane().FailingSince)
}

func TestEditsStandBehindWhatWasOwedBeforeThem(t *testing.T) {
	d := newDesk(t)
	d.oweOne(1)
	d.send(keyOf(1), 0, true, 11)
	d.oweOne(2)
	d.store(post(-1, 1, "Новость номер 1, исправленная"))
	d.oweOne(3)
	view := d.next()
	require.Equal(t, []int64{2, 1, 3}, posts(view))
	edit := view.Jobs[1].EditID
	require.NotZero(t, edit)
	require.NoError(t, d.ledger.PostponeEdit(t.Context(), edit, "unavailable", time.Minute))
	require.Equal(t, []int64{2, 3}, posts(d.next()))
}

func TestFreshNewsGoesFirstAndNothingStarves(t *testing.T) {
	d := newDesk(t)
	owe := func(postID int64, later bool) {
		_, err := d.posts.StorePage(t.Context(), d.page(post(-1, postID, fmt.Sprintf("Новость номер %d", postID))))
		require.NoError(t, err)
		_, _, err = d.posts.Owe(t.Context(), -1, postID, db.Owed{Destination: somewhere, Wanted: true, Later: later})
		require.NoError(t, err)
	}
	for i := range int64(3) {
		owe(101+i, true)
	}
	for i := range int64(7) {
		owe(1+i, false)
	}
	require.Equal(t, []int64{1, 2, 3, 4, 101, 5, 6, 7, 102, 103}, posts(d.next()))
	for i := range int64(3) {
		d.send(keyOf(1+i), 0, true, 10+i)
	}
	require.Equal(t, []int64{4, 101, 5, 6, 7, 102, 103}, posts(d.next()), "the share does not begin anew when the lane looks again")
	d.send(keyOf(4), 0, true, 14)
	d.send(keyOf(101), 0, true, 15)
	d.send(keyOf(102), 0, false, 16)
	require.Equal(t, []int64{102, 5, 6, 7, 103}, posts(d.next()), "what has begun goes on")

	_, err := d.pool.Exec(t.Context(), `INSERT INTO relay.amendments (delivery_id, cause)
		SELECT v.id, c.cause FROM relay.deliveries v JOIN (VALUES (1, 'edited'), (2, 'closed')) c (post_id, cause) USING (post_id)`)
	require.NoError(t, err)
	view := d.next()
	require.Equal(t, []int64{102, 5, 6, 7, 103, 2, 1}, posts(view), "an edit that closes a case is urgent, another can wait")
}
