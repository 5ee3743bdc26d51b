package workflows_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

var refresh = flag.Bool("refresh-histories", false, "write the histories of imports and photos that replay_test.go replays")

// keepHistory writes, with -refresh-histories, what a workflow that has ended
// went through.
func (i *importing) keepHistory(t *testing.T, name, workflowID string) {
	t.Helper()
	if !*refresh {
		return
	}
	_ = i.temporal.GetWorkflow(t.Context(), workflowID, "").Get(t.Context(), nil) // some are to fail
	iterator := i.temporal.GetWorkflowHistory(t.Context(), workflowID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	history := &historypb.History{}
	for iterator.HasNext() {
		event, err := iterator.Next()
		require.NoError(t, err)
		history.Events = append(history.Events, event)
	}
	text, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(history)
	require.NoError(t, err)
	path := filepath.Join("testdata", "histories", name+".json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o644))
}
