package telemetry

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
)

func TestHoweverOftenMetricsAreReadTheDatabaseIsAskedOnce(t *testing.T) {
	t.Parallel()
	voice, err := Start(t.Context(), config.Log{Level: "error"}, "api", io.Discard)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, voice.Shutdown(context.WithoutCancel(t.Context()))) })
	var looks atomic.Int64
	require.NoError(t, voice.Metrics.Observe(func(ctx context.Context) (Standing, error) {
		looks.Add(1)
		_, bounded := ctx.Deadline()
		require.True(t, bounded, "a look ends by itself")
		return Standing{Waiting: {"parked": 7}}, nil
	}))
	handler := voice.MetricsHandler()
	for range 50 {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		require.Equal(t, http.StatusOK, recorder.Code)
		require.Contains(t, recorder.Body.String(), `status="parked"`)
	}
	require.LessOrEqual(t, looks.Load(), int64(2), "once in five seconds")
}
