package logouts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/db/logouts"
	"vestnik/internal/testenv"
)

func TestAnEndedSessionIsEndedForEveryProcessUntilItWouldHaveEndedAnyway(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	store, other, now := logouts.New(pool), logouts.New(pool), time.Now()

	require.NoError(t, store.End(t.Context(), []byte("one"), now, now.Add(time.Hour)))
	require.NoError(t, store.End(t.Context(), []byte("one"), now, now.Add(time.Hour)), "twice is once")
	for session, want := range map[string]bool{"one": true, "two": false} {
		ended, err := other.Ended(t.Context(), []byte(session))
		require.NoError(t, err)
		require.Equal(t, want, ended, session)
	}
	later := now.Add(2 * time.Hour)
	require.NoError(t, store.End(t.Context(), []byte("two"), later, later.Add(time.Hour)))
	ended, err := store.Ended(t.Context(), []byte("one"))
	require.NoError(t, err)
	require.False(t, ended, "forgotten: its cookie is of no use any more")
}
