package activities

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
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
	posts []petpost.Post
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
		items, skipped := vk.Readable(page.Items)
		read.Posts += len(items)
		for reason, count := range skipped {
			read.Skip(reason, count)
		}
		ids := make([]int64, len(items))
		for i, item := range items {
			ids[i] = item.PostID
		}
		known, err := a.Posts.Known(ctx, wall.OwnerID, ids)
		if err != nil {
			return found{}, err
		}
		for _, item := range items {
			_, isKnown := known[item.PostID]
			isKnown = isKnown && !item.Date.After(wall.ReadUntil)
			if !item.Pinned && (isKnown || item.Date.Before(horizon)) {
				met.whole = true
			}
			if !item.Pinned && item.Date.Before(met.since) {
				met.since = item.Date
			}
			if met.ids[item.PostID] {
				continue
			}
			met.ids[item.PostID] = true
			if post, err := understand(item); err == nil {
				met.posts = append(met.posts, post)
			} else {
				a.Log.ErrorContext(ctx, "post not understood", "post", item.ID, "error", err)
				read.Skip(string(vk.SkipUndecodable), 1)
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

// understand reads a post's words. A panic is an error: one post is not to cost
// the others their page.
func understand(item vk.Post) (post petpost.Post, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("reading it panicked at %s", debug.Stack())
		}
	}()
	return petpost.ReadPost(item.Content()), nil
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
