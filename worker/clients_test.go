package worker

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/telemetry"
	"vestnik/starter"
)

func TestTheTokenOfOneDestinationIsMaskedInLogsLikeThePlatforms(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(map[string]string{})
	require.NoError(t, err)
	clients := NewClients(&starter.Starter{Config: cfg})
	const key, token = "vk1.a.of-the-northern-wall-alone", "7000000009:short-and-made-up"
	_, err = clients.KeyOf(key)
	require.NoError(t, err)
	_, err = clients.BotOf(token)
	require.NoError(t, err)
	var log bytes.Buffer
	telemetry.NewLogger(&log, config.Log{}).Info("sent with " + key + " and " + token)
	require.NotContains(t, log.String(), "northern")
	require.NotContains(t, log.String(), "made-up")
}
