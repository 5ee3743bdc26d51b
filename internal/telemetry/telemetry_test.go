package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/config"
	"vestnik/internal/testenv"
)

// lines is a buffer that several goroutines may write to.
type lines struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}

func TestASecretIsMaskedWhereverItStandsInALine(t *testing.T) {
	t.Parallel()
	const token = "7000000001:AAzzexample-of_a_token_that_is_made_up"
	const password = `p&ss"w<rd/1`
	Redact(config.NewSecret(token), config.NewSecret(password), config.NewSecret("s"))
	for _, format := range []string{"json", "text"} {
		var output lines
		logger := NewLogger(&output, config.Log{Level: "debug", Format: format})
		logger.Info("calling https://api.telegram.org/bot"+token+"/getMe", "error", errors.New("dial with "+password))
		logger.With("with", token).WithGroup("group").Debug("m", slog.Group("inner", "url", map[string]string{"k" + token: password}))
		logger.Warn("postgres://u:p&ss%22w%3Crd%2F1@h/d")
		require.NotContains(t, output.String(), "AAzzexample")
		require.NotContains(t, output.String(), "p&ss")
		require.NotContains(t, output.String(), `ss\"w`)
		require.NotContains(t, output.String(), `26ss`)
		require.Contains(t, output.String(), config.Mask)
		require.Contains(t, output.String(), "inner", "a secret of one letter must not garble the lines")
	}
}

func TestATokenNobodyRegisteredIsMaskedByItsShape(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/bot"+config.Mask+"/getMe", clean("/bot9000000009:AAqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq/getMe"))
	require.Equal(t, "wall.get?"+config.Mask+"&v=5.199", clean("wall.get?access_token=vk1.a.zzz&v=5.199"))
	for _, ordinary := range []string{"12:30", "wall-123456_789", "deliver/telegram:-1001234567890/wall-1_2", "2026-11-20T10:00:00Z"} {
		require.Equal(t, ordinary, clean(ordinary))
	}
}

func TestALineCarriesTheTraceIDOfItsContext(t *testing.T) {
	t.Parallel()
	var output lines
	logger := NewLogger(&output, config.Log{Level: "info", Format: "json"})
	logger.InfoContext(WithTraceID(t.Context(), "abc-1"), "first")
	logger.With("a", 1).InfoContext(t.Context(), "second")
	var first, second map[string]any
	one, two, _ := strings.Cut(strings.TrimSpace(output.String()), "\n")
	require.NoError(t, json.Unmarshal([]byte(one), &first))
	require.NoError(t, json.Unmarshal([]byte(two), &second))
	require.Equal(t, "abc-1", first["traceId"])
	require.NotContains(t, second, "traceId")
}

func TestATraceIDFromOutsideThatIsNoneIsReplaced(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"", "a b", "x\ny", strings.Repeat("a", 65)} {
		require.Regexp(t, `^[0-9a-f]{32}$`, TraceID(WithTraceID(t.Context(), wrong)))
	}
	require.Empty(t, TraceID(context.Background()))
}

func begin(t *testing.T, output *lines) *Telemetry {
	t.Helper()
	telemetry, err := Start(t.Context(), config.Log{Level: "info", Format: "json"}, "worker", output)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.Background())) })
	return telemetry
}

func scrape(t *testing.T, telemetry *Telemetry) string {
	t.Helper()
	answer := httptest.NewRecorder()
	telemetry.MetricsHandler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	require.Equal(t, 200, answer.Code)
	return answer.Body.String()
}

