package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/words"
)

// Cases is the operators' view of cases, and their hand in them. Posts find
// their cases in StorePage.
type Cases struct{ store }

// NewCases returns the store of cases in the database behind pool.
func NewCases(pool *pgxpool.Pool) *Cases { return &Cases{newStore(pool)} }

// find locks a case, following it to the one it was joined to.
func (s *Cases) find(ctx context.Context, q *relaysql.Queries, id int64) (relaysql.RelayCase, error) {
	for {
		row, err := q.LockCase(ctx, id)
		if err != nil {
			return relaysql.RelayCase{}, notFound(err, "case %d", id)
		}
		if row.JoinedTo == nil {
			return row, nil
		}
		id = *row.JoinedTo
	}
}

// Why a post is in its case, where a person has put it there.
const (
	joinedByOperator = "joined by an operator"
	splitByOperator  = "split by an operator"
)

// ErrSameCase means that cases to be joined are one already.
var ErrSameCase = errors.New("they are one case already")

// Join makes cases one, because a person says that they are about one animal.
// Deliveries that wait where the case was announced are not sent.
func (s *Cases) Join(ctx context.Context, into int64, others []int64, note string) (int64, error) {
	err := s.inRepeatedTx(ctx, func(q *relaysql.Queries) error {
		target, err := s.find(ctx, q, into)
		if err != nil {
			return err
		}
		into = target.ID
		return s.join(ctx, q, target, others, note)
	})
	return into, wrap(err, "join")
}

func (s *Cases) join(ctx context.Context, q *relaysql.Queries, target relaysql.RelayCase, others []int64, note string) error {
	into := target.ID
	for _, other := range others {
		row, err := s.find(ctx, q, other)
		if err != nil {
			return err
		}
		if row.ID == into {
			return fmt.Errorf("cases %d and %d: %w", into, other, ErrSameCase)
		}
		posts, err := q.CasePosts(ctx, &row.ID)
		if err != nil {
			return err
		}
		if err := move(ctx, q, row.ID, into, refsOf(posts), joinedByOperator); err != nil {
			return err
		}
		if err := q.JoinedTo(ctx, relaysql.JoinedToParams{ID: row.ID, JoinedTo: &into, Note: printable(note)}); err != nil {
			return err
		}
	}
	if err := turn(ctx, q, into, target.ClosedAt != nil); err != nil {
		return err
	}
	return s.holdBack(ctx, q, into)
}

// ErrNotAnnounced means that a case was not announced to a destination.
var ErrNotAnnounced = errors.New("the case has not been told there")

