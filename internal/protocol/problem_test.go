package protocol

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before := func(age time.Duration) *time.Time { at := now.Add(-age); return &at }
	open := func(wall WallPlan) WallPlan {
		wall.Name, wall.State, wall.Every = "w", WallOpen, time.Minute
		return wall
	}
	plan := func(walls ...WallPlan) ReadPlan { return ReadPlan{Budget: 10, Walls: walls} }
	for name, given := range map[string]struct {
		waiting []WithPeople
		lane    LaneState
		plan    ReadPlan
		kinds   []string
	}{
		"nothing": {lane: LaneState{State: LaneOpen}},
		"parked": {
			waiting: []WithPeople{{Destination: "vk:-1", Status: StatusParked, Reason: "captcha", Deliveries: 2, Since: now}},
			kinds:   []string{ProblemDeliveries},
		},
		"paused with nothing in its queue": {lane: LaneState{State: LanePaused}, kinds: []string{ProblemPaused}},
		"blocked by a refusal":             {lane: LaneState{State: LanePaused, Queued: 3, PausedDelivery: 7}, kinds: []string{ProblemBlocked}},
		"paused, whatever is old there":    {lane: LaneState{State: LanePaused, Queued: 3, OldestQueued: before(9 * time.Hour)}, kinds: []string{ProblemPaused}},
		"a queue that moves":               {lane: LaneState{State: LaneOpen, Queued: 3, OldestQueued: before(OldBacklog - time.Minute)}},
		"a queue that does not":            {lane: LaneState{State: LaneOpen, Queued: 3, OldestQueued: before(OldBacklog + time.Minute)}, kinds: []string{ProblemBacklog}},
		"a 429":                            {lane: LaneState{State: LaneCooling, Queued: 1, CoolingUntil: before(-time.Minute)}},
		"a day's limit":                    {lane: LaneState{State: LaneCooling, Queued: 1, CoolingUntil: before(-5 * time.Hour)}, kinds: []string{ProblemCooling}},
		"a silence that holds up nothing":  {lane: LaneState{State: LaneCooling, CoolingUntil: before(-5 * time.Hour)}},
		"a platform that is away":          {lane: LaneState{State: LaneOpen, Queued: 1, FailingSince: before(time.Hour)}, kinds: []string{ProblemCooling}},
		"a wall just read":                 {plan: plan(open(WallPlan{NextReadAt: now}))},
		"walls that nobody reads": {
			plan: plan(open(WallPlan{NextReadAt: *before(17 * time.Minute)}), open(WallPlan{NextReadAt: *before(time.Hour)})), kinds: []string{ProblemReadingOverdue},
		},
		"a key that waits, and so no walls overdue": {
			plan: ReadPlan{Budget: 10, PausedUntil: before(-time.Hour), PauseReason: "key_invalid", Walls: []WallPlan{open(WallPlan{NextReadAt: *before(time.Hour)})}}, kinds: []string{ProblemReadingPaused},
		},
		"a budget that is nearly spent": {plan: ReadPlan{Budget: 100, Used: 96, Walls: []WallPlan{open(WallPlan{NextReadAt: now})}}, kinds: []string{ProblemQuotaLow}},
		"a budget that lasts":           {plan: ReadPlan{Budget: 100, Used: 95, Walls: []WallPlan{open(WallPlan{NextReadAt: now})}}},
		"a budget that is spent":        {plan: ReadPlan{Budget: 10, Used: 10, Walls: []WallPlan{open(WallPlan{NextReadAt: now})}}, kinds: []string{ProblemQuotaSpent}},
		"a wall that VK does not show":  {plan: plan(WallPlan{State: WallParked, NextReadAt: now}), kinds: []string{ProblemWallClosed}},
		"a wall that has failed once":   {plan: plan(WallPlan{State: WallFailing, NextReadAt: now, LastReadAt: before(5 * time.Minute)})},
		"a wall that fails for an hour": {plan: plan(WallPlan{State: WallFailing, NextReadAt: now, LastReadAt: before(2 * time.Hour)}), kinds: []string{ProblemWallFailing}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var kinds []string
			for _, problem := range Problems(given.waiting, []LaneState{given.lane}, given.plan, time.Minute, now) {
				require.Contains(t, ProblemKinds, problem.Kind)
				kinds = append(kinds, problem.Kind)
			}
			require.Equal(t, given.kinds, kinds)
		})
	}
}
