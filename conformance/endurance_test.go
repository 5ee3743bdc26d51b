package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/devstack"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// A chat that is so busy that its session has to continue as new, in the
// middle of it all, loses no update and handles none twice.
func TestALongConversationContinuesAndLosesNothing(t *testing.T) {
	t.Parallel()
	// Some ten events a tap.
	r := newHarness(t, setup{temporal: []devstack.Setting{{Key: "limit.historyCount.suggestContinueAsNew", Value: "400"}}})
	p := r.person(t)
	p.say("/start")
	const taps = 120
	data := []string{"open:menu:help", "back:menu:main", "open:menu:promos"}
	var updates []sandbox.Update
	for i := range taps {
		updates = append(updates, p.tap(data[i%len(data)]))
		p.deliver(updates[i])
	}
	for _, update := range updates {
		require.Equal(t, "ok", p.await(update).line.text("result"))
	}
	require.Len(t, r.sandbox.Calls(sandbox.CallFilter{Method: "sendMessage"}), taps+1)
	for _, query := range r.sandbox.Queries(p.id) {
		require.True(t, query.Answered, "query %s", query.ID)
	}
	id := protocol.SessionWorkflowID(7000000777, p.id)
	described, err := r.temporal.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	require.NotEqual(t, described.WorkflowExecutionInfo.FirstRunId, described.WorkflowExecutionInfo.Execution.RunId, "it has continued as new")

	value, err := r.temporal.QueryWorkflow(t.Context(), id, "", protocol.SessionQuery)
	require.NoError(t, err)
	var state protocol.SessionState
	require.NoError(t, value.Get(&state))
	require.EqualValues(t, taps+1, state.Handled)
}
