package db_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
)

func newWalls(t *testing.T) *db.Walls {
	t.Helper()
	return db.NewWalls(newDesk(t).pool)
}

func TestAWallThatIsDroppedAndTakenUpAgainKeepsItsPlace(t *testing.T) {
	walls := newWalls(t)
	ctx := t.Context()
	require.NoError(t, walls.Watch(ctx, []string{"a", "b"}, time.Minute))
	require.NoError(t, walls.Resolve(ctx, "a", -1))
	require.NoError(t, walls.Watch(ctx, []string{"b"}, time.Minute))
	watched, err := walls.Watched(ctx)
	require.NoError(t, err)
	require.Len(t, watched, 1)
	require.NoError(t, walls.Watch(ctx, []string{"a", "b"}, time.Minute))
	again, err := walls.Get(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, int64(-1), again.OwnerID)
}

func TestTwoNamesOfOneWallAreNoticed(t *testing.T) {
	walls := newWalls(t)
	ctx := t.Context()
	require.NoError(t, walls.Watch(ctx, []string{"lostpets", "-1"}, time.Minute))
	require.NoError(t, walls.Resolve(ctx, "lostpets", -1))
	require.ErrorIs(t, walls.Resolve(ctx, "-1", -1), db.ErrSameWall)
}

func TestAParkedWallHasItsReasonAndItsTime(t *testing.T) {
	walls := newWalls(t)
	ctx := t.Context()
	require.NoError(t, walls.Watch(ctx, []string{"a"}, time.Minute))
	again := time.Now().Add(24 * time.Hour).Truncate(time.Microsecond)
	require.NoError(t, walls.Park(ctx, "a", "access_denied", again))
	wall, err := walls.Get(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, "access_denied", wall.Parked)
	require.True(t, wall.NextReadAt.Equal(again))
}

func TestCallsAreCountedForEachKeyByAllWorkersTogether(t *testing.T) {
	walls := newWalls(t)
	ctx := t.Context()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if err := walls.SpendCall(ctx, "key"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	calls, err := walls.CallsSince(ctx, "key", time.Now().Add(-24*time.Hour))
	require.NoError(t, err)
	require.Equal(t, 20, calls)
	calls, err = walls.CallsSince(ctx, "another", time.Now().Add(-24*time.Hour))
	require.NoError(t, err)
	require.Zero(t, calls)
	require.NoError(t, walls.ForgetCalls(ctx, time.Now().Add(time.Hour)))
	calls, err = walls.CallsSince(ctx, "key", time.Now().Add(-24*time.Hour))
	require.NoError(t, err)
	require.Zero(t, calls)
}

func TestAKeysPauseIsNeverMadeShorter(t *testing.T) {
	walls := newWalls(t)
	ctx := t.Context()
	until, _, err := walls.KeyPause(ctx, "key")
	require.NoError(t, err)
	require.True(t, until.IsZero())
	long := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	require.NoError(t, walls.PauseKey(ctx, "key", long, "method_quota"))
	require.NoError(t, walls.PauseKey(ctx, "key", time.Now().Add(time.Minute), "flood_control"))
	until, _, err = walls.KeyPause(ctx, "key")
	require.NoError(t, err)
	require.True(t, until.Equal(long))
	require.NoError(t, walls.PauseKey(ctx, "past", time.Now().Add(-time.Second), "flood_control"))
	until, _, err = walls.KeyPause(ctx, "past")
	require.NoError(t, err)
	require.True(t, until.IsZero(), "a pause that is over is none")
}
