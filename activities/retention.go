package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/db"
)

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
