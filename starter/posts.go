package starter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/rehearse"
	"vestnik/internal/route"
	"vestnik/internal/words"
)

// SetType remembers what type a post is, above any later reading, and has its
// deliveries follow; see [db.Posts.SetType]. Those that waited for a person because
// the type was not sure, and whose rules ask nobody now, go. A post that is older
// than DELIVER_MAX_AGE is owed nowhere anew. *words.Unknown if there is no such type,
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
	post, err := s.Posts.Get(ctx, ref.OwnerID, ref.PostID)
	if err != nil {
		return set, err
	}
	wall, err := s.wallOf(ctx, ref.OwnerID)
	if err != nil {
		return set, err
	}
	scan, routes := s.Config.Scan, s.Routes()
	set, err = s.Posts.SetType(ctx, ref, kind, time.Since(post.Written()) <= scan.MaxAge, db.Page{
		Window: s.Config.Relay.CaseWindow, Rules: routes.Version(),
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
	rows, err := s.Ledger.List(ctx, db.DeliveryFilter{Post: ref, Limit: 1000})
	if err != nil {
		return set, err
	}
	routed, _ := Owed(routes, post.OfType(kind), wall)
	var unanswered []error
	for _, row := range rows {
		at := slices.IndexFunc(routed, func(owed db.Owed) bool { return owed.Destination == row.Destination })
		switch {
		case at < 0 && maybeRead(row):
			set.Sent = append(set.Sent, row)
		case at >= 0 && routed[at].Ask == "" && row.Status == protocol.StatusParked && row.Reason == protocol.ReasonUnsure:
			_, err := s.Resume(ctx, row.ID, protocol.Resume{Action: protocol.ResumeRetry})
			unanswered = append(unanswered, err)
		}
	}
	_, err = s.StartOwed(ctx)
	_, untold := s.TellRuns(ctx)
	return set, errors.Join(append(unanswered, err, untold, s.NudgeEdits(ctx))...)
}

// maybeRead reports whether readers see a delivery, or may see it.
func maybeRead(row db.DeliveryRow) bool {
	return slices.Contains([]string{protocol.StatusSent, protocol.StatusSending, protocol.StatusUnknown}, row.Status) && row.TakenBackAt == nil
}

// wallOf is the name under which a wall is watched, "" if it is not.
func (s *Starter) wallOf(ctx context.Context, ownerID int64) (string, error) {
	walls, err := s.Walls.Watched(ctx)
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

// JoinCases makes cases one, because a person says that they are about one
// animal, and returns the number that is left.
func (s *Starter) JoinCases(ctx context.Context, into int64, others []int64, note string) (id int64, err error) {
	decision, err := s.decides(ctx, fmt.Sprintf("join %v", others), caseSubject(into), note)
	if err != nil {
		return 0, err
	}
	defer decision.close(&err)
	id, err = s.Cases.Join(ctx, into, others, note)
	if err != nil {
		return 0, err
	}
	return id, s.NudgeEdits(ctx)
}

// Duplicate says of a delivery that waits to be approved that its animal was told
// there already, as a case; see [db.Cases.Duplicate].
func (s *Starter) Duplicate(ctx context.Context, deliveryID, of int64, note string) (err error) {
	decision, err := s.decides(ctx, fmt.Sprintf("duplicate of case %d", of), deliverySubject(deliveryID), note)
	if err != nil {
		return err
	}
	defer decision.close(&err)
	if err := s.Cases.Duplicate(ctx, deliveryID, of, note); err != nil {
		return err
	}
	_, err = s.TellRuns(ctx)
	return errors.Join(err, s.NudgeEdits(ctx))
}

// SplitCase takes posts out of a case into a new one, because a person says
// that they are about another animal. The deliveries that are to tell of it now
// are started, unless hold is set, and returned.
func (s *Starter) SplitCase(ctx context.Context, id int64, posts []post.ID, hold bool, note string) (newID int64, released []int64, err error) {
	decision, err := s.decides(ctx, fmt.Sprintf("split %v", posts), caseSubject(id), note)
	if err != nil {
		return 0, nil, err
	}
	defer decision.close(&err)
	newID, released, err = s.Cases.Split(ctx, id, posts, hold, note)
	if err != nil {
		return 0, nil, err
	}
	if _, err := s.StartOwed(ctx); err != nil {
		return newID, released, err
	}
	return newID, released, s.NudgeEdits(ctx)
}

// Preview returns what a stored post says to readers at a destination, without
// marks; nothing where the destination is not configured any more. db.ErrNotFound
// if the post is not stored.
func (s *Starter) Preview(ctx context.Context, ownerID, postID int64, destination string) ([]rehearse.Message, error) {
	parsed, err := route.ParseDestination(destination)
	if err != nil {
		return nil, err
	}
	target, configured := s.Routes().Target(parsed)
	if !configured {
		return nil, nil
	}
	post, err := s.Posts.Get(ctx, ownerID, postID)
	if err != nil {
		return nil, err
	}
	target.Settings.ParseMode = notice.Unmarked
	return rehearse.Messages(post, target), nil
}
