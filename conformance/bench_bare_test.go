package conformance

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// bareSessions are the least that Temporal does for a click: a workflow for
// each chat, and for each signal an activity that does nothing. What the guide
// takes longer is the guide's; the rest is Temporal and the machine.
type bareSessions struct {
	temporal client.Client
	began    sync.Map // number of the click → time.Time
	delays   durations
	arrived  sync.WaitGroup
	clicks   int
}

const bareQueue = "bare"

func newBareSessions(b *testing.B, r *harness) *bareSessions {
	s := &bareSessions{temporal: r.temporal}
	w := worker.New(r.client(), bareQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(s.talk, workflow.RegisterOptions{Name: "bare"})
	w.RegisterActivityWithOptions(s.arrive, activity.RegisterOptions{Name: "arrive"})
	require.NoError(b, w.Start())
	b.Cleanup(w.Stop)
	return s
}

func (s *bareSessions) talk(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	clicks := workflow.GetSignalChannel(ctx, "click")
	for {
		var click int
		clicks.Receive(ctx, &click)
		if err := workflow.ExecuteActivity(ctx, "arrive", click).Get(ctx, nil); err != nil {
			return err
		}
	}
}

func (s *bareSessions) arrive(_ context.Context, click int) error {
	if began, first := s.began.LoadAndDelete(click); first {
		s.delays.add(time.Since(began.(time.Time)))
		s.arrived.Done()
	}
	return nil
}

// click clicks at a steady rate in as many chats as the guide has people, and
// waits until all have arrived.
func (s *bareSessions) click(b *testing.B, rate, chats int, length time.Duration) {
	every(rate, length, func(i int) {
		number := s.clicks + i
		s.arrived.Add(1)
		s.began.Store(number, time.Now())
		_, err := s.temporal.SignalWithStartWorkflow(context.Background(), fmt.Sprintf("bare/%d", i%chats), "click", number,
			client.StartWorkflowOptions{TaskQueue: bareQueue}, "bare")
		require.NoError(b, err)
	})
	s.arrived.Wait()
	s.clicks += rate * int(length.Seconds())
}
