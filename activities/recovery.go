package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/starter"
)

// Recovery sets going again what stands still. Each of its activities does a
// bounded amount of work, may be repeated, and returns how much it found.
type Recovery struct {
	Starter *starter.Starter
	Ledger  *db.Ledger
	// Imports starts accepted CMS batches; nil where there is no guide.
	Imports *starter.Content
	// CaseWindow is how long a case counts as told.
	CaseWindow time.Duration
}

// RecoveryOptions are for Recovery's activities: the next round, a minute
// later, does what this one can't.
func RecoveryOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           protocol.TaskQueue,
		StartToCloseTimeout: 2 * time.Minute,
		HeartbeatTimeout:    30 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, MaximumAttempts: 2},
		Summary:             summary,
	}
}

// ReleaseStranded makes one delivery pending for each case that has lost the
// delivery which stood for the others, and decides about those that nobody has
// approved in time. On the way it folds the tallies of deliveries that have come
// to rest since, and sums the days that are over.
func (a *Recovery) ReleaseStranded(ctx context.Context) (int, error) {
	if err := a.Ledger.FoldTallies(ctx); err != nil {
		return 0, err
	}
	if err := a.Ledger.KeepDays(ctx, time.Now()); err != nil {
		return 0, err
	}
	if _, err := a.Ledger.AnswerForNobody(ctx); err != nil {
		return 0, err
	}
	return a.Ledger.ReleaseStranded(ctx, time.Now().Add(-a.CaseWindow))
}

// StartOwed starts deliveries that were never started.
func (a *Recovery) StartOwed(ctx context.Context) (int, error) {
	defer beat(ctx, nothing)()
	return a.Starter.StartOwed(ctx)
}

// NudgeLanes nudges the lanes of destinations that owe something.
func (a *Recovery) NudgeLanes(ctx context.Context) (int, error) {
	return a.Starter.NudgeOwing(ctx)
}

// TellRuns makes deliveries look at the ledger that came to rest from outside, and
// hands decisions about all that match on to them.
func (a *Recovery) TellRuns(ctx context.Context) (int, error) {
	defer beat(ctx, nothing)()
	told, err := a.Starter.TellRuns(ctx)
	return told, errors.Join(err, a.Starter.HandOn(ctx))
}

// ReturnToPeople gives a workflow to deliveries that wait for a person and have
// none.
func (a *Recovery) ReturnToPeople(ctx context.Context) (int, error) {
	return a.Starter.ReturnToPeople(ctx)
}

// StartImports starts accepted imports that don't run.
func (a *Recovery) StartImports(ctx context.Context) (int, error) {
	if a.Imports == nil {
		return 0, nil
	}
	return 0, a.Imports.Sweep(ctx)
}

// maxBlanked is about how many posts one run blanks: 240,000 a day.
const maxBlanked = 10_000

// Retention ends the keeping of what people wrote.
type Retention struct {
	Posts *db.Posts
	// Days is for how long a post's words are kept; 0 for ever.
	Days int
}

// BlankPosts blanks posts that were deleted at the source, and old ones. It
// returns how many.
func (a *Retention) BlankPosts(ctx context.Context) (int, error) {
	before := time.Time{}
	if a.Days > 0 {
		before = time.Now().AddDate(0, 0, -a.Days)
	}
	return a.Posts.Blank(ctx, before, maxBlanked, func() { activity.RecordHeartbeat(ctx) })
}
