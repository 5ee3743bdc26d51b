package db

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"vestnik/internal/protocol"
)

const (
	// BusyWindow is the time over which a wall's posts a day are counted.
	BusyWindow = 72 * time.Hour
	// slowestRead is the longest interval between two readings of a wall.
	slowestRead = 6 * time.Hour
	// quietest is the posts a day that a silent wall is taken to have, so that
	// its next post is met within reasonable time.
	quietest = 0.5
	// reserve is the share of the quota kept for paging and reading back.
	reserve = 0.1
)

// KeyName names a reading key without giving it away: the counts of its calls
// outlive a restart, and belong to the key, not to the process.
func KeyName(token string) string {
	sum := sha256.Sum256([]byte("vestnik reading key " + token))
	return hex.EncodeToString(sum[:6])
}

// PostsPerDay is how busy a wall with so many posts within BusyWindow is.
func PostsPerDay(posts int) float64 {
	return float64(posts) / BusyWindow.Hours() * 24
}

// ReadState is what decides when walls are read: the plan spends a key's daily
// calls where news is likely.
type ReadState struct {
	now         time.Time
	walls       []Wall
	used        int
	pausedUntil time.Time
	pauseReason string
}

// ReadState returns the state of the walls and of the reading keys, which are
// paused when all of them are.
func (s *Walls) ReadState(ctx context.Context, keys []string, now time.Time) (ReadState, error) {
	state := ReadState{now: now}
	var err error
	if state.walls, err = s.Watched(ctx); err != nil {
		return ReadState{}, err
	}
	states, err := s.Keys(ctx, keys, now.Add(-24*time.Hour))
	paused := 0
	for _, key := range states {
		state.used += key.Used
		if key.Paused() {
			paused++
			if state.pausedUntil.IsZero() || key.Until.Before(state.pausedUntil) {
				state.pausedUntil, state.pauseReason = key.Until, key.Reason
			}
		}
	}
	if paused < len(states) {
		state.pausedUntil, state.pauseReason = time.Time{}, ""
	}
	return state, err
}

// Plan says what is to be read now. Nothing is, while VK has the key wait or
// when its calls of the last 24 hours are spent.
func (s ReadState) Plan(quota int, input protocol.ScanWallsInput) protocol.ReadPlan {
	plan := protocol.ReadPlan{Budget: quota, Used: s.used}
	if !s.pausedUntil.IsZero() {
		plan.PausedUntil, plan.PauseReason = &s.pausedUntil, s.pauseReason
	}
	left := quota - s.used
	for _, wall := range s.walls {
		if len(input.Walls) > 0 && !slices.Contains(input.Walls, wall.Name) {
			continue
		}
		entry := protocol.WallPlan{
			Name: wall.Name, OwnerID: wall.OwnerID, State: protocol.WallOpen, Reason: wall.Parked, PostsPerDay: wall.PostsPerDay,
			Every: wall.ReadEvery, NextReadAt: wall.NextReadAt,
		}
		switch {
		case wall.Parked != "":
			entry.State = protocol.WallParked
		case wall.Failures > 1 || wall.Failures == 1 && wall.Trouble != "": // one without a reason may be under way
			entry.State, entry.Reason = protocol.WallFailing, cmp.Or(wall.Trouble, "its readings did not end")
		default:
			entry.Reason = wall.Trouble
		}
		if !wall.LastReadAt.IsZero() {
			entry.LastReadAt = &wall.LastReadAt
		}
		if plan.PausedUntil == nil && left > 0 && (input.Now || !wall.NextReadAt.After(s.now)) {
			entry.Due = true
			left--
		}
		plan.Walls = append(plan.Walls, entry)
	}
	return plan
}

// Interval is how long to wait before a wall is read again. The calls of a day
// are shared out in proportion to the square root of how busy each wall is,
// which makes the mean delay of a post the smallest that the quota allows:
// T = Σ√l / (B·√l), with l in posts a day and B in calls a second.
func (s ReadState) Interval(name string, postsPerDay float64, quota int, fastest time.Duration) time.Duration {
	total, own := 0.0, math.Sqrt(max(postsPerDay, quietest))
	for _, wall := range s.walls {
		switch {
		case wall.Name == name:
			total += own
		case wall.Parked == "":
			total += math.Sqrt(max(wall.PostsPerDay, quietest))
		}
	}
	callsPerSecond := float64(quota) * (1 - reserve) / (24 * 60 * 60)
	interval := time.Duration(total / (callsPerSecond * own) * float64(time.Second))
	return min(max(interval, fastest), max(slowestRead, fastest)).Round(time.Second)
}
