package starter

import (
	"context"
	"errors"
	"fmt"

	"vestnik/db"
	"vestnik/internal/operators"
)

// decided records what a person has decided, and whether anything came of it. It
// is deferred, with the error that is returned then. What nobody has asked for
// (see [operators.As]) is no decision.
func (s *Starter) decided(ctx context.Context, action, subject, note string, failure *error) {
	actor := operators.Of(ctx)
	if actor.Name == "" {
		return
	}
	decision := db.Decision{Who: actor.Name, Via: actor.Via, Action: action, Subject: subject, Note: note}
	if *failure != nil {
		decision.Failure = (*failure).Error()
	}
	if err := s.relay.Ledger.Record(context.WithoutCancel(ctx), decision); err != nil {
		*failure = errors.Join(*failure, err)
	}
}

// Subjects of decisions.

func deliverySubject(id int64) string { return fmt.Sprintf("delivery/%d", id) }

func caseSubject(id int64) string { return fmt.Sprintf("case/%d", id) }

func destinationSubject(name string) string { return "destination/" + name }
