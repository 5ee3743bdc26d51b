package sandbox_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var documentedRoute = regexp.MustCompile(`(?m)^//\t(GET|POST|PUT|PATCH|DELETE)\s+(/sandbox/[^\s?\[]*)`)

func TestEveryRouteOfTheDocumentationExists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	routes := documentedRoute.FindAllStringSubmatch(string(source), -1)
	require.Greater(t, len(routes), 20)
	for _, route := range routes {
		path := regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(route[2], "1")
		status, _ := b.request(route[1], path, "application/json", strings.NewReader("{}"))
		require.NotContains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, status, route[0])
	}
}
