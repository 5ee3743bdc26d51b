package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	wallpost "vestnik/internal/post"
	"vestnik/internal/protocol"
)

const (
	// keyLocks is the class of the advisory locks on the keys of cases, and
	// lockStripes how many there are: fewer than keys, so that a long page does
	// not fill Postgres's table of locks.
	keyLocks    = 0x63617365
	lockStripes = 256
	// candidatesPerKey and candidates bound how many posts one is compared
	// with, the newest first: a volunteer's phone stands under thousands.
	candidatesPerKey = 40
	candidates       = 120
	// caseMemory is how far apart two posts of a case may have been written.
	caseMemory = 180 * 24 * time.Hour
	// photoMemory is the same for posts that have no more in common than a photo,
	// and photoCases in how many cases a photo stands at the most that tells one
	// animal from another.
	photoMemory = 45 * 24 * time.Hour
	photoCases  = 2
	// continuedWithin is how soon after a post its author goes on with it.
	continuedWithin = 20 * time.Minute
)

// filing stores one page: each post goes into the case it is about, and the
// case decides what is announced to whom.
type filing struct {
	tx     pgx.Tx
	q      *relaysql.Queries
	page   Page
	singly bool // each post has a savepoint of its own
	now    time.Time

	before       map[wallpost.ID]relaysql.StoredPostsRow
	destinations map[string]int64 // their ids, as far as they were needed
	stored       PageStored

	unannounced []unannounced  // in the order of writing
	closed      map[int64]bool // which of their cases are
}

// unannounced is a stored post whose deliveries are still to be written.
type unannounced struct {
	Post
	opened, seen bool
}

func (f *filing) run(ctx context.Context) error {
	if err := f.recall(ctx); err != nil {
		return err
	}
	for _, post := range f.page.Posts {
		if err := f.fileOrSetAside(ctx, post); err != nil {
			return fmt.Errorf("%s: %w", post.ID, err)
		}
	}
	return f.announceNewestFirst(ctx)
}

// announceNewestFirst announces what was put off until all is filed: the case with the
// newest post first, and of one case in the order of writing, because answers
// follow what they answer. A panic is an error, as in [filing.file].
func (f *filing) announceNewestFirst(ctx context.Context) (err error) {
	defer asError(&err)
	newest := map[int64]time.Time{} // post of a case
	for _, post := range f.unannounced {
		newest[post.CaseID] = post.PostedAt
	}
	slices.SortStableFunc(f.unannounced, func(a, b unannounced) int { return newest[b.CaseID].Compare(newest[a.CaseID]) })
	for _, post := range f.unannounced {
		if err := f.announce(ctx, post.Post, f.closed[post.CaseID], post.opened, post.seen); err != nil {
			return fmt.Errorf("%s: %w", post.ID, err)
		}
	}
	return nil
}

func (f *filing) fileOrSetAside(ctx context.Context, post Post) error {
	if !f.singly {
		return f.file(ctx, post)
	}
	before := f.stored
	err := pgx.BeginFunc(ctx, f.tx, func(pgx.Tx) error { return f.file(ctx, post) })
	if reason := unstorable(err); reason != "" {
		f.stored = before
		clear(f.destinations) // one that it has added is gone
		f.stored.SetAside = append(f.stored.SetAside, SetAside{OwnerID: post.OwnerID, PostID: post.PostID, Reason: reason})
		return nil
	}
	return err
}

// lock makes pages that have a key in common come one after the other.
func (f *filing) lock(ctx context.Context) error {
	var stripes []int
	for _, post := range f.page.Posts {
		for _, key := range hashedKeys(post.Fingerprint) {
			stripes = append(stripes, int(uint64(key)%lockStripes))
		}
	}
	slices.Sort(stripes)
	return f.q.LockKeys(ctx, relaysql.LockKeysParams{Class: keyLocks, Stripes: slices.Compact(stripes)})
}

// recall locks the page's keys and reads what is stored of its posts already.
func (f *filing) recall(ctx context.Context) error {
	if err := f.lock(ctx); err != nil {
		return err
	}
	f.before, f.destinations, f.closed = map[wallpost.ID]relaysql.StoredPostsRow{}, map[string]int64{}, map[int64]bool{}
	byOwner := map[int64][]int64{}
	for _, post := range f.page.Posts {
		byOwner[post.OwnerID] = append(byOwner[post.OwnerID], post.PostID)
	}
	for owner, ids := range byOwner {
		rows, err := f.q.StoredPosts(ctx, relaysql.StoredPostsParams{OwnerID: owner, PostIds: ids})
		if err != nil {
			return err
		}
		for _, row := range rows {
			f.before[wallpost.ID{OwnerID: owner, PostID: row.PostID}] = row
		}
		if err := f.q.PostsSeen(ctx, relaysql.PostsSeenParams{OwnerID: owner, PostIds: ids}); err != nil {
			return err
		}
	}
	return nil
}

