package db

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
)

// stage is how far a search has come. A post of a later stage than what was
// announced to a destination is news there; one of the same stage is not.
var stage = map[petpost.Type]int{
	petpost.Lost: 1, petpost.Sighting: 2, petpost.Found: 3, petpost.Reunited: 4,
}

// goesEverywhere reports whether a post of this type goes to every destination to
// which its case was announced, whatever the routes say.
func goesEverywhere(kind petpost.Type) bool {
	return kind == petpost.Found || kind == petpost.Reunited
}

// announce writes the deliveries that a post calls for, as its case permits. Of a
// case that the post has opened nothing was announced. seen: it is of a sighting
// that nobody has heard of.
func (f *filing) announce(ctx context.Context, post Post, closed, opened, seen bool) (err error) {
	var rows []relaysql.AnnouncedDeliveriesRow
	if !opened {
		if rows, err = f.q.AnnouncedDeliveries(ctx, &post.CaseID); err != nil {
			return err
		}
	}
	announced := map[string][]relaysql.AnnouncedDeliveriesRow{}
	for _, row := range rows {
		announced[row.Destination] = append(announced[row.Destination], row)
	}
	for _, owed := range f.page.Owed(post) {
		owed = f.decide(post, owed, announced[owed.Destination], closed, seen)
		if !opened {
			if owed, err = f.askOnce(ctx, post, owed); err != nil {
				return err
			}
		}
		if err := f.owe(ctx, post, owed); err != nil {
			return err
		}
		delete(announced, owed.Destination)
	}
	return f.answer(ctx, post, rows, announced, seen)
}

// answer writes the deliveries of a post to destinations that no route of it leads to,
// but to which its case was announced, in the order (rows) of those announcements.
func (f *filing) answer(ctx context.Context, post Post, rows []relaysql.AnnouncedDeliveriesRow, announced map[string][]relaysql.AnnouncedDeliveriesRow, seen bool) error {
	if !seen && !goesEverywhere(post.Reading.Type) || f.page.Update == nil {
		return nil
	}
	for _, first := range rows {
		if !f.isNews(post, announced[first.Destination], seen) {
			continue
		}
		delete(announced, first.Destination)
		if owed, wanted := f.page.Update(post, first.Destination); wanted {
			owed.replyTo = first.ID
			if err := f.owe(ctx, post, owed); err != nil {
				return err
			}
		}
	}
	return nil
}

// decide says what becomes of a delivery that a route calls for: it goes, it goes as an
// update, or it is a duplicate of another one.
func (f *filing) decide(post Post, owed Owed, announced []relaysql.AnnouncedDeliveriesRow, closed, seen bool) Owed {
	switch {
	case owed.Suppressed != "":
	case f.isNews(post, announced, seen):
		owed.replyTo = announced[0].ID
	case closed && post.Reading.Type != petpost.Reunited:
		owed.Suppressed = closedReason(post.CaseID)
		if len(announced) > 0 {
			owed.duplicateOf = announced[len(announced)-1].ID
		}
	case len(announced) > 0:
		last := announced[len(announced)-1]
		if post.Reading.Type == petpost.Reunited || f.stillAnnounced(last) {
			owed.duplicateOf, owed.Suppressed = last.ID, announcedReason(post.CaseID, last.ID, last.OwnerID, last.PostID)
		}
	}
	return owed
}

// askOnce suppresses a delivery that a person is to approve while they are asked
// about another post of its case, unless this one brings the search further.
func (f *filing) askOnce(ctx context.Context, post Post, owed Owed) (Owed, error) {
	if owed.Ask == "" || owed.Suppressed != "" {
		return owed, nil
	}
	asked, err := f.q.AskedAbout(ctx, relaysql.AskedAboutParams{CaseID: post.CaseID, Destination: owed.Destination})
	switch {
	case errorsIsNoRows(err):
		return owed, nil
	case err != nil:
		return owed, err
	case stage[post.Reading.Type] <= stage[petpost.Type(asked.Type)] && (asked.OwnerID != post.OwnerID || asked.PostID != post.PostID):
		owed.duplicateOf = asked.ID
		owed.Suppressed = fmt.Sprintf("case %d waits to be approved as delivery %d, %s", post.CaseID, asked.ID, protocol.WallPost(asked.OwnerID, asked.PostID))
	}
	return owed, nil
}

// isNews reports whether a post brings news to a destination to which its case was
// announced by other posts: it is of a later stage than all of them, or of a sighting
// (seen) while the case still counts as announced there. Where the post itself was
// announced, that message is edited.
func (f *filing) isNews(post Post, announced []relaysql.AnnouncedDeliveriesRow, seen bool) bool {
	later := true
	for _, row := range announced {
		if row.OwnerID == post.OwnerID && row.PostID == post.PostID {
			return false
		}
		later = later && stage[petpost.Type(row.Type)] < stage[post.Reading.Type]
	}
	return len(announced) > 0 && (later || seen && f.stillAnnounced(announced[len(announced)-1]))
}

