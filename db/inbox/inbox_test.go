package inbox_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/db/inbox"
	"vestnik/internal/testenv"
)

func open(t *testing.T) *inbox.Store {
	t.Helper()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return inbox.New(pool)
}

func TestAnUpdateBelongsToTheSessionThatClaimsItFirst(t *testing.T) {
	t.Parallel()
	store, now := open(t), time.Now()
	for range 2 {
		first, original, err := store.Claim(t.Context(), 1, 7, "morning", "trace-1", now)
		require.NoError(t, err)
		require.True(t, first, "claiming again changes nothing")
		require.Equal(t, "trace-1", original)
	}
	first, original, err := store.Claim(t.Context(), 1, 7, "evening", "trace-2", now.Add(24*time.Hour))
	require.NoError(t, err)
	require.False(t, first)
	require.Equal(t, "trace-1", original)

	first, _, err = store.Claim(t.Context(), 2, 7, "evening", "trace-2", now)
	require.NoError(t, err)
	require.True(t, first, "another bot counts for itself")
}

func TestOfManyAtOnceOneClaims(t *testing.T) {
	t.Parallel()
	store, now := open(t), time.Now()
	var mu sync.Mutex
	var winners int
	var together sync.WaitGroup
	for i := range 20 {
		together.Go(func() {
			first, _, err := store.Claim(t.Context(), 1, 7, string(rune('a'+i)), "trace", now)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && first {
				winners++
			}
		})
	}
	together.Wait()
	require.Equal(t, 1, winners)
}

func TestClaimsAreForgottenAfterADay(t *testing.T) {
	t.Parallel()
	store, now := open(t), time.Now()
	_, _, err := store.Claim(t.Context(), 1, 7, "morning", "trace-1", now)
	require.NoError(t, err)
	later := now.Add(inbox.Kept + time.Minute)
	first, original, err := store.Claim(t.Context(), 1, 7, "next day", "trace-2", later)
	require.NoError(t, err)
	require.True(t, first, "an id that comes again after so long is another update")
	require.Equal(t, "trace-2", original)
	swept, err := store.Sweep(t.Context(), now)
	require.NoError(t, err)
	require.Zero(t, swept)
	swept, err = store.Sweep(t.Context(), later.Add(inbox.Kept))
	require.NoError(t, err)
	require.EqualValues(t, 1, swept)
}
