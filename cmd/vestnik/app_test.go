package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

func TestARoleDoesNotStartOnASchemaThatIsOlderThanItself(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"worker", "api"} {
		cfg, err := config.Load(map[string]string{
			"DATABASE_URL": testenv.EmptyDatabase(t), "TEMPORAL_ADDRESS": testenv.TemporalAddress(t), "TEMPORAL_NAMESPACE": testenv.Namespace(t),
		})
		require.NoError(t, err)
		_, err = connect(t.Context(), role, cfg, io.Discard)
		require.ErrorContains(t, err, "run `vestnik migrate`", role)
	}
}

func TestAProcessMeasuresItsPoolAndIsNotReadyWhileItCanNotWrite(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(map[string]string{
		"DATABASE_URL": testenv.Database(t) + "&pool_max_conns=3", "TEMPORAL_ADDRESS": testenv.TemporalAddress(t), "TEMPORAL_NAMESPACE": testenv.Namespace(t),
	})
	require.NoError(t, err)
	a, err := connect(t.Context(), "worker", cfg, io.Discard)
	require.NoError(t, err)
	t.Cleanup(a.close)
	require.Equal(t, 3, a.cfg.Worker.Connections, "by which it bounds its activities")
	mux := http.NewServeMux()
	require.NoError(t, a.healthRoutes(mux))
	get := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return answer
	}
	require.Equal(t, http.StatusOK, get("/readyz").Code)
	metrics := get("/metrics").Body.String()
	require.Regexp(t, `\nvestnik_postgres_connections\{state="most"\} 3\n`, metrics)
	require.Regexp(t, `\nvestnik_postgres_pool_waits \d`, metrics)

	database := pgx.Identifier{a.pool.Config().ConnConfig.Database}.Sanitize()
	_, err = a.pool.Exec(t.Context(), "ALTER DATABASE "+database+" SET default_transaction_read_only = on")
	require.NoError(t, err)
	a.pool.Reset()
	require.Eventually(t, func() bool { return get("/readyz").Code == http.StatusServiceUnavailable }, time.Minute, 50*time.Millisecond)
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
