package activities

import (
	"context"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
)

// BackfillWall reads a wall further back than a reading does and owes what is
// routed and was never delivered, spaced out, after everything that is fresh. A
// dry run stores nothing.
func (a *Walls) BackfillWall(ctx context.Context, wanted protocol.Backfill) (protocol.Backfilled, error) {
	defer beat(ctx, nothing)()
	wall, err := a.Store.Get(ctx, wanted.Wall)
	if err == nil && wall.OwnerID == 0 {
		wall, err = a.resolve(ctx, wall.Name)
	}
	if err != nil {
		return protocol.Backfilled{}, err
	}
	since := time.Now().Add(-wanted.Since)
	result := protocol.Backfilled{WallRead: protocol.WallRead{Name: wall.Name, OwnerID: wall.OwnerID}}
	// It does not stop at what is known: the first reading has stored that.
	found, err := a.readPages(ctx, db.Wall{Name: wall.Name, OwnerID: wall.OwnerID}, since, &result.WallRead)
	if err != nil {
		return result, err
	}
	posts, err := a.understand(ctx, wall.OwnerID, found.items, &result.WallRead)
	if err != nil {
		return result, err
	}
	sortByTime(posts)
	routes := a.Routes()
	stored, due, err := a.Posts.Backfill(ctx, db.Backfill{
		Page: db.Page{
			Posts: posts, Window: a.CaseWindow, Rules: routes.Version(),
			Owed: func(post petpost.Post) []db.Owed {
				owed := a.routed(ctx, routes, wall, post, a.Log.With("post", post.ID, "type", post.Reading.Type))
				for i := range owed {
					owed[i].Wanted, owed[i].Later = true, true
				}
				return owed
			},
		},
		OwnerID: wall.OwnerID, Since: since, Every: time.Hour / time.Duration(max(wanted.PerHour, 1)), DryRun: wanted.DryRun,
	})
	if err != nil {
		return result, err
	}
	result.New, result.Owed, result.Suppressed, result.Due = stored.New, stored.Owed, stored.Suppressed, due
	a.Log.InfoContext(ctx, "wall backfilled", "wall", wall.Name, "calls", result.Calls, "new", result.New, "owed", result.Owed, "dry_run", wanted.DryRun)
	return result, nil
}
