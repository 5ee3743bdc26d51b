package db_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
)

// updates is how many rows of a table were updated, and how many of the updates
// were HOT: in place, with no index touched. The pool has one connection, which
// has made them.
func updates(tb testing.TB, pool *pgxpool.Pool, table string) (hot, all int) {
	tb.Helper()
	require.EqualValues(tb, 1, pool.Config().MaxConns)
	_, err := pool.Exec(tb.Context(), "SELECT pg_stat_force_next_flush()")
	require.NoError(tb, err)
	require.NoError(tb, pool.QueryRow(tb.Context(),
		"SELECT n_tup_hot_upd, n_tup_upd FROM pg_stat_user_tables WHERE relid = ('relay.' || $1)::regclass", table).Scan(&hot, &all))
	return hot, all
}

// A status that changes is a change of the index that lists and counts by it. No
// other update of a delivery on its way touches an index.
func TestADeliverysUpdatesAreInPlaceButWhereItsStatusChanges(t *testing.T) {
	t.Parallel()
	d := deskAt(t, testenv.Database(t)+"&pool_max_conns=1")
	key := d.oweOne(1)
	require.NoError(t, d.ledger.Started(t.Context(), []int64{d.open(key).ID}))
	again, attempt := d.begin(key, 0) // pending → sending
	require.NoError(t, d.ledger.Close(t.Context(), &again, attempt, db.Ending{
		Outcome: db.OutcomeRetry, Status: protocol.StatusSending, Reason: "server_error",
	}, time.Now()))
	d.begin(key, 0)
	d.overdue()
	d.send(key, 0, false, 11)
	delivery := d.open(key)
	require.NoError(t, d.ledger.PutOff(t.Context(), delivery.ID, 0))
	d.send(key, 1, true, 12) // sending → sent
	hot, all := updates(t, d.pool, "deliveries")
	const changes = 2
	require.Equal(t, all-changes, hot)
	require.GreaterOrEqual(t, all, 10)

	require.NoError(t, d.posts.Checked(t.Context(), -1, []int64{1}, nil, []int64{1}))
	_, all = updates(t, d.pool, "posts")
	require.Zero(t, all, "a post is written once, and not again when it is looked at")
}

// BenchmarkWriting reports what a new post that is owed once, and its delivery,
// write to Postgres's log, and how many of their updates are HOT.
func BenchmarkWriting(b *testing.B) {
	pool, err := db.Open(b.Context(), testenv.Database(b)+"&pool_max_conns=1")
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	posts, ledger := db.NewPosts(pool), db.NewLedger(pool)
	written := func() (bytes float64) {
		require.NoError(b, pool.QueryRow(b.Context(), "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").Scan(&bytes))
		return bytes
	}
	const page = 20
	var number int64
	for b.Loop() {
		stored := make([]db.Post, page)
		for i := range stored {
			number++
			stored[i] = post(-1, number, fmt.Sprintf("Пропал пёс №%d, рыжий, ул. Лесная, %d. Тел. 8 900 %03d-%02d-%02d", number, number, number/10000%1000, number/100%100, number%100))
			stored[i].Photos = []db.Photo{{OwnerID: -1, ID: number}}
		}
		at := written()
		_, err := posts.StorePage(b.Context(), db.Page{Posts: stored, Window: time.Hour, Owed: func(db.Post) []db.Owed {
			return []db.Owed{{Destination: somewhere, Weight: 1}}
		}})
		require.NoError(b, err)
		between := written()
		for _, p := range stored {
			key := protocol.DeliveryKey{Destination: somewhere, OwnerID: -1, PostID: p.PostID}
			delivery, err := ledger.Open(b.Context(), key, 0)
			require.NoError(b, err)
			require.NoError(b, ledger.Started(b.Context(), []int64{delivery.ID}))
			attempt, err := ledger.Begin(b.Context(), &delivery, db.Attempt{Timeout: time.Minute, Shown: db.Shown{Kind: "message"}})
			require.NoError(b, err)
			_, err = ledger.Arrived(b.Context(), protocol.Arrival{DeliveryKey: key, Attempt: attempt.Number, BeganAt: attempt.BeganAt, MessageIDs: []int64{number}, Last: true})
			require.NoError(b, err)
		}
		end := written()
		b.ReportMetric((between-at)/page, "WAL-B/post")
		b.ReportMetric((end-between)/page, "WAL-B/delivery")
	}
	for _, table := range []string{"posts", "deliveries", "delivery_attempts"} {
		hot, all := updates(b, pool, table)
		b.ReportMetric(100*float64(hot)/float64(max(all, 1)), table+"-HOT-%")
		b.ReportMetric(float64(all)/float64(number), table+"-updates/post")
	}
}
