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
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/internal/content"
	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
)

// minConns is how many connections a pool may open whose URL does not say it:
// uploads of the CMS hold one each for as long as they last.
const minConns = 12

// What no statement of ours comes near: it ends what hangs, such as a lock that
// somebody has forgotten to release. The URL may set others.
var timeouts = map[string]string{
	"statement_timeout": "5min", "lock_timeout": "1min", "idle_in_transaction_session_timeout": "5min",
}

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
// and checks that it answers, as a server that may be written to. The error never
// contains the URL, which may carry a password.
//
// pool_max_conns in the URL bounds the pool. Behind a pooler that gives each
// transaction another connection (PgBouncer), default_query_exec_mode is exec or
// simple_protocol; timeouts are then the role's: a pooler refuses them here.
func Open(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("db: DATABASE_URL is not a Postgres connection string")
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = max(config.MaxConns, minConns)
	}
	conn := config.ConnConfig
	conn.ConnectTimeout = 10 * time.Second
	conn.RuntimeParams["application_name"] = "vestnik"
	conn.RuntimeParams["timezone"] = "UTC"
	if conn.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		for name, limit := range timeouts {
			if _, set := conn.RuntimeParams[name]; !set {
				conn.RuntimeParams[name] = limit
			}
		}
	}
	if conn.ValidateConnect == nil {
		conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	watch := &failover{}
	conn.Tracer = watch
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		types := conn.TypeMap()
		types.RegisterType(&pgtype.Type{
			Name: "jsonb", OID: pgtype.JSONBOID, Codec: &pgtype.JSONBCodec{Marshal: marshal, Unmarshal: unmarshal},
		})
		// Where Postgres is not asked for the types of parameters, these say them.
		for _, value := range []any{
			json.RawMessage(nil), []Photo(nil), []Attachment(nil), []post.Repost(nil), petpost.Reading{}, (*protocol.Captcha)(nil), []petpost.Boilerplate(nil),
			(*petpost.Fingerprint)(nil), (*notice.Cut)(nil), map[string]int(nil),
			content.Notes{}, (*content.Status)(nil), content.TableOptions{},
		} {
			types.RegisterDefaultPgType(value, "jsonb")
		}
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("db: open pool: %w", err)
	}
	watch.pool.Store(pool)
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("db: Postgres does not answer (DATABASE_URL): %w", err)
	}
	return pool, nil
}

// failover watches for a server that has become a standby under us: the pool
// lets go of its connections, and the next ones look for the primary.
type failover struct{ pool atomic.Pointer[pgxpool.Pool] }

// TraceQueryStart does nothing.
func (f *failover) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd resets the pool after a write that was refused because the
// server is read-only.
func (f *failover) TraceQueryEnd(_ context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	var refused *pgconn.PgError
	if pool := f.pool.Load(); pool != nil && errors.As(data.Err, &refused) && refused.Code == readOnly {
		pool.Reset()
	}
}

// Ready returns an error unless Postgres answers and may be written to. After a
// failover the pool is reset, so that it finds the new primary.
func Ready(ctx context.Context, pool *pgxpool.Pool) error {
	var readOnly bool
	if err := pool.QueryRow(ctx, "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean").Scan(&readOnly); err != nil {
		return fmt.Errorf("db: Postgres does not answer: %w", err)
	}
	if readOnly {
		pool.Reset()
		return errors.New("db: Postgres is read-only: a standby, or failing over")
	}
	return nil
}
