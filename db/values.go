package db

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func errorsIsNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// unlessZero is NULL for a zero value.
func unlessZero[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func orZero[T any](value *T) T {
	if value == nil {
		var zero T
		return zero
	}
	return *value
}

func notNil[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}

// clean drops what Postgres cannot keep in a text: NUL and broken UTF-8.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// printable is a person's words without control characters, line ends aside.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, clean(text))
}

func cleanAll(texts []string) []string {
	cleaned := make([]string, len(texts))
	for i, text := range texts {
		cleaned[i] = clean(text)
	}
	return cleaned
}

// deadlockRetries is how often work is begun again that Postgres has chosen to
// undo, because it and another transaction waited for each other.
const deadlockRetries = 5

// again repeats work that a deadlock has undone.
func again(ctx context.Context, work func() error) error {
	var err error
	for range deadlockRetries {
		var refused *pgconn.PgError
		err = work()
		if !errors.As(err, &refused) || refused.Code != deadlockDetected && refused.Code != serializationFailure || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// SQLSTATEs of a transaction that may simply be repeated.
const (
	deadlockDetected     = "40P01"
	serializationFailure = "40001"
)

// IsOutage reports whether an error says that Postgres is away, and not that it
// refuses what was asked: the same may be asked again.
func IsOutage(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch refused.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, operator's intervention, system
			return refused.Code != queryCanceled
		}
		return refused.Code == readOnly
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.Timeout(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// SQLSTATEs that are no outage, and that are one.
const (
	queryCanceled = "57014"
	readOnly      = "25006" // a standby: the primary has moved
)
