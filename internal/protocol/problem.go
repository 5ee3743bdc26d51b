package protocol

import (
	"cmp"
	"strings"
	"time"
)

// Kinds of a Problem: what `vestnik status` prints and the metric
// vestnik_problems is labelled with.
const (
	ProblemNoWorker       = "no_worker"           // nobody works, or Temporal does not answer
	ProblemSettings       = "settings_refused"    // a file of settings was changed, and what it says now is wrong
	ProblemDeliveries     = "deliveries_waiting"  // deliveries are parked, or of unknown outcome
	ProblemBlocked        = "destination_blocked" // a refusal has paused a lane: a dead token, a bot that was removed
	ProblemPaused         = "destination_paused"  // a person has paused a lane
	ProblemCooling        = "destination_cooling" // a lane has been, or will be, silent for long
	ProblemBacklog        = "backlog_old"         // what is owed does not go, and nothing says why
	ProblemReadingPaused  = "reading_paused"      // VK refuses the reading key, or has it wait
	ProblemQuotaLow       = "quota_low"           // the calls of wall.get for the day are nearly spent
	ProblemQuotaSpent     = "quota_spent"         // no call of wall.get is left for the day
	ProblemReadingOverdue = "reading_overdue"     // walls are due and nobody reads them
	ProblemWallClosed     = "wall_closed"         // VK does not show a wall
	ProblemWallFailing    = "wall_failing"        // a wall can't be read for long
	ProblemImportFailed   = "import_failed"       // the guide's last import was given up
	ProblemImportHeld     = "import_held"         // an import waits for a person's word, for it would unpublish much
)

// Reasons of ProblemNoWorker.
const (
	ReasonTemporalAway    = "temporal_away"           // Temporal does not answer
	ReasonNoWorkers       = "no_workers"              // no worker asks for work
	ReasonNoVersion       = "no_current_version"      // workers of a version run, and none is current
	ReasonVersionUnworked = "version_without_workers" // the current version has no workers, others have
)

// ProblemKinds lists every kind, the most urgent first.
var ProblemKinds = []string{
	ProblemNoWorker, ProblemSettings, ProblemReadingPaused, ProblemReadingOverdue, ProblemQuotaSpent, ProblemBlocked, ProblemBacklog, ProblemPaused, ProblemCooling, ProblemDeliveries,
	ProblemImportFailed, ProblemImportHeld, ProblemWallClosed, ProblemWallFailing, ProblemQuotaLow,
}

// Problem is something that a person is to look at. What counts as one is
// decided by [Problems] alone, for console, command line, alerts and metrics.
type Problem struct {
	Kind string `json:"kind"`
	// Subject is a destination, a wall, a variable or an import; empty for what concerns all of them.
	Subject string `json:"subject,omitempty"`
	// Status is that of deliveries which wait.
	Status string `json:"status,omitempty"`
	// Reason is a slug of a catalogue, or the words of whoever paused a lane.
	Reason string `json:"reason,omitempty"`
	// Count is how many deliveries or walls are concerned; 0 where a lane is
	// paused with nothing in its queue.
	Count int        `json:"count"`
	Since *time.Time `json:"since,omitempty"`
}

// maxKeyReason bounds the reason in a key, in bytes: a slug, and never as long as
// a Postgres index refuses (2,704 bytes).
const maxKeyReason = 100

// Key names the problem for as long as it lasts: what changes meanwhile is left
// out. Only deliveries that wait for different reasons are different problems:
// the words of whoever paused a lane may be changed.
func (p Problem) Key() string {
	reason := ""
	if p.Kind == ProblemDeliveries {
		reason = p.Reason[:min(len(p.Reason), maxKeyReason)]
	}
	return strings.Join([]string{p.Kind, p.Subject, p.Status, reason}, "|")
}

// WithPeople counts deliveries of one destination that wait for a person.
type WithPeople struct {
	Destination    string
	Status, Reason string
	Deliveries     int
	Since          time.Time
}

