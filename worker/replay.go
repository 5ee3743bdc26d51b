package worker

import (
	"context"
	"fmt"
	"iter"

	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/telemetry"
)

// Replayer replays histories against the workflows of this build.
type Replayer struct{ worker.WorkflowReplayer }

// NewReplayer returns a replayer that knows every workflow and reads payloads as
// a client with these options does.
func NewReplayer(options client.Options) (*Replayer, error) {
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
		ContextPropagators: telemetry.ContextPropagators(), DataConverter: options.DataConverter, FailureConverter: options.FailureConverter,
	})
	if err != nil {
		return nil, err
	}
	RegisterWorkflows(replayer)
	return &Replayer{replayer}, nil
}

// Replay replays an execution as Temporal holds it; without a run id, the
// newest of its runs. One that no worker has taken up yet fits any build.
func (r *Replayer) Replay(ctx context.Context, temporal client.Client, execution workflow.Execution) error {
	events := temporal.GetWorkflowHistory(ctx, execution.ID, execution.RunID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	history, begun := &historypb.History{}, false
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return err
		}
		history.Events = append(history.Events, event)
		begun = begun || event.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
	}
	if !begun {
		return nil
	}
	return r.ReplayWorkflowHistoryWithOptions(nil, history, worker.ReplayWorkflowHistoryOptions{OriginalExecution: execution})
}

// Listed yields every execution that Temporal lists for a visibility query, of
// whatever type, page by page. After an error it ends.
func Listed(ctx context.Context, temporal client.Client, query string) iter.Seq2[workflow.Execution, error] {
	return func(yield func(workflow.Execution, error) bool) {
		for page := []byte(nil); ; {
			answer, err := temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, NextPageToken: page})
			if err != nil {
				yield(workflow.Execution{}, fmt.Errorf("list %s: %w", query, err))
				return
			}
			for _, found := range answer.GetExecutions() {
				if !yield(workflow.Execution{ID: found.GetExecution().GetWorkflowId(), RunID: found.GetExecution().GetRunId()}, nil) {
					return
				}
			}
			if page = answer.GetNextPageToken(); len(page) == 0 {
				return
			}
		}
	}
}
