package e2e

import (
	"bytes"
	"context"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// script runs one of deploy's against a database.
func (s *harness) script(name, database string, in []byte) []byte {
	s.t.Helper()
	command := exec.CommandContext(s.ctx, "../deploy/"+name)
	command.Env, command.Stdin = append(os.Environ(), "DATABASE_URL="+database), bytes.NewReader(in)
	out, err := command.Output()
	require.NoError(s.t, err)
	return out
}

// elsewhere is another machine before the same platforms, with an empty database
// and the same Temporal.
func (s *harness) elsewhere() *harness {
	s.t.Helper()
	address, err := url.Parse(s.environ["DATABASE_URL"])
	require.NoError(s.t, err)
	name := strings.TrimPrefix(address.Path, "/") + "_restored"
	_, err = s.pool.Exec(s.ctx, "CREATE DATABASE "+name)
	require.NoError(s.t, err)
	s.t.Cleanup(func() {
		ctx := context.WithoutCancel(s.ctx)
		admin, err := pgx.Connect(ctx, s.environ["DATABASE_URL"])
		require.NoError(s.t, err)
		_, err = admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(s.t, err)
		require.NoError(s.t, admin.Close(ctx))
	})
	other := *s
	other.environ = maps.Clone(s.environ)
	address.Path = "/" + name
	other.environ["DATABASE_URL"] = address.String()
	return &other
}

// older resets workflows to their first task, as a Temporal that was restored from
// a backup has them.
func (s *harness) older(workflowIDs ...string) {
	s.t.Helper()
	for _, id := range workflowIDs {
		events := s.temporal.GetWorkflowHistory(s.ctx, id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		event, err := events.Next()
		for err == nil && event.GetEventType() != enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			event, err = events.Next()
		}
		require.NoError(s.t, err)
		_, err = s.temporal.ResetWorkflowExecution(s.ctx, &workflowservice.ResetWorkflowExecutionRequest{
			Namespace: s.environ["TEMPORAL_NAMESPACE"], WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id},
			Reason: "as if it were older", RequestId: id, WorkflowTaskFinishEventId: event.GetEventId(),
		})
		require.NoError(s.t, err, id)
	}
}

// The order of docs/backup.md: what was sent after the backup is in nobody's
// memory, and waits for a person behind a paused lane.
func TestARestoredMachineSendsNothingBeforeAPersonHasLooked(t *testing.T) {
	t.Run("Temporal is lost", func(t *testing.T) {
		restoredElsewhere(t, func(s, other *harness, _ db.DeliveryRow) {
			other.environ["TEMPORAL_NAMESPACE"] += "-2"
			require.NoError(t, protocol.PrepareNamespace(s.ctx, s.temporal, other.environ["TEMPORAL_NAMESPACE"]))
		})
	})
	t.Run("Temporal is older", func(t *testing.T) {
		restoredElsewhere(t, func(s, _ *harness, sent db.DeliveryRow) {
			s.older(sent.WorkflowID, protocol.DestinationWorkflowID(chat))
		})
	})
}

// restoredElsewhere restores on a machine whose Temporal has forgotten a delivery
// that was sent after the backup.
func restoredElsewhere(t *testing.T, forget func(s, other *harness, sent db.DeliveryRow)) {
	s := newHarness(t, toChat)
	stop := s.work()
	first := s.ended(s.send(chat, lost(1)))
	backup := s.script("backup.sh", s.environ["DATABASE_URL"], nil)
	second := s.ended(s.send(chat, lost(2)))
	stop()

	other := s.elsewhere()
	forget(s, other, second)
	other.script("restore.sh", other.environ["DATABASE_URL"], backup)
	var err error
	other.parts, err = assemble(s.ctx, other.environ, s.logs, nil)
	require.NoError(t, err)
	t.Cleanup(other.close)
	other.work()
	_, err = other.starter.Reconcile(s.ctx)
	require.NoError(t, err)
	other.publish(lost(3))
	other.scan()
	require.Equal(t, protocol.StatusSent, other.again(first).Status)
	again := other.delivery(chat, second.PostID)
	require.Equal(t, protocol.StatusPending, again.Status, "nobody knows of it any more")
	state, err := other.starter.Destination(s.ctx, chat)
	require.NoError(t, err)
	require.Equal(t, protocol.LanePaused, state.State)
	require.Equal(t, "restore.sh", state.PausedBy)
	require.Len(t, s.sandbox.Messages(chatID), 2)

	// The operator sees in the chat that it is there.
	_, err = other.starter.Resume(s.ctx, again.ID, protocol.Resume{Action: protocol.ResumeMarkSent})
	require.NoError(t, err)
	other.openLane(chat)
	other.until("the newest has arrived", func() bool { return len(s.sandbox.Messages(chatID)) == 3 })
	require.Equal(t, []int64{1, 2, 3}, numbersIn(t, s.sandbox.Messages(chatID)))
	require.Equal(t, protocol.StatusSent, other.ended(again).Status)
}

// A Temporal that was restored from a backup goes on from where it was.
func TestATemporalThatIsOlderThanTheLedgerSendsNothingTwice(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat", After: 1, Times: 1})
	sent := s.ended(s.send(chat, lost(1)))
	parked := s.waits(s.send(chat, lost(2)))
	s.older(sent.WorkflowID, parked.WorkflowID, protocol.DestinationWorkflowID(chat))
	require.NoError(t, s.starter.Nudge(s.ctx, chat))
	require.Equal(t, protocol.StatusParked, s.waits(parked).Status)
	require.Len(t, s.sandbox.Messages(chatID), 1)

	_, err := s.starter.Resume(s.ctx, parked.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	s.until("what waited has arrived", func() bool { return s.again(parked).Status == protocol.StatusSent })
	require.Equal(t, protocol.StatusSent, s.ended(s.send(chat, lost(3))).Status)
	require.Equal(t, []int64{1, 2, 3}, numbersIn(t, s.sandbox.Messages(chatID)), "each once")
}
