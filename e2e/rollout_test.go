package e2e

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"vestnik/internal/protocol"
)

const deployment = "vestnik-e2e"

// versioned makes workers a version of the deployment.
func versioned(buildID string) map[string]string {
	return map[string]string{"TEMPORAL_DEPLOYMENT_NAME": deployment, "TEMPORAL_WORKER_BUILD_ID": buildID}
}

// makeCurrent routes new work to a version, once its workers have come.
func (s *stage) makeCurrent(buildID string) {
	s.t.Helper()
	handle := s.temporal.WorkerDeploymentClient().GetHandle(deployment)
	var err error
	s.until("version "+buildID+" to be current", func() bool {
		_, err = handle.SetCurrentVersion(s.ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: buildID})
		return err == nil
	})
}

func TestARolloutTakesUpWhatTheVersionBeforeItHasLeftWaiting(t *testing.T) {
	s := newStage(t, toChat, versioned("1"))
	stop := s.work()
	s.makeCurrent("1")
	s.fault(refused)
	parked := s.waits(s.send(chat, lost(1)))
	queued := s.send(chat, lost(2)) // the refusal has paused the lane

	next := *s
	next.environ = maps.Clone(s.environ)
	maps.Copy(next.environ, versioned("2"))
	newer := setStageBeside(t, &next)
	newer.work()
	s.makeCurrent("2")
	stop() // nobody keeps old workers for what may wait for weeks

	_, err := s.starter.Resume(s.ctx, parked.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, s.ended(parked).Status)
	require.Equal(t, protocol.StatusSent, s.ended(queued).Status)
	require.Equal(t, protocol.StatusSent, s.ended(s.send(chat, lost(3))).Status)
	require.Len(t, s.sandbox.Messages(chatID), 3)
}
