package worker_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"

	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
	"vestnik/worker"
)

// The server's hint of how many sticky tasks wait may be out of date. Pollers
// that believe it would all wait for sticky tasks, for a minute.
func TestNewWorkflowsBeginHoweverManyStickyTasksAreSaidToWait(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	temporal, err := client.DialContext(ctx, client.Options{
		HostPort: testenv.TemporalAddress(t), Namespace: testenv.Namespace(t),
		ConnectionOptions: client.ConnectionOptions{DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(
			func(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
				err := invoke(ctx, method, request, reply, conn, options...)
				poll, isPoll := request.(*workflowservice.PollWorkflowTaskQueueRequest)
				if isPoll && poll.GetTaskQueue().GetKind() == enumspb.TASK_QUEUE_KIND_STICKY {
					reply.(*workflowservice.PollWorkflowTaskQueueResponse).BacklogCountHint = 7
				}
				return err
			})}},
	})
	require.NoError(t, err)
	defer temporal.Close()

	workers := worker.New(temporal, config.Worker{Connections: 1})
	workers.On(protocol.TaskQueue).RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
		return nil
	}, workflow.RegisterOptions{Name: "waits", VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade})
	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- workers.Run(working) }()
	defer func() { stop(); require.NoError(t, <-ended) }()

	soon, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	for i := range 4 {
		run, err := temporal.ExecuteWorkflow(soon, client.StartWorkflowOptions{ID: strconv.Itoa(i), TaskQueue: protocol.TaskQueue}, "waits")
		require.NoError(t, err)
		_, err = temporal.QueryWorkflow(soon, run.GetID(), "", "__stack_trace") // it has begun
		require.NoError(t, err, "workflow %d does not begin", i)
		require.NoError(t, temporal.SignalWorkflow(soon, run.GetID(), "", "go on", nil))
		require.NoError(t, run.Get(soon, nil))
	}
}
