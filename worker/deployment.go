package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"vestnik/internal/protocol"
)

// How a version of the deployment stands.
const (
	Current  = "current"  // takes every task
	Ramping  = "ramping"  // takes the tasks of some workflows, by their ids
	Draining = "draining" // takes no new work; the server still looks for what may need its workers
	Drained  = "drained"  // its workers may be stopped
	Inactive = "inactive" // its workers have come, and no task has gone to them
)

// drainLook is how often [Deployment.Drain] asks the server.
const drainLook = 500 * time.Millisecond

// A deployment is a workflow of the server's own that begins anew with each
// change (1.29). Who asks it meanwhile hears that there is none, or nothing
// until the client's 10 s are over: so often it is asked before that is believed.
const (
	describeLooks = 5
	describeAgain = 200 * time.Millisecond
)

// replaysAtOnce is how many histories are read and replayed beside each other.
const replaysAtOnce = 8

// Version is a version of the deployment as Temporal has it.
type Version struct {
	BuildID string  `json:"build_id"`
	State   string  `json:"state"`
	Percent float32 `json:"percent,omitempty"` // of the tasks, while it is ramping
	// Running counts, by workflow type, the executions whose last task was
	// done by this version. Those are not bound to it: their next task goes to
	// the current one. Visibility may be some seconds behind.
	Running map[string]int64 `json:"running"`
	Created time.Time        `json:"created_at"`
}

// Deployment steers which version of the workers gets the work.
type Deployment struct {
	Temporal client.Client
	Name     string
	Replayer *Replayer
}

// Versions are all that the server knows, the newest first.
func (d *Deployment) Versions(ctx context.Context) ([]Version, error) {
	described, err := d.describe(ctx)
	if err != nil {
		return nil, err
	}
	var versions []Version
	for _, summary := range described.Info.VersionSummaries {
		version := Version{BuildID: summary.Version.BuildID, Created: summary.CreateTime}
		version.State, version.Percent = state(described.Info.RoutingConfig, summary)
		if version.Running, err = d.running(ctx, version.BuildID); err != nil {
			return nil, err
		}
		versions = append(versions, version)
	}
	slices.SortFunc(versions, func(a, b Version) int { return b.Created.Compare(a.Created) })
	return versions, nil
}

// running counts what runs on a version by type. A namespace answers ten counts
// a second, so that the types are asked for only where something runs.
func (d *Deployment) running(ctx context.Context, buildID string) (map[string]int64, error) {
	query := fmt.Sprintf("ExecutionStatus='Running' AND TemporalWorkerDeploymentVersion='%s:%s'", d.Name, buildID)
	byType := map[string]int64{}
	all, err := d.Temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
	if err != nil || all.GetCount() == 0 {
		return byType, err
	}
	for _, entry := range registered {
		counted, err := d.Temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Query: fmt.Sprintf("%s AND WorkflowType='%s'", query, entry.name),
		})
		if err != nil {
			return nil, err
		}
		if counted.GetCount() > 0 {
			byType[entry.name] = counted.GetCount()
		}
	}
	return byType, nil
}

// Ramp sends the tasks of percent of the workflows, by their ids, to a version,
// new and running ones. What runs must fit this build; 0 takes the version out
// again and asks nothing.
func (d *Deployment) Ramp(ctx context.Context, buildID string, percent float32) error {
	if percent == 0 {
		buildID = "" // a ramp to nothing at 0 % is none
	} else if err := d.fits(ctx); err != nil {
		return err
	}
	described, err := d.describe(ctx)
	if err != nil {
		return err
	}
	_, err = d.handle().SetRampingVersion(ctx, client.WorkerDeploymentSetRampingVersionOptions{
		BuildID: buildID, Percentage: percent, ConflictToken: described.ConflictToken,
	})
	return err
}

// Promote sends every task to a version from now on, if what runs fits this
// build. The server refuses a version whose workers do not poll every task
// queue that has work.
func (d *Deployment) Promote(ctx context.Context, buildID string) error {
	if err := d.fits(ctx); err != nil {
		return err
	}
	described, err := d.describe(ctx)
	if err != nil {
		return err
	}
	_, err = d.handle().SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{
		BuildID: buildID, ConflictToken: described.ConflictToken,
	})
	return err
}

