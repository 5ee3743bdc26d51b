package db

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
