package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/activities"
	"vestnik/internal/config"
)

func TestAHeartbeatLeavesRoomForThreeMissedOnes(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, activities.HeartbeatTimeout, 4*activities.HeartbeatEvery)
	options := new(Workers).options(config.Worker{})
	require.Equal(t, activities.HeartbeatEvery, options.MaxHeartbeatThrottleInterval, "left alone, the SDK waits for 80 % of the timeout")
}

func TestActivitiesAreBoundedByThePoolOfPostgres(t *testing.T) {
	t.Parallel()
	require.Equal(t, 5*activitiesPerConnection, new(Workers).options(config.Worker{Connections: 5}).MaxConcurrentActivityExecutionSize)
}
