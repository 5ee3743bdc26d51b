package e2e

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/worker"
)

const deployment = "vestnik-e2e"

// versioned makes workers a version of the deployment.
func versioned(buildID string) map[string]string {
	return map[string]string{"TEMPORAL_DEPLOYMENT_NAME": deployment, "TEMPORAL_WORKER_BUILD_ID": buildID}
}

// deploys steers the deployment as `vestnik deploy` does.
func (s *harness) deploys() *worker.Deployment {
	s.t.Helper()
	replayer, err := worker.NewReplayer(s.cfg.Temporal.ClientOptions())
	require.NoError(s.t, err)
	return &worker.Deployment{Temporal: s.temporal, Name: deployment, Replayer: replayer}
}

// makeCurrent routes all work to a version, once its workers have come.
func (s *harness) makeCurrent(buildID string) {
	s.t.Helper()
	s.until("version "+buildID+" to be current", func() bool { return s.deploys().Promote(s.ctx, buildID) == nil })
}

// standing is how each version stands, by its build id.
func (s *harness) standing() map[string]string {
	s.t.Helper()
	versions, err := s.deploys().Versions(s.ctx)
	require.NoError(s.t, err)
	states := map[string]string{}
	for _, version := range versions {
		states[version.BuildID] = version.State
	}
	return states
}

// as is another machine with workers of another version.
func (s *harness) as(buildID string) *harness {
	s.t.Helper()
	other := *s
	other.environ = maps.Clone(s.environ)
	maps.Copy(other.environ, versioned(buildID))
	return setHarnessBeside(s.t, &other)
}

func TestARolloutTakesUpWhatTheVersionBeforeItHasLeftWaiting(t *testing.T) {
	s := newHarness(t, toChat, versioned("1"))
	stop := s.work()
	s.makeCurrent("1")
	s.fault(refused)
	parked := s.waits(s.send(chat, lost(1)))
	queued := s.send(chat, lost(2)) // the refusal has paused the lane

	s.as("2").work()
	s.makeCurrent("2")
	stop() // nobody keeps old workers for what may wait for weeks

	_, err := s.starter.Resume(s.ctx, parked.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, s.ended(parked).Status)
	require.Equal(t, protocol.StatusSent, s.ended(queued).Status)
	require.Equal(t, protocol.StatusSent, s.ended(s.send(chat, lost(3))).Status)
	require.Len(t, s.sandbox.Messages(chatID), 3)
}

// What is in a call, parked and queued when versions change comes through a
// ramp, a promotion and a way back, once each, and nothing needs the workers
// that were left.
func TestARampAPromotionAndARollbackLoseAndDoubleNothing(t *testing.T) {
	s := newHarness(t, toChat, toWall, versioned("1"))
	stopFirst := s.work()
	s.makeCurrent("1")
	s.fault(refused)
	parked := s.waits(s.send(chat, lost(1))) // waits for a person, and the lane with it
	queued := s.send(chat, lost(2))
	calling := func(number int) { // a call to the wall is under way
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Times: 1, DelayMS: 3000})
		s.publish(lost(number))
		s.scan()
		s.arrived(toVK, number)
	}
	calling(3)

	newer := s.as("2")
	stopSecond := newer.work()
	s.until("a ramp to version 2", func() bool { return s.deploys().Ramp(s.ctx, "2", 50) == nil })
	require.Equal(t, map[string]string{"1": worker.Current, "2": worker.Ramping}, s.standing())
	require.ErrorContains(t, s.deploys().Drain(s.ctx, "1"), "promote another")
	s.until("the ramp is taken back", func() bool { return s.deploys().Ramp(s.ctx, "2", 0) == nil })
	require.NotEqual(t, worker.Ramping, s.standing()["2"])
	s.makeCurrent("2")
	require.Equal(t, worker.Current, s.standing()["2"])
	require.NoError(t, s.deploys().Drain(s.ctx, "1"))
	require.Equal(t, worker.Drained, s.standing()["1"])
	stopFirst()

	calling(4)
	stopAgain := s.as("1").work() // the build before, back again
	s.makeCurrent("1")
	require.NoError(t, s.deploys().Drain(s.ctx, "2"))
	stopSecond()

	_, err := s.starter.Resume(s.ctx, parked.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, s.ended(parked).Status)
	require.Equal(t, protocol.StatusSent, s.ended(queued).Status)
	s.publish(lost(5))
	s.scan()
	for _, destination := range []string{chat, wall} {
		for _, row := range s.deliveries(destination) {
			require.Equal(t, protocol.StatusSent, s.ended(row).Status, row.WorkflowID)
		}
	}
	require.Len(t, s.sandbox.Messages(chatID), 5)
	require.Len(t, s.calls(toVK, 5), 5, "each once")
	stopAgain()
}

// Workers that run are not workers that get the work.
func TestAVersionThatIsNotPromotedNeedsAPerson(t *testing.T) {
	s := newHarness(t, toChat, versioned("1"))
	s.work()
	nobodyWorks := func() string {
		problems, err := s.starter.Problems(s.ctx)
		require.NoError(t, err)
		for _, problem := range problems {
			if problem.Kind == protocol.ProblemNoWorker {
				return problem.Reason
			}
		}
		return ""
	}
	s.until("a promotion is asked for", func() bool { return nobodyWorks() == protocol.ReasonNoVersion })
	s.makeCurrent("1")
	s.until("the work goes to version 1", func() bool { return nobodyWorks() == "" })
}

func TestABuildThatDoesNotFitWhatRunsIsNotPromoted(t *testing.T) {
	s := newHarness(t, toChat, versioned("1"))
	s.work()
	s.makeCurrent("1")
	s.fault(refused)
	parked := s.waits(s.send(chat, lost(1)))
	s.until("the delivery is listed", func() bool { return s.running("1")[protocol.DeliverPostWorkflow] == 1 })
	s.as("2").work()
	s.until("version 2 has come", func() bool { return s.standing()["2"] == worker.Inactive })

	other := s.deploys()
	other.Replayer = &worker.Replayer{WorkflowReplayer: sdkworker.NewWorkflowReplayer()} // it has no workflows
	var unfit *worker.Unfit
	require.ErrorAs(t, other.Promote(s.ctx, "2"), &unfit)
	require.ErrorContains(t, unfit, parked.WorkflowID)
	require.ErrorAs(t, other.Ramp(s.ctx, "2", 1), &unfit)
	require.Equal(t, map[string]string{"1": worker.Current, "2": worker.Inactive}, s.standing())
	require.NoError(t, other.Ramp(s.ctx, "2", 0), "the way back asks nothing")
}

// running counts by type what runs on a version.
func (s *harness) running(buildID string) map[string]int64 {
	s.t.Helper()
	versions, err := s.deploys().Versions(s.ctx)
	require.NoError(s.t, err)
	for _, version := range versions {
		if version.BuildID == buildID {
			return version.Running
		}
	}
	return nil
}
