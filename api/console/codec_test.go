package console_test

import (
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"vestnik/api/console"
	"vestnik/internal/config"
	"vestnik/internal/operators"
	"vestnik/internal/payload"
)

const codecToken = "codec-test-operator-token-42"

func codecServer(t *testing.T) (server *httptest.Server, codec *payload.Codec) {
	t.Helper()
	codec, err := payload.ParseKeys("k:" + base64.StdEncoding.EncodeToString(make([]byte, 32)))
	require.NoError(t, err)
	list, err := operators.Open(config.NewSecret(codecToken), "")
	require.NoError(t, err)
	handler, err := console.New(console.Config{
		Operators: list, Codec: codec, TemporalUI: "http://127.0.0.1:8233", Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	server = httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server, codec
}

func TestTheCommandLineReadsAndWritesPayloadsThroughTheEndpoint(t *testing.T) {
	t.Parallel()
	server, codec := codecServer(t)
	remote := converter.NewRemoteDataConverter(converter.GetDefaultDataConverter(), converter.RemoteDataConverterOptions{
		Endpoint: server.URL + "/api/v1/ops/codec",
		ModifyRequest: func(r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+codecToken)
			return nil
		},
	})
	written, err := remote.ToPayload("решение")
	require.NoError(t, err)
	require.NotContains(t, written.String(), "решение")
	opened, err := codec.Decode([]*commonpb.Payload{written})
	require.NoError(t, err)
	require.Contains(t, string(opened[0].GetData()), "решение")
	var read string
	require.NoError(t, remote.FromPayload(written, &read))
	require.Equal(t, "решение", read)
}

func TestPayloadsAreOpenedForNobodyElseAndShownToTheWebUIAlone(t *testing.T) {
	t.Parallel()
	server, _ := codecServer(t)
	ask := func(method, origin, token string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1/ops/codec/decode", strings.NewReader(`{"payloads":[]}`))
		require.NoError(t, err)
		request.Header.Set("Origin", origin)
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer
	}
	const ui = "http://127.0.0.1:8233"
	require.Equal(t, http.StatusUnauthorized, ask(http.MethodPost, ui, "").StatusCode)
	require.Equal(t, http.StatusUnauthorized, ask(http.MethodPost, ui, "wrong-operator-token-4242").StatusCode)
	preflight := ask(http.MethodOptions, ui, "")
	require.Equal(t, http.StatusNoContent, preflight.StatusCode)
	require.Equal(t, ui, preflight.Header.Get("Access-Control-Allow-Origin"))
	answer := ask(http.MethodPost, ui, codecToken)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, "true", answer.Header.Get("Access-Control-Allow-Credentials"))
	require.Empty(t, ask(http.MethodPost, "https://evil.example", codecToken).Header.Get("Access-Control-Allow-Origin"))
}
