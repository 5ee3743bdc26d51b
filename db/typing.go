package db

import (
	"context"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// otherType is why a delivery is not made after a person has set its post's type.
const otherType = "its type was set by hand: no rule sends it here"

// TypeSet is what came of setting a post's type by hand.
type TypeSet struct {
	Was petpost.Type `json:"was"`
	// Owed counts the deliveries that the post calls for now and did not before,
	// Suppressed those that it calls for no more, of which nothing had gone out.
	Owed       int `json:"owed"`
	Suppressed int `json:"suppressed"`
	// Sent are the deliveries that readers see, or may see, though no rule would
	// send them now: taking them back removes them. The starter fills it.
	Sent []DeliveryRow `json:"sent,omitempty"`
}

// SetType remembers what type a post is, above any later reading, and has its
// deliveries follow: what page's rules send nowhere any more and has not gone out
// is suppressed, and where they send it now it is owed, unless it is too old
// (owes is false). Messages that stand are edited; whether they are to go is for
// whoever asked. ErrNotFound if the post is not stored.
func (s *Posts) SetType(ctx context.Context, ref post.ID, kind petpost.Type, owes bool, page Page) (set TypeSet, err error) {
	err = s.filed(ctx, page, func(f *filing) error {
		row, err := f.q.GetPost(ctx, relaysql.GetPostParams{OwnerID: ref.OwnerID, PostID: ref.PostID})
		switch {
		case err != nil:
			return notFound(err, "post %s", ref)
		case row.RelayPost.BlankedAt != nil:
			return ErrBlanked
		}
		f.page.Posts = []Post{postOf(row.RelayPost).OfType(kind)}
		set, err = f.setType(ctx, owes)
		return err
	})
	return set, wrap(err, "set the type of %s", ref)
}

func (f *filing) setType(ctx context.Context, owes bool) (set TypeSet, err error) {
	if err := f.recall(ctx); err != nil {
		return set, err
	}
	post := f.page.Posts[0]
	before := f.before[post.ID]
	set.Was = petpost.Type(before.Type)
	written, err := f.q.SetPostType(ctx, relaysql.SetPostTypeParams{
		Type: string(post.Reading.Type), Fingerprint: &post.Fingerprint, Rules: f.page.Rules,
		OwnerID: post.OwnerID, PostID: post.PostID, ContentHash: post.ContentHash,
	})
	if err == nil && written == 0 {
		err = errChangedMeanwhile
	}
	if err != nil {
		return set, err
	}
	if post.CaseID == 0 { // stored by a build that knew no cases
		if post.CaseID, err = f.open(ctx, post.ID); err != nil {
			return set, err
		}
	}
	closed, err := f.lockCase(ctx, post, before, before.CaseID == nil)
	if err != nil {
		return set, err
	}
	if err := f.oweEdits(ctx, post, causeEdited); err != nil {
		return set, err
	}
	if set.Suppressed, err = f.reroute(ctx, post, closed); err != nil {
		return set, err
	}
	if err := f.notHome(ctx, post, before); err != nil {
		return set, err
	}
	if owes {
		err = f.announce(ctx, post, closed, false, false)
	}
	set.Owed = f.stored.Owed
	return set, err
}

// reroute gives up the deliveries of a post that no rule asks for any more, and
// takes up those that were given up so before.
func (f *filing) reroute(ctx context.Context, post Post, closed bool) (suppressed int, err error) {
	names, ids := []string{}, []int64{}
	for _, owed := range f.page.Owed(post) {
		id, err := f.destination(ctx, owed.Destination)
		if err != nil {
			return 0, err
		}
		names, ids = append(names, owed.Destination), append(ids, id)
	}
	given, err := f.q.SuppressMistyped(ctx, relaysql.SuppressMistypedParams{
		Reason: otherType, OwnerID: post.OwnerID, PostID: post.PostID, Routed: names, KeepNews: goesEverywhere(post.Reading.Type),
	})
	if err != nil {
		return 0, err
	}
	return len(given), f.restore(ctx, post, closed, otherType, ids)
}