// Drain returns once nothing needs a version's workers. The server looks some
// minutes after the version has lost its traffic, and every few minutes then.
func (d *Deployment) Drain(ctx context.Context, buildID string) error {
	for {
		described, err := d.describe(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(described.Info.VersionSummaries, func(summary client.WorkerDeploymentVersionSummary) bool {
			return summary.Version.BuildID == buildID
		})
		if at < 0 {
			return fmt.Errorf("deployment %s has no version %s", d.Name, buildID)
		}
		switch state, _ := state(described.Info.RoutingConfig, described.Info.VersionSummaries[at]); state {
		case Drained, Inactive:
			return nil
		case Current, Ramping:
			return fmt.Errorf("version %s is %s: promote another one first", buildID, state)
		}
		if !wait(ctx, drainLook) {
			return fmt.Errorf("version %s still drains: %w", buildID, ctx.Err())
		}
	}
}

// Unfit says which running workflows this build cannot go on with.
type Unfit struct{ Failures []error }

func (u *Unfit) Error() string {
	return fmt.Sprintf("%d running workflows do not replay on this build: %v", len(u.Failures), errors.Join(u.Failures...))
}

// fits replays all that runs against this build, also what is of a type that
// it does not know. What began in the last seconds may not be listed yet.
func (d *Deployment) fits(ctx context.Context) error {
	var replays errgroup.Group
	replays.SetLimit(replaysAtOnce)
	var mu sync.Mutex
	var unfit Unfit
	for execution, err := range Listed(ctx, d.Temporal, fmt.Sprintf("ExecutionStatus='Running' AND TaskQueue='%s'", protocol.TaskQueue)) {
		if err != nil {
			return errors.Join(err, replays.Wait())
		}
		replays.Go(func() error {
			err := d.Replayer.Replay(ctx, d.Temporal, execution)
			if ctx.Err() != nil {
				return fmt.Errorf("%s was not replayed: %w", execution.ID, ctx.Err())
			}
			var gone *serviceerror.NotFound // it has ended and its history has been deleted
			if err != nil && !errors.As(err, &gone) {
				mu.Lock()
				defer mu.Unlock()
				unfit.Failures = append(unfit.Failures, fmt.Errorf("%s: %w", execution.ID, err))
			}
			return nil
		})
	}
	if err := replays.Wait(); err != nil {
		return err
	}
	if len(unfit.Failures) > 0 {
		return &unfit
	}
	return nil
}

func (d *Deployment) describe(ctx context.Context) (client.WorkerDeploymentDescribeResponse, error) {
	return DescribeDeployment(ctx, d.Temporal, d.Name)
}

// DescribeDeployment is how the deployment of that name stands; the error says
// so if none of its workers has come.
func DescribeDeployment(ctx context.Context, temporal client.Client, name string) (described client.WorkerDeploymentDescribeResponse, err error) {
	for look := 1; ; look++ {
		described, err = temporal.WorkerDeploymentClient().GetHandle(name).Describe(ctx, client.WorkerDeploymentDescribeOptions{})
		code := serviceerror.ToStatus(err).Code()
		if missed := code == codes.NotFound || code == codes.DeadlineExceeded; missed && look < describeLooks && wait(ctx, describeAgain) {
			continue
		}
		if code == codes.NotFound {
			err = fmt.Errorf("no worker of deployment %s has come yet: %w", name, err)
		}
		return described, err
	}
}

// wait reports whether ctx lasted for so long.
func wait(ctx context.Context, duration time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(duration):
		return true
	}
}

func (d *Deployment) handle() client.WorkerDeploymentHandle {
	return d.Temporal.WorkerDeploymentClient().GetHandle(d.Name)
}

func state(routing client.WorkerDeploymentRoutingConfig, summary client.WorkerDeploymentVersionSummary) (string, float32) {
	is := func(version *worker.WorkerDeploymentVersion) bool {
		return version != nil && *version == summary.Version
	}
	switch {
	case is(routing.CurrentVersion):
		return Current, 0
	case is(routing.RampingVersion):
		return Ramping, routing.RampingVersionPercentage
	case summary.DrainageStatus == client.WorkerDeploymentVersionDrainageStatusDraining:
		return Draining, 0
	case summary.DrainageStatus == client.WorkerDeploymentVersionDrainageStatusDrained:
		return Drained, 0
	default:
		return Inactive, 0
	}
}
