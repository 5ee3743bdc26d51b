package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"vestnik/internal/protocol"
)

// actions counts what Temporal Cloud bills of a history: starts, activities,
// timers, signals, updates, markers, attributes, children. Retries, heartbeats
// and queries leave no event and are not among them.
func actions(events []*historypb.HistoryEvent) (count int) {
	for _, event := range events {
		switch event.GetEventType() {
		case enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, enums.EVENT_TYPE_TIMER_STARTED,
			enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED, enums.EVENT_TYPE_MARKER_RECORDED,
			enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, enums.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED,
			enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW, enums.EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED:
			count++
		}
	}
	return count
}

// The figures stand in docs/scale.md.
func TestADeliveryAndAClickTakeFewActionsOfTemporal(t *testing.T) {
	const posts = 10
	s := newHarness(t, toChat)
	s.work()
	s.publish(lostPets(posts)...)
	s.scan()
	total := 0
	events := func(workflowID string) (all []*historypb.HistoryEvent) {
		history := s.temporal.GetWorkflowHistory(s.ctx, workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for history.HasNext() {
			event, err := history.Next()
			require.NoError(t, err)
			all = append(all, event)
		}
		return all
	}
	for _, delivery := range s.deliveries(chat) {
		require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
		total += actions(events(delivery.WorkflowID))
	}
	total += actions(events(protocol.DestinationWorkflowID(chat)))
	perDelivery := float64(total) / posts
	t.Logf("%.1f actions a delivery, its share of the lane's among them", perDelivery)
	require.LessOrEqual(t, perDelivery, 12.0)

	content, err := os.ReadFile("../workflows/testdata/histories/session_together_screens.json")
	require.NoError(t, err)
	var session historypb.History
	require.NoError(t, protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(content, &session))
	clicks := strings.Count(string(content), `"EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED"`)
	perClick := float64(actions(session.GetEvents())) / float64(clicks)
	t.Logf("%.1f actions a click, in a session of %d", perClick, clicks)
	require.LessOrEqual(t, perClick, 3.0)
}
