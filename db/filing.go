package db

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
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
)

// filing stores one page: each post goes into the case it is about, and the
// case decides what is told to whom.
type filing struct {
	tx     pgx.Tx
	q      *relaysql.Queries
	page   Page
	singly bool // each post has a savepoint of its own
	now    time.Time

	before map[petpost.PostRef]relaysql.StoredPostsRow
	stored PageStored
}

func (f *filing) run(ctx context.Context) error {
	if err := f.lock(ctx); err != nil {
		return err
	}
	if err := f.recall(ctx); err != nil {
		return err
	}
	for _, post := range f.page.Posts {
		if err := f.fileOrSetAside(ctx, post); err != nil {
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
		f.stored.SetAside = append(f.stored.SetAside, SetAside{OwnerID: post.OwnerID, PostID: post.PostID, Reason: reason})
		return nil
	}
	return err
}

// lock makes pages that have a key in common come one after the other.
func (f *filing) lock(ctx context.Context) error {
	var stripes []int32
	for _, post := range f.page.Posts {
		for _, key := range hashedKeys(post.Fingerprint) {
			stripes = append(stripes, int32(uint64(key)%lockStripes))
		}
	}
	slices.Sort(stripes)
	return f.q.LockKeys(ctx, relaysql.LockKeysParams{Class: keyLocks, Stripes: slices.Compact(stripes)})
}

// recall reads what is stored of the page's posts already.
func (f *filing) recall(ctx context.Context) error {
	f.before = map[petpost.PostRef]relaysql.StoredPostsRow{}
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
			f.before[petpost.PostRef{OwnerID: owner, PostID: row.PostID}] = row
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
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	created, changed, err := upsert(ctx, f.q, post)
	if err != nil || !created && !changed {
		return err
	}
	before := f.before[post.ID]
	if created {
		f.stored.New++
		post.CaseID, err = f.choose(ctx, post)
	} else {
		f.stored.Edited++
		post.CaseID, err = f.keep(ctx, post, before)
	}
	if err != nil {
		return err
	}
	mayTurn := post.Reading.Type == petpost.Reunited || before.Type == string(petpost.Reunited)
	closed, turned, err := refreshCase(ctx, f.q, post.CaseID, mayTurn)
	if err != nil {
		return err
	}
	if turned {
		f.stored.Amended++
	}
	if changed {
		cause := causeEdited
		if before.DeletedAt != nil {
			cause = causeRestored
		}
		if err := f.amend(ctx, post, cause); err != nil {
			return err
		}
		if before.DeletedAt != nil {
			if err := f.restore(ctx, post, closed); err != nil {
				return err
			}
		}
		if string(post.Reading.Type) == before.Type {
			return nil // it calls for nothing that it did not call for before
		}
	}
	return f.tell(ctx, post, closed)
}

// restore makes the deliveries that were given up with a post what they would
// be if it had stood all the time.
func (f *filing) restore(ctx context.Context, post Post, closed bool) error {
	given, err := f.q.GivenUpDeliveries(ctx, relaysql.GivenUpDeliveriesParams{OwnerID: post.OwnerID, PostID: post.PostID, GivenUp: givenUp})
	if err != nil || len(given) == 0 {
		return err
	}
	rows, err := f.q.ToldDeliveries(ctx, &post.CaseID)
	if err != nil {
		return err
	}
	told := map[int64][]relaysql.ToldDeliveriesRow{}
	for _, row := range rows {
		told[row.DestinationID] = append(told[row.DestinationID], row)
	}
	for _, row := range given {
		owed := f.judge(post, Owed{}, told[row.DestinationID], closed)
		status := protocol.StatusPending
		if owed.Suppressed != "" {
			status = protocol.StatusSuppressed
		} else {
			f.stored.Owed++
		}
		if err := f.q.RestoreDelivery(ctx, relaysql.RestoreDeliveryParams{
			ID: row.ID, Status: status, Reason: owed.Suppressed, StandsFor: unlessZero(owed.standsFor), ReplyTo: unlessZero(owed.replyTo),
		}); err != nil {
			return err
		}
	}
	return nil
}

// choose finds the case of a new post: that of the newest post about the same
// animal, or one of its own.
func (f *filing) choose(ctx context.Context, post Post) (int64, error) {
	keys := hashedKeys(post.Fingerprint)
	rows, err := f.q.CaseCandidates(ctx, relaysql.CaseCandidatesParams{
		Keys: keys, Since: post.PostedAt.Add(-caseMemory), Until: post.PostedAt.Add(caseMemory),
		PerKey: candidatesPerKey, Most: candidates, OwnerID: post.OwnerID, PostID: post.PostID,
	})
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		var known petpost.Fingerprint
		if err := json.Unmarshal(row.Fingerprint, &known); err != nil {
			continue // of a build that wrote them in another way
		}
		if f.lostAgain(post, row.ClosedAt) {
			continue
		}
		verdict := petpost.SameCase(known, post.Fingerprint)
		if !verdict.Same {
			continue
		}
		caseID := orZero(row.CaseID)
		if caseID == 0 { // stored by a build that knew no cases
			if caseID, err = f.open(ctx, known.Post); err != nil {
				return 0, err
			}
		}
		reason := fmt.Sprintf("as %s: %s", protocol.WallPost(row.OwnerID, row.PostID), verdict.Reason)
		return caseID, f.into(ctx, caseID, post, reason)
	}
	caseID, err := f.open(ctx, post.ID)
	if err != nil {
		return 0, err
	}
	return caseID, f.addKeys(ctx, post, keys)
}