const (
	// OldBacklog is how long the first in a queue may wait while nothing is
	// known to hold it up.
	OldBacklog = time.Hour
	// longCooling is how long a platform may be away, or ask for silence,
	// before somebody is to know.
	longCooling, longSilence = 15 * time.Minute, time.Hour
	// lateReading is how late a reading may be beyond the rhythm of scans.
	lateReading = 15 * time.Minute
	// lowQuota is the last twentieth of the day's calls: walls are read with nine
	// tenths of them, so that half of what is kept for long pages is gone.
	lowQuota = 20
)

// Problems is the one definition of what needs a person, at now. scanEvery is
// the rhythm of scans (SCAN_INTERVAL).
func Problems(waiting []WithPeople, lanes []LaneState, plan ReadPlan, scanEvery time.Duration, now time.Time) []Problem {
	problems := append([]Problem{}, readingProblems(plan, scanEvery, now)...)
	for _, lane := range lanes {
		if problem, found := laneProblem(lane, now); found {
			problems = append(problems, problem)
		}
	}
	for _, w := range waiting {
		problems = append(problems, Problem{
			Kind: ProblemDeliveries, Subject: w.Destination, Status: w.Status, Reason: w.Reason, Count: w.Deliveries, Since: &w.Since,
		})
	}
	return append(problems, wallProblems(plan, now)...)
}

func laneProblem(lane LaneState, now time.Time) (problem Problem, found bool) {
	problem = Problem{Subject: lane.Destination, Reason: lane.Reason, Count: lane.Queued, Since: lane.OldestQueued}
	before := func(at *time.Time, age time.Duration) bool { return at != nil && now.Sub(*at) > age }
	switch {
	case lane.State == LanePaused && lane.PausedDelivery != 0:
		problem.Kind, problem.Since = ProblemBlocked, lane.PausedAt
	case lane.State == LanePaused:
		problem.Kind, problem.Since = ProblemPaused, lane.PausedAt
	case lane.Queued == 0:
		return Problem{}, false
	case before(lane.FailingSince, longCooling), lane.CoolingUntil != nil && lane.CoolingUntil.Sub(now) > longSilence:
		problem.Kind, problem.Since = ProblemCooling, cmp.Or(lane.FailingSince, lane.OldestQueued)
	case before(lane.OldestQueued, OldBacklog):
		problem.Kind = ProblemBacklog
	default:
		return Problem{}, false
	}
	return problem, true
}

// readingProblems are those of the reading key and of whoever reads.
func readingProblems(plan ReadPlan, scanEvery time.Duration, now time.Time) []Problem {
	overdue := Problem{Kind: ProblemReadingOverdue}
	open := 0
	for _, wall := range plan.Walls {
		if wall.State != WallParked {
			open++
		}
		if now.Sub(wall.NextReadAt) > scanEvery+lateReading {
			overdue.Count++
			if overdue.Since == nil || wall.NextReadAt.Before(*overdue.Since) {
				overdue.Since = &wall.NextReadAt
			}
		}
	}
	switch {
	case plan.PausedUntil != nil:
		return []Problem{{Kind: ProblemReadingPaused, Reason: plan.PauseReason, Count: open}}
	case len(plan.Walls) > 0 && plan.Used >= plan.Budget:
		return []Problem{{Kind: ProblemQuotaSpent, Count: open}}
	case overdue.Count > 0:
		return []Problem{overdue}
	case len(plan.Walls) > 0 && (plan.Budget-plan.Used)*lowQuota < plan.Budget:
		return []Problem{{Kind: ProblemQuotaLow, Count: open}}
	}
	return nil
}

func wallProblems(plan ReadPlan, now time.Time) []Problem {
	var problems []Problem
	for _, wall := range plan.Walls {
		problem := Problem{Subject: wall.Name, Reason: wall.Reason, Count: 1, Since: wall.LastReadAt}
		switch {
		case wall.State == WallParked:
			problem.Kind = ProblemWallClosed
		case wall.State == WallFailing && (wall.LastReadAt == nil || now.Sub(*wall.LastReadAt) > wall.Every+longSilence):
			problem.Kind = ProblemWallFailing
		default:
			continue
		}
		problems = append(problems, problem)
	}
	return problems
}
