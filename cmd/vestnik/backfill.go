package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

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
