package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/post"
	"vestnik/internal/rehearse"
	"vestnik/internal/vk"
	"vestnik/internal/words"
	"vestnik/starter"
	"vestnik/worker"
)

// dryPage is how many posts of each wall a dry run looks at.
const dryPage = 30

func dryRunAction(ctx context.Context, cmd *cli.Command, walls config.Walls) error {
	cfg, err := settings(config.NeedScan)
	if err != nil {
		return err
	}
	parts, err := starter.New(cfg, nil, nil, nil)
	if err != nil {
		return err
	}
	reader, err := worker.NewClients(parts).Reader()
	if err != nil {
		return err
	}
	var titles db.Titles
	rules := rehearse.Rules{Routes: parts.Routes(), MaxAge: cfg.Scan.MaxAge}
	if cfg.Database.URL.IsSet() {
		pool, err := db.Open(ctx, cfg.Database.URL.Reveal())
		if err != nil {
			return err
		}
		defer pool.Close()
		rules.Ledger = db.NewLedger(pool)
		titles = titlesOf(ctx, rules.Ledger)
	}
	if len(walls) == 0 {
		walls = cfg.Scan.Walls
	}
	all := []rehearse.Rehearsal{}
	var failures []error
	for _, wall := range walls {
		rehearsals, err := dryRun(ctx, rules, reader, wall)
		if err != nil {
			failures = append(failures, fmt.Errorf("wall %s: %w", wall, err))
		}
		all = append(all, rehearsals...)
	}
	err = show(cmd, all, func() error { return printRehearsals(os.Stdout, all, titles) })
	return errors.Join(append(failures, err)...)
}

func dryRun(ctx context.Context, rules rehearse.Rules, reader *vk.Client, name string) ([]rehearse.Rehearsal, error) {
	var owner int64
	var page vk.Page
	if err := vk.Ask(ctx, func(ctx context.Context) (err error) { owner, err = reader.ResolveWall(ctx, name); return err }); err != nil {
		return nil, err
	}
	if err := vk.Ask(ctx, func(ctx context.Context) (err error) { page, err = reader.WallGet(ctx, owner, dryPage, 0); return err }); err != nil {
		return nil, err
	}
	rules.Linked = func(ids ...post.ID) (items []json.RawMessage, err error) {
		err = vk.Ask(ctx, func(ctx context.Context) (err error) { items, err = reader.WallGetByID(ctx, ids...); return err })
		return items, err
	}
	rehearsals, skipped, err := rules.Page(ctx, name, page.Items)
	for reason, count := range skipped {
		fmt.Fprintf(os.Stderr, "· %s: %s skipped: %s\n", name, words.Count(count, "post", "posts"), reason)
	}
	return rehearsals, err
}

func printRehearsals(w io.Writer, rehearsals []rehearse.Rehearsal, titles db.Titles) error {
	var text strings.Builder
	count := 0
	for _, r := range rehearsals {
		what := strings.TrimSpace(fmt.Sprintf("%s %s %s", named(titles, r.Post), r.Type, r.Animal))
		where := titles.Beside(r.Destination)
		switch {
		case r.Destination == "":
			fmt.Fprintf(&text, "%s: %s\n", what, r.Reason)
		case !r.Sends:
			fmt.Fprintf(&text, "%s ↛ %s: %s\n", what, where, r.Reason)
		default:
			fmt.Fprintf(&text, "%s → %s: %s\n", what, where, r.Reason)
		}
		for i, message := range r.Messages {
			count++
			printRehearsed(&text, i+1, message)
		}
	}
	fmt.Fprintf(&text, "%s would be sent. Nothing was.\n", words.Count(count, "message, post or album", "messages, posts and albums"))
	_, err := io.WriteString(w, text.String())
	return err
}

func printRehearsed(w io.Writer, number int, m rehearse.Message) {
	about := []string{fmt.Sprintf("%d. %s", number, m.Kind)}
	add := func(is bool, format string, values ...any) {
		if is {
			about = append(about, fmt.Sprintf(format, values...))
		}
	}
	add(m.ParseMode != "", "%s", m.ParseMode)
	add(m.Answers > 0, "answers %d", m.Answers)
	add(m.Silent, "without a sound")
	add(m.Preview != "", "with the preview of %s", m.Preview)
	add(m.Copyright != "", "copyright %s", m.Copyright)
	fmt.Fprintf(w, "  ┌ %s\n", strings.Join(about, ", "))
	for _, photo := range m.Photos {
		fmt.Fprintf(w, "  │ 🖼 %s\n", photo)
	}
	for line := range strings.Lines(m.Text) {
		fmt.Fprintf(w, "  │ %s\n", strings.TrimRight(line, "\n"))
	}
	for _, row := range m.Buttons {
		for _, button := range row {
			fmt.Fprintf(w, "  │ [%s: %s]\n", button.Text, button.URL+button.Copy)
		}
	}
	fmt.Fprintln(w, "  └")
}