// lostAgain tells whether an animal that came home seems to be gone once more:
// its owners write anew, after the time for which its case counts as told.
func (f *filing) lostAgain(post Post, closedAt *time.Time) bool {
	return closedAt != nil && post.Reading.Type == petpost.Lost && post.Origin.PostID == 0 &&
		post.PostedAt.After(closedAt.Add(f.page.Window))
}

// keep leaves an edited post in its case, where an operator may have put it.
func (f *filing) keep(ctx context.Context, post Post, before relaysql.StoredPostsRow) (int64, error) {
	if before.CaseID == nil {
		return f.choose(ctx, post)
	}
	var known petpost.Fingerprint
	if before.Fingerprint != nil && json.Unmarshal(before.Fingerprint, &known) == nil {
		if err := f.q.DropCaseKeys(ctx, relaysql.DropCaseKeysParams{
			Keys: hashedKeys(known), PostedAt: post.PostedAt, OwnerID: post.OwnerID, PostID: post.PostID,
		}); err != nil {
			return 0, err
		}
	}
	return *before.CaseID, f.addKeys(ctx, post, hashedKeys(post.Fingerprint))
}

// open makes a case of a post.
func (f *filing) open(ctx context.Context, post petpost.PostRef) (int64, error) {
	caseID, err := f.q.OpenCase(ctx, "")
	if err != nil {
		return 0, err
	}
	return caseID, f.q.FilePost(ctx, relaysql.FilePostParams{OwnerID: post.OwnerID, PostID: post.PostID, CaseID: &caseID})
}

func (f *filing) into(ctx context.Context, caseID int64, post Post, reason string) error {
	if err := f.q.FilePost(ctx, relaysql.FilePostParams{
		OwnerID: post.OwnerID, PostID: post.PostID, CaseID: &caseID, CaseReason: reason,
	}); err != nil {
		return err
	}
	return f.addKeys(ctx, post, hashedKeys(post.Fingerprint))
}

func (f *filing) addKeys(ctx context.Context, post Post, keys []int64) error {
	return f.q.AddCaseKeys(ctx, relaysql.AddCaseKeysParams{
		Keys: keys, PostedAt: post.PostedAt, OwnerID: post.OwnerID, PostID: post.PostID,
	})
}

func (f *filing) amend(ctx context.Context, post Post, cause string) error {
	f.stored.Amended++
	return f.q.AmendPost(ctx, relaysql.AmendPostParams{Cause: cause, OwnerID: post.OwnerID, PostID: post.PostID})
}

// hashedKeys are a fingerprint's keys as the table holds them.
func hashedKeys(fingerprint petpost.Fingerprint) []int64 {
	keys := fingerprint.Keys()
	hashed := make([]int64, len(keys))
	for i, key := range keys {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(key))
		hashed[i] = int64(hash.Sum64())
	}
	return hashed
}
