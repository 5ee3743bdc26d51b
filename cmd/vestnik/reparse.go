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
	"vestnik/internal/words"
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
		Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
			report, err := db.Reparse(ctx, a.starter.Posts, a.starter.Cases, cmd.Bool("apply"))
			if err != nil {
				return err
			}
			if !cmd.Bool("diff") {
				report.Changes = nil
			}
			return show(cmd, report, func() error { return printReparse(os.Stdout, report) })
		}),
	}
}

func printReparse(w io.Writer, r db.Reparsed) error {
	if len(r.Changes) > 0 {
		list := newTable(w, "POST", "FIELD", "BEFORE", "NOW")
		for _, change := range r.Changes {
			list.row(change.ID, change.Field, dash(oneLine(change.Before)), dash(oneLine(change.After)))
		}
		if err := list.print(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, what := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(w, "%6d  %s\n", r.Counts[what], what)
	}
	outcome := "nothing was written: --apply does"
	if r.Applied {
		outcome = "written"
	}
	if _, err := fmt.Fprintf(w, "%d of %s read otherwise by ruleset %d; %s\n", r.Changed, words.Count(r.Posts, "post", "posts"), r.Ruleset, outcome); err != nil {
		return err
	}
	return printRegrouped(w, r)
}

// printRegrouped shows what a person may want to do about the cases.
func printRegrouped(w io.Writer, r db.Reparsed) error {
	if len(r.Cases) == 0 {
		return nil
	}
	turned := map[bool]string{false: "would be", true: "is"}[r.Applied]
	fmt.Fprintln(w)
	list := newTable(w, "CASE", "WITH THE NEW READINGS", "BECAUSE", "COMMAND")
	for _, change := range r.Cases {
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
