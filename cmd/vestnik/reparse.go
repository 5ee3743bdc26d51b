package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/reading"
)

func reparseCommand() *cli.Command {
	return &cli.Command{
		Name:  "reparse",
		Usage: "read stored posts again with this build's rules and show what would change; nothing is ever sent",
		Description: "Without --apply nothing is written. With it the new readings are: lists, and posts to come, go by\n" +
			"them, and a case is closed, or open again, as its posts say now. What was delivered stays as it is.\n" +
			"Posts stay in their cases too: to move one may call for a message. Where the new readings would put\n" +
			"posts elsewhere, the command is shown that does it.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "diff", Usage: "show every change, not only their numbers"},
			&cli.BoolFlag{Name: "apply", Usage: "write the new readings"},
			outputFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			a, err := open(ctx)
			if err != nil {
				return err
			}
			defer a.close()
			r := &rereading{posts: a.relay.Posts, cases: a.relay.Cases, apply: cmd.Bool("apply"), counts: map[string]int{}}
			if err := r.run(ctx); err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return printJSON(os.Stdout, r.report(cmd.Bool("diff")))
			}
			return r.print(os.Stdout, cmd.Bool("diff"))
		},
	}
}

// change is a field of a stored post that is read otherwise now.
type change struct {
	OwnerID int64  `json:"owner_id"`
	PostID  int64  `json:"post_id"`
	Field   string `json:"field"`
	Before  string `json:"before"`
	After   string `json:"after"`
}

type rereading struct {
	posts *db.Posts
	cases *db.Cases
	apply bool

	read, changed int
	changes       []change
	counts        map[string]int // by field, or by type before and after
	regrouped     []db.CaseChange
}

// run looks first, because what becomes of the cases is seen when all posts
// are read, and then writes.
func (r *rereading) run(ctx context.Context) error {
	var differ []db.Reread // without their texts: there may be many
	if err := r.posts.Walk(ctx, func(posts []db.Post) error {
		for _, reread := range r.look(posts) {
			r.compare(reread)
			differ = append(differ, db.Reread{Fingerprint: reread.Fingerprint, Post: db.Post{
				OwnerID: reread.Post.OwnerID, PostID: reread.Post.PostID, PostedAt: reread.Post.PostedAt,
				CaseID: reread.Post.CaseID, CaseReason: reread.Post.CaseReason,
			}})
		}
		r.read += len(posts)
		return nil
	}); err != nil {
		return err
	}
	var err error
	if r.regrouped, err = r.cases.Regroup(ctx, differ); err != nil || !r.apply {
		return err
	}
	return r.posts.Walk(ctx, func(posts []db.Post) error { return r.posts.Reread(ctx, r.look(posts)) })
}

// look reads posts again and returns those that are read otherwise.
func (r *rereading) look(posts []db.Post) (differ []db.Reread) {
	for _, post := range posts {
		now := post
		reading.Read(&now)
		if !slices.Equal(fieldsOf(post.Reading), fieldsOf(now.Reading)) || !db.SameFingerprint(post.Fingerprint, now.Fingerprint) {
			differ = append(differ, db.Reread{Post: post, Reading: now.Reading, Fingerprint: now.Fingerprint})
		}
	}
	return differ
}

// compare notes in what two readings of a post differ.
func (r *rereading) compare(reread db.Reread) {
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
		r.counts[what]++
		r.changes = append(r.changes, change{
			OwnerID: reread.Post.OwnerID, PostID: reread.Post.PostID, Field: field.name, Before: before[i].value, After: field.value,
		})
	}
	if differ {
		r.changed++
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

// rereadReport is the JSON form of what a rereading found.
type rereadReport struct {
	Ruleset int            `json:"ruleset"`
	Posts   int            `json:"posts"`
	Changed int            `json:"changed"`
	Applied bool           `json:"applied"`
	Counts  map[string]int `json:"counts"`
	Changes []change       `json:"changes,omitempty"`
	// Cases are those that the new readings would make other ones.
	Cases []db.CaseChange `json:"cases,omitempty"`
}

func (r *rereading) report(diff bool) rereadReport {
	report := rereadReport{Ruleset: petpost.RulesetVersion, Posts: r.read, Changed: r.changed, Applied: r.apply, Counts: r.counts, Cases: r.regrouped}
	if diff {
		report.Changes = r.changes
	}
	return report
}

func (r *rereading) print(w io.Writer, diff bool) error {
	if diff && len(r.changes) > 0 {
		list := newTable(w, "POST", "FIELD", "BEFORE", "NOW")
		for _, change := range r.changes {
			list.row(protocol.WallPost(change.OwnerID, change.PostID), change.Field, dash(oneLine(change.Before)), dash(oneLine(change.After)))
		}
		if err := list.print(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, what := range slices.Sorted(maps.Keys(r.counts)) {
		fmt.Fprintf(w, "%6d  %s\n", r.counts[what], what)
	}
	outcome := "nothing was written: --apply does"
	if r.apply {
		outcome = "written"
	}
	if _, err := fmt.Fprintf(w, "%d of %d posts read otherwise by ruleset %d; %s\n", r.changed, r.read, petpost.RulesetVersion, outcome); err != nil {
		return err
	}
	return r.printCases(w)
}

// printCases tells what a person may want to do about the cases.
func (r *rereading) printCases(w io.Writer) error {
	if len(r.regrouped) == 0 {
		return nil
	}
	turned := map[bool]string{false: "would be", true: "is"}[r.apply]
	fmt.Fprintln(w)
	list := newTable(w, "CASE", "WITH THE NEW READINGS", "BECAUSE", "COMMAND")
	for _, change := range r.regrouped {
		switch change.Change {
		case db.CaseSplit:
			posts := strings.Join(change.Posts, " ")
			list.row(change.Case, fmt.Sprintf("%d of its posts would be in another", len(change.Posts)), change.Reason,
				fmt.Sprintf("vestnik case split %d %s", change.Case, posts))
		case db.CaseJoin:
			list.row(change.Case, fmt.Sprintf("would be one with case %d", change.With), change.Reason,
				fmt.Sprintf("vestnik case join %d %d", change.Case, change.With))
		case db.CaseClose:
			list.row(change.Case, turned+" closed", strings.Join(change.Posts, " ")+" says that the animal is home", "-")
		case db.CaseOpen:
			list.row(change.Case, turned+" open", "no post says that the animal is home", "-")
		}
	}
	return list.print()
}

// oneLine is a text without line breaks, as long as a table has room for.
func oneLine(text string) string {
	const most = 60
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}
