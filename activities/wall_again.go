package activities

import (
	"context"
	"maps"
	"slices"
	"time"

	"vestnik/db"
	"vestnik/internal/reading"
	"vestnik/internal/vk"
)

const (
	// againAfter is how long after a post was looked at by its id that is done
	// once more, and againFor for how long after it was written.
	againAfter = 30 * time.Minute
	againFor   = 14 * 24 * time.Hour
	// missedAgain is the same for a post that a page should have shown: VK
	// leaves some out that still stand, once their kind has changed.
	missedAgain = 10 * time.Minute
)

// lookAgain asks VK by their ids for posts that the reading should have met and
// did not, and for older ones that were told somewhere: they may have been
// edited or deleted. wall.getById is outside of the day's quota of wall.get.
// What can't be looked at now will be at the next reading.
func (a *Walls) lookAgain(ctx context.Context, ownerID int64, met found) (posts []db.Post, gone []int64) {
	now := time.Now()
	ids, err := a.Posts.Doubtful(ctx, ownerID, db.Doubts{
		Seen: slices.Collect(maps.Keys(met.ids)), MetSince: met.since, Until: now,
		MissedBefore: now.Add(-missedAgain), CheckedBefore: now.Add(-againAfter), ToldSince: now.Add(-againFor), Most: vk.MaxByID,
	})
	if err == nil && len(ids) > 0 {
		posts, gone, err = a.ask(ctx, ownerID, ids)
	}
	if err != nil {
		a.Log.WarnContext(ctx, "posts not looked at again", "owner_id", ownerID, "posts", len(ids), "error", err)
		return nil, nil
	}
	return posts, gone
}

// ask reads posts by their ids and tells which are gone. One that VK answers
// with and that makes no sense leaves in doubt which it is: then none is taken
// for gone.
func (a *Walls) ask(ctx context.Context, ownerID int64, ids []int64) (posts []db.Post, gone []int64, err error) {
	if err := a.Pace.Wait(ctx); err != nil {
		return nil, nil, err
	}
	wanted := make([]vk.PostID, len(ids))
	for i, id := range ids {
		wanted[i] = vk.PostID{Owner: ownerID, ID: id}
	}
	items, err := a.Reader.WallGetByID(ctx, wanted...)
	if err != nil {
		return nil, nil, err
	}
	stands := map[int64]bool{}
	for _, item := range items {
		post, err := vk.DecodePost(item)
		if err != nil {
			return nil, nil, err
		}
		stands[post.ID] = !post.Deleted
	}
	for _, id := range ids {
		if !stands[id] {
			gone = append(gone, id)
		}
	}
	for _, item := range reading.Decode(ownerID, items).Posts {
		posts = append(posts, item.Post)
	}
	return posts, gone, a.Posts.Checked(ctx, ownerID, ids)
}
