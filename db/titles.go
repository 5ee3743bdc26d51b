package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
)

// How long a title is taken to be what it was, and how long until one that no
// platform has told is asked for again.
const (
	titleHolds   = 24 * time.Hour
	titleMissing = 10 * time.Minute
)

// maxTitle bounds what is kept of a title, in runes.
const maxTitle = 200

// Titles returns what chats and walls call themselves, by the names of
// destinations ("telegram:-100…", "vk:-1"). A wall that is read goes by the name
// that it would have as a destination, and by that under which it is read.
func (l *Ledger) Titles(ctx context.Context) (map[string]string, error) {
	rows, err := l.queries.Titles(ctx)
	if err != nil {
		return nil, fmt.Errorf("titles: %w", err)
	}
	titles := make(map[string]string, len(rows))
	for _, row := range rows {
		titles[row.Name] = row.Title
	}
	return titles, nil
}

// TitlesToAsk returns whose title is to be asked for: of the destinations given
// and of the walls that are read.
func (l *Ledger) TitlesToAsk(ctx context.Context, destinations []string) ([]string, error) {
	names, err := l.queries.TitlesToAsk(ctx, relaysql.TitlesToAskParams{Names: destinations, UnknownFor: titleMissing, KnownFor: titleHolds})
	if err != nil {
		return nil, fmt.Errorf("titles to ask for: %w", err)
	}
	return names, nil
}

// KeepTitle records that a platform was asked for a title; "" keeps the one that
// was known.
func (l *Ledger) KeepTitle(ctx context.Context, name, title string) error {
	if err := l.queries.KeepTitle(ctx, relaysql.KeepTitleParams{Name: name, Title: shorten(printable(title), maxTitle)}); err != nil {
		return fmt.Errorf("title of %s: %w", name, err)
	}
	return nil
}
