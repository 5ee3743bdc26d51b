package db

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
)

// walkBatch is how many posts are read, and written again, at once.
const walkBatch = 500

// each calls visit with every stored post, wall by wall, in batches.
func (s *Posts) each(ctx context.Context, visit func([]Post) error) error {
	after := relaysql.PostsAfterParams{OwnerID: math.MinInt64, Most: walkBatch}
	return walk(visit, func() ([]relaysql.RelayPost, error) {
		rows, err := s.queries.PostsAfter(ctx, after)
		if n := len(rows); n > 0 {
			after.OwnerID, after.PostID = rows[n-1].OwnerID, rows[n-1].PostID
		}
		return rows, err
	})
}

// walk calls visit with the posts that next reads, batch after batch, until it reads none.
func walk(visit func([]Post) error, next func() ([]relaysql.RelayPost, error)) error {
	for {
		rows, err := next()
		if err != nil {
			return fmt.Errorf("walk posts: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		posts := make([]Post, len(rows))
		for i, row := range rows {
			if posts[i], err = postOf(row); err != nil {
				return err
			}
		}
		if err := visit(posts); err != nil {
			return err
		}
	}
}

// Reread is a stored post and what is read in it now.
type Reread struct {
	Post        Post // as it is stored
	Reading     petpost.Reading
	Fingerprint petpost.Fingerprint
}

// Reread writes new readings of stored posts. A case is closed, or open again,
// as its posts say now, and what waits to be told about an animal that is home
// is not sent. Nothing else changes: no post goes into another case ([Cases.Regroup]
// lists which would), nothing is sent and no message is edited. A post that was
// edited meanwhile keeps what was read in it then.
func (s *Posts) Reread(ctx context.Context, posts []Reread) error {
	return s.inRepeatedTx(ctx, func(q *relaysql.Queries) error {
		for _, reread := range posts {
			if err := rereadOne(ctx, q, reread); err != nil {
				return fmt.Errorf("reread %s: %w", reread.Post.ID, err)
			}
		}
		return nil
	})
}

func rereadOne(ctx context.Context, q *relaysql.Queries, reread Reread) error {
	post := reread.Post
	before := hashedKeys(post.Fingerprint)
	post.Reading, post.Fingerprint = reread.Reading, reread.Fingerprint
	row, err := rowOf(post)
	if err != nil {
		return err
	}
	if err := q.RereadPost(ctx, relaysql.RereadPostParams{
		OwnerID: row.OwnerID, PostID: row.PostID, ContentHash: row.ContentHash,
		Type: row.Type, Animal: row.Animal, Sex: row.Sex, Name: row.Name, Phones: row.Phones, Location: row.Location,
		WhenSaid: row.WhenSaid, Contacts: row.Contacts, Reading: row.Reading, RulesetVersion: row.RulesetVersion, Fingerprint: row.Fingerprint,
	}); err != nil {
		return err
	}
	if err := q.DropCaseKeys(ctx, relaysql.DropCaseKeysParams{
		Keys: before, PostedAt: post.PostedAt, OwnerID: post.OwnerID, PostID: post.PostID,
	}); err != nil {
		return err
	}
	if err := q.AddCaseKeys(ctx, relaysql.AddCaseKeysParams{
		Keys: hashedKeys(post.Fingerprint), PostedAt: post.PostedAt, OwnerID: post.OwnerID, PostID: post.PostID,
	}); err != nil {
		return err
	}
	if home := petpost.Reunited; post.CaseID != 0 && (reread.Reading.Type == home) != (reread.Post.Reading.Type == home) {
		_, _, err := turnCase(ctx, q, post.CaseID)
		return err
	}
	return nil
}

// sameFingerprint reports whether two fingerprints are written the same.
func sameFingerprint(a, b petpost.Fingerprint) bool {
	one, err := json.Marshal(a)
	if err != nil {
		return false
	}
	other, err := json.Marshal(b)
	return err == nil && string(one) == string(other)
}
