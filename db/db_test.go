package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
)

func TestAPoolerOfTransactionsMayStandBetween(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			d := deskAt(t, testenv.PgBouncer(t, testenv.Database(t))+"&default_query_exec_mode="+mode)
			stored := post(-1, 1, rex)
			stored.Photos = []db.Photo{{OwnerID: -1, ID: 7}}
			stored.Attachments = []db.Attachment{{Kind: "video"}}
			d.store(stored)
			kept, err := d.posts.Get(t.Context(), -1, 1)
			require.NoError(t, err)
			require.Equal(t, stored.Photos, kept.Photos)
			require.Equal(t, stored.Attachments, kept.Attachments)
			require.Equal(t, stored.Reading, kept.Reading)
			d.store(post(-2, 1, rexAgain))
			require.Equal(t, kept.CaseID, d.caseOf(-2, 1))

			delivery := d.open(keyOf(1))
			attempt, err := d.ledger.Begin(t.Context(), &delivery, db.Attempt{
				Timeout: time.Minute, Cut: &notice.Cut{Parts: []notice.Step{{Text: "1"}, {Text: "2"}}, Version: []byte("v1")}, Shown: db.Shown{Photos: []string{"photo-1_7"}},
			})
			require.NoError(t, err)
			require.NoError(t, d.ledger.Close(t.Context(), &delivery, attempt, db.Ending{
				Outcome: db.OutcomeParked, Status: protocol.StatusParked, Reason: "captcha", Captcha: &protocol.Captcha{SID: "1"}, Cool: time.Second,
			}, time.Now()))
			require.Equal(t, "1", d.rowOf(keyOf(1)).Captcha.SID)
			_, err = d.ledger.Requeue(t.Context(), keyOf(1))
			require.NoError(t, err)
			d.send(keyOf(1), 0, true, 11, 12)
			require.Equal(t, []int64{11, 12}, d.rowOf(keyOf(1)).MessageIDs)
			require.NoError(t, d.posts.Checked(t.Context(), -1, []int64{1}, nil, []int64{1}))
			summary, err := d.ledger.Summarise(t.Context(), time.Now())
			require.NoError(t, err)
			require.Equal(t, map[string]int{protocol.StatusSent: 1, protocol.StatusSuppressed: 1}, summary.Statuses)
		})
	}
}

func TestThePoolIsAsLargeAsItsURLSays(t *testing.T) {
	t.Parallel()
	url := testenv.Database(t)
	for params, want := range map[string]int32{"&pool_max_conns=3": 3, "": 12} {
		pool, err := db.Open(t.Context(), url+params)
		require.NoError(t, err)
		require.GreaterOrEqual(t, pool.Config().MaxConns, want)
		if params != "" {
			require.Equal(t, want, pool.Config().MaxConns)
		}
		var statement, lock string
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')").Scan(&statement, &lock))
		require.Equal(t, []string{"5min", "1min"}, []string{statement, lock})
		pool.Close()
	}
}

// A database that is read-only stands for a server that is a standby now.
func TestAStandbyIsNotReadyAndThePoolLetsGoOfIt(t *testing.T) {
	d := newDesk(t)
	database := pgx.Identifier{d.pool.Config().ConnConfig.Database}.Sanitize()
	require.NoError(t, db.Ready(t.Context(), d.pool))
	_, err := d.pool.Exec(t.Context(), "ALTER DATABASE "+database+" SET default_transaction_read_only = on")
	require.NoError(t, err)
	d.pool.Reset()
	require.Error(t, db.Ready(t.Context(), d.pool), "no connection to a server that can't be written to")
	_, err = d.posts.StorePage(t.Context(), d.page(post(-1, 1, rex)))
	require.True(t, db.IsOutage(err), err)

	admin, err := pgx.Connect(t.Context(), d.pool.Config().ConnString())
	require.NoError(t, err)
	defer admin.Close(context.WithoutCancel(t.Context()))
	_, err = admin.Exec(t.Context(), "SET default_transaction_read_only = off")
	require.NoError(t, err)
	_, err = admin.Exec(t.Context(), "ALTER DATABASE "+database+" RESET default_transaction_read_only")
	require.NoError(t, err)
	require.NoError(t, db.Ready(t.Context(), d.pool))

	// Under a connection that is open already.
	conn, err := d.pool.Acquire(t.Context())
	require.NoError(t, err)
	before := conn.Conn().PgConn().PID()
	_, err = conn.Exec(t.Context(), "SET default_transaction_read_only = on")
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "UPDATE relay.walls SET name = name")
	require.True(t, db.IsOutage(err), err)
	conn.Release()
	conn, err = d.pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	require.NotEqual(t, before, conn.Conn().PgConn().PID(), "the write that was refused has reset the pool")
}
