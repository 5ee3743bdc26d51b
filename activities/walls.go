package activities

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/telemetry"
	"vestnik/internal/vk"
	"vestnik/starter"
)

const (
	// keepCalls is how long the counts of reading calls are kept, for the
	// statistics: the budget looks at 24 hours.
	keepCalls = 60 * 24 * time.Hour
	// parkedAgain is when a parked wall is looked at again; it doubles with
	// each time that the wall can't be read, up to parkedLongest.
	parkedAgain   = time.Hour
	parkedLongest = 72 * time.Hour
	// readAttempts is how often a reading is tried within one scan.
	readAttempts = 3
)

// Walls reads the walls and starts what they owe.
type Walls struct {
	Store   *db.Walls
	Posts   *db.Posts
	Ledger  *db.Ledger
	Starter *starter.Starter
	Routes  func() *route.Routes
	Keys    *ReadingKeys
	// Pictures gets the photos of posts, to see which are the same.
	Pictures Pictures
	// Names are the walls to watch, as VK_WALLS gives them now.
	Names func() config.Walls
	// Every is the shortest interval between two readings of a wall.
	Every time.Duration
	// MaxAge is the age from which posts are stored but not delivered.
	MaxAge time.Duration
	// FirstRead is MaxAge for the first reading of a wall.
	FirstRead time.Duration
	// CaseWindow is how long a case counts as told.
	CaseWindow time.Duration
	Log        *slog.Logger
	Metrics    *telemetry.Metrics
}

// PlanOptions are for PlanReads and StartDeliveries.
func PlanOptions(summary string) workflow.ActivityOptions {
	return scanOptions(protocol.TaskQueue, 5, summary)
}

// ReadOptions are for ReadWall. A wall that can't be read now is due again at
// the next scan, so it is not tried for long.
func ReadOptions(wall string) workflow.ActivityOptions {
	return scanOptions(protocol.VKTaskQueue, readAttempts, wall)
}

func scanOptions(queue string, attempts int32, summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: 2 * time.Minute,
		HeartbeatTimeout:    30 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second, MaximumAttempts: attempts,
		},
		Summary: summary,
	}
}

// PlanReads says which walls are due, within the budget of the key.
func (a *Walls) PlanReads(ctx context.Context, input protocol.ScanWallsInput) (protocol.ReadPlan, error) {
	if err := a.Store.Watch(ctx, a.Names(), a.Every); err != nil {
		return protocol.ReadPlan{}, err
	}
	if err := a.Store.ForgetCalls(ctx, time.Now().Add(-keepCalls)); err != nil {
		return protocol.ReadPlan{}, err
	}
	state, err := a.Store.ReadState(ctx, namesOf(a.Keys.Keys()), time.Now())
	if err != nil {
		return protocol.ReadPlan{}, err
	}
	return state.Plan(a.Keys.Budget(), input), nil
}

// ReadWall reads what is new on a wall and stores it with the deliveries it
// calls for. That a wall can't be read is a result, not an error: it is parked
// with the reason, or failed and due again later and later, and holds up no
// other.
func (a *Walls) ReadWall(ctx context.Context, name string) (protocol.WallRead, error) {
	defer beat(ctx, nothing)()
	attempt, began := activity.GetInfo(ctx).Attempt, time.Now()
	wall, err := a.Store.BeginReading(ctx, name, attempt > 1)
	if err != nil {
		return protocol.WallRead{}, err
	}
	read := protocol.WallRead{Name: name, OwnerID: wall.OwnerID}
	if err := a.readWall(ctx, wall, &read); err != nil {
		read, err := a.refused(ctx, wall, read, err)
		a.count(ctx, read, err, time.Since(began))
		return read, err
	}
	a.count(ctx, read, nil, time.Since(began))
	level := slog.LevelInfo
	if len(read.SetAside) > 0 {
		level = slog.LevelWarn
	}
	a.Log.Log(ctx, level, "wall read", "wall", name, "owner_id", read.OwnerID, "calls", read.Calls, "posts", read.Posts,
		"new", read.New, "edited", read.Edited, "deleted", read.Deleted, "owed", read.Owed, "suppressed", read.Suppressed,
		"skipped", read.Skipped, "set_aside", read.SetAside)
	return read, nil
}

