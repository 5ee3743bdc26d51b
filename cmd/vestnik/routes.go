package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/rehearse"
	"vestnik/internal/words"
	"vestnik/starter"
)

func routesCommand() *cli.Command {
	return &cli.Command{
		Name:  "routes",
		Usage: "the rules that say which posts go where",
		Commands: []*cli.Command{{
			Name: "check", Usage: "check a routes file, and show what it would have sent of the stored posts", ArgsUsage: "FILE",
			Description: "Compares FILE with the rules of today (ROUTES_FILE): which posts would go now and did not, and which\n" +
				"no more. Sends and changes nothing. The running processes take a change of ROUTES_FILE up by themselves.",
			Flags: []cli.Flag{
				spanFlag("since", "7d", "how far back the posts may have been written"),
				outputFlag(),
			},
			Action: checkRoutes,
		}, {
			Name: "show", Usage: "print what a version of the rules said, as posts name it", ArgsUsage: "VERSION",
			Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
				if !cmd.Args().Present() {
					return errors.New("name a version of the rules, as the page of a post names it")
				}
				text, since, err := a.starter.Ledger.Rules(ctx, cmd.Args().First())
				if err != nil {
					return err
				}
				_, err = fmt.Printf("# first used %s\n%s", since.Local().Format(time.DateTime), text)
				return err
			}),
		}},
	}
}

func checkRoutes(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 1 {
		return errors.New("name a routes file: vestnik routes check routes.yaml")
	}
	cfg, err := settings(config.NeedDatabase)
	if err != nil {
		return err
	}
	today, err := starter.ReadRoutes(cfg)
	if err != nil {
		return err
	}
	cfg.Relay.RoutesFile = cmd.Args().First()
	then, err := starter.ReadRoutes(cfg)
	if err != nil {
		return err
	}
	pool, err := db.Open(ctx, cfg.Database.URL.Reveal())
	if err != nil {
		return err
	}
	defer pool.Close()
	watched, err := db.NewWalls(pool).Watched(ctx)
	if err != nil {
		return err
	}
	walls := map[int64]string{}
	for _, wall := range watched {
		walls[wall.OwnerID] = wall.Name
	}
	comparison, err := rehearse.Compare(ctx, db.NewPosts(pool), walls, today, then, time.Now().Add(-spanOf(cmd, "since")))
	if err != nil {
		return err
	}
	return show(cmd, comparison, func() error {
		return printComparison(os.Stdout, comparison, titlesOf(ctx, db.NewLedger(pool)))
	})
}

func printComparison(w io.Writer, c rehearse.Comparison, titles db.Titles) error {
	if len(c.Changes) > 0 {
		list := newTable(w, "", "POST", "WRITTEN", "TYPE", "DESTINATION", "WHY")
		for _, change := range c.Changes {
			mark, kind := "−", string(change.Type)
			if change.Sends {
				mark = "+"
			}
			if change.Asks {
				mark = "?"
			}
			list.row(mark, named(titles, change.Post), ago(&change.PostedAt), kind, titles.Beside(change.Destination), oneLine(change.Reason))
		}
		if err := list.print(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	list := newTable(w, "DESTINATION", "TODAY", "THEN", "ASKED FIRST", "NEW", "OF ANIMALS", "NO MORE")
	for _, total := range c.Destinations {
		list.row(titles.Beside(total.Destination), total.Today, total.Then, total.Asks, total.New, total.Cases, total.Gone)
	}
	if err := list.print(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s since %s; nothing was sent. An animal is told once within CASE_WINDOW.\n",
		words.Count(c.Posts, "post", "posts"), c.Since.Local().Format(time.DateTime))
	return err
}