func TestOneTraceIDGoesFromTheCallerThroughWorkflowAndActivityIntoTheirLogs(t *testing.T) {
	t.Parallel()
	var output lines
	telemetry := begin(t, &output)
	options := client.Options{}
	require.NoError(t, telemetry.Equip(&options))
	service := testenv.TemporalWith(t, options)
	w := worker.New(service, "traced", worker.Options{})
	w.RegisterActivityWithOptions(func(ctx context.Context) (string, error) {
		activity.GetLogger(ctx).Info("in the activity")
		return TraceID(ctx), nil
	}, activity.RegisterOptions{Name: "Send"})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context) (string, error) {
		workflow.GetLogger(ctx).Info("in the workflow")
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		var seen string
		err := workflow.ExecuteActivity(ctx, "Send").Get(ctx, &seen)
		return WorkflowTraceID(ctx) + "=" + seen, err
	}, workflow.RegisterOptions{Name: "Deliver"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)

	run, err := service.ExecuteWorkflow(WithTraceID(t.Context(), "trace-77"), client.StartWorkflowOptions{TaskQueue: "traced"}, "Deliver")
	require.NoError(t, err)
	var seen string
	require.NoError(t, run.Get(t.Context(), &seen))
	require.Equal(t, "trace-77=trace-77", seen)
	for _, message := range []string{"in the workflow", "in the activity"} {
		require.Regexp(t, `(?m)"msg":"`+message+`".*"traceId":"trace-77"`, output.String())
	}
	metrics := scrape(t, telemetry)
	require.Regexp(t, `(?m)^temporal_request_total{.*operation="StartWorkflowExecution".*} 1$`, metrics)
	require.Regexp(t, `(?m)^temporal_request_latency_seconds_bucket{.*le="0.005"}`, metrics)
}

func TestMetricsSayHowTheProductFares(t *testing.T) {
	t.Parallel()
	telemetry := begin(t, &lines{})
	m := telemetry.Metrics
	m.Send(t.Context(), "telegram", "rate_limited", 300*time.Millisecond)
	m.Delivered(t.Context(), "vk", 90*time.Second)
	m.Read(t.Context(), "read", time.Second)
	m.Posts(t.Context(), "new", 7)
	m.Posts(t.Context(), "owed", 0)
	m.Update(t.Context(), "duplicate")
	routes := http.NewServeMux()
	routes.HandleFunc("GET /guide/{chat}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	m.Requests(routes).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/guide/4200", nil))
	require.NoError(t, m.Observe(func(context.Context) (Standing, error) {
		return Standing{Waiting: {"parked": 2}, Oldest: {"": 60}}, nil
	}))
	metrics := scrape(t, telemetry)
	for _, line := range []string{
		`vestnik_send_duration_seconds_bucket{outcome="rate_limited",platform="telegram",le="0.5"} 1`,
		`vestnik_delivery_delay_seconds_bucket{platform="vk",le="120"} 1`,
		`vestnik_read_duration_seconds_count{outcome="read"} 1`,
		`vestnik_posts_total{outcome="new"} 7`,
		`vestnik_bot_updates_total{outcome="duplicate"} 1`,
		`vestnik_http_request_duration_seconds_count{route="GET /guide/{chat}",status="4xx"} 1`,
		`vestnik_deliveries_waiting{status="parked"} 2`,
		`vestnik_delivery_oldest_waiting_seconds 60`,
		`go_goroutines`,
	} {
		require.Contains(t, metrics, line)
	}
	require.NotContains(t, metrics, "4200")
	require.NotContains(t, metrics, `"owed"`)
}

func TestALabelCannotGrowWithoutBound(t *testing.T) {
	t.Parallel()
	telemetry := begin(t, &lines{})
	for i := range 500 {
		telemetry.Metrics.Posts(t.Context(), fmt.Sprintf("skipped_%d", i), 1)
	}
	telemetry.Metrics.Posts(t.Context(), "Пропал кот", 1)
	metrics := scrape(t, telemetry)
	require.LessOrEqual(t, strings.Count(metrics, "vestnik_posts_total{"), labelValues+1)
	require.Contains(t, metrics, `vestnik_posts_total{outcome="other"} 437`)
	require.NotContains(t, metrics, "Пропал")
}
