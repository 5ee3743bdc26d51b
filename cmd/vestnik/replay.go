package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/telemetry"
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
			&cli.StringFlag{Name: "query", Usage: `replay what the server lists, such as 'ExecutionStatus="Running"'`},
			&cli.IntFlag{Name: "limit", Value: 100, Usage: "with --query: how many at most"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
				ContextPropagators: telemetry.ContextPropagators(),
			})
			if err != nil {
				return err
			}
			vestnikworker.RegisterWorkflows(replayer)
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
	replayer worker.WorkflowReplayer
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
	executions, err := a.listed(ctx, cmd)
	if err != nil {
		return err
	}
	for _, execution := range executions {
		err := r.replayer.ReplayWorkflowExecution(ctx, a.temporal.WorkflowService(), nil, a.cfg.Temporal.Namespace, execution)
		r.note(execution.ID, err)
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

// listed are the executions that the command names.
func (a *app) listed(ctx context.Context, cmd *cli.Command) ([]workflow.Execution, error) {
	var executions []workflow.Execution
	for _, id := range cmd.StringSlice("workflow-id") {
		run := cmd.String("run-id")
		if run == "" {
			description, err := a.temporal.DescribeWorkflowExecution(ctx, id, "")
			if err != nil {
				return nil, fmt.Errorf("workflow %s: %w", id, err)
			}
			run = description.GetWorkflowExecutionInfo().GetExecution().GetRunId()
		}
		executions = append(executions, workflow.Execution{ID: id, RunID: run})
	}
	query := cmd.String("query")
	for page := []byte(nil); query != ""; {
		answer, err := a.temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, NextPageToken: page})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", query, err)
		}
		for _, found := range answer.GetExecutions() {
			if len(executions) >= cmd.Int("limit") {
				return executions, nil
			}
			executions = append(executions, workflow.Execution{ID: found.GetExecution().GetWorkflowId(), RunID: found.GetExecution().GetRunId()})
		}
		if page = answer.GetNextPageToken(); len(page) == 0 {
			break
		}
	}
	return executions, nil
}
