package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

// silence is how long a command waits for a worker before it says so.
const silence = 10 * time.Second

// remindOfWorker says that something has not ended, until it is stopped.
func remindOfWorker(what string) (stop func() bool) {
	return time.AfterFunc(silence, func() {
		fmt.Fprintf(os.Stderr, "· the %s has not ended yet; is `vestnik worker` running?\n", what)
	}).Stop
}

func scanCommand() *cli.Command {
	return &cli.Command{
		Name:      "scan",
		Usage:     "read walls now; with --plan: show when each will be read and why",
		ArgsUsage: "[wall…]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "plan", Usage: "show the reading plan and the day's budget; read nothing"},
			&cli.BoolFlag{Name: "dry-run", Usage: "print exactly what would be sent where; send and store nothing"},
			&cli.BoolFlag{Name: "resume-key", Usage: "first end the pause that VK has put the reading key under"},
			&cli.StringFlag{Name: "captcha", Usage: "with --resume-key: the answer to the captcha that VK asks of a key"},
			outputFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := errors.Join(onlyWith(cmd, "resume-key", "captcha"), onlyOne(cmd, "plan", "dry-run", "resume-key")); err != nil {
				return err
			}
			var walls config.Walls // as VK_WALLS takes them: a name, a number, an address
			if err := walls.UnmarshalText([]byte(strings.Join(cmd.Args().Slice(), ","))); err != nil {
				return err
			}
			if cmd.Bool("dry-run") {
				return dryRunAction(ctx, cmd, walls)
			}
			return withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
				if cmd.Bool("plan") {
					return a.printPlanOf(ctx, cmd, walls)
				}
				return a.scan(ctx, cmd, walls)
			}, config.NeedScan)(ctx, cmd)
		},
	}
}

func (a *app) printPlanOf(ctx context.Context, cmd *cli.Command, walls config.Walls) error {
	plan, err := a.starter.PlanOf(ctx, walls)
	if err != nil {
		return err
	}
	return show(cmd, plan, func() error { return errors.Join(printPlan(plan, a.titles(ctx)), a.sayPausedKeys(ctx)) })
}

// scan reads walls now, after the keys were resumed if that is asked.
func (a *app) scan(ctx context.Context, cmd *cli.Command, walls config.Walls) error {
	if cmd.Bool("resume-key") {
		resumed, err := a.starter.ResumeKey(ctx, cmd.String("captcha"))
		if err != nil {
			return err
		}
		if !resumed && cmd.IsSet("captcha") {
			return errors.New("no reading key asks for a captcha: `vestnik scan --plan` shows how they stand")
		}
		if !resumed {
			fmt.Fprintln(os.Stderr, "· no reading key waited for that")
		}
	}
	defer remindOfWorker("scan")()
	result, err := a.starter.Scan(ctx, protocol.ScanWallsInput{Walls: walls, Now: true})
	if err != nil {
		return err
	}
	if err := show(cmd, result, func() error { return printScan(result, a.titles(ctx)) }); err != nil {
		return err
	}
	plan, err := a.starter.Plan(ctx)
	if err != nil {
		return err
	}
	return errors.Join(a.sayPausedKeys(ctx), notRead(result, plan))
}

// sayPausedKeys names the reading keys that VK has stopped, and what it asks of
// them.
func (a *app) sayPausedKeys(ctx context.Context) error {
	keys, err := a.starter.ReadingKeys(ctx)
	for i, key := range keys {
		if !key.Paused() {
			continue
		}
		fmt.Fprintf(os.Stderr, "· reading key %d of %d waits until %s: %s\n", i+1, len(keys), key.Until.Local().Format(time.DateTime), key.Reason)
		if key.Captcha != nil {
			fmt.Fprintf(os.Stderr, "  VK asks for a captcha: %s; answer with `vestnik scan --resume-key --captcha …`\n",
				cmp.Or(key.Captcha.RedirectURI, key.Captcha.Picture, "without saying which"))
		}
	}
	return err
}

// notRead is why a scan has left walls unread, nil if it has not.
func notRead(result protocol.ScanWallsResult, plan protocol.ReadPlan) error {
	switch {
	case plan.PausedUntil != nil:
		return fmt.Errorf("VK has told the reading key to wait until %s: %s. Nothing is read till then; `vestnik scan --resume-key` ends the wait",
			plan.PausedUntil.Local().Format(time.DateTime), plan.PauseReason)
	case len(result.Walls) == 0 && plan.Used >= plan.Budget:
		return fmt.Errorf("all %d calls of wall.get in 24 hours are spent (VK_DAILY_QUOTA)", plan.Budget)
	}
	return nil
}

