package api_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/api"
	"vestnik/api/console"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/internal/operators"
)

// serve runs a handler within limits and returns its address.
func serve(t *testing.T, limits api.Limits, handler http.Handler) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- api.ServeWithin(ctx, limits, listener, handler, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	return listener.Addr().String()
}

// dial opens a connection that can't outlive the test.
func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	return conn
}

func firstKey(t *testing.T) *operators.List {
	t.Helper()
	list, err := operators.Open(config.NewSecret("operators-token"), "")
	require.NoError(t, err)
	return list
}

func TestASlowBodyLosesItsConnection(t *testing.T) {
	t.Parallel()
	pages, err := console.New(console.Config{Operators: firstKey(t), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	addr := serve(t, api.Limits{Read: 300 * time.Millisecond, Connections: 10}, pages)
	for name, sent := range map[string]string{
		"half a body":      "POST /console/login HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\ntoken=",
		"half a header":    "POST /console/login HTTP/1.1\r\nHost:",
		"nothing at all":   "",
		"a refused upload": "POST /api/v1/ops/scan HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n{",
		"chunks":           "POST /console/login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
	} {
		conn := dial(t, addr)
		_, err := io.WriteString(conn, sent)
		require.NoError(t, err)
		began := time.Now()
		_, err = io.Copy(io.Discard, conn) // until the server closes
		var timeout net.Error
		require.False(t, errors.As(err, &timeout) && timeout.Timeout(), "%s: still open", name)
		require.Less(t, time.Since(began), 10*time.Second, name)
	}
}

func TestWhoIsRefusedIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	cms, err := api.NewCMS(api.CMSConfig{Token: config.NewSecret(cmsToken), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	pages, err := console.New(console.Config{Operators: firstKey(t), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle(api.CMSPath, cms)
	mux.Handle(console.OpsPath, pages)
	addr := serve(t, api.DefaultLimits, mux)
	for _, path := range []string{content.ImportPath, "/api/v1/ops/scan"} {
		conn := dial(t, addr)
		_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{", path)
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, response.StatusCode)
		require.True(t, response.Close, "%s: no next request on this connection", path)
		require.NoError(t, response.Body.Close())
	}
}

func TestNoMoreConnectionsAreOpenThanTheLimit(t *testing.T) {
	t.Parallel()
	var most, open atomic.Int64
	release := make(chan struct{})
	addr := serve(t, api.Limits{Read: time.Minute, Connections: 3}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		most.Store(max(most.Load(), open.Add(1)))
		defer open.Add(-1)
		w.Header().Set("Connection", "close")
		<-release
	}))
	var conns []net.Conn
	for range 8 {
		conn := dial(t, addr)
		_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		require.NoError(t, err)
		conns = append(conns, conn)
	}
	require.Eventually(t, func() bool { return open.Load() == 3 }, 10*time.Second, time.Millisecond)
	close(release)
	for _, conn := range conns { // all are served in the end
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
	require.LessOrEqual(t, most.Load(), int64(3))
}

func TestReadinessNamesNoUserAndNoDatabaseAndAsksOnceForAll(t *testing.T) {
	t.Parallel()
	log := &bytes.Buffer{}
	var asked atomic.Int64
	handler := api.Readyz(slog.New(slog.NewJSONHandler(log, nil)),
		api.Check{Name: "postgres", Ask: func(context.Context) error {
			asked.Add(1)
			return errors.New("failed to connect to `user=vestnik database=vestnik_prod`: 10.0.0.7:5432: connection refused")
		}},
		api.Check{Name: "temporal", Ask: func(context.Context) error { return nil }},
		api.Check{Name: "guide token", Ask: func(context.Context) error {
			return fmt.Errorf("asked: %w", api.NotReady("refused by Telegram: check TELEGRAM_BOT_TOKEN"))
		}},
	)
	for range 100 {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
		require.Equal(t, http.StatusServiceUnavailable, recorder.Code)
		require.JSONEq(t, `{"postgres":"no answer","temporal":"ok","guide token":"refused by Telegram: check TELEGRAM_BOT_TOKEN"}`, recorder.Body.String())
	}
	require.LessOrEqual(t, asked.Load(), int64(3), "a hundred who ask are told of one look a second")
	require.Contains(t, log.String(), "vestnik_prod", "the operator's log says why")
	require.LessOrEqual(t, strings.Count(log.String(), "\n"), 6)
}
