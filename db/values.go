package db

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5/pgconn"

	"vestnik/internal/petpost"
)

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

// marshal encodes what goes into a jsonb.
func marshal(value any) ([]byte, error) {
	encoded, err := json.Marshal(value)
	return withoutNUL(encoded), err
}

// unmarshal decodes what stands in a jsonb. A fingerprint that another build wrote
// in another way is empty: it is like no other.
func unmarshal(stored []byte, value any) error {
	err := json.Unmarshal(stored, value)
	if fingerprint, is := value.(*petpost.Fingerprint); is && err != nil {
		*fingerprint, err = petpost.Fingerprint{}, nil
	}
	return err
}

// decoded is what a jsonb that no column holds stands for: sqlc can't know its type.
func decoded[T any](computed json.RawMessage) (value T, err error) {
	err = json.Unmarshal(computed, &value)
	return value, err
}

// withoutNUL drops from JSON what Postgres can't keep in a jsonb: the escape of
// a NUL. A backslash that was typed stands there as two, and what follows it is
// text.
func withoutNUL(encoded []byte) []byte {
	const escapedNUL = `\u0000`
	if !bytes.Contains(encoded, []byte(escapedNUL)) {
		return encoded
	}
	kept := make([]byte, 0, len(encoded))
	for i := 0; i < len(encoded); i++ {
		if encoded[i] != '\\' {
			kept = append(kept, encoded[i])
		} else if bytes.HasPrefix(encoded[i:], []byte(escapedNUL)) {
			i += len(escapedNUL) - 1
		} else {
			kept = append(kept, encoded[i], encoded[i+1])
			i++
		}
	}
	return kept
}

// unstorable is a slug for an error that lies in the values to be stored, ""
// for any other: Postgres refuses them as data (SQLSTATE class 22), by a
// constraint (23) or as too large (54), they can't be encoded, or they make our
// own code panic. Messages quote the values, so they are left out.
func unstorable(err error) string {
	var refused *pgconn.PgError
	var unencodable *json.MarshalerError
	var unsupported *json.UnsupportedValueError
	switch {
	case errors.As(err, &refused) && slices.Contains([]string{"22", "23", "54"}, refused.Code[:min(2, len(refused.Code))]):
		return "postgres " + refused.Code
	case errors.As(err, &unencodable), errors.As(err, &unsupported):
		return "not encodable"
	case errors.Is(err, errPanicked):
		return errPanicked.Error()
	}
	return ""
}

var errPanicked = errors.New("panic")

// SQLSTATEs of a transaction that may simply be repeated.
const (
	deadlockDetected     = "40P01"
	serializationFailure = "40001"
	lockNotAvailable     = "55P03" // lock_timeout
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
