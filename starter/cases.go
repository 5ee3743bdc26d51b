package starter

import (
	"context"
	"fmt"

	"vestnik/internal/petpost"
)

// JoinCases makes cases one, because a person says that they are about one
// animal, and returns the number that is left.
func (s *Starter) JoinCases(ctx context.Context, into int64, others []int64, note string) (id int64, err error) {
	defer s.decided(ctx, fmt.Sprintf("join %v", others), caseSubject(into), note, &err)
	id, err = s.relay.Cases.Join(ctx, into, others, note)
	if err != nil {
		return 0, err
	}
	return id, s.NudgeEdits(ctx)
}

// SplitCase takes posts out of a case into a new one, because a person says
// that they are about another animal. The deliveries that are to tell of it now
// are started, unless hold is set, and returned.
func (s *Starter) SplitCase(ctx context.Context, id int64, posts []petpost.PostRef, hold bool, note string) (newID int64, released []int64, err error) {
	defer s.decided(ctx, fmt.Sprintf("split %v", posts), caseSubject(id), note, &err)
	newID, released, err = s.relay.Cases.Split(ctx, id, posts, hold, note)
	if err != nil {
		return 0, nil, err
	}
	if _, err := s.StartOwed(ctx, func() {}); err != nil {
		return newID, released, err
	}
	return newID, released, s.NudgeEdits(ctx)
}
