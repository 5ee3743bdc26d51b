package workflows_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"

	"vestnik/internal/telemetry"
	"vestnik/worker"
)

// The histories of the relay come from `go test ./e2e -refresh-histories`, those
// of imports and photos from this package's tests with the same flag, one for
// each path that matters; they are never edited. DeliverPost_0 are deliveries
// of builds whose lanes kept the queue. A history goes when no run of its shape
// can be open any more: lanes have none, because one that does not fit is begun
// anew (starter.NudgeOwing).
func TestRunsOfEarlierBuildsGoOnWithThisOne(t *testing.T) {
	t.Parallel()
	for _, workflow := range []string{"CheckPhotos", "DeliverPost", "DeliverPost_0", "Destination", "ImportContent", "ScanWalls"} {
		files, err := filepath.Glob(filepath.Join("testdata", "histories", workflow, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			t.Run(workflow+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				replayer, err := sdkworker.NewWorkflowReplayerWithOptions(sdkworker.WorkflowReplayerOptions{ContextPropagators: telemetry.ContextPropagators()})
				require.NoError(t, err)
				worker.RegisterWorkflows(replayer)
				require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, file))
			})
		}
	}
}

func TestAReplayNoticesAHistoryThatDoesNotFit(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "histories", "DeliverPost_0", "sent_to_telegram.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	changed := filepath.Join(t.TempDir(), "changed.json")
	require.NoError(t, os.WriteFile(changed, replaceOnce(t, text, `"SendToTelegram"`, `"SendToVK"`), 0o600))
	replayer := sdkworker.NewWorkflowReplayer()
	worker.RegisterWorkflows(replayer)
	require.ErrorContains(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, changed), "TMPRL1100")
}

func replaceOnce(t *testing.T, text []byte, from, to string) []byte {
	t.Helper()
	require.Contains(t, string(text), from)
	return []byte(strings.Replace(string(text), from, to, 1))
}
