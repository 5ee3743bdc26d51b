package starter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	deploymentpb "go.temporal.io/api/deployment/v1"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"vestnik/internal/protocol"
)

// Workers that run are not workers that get the work: a version that became
// current while its workers stopped let everything stand still.
func TestWhyAQueueIsNotWorked(t *testing.T) {
	t.Parallel()
	now := time.Now()
	poller := func(version string, ago time.Duration) *taskqueuepb.PollerInfo {
		info := &taskqueuepb.PollerInfo{LastAccessTime: timestamppb.New(now.Add(-ago))}
		if version != "" {
			info.DeploymentOptions = &deploymentpb.WorkerDeploymentOptions{BuildId: version, WorkerVersioningMode: enumspb.WORKER_VERSIONING_MODE_VERSIONED}
		}
		return info
	}
	for name, test := range map[string]struct {
		current string
		pollers []*taskqueuepb.PollerInfo
		why     string
	}{
		"nobody":                    {"", nil, protocol.ReasonNoWorkers},
		"gone":                      {"", []*taskqueuepb.PollerInfo{poller("", 2*time.Minute)}, protocol.ReasonNoWorkers},
		"without versions":          {"", []*taskqueuepb.PollerInfo{poller("", time.Second)}, ""},
		"nothing promoted":          {"", []*taskqueuepb.PollerInfo{poller("1", time.Second)}, protocol.ReasonNoVersion},
		"the current one":           {"1", []*taskqueuepb.PollerInfo{poller("2", 0), poller("1", time.Second)}, ""},
		"the current one has gone":  {"1", []*taskqueuepb.PollerInfo{poller("2", 0), poller("1", 2*time.Minute)}, protocol.ReasonVersionUnworked},
		"workers without a version": {"1", []*taskqueuepb.PollerInfo{poller("", 0)}, protocol.ReasonVersionUnworked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := &workflowservice.DescribeTaskQueueResponse{Pollers: test.pollers}
			if test.current != "" {
				queue.VersioningInfo = &taskqueuepb.TaskQueueVersioningInfo{
					CurrentDeploymentVersion: &deploymentpb.WorkerDeploymentVersion{DeploymentName: "vestnik", BuildId: test.current},
				}
			}
			require.Equal(t, test.why, whyUnworked(queue, now))
		})
	}
}
