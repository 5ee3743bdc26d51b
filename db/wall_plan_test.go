package db

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
)

// day plays a day of scans, one a minute, over walls with so many posts a day
// each, and returns how often each was read.
func day(quota int, postsPerDay ...float64) []int {
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	state := ReadState{now: now}
	for i, posts := range postsPerDay {
		state.walls = append(state.walls, Wall{Name: fmt.Sprint(i), PostsPerDay: posts, NextReadAt: now})
	}
	reads := make([]int, len(postsPerDay))
	for ; state.now.Before(now.Add(24 * time.Hour)); state.now = state.now.Add(time.Minute) {
		for i, entry := range state.Plan(quota, protocol.ScanWallsInput{}).Walls {
			if !entry.Due {
				continue
			}
			reads[i]++
			state.used++
			state.walls[i].NextReadAt = state.now.Add(state.Interval(entry.Name, postsPerDay[i], quota, time.Minute))
		}
	}
	return reads
}

func total(reads []int) (sum int) {
	for _, n := range reads {
		sum += n
	}
	return sum
}

func TestEighteenWallsLastTheDayOnOneKeysQuota(t *testing.T) {
	t.Parallel()
	postsPerDay := []float64{120, 80, 60, 40, 40, 30, 20, 20, 15, 10, 10, 5, 5, 3, 2, 1, 0.3, 0}
	reads := day(4000, postsPerDay...)
	require.LessOrEqual(t, total(reads), 4000)
	require.Greater(t, total(reads), 3000, "what may be used is used")
	require.Greater(t, reads[0], 2*reads[10], "busy walls are read more often")
	for i, n := range reads {
		require.GreaterOrEqual(t, n, 4, "wall %d is never forgotten", i)
	}
	for i := range reads[1:] {
		require.GreaterOrEqual(t, reads[i]+1, reads[i+1], "the busier, the more often")
	}
}

func TestEighteenLikeWallsShareTheDayEvenly(t *testing.T) {
	t.Parallel()
	reads := day(4000, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10)
	require.LessOrEqual(t, total(reads), 4000)
	for _, n := range reads {
		require.InDelta(t, reads[0], n, 2)
		require.InDelta(t, 4000*0.9/18, n, 25)
	}
}

func TestOneWallIsReadAsOftenAsTheScansRun(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{1440}, day(4000, 5))
}

func TestATinyQuotaIsSpreadOverTheDayAndNotOverrun(t *testing.T) {
	t.Parallel()
	reads := day(20, 50, 5, 1)
	require.LessOrEqual(t, total(reads), 20)
	for i, n := range reads {
		require.Positive(t, n, "wall %d", i)
	}
}

func TestAPlanReadsNothingWhileTheKeyMustWaitOrHasSpentItsCalls(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	state := ReadState{now: now, walls: []Wall{{Name: "a", NextReadAt: now}, {Name: "b", NextReadAt: now.Add(time.Hour)}}}
	require.Len(t, state.Plan(10, protocol.ScanWallsInput{}).Due(), 1)
	require.Len(t, state.Plan(10, protocol.ScanWallsInput{Now: true}).Due(), 2, "a person does not wait")
	require.Len(t, state.Plan(10, protocol.ScanWallsInput{Walls: []string{"b"}, Now: true}).Due(), 1)
	state.used = 10
	require.Empty(t, state.Plan(10, protocol.ScanWallsInput{Now: true}).Due())
	state.used = 9
	require.Len(t, state.Plan(10, protocol.ScanWallsInput{Now: true}).Due(), 1, "only what is left")
	state.pausedUntil, state.pauseReason = now.Add(time.Hour), "method_quota"
	plan := state.Plan(10, protocol.ScanWallsInput{Now: true})
	require.Empty(t, plan.Due())
	require.Equal(t, "method_quota", plan.PauseReason)
}

func TestAParkedWallTakesNoShareOfTheDay(t *testing.T) {
	t.Parallel()
	state := ReadState{walls: []Wall{{Name: "a", PostsPerDay: 5}, {Name: "b", PostsPerDay: 5}}}
	both := state.Interval("a", 5, 100, time.Minute)
	state.walls[1].Parked = "access_denied"
	require.Less(t, state.Interval("a", 5, 100, time.Minute), both)
}