// file stores a post and does what is new about it. A panic is an error: what
// routes and wording make of one post is not to cost the others their page.
func (f *filing) file(ctx context.Context, post Post) (err error) {
	defer asError(&err)
	before, known := f.before[post.ID]
	if before.Forgotten || known && before.DeletedAt == nil && bytes.Equal(before.ContentHash, post.ContentHash) {
		return nil
	}
	if before.TypeByHand {
		post = post.OfType(petpost.Type(before.Type))
	}
	if err := f.intoCase(ctx, &post, before); err != nil {
		return err
	}
	opened := post.CaseID == 0
	if err := f.store(ctx, &post, known); err != nil {
		return err
	}
	closed, err := f.lockCase(ctx, post, before, opened)
	if err != nil {
		return err
	}
	adds, err := f.adds(ctx, post, known, closed || opened)
	if err != nil {
		return err
	}
	if known {
		if err := f.changed(ctx, post, before.DeletedAt != nil, closed); err != nil {
			return err
		}
		if err := f.notHome(ctx, post, before); err != nil {
			return err
		}
		if string(post.Reading.Type) == before.Type && !adds.Seen {
			return nil // it calls for nothing that it did not call for before
		}
	}
	if f.page.NewestFirst && !f.singly {
		f.unannounced, f.closed[post.CaseID] = append(f.unannounced, unannounced{post, opened, adds.Seen}), closed
		return nil
	}
	return f.announce(ctx, post, closed, opened, adds.Seen)
}

// intoCase puts a post into a case: the one it is in, where an operator may have put
// it, or the one that it is found to belong to; none if that is yet to be opened.
func (f *filing) intoCase(ctx context.Context, post *Post, before relaysql.StoredPostsRow) (err error) {
	if before.CaseID != nil {
		post.CaseID = *before.CaseID
		return f.dropKeys(ctx, *post, before)
	}
	post.CaseID, post.CaseReason, err = f.choose(ctx, *post)
	return err
}

// asError makes an error of a panic; it is to be deferred.
func asError(err *error) {
	if recover() != nil {
		*err = errPanicked
	}
}

// changed owes the edits of what was sent of a post that has another text or is
// there again.
func (f *filing) changed(ctx context.Context, post Post, again, closed bool) error {
	if !again {
		return f.oweEdits(ctx, post, causeEdited)
	}
	if err := f.oweEdits(ctx, post, causeRestored); err != nil {
		return err
	}
	return f.restore(ctx, post, closed, GivenUp, nil)
}

// errChangedMeanwhile means that somebody else has stored, blanked or moved a post
// since the page asked for what was stored: the page is filed anew.
var errChangedMeanwhile = errors.New("changed by somebody else meanwhile")

// store writes a post, and opens a case for one that has none.
func (f *filing) store(ctx context.Context, post *Post, known bool) error {
	row := rowOf(*post)
	row.Rules = f.page.Rules
	stored, err := f.q.StorePost(ctx, row)
	if errorsIsNoRows(err) || err == nil && stored.Created == known {
		return errChangedMeanwhile
	}
	if err != nil {
		return err
	}
	post.CaseID = stored.CaseID
	if known {
		f.stored.Edited++
	} else {
		f.stored.New++
	}
	return nil
}

// lockCase locks the case of a post, unless the post has just opened it, and
// brings it in step with its posts if it may have been closed or opened again.
func (f *filing) lockCase(ctx context.Context, post Post, before relaysql.StoredPostsRow, opened bool) (closed bool, err error) {
	mayTurn := post.Reading.Type == petpost.Reunited || before.Type == string(petpost.Reunited)
	switch {
	case before.CaseID != nil && !mayTurn:
		var row relaysql.RelayCase
		row, err = f.q.LockCase(ctx, post.CaseID)
		closed = row.ClosedAt != nil
	case before.CaseID == nil && !opened:
		var closedAt *time.Time
		if closedAt, err = f.q.JoinCase(ctx, post.CaseID); errorsIsNoRows(err) {
			err = errChangedMeanwhile
		}
		closed = closedAt != nil
	}
	if err != nil || !mayTurn {
		return closed, err
	}
	closed, turned, err := refreshCase(ctx, f.q, post.CaseID)
	if turned {
		f.stored.Edits++
	}
	return closed, err
}