// Duplicate answers for a person who was asked to approve a delivery that it is
// about an animal that was announced there: its case is joined to that one, and it is
// a duplicate of that announcement. ErrNotFound if nobody is asked about the delivery any
// more, or there is no such case; ErrNotAnnounced.
func (s *Cases) Duplicate(ctx context.Context, deliveryID, of int64, note string) error {
	err := s.inRepeatedTx(ctx, func(q *relaysql.Queries) error {
		asked, err := q.AskedDelivery(ctx, deliveryID)
		if err == nil && asked.CaseID == nil {
			err = pgx.ErrNoRows // stored by a build that knew no cases
		}
		if err != nil {
			return notFound(err, "delivery %d that is to be approved", deliveryID)
		}
		target, err := s.find(ctx, q, of)
		if err != nil {
			return err
		}
		if own, err := s.find(ctx, q, *asked.CaseID); err != nil {
			return err
		} else if own.ID != target.ID {
			if err := s.join(ctx, q, target, []int64{own.ID}, note); err != nil {
				return err
			}
		}
		rows, err := q.AnnouncedDeliveries(ctx, &target.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(rows, func(row relaysql.AnnouncedDeliveriesRow) bool { return row.DestinationID == asked.DestinationID })
		if at < 0 {
			return ErrNotAnnounced
		}
		announced := rows[at]
		return q.SuppressAsked(ctx, relaysql.SuppressAskedParams{
			ID: deliveryID, DuplicateOf: &announced.ID, Reason: announcedReason(target.ID, announced.ID, announced.OwnerID, announced.PostID),
		})
	})
	return wrap(err, "delivery %d, duplicate of case %d", deliveryID, of)
}

// holdBack suppresses deliveries that wait where their case was announced.
func (s *Cases) holdBack(ctx context.Context, q *relaysql.Queries, caseID int64) error {
	rows, err := q.AnnouncedDeliveries(ctx, &caseID)
	if err != nil {
		return err
	}
	first := map[int64]relaysql.AnnouncedDeliveriesRow{}
	for _, row := range rows {
		announced, known := first[row.DestinationID]
		if !known {
			first[row.DestinationID] = row
			continue
		}
		if stage[petpost.Type(row.Type)] > stage[petpost.Type(announced.Type)] {
			continue
		}
		if err := q.SuppressDelivery(ctx, relaysql.SuppressDeliveryParams{
			ID: row.ID, DuplicateOf: &announced.ID, Reason: announcedReason(caseID, announced.ID, announced.OwnerID, announced.PostID),
		}); err != nil {
			return err
		}
	}
	return nil
}

// Split takes posts out of a case into a new one, because a person says that
// they are about another animal. Unless hold is set, one delivery for each
// destination that had not heard of that animal is to be sent, of the case that it
// leaves too if that was closed by mistake: Released.
func (s *Cases) Split(ctx context.Context, id int64, posts []post.ID, hold bool, note string) (newID int64, released []int64, err error) {
	err = s.inRepeatedTx(ctx, func(q *relaysql.Queries) error {
		released = nil
		row, err := s.find(ctx, q, id)
		if err != nil {
			return err
		}
		if err := separable(ctx, q, row.ID, posts); err != nil {
			return err
		}
		if newID, err = q.OpenCase(ctx, printable(note)); err != nil {
			return err
		}
		if err := move(ctx, q, row.ID, newID, posts, splitByOperator); err != nil {
			return err
		}
		for _, caseID := range []int64{row.ID, newID} {
			if err := turn(ctx, q, caseID, row.ClosedAt != nil); err != nil {
				return err
			}
			if hold {
				continue
			}
			ids, err := tellAgain(ctx, q, caseID, row.ID)
			if err != nil {
				return err
			}
			released = append(released, ids...)
		}
		slices.Sort(released)
		return nil
	})
	return newID, released, wrap(err, "split")
}

// separable is an error unless posts are some of those of a case, and not all.
func separable(ctx context.Context, q *relaysql.Queries, caseID int64, posts []post.ID) error {
	rows, err := q.CasePosts(ctx, &caseID)
	if err != nil {
		return err
	}
	all := refsOf(rows)
	for _, id := range posts {
		if !slices.Contains(all, id) {
			return fmt.Errorf("case %d does not hold %s: %w", caseID, id, ErrNotFound)
		}
	}
	if len(posts) == 0 || !slices.ContainsFunc(all, func(id post.ID) bool { return !slices.Contains(posts, id) }) {
		return fmt.Errorf("case %d has %s: name some of them, not all", caseID, words.Count(len(all), "post", "posts"))
	}
	return nil
}

// tellAgain makes deliveries of a case pending that were not made because of what
// it was taken for: a duplicate, or a search that was over in the case was.
func tellAgain(ctx context.Context, q *relaysql.Queries, caseID, was int64) ([]int64, error) {
	released, err := release(ctx, q, caseID)
	if err != nil {
		return nil, err
	}
	again, err := searchAgain(ctx, q, caseID, was)
	return append(released, again...), err
}

// release makes deliveries of a case pending that were suppressed as duplicates of
// another case's, one for each destination to which their own is not announced.
func release(ctx context.Context, q *relaysql.Queries, caseID int64) (released []int64, err error) {
	stranded, err := q.SuppressedByCase(ctx, &caseID)
	if err != nil || len(stranded) == 0 {
		return nil, err
	}
	rows, err := q.AnnouncedDeliveries(ctx, &caseID)
	if err != nil {
		return nil, err
	}
	announced := map[int64]int64{} // the delivery that announces the case, by destination
	for _, row := range rows {
		announced[row.DestinationID] = row.ID
	}
	for _, row := range stranded {
		if announced[row.DestinationID] != 0 {
			continue
		}
		if err := q.ReleaseDelivery(ctx, row.ID); err != nil {
			return nil, err
		}
		announced[row.DestinationID], released = row.ID, append(released, row.ID)
	}
	for destinationID, id := range announced { // the rest are duplicates of it
		if err := standFor(ctx, q, id, caseID, destinationID); err != nil {
			return nil, err
		}
	}
	return released, nil
}

// standFor makes the suppressed deliveries of a case to a destination duplicates of
// one that is not.
func standFor(ctx context.Context, q *relaysql.Queries, id, caseID, destinationID int64) error {
	return q.StandFor(ctx, relaysql.StandForParams{
		ID: &id, Reason: fmt.Sprintf("case %d is told by delivery %d", caseID, id), CaseID: &caseID, DestinationID: destinationID,
	})
}

func move(ctx context.Context, q *relaysql.Queries, from, to int64, posts []post.ID, reason string) error {
	params := relaysql.MovePostsParams{CaseID: to, FromCase: from, Reason: reason}
	for _, post := range posts {
		params.OwnerIds = append(params.OwnerIds, post.OwnerID)
		params.PostIds = append(params.PostIds, post.PostID)
	}
	if _, err := q.MovePosts(ctx, params); err != nil {
		return err
	}
	return q.MoveDeliveries(ctx, &to)
}

// turn brings a case in step with its posts after they were moved, and the messages
// about them.
func turn(ctx context.Context, q *relaysql.Queries, caseID int64, wasClosed bool) error {
	closed, turned, err := turnCase(ctx, q, caseID)
	if err != nil || !turned && !closed && !wasClosed {
		return err
	}
	return editCase(ctx, q, caseID, closed)
}

func refsOf(rows []relaysql.RelayPost) []post.ID {
	return listOf(rows, func(row relaysql.RelayPost) post.ID { return post.ID{OwnerID: row.OwnerID, PostID: row.PostID} })
}
