package db

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	wallpost "vestnik/internal/post"
)

// What a new reading of its posts would make of a case.
const (
	CaseSplit = "split" // some of its posts would not be in it
	CaseJoin  = "join"  // it and another would be one
	CaseClose = "close" // a post says now that the animal is home again
	CaseOpen  = "open"  // no post says so any more
)

// CaseChange is what a new reading would make of a case.
type CaseChange struct {
	Change string `json:"change"`
	Case   int64  `json:"case"`
	// With is the case that it would be one with.
	With int64 `json:"with,omitempty"`
	// Posts are those that would not be in it, or the one that closes it.
	Posts  []string `json:"posts,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// mostCompared bounds how many posts of a case are compared with each other.
const mostCompared = 400

// Regroup finds in what cases posts would be if they had been read like this
// from the start. It changes nothing: to move a post may call for deliveries,
// and an operator may have put it where it is. What an operator has parted or
// put together is left out. Of the posts no more is needed than their names,
// their times and their cases.
func (s *Cases) Regroup(ctx context.Context, rereads []Reread) ([]CaseChange, error) {
	r := &regrouping{
		q: s.queries, now: map[wallpost.ID]petpost.Fingerprint{}, byKey: map[int64][]Post{},
		closed: map[int64]*time.Time{}, joined: map[[2]int64]bool{},
	}
	var cases []int64
	for _, reread := range rereads {
		if reread.Post.CaseID == 0 {
			continue // stored by a build that knew no cases, and not met since
		}
		r.now[reread.Post.ID] = reread.Fingerprint
		for _, key := range hashedKeys(reread.Fingerprint) {
			r.byKey[key] = append(r.byKey[key], reread.Post)
		}
		cases = append(cases, reread.Post.CaseID)
	}
	slices.Sort(cases)
	for _, id := range slices.Compact(cases) {
		if err := r.within(ctx, id); err != nil {
			return nil, fmt.Errorf("regroup case %d: %w", id, err)
		}
	}
	for _, reread := range rereads {
		if reread.Post.CaseID == 0 {
			continue
		}
		if err := r.beyond(ctx, reread.Post); err != nil {
			return nil, fmt.Errorf("regroup %s: %w", reread.Post.ID, err)
		}
	}
	return r.changes, nil
}

type regrouping struct {
	q     *relaysql.Queries
	now   map[wallpost.ID]petpost.Fingerprint // of the posts that are read otherwise
	byKey map[int64][]Post                    // those posts, by their new keys

	closed  map[int64]*time.Time // when cases were closed, nil if they are open
	joined  map[[2]int64]bool    // pairs of cases that would be one
	changes []CaseChange
}

// within looks whether the posts of a case still hang together, and whether
// one of them says that the animal is home.
func (r *regrouping) within(ctx context.Context, id int64) error {
	state, err := r.q.GetCase(ctx, id)
	if err != nil {
		return err
	}
	r.closed[id] = state.ClosedAt
	rows, err := r.q.CasePosts(ctx, &id)
	if err != nil {
		return err
	}
	prints := make([]petpost.Fingerprint, len(rows))
	for i, row := range rows {
		var known bool
		ref := wallpost.ID{OwnerID: row.OwnerID, PostID: row.PostID}
		if prints[i], known = r.now[ref]; known {
			continue
		}
		if prints[i] = orZero(row.Fingerprint); prints[i].Post != ref { // none, or of another build
			prints[i] = petpost.Fingerprint{Post: ref, Origin: ref}
		}
	}
	home := slices.IndexFunc(prints, func(f petpost.Fingerprint) bool { return f.Type == petpost.Reunited })
	switch closed := state.ClosedAt != nil; {
	case home >= 0 && !closed:
		r.changes = append(r.changes, CaseChange{Change: CaseClose, Case: id, Posts: []string{prints[home].Post.String()}})
	case home < 0 && closed:
		r.changes = append(r.changes, CaseChange{Change: CaseOpen, Case: id})
	}
	if len(rows) > 1 && len(rows) <= mostCompared {
		r.part(id, rows, prints)
	}
	return nil
}

// part names the posts that are about the same animal as none of the others:
// the most that hang together stay, or else those that the case began with.
func (r *regrouping) part(id int64, rows []relaysql.RelayPost, prints []petpost.Fingerprint) {
	group := hangTogether(len(rows), func(i, k int) bool {
		return putByOperator(rows[i].CaseReason) || putByOperator(rows[k].CaseReason) || petpost.SameCase(prints[k], prints[i]).Same
	})
	size := make([]int, len(group))
	for _, first := range group {
		size[first]++
	}
	stay := slices.Index(size, slices.Max(size))
	for first := range group {
		if group[first] != first || first == stay {
			continue
		}
		change := CaseChange{Change: CaseSplit, Case: id, Reason: petpost.SameCase(prints[stay], prints[first]).Reason}
		for i := first; i < len(group); i++ {
			if group[i] == first {
				change.Posts = append(change.Posts, prints[i].Post.String())
			}
		}
		r.changes = append(r.changes, change)
	}
}

// hangTogether is for each of count things the first of those that it is the same
// as, by way of others too.
func hangTogether(count int, same func(i, k int) bool) []int {
	group := make([]int, count)
	for i := range group {
		group[i] = i
		for k := range i {
			if group[i] == group[k] || !same(i, k) {
				continue
			}
			from, to := max(group[i], group[k]), min(group[i], group[k])
			for n := range group[:i+1] {
				if group[n] == from {
					group[n] = to
				}
			}
		}
	}
	return group
}

func putByOperator(reason string) bool {
	return reason == joinedByOperator || reason == splitByOperator
}

// beyond looks for posts of other cases that are about the same animal, by their
// words: what their photos prove does not change with how those are read.
func (r *regrouping) beyond(ctx context.Context, post Post) error {
	fingerprint := r.now[post.ID]
	fingerprint.Photos = nil
	keys := hashedKeys(fingerprint)
	rows, err := r.q.CaseCandidates(ctx, relaysql.CaseCandidatesParams{
		Keys: keys, Since: post.PostedAt.Add(-caseMemory), Until: post.PostedAt.Add(caseMemory),
		PerKey: candidatesPerKey, Most: candidates, OwnerID: post.OwnerID, PostID: post.PostID,
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		ref := wallpost.ID{OwnerID: row.OwnerID, PostID: row.PostID}
		if _, reread := r.now[ref]; reread {
			continue
		}
		r.closed[orZero(row.CaseID)] = row.ClosedAt
		if row.CaseReason != splitByOperator {
			r.compare(post, orZero(row.CaseID), *row.Fingerprint)
		}
	}
	for _, key := range keys {
		others := r.byKey[key]
		for _, other := range others[max(0, len(others)-candidatesPerKey):] {
			if other.CaseReason != splitByOperator {
				r.compare(post, other.CaseID, r.now[other.ID])
			}
		}
	}
	return nil
}

// compare notes that two cases would be one. An animal that is lost anew, after
// it came home, is a new case.
func (r *regrouping) compare(post Post, otherCase int64, other petpost.Fingerprint) {
	pair := [2]int64{min(post.CaseID, otherCase), max(post.CaseID, otherCase)}
	if otherCase == 0 || otherCase == post.CaseID || r.joined[pair] || post.CaseReason == splitByOperator {
		return
	}
	now := r.now[post.ID]
	now.Photos = nil
	if r.lostSince(now, otherCase) || r.lostSince(other, post.CaseID) {
		return
	}
	if match := petpost.SameCase(other, now); match.Same {
		r.joined[pair] = true
		r.changes = append(r.changes, CaseChange{
			Change: CaseJoin, Case: pair[0], With: pair[1], Reason: fmt.Sprintf("%s as %s: %s", now.Post, other.Post, match.Reason),
		})
	}
}

// lostSince reports whether a post looks for an animal after another case was
// closed.
func (r *regrouping) lostSince(post petpost.Fingerprint, otherCase int64) bool {
	closedAt := r.closed[otherCase]
	return closedAt != nil && post.Type == petpost.Lost && post.At.After(*closedAt)
}
