// Package inbox remembers which updates of Telegram have been taken on, so
// that one delivered again is dropped by whatever process and session it comes
// to. It is a service record, outside the guide's domain data.
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

// Claim takes an update on for a session. first is false if another session
// took it on within [Kept] before now; original is the trace of the delivery that counts.
// Claiming again for the same session changes nothing.
func (s *Store) Claim(ctx context.Context, botID, updateID int64, session, traceID string, now time.Time) (first bool, original string, err error) {
	row, err := s.queries.ClaimUpdate(ctx, servicesql.ClaimUpdateParams{
		BotID: botID, UpdateID: updateID, Session: session, TraceID: traceID, Since: now.Add(-Kept),
	})
	if err != nil {
		return false, "", fmt.Errorf("inbox: claim: %w", err)
	}
	return row.Session == session, row.TraceID, nil
}

// sweepBite bounds one Sweep, so that it never holds locks for long.
const sweepBite = 5000

// Sweep forgets updates older than [Kept], some thousands at a time, and
// returns how many it has forgotten.
func (s *Store) Sweep(ctx context.Context, now time.Time) (int64, error) {
	swept, err := s.queries.SweepUpdates(ctx, servicesql.SweepUpdatesParams{Before: now.Add(-Kept), MaxUpdates: sweepBite})
	if err != nil {
		return 0, fmt.Errorf("inbox: sweep: %w", err)
	}
	return swept, nil
}
