package starter

import (
	"context"
	"errors"
	"fmt"

	"vestnik/internal/post"
)

// JoinCases makes cases one, because a person says that they are about one
// animal, and returns the number that is left.
func (s *Starter) JoinCases(ctx context.Context, into int64, others []int64, note string) (id int64, err error) {
	decision, err := s.decides(ctx, fmt.Sprintf("join %v", others), caseSubject(into), note)
	if err != nil {
		return 0, err
	}
	defer decision.close(&err)
	id, err = s.relay.Cases.Join(ctx, into, others, note)
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
	if err := s.relay.Cases.Duplicate(ctx, deliveryID, of, note); err != nil {
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
	newID, released, err = s.relay.Cases.Split(ctx, id, posts, hold, note)
	if err != nil {
		return 0, nil, err
	}
	if _, err := s.StartOwed(ctx, func() {}); err != nil {
		return newID, released, err
	}
	return newID, released, s.NudgeEdits(ctx)
}
