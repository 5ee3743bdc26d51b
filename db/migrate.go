package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

const (
	// migrationLockTimeout is how long a migration waits for a lock: whoever comes
	// after it waits behind it.
	migrationLockTimeout = "3s"
	// migrationTries is how often it begins again, after migrationPause more each
	// time: a minute and a half in all.
	migrationTries = 8
	migrationPause = 2 * time.Second
)

// Migrate brings the schema of the database behind pool up to this build's, while
// others work on it. Several processes may call it at once: a session lock lets
// one of them work. Behind a pooler of transactions there is no such lock:
// migrations go to Postgres itself.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	provider, closeDB, err := newMigrator(pool)
	if err != nil {
		return err
	}
	defer closeDB()
	for try := time.Duration(1); ; try++ {
		_, err := provider.Up(ctx)
		var refused *pgconn.PgError
		if err == nil || try == migrationTries || !errors.As(err, &refused) || refused.Code != lockNotAvailable && refused.Code != deadlockDetected {
			if err != nil {
				return fmt.Errorf("db: migrate: %w", err)
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("db: migrate: %w", err)
		case <-time.After(try * migrationPause):
		}
	}
}

// CheckSchema returns an error if the database lacks migrations of this build. A
// schema that is newer serves the build before it as well.
func CheckSchema(ctx context.Context, pool *pgxpool.Pool) error {
	current, wanted, err := SchemaVersion(ctx, pool)
	if err == nil && current < wanted {
		err = fmt.Errorf("db: the schema is at version %d and this build wants %d: run `vestnik migrate`", current, wanted)
	}
	return err
}

// SchemaVersion reports the schema version the database has and the one this
// build wants; they differ until Migrate has run.
func SchemaVersion(ctx context.Context, pool *pgxpool.Pool) (current, wanted int64, err error) {
	provider, closeDB, err := newMigrator(pool)
	if err != nil {
		return 0, 0, err
	}
	defer closeDB()
	current, wanted, err = provider.GetVersions(ctx)
	return current, wanted, wrap(err, "db: schema version")
}

func newMigrator(pool *pgxpool.Pool) (*goose.Provider, func(), error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, fmt.Errorf("db: migration lock: %w", err)
	}
	config := pool.Config().ConnConfig
	for name := range timeouts {
		delete(config.RuntimeParams, name) // no limit for making an index
	}
	config.RuntimeParams["lock_timeout"] = migrationLockTimeout
	conn := stdlib.OpenDB(*config)
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, Migrations(), goose.WithSessionLocker(half{locker}))
	if err != nil {
		_ = conn.Close()
		return nil, nil, fmt.Errorf("db: migrations: %w", err)
	}
	return provider, func() { _ = conn.Close() }, nil
}

// half is the session lock of migrations, under which indexes are dropped that
// one which was interrupted has left half built: it builds them anew.
type half struct{ lock.SessionLocker }

// SessionLock takes the lock.
func (h half) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if err := h.SessionLocker.SessionLock(ctx, conn); err != nil {
		return err
	}
	rows, err := conn.QueryContext(ctx, `SELECT format('DROP INDEX CONCURRENTLY %s', i.indexrelid::regclass) FROM pg_index i
		JOIN pg_class c ON c.oid = i.indexrelid
		WHERE NOT i.indisvalid AND c.relnamespace::regnamespace::text IN ('relay', 'guide', 'cms', 'service')`)
	if err != nil {
		return errors.Join(err, h.SessionUnlock(ctx, conn))
	}
	var drops []string
	for rows.Next() {
		var drop string
		if err = rows.Scan(&drop); err == nil {
			drops = append(drops, drop)
		}
	}
	err = errors.Join(err, rows.Err(), rows.Close())
	for _, drop := range drops {
		if err == nil {
			_, err = conn.ExecContext(ctx, drop)
		}
	}
	if err != nil {
		return errors.Join(err, h.SessionUnlock(ctx, conn))
	}
	return nil
}
