package deploy

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/telemetry"
)

// exposed are the names of Vestnik's own metrics as a process tells them.
func exposed(t *testing.T) map[string]bool {
	t.Helper()
	voice, err := telemetry.Start(t.Context(), config.Log{Level: "error"}, "worker", io.Discard)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, voice.Shutdown(context.WithoutCancel(t.Context()))) })
	m, ctx := voice.Metrics, t.Context()
	m.Send(ctx, "vk", "sent", time.Second)
	m.Delivered(ctx, "vk", time.Second)
	m.Read(ctx, "read", time.Second)
	m.Posts(ctx, "new", 1)
	m.Update(ctx, "accepted")
	m.Requests(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	require.NoError(t, m.Observe(func(context.Context) (telemetry.Standing, error) {
		one := map[string]float64{"": 1}
		return telemetry.Standing{
			telemetry.Waiting: one, telemetry.Oldest: one, telemetry.Destinations: one, telemetry.Walls: one, telemetry.ReadCalls: one,
			telemetry.ReadBudget: one, telemetry.Sessions: one, telemetry.Problems: one,
		}, nil
	}))
	page := httptest.NewRecorder()
	voice.MetricsHandler().ServeHTTP(page, httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", nil))
	names := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^(vestnik_\w+)[{ ]`).FindAllStringSubmatch(page.Body.String(), -1) {
		names[line[1]] = true
	}
	return names
}

func TestAlertsAndTheDashboardAskForMetricsThatExist(t *testing.T) {
	t.Parallel()
	known := exposed(t)
	asked := map[string]bool{}
	for _, file := range []string{"prometheus/alerts.yml", "grafana/vestnik.json"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`\bvestnik_\w+`).FindAllString(string(text), -1) {
			require.True(t, known[name], "%s asks for %s, which no process tells", file, name)
			asked[regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")] = true
		}
	}
	for name := range known {
		base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
		require.True(t, asked[base], "%s is told, and neither an alert nor the dashboard shows it", name)
	}
	text, err := os.ReadFile("grafana/vestnik.json")
	require.NoError(t, err)
	require.True(t, json.Valid(text))
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	require.NoError(t, err, "`apt install prometheus` brings promtool")
	output, err := exec.CommandContext(t.Context(), promtool, "test", "rules", "prometheus/alerts_test.yml").CombinedOutput()
	require.NoError(t, err, string(output))
}
