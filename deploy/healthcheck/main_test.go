package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyAReadyProcessIsHealthy(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/readyz", r.URL.Path)
		w.WriteHeader(status)
	}))
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)

	for _, addr := range []string{"127.0.0.1:" + port, ":" + port, "0.0.0.0:" + port} {
		require.NoError(t, check(addr))
	}
	status = http.StatusServiceUnavailable
	require.ErrorContains(t, check(":"+port), "503")
	server.Close()
	require.Error(t, check(":"+port))
	require.ErrorContains(t, check(""), "HTTP_ADDR")
}