// adds finds what a post says that the others of its case do not. A sighting is
// announced by itself; what else there is goes into the messages about the case.
// Of a post that was known, what it has added before may go. Nothing adds to a case
// that is over, or that the post has just opened.
func (f *filing) adds(ctx context.Context, post Post, known, over bool) (petpost.Addition, error) {
	if over || post.Reading.Type == petpost.Reunited {
		return petpost.Addition{}, nil
	}
	others, err := othersOf(ctx, f.q, post)
	if err != nil || len(others) == 0 {
		return petpost.Addition{}, err
	}
	news := petpost.CaseNews(append(others, post))
	adds := news[len(news)-1]
	if known || len(adds.Facts) > 0 && !adds.Seen {
		edits, err := f.q.EditFirst(ctx, relaysql.EditFirstParams{CaseID: &post.CaseID, OwnerID: post.OwnerID, PostID: post.PostID})
		f.stored.Edits += int(edits)
		return adds, err
	}
	return adds, nil
}

// restore makes the deliveries of a post that were given up for a reason, to
// some destinations or (nil) to all, what they would be if there had been none.
func (f *filing) restore(ctx context.Context, post Post, closed bool, reason string, to []int64) error {
	given, err := f.q.GivenUpDeliveries(ctx, relaysql.GivenUpDeliveriesParams{OwnerID: post.OwnerID, PostID: post.PostID, GivenUp: reason})
	if err != nil || len(given) == 0 {
		return err
	}
	rows, err := f.q.AnnouncedDeliveries(ctx, &post.CaseID)
	if err != nil {
		return err
	}
	announced := map[int64][]relaysql.AnnouncedDeliveriesRow{}
	for _, row := range rows {
		announced[row.DestinationID] = append(announced[row.DestinationID], row)
	}
	for _, row := range given {
		if to != nil && !slices.Contains(to, row.DestinationID) {
			continue
		}
		owed := f.decide(post, Owed{}, announced[row.DestinationID], closed, false)
		status := protocol.StatusPending
		if owed.Suppressed != "" {
			status = protocol.StatusSuppressed
		} else {
			f.stored.Owed++
		}
		if err := f.q.RestoreDelivery(ctx, relaysql.RestoreDeliveryParams{
			ID: row.ID, Status: status, Reason: owed.Suppressed, DuplicateOf: unlessZero(owed.duplicateOf), ReplyTo: unlessZero(owed.replyTo),
		}); err != nil {
			return err
		}
	}
	return nil
}

// choose finds the case of a new post, that of the newest post about the same
// animal, and why; 0 if it is to have one of its own.
func (f *filing) choose(ctx context.Context, post Post) (caseID int64, reason string, err error) {
	if caseID, reason, err := f.continued(ctx, post); caseID != 0 || err != nil {
		return caseID, reason, err
	}
	fingerprint := post.Fingerprint
	fingerprint.Photos = nil
	found, err := f.candidates(ctx, fingerprint, fingerprint.Keys(), caseMemory)
	if err == nil {
		caseID, reason, err = f.match(ctx, post, fingerprint, found)
	}
	if caseID != 0 || err != nil || len(post.Fingerprint.Photos) == 0 {
		return caseID, reason, err
	}
	found, err = f.candidates(ctx, fingerprint, post.Fingerprint.PhotoKeys(), photoMemory)
	if err != nil {
		return 0, "", err
	}
	fingerprint.Photos = slices.DeleteFunc(slices.Clone(post.Fingerprint.Photos), func(photo wallpost.PhotoHash) bool { return f.boilerplate(post, photo, found) })
	return f.match(ctx, post, fingerprint, found)
}

// candidates finds the stored posts that share a key with one, the newest first.
func (f *filing) candidates(ctx context.Context, fingerprint petpost.Fingerprint, keys []string, memory time.Duration) ([]relaysql.CaseCandidatesRow, error) {
	return f.q.CaseCandidates(ctx, relaysql.CaseCandidatesParams{
		Keys: hashed(keys), Since: fingerprint.At.Add(-memory), Until: fingerprint.At.Add(memory),
		PerKey: candidatesPerKey, Most: candidates, OwnerID: fingerprint.Post.OwnerID, PostID: fingerprint.Post.PostID,
	})
}

