// Package db keeps what Vestnik must never forget: the walls it watches, the
// posts it has read, the deliveries it owes and every attempt to make them.
//
// The schema lives in migrations (goose, embedded in the binary), the queries
// in queries (sqlc, pgx/v5). A store wraps the generated queries where several
// of them make one transaction; a delivery's status changes nowhere else.
package db

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// minConns is how many connections a pool may open at least: uploads of the
// CMS hold one each for as long as they last.
const minConns = 12

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations returns the goose migrations this build brings, one file each.
func Migrations() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(fmt.Sprintf("db: embedded migrations: %v", err)) // the directory is part of the build
	}
	return sub
}

// Open connects a pool to the Postgres at url (a libpq URL or keyword string)
// and checks that it answers. The error never contains the URL, which may
// carry a password.
func Open(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("db: DATABASE_URL is not a Postgres connection string")
	}
	config.MaxConns = max(config.MaxConns, minConns)
	config.ConnConfig.ConnectTimeout = 10 * time.Second
	config.ConnConfig.RuntimeParams["application_name"] = "vestnik"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "jsonb", OID: pgtype.JSONBOID, Codec: &pgtype.JSONBCodec{Marshal: marshal, Unmarshal: json.Unmarshal},
		})
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("db: open pool: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("db: Postgres does not answer: %w", err)
	}
	return pool, nil
}

// Migrate brings the schema of the database behind pool up to this build's.
// Several processes may call it at once: a session lock lets one of them work.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	provider, closeDB, err := newMigrator(pool)
	if err != nil {
		return err
	}
	defer closeDB()
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("db: migrate: %w", err)
	}
	return nil
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
	if err != nil {
		return 0, 0, fmt.Errorf("db: schema version: %w", err)
	}
	return current, wanted, nil
}

func newMigrator(pool *pgxpool.Pool) (*goose.Provider, func(), error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, fmt.Errorf("db: migration lock: %w", err)
	}
	conn := stdlib.OpenDBFromPool(pool)
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, Migrations(), goose.WithSessionLocker(locker))
	if err != nil {
		_ = conn.Close()
		return nil, nil, fmt.Errorf("db: migrations: %w", err)
	}
	return provider, func() { _ = conn.Close() }, nil
}
