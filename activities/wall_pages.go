package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
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
	items []vk.Post
	ids   map[int64]bool
	known []int64 // those that were stored before
	// whole: the reading has met all that is new.
	whole bool
	// since is the time from which on the reading has met every post that
	// stands on the wall; zero if it has met all.
	since time.Time
}

// readPages reads from the top until it meets what is known from a reading
// that met all there was: behind what one cut short has seen is more. The
// pinned post, which stands first whatever its age, says nothing about that. It
// goes no further back than horizon.
func (a *Walls) readPages(ctx context.Context, wall db.Wall, horizon time.Time, read *protocol.WallRead) (found, error) {
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
		known, err := a.Posts.Known(ctx, wall.OwnerID, postIDs(items))
		if err != nil {
			return found{}, err
		}
		met.add(items, known, wall.ReadUntil, horizon)
		if len(page.Items) < count {
			met.whole, met.since = true, time.Time{}
		}
		if met.whole {
			break
		}
		// Posts that appear meanwhile push the others down: one known id of
		// overlap shows that none was missed.
		offset += len(page.Items) - 1
	}
	return met, nil
}

// add notes the posts of a page. The reading is whole with one that is known and
// was read up to, or is older than horizon.
func (f *found) add(items []vk.Post, known map[int64][]byte, readUntil, horizon time.Time) {
	for _, item := range items {
		_, isKnown := known[item.PostID]
		if isKnown && !f.ids[item.PostID] {
			f.known = append(f.known, item.PostID)
		}
		if !item.Pinned && (isKnown && !item.PostedAt.After(readUntil) || item.PostedAt.Before(horizon)) {
			f.whole = true
		}
		if !item.Pinned && item.PostedAt.Before(f.since) {
			f.since = item.PostedAt
		}
		if !f.ids[item.PostID] {
			f.ids[item.PostID] = true
			f.items = append(f.items, item)
		}
	}
}

func postIDs(items []vk.Post) []int64 {
	ids := make([]int64, len(items))
	for i, item := range items {
		ids[i] = item.PostID
	}
	return ids
}

// understand reads posts: what they link to, their words, and of those that are
// new or edited what their photos look like.
func (a *Walls) understand(ctx context.Context, ownerID int64, items []vk.Post, read *protocol.WallRead) ([]petpost.Post, error) {
	known, err := a.Posts.Known(ctx, ownerID, postIDs(items))
	if err != nil {
		return nil, err
	}
	if err := a.follow(ctx, ownerID, items, known); err != nil {
		return nil, err
	}
	posts := a.readAll(ctx, items, read)
	if err := a.readInContext(ctx, ownerID, posts); err != nil {
		return nil, err
	}
	a.hashPhotos(ctx, posts, known)
	return posts, nil
}

// follow makes new posts that are hardly more than the address of another wall
// post what they would be if they reposted it. Where VK can't be asked the
// reading is made again; in the end such posts stay addresses.
func (a *Walls) follow(ctx context.Context, ownerID int64, items []vk.Post, known map[int64][]byte) error {
	var fresh []int
	var posts []vk.Post
	for i, item := range items {
		if !bytes.Equal(known[item.PostID], item.ContentHash) {
			fresh, posts = append(fresh, i), append(posts, item)
		}
	}
	err := vk.FollowLinks(posts, func(ids ...post.ID) ([]json.RawMessage, error) {
		return a.byID(ctx, ids...)
	})
	for n, i := range fresh {
		items[i] = posts[n]
	}
	if err != nil && activity.GetInfo(ctx).Attempt >= readAttempts {
		a.Log.WarnContext(ctx, "linked posts not read", "owner_id", ownerID, "error", err)
		return nil
	}
	return err
}

// readAll reads the words of posts.
func (a *Walls) readAll(ctx context.Context, items []vk.Post, read *protocol.WallRead) []petpost.Post {
	var posts []petpost.Post
	for _, item := range items {
		if post, err := readOne(item); err == nil {
			posts = append(posts, post)
		} else {
			a.Log.ErrorContext(ctx, "post not understood", "post", item.ID, "error", err)
			read.Skip(string(vk.SkipUndecodable), 1)
		}
	}
	return posts
}

// readOne reads a post's words. A panic is an error: one post is not to cost
// the others their page.
func readOne(item vk.Post) (post petpost.Post, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("reading it panicked at %s", debug.Stack())
		}
	}()
	return petpost.ReadPost(item.Post), nil
}

// errBudgetSpent means that the key has made its calls of the last 24 hours.
var errBudgetSpent = errors.New("the day's budget of wall.get calls is spent")

func (a *Walls) wallGet(ctx context.Context, ownerID int64, count, offset int) (vk.Page, error) {
	return reading(ctx, a.Keys, true, func(ctx context.Context, key *vk.Client) (vk.Page, error) {
		return key.WallGet(ctx, ownerID, count, offset)
	})
}

func (a *Walls) byID(ctx context.Context, posts ...post.ID) ([]json.RawMessage, error) {
	return reading(ctx, a.Keys, false, func(ctx context.Context, key *vk.Client) ([]json.RawMessage, error) {
		return key.WallGetByID(ctx, posts...)
	})
}
