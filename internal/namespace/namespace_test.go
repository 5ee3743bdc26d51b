package namespace_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
)

// A cluster's caches know a new namespace's search attributes some seconds
// late: `make cluster ARGS='go test ./internal/namespace'`.
func TestANamespaceMadeAMomentAgoTakesWorkflowsWithItsSearchAttributes(t *testing.T) {
	t.Parallel()
	options := client.StartWorkflowOptions{ID: "first", TaskQueue: "nobody", TypedSearchAttributes: temporal.NewSearchAttributes(
		protocol.DeliveryState.ValueSet("open"), protocol.Destination.ValueSet("telegram:-1"),
		protocol.PostType.ValueSet("lost"), protocol.ParkReason.ValueSet("captcha"))}
	_, err := testenv.Temporal(t).ExecuteWorkflow(t.Context(), options, "Nothing")
	require.NoError(t, err)
}
