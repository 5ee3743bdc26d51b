package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

// Recover sets going again what stands still, wherever it was lost: deliveries
// that were never started, lanes that don't run, rows whose workflow is gone,
// imports. Its schedule runs it every minute; each part is bounded and by
// itself, so that trouble with one holds up no other.
func Recover(ctx workflow.Context) (protocol.RecoverResult, error) {
	var recovery *activities.Recovery
	var result protocol.RecoverResult
	for _, part := range []struct {
		name  string
		do    any
		count *int
	}{
		{"release cases that nobody tells", recovery.ReleaseStranded, &result.Released},
		{"start what is owed", recovery.StartOwed, &result.Started},
		{"nudge the lanes", recovery.NudgeLanes, &result.Owing},
		{"tell deliveries of their end", recovery.TellRuns, &result.Told},
		{"return deliveries to the people they wait for", recovery.ReturnToPeople, &result.WithPeople},
		{"start imports", recovery.StartImports, &result.Imports},
	} {
		if err := execute(ctx, activities.RecoveryOptions(part.name), part.do, part.count); err != nil {
			workflow.GetLogger(ctx).Warn("recovery: a part failed, the next round tries again", "part", part.name, "error", err)
			result.Failed++
		}
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d started, %s something, %s released, %s failed", result.Started,
		words.Count(result.Owing, "destination owes", "destinations owe"), words.Count(result.Released, "case", "cases"), words.Count(result.Failed, "part", "parts")))
	return result, nil
}
