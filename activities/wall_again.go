package activities

import (
	"context"
	"maps"
	"slices"
	"time"

	"vestnik/db"
	"vestnik/internal/post"
	"vestnik/internal/vk"
)

const (
	// againAfter is how long after a post was looked at by its id that is done
	// once more, and againFor for how long after it was written.
	againAfter = 30 * time.Minute
	againFor   = 14 * 24 * time.Hour
	// returnedFor is how long a post that was taken for deleted is looked for.
	returnedFor = 48 * time.Hour
	// missedAgain is the same for a post that a page should have shown: VK
	// leaves some out that still stand, once their kind has changed. It is also
	// how long a post must have been missing to be taken for deleted.
	missedAgain = 10 * time.Minute
	// witnesses is how many posts that stand are asked for with those that may
	// be gone.
	witnesses = 10
)

// lookAgain asks VK by their ids for posts that the reading should have met and
// did not, and for older ones that were told somewhere: they may have been
// edited or deleted. wall.getById is outside of the day's quota of wall.get.
// What can't be looked at now will be at the next reading. missing are posts
// that VK does not show, though it shows others.
func (a *Walls) lookAgain(ctx context.Context, ownerID int64, met found, now time.Time) (items []vk.Post, missing []int64) {
	ids, err := a.Posts.ToRecheck(ctx, ownerID, db.Recheck{
		Seen: slices.Collect(maps.Keys(met.ids)), MetSince: met.since, Until: now,
		MissedBefore: now.Add(-missedAgain), CheckedBefore: now.Add(-againAfter), ToldSince: now.Add(-againFor),
		ReturnedSince: now.Add(-returnedFor), Most: vk.MaxByID - witnesses,
	})
	if err == nil && len(ids) > 0 {
		items, missing, err = a.ask(ctx, ownerID, ids, met)
	}
	if err != nil {
		a.Log.WarnContext(ctx, "posts not looked at again", "owner_id", ownerID, "posts", len(ids), "error", err)
		return nil, nil
	}
	return items, missing
}

// ask reads posts by their ids and returns which are missing. VK has been seen
// to answer with nothing, or with half, for walls that stand: so posts that the
// reading has met, and met before, are asked for too. Unless VK shows them all,
// nothing is taken for missing; nor is anything where the wall shows no post
// that it showed before, or if VK answers with an item that makes no sense: it
// may be any of them.
func (a *Walls) ask(ctx context.Context, ownerID int64, ids []int64, met found) (unmet []vk.Post, missing []int64, err error) {
	known := met.known[:min(len(met.known), witnesses)]
	var wanted []post.ID
	for _, id := range slices.Concat(ids, known) {
		wanted = append(wanted, post.ID{OwnerID: ownerID, PostID: id})
	}
	items, err := a.byID(ctx, wanted...)
	if err != nil {
		return nil, nil, err
	}
	var standing []int64
	for _, item := range items {
		post, err := vk.DecodePost(item)
		if err != nil {
			return nil, nil, err
		}
		if post.Skip() != vk.SkipDeleted {
			standing = append(standing, post.PostID)
		}
	}
	gone := func(id int64) bool { return !slices.Contains(standing, id) }
	if len(known) > 0 && !slices.ContainsFunc(known, gone) {
		missing = slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !gone(id) })
	}
	readable, _ := vk.Readable(items)
	for _, item := range readable {
		if !met.ids[item.PostID] {
			unmet = append(unmet, item)
		}
	}
	return unmet, missing, a.Posts.Checked(ctx, ownerID, ids, missing, standing)
}
