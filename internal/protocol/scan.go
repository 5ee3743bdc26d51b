package protocol

import "time"

// ScanWallsInput narrows a scan. The schedule sends it empty: every wall that
// is due, within the day's budget.
type ScanWallsInput struct {
	// Walls to read, as VK_WALLS names them; empty means all.
	Walls []string `json:"walls,omitempty"`
	// Now reads the walls even if they are not due.
	Now bool `json:"now,omitempty"`
	// Backfill asks for one wall's past instead.
	Backfill *Backfill `json:"backfill,omitempty"`
}

// Backfill asks for what a wall's first reading did not deliver.
type Backfill struct {
	Wall  string        `json:"wall"`  // as VK_WALLS names it
	Since time.Duration `json:"since"` // how far back
	// PerHour is how many deliveries an hour each destination gets.
	PerHour int  `json:"per_hour"`
	DryRun  bool `json:"dry_run,omitempty"`
}

// Backfilled is what a backfill came to.
type Backfilled struct {
	WallRead
	Due []DueDelivery `json:"due,omitempty"`
}

// DueDelivery is a delivery that is not to go before a time.
type DueDelivery struct {
	DeliveryKey
	DueAt time.Time `json:"due_at"`
}

// ReadPlan is what the next scan will do about each wall, and why.
type ReadPlan struct {
	// Budget is the calls of wall.get that the key may make in 24 hours, and
	// Used what it made in the last 24.
	Budget int `json:"budget"`
	Used   int `json:"used"`
	// PausedUntil is set while VK has told the key to wait.
	PausedUntil *time.Time `json:"paused_until,omitempty"`
	PauseReason string     `json:"pause_reason,omitempty"`
	Walls       []WallPlan `json:"walls"`
}

// Due returns the walls to be read now.
func (p ReadPlan) Due() []WallPlan {
	var due []WallPlan
	for _, wall := range p.Walls {
		if wall.Due {
			due = append(due, wall)
		}
	}
	return due
}

// Values of WallPlan.State.
const (
	WallOpen    = "open"
	WallFailing = "failing" // its last readings came to nothing
	WallParked  = "parked"  // VK does not show it
)

// WallPlan is one wall of a ReadPlan.
type WallPlan struct {
	Name        string        `json:"name"`
	OwnerID     int64         `json:"owner_id,omitempty"`
	State       string        `json:"state"`
	Reason      string        `json:"reason,omitempty"`
	PostsPerDay float64       `json:"posts_per_day"`
	Every       time.Duration `json:"every"`
	NextReadAt  time.Time     `json:"next_read_at"`
	LastReadAt  *time.Time    `json:"last_read_at,omitempty"`
	Due         bool          `json:"due"`
}

// WallRead is what one reading of one wall came to.
type WallRead struct {
	Name    string `json:"name"`
	OwnerID int64  `json:"owner_id"`
	Calls   int    `json:"calls"`
	Posts   int    `json:"posts"`
	New     int    `json:"new"`
	Edited  int    `json:"edited"`
	// Skipped counts posts that are not for reading, by reason: ads, donut…
	Skipped map[string]int `json:"skipped,omitempty"`
	// Owed counts new deliveries, Suppressed those that are not made because
	// the case is told.
	Owed       int `json:"owed"`
	Suppressed int `json:"suppressed,omitempty"`
	// Deleted counts posts that their authors have deleted, Edits the posts
	// and cases whose messages are to be edited.
	Deleted int `json:"deleted,omitempty"`
	Edits   int `json:"amended,omitempty"`
	// SetAside names the posts that could not be stored, and why.
	SetAside []string `json:"set_aside,omitempty"`
	// Parked is why the wall is not read any more, "" if it is.
	Parked string `json:"parked,omitempty"`
	// Failed is why this reading came to nothing, "" if it did not: the wall is
	// due again, ever later.
	Failed string `json:"failed,omitempty"`
	// Paused is why no wall can be read for now (the key must wait), "" if it can.
	Paused string `json:"paused,omitempty"`
}

// Skip counts posts that are not for reading.
func (r *WallRead) Skip(reason string, posts int) {
	if r.Skipped == nil {
		r.Skipped = map[string]int{}
	}
	r.Skipped[reason] += posts
}

// ScanWallsResult is what a scan came to.
type ScanWallsResult struct {
	Walls      []WallRead  `json:"walls"`
	Started    int         `json:"started"`
	Backfilled *Backfilled `json:"backfilled,omitempty"`
}

// RecoverResult counts what a round of recovery came to.
type RecoverResult struct {
	Released   int `json:"released"`
	Started    int `json:"started"`
	Owing      int `json:"owing"`
	Told       int `json:"told"`
	WithPeople int `json:"with_people"`
	Imports    int `json:"imports"`
	Failed     int `json:"failed"`
}