// stillAnnounced reports whether a delivery counts as an announcement: for the window
// after it was sent, and for as long as it may still be.
func (f *filing) stillAnnounced(row relaysql.AnnouncedDeliveriesRow) bool {
	return row.Status != protocol.StatusSent || cmp.Or(row.SentAt, &row.CreatedAt).After(f.now.Add(-f.page.Window))
}

func announcedReason(caseID, deliveryID, ownerID, postID int64) string {
	return fmt.Sprintf("case %d is told by delivery %d, %s", caseID, deliveryID, protocol.WallPost(ownerID, postID))
}

// destination is the id of a destination by its name.
func (f *filing) destination(ctx context.Context, name string) (int64, error) {
	if id, known := f.destinations[name]; known {
		return id, nil
	}
	id, err := destinationID(ctx, f.q, name)
	if err == nil {
		f.destinations[name] = id
	}
	return id, err
}

// owe writes a delivery. One that was suppressed for its case and is an update
// now, because its post was edited, is wanted after all.
func (f *filing) owe(ctx context.Context, post Post, owed Owed) error {
	destination, err := f.destination(ctx, owed.Destination)
	if err != nil {
		return err
	}
	id, created, err := owe(ctx, f.q, destination, post, owed)
	switch {
	case err != nil:
		return err
	case created && owed.Suppressed != "":
		f.stored.Suppressed++
	case created:
		f.stored.Owed++
	case owed.replyTo != 0:
		_, err := f.q.WantDelivery(ctx, relaysql.WantDeliveryParams{ID: id, ReplyTo: &owed.replyTo, OtherType: otherType})
		if errorsIsNoRows(err) {
			return nil
		}
		f.stored.Owed++
		return err
	}
	return nil
}

// Causes of an edit.
const (
	causeEdited   = "edited"
	causeDeleted  = "deleted"
	causeRestored = "restored"
	causeClosed   = "closed"
	causeReopened = "reopened"
)

// refreshCase locks a case, brings it in step with its posts, and reports
// whether it is closed now. When that has turned, its messages are edited.
func refreshCase(ctx context.Context, q *relaysql.Queries, caseID int64) (closed, turned bool, err error) {
	if closed, turned, err = turnCase(ctx, q, caseID); err != nil || !turned {
		return closed, false, err
	}
	return closed, true, editCase(ctx, q, caseID, closed)
}

func editCase(ctx context.Context, q *relaysql.Queries, caseID int64, closed bool) error {
	cause := causeReopened
	if closed {
		cause = causeClosed
	}
	return q.EditCase(ctx, relaysql.EditCaseParams{Cause: cause, CaseID: &caseID})
}

// turnCase locks a case and closes it, or opens it again, as its posts say.
// What waits to be sent about an animal that is home again is not sent.
func turnCase(ctx context.Context, q *relaysql.Queries, caseID int64) (closed, turned bool, err error) {
	row, err := q.LockCase(ctx, caseID)
	if err != nil {
		return false, false, err
	}
	closedAt, err := q.RefreshCase(ctx, caseID)
	if err != nil || (closedAt == nil) == (row.ClosedAt == nil) {
		return closedAt != nil, false, err
	}
	if closedAt != nil {
		_, err = q.SuppressWaiting(ctx, relaysql.SuppressWaitingParams{CaseID: &caseID, Reason: closedReason(caseID)})
	}
	return closedAt != nil, true, err
}

// notHome takes up what was not told of an animal, if the post is one that has said
// so far that it is home.
func (f *filing) notHome(ctx context.Context, post Post, before relaysql.StoredPostsRow) error {
	if before.Type != string(petpost.Reunited) {
		return nil
	}
	ids, err := searchAgain(ctx, f.q, post.CaseID, post.CaseID)
	f.stored.Owed += len(ids)
	return err
}