// boilerplate reports a photo that says nothing about one animal: the post's wall,
// or another, shows it under posts about several, or many cases have it. found are
// the posts that share a key with it.
func (f *filing) boilerplate(post Post, photo wallpost.PhotoHash, found []relaysql.CaseCandidatesRow) bool {
	for _, other := range f.page.Posts {
		if other.OwnerID == post.OwnerID && other.PostID != post.PostID && other.Fingerprint.Shows(photo) &&
			!petpost.SameCase(other.Fingerprint, post.Fingerprint).Same {
			return true
		}
	}
	ofWall, cases := map[int64]int64{}, map[int64]bool{}
	for _, other := range found {
		if !other.Fingerprint.Shows(photo) {
			continue
		}
		caseID := orZero(other.CaseID)
		if known, met := ofWall[other.OwnerID]; other.OwnerID == post.OwnerID || met && known != caseID {
			return true
		}
		ofWall[other.OwnerID], cases[caseID] = caseID, true
	}
	return len(cases) > photoCases
}

// match takes the case of the first candidate that is about the same animal; 0 if
// none is. fingerprint is what the post is compared by.
func (f *filing) match(ctx context.Context, post Post, fingerprint petpost.Fingerprint, found []relaysql.CaseCandidatesRow) (caseID int64, reason string, err error) {
	for _, other := range found {
		if f.lostAgain(post, other.ClosedAt) {
			continue
		}
		match := petpost.SameCase(*other.Fingerprint, fingerprint)
		if !match.Same {
			continue
		}
		caseID := orZero(other.CaseID)
		if caseID == 0 { // stored by a build that knew no cases
			if caseID, err = f.open(ctx, other.Fingerprint.Post); err != nil {
				return 0, "", err
			}
		}
		return caseID, fmt.Sprintf("as %s: %s", protocol.WallPost(other.OwnerID, other.PostID), match.Reason), nil
	}
	return 0, "", nil
}

// continued finds the case that a post goes on with: of what its author wrote
// minutes before.
func (f *filing) continued(ctx context.Context, post Post) (caseID int64, reason string, err error) {
	if !post.Continues() {
		return 0, "", nil
	}
	last, err := f.q.LastOfAuthor(ctx, relaysql.LastOfAuthorParams{
		OwnerID: post.OwnerID, FromID: post.FromID, PostID: post.PostID, Since: post.PostedAt.Add(-continuedWithin), Until: post.PostedAt,
	})
	switch {
	case errorsIsNoRows(err):
		return 0, "", nil
	case err != nil:
		return 0, "", err
	case last.CaseID == nil || !petpost.Type(last.Type).HasAnimal():
		return 0, "", nil
	}
	return *last.CaseID, "continues " + protocol.WallPost(post.OwnerID, last.PostID), nil
}

// lostAgain reports whether an animal that came home seems to be gone once more:
// its owners write anew, after the time for which its case counts as announced.
func (f *filing) lostAgain(post Post, closedAt *time.Time) bool {
	return closedAt != nil && post.Reading.Type == petpost.Lost && post.Origin.PostID == 0 &&
		post.PostedAt.After(closedAt.Add(f.page.Window))
}

// dropKeys takes away the keys by which an edited post was found.
func (f *filing) dropKeys(ctx context.Context, post Post, before relaysql.StoredPostsRow) error {
	if before.Fingerprint == nil {
		return nil // it was read by a build that wrote no keys, or others
	}
	return f.q.DropCaseKeys(ctx, relaysql.DropCaseKeysParams{
		Keys: hashedKeys(*before.Fingerprint), PostedAt: before.Fingerprint.At, OwnerID: post.OwnerID, PostID: post.PostID,
	})
}

// open makes a case of a stored post.
func (f *filing) open(ctx context.Context, post wallpost.ID) (int64, error) {
	caseID, err := f.q.OpenCase(ctx, "")
	if err != nil {
		return 0, err
	}
	return caseID, f.q.FilePost(ctx, relaysql.FilePostParams{OwnerID: post.OwnerID, PostID: post.PostID, CaseID: &caseID})
}

func (f *filing) oweEdits(ctx context.Context, post Post, cause string) error {
	f.stored.Edits++
	return f.q.EditPost(ctx, relaysql.EditPostParams{Cause: cause, OwnerID: post.OwnerID, PostID: post.PostID})
}

// hashedKeys are a fingerprint's keys as the table holds them.
func hashedKeys(fingerprint petpost.Fingerprint) []int64 {
	return hashed(fingerprint.Keys())
}

func hashed(keys []string) []int64 {
	hashed := make([]int64, len(keys))
	for i, key := range keys {
		hashed[i] = hashedKey(key)
	}
	return hashed
}

func hashedKey(key string) int64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(key))
	return int64(hash.Sum64())
}
