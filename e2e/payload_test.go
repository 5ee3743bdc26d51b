package e2e

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/worker"
)

// payloadKey is a key of PAYLOAD_KEYS.
func payloadKey(id, letter string) string {
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

// stored is a history as Temporal keeps it.
func (s *harness) stored(workflowID string) string {
	s.t.Helper()
	var all strings.Builder
	events := s.temporal.GetWorkflowHistory(s.ctx, workflowID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(s.t, err)
		text, err := proto.Marshal(event)
		require.NoError(s.t, err)
		all.Write(text)
	}
	return all.String()
}

func TestWithKeysNothingStandsInHistoriesInTheClear(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"PAYLOAD_KEYS": payloadKey("2026-11", "a") + "," + payloadKey("2026-05", "b")})
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat", Times: 1})
	d := s.waits(s.send(chat, sandbox.Post{Text: rexIsLost}))
	_, err := s.starter.Resume(s.ctx, d.ID, protocol.Resume{Action: protocol.ResumeRetry, Note: "заметка"})
	require.NoError(t, err)
	d = s.ended(d)
	require.Equal(t, protocol.StatusSent, d.Status, "%+v", d)
	lane := protocol.DestinationWorkflowID(chat)
	state, err := s.starter.Destination(s.ctx, chat)
	require.NoError(t, err)
	require.Equal(t, protocol.LaneOpen, state.State, "queries are read, too")

	for _, id := range []string{d.WorkflowID, lane} {
		stored := s.stored(id)
		require.Contains(t, stored, "binary/encrypted")
		require.Contains(t, stored, "2026-11")
		for _, clear := range []string{"owner_id", "Лесная", "заметка", "kicked from"} {
			require.NotContains(t, stored, clear, id)
		}
	}

	// What was written under the keys is replayed with them, also when another encrypts now.
	s.environ["PAYLOAD_KEYS"] = payloadKey("2027-01", "c") + "," + payloadKey("2026-11", "a")
	rotated, err := assemble(s.ctx, s.environ, s.logs, func(options client.Options) client.Client { return s.temporal })
	require.NoError(t, err)
	replayer, err := worker.NewReplayer(rotated.cfg.Temporal.ClientOptions())
	require.NoError(t, err)
	require.NoError(t, replayer.Replay(s.ctx, s.temporal, workflow.Execution{ID: d.WorkflowID}))
	require.NoError(t, replayer.Replay(s.ctx, s.temporal, workflow.Execution{ID: lane}))
	plain, err := worker.NewReplayer(client.Options{})
	require.NoError(t, err)
	require.Error(t, plain.Replay(s.ctx, s.temporal, workflow.Execution{ID: d.WorkflowID}))
}

func TestKeysAreTurnedOnWhileDeliveriesWait(t *testing.T) {
	s := newHarness(t, toChat)
	stop := s.work()
	s.pauseLane(chat, "a test", "")
	waiting := s.send(chat, sandbox.Post{Text: rexIsLost})
	stop()

	s.environ["PAYLOAD_KEYS"] = payloadKey("2026-11", "a")
	keyed, err := assemble(s.ctx, s.environ, s.logs, nil)
	require.NoError(t, err)
	t.Cleanup(keyed.close)
	s.parts = keyed
	s.work()
	s.openLane(chat)
	require.Equal(t, protocol.StatusSent, s.ended(waiting).Status)
}
