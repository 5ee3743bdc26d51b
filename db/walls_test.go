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
	mustResolve(t, walls, "a", -1)
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
	mustResolve(t, walls, "lostpets", -1)
	_, err := walls.Resolve(ctx, "-1", -1)
	require.ErrorIs(t, err, db.ErrSameWall)
	require.NoError(t, walls.Park(ctx, "-1", err.Error(), time.Now().Add(time.Hour)))

	require.NoError(t, walls.Watch(ctx, []string{"-1"}, time.Minute))
	freed, err := walls.Get(ctx, "-1")
	require.NoError(t, err)
	require.False(t, freed.NextReadAt.After(time.Now()), "it is looked at as soon as the other is not watched any more")
}

func mustResolve(t *testing.T, walls *db.Walls, name string, owner int64) db.Wall {
	t.Helper()
	wall, err := walls.Resolve(t.Context(), name, owner)
	require.NoError(t, err)
	return wall
}

func TestARenamedWallGoesOnFromWhereItWasRead(t *testing.T) {
	d := newDesk(t)
	walls, ctx := db.NewWalls(d.pool), t.Context()
	readUntil := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	name := "club1"
	require.NoError(t, walls.Watch(ctx, []string{name}, time.Minute))
	mustResolve(t, walls, name, -1)
	page := d.page()
	page.Wall = &db.WallRead{Name: name, NextReadAt: time.Now(), ReadEvery: time.Minute, ReadUntil: readUntil}
	_, err := d.posts.StorePage(ctx, page)
	require.NoError(t, err)
	for _, renamed := range []string{"lostpets", "club1", "lostpets"} {
		require.NoError(t, walls.Watch(ctx, []string{renamed}, time.Minute))
		wall, err := walls.Get(ctx, renamed)
		require.NoError(t, err)
		require.Zero(t, wall.OwnerID)
		wall = mustResolve(t, walls, renamed, -1)
		require.Equal(t, int64(-1), wall.OwnerID)
		require.True(t, wall.ReadUntil.Equal(readUntil))
		require.NotZero(t, wall.LastReadAt)
	}
}

func TestAWallThatFailsIsDueEverLaterUntilItIsRead(t *testing.T) {
	d := newDesk(t)
	walls, ctx := db.NewWalls(d.pool), t.Context()
	require.NoError(t, walls.Watch(ctx, []string{"a"}, time.Minute))
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360} {
		wall, err := walls.BeginReading(ctx, "a", false)
		require.NoError(t, err)
		require.Equal(t, i+1, wall.Failures)
		require.InDelta(t, want*time.Minute, time.Until(wall.NextReadAt), float64(10*time.Second))
		again, err := walls.BeginReading(ctx, "a", true)
		require.NoError(t, err)
		require.Equal(t, wall.Failures, again.Failures, "a repetition within the scan is the same failure")
	}
	require.NoError(t, walls.ReadingFailed(ctx, "a", "unavailable"))
	page := d.page()
	page.Wall = &db.WallRead{Name: "a", NextReadAt: time.Now(), ReadEvery: time.Minute}
	_, err := d.posts.StorePage(ctx, page)
	require.NoError(t, err)
	wall, err := walls.Get(ctx, "a")
	require.NoError(t, err)
	require.Zero(t, wall.Failures)
	require.Empty(t, wall.Trouble)

	_, err = walls.BeginReading(ctx, "a", false)
	require.NoError(t, err)
	require.NoError(t, walls.ReadingSpared(ctx, "a"))
	wall, err = walls.Get(ctx, "a")
	require.NoError(t, err)
	require.Zero(t, wall.Failures, "the key's pause is not the wall's fault")
	require.False(t, wall.NextReadAt.After(time.Now()))
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
	used := func() (calls []int) {
		keys, err := walls.Keys(ctx, []string{"key", "another"}, time.Now().Add(-24*time.Hour))
		require.NoError(t, err)
		for _, key := range keys {
			calls = append(calls, key.Used)
		}
		return calls
	}
	require.Equal(t, []int{20, 0}, used())
	require.NoError(t, walls.ForgetCalls(ctx, time.Now().Add(time.Hour)))
	require.Equal(t, []int{0, 0}, used())
}

func TestTheHourInWhichTheDayBeganCountsWhole(t *testing.T) {
	d := newDesk(t)
	now := time.Date(2026, 3, 2, 12, 10, 0, 0, time.UTC)
	_, err := d.pool.Exec(t.Context(), "INSERT INTO relay.read_calls (key, hour, calls) VALUES ('key', $1, 7), ('key', $2, 5)",
		now.Add(-24*time.Hour).Truncate(time.Hour), now.Add(-25*time.Hour).Truncate(time.Hour))
	require.NoError(t, err)
	keys, err := db.NewWalls(d.pool).Keys(t.Context(), []string{"key"}, now.Add(-24*time.Hour))
	require.NoError(t, err)
	require.Equal(t, 7, keys[0].Used, "most of them were made after ten past twelve")
}

func TestAKeysPauseIsNeverMadeShorter(t *testing.T) {
	walls := newWalls(t)
	ctx := t.Context()
	key := func(name string) db.KeyState {
		keys, err := walls.Keys(ctx, []string{name}, time.Now())
		require.NoError(t, err)
		return keys[0]
	}
	require.False(t, key("key").Paused())
	long := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	require.NoError(t, walls.PauseKey(ctx, "key", db.KeyPause{Until: long, Reason: "method_quota"}))
	require.NoError(t, walls.PauseKey(ctx, "key", db.KeyPause{Until: time.Now().Add(time.Minute), Reason: "flood_control"}))
	require.True(t, key("key").Paused())
	require.True(t, key("key").Until.Equal(long))
	require.NoError(t, walls.PauseKey(ctx, "past", db.KeyPause{Until: time.Now().Add(-time.Second), Reason: "flood_control"}))
	require.False(t, key("past").Paused(), "a pause that is over is none")
}
