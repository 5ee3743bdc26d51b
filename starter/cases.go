package starter

import (
	"context"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
)

// JoinCases makes cases one, because a person says that they are about one
// animal, and returns the number that is left.
func (s *Starter) JoinCases(ctx context.Context, into int64, others []int64, note string) (int64, error) {
	id, err := s.relay.Cases.Join(ctx, into, others, note)
	if err != nil {
		return 0, err
	}
	return id, s.startAmendments(ctx)
}

// SplitCase takes posts out of a case into a new one, because a person says
// that they are about another animal. The deliveries that are to tell of it now
// are started, unless hold is set, and returned.
func (s *Starter) SplitCase(ctx context.Context, id int64, posts []petpost.PostRef, hold bool, note string) (newID int64, released []int64, err error) {
	newID, released, err = s.relay.Cases.Split(ctx, id, posts, hold, note)
	if err != nil {
		return 0, nil, err
	}
	deliveries := make([]db.ToQueue, len(released))
	for i, deliveryID := range released {
		if deliveries[i], err = s.relay.Ledger.ToQueue(ctx, deliveryID); err != nil {
			return newID, released, err
		}
	}
	if err := s.relay.Dispatcher.Deliver(ctx, deliveries); err != nil {
		return newID, released, err
	}
	return newID, released, s.startAmendments(ctx)
}

// mostAmendments is how many amendments are started at once; more wait for the
// next scan.
const mostAmendments = 200

func (s *Starter) startAmendments(ctx context.Context) error {
	due, err := s.relay.Ledger.AmendmentsDue(ctx, time.Now(), mostAmendments)
	if err != nil || len(due) == 0 {
		return err
	}
	return s.relay.Dispatcher.Amend(ctx, due)
}
