package workflows

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/protocol"
	"vestnik/internal/telemetry"
)

// The histories come from `go test ./conformance -run Histories
// -refresh-histories`. One is taken out only when no session of its shape can
// be running any more, which is half an hour after a deploy.
func TestSessionsOfEarlierBuildsGoOnWithThisOne(t *testing.T) {
	t.Parallel()
	histories, err := filepath.Glob(filepath.Join("testdata", "histories", "session_*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, histories)
	for _, history := range histories {
		t.Run(filepath.Base(history), func(t *testing.T) {
			t.Parallel()
			replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{ContextPropagators: telemetry.ContextPropagators()})
			require.NoError(t, err)
			replayer.RegisterWorkflowWithOptions(BotSession, workflow.RegisterOptions{Name: protocol.BotSessionWorkflow})
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(quiet{}, history))
		})
	}
}
