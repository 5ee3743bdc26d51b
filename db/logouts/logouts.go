// Package logouts remembers which sessions of the operator console were ended
// by logging out, for every process that serves it.
package logouts

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/servicesql"
)

// Store keeps the ended sessions. It is safe for concurrent use.
type Store struct{ queries *servicesql.Queries }

// New makes a store over the migrated database behind pool.
func New(pool *pgxpool.Pool) *Store { return &Store{queries: servicesql.New(pool)} }

// End ends a session that would have lasted until ends. Ending it again
// changes nothing.
func (s *Store) End(ctx context.Context, session []byte, now, ends time.Time) error {
	if err := s.queries.EndSession(ctx, servicesql.EndSessionParams{Session: session, EndsAt: ends, Now: now}); err != nil {
		return fmt.Errorf("logouts: end: %w", err)
	}
	return nil
}

// Ended reports whether a session was ended.
func (s *Store) Ended(ctx context.Context, session []byte) (bool, error) {
	ended, err := s.queries.SessionEnded(ctx, session)
	if err != nil {
		return false, fmt.Errorf("logouts: look: %w", err)
	}
	return ended, nil
}
