// Package reparse reads stored posts again with this build's rules and finds
// what would change. Nothing is ever sent.
package reparse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// Change is a field of a stored post that is read otherwise now.
type Change struct {
	post.ID

	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Report is what reading all posts again found.
type Report struct {
	Ruleset int            `json:"ruleset"`
	Posts   int            `json:"posts"`
	Changed int            `json:"changed"`
	Applied bool           `json:"applied"`
	Counts  map[string]int `json:"counts"` // by field, or by type before and after
	Changes []Change       `json:"changes,omitempty"`
	// Cases are those that the new readings would make other ones.
	Cases []db.CaseChange `json:"cases,omitempty"`
}

// Run looks at all posts first, because what becomes of the cases is seen when
// all are read, and then, if apply is set, writes the new readings.
func Run(ctx context.Context, posts *db.Posts, cases *db.Cases, apply bool) (Report, error) {
	report := Report{Ruleset: petpost.RulesetVersion, Applied: apply, Counts: map[string]int{}}
	var differ []db.Reread // without their texts: there may be many
	if err := posts.Walk(ctx, func(batch []db.Post) error {
		for _, reread := range look(batch) {
			report.compare(reread)
			before := reread.Post
			differ = append(differ, db.Reread{Fingerprint: reread.Fingerprint, Post: db.Post{Post: post.Post{
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
	return report, posts.Walk(ctx, func(batch []db.Post) error { return posts.Reread(ctx, look(batch)) })
}

// look reads posts again and returns those that are read otherwise.
func look(posts []db.Post) (differ []db.Reread) {
	for _, post := range posts {
		now := petpost.ReadOn(petpost.ContextOf(post.Reading.SetAside), post.Post)
		if post.Reading.ByHand {
			now = now.OfType(post.Reading.Type)
		}
		if !slices.Equal(fieldsOf(post.Reading), fieldsOf(now.Reading)) || !db.SameFingerprint(post.Fingerprint, now.Fingerprint) {
			differ = append(differ, db.Reread{Post: post, Reading: now.Reading, Fingerprint: now.Fingerprint})
		}
	}
	return differ
}

// compare notes in what two readings of a post differ.
func (r *Report) compare(reread db.Reread) {
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
		r.Changes = append(r.Changes, Change{ID: reread.Post.ID, Field: field.name, Before: before[i].value, After: field.value})
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
