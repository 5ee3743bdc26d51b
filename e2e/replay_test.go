package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"golang.org/x/sync/errgroup"

	"vestnik/internal/protocol"
	"vestnik/worker"
)

func TestReplayTakesUpAllThatIsListedOfEveryType(t *testing.T) {
	const waiting = 120 // more than a page, and nobody works on them
	s := newHarness(t, toChat)
	stop := s.work()
	s.ended(s.send(chat, lost(1)))
	stop()
	group, ctx := errgroup.WithContext(s.ctx)
	group.SetLimit(16)
	types := []string{
		protocol.ScanWallsWorkflow, protocol.DeliverPostWorkflow, protocol.RecoverWorkflow, protocol.DestinationWorkflow,
		protocol.BotSessionWorkflow, protocol.ImportContentWorkflow, protocol.CheckPhotosWorkflow,
	}
	for i := range waiting {
		group.Go(func() error {
			kind := types[i%len(types)]
			_, err := s.temporal.ExecuteWorkflow(ctx, startOf(fmt.Sprintf("waiting/%s/%d", kind, i)), kind)
			return err
		})
	}
	require.NoError(t, group.Wait())
	s.until("all are listed", func() bool {
		count, err := s.temporal.CountWorkflow(s.ctx, &workflowservice.CountWorkflowExecutionsRequest{})
		require.NoError(t, err)
		return count.GetCount() >= waiting+3
	})
	replayer, err := worker.NewReplayer(s.cfg.Temporal.ClientOptions())
	require.NoError(t, err)
	met := map[string]bool{}
	for execution, err := range worker.Listed(s.ctx, s.temporal, "") {
		require.NoError(t, err)
		require.NoError(t, replayer.Replay(s.ctx, s.temporal, execution), execution.ID)
		met[execution.ID] = true
	}
	require.GreaterOrEqual(t, len(met), waiting+3)
	for _, kind := range types {
		require.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(met)), func(id string) bool { return strings.Contains(id, kind) }), kind)
	}
}
