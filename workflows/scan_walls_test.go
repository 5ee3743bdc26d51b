package workflows

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

// scanned runs ScanWalls over walls that read as told, and returns what was
// read and how often deliveries were started.
func scanned(t *testing.T, reads map[string]func() (protocol.WallRead, error), start func() (int, error), names ...string) (result protocol.ScanWallsResult, read []string, starts int) {
	t.Helper()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(quiet{})
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflow(ScanWalls)
	walls := &activities.Walls{}
	plan := protocol.ReadPlan{Walls: []protocol.WallPlan{{Name: "not_due"}}}
	for _, name := range names {
		plan.Walls = append(plan.Walls, protocol.WallPlan{Name: name, Due: true})
	}
	env.OnActivity(walls.PlanReads, mock.Anything, mock.Anything).Return(plan, nil)
	env.OnActivity(walls.ReadWall, mock.Anything, mock.Anything).Return(func(_ context.Context, name string) (protocol.WallRead, error) {
		if len(read) == 0 || read[len(read)-1] != name {
			read = append(read, name)
		}
		return reads[name]()
	})
	env.OnActivity(walls.StartDeliveries, mock.Anything).Return(func(context.Context) (int, error) {
		starts++
		return start()
	})
	env.ExecuteWorkflow(ScanWalls, protocol.ScanWallsInput{})
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, env.GetWorkflowResult(&result))
	return result, read, starts
}

func news(name string, owed int) func() (protocol.WallRead, error) {
	return func() (protocol.WallRead, error) { return protocol.WallRead{Name: name, Owed: owed}, nil }
}

func two() (int, error) { return 2, nil }

func TestAScanStartsWhatIsOwedBeforeAndAfterReading(t *testing.T) {
	t.Parallel()
	result, read, starts := scanned(t, map[string]func() (protocol.WallRead, error){"a": news("a", 0), "b": news("b", 2)}, two, "a", "b")
	require.Equal(t, []string{"a", "b"}, read)
	require.Equal(t, 2, starts, "once for what an earlier scan left, once for what b brought")
	require.Equal(t, 4, result.Started)
}

func TestOneWallsTroubleHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	result, read, _ := scanned(t, map[string]func() (protocol.WallRead, error){
		"a": func() (protocol.WallRead, error) { return protocol.WallRead{}, errors.New("VK is ill") },
		"b": func() (protocol.WallRead, error) { return protocol.WallRead{Name: "b", Parked: "access_denied"}, nil },
		"c": news("c", 1),
	}, two, "a", "b", "c")
	require.Equal(t, []string{"a", "b", "c"}, read)
	require.Len(t, result.Walls, 2)
	require.Equal(t, "access_denied", result.Walls[0].Parked)
}

func TestAKeyThatMustWaitEndsTheScan(t *testing.T) {
	t.Parallel()
	_, read, _ := scanned(t, map[string]func() (protocol.WallRead, error){
		"a": func() (protocol.WallRead, error) { return protocol.WallRead{Name: "a", Paused: "method_quota"}, nil },
		"b": news("b", 0),
	}, two, "a", "b")
	require.Equal(t, []string{"a"}, read)
}

func TestAFailureToStartBlocksNoReading(t *testing.T) {
	t.Parallel()
	result, read, _ := scanned(t, map[string]func() (protocol.WallRead, error){"a": news("a", 1), "b": news("b", 0)},
		func() (int, error) {
			return 0, temporal.NewNonRetryableApplicationError("no Temporal", "Unavailable", nil)
		}, "a", "b")
	require.Equal(t, []string{"a", "b"}, read)
	require.Zero(t, result.Started)
}
