package workflows

import "go.temporal.io/sdk/workflow"

// execute runs an activity to its end and decodes what it returns into result,
// which may be nil.
func execute(ctx workflow.Context, options workflow.ActivityOptions, activity, result any, arguments ...any) error {
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, options), activity, arguments...).Get(ctx, result)
}
