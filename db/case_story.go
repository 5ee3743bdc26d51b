package db

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
)

// CaseRow is a case in a list.
type CaseRow struct {
	ID       int64     `json:"id"`
	Type     string    `json:"type"` // of its newest post
	Animal   string    `json:"animal"`
	Location string    `json:"location"`
	Posts    int       `json:"posts"`
	FirstAt  time.Time `json:"first_at"`
	LastAt   time.Time `json:"last_at"`
	// Owed counts the deliveries of its posts, Told those that have arrived,
	// Suppressed those that did not go because the case was told.
	Owed       int        `json:"owed"`
	Told       int        `json:"told"`
	Suppressed int        `json:"suppressed"`
	ClosedAt   *time.Time `json:"closed_at"`
	ClosedBy   string     `json:"closed_by,omitempty"` // the post that says so
	Note       string     `json:"note,omitempty"`
}

// CasePost is a post of a case.
type CasePost struct {
	post.ID

	PostedAt time.Time  `json:"posted_at"`
	Type     string     `json:"type"`
	Animal   string     `json:"animal"`
	Location string     `json:"location"`
	Deleted  *time.Time `json:"deleted_at"`
	// Reason is why it was taken for this case; "" for the first.
	Reason string `json:"reason"`
	// Adds is what it says that those before it did not.
	Adds petpost.Addition `json:"adds"`
	// Post is the post itself.
	Post Post `json:"-"`
}

// CaseFilter narrows a list of cases; zero values do not.
type CaseFilter struct {
	ID int64
	// Closed leaves the cases whose animal is home again, or the others.
	Closed *bool
	// LeastPosts leaves out cases of fewer posts.
	LeastPosts int
	// Before leaves those with smaller numbers.
	Before int64
	Limit  int // 0 means 100
}

// List returns cases, newest first.
func (s *Cases) List(ctx context.Context, filter CaseFilter) ([]CaseRow, error) {
	if filter.Limit <= 0 {
		filter.Limit = 100
	}
	rows, err := s.queries.ListCases(ctx, relaysql.ListCasesParams{
		ID: unlessZero(filter.ID), Closed: filter.Closed, LeastPosts: filter.LeastPosts,
		Before: cmp.Or(filter.Before, math.MaxInt64), Most: filter.Limit,
	})
	if err != nil {
		return nil, fmt.Errorf("list cases: %w", err)
	}
	list := make([]CaseRow, len(rows))
	for i, row := range rows {
		list[i] = CaseRow{
			ID: row.ID, Type: row.Type, Animal: row.Animal, Location: row.Location, Posts: row.Posts,
			FirstAt: row.FirstAt, LastAt: row.LastAt,
			Owed: row.Owed, Told: row.Told, Suppressed: row.Suppressed,
			ClosedAt: row.ClosedAt, Note: row.Note,
		}
		if row.ClosedAt != nil {
			list[i].ClosedBy = protocol.WallPost(orZero(row.ClosedOwnerID), orZero(row.ClosedPostID))
		}
	}
	return list, nil
}

// Get returns a case with its posts in the order in which they were written,
// or ErrNotFound. The number of a case that was joined to another leads there.
func (s *Cases) Get(ctx context.Context, id int64) (CaseRow, []CasePost, error) {
	row, err := s.find(ctx, s.queries, id)
	if err != nil {
		return CaseRow{}, nil, err
	}
	list, err := s.List(ctx, CaseFilter{ID: row.ID, Limit: 1})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("case %d: %w", id, ErrNotFound)
	}
	if err != nil {
		return CaseRow{}, nil, err
	}
	rows, err := s.queries.CasePosts(ctx, &row.ID)
	if err != nil {
		return CaseRow{}, nil, fmt.Errorf("posts of case %d: %w", row.ID, err)
	}
	posts, all := make([]CasePost, len(rows)), make([]Post, len(rows))
	for i, row := range rows {
		posts[i] = CasePost{
			ID: post.ID{OwnerID: row.OwnerID, PostID: row.PostID}, PostedAt: row.PostedAt, Type: row.Type, Animal: row.Animal,
			Location: row.Location, Deleted: row.DeletedAt, Reason: row.CaseReason,
			Post: postOf(row),
		}
		all[i] = posts[i].Post
	}
	for i, adds := range petpost.CaseNews(all) {
		posts[i].Adds = adds
	}
	return list[0], posts, nil
}

// CaseStory is all that is known of a case; its JSON form is that of
// `vestnik case show` and of the operator's routes.
type CaseStory struct {
	CaseRow

	// Members are its posts in the order in which they were written.
	Members []CasePost `json:"members"`
	// Deliveries are those of its posts, newest first, and Edits the edits
	// of what had arrived, oldest first.
	Deliveries []DeliveryRow `json:"deliveries"`
	Edits      []EditRow     `json:"amendments"`
}

// mostOfACase bounds how many deliveries of a case are shown: it goes to a
// handful of destinations, once each.
const mostOfACase = 1000

// Story returns a case with its posts, what was told of them to whom, and what
// became of that, or ErrNotFound. The number of a case that was joined to
// another leads there.
func (s *Cases) Story(ctx context.Context, id int64) (story CaseStory, err error) {
	if story.CaseRow, story.Members, err = s.Get(ctx, id); err != nil {
		return CaseStory{}, err
	}
	ledger := &Ledger{s.store}
	if story.Deliveries, err = ledger.List(ctx, DeliveryFilter{Case: story.ID, Limit: mostOfACase}); err != nil {
		return CaseStory{}, err
	}
	ids := make([]int64, len(story.Deliveries))
	for i, delivery := range story.Deliveries {
		ids[i] = delivery.ID
	}
	story.Edits, err = ledger.Edits(ctx, ids...)
	return story, err
}