func (a *Walls) count(ctx context.Context, read protocol.WallRead, failure error, took time.Duration) {
	outcome := "read"
	switch {
	case read.Parked != "":
		outcome = "parked"
	case read.Paused != "":
		outcome = "paused"
	case read.Failed != "", failure != nil:
		outcome = "failed"
	}
	a.Metrics.Read(ctx, outcome, took)
	for outcome, posts := range map[string]int{
		"new": read.New, "edited": read.Edited, "deleted": read.Deleted, "owed": read.Owed, "suppressed": read.Suppressed, "set_aside": len(read.SetAside),
	} {
		a.Metrics.Posts(ctx, outcome, posts)
	}
	for reason, posts := range read.Skipped {
		a.Metrics.Posts(ctx, "skipped_"+reason, posts)
	}
}

func (a *Walls) readWall(ctx context.Context, wall db.Wall, read *protocol.WallRead) (err error) {
	if wall.OwnerID == 0 {
		if wall, err = a.resolve(ctx, wall.Name); err != nil {
			return err
		}
		read.OwnerID = wall.OwnerID
	}
	found, err := a.readPages(ctx, wall, time.Now().Add(-a.MaxAge), read)
	if err != nil {
		return err
	}
	now := time.Now()
	again, missing := a.lookAgain(ctx, wall.OwnerID, found, now)
	items := slices.Concat(found.items, again)
	posts, err := a.understand(ctx, wall.OwnerID, items, read)
	if err != nil {
		return err
	}
	if err := a.store(ctx, wall, posts, found.whole, read); err != nil {
		return err
	}
	a.learnWall(ctx, wall.OwnerID, read.New+read.Edited)
	read.Deleted, err = a.Posts.Delete(ctx, wall.OwnerID, missing, now.Add(-missedAgain))
	return err
}

func (a *Walls) resolve(ctx context.Context, name string) (db.Wall, error) {
	ownerID, err := reading(ctx, a.Keys, false, func(ctx context.Context, key *vk.Client) (int64, error) { return key.ResolveWall(ctx, name) })
	if err != nil {
		return db.Wall{}, err
	}
	return a.Store.Resolve(ctx, name, ownerID)
}

func (a *Walls) store(ctx context.Context, wall db.Wall, posts []petpost.Post, whole bool, read *protocol.WallRead) error {
	now := time.Now()
	cursor := db.WallRead{Name: wall.Name, ReadUntil: wall.ReadUntil}
	if whole && wall.ReadUntil.IsZero() { // it shows nothing yet: what comes is news
		cursor.ReadUntil = now.Add(-a.MaxAge)
	}
	recent := 0
	for _, post := range posts {
		if whole && post.PostedAt.After(cursor.ReadUntil) && !post.PostedAt.After(now) {
			cursor.ReadUntil = post.PostedAt
		}
		if post.PostedAt.After(now.Add(-db.BusyWindow)) {
			recent++
		}
	}
	stored, err := a.Store.PostsSince(ctx, wall.OwnerID, now.Add(-db.BusyWindow))
	if err != nil {
		return err
	}
	cursor.PostsPerDay = db.PostsPerDay(max(recent, stored))
	state, err := a.Store.ReadState(ctx, namesOf(a.Keys.Keys()), now)
	if err != nil {
		return err
	}
	cursor.ReadEvery = state.Interval(wall.Name, cursor.PostsPerDay, a.Keys.Budget(), a.Every)
	cursor.NextReadAt = now.Add(cursor.ReadEvery)

	// Deliveries get their ids, and so their turns, in the order in which people
	// wrote; from a wall that was never read, the newest come first.
	sortByTime(posts)
	routes := a.Routes()
	counts, err := a.Posts.StorePage(ctx, db.Page{
		Wall: &cursor, Posts: posts, NewestFirst: wall.ReadUntil.IsZero(), Window: a.CaseWindow, Rules: routes.Version(),
		Owed: func(post petpost.Post) []db.Owed { return a.owed(ctx, routes, wall, post, now) },
		Update: func(post petpost.Post, destination string) (db.Owed, bool) {
			return starter.Update(routes, post, destination, a.MaxAge)
		},
	})
	read.New, read.Edited, read.Owed = counts.New, counts.Edited, counts.Owed
	read.Suppressed, read.Edits = counts.Suppressed, counts.Edits
	for _, post := range counts.SetAside {
		read.SetAside = append(read.SetAside, post.String())
	}
	return err
}

