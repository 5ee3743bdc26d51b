package worker_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"vestnik/internal/config"
	"vestnik/internal/testenv"
	"vestnik/worker"
)

// While a deployment changes, the server may not find it.
func TestADeploymentThatIsNotFoundForAMomentIsAskedAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var missed atomic.Int32
	temporal, err := client.DialContext(ctx, client.Options{
		HostPort: testenv.TemporalAddress(t), Namespace: testenv.Namespace(t),
		ConnectionOptions: client.ConnectionOptions{DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(
			func(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
				err := invoke(ctx, method, request, reply, conn, options...)
				if _, describes := request.(*workflowservice.DescribeWorkerDeploymentRequest); describes && err == nil && missed.Add(1) <= 2 {
					return serviceerror.ToStatus(serviceerror.NewNotFound("Worker Deployment not found")).Err()
				}
				return err
			})}},
	})
	require.NoError(t, err)
	defer temporal.Close()
	cfg := config.Worker{DeploymentName: "vestnik-worker", BuildID: "1", Connections: 1}
	deployment := &worker.Deployment{Temporal: temporal, Name: cfg.DeploymentName}
	_, err = deployment.Versions(ctx)
	require.ErrorContains(t, err, "no worker of deployment vestnik-worker has come yet")
	require.Zero(t, missed.Load())

	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- worker.New(temporal, cfg).Run(working) }()
	defer func() { stop(); require.NoError(t, <-ended) }()
	for missed.Load() == 0 { // until the server knows it
		_, err = deployment.Versions(ctx)
	}
	require.NoError(t, err)
	require.EqualValues(t, 3, missed.Load())
}