func printScan(result protocol.ScanWallsResult, titles db.Titles) error {
	list := newTable(os.Stdout, "WALL", "OWNER", "CALLS", "POSTS", "NEW", "EDITED", "DELETED", "OWED", "SUPPRESSED", "SKIPPED", "NOTE")
	for _, wall := range result.Walls {
		note := "-"
		switch {
		case wall.Parked != "":
			note = "parked: " + wall.Parked
		case wall.Failed != "":
			note = "failed: " + wall.Failed
		case len(wall.SetAside) > 0:
			note = "set aside: " + strings.Join(wall.SetAside, ", ")
		case wall.Paused != "":
			note = "the key must wait: " + wall.Paused
		}
		skipped := 0
		for _, count := range wall.Skipped {
			skipped += count
		}
		list.row(titles.Beside(wall.Name), wall.OwnerID, wall.Calls, wall.Posts, wall.New, wall.Edited, wall.Deleted, wall.Owed, wall.Suppressed, skipped, note)
	}
	if err := list.print(); err != nil {
		return err
	}
	fmt.Printf("\n%s started\n", words.Count(result.Started, "delivery", "deliveries"))
	return nil
}

func printPlan(plan protocol.ReadPlan, titles db.Titles) error {
	fmt.Printf("wall.get calls in the last 24 hours: %d of %d\n", plan.Used, plan.Budget)
	if plan.PausedUntil != nil {
		fmt.Printf("VK has told the key to wait until %s: %s\n", plan.PausedUntil.Local().Format(time.DateTime), plan.PauseReason)
	}
	fmt.Println()
	list := newTable(os.Stdout, "WALL", "OWNER", "STATE", "POSTS A DAY", "EVERY", "LAST READ", "NEXT READ", "REASON")
	for _, wall := range plan.Walls {
		next := "due"
		if wait := time.Until(wall.NextReadAt); wait > 0 {
			next = "in " + wait.Round(time.Second).String()
		}
		list.row(titles.Beside(wall.Name), wall.OwnerID, wall.State, fmt.Sprintf("%.1f", wall.PostsPerDay), wall.Every, ago(wall.LastReadAt), next, dash(wall.Reason))
	}
	return list.print()
}

func backfillCommand() *cli.Command {
	return &cli.Command{
		Name:  "backfill",
		Usage: "deliver what a wall's first reading left out, a few an hour, after everything that is fresh",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "wall", Required: true, Usage: "one of VK_WALLS"},
			spanFlag("since", "7d", "how far back"),
			&cli.IntFlag{Name: "per-hour", Value: 6, Usage: "deliveries an hour for each destination"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would go, and when; store and send nothing"},
			outputFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			var walls config.Walls
			if err := walls.UnmarshalText([]byte(cmd.String("wall"))); err != nil || len(walls) != 1 {
				return fmt.Errorf("--wall %q: name one wall, as VK_WALLS does", cmd.String("wall"))
			}
			if perHour := cmd.Int("per-hour"); perHour < 1 || perHour > 3600 {
				return fmt.Errorf("--per-hour %d: write 1 to 3600", perHour)
			}
			a, err := open(ctx, config.NeedScan)
			if err != nil {
				return err
			}
			defer a.close()
			defer remindOfWorker("backfill")()
			result, err := a.starter.Backfill(ctx, protocol.Backfill{
				Wall: walls[0], Since: spanOf(cmd, "since"), PerHour: cmd.Int("per-hour"), DryRun: cmd.Bool("dry-run"),
			})
			if err != nil {
				return err
			}
			return show(cmd, result, func() error { return printBackfill(result, a.titles(ctx)) })
		},
	}
}

func printBackfill(result protocol.Backfilled, titles db.Titles) error {
	slices.SortFunc(result.Due, func(a, b protocol.DueDelivery) int { return a.DueAt.Compare(b.DueAt) })
	list := newTable(os.Stdout, "DUE", "POST", "DESTINATION")
	for _, due := range result.Due {
		list.row(due.DueAt.Local().Format("01-02 15:04"), titles.Post(due.OwnerID, due.PostID), titles.Beside(due.Destination))
	}
	if err := list.print(); err != nil {
		return err
	}
	fmt.Printf("\n%s looked at with %s of wall.get; %d suppressed, because their case is told or closed\n",
		words.Count(result.Posts, "post", "posts"), words.Count(result.Calls, "call", "calls"), result.Suppressed)
	return nil
}
