package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
)

// Backfill is a wall's past: posts to be stored, and what those since a time,
// stored before or not, call for.
type Backfill struct {
	Page
	OwnerID int64
	Since   time.Time
	// Every is how far apart the deliveries of one destination are due, the
	// newest post first.
	Every  time.Duration
	DryRun bool
}

// errDryRun ends a transaction whose result is all that is wanted.
var errDryRun = errors.New("dry run")

// Backfill stores posts and owes what was never owed, as cases permit.
func (s *Posts) Backfill(ctx context.Context, b Backfill) (stored PageStored, due []protocol.DueDelivery, err error) {
	owed := b.Owed
	b.Owed = func(Post) []Owed { return nil } // all of them are told below
	err = s.filed(ctx, b.Page, func(f *filing) error {
		if err := f.run(ctx); err != nil {
			return err
		}
		f.page.Owed = owed
		if err := f.announcePast(ctx, b.OwnerID, b.Since); err != nil {
			return err
		}
		rows, err := f.q.SpaceOut(ctx, relaysql.SpaceOutParams{OwnerID: b.OwnerID, Every: b.Every})
		if err != nil {
			return err
		}
		stored, due = f.stored, listOf(rows, func(row relaysql.SpaceOutRow) protocol.DueDelivery {
			return protocol.DueDelivery{
				DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID}, DueAt: *row.DueAt,
			}
		})
		if b.DryRun {
			return errDryRun
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDryRun) {
		return PageStored{}, nil, fmt.Errorf("backfill wall %d: %w", b.OwnerID, err)
	}
	return stored, due, nil
}

// announcePast announces posts of a wall that were never told, in the order of writing.
func (f *filing) announcePast(ctx context.Context, ownerID int64, since time.Time) error {
	rows, err := f.q.PostsNeverOwed(ctx, relaysql.PostsNeverOwedParams{OwnerID: ownerID, Since: since})
	if err != nil {
		return err
	}
	told := make([]int64, len(rows))
	for i, row := range rows {
		post := postOf(row.RelayPost)
		told[i] = post.PostID
		if err := f.announce(ctx, post, row.CaseClosed, false, false); err != nil {
			return fmt.Errorf("%s: %w", post.ID, err)
		}
	}
	return f.q.RulesDecided(ctx, relaysql.RulesDecidedParams{OwnerID: ownerID, PostIds: told, Rules: f.page.Rules})
}
