package starter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/words"
)

// SetType remembers what type a post is, above any later reading, and has its
// deliveries follow; see [db.Posts.SetType]. A post that is older than
// DELIVER_MAX_AGE is owed nowhere anew. *words.Unknown if there is no such type,
// db.ErrNotFound if the post is not stored.
func (s *Starter) SetType(ctx context.Context, ref post.ID, kind petpost.Type, note string) (set db.TypeSet, err error) {
	if !slices.Contains(petpost.Types, kind) {
		known := make([]string, len(petpost.Types))
		for i, one := range petpost.Types {
			known[i] = string(one)
		}
		return set, words.NewUnknown("type", string(kind), known, "a post is one of "+strings.Join(known, ", "))
	}
	decision, err := s.decides(ctx, "type "+string(kind), postSubject(ref), note)
	if err != nil {
		return set, err
	}
	defer decision.close(&err)
	post, err := s.relay.Posts.Get(ctx, ref.OwnerID, ref.PostID)
	if err != nil {
		return set, err
	}
	wall, err := s.wallOf(ctx, ref.OwnerID)
	if err != nil {
		return set, err
	}
	scan, routes := s.relay.Config.Scan, s.relay.Routes()
	set, err = s.relay.Posts.SetType(ctx, ref, kind, time.Since(post.Written()) <= scan.MaxAge, db.Page{
		Window: s.relay.Config.Relay.CaseWindow, Rules: routes.Version(),
		Owed: func(post petpost.Post) []db.Owed {
			owed, _ := Owed(routes, post, wall)
			return owed
		},
		Update: func(post petpost.Post, destination string) (db.Owed, bool) {
			return Update(routes, post, destination, scan.MaxAge)
		},
	})
	if err != nil {
		return set, err
	}
	if set.Sent, err = s.sentAnyway(ctx, routes, post.OfType(kind), wall); err != nil {
		return set, err
	}
	_, err = s.StartOwed(ctx, func() {})
	_, untold := s.TellRuns(ctx)
	return set, errors.Join(err, untold, s.NudgeEdits(ctx))
}

// sentAnyway are the deliveries of a post that went, or may have gone, where no
// rule sends it.
func (s *Starter) sentAnyway(ctx context.Context, routes *route.Routes, post petpost.Post, wall string) ([]db.DeliveryRow, error) {
	routed, _ := Owed(routes, post, wall)
	rows, err := s.relay.Ledger.List(ctx, db.DeliveryFilter{Post: post.ID, Limit: 1000})
	if err != nil {
		return nil, err
	}
	atReaders := []string{protocol.StatusSent, protocol.StatusSending, protocol.StatusUnknown}
	return slices.DeleteFunc(rows, func(row db.DeliveryRow) bool {
		return !slices.Contains(atReaders, row.Status) || row.TakenBackAt != nil ||
			slices.ContainsFunc(routed, func(owed db.Owed) bool { return owed.Destination == row.Destination })
	}), nil
}

// wallOf is the name under which a wall is watched, "" if it is not.
func (s *Starter) wallOf(ctx context.Context, ownerID int64) (string, error) {
	walls, err := s.relay.Walls.Watched(ctx)
	if err != nil {
		return "", fmt.Errorf("the wall's name: %w", err)
	}
	for _, wall := range walls {
		if wall.OwnerID == ownerID {
			return wall.Name, nil
		}
	}
	return "", nil
}
