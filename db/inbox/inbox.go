// Package inbox remembers which updates of Telegram have been handled, so that
// one delivered again is dropped by whatever process and session it comes to.
// It is a service record, outside the guide's domain data.
package inbox

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/servicesql"
)

// Kept is how long an update is remembered. Telegram repeats a delivery for at
// most 24 hours, and after a week of silence may count from anywhere, so an
// update_id must be forgotten some day.
const Kept = 25 * time.Hour

// Store keeps the inbox. It is safe for concurrent use.
type Store struct{ queries *servicesql.Queries }

// New makes a store over the migrated database behind pool.
func New(pool *pgxpool.Pool) *Store { return &Store{queries: servicesql.New(pool)} }

// Update is a handled update and the trace under which that happened.
type Update struct {
	ID      int64
	TraceID string
}

// Record remembers that a chat's update is handled. Repeating it keeps the
// first trace.
func (s *Store) Record(ctx context.Context, botID, chatID int64, update Update) error {
	err := s.queries.RecordUpdate(ctx, servicesql.RecordUpdateParams{
		BotID: botID, UpdateID: update.ID, ChatID: chatID, TraceID: update.TraceID,
	})
	if err != nil {
		return fmt.Errorf("inbox: record: %w", err)
	}
	return nil
}

// Recent gives the chat's updates handled within [Kept] before now, newest
// first, at most limit.
func (s *Store) Recent(ctx context.Context, botID, chatID int64, now time.Time, limit int) ([]Update, error) {
	rows, err := s.queries.RecentUpdates(ctx, servicesql.RecentUpdatesParams{
		BotID: botID, ChatID: chatID, Since: now.Add(-Kept), MaxUpdates: int64(limit),
	})
	if err != nil {
		return nil, fmt.Errorf("inbox: recent: %w", err)
	}
	updates := make([]Update, len(rows))
	for i, row := range rows {
		updates[i] = Update{ID: row.UpdateID, TraceID: row.TraceID}
	}
	return updates, nil
}

// sweepBite bounds one Sweep, so that it never holds locks for long.
const sweepBite = 5000

// Sweep forgets updates older than [Kept], some thousands at a time, and
// tells how many it has forgotten.
func (s *Store) Sweep(ctx context.Context, now time.Time) (int64, error) {
	swept, err := s.queries.SweepUpdates(ctx, servicesql.SweepUpdatesParams{Before: now.Add(-Kept), MaxUpdates: sweepBite})
	if err != nil {
		return 0, fmt.Errorf("inbox: sweep: %w", err)
	}
	return swept, nil
}
