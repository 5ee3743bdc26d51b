package db_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
)

// TestEveryEarlierVersionIsBroughtUpWithItsData fills a database of each version
// with what testdata/versions knows of it, and brings it up to date.
func TestEveryEarlierVersionIsBroughtUpWithItsData(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(db.Migrations(), "*.sql")
	require.NoError(t, err)
	for _, file := range files[:len(files)-1] {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var version int64
			_, err := fmt.Sscanf(file, "%05d_", &version)
			require.NoError(t, err)
			url := testenv.EmptyDatabase(t)
			pool, err := db.Open(t.Context(), url)
			require.NoError(t, err)
			t.Cleanup(pool.Close)
			conn := stdlib.OpenDBFromPool(pool)
			provider, err := goose.NewProvider(goose.DialectPostgres, conn, db.Migrations())
			require.NoError(t, err)
			_, err = provider.UpTo(t.Context(), version)
			require.NoError(t, err)
			require.NoError(t, conn.Close())
			fillVersion(t, pool, version)
			require.NoError(t, db.Migrate(t.Context(), pool))
			require.NoError(t, db.CheckSchema(t.Context(), pool))

			ledger := db.NewLedger(pool)
			summary, err := ledger.Summarise(t.Context(), time.Now())
			require.NoError(t, err)
			require.Equal(t, map[string]int{protocol.StatusPending: 1, protocol.StatusSent: 1, protocol.StatusFailed: 1}, summary.Statuses)
			rows, err := ledger.List(t.Context(), db.DeliveryFilter{})
			require.NoError(t, err)
			require.Len(t, rows, 3)
			for _, row := range rows {
				typed, err := ledger.List(t.Context(), db.DeliveryFilter{Type: row.Type})
				require.NoError(t, err)
				require.True(t, slices.ContainsFunc(typed, func(found db.DeliveryRow) bool { return found.ID == row.ID }), "found by its type")
			}
			stored, err := db.NewPosts(pool).Get(t.Context(), -1, 2)
			require.NoError(t, err)
			require.Equal(t, "Пропала кошка", stored.Text)
			if version >= 2 {
				cases, err := db.NewCases(pool).List(t.Context(), db.CaseFilter{LeastPosts: 3})
				require.NoError(t, err)
				require.Len(t, cases, 1)
			}
		})
	}
}

// fillVersion writes the data of every part of the schema that a version has.
func fillVersion(t *testing.T, pool *pgxpool.Pool, version int64) {
	t.Helper()
	files, err := os.ReadDir("testdata/versions")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		var since int64
		_, err := fmt.Sscanf(file.Name(), "%05d", &since)
		require.NoError(t, err)
		if since > version {
			continue
		}
		content, err := os.ReadFile("testdata/versions/" + file.Name())
		require.NoError(t, err)
		for _, statement := range strings.Split(string(content), ";\n") {
			_, err := pool.Exec(t.Context(), statement)
			require.NoError(t, err, statement)
		}
	}
}

func TestAMigrationWaitsForALockAndBeginsAgain(t *testing.T) {
	t.Parallel()
	url := testenv.EmptyDatabase(t)
	pool, err := db.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	conn := stdlib.OpenDBFromPool(pool)
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, db.Migrations())
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), 45)
	require.NoError(t, err)
	require.NoError(t, conn.Close())

	blocker, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = blocker.Close(context.Background()) })
	tx, err := blocker.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "LOCK TABLE relay.deliveries IN ROW EXCLUSIVE MODE")
	require.NoError(t, err)
	// An index of a migration that was interrupted.
	_, err = pool.Exec(t.Context(), "CREATE INDEX deliveries_listed ON relay.cases (id)")
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'relay.deliveries_listed'::regclass")
	require.NoError(t, err)

	done := make(chan error, 1)
	go func() { done <- db.Migrate(t.Context(), pool) }()
	// The migration gives up its place behind the lock, so that others get through.
	require.Eventually(t, func() bool {
		var waits bool
		err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'relay.deliveries'::regclass AND NOT granted)`).Scan(&waits)
		return err == nil && waits
	}, 30*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		var waits bool
		err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'relay.deliveries'::regclass AND NOT granted)`).Scan(&waits)
		return err == nil && !waits
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, <-done)
	var table string
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT indrelid::regclass FROM pg_index WHERE indexrelid = 'relay.deliveries_listed'::regclass AND indisvalid").Scan(&table))
	require.Equal(t, "relay.deliveries", table)
}
