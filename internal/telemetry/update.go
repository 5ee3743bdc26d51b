package telemetry

import "go.temporal.io/sdk/workflow"

// WithWorkflowTraceID gives ctx a trace id other than the one with which the
// workflow was started: a workflow that serves many requests, one after the
// other, logs each under its own and hands it to the activities it calls for
// it. One that is not well-formed is left out, since a replacement would not
// be deterministic.
func WithWorkflowTraceID(ctx workflow.Context, id string) workflow.Context {
	if !traceID.MatchString(id) {
		return ctx
	}
	return workflow.WithValue(ctx, traceKey{}, id)
}
