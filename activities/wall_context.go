package activities

import (
	"context"
	"runtime/debug"
	"slices"

	"vestnik/internal/petpost"
)

// readInContext reads posts of a wall anew without what the wall repeats. Of a
// wall that nothing is known of yet the posts themselves tell.
func (a *Walls) readInContext(ctx context.Context, ownerID int64, posts []petpost.Post) error {
	wall, err := a.Posts.WallContext(ctx, ownerID)
	if err != nil {
		return err
	}
	if wall == nil {
		newest := slices.SortedFunc(slices.Values(posts), func(a, b petpost.Post) int { return b.PostedAt.Compare(a.PostedAt) })
		texts := make([]string, len(newest))
		for i := range newest {
			texts[i] = newest[i].Text
		}
		learned := petpost.LearnWall(texts)
		wall = &learned
	}
	if len(wall.Units) == 0 {
		return nil
	}
	for i := range posts {
		a.readOn(ctx, wall, &posts[i])
	}
	return nil
}

// readOn reads a post again. One that panics stays as it was read before.
func (a *Walls) readOn(ctx context.Context, wall *petpost.WallContext, post *petpost.Post) {
	defer func() {
		if cause := recover(); cause != nil {
			a.Log.ErrorContext(ctx, "post not read again", "post", post.ID, "at", string(debug.Stack()))
		}
	}()
	*post = petpost.ReadOn(wall, post.Post)
}

// learnWall learns what a wall repeats once there is news to learn from. What
// goes wrong is told and costs nothing: the wall was read.
func (a *Walls) learnWall(ctx context.Context, ownerID int64, news int) {
	if news == 0 {
		return
	}
	if _, err := a.Posts.LearnWall(ctx, ownerID); err != nil {
		a.Log.WarnContext(ctx, "what the wall repeats was not learned", "owner_id", ownerID, "error", err)
	}
}
