package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/reading"
	"vestnik/internal/vk"
)

const (
	// firstPage is how many posts a reading asks for; a wall that had more
	// news since the last time is read on in pages of vk.MaxPage.
	firstPage = 20
	// maxPages bounds one reading, to 4,901 posts: more than people write on
	// a wall in any DELIVER_MAX_AGE that makes sense.
	maxPages = 50
)

// found is what a reading has met.
type found struct {
	posts []db.Post
	ids   map[int64]bool
	// whole tells that the reading has met all that is new.
	whole bool
	// since is the time from which on the reading has met every post that
	// stands on the wall; zero if it has met all.
	since time.Time
}

// readPages reads from the top until it meets what is known from a reading
// that met all there was: behind what one cut short has seen is more. The
// pinned post, which stands first whatever its age, says nothing about that.
func (a *Walls) readPages(ctx context.Context, wall db.Wall, read *protocol.WallRead) (found, error) {
	horizon := time.Now().Add(-a.MaxAge)
	count := firstPage
	if wall.LastReadAt.IsZero() {
		count = vk.MaxPage
	}
	met := found{ids: map[int64]bool{}, since: time.Now()}
	for offset := 0; read.Calls < maxPages; count = vk.MaxPage {
		page, err := a.wallGet(ctx, wall.OwnerID, count, offset)
		if errors.Is(err, errBudgetSpent) && read.Calls > 0 {
			break // what was read is news all the same
		}
		if err != nil {
			return found{}, err
		}
		read.Calls++
		items := reading.Decode(wall.OwnerID, page.Items)
		read.Posts += len(items.Posts)
		for reason, skipped := range items.Skipped {
			if read.Skipped == nil {
				read.Skipped = map[string]int{}
			}
			read.Skipped[reason] += skipped
		}
		known, err := a.Posts.Known(ctx, wall.OwnerID, items.IDs())
		if err != nil {
			return found{}, err
		}
		for _, item := range items.Posts {
			_, isKnown := known[item.PostID]
			isKnown = isKnown && !item.PostedAt.After(wall.ReadUntil)
			if !item.Pinned && (isKnown || item.PostedAt.Before(horizon)) {
				met.whole = true
			}
			if !item.Pinned && item.PostedAt.Before(met.since) {
				met.since = item.PostedAt
			}
			if !met.ids[item.PostID] {
				met.ids[item.PostID] = true
				met.posts = append(met.posts, item.Post)
			}
		}
		if len(page.Items) < count {
			met.whole, met.since = true, time.Time{}
		}
		if met.whole {
			break
		}
		// Posts that appear meanwhile push the others down: one known id of
		// overlap shows that none was missed.
		offset += len(page.Items) - 1
		activity.RecordHeartbeat(ctx)
	}
	return met, nil
}

// errBudgetSpent means that the key has made its calls of the last 24 hours.
var errBudgetSpent = errors.New("the day's budget of wall.get calls is spent")

func (a *Walls) wallGet(ctx context.Context, ownerID int64, count, offset int) (vk.Page, error) {
	if err := a.Pace.Wait(ctx); err != nil {
		return vk.Page{}, err
	}
	used, err := a.Store.CallsSince(ctx, a.Key, time.Now().Add(-24*time.Hour))
	if err != nil {
		return vk.Page{}, err
	}
	if used >= a.Quota {
		return vk.Page{}, errBudgetSpent
	}
	if err := a.Store.SpendCall(ctx, a.Key); err != nil {
		return vk.Page{}, err
	}
	return a.Reader.WallGet(ctx, ownerID, count, offset)
}
