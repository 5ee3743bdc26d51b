package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
)

func destinationCommand() *cli.Command {
	return &cli.Command{
		Name:  "destination",
		Usage: "look at the lanes, pause and resume them",
		Commands: []*cli.Command{
			{
				Name: "list", Usage: "every destination and the state of its lane", Flags: []cli.Flag{outputFlag()},
				Action: withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
					lanes, err := a.starter.Destinations(ctx)
					if err != nil {
						return err
					}
					return show(cmd, lanes, func() error { return printLanes(lanes, a.titles(ctx)) })
				}),
			},
			{
				Name: "state", Usage: "one lane: who sends, who waits", ArgsUsage: "destination", Flags: []cli.Flag{outputFlag()},
				Action: steering(func(ctx context.Context, _ *cli.Command, a *app, destination string) (protocol.LaneState, error) {
					return a.starter.Destination(ctx, destination)
				}),
			},
			{
				Name: "pause", Usage: "grant no more turns; what is owed waits", ArgsUsage: "destination",
				Flags: []cli.Flag{outputFlag(), &cli.StringFlag{Name: "reason", Usage: "why, for everybody who looks"}},
				Action: steering(func(ctx context.Context, cmd *cli.Command, a *app, destination string) (protocol.LaneState, error) {
					return a.starter.PauseDestination(ctx, destination, cmd.String("reason"), os.Getenv("USER"))
				}),
			},
			{
				Name: "resume", Usage: "end a pause or a cooldown; the delivery that caused it is tried again first", ArgsUsage: "destination", Flags: []cli.Flag{outputFlag()},
				Action: steering(func(ctx context.Context, _ *cli.Command, a *app, destination string) (protocol.LaneState, error) {
					return a.starter.ResumeDestination(ctx, destination)
				}),
			},
			{
				Name: "rate", Usage: "send faster or slower until the configured rate changes", ArgsUsage: "destination",
				Flags: []cli.Flag{
					outputFlag(),
					&cli.FloatFlag{Name: "per-second", Required: true, Usage: "messages a second; 0: no pacing"},
					&cli.IntFlag{Name: "per-minute", Usage: "messages in any minute; 0: no such limit"},
				},
				Action: steering(func(ctx context.Context, cmd *cli.Command, a *app, destination string) (protocol.LaneState, error) {
					return a.starter.SetRate(ctx, destination, protocol.Pace{PerSecond: cmd.Float("per-second"), PerMinute: cmd.Int("per-minute")})
				}),
			},
		},
	}
}

// steering runs a command on the one destination that its argument names, and
// shows how the lane stands then.
func steering(run func(context.Context, *cli.Command, *app, string) (protocol.LaneState, error)) cli.ActionFunc {
	return withApp(func(ctx context.Context, cmd *cli.Command, a *app) error {
		if cmd.Args().Len() != 1 {
			return errors.New("name one destination, such as telegram:-1001234567890; `vestnik destination list` shows them")
		}
		destination, err := route.ParseDestination(cmd.Args().First())
		if err != nil {
			return err
		}
		lane, err := run(ctx, cmd, a, destination.String())
		if err != nil {
			return err
		}
		return show(cmd, lane, func() error { return printLane(lane, a.titles(ctx)) })
	})
}

func printLane(lane protocol.LaneState, titles db.Titles) error {
	if err := printLanes([]protocol.LaneState{lane}, titles); err != nil {
		return err
	}
	if lane.TakenUp != 0 {
		fmt.Printf("\ndelivery %d, which had paused it, is tried again first\n", lane.TakenUp)
	}
	if lane.Sending != "" {
		fmt.Println("\nsending: " + lane.Sending)
	}
	for _, next := range lane.Next {
		fmt.Println("next:    " + next)
	}
	return nil
}

func printLanes(lanes []protocol.LaneState, titles db.Titles) error {
	list := newTable(os.Stdout, "DESTINATION", "STATE", "QUEUED", "PER SECOND", "PER MINUTE", "COOLING UNTIL", "REASON")
	for _, lane := range lanes {
		cooling := "-"
		if lane.CoolingUntil != nil {
			cooling = lane.CoolingUntil.Local().Format("15:04:05")
		}
		list.row(titles.Beside(lane.Destination), lane.State, lane.Queued, lane.RatePerSec, lane.PerMinute, cooling, dash(lane.Reason))
	}
	return list.print()
}
