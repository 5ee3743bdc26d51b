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
			"them. Posts stay in their cases, and what was delivered stays as it is.",
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
			r := &rereading{posts: a.relay.Posts, apply: cmd.Bool("apply"), counts: map[string]int{}}
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
	apply bool

	read, changed int
	changes       []change
	counts        map[string]int // by field, or by type before and after
}

func (r *rereading) run(ctx context.Context) error {
	return r.posts.Walk(ctx, func(posts []db.Post) error {
		var rereads []db.Reread
		for _, post := range posts {
			now := post
			reading.Read(&now)
			r.read++
			if differ := r.compare(post, now); differ || !db.SameFingerprint(post.Fingerprint, now.Fingerprint) {
				rereads = append(rereads, db.Reread{Post: post, Reading: now.Reading, Fingerprint: now.Fingerprint})
			}
		}
		if !r.apply {
			return nil
		}
		return r.posts.Reread(ctx, rereads)
	})
}

// compare notes in what two readings of a post differ.
func (r *rereading) compare(post, now db.Post) bool {
	before, after := fieldsOf(post.Reading), fieldsOf(now.Reading)
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
			OwnerID: post.OwnerID, PostID: post.PostID, Field: field.name, Before: before[i].value, After: field.value,
		})
	}
	if differ {
		r.changed++
	}
	return differ
}

type fieldRead struct{ name, value string }

func fieldsOf(r petpost.Reading) []fieldRead {
	return []fieldRead{
		{"type", string(r.Type)}, {"animal", string(r.Animal)}, {"sex", string(r.Sex)}, {"name", r.Name},
		{"phones", strings.Join(r.Phones, ", ")}, {"location", r.Location}, {"when", r.When},
		{"contacts", strings.Join(r.Contacts, ", ")},
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
}

func (r *rereading) report(diff bool) rereadReport {
	report := rereadReport{Ruleset: petpost.RulesetVersion, Posts: r.read, Changed: r.changed, Applied: r.apply, Counts: r.counts}
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
	_, err := fmt.Fprintf(w, "%d of %d posts read otherwise by ruleset %d; %s\n", r.changed, r.read, petpost.RulesetVersion, outcome)
	return err
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
