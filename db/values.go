package db

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
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

func cleanAll(texts []string) []string {
	cleaned := make([]string, len(texts))
	for i, text := range texts {
		cleaned[i] = clean(text)
	}
	return cleaned
}
