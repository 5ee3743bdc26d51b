package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/testenv"
)

func TestABadRuleStopsTheStartWithItsLineAndReason(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "routes.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`destinations: [{id: "telegram:-1001500000001"}]
rules:
  - name: кошки
    types: [lost]
    include_regex: ["(кот"]
    to: ["telegram:-1001500000001"]
`), 0o600))
	cfg, err := config.Load(map[string]string{
		"DATABASE_URL": testenv.Database(t), "TEMPORAL_ADDRESS": testenv.TemporalAddress(t), "TEMPORAL_NAMESPACE": testenv.Namespace(t),
		"ROUTES_FILE": path,
	})
	require.NoError(t, err)
	_, err = connect(t.Context(), "worker", cfg, io.Discard)
	require.ErrorContains(t, err, "ROUTES_FILE "+path+": routes: line 5: rule 1: include_regex: error parsing regexp: missing closing )")
}

func TestAFaultOfTheConfigurationIsARecordInTheLog(t *testing.T) {
	t.Parallel()
	_, err := config.Load(map[string]string{"BOT_ENABLED": "true", "TELEGRAM_CHANNEL": "@city", "TELEGRAM_BOT_TOKEN": "1:a"})
	var faults config.Faults
	require.ErrorAs(t, err, &faults)
	var output strings.Builder
	recordFaults(&output, faults)
	for line := range strings.Lines(output.String()) {
		var record map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		require.Equal(t, "INTERNAL_CONFIG_ERROR", record["error_code"])
		require.Equal(t, "INTERNAL_CONFIG", record["error_class"])
		require.NotEmpty(t, record["message"])
		require.NotEmpty(t, record["details"])
		require.NotEmpty(t, record["traceId"])
	}
	require.Contains(t, output.String(), "TELEGRAM_WEBHOOK_SECRET is not set")
}
