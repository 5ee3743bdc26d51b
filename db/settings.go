package db

import (
	"context"
	"math"
	"time"

	"vestnik/db/internal/relaysql"
)

// RefusedSettings are settings whose change some process has found wrong.
type RefusedSettings struct {
	Variable, Reason string
	Since            time.Time
}

// RefuseSettings records for two minutes that a process goes on without a change of
// its settings, and why.
func (l *Ledger) RefuseSettings(ctx context.Context, process, variable, reason string) error {
	err := l.queries.RefuseSettings(ctx, relaysql.RefuseSettingsParams{
		Process: process, Variable: variable, Reason: shorten(printable(reason), maxFailure),
	})
	return wrap(err, "record refused settings")
}

// SettingsAreGood ends what RefuseSettings has recorded of a process.
func (l *Ledger) SettingsAreGood(ctx context.Context, process string) error {
	return wrap(l.queries.SettingsAreGood(ctx, process), "record good settings")
}

// RefusedSettings are what the processes that run have refused, by variable.
func (l *Ledger) RefusedSettings(ctx context.Context) ([]RefusedSettings, error) {
	rows, err := l.queries.RefusedSettings(ctx)
	return listOf(rows, func(row relaysql.RefusedSettingsRow) RefusedSettings { return RefusedSettings(row) }), wrap(err, "refused settings")
}

// KeepRules keeps what a version of the rules says.
func (l *Ledger) KeepRules(ctx context.Context, version, text string) error {
	return wrap(l.queries.KeepRules(ctx, relaysql.KeepRulesParams{Version: version, Text: printable(text)}), "keep rules")
}

// Rules returns what a version of the rules says, and since when it is known;
// ErrNotFound if it is not.
func (l *Ledger) Rules(ctx context.Context, version string) (text string, since time.Time, err error) {
	row, err := l.queries.GetRules(ctx, version)
	return row.Text, row.FirstUsedAt, notFound(err, "rules %s", version)
}

// Written visits the posts that were written since a time and stand, in that order,
// in batches.
func (s *Posts) Written(ctx context.Context, since time.Time, visit func([]Post) error) error {
	after := relaysql.PostsWrittenParams{Since: since, AfterOwner: math.MinInt64, AfterPost: math.MinInt64, Most: walkBatch}
	return walk(visit, func() ([]relaysql.RelayPost, error) {
		rows, err := s.queries.PostsWritten(ctx, after)
		if n := len(rows); n > 0 {
			after.Since, after.AfterOwner, after.AfterPost = rows[n-1].PostedAt, rows[n-1].OwnerID, rows[n-1].PostID
		}
		return rows, err
	})
}
