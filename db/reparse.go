package db

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// ReadingChange is a field of a stored post that is read otherwise now.
type ReadingChange struct {
	post.ID

	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Reparsed is what reading all posts again found.
type Reparsed struct {
	Ruleset int             `json:"ruleset"`
	Posts   int             `json:"posts"`
	Changed int             `json:"changed"`
	Applied bool            `json:"applied"`
	Counts  map[string]int  `json:"counts"` // by field, or by type before and after
	Changes []ReadingChange `json:"changes,omitempty"`
	// Cases are those that the new readings would make other ones.
	Cases []CaseChange `json:"cases,omitempty"`
}

// Reparse reads all stored posts again with this build's rules and finds what
// would change. It looks at all of them first, because what becomes of the cases
// is seen when all are read, and then, if apply is set, writes the new readings.
// Nothing is ever sent.
func Reparse(ctx context.Context, posts *Posts, cases *Cases, apply bool) (Reparsed, error) {
	report := Reparsed{Ruleset: petpost.RulesetVersion, Applied: apply, Counts: map[string]int{}}
	var differ []Reread // without their texts: there may be many
	if err := posts.each(ctx, func(batch []Post) error {
		for _, reread := range readAgain(batch) {
			report.compare(reread)
			before := reread.Post
			differ = append(differ, Reread{Fingerprint: reread.Fingerprint, Post: Post{Post: post.Post{
				ID: before.ID, PostedAt: before.PostedAt, CaseID: before.CaseID, CaseReason: before.CaseReason,
			}}})
		}
		report.Posts += len(batch)
		return nil
	}); err != nil {
		return report, err
	}
	var err error
	if report.Cases, err = cases.Regroup(ctx, differ); err != nil || !apply {
		return report, err
	}
	return report, posts.each(ctx, func(batch []Post) error { return posts.Reread(ctx, readAgain(batch)) })
}

// readAgain reads posts again and returns those that are read otherwise.
func readAgain(posts []Post) (differ []Reread) {
	for _, post := range posts {
		now := petpost.ReadOn(petpost.ContextOf(post.Reading.SetAside), post.Post)
		if post.Reading.ByHand {
			now = now.OfType(post.Reading.Type)
		}
		if !slices.Equal(fieldsOf(post.Reading), fieldsOf(now.Reading)) || !sameFingerprint(post.Fingerprint, now.Fingerprint) {
			differ = append(differ, Reread{Post: post, Reading: now.Reading, Fingerprint: now.Fingerprint})
		}
	}
	return differ
}

// compare notes in what two readings of a post differ.
func (r *Reparsed) compare(reread Reread) {
	before, after := fieldsOf(reread.Post.Reading), fieldsOf(reread.Reading)
	differ := false
	for i, field := range after {
		if field == before[i] {
			continue
		}
		differ = true
		what := field.name
		if what == "type" {
			what = fmt.Sprintf("type %s → %s", before[i].value, field.value)
		}
		r.Counts[what]++
		r.Changes = append(r.Changes, ReadingChange{ID: reread.Post.ID, Field: field.name, Before: before[i].value, After: field.value})
	}
	if differ {
		r.Changed++
	}
}

type fieldRead struct{ name, value string }

func fieldsOf(r petpost.Reading) []fieldRead {
	return []fieldRead{
		{"type", string(r.Type)}, {"animal", string(r.Animal)}, {"sex", string(r.Sex)}, {"name", r.Name},
		{"phones", strings.Join(r.Phones, ", ")}, {"location", r.Location}, {"when", r.When},
		{"contacts", strings.Join(r.Contacts, ", ")},
		{"breed", r.Breed}, {"age", r.Age}, {"color", r.Color}, {"traits", strings.Join(r.Traits, ", ")},
	}
}

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
		if err := visit(listOf(rows, postOf)); err != nil {
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
// edited, blanked or given a type by hand meanwhile stays as it is.
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
	row := rowOf(post)
	written, err := q.RereadPost(ctx, relaysql.RereadPostParams{
		OwnerID: row.OwnerID, PostID: row.PostID, ContentHash: row.ContentHash,
		Type: row.Type, Animal: row.Animal, Sex: row.Sex, Name: row.Name, Phones: row.Phones, Location: row.Location,
		WhenSaid: row.WhenSaid, Contacts: row.Contacts, Reading: row.Reading, RulesetVersion: row.RulesetVersion, Fingerprint: row.Fingerprint,
	})
	if err != nil || written == 0 {
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
