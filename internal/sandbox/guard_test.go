package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

func TestNoPageOfAnotherSiteReachesTheSandbox(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	ask := func(method, path, host string, header http.Header) int {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL()+path, strings.NewReader(""))
		require.NoError(t, err)
		if host != "" {
			request.Host = host
		}
		for name, values := range header {
			request.Header[name] = values
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	crossSite := http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}}
	setWebhook := "/bot" + sandbox.GuideBotToken + "/setWebhook?url=http://127.0.0.1:1/"
	acting := []string{setWebhook, "/method/wall.get?owner_id=-900000001", "/upload/x", "/sandbox/calls", "/sandbox/faults", "/sandbox/nowhere"}

	for _, path := range append([]string{"/", "/guide", "/sandbox/photos/m-1"}, acting...) {
		require.Equal(t, http.StatusMisdirectedRequest, ask(http.MethodGet, path, "evil.example:8090", nil), "%s by a name that points here", path)
		require.NotContains(t, []int{http.StatusMisdirectedRequest, http.StatusForbidden}, ask(http.MethodGet, path, "localhost:8090", nil), path)
		require.NotContains(t, []int{http.StatusMisdirectedRequest, http.StatusForbidden}, ask(http.MethodGet, path, "[::1]:8090", http.Header{"Sec-Fetch-Site": {"same-origin"}}), path)
	}
	for _, path := range acting {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			require.Equal(t, http.StatusForbidden, ask(method, path, "", crossSite), "%s %s", method, path)
			require.Equal(t, http.StatusForbidden, ask(method, path, "", http.Header{"Sec-Fetch-Site": {"same-site"}}), "%s %s from another port", method, path)
			require.Equal(t, http.StatusForbidden, ask(method, path, "", http.Header{"Origin": {"https://evil.example"}}), "%s %s", method, path)
			require.Equal(t, http.StatusForbidden, ask(method, path, "", http.Header{"Origin": {"null"}}), "%s %s", method, path)
		}
	}
	require.Equal(t, http.StatusForbidden, ask(http.MethodPost, "/", "", crossSite))
	require.Equal(t, http.StatusOK, ask(http.MethodGet, "/", "", crossSite), "a link may lead to the page")
	require.Equal(t, http.StatusOK, ask(http.MethodGet, "/sandbox/photos/m-1", "", http.Header{"Sec-Fetch-Site": {"same-site"}}), "the console shows its pictures")
}

func TestASandboxForContainersAnswersToTheirNames(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Addr: "0.0.0.0:0"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	for host, want := range map[string]int{"sandbox:8090": http.StatusOK, "127.0.0.1": http.StatusOK, "evil.example": http.StatusMisdirectedRequest, "192.168.0.7:8090": http.StatusMisdirectedRequest} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/", nil)
		require.NoError(t, err)
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode, host)
	}
}
