package starter

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"vestnik/db"
	"vestnik/internal/operators"
	"vestnik/internal/post"
	"vestnik/internal/words"
)

// decision is an open line of the audit.
type decision struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	ledger *db.Ledger
	line   db.Decision
}

// decides records what a person is about to do, before anything is done: a
// decision that can't be recorded is not carried out, and no death of the process
// loses its line. It is to be closed. What nobody has asked for (see
// [operators.As]) is no decision.
func (s *Starter) decides(ctx context.Context, action, subject, note string) (*decision, error) {
	actor := operators.Of(ctx)
	d := &decision{ctx: context.WithoutCancel(ctx), ledger: s.Ledger}
	if actor.Name == "" {
		return d, nil
	}
	d.line = db.Decision{Who: actor.Name, Via: actor.Via, Action: action, Subject: subject, Note: note}
	var err error
	d.line.ID, err = d.ledger.OpenDecision(ctx, d.line)
	return d, err
}

// close records whether anything came of it. It is deferred, with the error that
// is returned then.
func (d *decision) close(failure *error) {
	if d.line.ID == 0 {
		return
	}
	if *failure != nil {
		d.line.Failure = (*failure).Error()
	}
	if err := d.ledger.CloseDecision(d.ctx, d.line); err != nil {
		*failure = errors.Join(*failure, err)
	}
}

// Subjects of decisions.

func deliverySubject(id int64) string { return fmt.Sprintf("delivery/%d", id) }

const keySubject = "reading-key"

func caseSubject(id int64) string { return fmt.Sprintf("case/%d", id) }

func destinationSubject(name string) string { return "destination/" + name }

func wallSubject(name string) string { return "wall/" + name }

func postSubject(ref post.ID) string { return "post/" + ref.String() }

// Subject returns nil if decisions may be about a subject: *words.Unknown if there
// is no such kind or destination, db.ErrNotFound if nothing has that number.
func (s *Starter) Subject(ctx context.Context, subject string) error {
	kind, name, _ := strings.Cut(subject, "/")
	number, notNumber := strconv.ParseInt(name, 10, 64)
	ref, noPost := post.ParseID(name)
	var err error
	switch {
	case kind == "delivery" && notNumber == nil:
		_, err = s.Ledger.Delivery(ctx, number)
	case kind == "case" && notNumber == nil:
		_, err = s.Cases.Story(ctx, number)
	case kind == "destination":
		_, err = s.Destination(ctx, name)
	case kind == "post" && noPost == nil:
		_, err = s.Posts.Get(ctx, ref.OwnerID, ref.PostID)
	case kind == "wall":
		err = s.watched(ctx, []string{name})
	case subject != keySubject:
		kinds := []string{"delivery/" + name, "case/" + name, "destination/" + name, "post/" + name, "wall/" + name, keySubject}
		err = words.NewUnknown("subject", subject, kinds, "write delivery/17, case/3, destination/vk:-1, post/wall-1_2, wall/lostpets or "+keySubject)
	}
	return err
}
