package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"
	"go.temporal.io/sdk/workflow"

	vestnikworker "vestnik/worker"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "replay histories against this build; it fails if the workflow code no longer fits",
		ArgsUsage: "[file…]",
		Description: "Files are as `temporal workflow show -o json` writes them. With --workflow-id or --query the\n" +
			"histories come straight from the server.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "workflow-id", Usage: "replay the newest run of this workflow; may be repeated"},
			&cli.StringFlag{Name: "run-id", Usage: "with one --workflow-id: this run"},
			&cli.StringFlag{Name: "query", Usage: `replay all that the server lists, such as 'ExecutionStatus="Running"'`},
			&cli.IntFlag{Name: "limit", Usage: "with --query: how many at most; 0 is all"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := errors.Join(onlyWith(cmd, "query", "limit"), onlyWith(cmd, "workflow-id", "run-id")); err != nil {
				return err
			}
			cfg, err := settings()
			if err != nil {
				return err
			}
			replayer, err := vestnikworker.NewReplayer(cfg.Temporal.ClientOptions())
			if err != nil {
				return err
			}
			r := &replay{replayer: replayer}
			for _, file := range cmd.Args().Slice() {
				r.note(file, replayer.ReplayWorkflowHistoryFromJSONFile(nil, file))
			}
			if len(cmd.StringSlice("workflow-id")) > 0 || cmd.IsSet("query") {
				if err := r.fromServer(ctx, cmd); err != nil {
					return err
				}
			}
			return r.report()
		},
	}
}

type replay struct {
	replayer *vestnikworker.Replayer
	replayed int
	failures []error
}

func (r *replay) note(what string, err error) {
	if err != nil {
		r.failures = append(r.failures, fmt.Errorf("%s: %w", what, err))
		fmt.Println("FAIL", what)
		return
	}
	r.replayed++
	fmt.Println("ok  ", what)
}

func (r *replay) fromServer(ctx context.Context, cmd *cli.Command) error {
	a, err := open(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	for _, id := range cmd.StringSlice("workflow-id") {
		r.note(id, r.replayer.Replay(ctx, a.temporal, workflow.Execution{ID: id, RunID: cmd.String("run-id")}))
	}
	if !cmd.IsSet("query") {
		return nil
	}
	left := cmd.Int("limit")
	for execution, err := range vestnikworker.Listed(ctx, a.temporal, cmd.String("query")) {
		if err != nil {
			return err
		}
		r.note(execution.ID, r.replayer.Replay(ctx, a.temporal, execution))
		if left--; left == 0 {
			break
		}
	}
	return nil
}

func (r *replay) report() error {
	if r.replayed == 0 && len(r.failures) == 0 {
		return errors.New("nothing to replay: name files, --workflow-id or --query")
	}
	fmt.Printf("%d replayed, %d failed\n", r.replayed, len(r.failures))
	return errors.Join(r.failures...)
}
