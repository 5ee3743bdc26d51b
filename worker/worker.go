// Package worker registers workflows and activities on their task queues and
// runs them, as a version of a worker deployment where one is configured. It has a client
// of its platform for each destination and key, and takes up settings that change.
package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/workflows"
)

// stopTime is how long activities may go on when the worker stops. It is
// longer than a platform's call, because one that is cut off leaves a message
// of which nobody can know whether it went out.
const stopTime = 25 * time.Second

// activitiesPerConnection is how many activities of one task queue may run at
// once for each connection to Postgres. They wait for platforms most of the time;
// more would only wait for connections, until their time is over.
const activitiesPerConnection = 8

// deadlockTimeout is how long a workflow task may go without yielding. On a busy
// machine one may wait more than the SDK's second for a processor; taken for a
// deadlock, its workflow would stand still for ten.
const deadlockTimeout = 5 * time.Second

// Registry is what workflows and activities are registered on: a worker, or a
// replayer.
type Registry interface {
	RegisterWorkflowWithOptions(workflow any, options workflow.RegisterOptions)
}

// RegisterWorkflows registers every workflow under its name. All of them move on
// to a new version of the deployment with their next task, so that nothing
// needs old workers.
func RegisterWorkflows(registry Registry) {
	for _, entry := range registered {
		registry.RegisterWorkflowWithOptions(entry.function, workflow.RegisterOptions{
			Name: entry.name, VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade,
		})
	}
}

var registered = []struct {
	name     string
	function any
}{
	{protocol.ScanWallsWorkflow, workflows.ScanWalls},
	{protocol.RecoverWorkflow, workflows.Recover},
	{protocol.RetainWorkflow, workflows.Retain},
	{protocol.DeliverPostWorkflow, workflows.DeliverPost},
	{protocol.DestinationWorkflow, workflows.Destination},
	{protocol.BotSessionWorkflow, workflows.BotSession},
	{protocol.ImportContentWorkflow, workflows.ImportContent},
	{protocol.CheckPhotosWorkflow, workflows.CheckPhotos},
}

// Workers polls the task queues of one process.
type Workers struct {
	workers []worker.Worker
	atStart []func(context.Context)
	fatal   chan error
}

// New makes the workers of a process: one for each task queue.
func New(temporal client.Client, cfg config.Worker) *Workers {
	w := &Workers{fatal: make(chan error, 1)}
	for _, queue := range []string{protocol.TaskQueue, protocol.TelegramTaskQueue, protocol.VKTaskQueue} {
		w.workers = append(w.workers, worker.New(temporal, queue, w.options(cfg)))
	}
	RegisterWorkflows(w.On(protocol.TaskQueue))
	return w
}

func (w *Workers) options(cfg config.Worker) worker.Options {
	options := worker.Options{
		WorkerStopTimeout:                  stopTime,
		MaxConcurrentActivityExecutionSize: cfg.Connections * activitiesPerConnection,
		// Left alone, the SDK sends a beat only every 80 % of its timeout.
		MaxHeartbeatThrottleInterval:     activities.HeartbeatEvery,
		DefaultHeartbeatThrottleInterval: activities.HeartbeatEvery,
		DeadlockDetectionTimeout:         deadlockTimeout,
		// A fixed number of pollers shares itself out between new and sticky
		// workflow tasks by a hint of the server's that may be out of date: all of
		// them may wait for sticky tasks, for a minute, while deliveries that were
		// just granted their turns stay unbegun. Autoscaled ones are never fewer
		// than one for each.
		WorkflowTaskPollerBehavior: autoscaling(),
		ActivityTaskPollerBehavior: autoscaling(),
		OnFatalError: func(err error) {
			select {
			case w.fatal <- err:
			default:
			}
		},
	}
	if cfg.Versioned() {
		options.DeploymentOptions = worker.DeploymentOptions{
			UseVersioning:             true,
			Version:                   worker.WorkerDeploymentVersion{DeploymentName: cfg.DeploymentName, BuildID: cfg.BuildID},
			DefaultVersioningBehavior: workflow.VersioningBehaviorAutoUpgrade,
		}
	}
	return options
}

// autoscaling begins with as many pollers as a fixed number would be.
func autoscaling() worker.PollerBehavior {
	return worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{InitialNumberOfPollers: 2})
}

// On returns the worker of a task queue, for registering activities.
func (w *Workers) On(queue string) worker.Worker {
	switch queue {
	case protocol.TelegramTaskQueue:
		return w.workers[1]
	case protocol.VKTaskQueue:
		return w.workers[2]
	default:
		return w.workers[0]
	}
}

// AtStart adds what Run does beside polling, once. It ends with Run's context.
func (w *Workers) AtStart(do func(context.Context)) { w.atStart = append(w.atStart, do) }

// Run polls until ctx ends, then lets what runs come to its end.
func (w *Workers) Run(ctx context.Context) error {
	var failure error
	started := w.workers[:0:0]
	for _, worker := range w.workers {
		if failure = worker.Start(); failure != nil {
			failure = fmt.Errorf("start worker: %w", explain(failure))
			break
		}
		started = append(started, worker)
	}
	var beside sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer beside.Wait()
	defer cancel()
	if failure == nil {
		for _, do := range w.atStart {
			beside.Go(func() { do(ctx) })
		}
		select {
		case <-ctx.Done():
		case failure = <-w.fatal:
			failure = fmt.Errorf("worker: %w", failure)
		}
	}
	stopped := make(chan struct{})
	for _, worker := range started {
		go func() {
			worker.Stop()
			stopped <- struct{}{}
		}()
	}
	for range started {
		<-stopped
	}
	return failure
}

// explain adds the remedy to the refusal that a fresh cluster gives.
func explain(err error) error {
	if missing, is := errors.AsType[*serviceerror.NamespaceNotFound](err); is {
		return fmt.Errorf("%w: create the namespace %s, or correct TEMPORAL_NAMESPACE", err, missing.Namespace)
	}
	return err
}
