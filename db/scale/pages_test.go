package scale

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/api/console"
	"vestnik/db"
	"vestnik/db/guidedb"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/operators"
	"vestnik/internal/testenv"
	"vestnik/starter"
)

const (
	// opsToken is the operator's, of a console of the test's own.
	opsToken = "operators-token-of-a-test-0123456789"
	// asked is how often a page is asked for, once its connections are open:
	// the least counts, because the machine does other things too.
	asked = 5
	// largePages is how many posts make a million deliveries: so many, and each
	// page keeps the budget; with more it may take as much more.
	largePages = 400_000
)

// consolePages are addresses of the console's pages, under the filters that they
// offer.
var consolePages = []string{
	"/console/", "/console/deliveries", "/console/deliveries?status=waiting", "/console/deliveries?status=failed", "/console/deliveries?before=1000",
	"/console/deliveries?type=sighting", "/console/deliveries?type=reunited&status=sent", "/console/deliveries?from=2020-01-01&to=2020-01-31&type=lost",
	"/console/deliveries?destination=telegram%3A-1007&status=sent", "/console/deliveries.csv?status=parked", "/console/deliveries/all?status=waiting",
	"/console/deliveries/100", "/console/cases", "/console/cases?posts=1", "/console/cases/find?q=100", "/console/cases/100", "/console/cases/100/split?post=wall-249_1",
	"/console/cases/100/join?with=200", "/console/posts", "/console/posts?days=180&type=sighting", "/console/posts?q=%D0%A0%D1%8B%D0%B6%D0%B8%D0%BA",
	"/console/posts?q=%2B79000000005", "/console/posts/wall-100_5", "/console/destinations", "/console/walls", "/console/statistics", "/console/audit",
	"/console/setup", "/console/no-such-page", "/console/desk", "/console/desk/template.xlsx", "/console/desk/imports/import29", "/console/desk/photos",
	"/console/desk/objects?list=places", "/console/desk/objects?list=places&after=%D0%9A&after_id=p1", "/console/desk/object?list=places&id=p100",
}

// noPages are a stream, and the table that somebody has just uploaded.
var noPages = []string{"GET /console/events", "GET /console/desk/files/{id}"}

// consolePatterns are those of the pages in the console's router.
func consolePatterns(t *testing.T) map[string]bool {
	source, err := os.ReadFile("../../api/console/console.go")
	require.NoError(t, err)
	patterns := map[string]bool{}
	for _, page := range regexp.MustCompile(`(?m)^\t+(?:view\(|page\("GET )([^,]*/[^,]*|deskPath), `).FindAllStringSubmatch(string(source), -1) {
		patterns["GET "+strings.NewReplacer("deskPath", "/console/desk", `"`, "", "+", "").Replace(page[1])] = true
	}
	require.Greater(t, len(patterns), 20)
	for _, pattern := range noPages {
		require.Contains(t, patterns, pattern)
		delete(patterns, pattern)
	}
	return patterns
}

// eachPage asks for every page of the console several times, and gives the least
// time that it took.
func eachPage(t *testing.T, url string, do func(path string, took time.Duration)) {
	cfg, err := config.Load(map[string]string{
		"DATABASE_URL": url, "OPS_TOKEN": opsToken, "VK_TOKEN": "reading-key-of-a-test-0000000000", "VK_WALLS": "wall1",
		"TG_ENABLED": "true", "TG_TOKEN": "7000000001:AAsandbox-relay-bot-0000000000000000", "TG_CHAT": "-1001",
	})
	require.NoError(t, err)
	pool, err := db.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	temporal := testenv.Temporal(t)
	parts, err := starter.New(cfg, pool, temporal, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	known, err := operators.Open(config.NewSecret(opsToken), "")
	require.NoError(t, err)
	pages, err := console.New(console.Config{
		Operators: known, Ledger: parts.Ledger, Posts: parts.Posts, Cases: parts.Cases, Steering: parts,
		Routes: parts.Routes, MaxAge: cfg.Scan.MaxAge, Log: testenv.Logger(t), Settings: cfg.Marked,
		Guide: starter.NewContent(temporal, guidedb.NewImports(pool), content.Rules{Zone: time.UTC}, guide.DefaultTexts()),
	})
	require.NoError(t, err)
	require.NoError(t, parts.Ledger.KeepDays(t.Context(), time.Now())) // as recovery does
	patterns, router := consolePatterns(t), http.NewServeMux()
	for pattern := range patterns {
		router.Handle(pattern, http.NotFoundHandler())
	}
	for _, path := range consolePages {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		request.Header.Set("Authorization", "Bearer "+opsToken)
		_, pattern := router.Handler(request)
		delete(patterns, pattern)
		least := time.Hour
		for range asked {
			answer, began := httptest.NewRecorder(), time.Now()
			pages.ServeHTTP(answer, request)
			least = min(least, time.Since(began))
			require.Contains(t, []int{http.StatusOK, http.StatusSeeOther, http.StatusNotFound}, answer.Code, path)
			require.Equal(t, pattern == "GET /console/", answer.Code == http.StatusNotFound, path)
		}
		do(path, least)
	}
	require.Empty(t, patterns, "pages that are not asked for")
}
