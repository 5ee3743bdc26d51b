package starter

import (
	"context"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/telemetry"
)

const (
	// pollTime is longer than a worker waits for one answer to its question for
	// work: after it, one that has not asked again is gone.
	pollTime = 90 * time.Second
	// askTemporal bounds the question who works.
	askTemporal = 3 * time.Second
)

// look is how things stand by the ledger.
type look struct {
	waiting []protocol.WithPeople
	lanes   []protocol.LaneState
	plan    protocol.ReadPlan
	refused []db.RefusedSettings
	imports []protocol.Problem
}

func (s *Starter) look(ctx context.Context) (now look, err error) {
	if now.waiting, err = s.Ledger.CountWithPeople(ctx); err != nil {
		return look{}, err
	}
	if now.lanes, err = s.Destinations(ctx); err != nil {
		return look{}, err
	}
	if now.refused, err = s.Ledger.RefusedSettings(ctx); err != nil {
		return look{}, err
	}
	if now.imports, err = s.Guide.ImportsWithPeople(ctx); err != nil {
		return look{}, err
	}
	now.plan, err = s.Plan(ctx)
	return now, err
}

// Problems returns what needs a person now. It needs the database; that no
// worker or no Temporal is there is among the problems.
func (s *Starter) Problems(ctx context.Context) ([]protocol.Problem, error) {
	now, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	return s.problems(ctx, now), nil
}

func (s *Starter) problems(ctx context.Context, now look) []protocol.Problem {
	problems := append(protocol.Problems(now.waiting, now.lanes, now.plan, s.Config.Scan.Interval, time.Now()), now.imports...)
	for _, refused := range now.refused {
		problems = append([]protocol.Problem{{Kind: protocol.ProblemSettings, Subject: refused.Variable, Reason: refused.Reason, Count: 1, Since: &refused.Since}}, problems...)
	}
	if reason := s.whyNobodyWorks(ctx); reason != "" {
		problems = append([]protocol.Problem{{Kind: protocol.ProblemNoWorker, Reason: reason, Count: 1}}, problems...)
	}
	return problems
}

// whyNobodyWorks is empty if a worker that gets work has asked for it just now.
func (s *Starter) whyNobodyWorks(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, askTemporal)
	defer cancel()
	queue, err := s.Temporal.DescribeTaskQueue(ctx, protocol.TaskQueue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return protocol.ReasonTemporalAway
	}
	return whyUnworked(queue, time.Now())
}

// whyUnworked is empty if a worker of the version that gets a queue's work has
// asked for it just now.
func whyUnworked(queue *workflowservice.DescribeTaskQueueResponse, now time.Time) string {
	current := queue.GetVersioningInfo().GetCurrentDeploymentVersion().GetBuildId() // empty: workers without a version
	others := false
	for _, poller := range queue.GetPollers() {
		if now.Sub(poller.GetLastAccessTime().AsTime()) >= pollTime {
			continue
		}
		version := ""
		if options := poller.GetDeploymentOptions(); options.GetWorkerVersioningMode() == enumspb.WORKER_VERSIONING_MODE_VERSIONED {
			version = options.GetBuildId()
		}
		if version == current {
			return ""
		}
		others = true
	}
	switch {
	case !others:
		return protocol.ReasonNoWorkers
	case current == "":
		return protocol.ReasonNoVersion
	}
	return protocol.ReasonVersionUnworked
}

// Standing is how the relay and the guide stand, for the metrics of every
// process.
func (s *Starter) Standing(ctx context.Context) (telemetry.Standing, error) {
	now, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	zero := func(labels ...string) map[string]float64 {
		values := map[string]float64{}
		for _, label := range labels {
			values[label] = 0
		}
		return values
	}
	waiting, oldest := zero("queued", protocol.StatusParked, protocol.StatusUnknown), zero("")
	destinations := zero(protocol.LaneOpen, protocol.LaneCooling, protocol.LanePaused)
	for _, lane := range now.lanes {
		destinations[lane.State]++
		waiting["queued"] += float64(lane.Queued)
		if lane.OldestQueued != nil {
			oldest[""] = max(oldest[""], time.Since(*lane.OldestQueued).Seconds())
		}
	}
	for _, with := range now.waiting {
		waiting[with.Status] += float64(with.Deliveries)
	}
	walls := zero(protocol.WallOpen, protocol.WallFailing, protocol.WallParked)
	for _, wall := range now.plan.Walls {
		walls[wall.State]++
	}
	problems := zero(protocol.ProblemKinds...)
	for _, problem := range s.problems(ctx, now) {
		problems[problem.Kind]++
	}
	standing := telemetry.Standing{
		telemetry.Waiting: waiting, telemetry.Oldest: oldest, telemetry.Destinations: destinations, telemetry.Walls: walls, telemetry.Problems: problems,
		telemetry.ReadCalls: {"": float64(now.plan.Used)}, telemetry.ReadBudget: {"": float64(now.plan.Budget)},
	}
	sessions, err := s.Temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: runningSessions})
	if err == nil { // else Temporal is away, which is among the problems
		standing[telemetry.Sessions] = map[string]float64{"": float64(sessions.GetCount())}
	}
	return standing, nil
}

// runningSessions counts the chats with the guide.
const runningSessions = `WorkflowType="BotSession" AND ExecutionStatus="Running"`