// searchAgain makes deliveries of a case pending, if it is open, that were not made
// because it, or the case that its posts were in, was closed. The sender refuses what
// has become too old meanwhile.
func searchAgain(ctx context.Context, q *relaysql.Queries, caseID, was int64) ([]int64, error) {
	ids, err := q.SuppressedAsHome(ctx, relaysql.SuppressedAsHomeParams{CaseID: caseID, Reason: closedReason(was)})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := q.RestoreDelivery(ctx, relaysql.RestoreDeliveryParams{ID: id, Status: protocol.StatusPending}); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func closedReason(caseID int64) string {
	return fmt.Sprintf("case %d is closed: the animal is home again", caseID)
}

// GivenUp is why a delivery of a deleted post was not made.
const GivenUp = "the author has deleted the post"

// Delete records that posts are gone from their wall, if they were missing
// already before a time ([Posts.Checked]). Deliveries of them that wait are not
// sent, messages about them are marked, and what they have added to others goes.
// It returns how many of the posts it had not known to be gone.
func (s *Posts) Delete(ctx context.Context, ownerID int64, postIDs []int64, missedBefore time.Time) (int, error) {
	gone := 0
	err := s.inRepeatedTx(ctx, func(q *relaysql.Queries) error {
		deleted, err := q.DeletePosts(ctx, relaysql.DeletePostsParams{OwnerID: ownerID, PostIds: postIDs, MissedBefore: missedBefore})
		if err != nil {
			return err
		}
		gone = len(deleted)
		for _, post := range deleted {
			if _, err := q.SuppressWaiting(ctx, relaysql.SuppressWaitingParams{Reason: GivenUp, OwnerID: &ownerID, PostID: &post.PostID}); err != nil {
				return err
			}
			if err := q.EditPost(ctx, relaysql.EditPostParams{Cause: causeDeleted, OwnerID: ownerID, PostID: post.PostID}); err != nil {
				return err
			}
			if _, err := q.EditFirst(ctx, relaysql.EditFirstParams{CaseID: post.CaseID, OwnerID: ownerID, PostID: post.PostID}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("delete posts of wall %d: %w", ownerID, err)
	}
	return gone, nil
}

// ReleaseStranded makes one delivery pending for each case that has lost the
// delivery of which the others are duplicates: it failed, or its post was deleted
// or said to be of another type before it went out. It returns how many.
func (l *Ledger) ReleaseStranded(ctx context.Context, since time.Time) (int, error) {
	released := 0
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		rows, err := q.ReleaseStranded(ctx, relaysql.ReleaseStrandedParams{Reasons: []string{GivenUp, otherType}, Since: since})
		if err != nil {
			return err
		}
		released = len(rows)
		for _, row := range rows {
			if err := standFor(ctx, q, row.ID, orZero(row.CaseID), row.DestinationID); err != nil {
				return err
			}
		}
		return nil
	})
	return released, wrap(err, "release stranded deliveries")
}

// notApproved is why a delivery was not made that nobody has approved in time.
const notApproved = "not approved: nobody answered in time"

// AnswerForNobody decides, as their rules say, about the deliveries that a person
// was to approve by now. It returns how many.
func (l *Ledger) AnswerForNobody(ctx context.Context) (int, error) {
	answered, err := l.queries.AnswerForNobody(ctx, notApproved)
	return int(answered), wrap(err, "answer for nobody")
}

// Recheck says which stored posts of a wall are to be looked at again.
type Recheck struct {
	// Seen are the posts that a reading has met; it has met all that stand
	// there from MetSince until Until.
	Seen            []int64
	MetSince, Until time.Time
	// MissedBefore bounds when a post that it has not met was looked at last.
	MissedBefore time.Time
	// CheckedBefore is the same for posts that were announced somewhere, and are
	// not older than ToldSince.
	CheckedBefore, ToldSince time.Time
	// ReturnedSince bounds when a post was taken for deleted that may have
	// returned.
	ReturnedSince time.Time
	// Most is how many are asked for at once.
	Most int
}

// ToRecheck returns posts that may have been deleted or edited.
func (s *Posts) ToRecheck(ctx context.Context, ownerID int64, recheck Recheck) ([]int64, error) {
	seen := notNil(recheck.Seen)
	ids, err := s.queries.MissingPosts(ctx, relaysql.MissingPostsParams{
		OwnerID: ownerID, Since: recheck.MetSince, Until: recheck.Until, Seen: seen, CheckedBefore: recheck.MissedBefore, Most: recheck.Most,
	})
	if err != nil {
		return nil, fmt.Errorf("missing posts of wall %d: %w", ownerID, err)
	}
	if room := recheck.Most - len(ids); room > 0 {
		told, err := s.queries.PostsToCheck(ctx, relaysql.PostsToCheckParams{
			OwnerID: ownerID, Since: recheck.ToldSince, Seen: append(seen, ids...), CheckedBefore: recheck.CheckedBefore,
			DeletedSince: recheck.ReturnedSince, GivenUp: GivenUp, Most: room,
		})
		if err != nil {
			return nil, fmt.Errorf("posts of wall %d to be looked at again: %w", ownerID, err)
		}
		ids = append(ids, told...)
	}
	return ids, nil
}

// Checked records that posts were looked at by their ids, and which of them
// were missing or stand; of the others that look has said nothing.
func (s *Posts) Checked(ctx context.Context, ownerID int64, postIDs, missing, standing []int64) error {
	err := s.queries.PostsChecked(ctx, relaysql.PostsCheckedParams{
		OwnerID: ownerID, PostIds: postIDs, Missing: notNil(missing), Standing: notNil(standing),
	})
	return wrap(err, "posts of wall %d looked at", ownerID)
}