// sortByTime puts posts that VK gave newest first into the order of writing.
func sortByTime(posts []petpost.Post) {
	slices.Reverse(posts)
	slices.SortStableFunc(posts, func(a, b petpost.Post) int { return a.PostedAt.Compare(b.PostedAt) })
}

// owed is where a new post goes; the log says why or why not.
func (a *Walls) owed(ctx context.Context, routes *route.Routes, wall db.Wall, post petpost.Post, now time.Time) []db.Owed {
	log := a.Log.With("post", post.ID, "type", post.Reading.Type, "animal", post.Reading.Animal)
	why, oldest := "older than DELIVER_MAX_AGE", a.MaxAge
	if wall.ReadUntil.IsZero() && a.FirstRead < oldest {
		why, oldest = "older than FIRST_READ_HOURS when its wall was first read", a.FirstRead
	}
	if age := now.Sub(post.PostedAt); age > oldest {
		log.InfoContext(ctx, "post stored, not delivered", "why", why, "age", age.Round(time.Minute).String())
		return nil
	}
	return a.routed(ctx, routes, wall, post, log)
}

// routed is where the rules send a post.
func (a *Walls) routed(ctx context.Context, routes *route.Routes, wall db.Wall, post petpost.Post, log *slog.Logger) []db.Owed {
	owed, decisions := starter.Owed(routes, post, wall.Name)
	for _, decision := range decisions {
		log := log.With("destination", decision.Destination.String(), "why", decision.Reason)
		if decision.Matched {
			log.InfoContext(ctx, "post matched")
		} else {
			log.InfoContext(ctx, "post not matched")
		}
	}
	return owed
}

// refused turns what ended a reading into what becomes of the wall or of the
// key.
func (a *Walls) refused(ctx context.Context, wall db.Wall, read protocol.WallRead, err error) (protocol.WallRead, error) {
	// A reading that ran out of time is to be recorded all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	now, attempt := time.Now(), int(activity.GetInfo(ctx).Attempt)
	var paused *keysPausedError
	switch {
	case errors.Is(err, errBudgetSpent):
		read.Paused = err.Error()
		return read, a.Store.ReadingSpared(ctx, wall.Name)
	case errors.As(err, &paused):
		a.Log.WarnContext(ctx, "the reading keys must wait", "wall", wall.Name, "reason", paused.reason)
		read.Paused = paused.reason
		return read, a.Store.ReadingSpared(ctx, wall.Name)
	}
	waits := min(parkedAgain<<min(max(wall.Failures-1, 0), 10), parkedLongest)
	if errors.Is(err, db.ErrSameWall) {
		read.Parked = err.Error()
		return read, a.Store.Park(ctx, wall.Name, read.Parked, now.Add(waits))
	}
	reason := "a fault of our own, see the log"
	delay := time.Duration(0)
	var failure *vk.Error
	if errors.As(err, &failure) {
		reason, delay = failure.Reason(), failure.Policy.Delay(attempt, now)
	}
	a.Log.WarnContext(ctx, "wall not read", "wall", wall.Name, "owner_id", read.OwnerID, "reason", reason, "failures", wall.Failures, "error", err)
	if failure != nil {
		switch failure.Action() {
		case vk.ParkWall, vk.ParkDelivery, vk.Fail:
			read.Parked = reason
			return read, a.Store.Park(ctx, wall.Name, reason, now.Add(max(failure.Policy.Delay(1, now), waits)))
		}
	}
	if err := a.Store.ReadingFailed(ctx, wall.Name, reason); err != nil {
		return protocol.WallRead{}, err
	}
	if attempt < readAttempts {
		return protocol.WallRead{}, temporal.NewApplicationErrorWithOptions(err.Error(), protocol.ErrRetryLater,
			temporal.ApplicationErrorOptions{NextRetryDelay: delay})
	}
	read.Failed = reason
	return read, nil
}

// StartDeliveries starts what is owed and has no workflow yet, nudges the lanes of
// what was delivered and is to be edited, and deliveries of what has become of
// their cases.
func (a *Walls) StartDeliveries(ctx context.Context) (int, error) {
	defer beat(ctx, nothing)()
	started, err := a.Starter.StartOwed(ctx)
	if err != nil {
		return started, err
	}
	if err := a.Starter.NudgeEdits(ctx); err != nil {
		return started, err
	}
	_, err = a.Starter.TellRuns(ctx)
	return started, err
}
