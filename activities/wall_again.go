package activities

import (
	"context"
	"maps"
	"slices"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/vk"
)

const (
	// againAfter is how long after a post was looked at by its id that is done
	// once more, and againFor for how long after it was written.
	againAfter = 30 * time.Minute
	againFor   = 14 * 24 * time.Hour
	// missedAgain is the same for a post that a page should have shown: VK
	// leaves some out that still stand, once their kind has changed. It is also
	// how long a post must have been missing to be taken for deleted.
	missedAgain = 10 * time.Minute
)

// lookAgain asks VK by their ids for posts that the reading should have met and
// did not, and for older ones that were told somewhere: they may have been
// edited or deleted. wall.getById is outside of the day's quota of wall.get.
// What can't be looked at now will be at the next reading. missing are posts
// that VK does not show, though it shows others.
func (a *Walls) lookAgain(ctx context.Context, ownerID int64, met found, now time.Time) (posts []petpost.Post, missing []int64) {
	ids, err := a.Posts.Doubtful(ctx, ownerID, db.Doubts{
		Seen: slices.Collect(maps.Keys(met.ids)), MetSince: met.since, Until: now,
		MissedBefore: now.Add(-missedAgain), CheckedBefore: now.Add(-againAfter), ToldSince: now.Add(-againFor), Most: vk.MaxByID - 1,
	})
	if err == nil && len(ids) > 0 {
		posts, missing, err = a.ask(ctx, ownerID, ids, met)
	}
	if err != nil {
		a.Log.WarnContext(ctx, "posts not looked at again", "owner_id", ownerID, "posts", len(ids), "error", err)
		return nil, nil
	}
	return posts, missing
}

// ask reads posts by their ids and returns which are missing. VK has been seen
// to answer with nothing for walls that stand: so one of the posts that the
// reading has just met is asked for too, and if VK shows nothing of all that, or
// has shown an empty wall, nothing is taken for missing. Nor is anything if VK
// answers with an item that makes no sense: it may be any of them.
func (a *Walls) ask(ctx context.Context, ownerID int64, ids []int64, met found) (posts []petpost.Post, missing []int64, err error) {
	if err := a.Pace.Wait(ctx); err != nil {
		return nil, nil, err
	}
	wanted := make([]post.ID, len(ids), len(ids)+1)
	for i, id := range ids {
		wanted[i] = post.ID{OwnerID: ownerID, PostID: id}
	}
	witness := int64(0)
	if len(met.posts) > 0 {
		witness = met.posts[0].PostID
		wanted = append(wanted, post.ID{OwnerID: ownerID, PostID: witness})
	}
	items, err := a.Reader.WallGetByID(ctx, wanted...)
	if err != nil {
		return nil, nil, err
	}
	var standing []int64
	for _, item := range items {
		post, err := vk.DecodePost(item)
		if err != nil {
			return nil, nil, err
		}
		if !post.Deleted {
			standing = append(standing, post.PostID)
		}
	}
	if witness != 0 && len(standing) > 0 {
		missing = slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(standing, id) })
	}
	readable, _ := vk.Readable(items)
	for _, item := range readable {
		if item.PostID == witness {
			continue
		}
		if post, err := understand(item); err == nil {
			posts = append(posts, post)
		}
	}
	return posts, missing, a.Posts.Checked(ctx, ownerID, ids, missing, standing)
}
