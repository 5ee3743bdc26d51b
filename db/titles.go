package db

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
)

// How long a title is taken to be what it was, and how long until one that no
// platform has told is asked for again.
const (
	titleHolds   = 24 * time.Hour
	titleMissing = 10 * time.Minute
)

// maxTitle bounds what is kept of a title, in runes.
const maxTitle = 200

// Titles are what chats and walls call themselves, by the names of destinations
// ("telegram:-100…", "vk:-1"). A wall that is read goes by the name that it would
// have as a destination, and by that under which it is read.
type Titles map[string]string

// Of returns the title under a name, which stands for itself where there is none.
func (t Titles) Of(name string) string { return cmp.Or(t[name], name) }

// Beside returns a name as commands take it, with its title beside it.
func (t Titles) Beside(name string) string { return beside(name, t[name]) }

// Wall returns the title of a wall by its owner, or the name under which it is
// read.
func (t Titles) Wall(ownerID int64, name string) string {
	return cmp.Or(t[fmt.Sprintf("vk:%d", ownerID)], name)
}

// Post returns a post as commands take it, with the title of its wall beside it.
func (t Titles) Post(ownerID, postID int64) string {
	return beside(protocol.WallPost(ownerID, postID), t.Wall(ownerID, ""))
}

func beside(name, title string) string {
	if title == "" || strings.HasSuffix(title, "("+name+")") {
		return cmp.Or(title, name)
	}
	return name + " «" + title + "»"
}

// Titles returns those that are known. Of several chats with one title, each
// shows its name, too.
func (l *Ledger) Titles(ctx context.Context) (Titles, error) {
	rows, err := l.queries.Titles(ctx)
	if err != nil {
		return nil, fmt.Errorf("titles: %w", err)
	}
	titles, bearers := make(Titles, len(rows)), map[string]int{}
	for _, row := range rows {
		if strings.Contains(row.Name, ":") { // a destination's
			bearers[row.Title]++
		}
	}
	for _, row := range rows {
		if titles[row.Name] = row.Title; bearers[row.Title] > 1 {
			titles[row.Name] += " (" + row.Name + ")"
		}
	}
	return titles, nil
}

// TitlesToAsk returns whose title is to be asked for: of the destinations given
// and of the walls that are read.
func (l *Ledger) TitlesToAsk(ctx context.Context, destinations []string) ([]string, error) {
	names, err := l.queries.TitlesToAsk(ctx, relaysql.TitlesToAskParams{Names: destinations, UnknownFor: titleMissing, KnownFor: titleHolds})
	return names, wrap(err, "titles to ask for")
}

// KeepTitle records that a platform was asked for a title; "" keeps the one that
// was known.
func (l *Ledger) KeepTitle(ctx context.Context, name, title string) error {
	return wrap(l.queries.KeepTitle(ctx, relaysql.KeepTitleParams{Name: name, Title: shorten(printable(title), maxTitle)}), "title of %s", name)
}
