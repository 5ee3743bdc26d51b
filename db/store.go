package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/relaysql"
)

// store is what every store of this package has: the database and its queries.
type store struct {
	pool    *pgxpool.Pool
	queries *relaysql.Queries
}

func newStore(pool *pgxpool.Pool) store { return store{pool: pool, queries: relaysql.New(pool)} }

// inTx does work in one transaction.
func (s store) inTx(ctx context.Context, work func(*relaysql.Queries) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return work(s.queries.WithTx(tx)) })
}

// inRepeatedTx is inTx for work that may be undone by others and is done again then.
func (s store) inRepeatedTx(ctx context.Context, work func(*relaysql.Queries) error) error {
	return again(ctx, func() error { return s.inTx(ctx, work) })
}

// deadlockRetries is how often work is begun again that Postgres has chosen to
// undo, because it and another transaction waited for each other.
const deadlockRetries = 5

// again repeats work that a deadlock, or another reader, has undone.
func again(ctx context.Context, work func() error) error {
	var err error
	for range deadlockRetries {
		var refused *pgconn.PgError
		err = work()
		repeat := errors.As(err, &refused) && (refused.Code == deadlockDetected || refused.Code == serializationFailure)
		if !repeat && !errors.Is(err, errChangedMeanwhile) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// ErrNotFound means that the row asked for does not exist.
var ErrNotFound = errors.New("not found")

func errorsIsNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// notFound makes an ErrNotFound about what was asked for of an error that says so;
// others stay as they are.
func notFound(err error, format string, args ...any) error {
	if errorsIsNoRows(err) {
		return fmt.Errorf(format+": %w", append(args, ErrNotFound)...)
	}
	return err
}

// wrap says what was being done when an error came; nil stays nil.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// listOf converts each row of a query.
func listOf[R, T any](rows []R, convert func(R) T) []T {
	list := make([]T, len(rows))
	for i, row := range rows {
		list[i] = convert(row)
	}
	return list
}
