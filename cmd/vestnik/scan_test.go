package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
)

func TestAScanThatReadsNothingSaysWhyAndFails(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(time.Hour)
	paused := protocol.ReadPlan{Budget: 10, PausedUntil: &until, PauseReason: "key_invalid"}
	require.ErrorContains(t, notRead(protocol.ScanWallsResult{}, paused), "key_invalid")
	require.ErrorContains(t, notRead(protocol.ScanWallsResult{}, paused), "--resume-key")
	require.ErrorContains(t, notRead(protocol.ScanWallsResult{Walls: []protocol.WallRead{{Paused: "key_invalid"}}}, paused), "key_invalid")
	require.ErrorContains(t, notRead(protocol.ScanWallsResult{}, protocol.ReadPlan{Budget: 10, Used: 10}), "VK_DAILY_QUOTA")

	read := protocol.ScanWallsResult{Walls: []protocol.WallRead{{Name: "a"}}}
	require.NoError(t, notRead(read, protocol.ReadPlan{Budget: 10, Used: 10}), "the last call of the day was of use")
	require.NoError(t, notRead(protocol.ScanWallsResult{}, protocol.ReadPlan{Budget: 10}))
}
