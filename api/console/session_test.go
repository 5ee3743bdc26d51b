package console_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/api/console"
	"vestnik/internal/config"
	"vestnik/internal/operators"
	"vestnik/starter"
)

// doorOnly is a console with nothing behind its door: for what is decided
// before anything is asked.
func doorOnly(t *testing.T, now func() time.Time) (*deck, *lines) {
	t.Helper()
	log := &lines{}
	pages, err := console.New(console.Config{
		Operators: firstKey(t), Log: slog.New(slog.NewJSONHandler(log, nil)), Now: now,
		Guide: &starter.Content{}, // nobody gets to it
	})
	require.NoError(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return &deck{url: server.URL}, log
}

var consolePages = []string{
	"/console/", "/console/deliveries", "/console/deliveries/1", "/console/destinations", "/console/walls", "/console/statistics", "/console/audit", "/console/setup", "/console/nowhere",
	"/console/cases", "/console/cases/find?q=1", "/console/cases/1", "/console/cases/1/split?post=wall-1_1", "/console/cases/1/join?with=2", "/console/posts/wall-1_1",
	"/console/desk", "/console/desk/imports/x", "/console/desk/files/x", "/console/desk/photos", "/console/desk/objects?list=places", "/console/desk/object?list=places",
}

var consoleForms = []string{
	"/console/deliveries/1/resume", "/console/deliveries/resume", "/console/destinations/pause", "/console/destinations/resume",
	"/console/destinations/rate", "/console/scan", "/console/logout", "/console/deliveries/1/take-back",
	"/console/cases/1/split", "/console/cases/1/join",
	"/console/desk/upload", "/console/desk/imports/x/undo", "/console/desk/files/x", "/console/desk/object",
}

var opsReads = []string{
	"/api/v1/ops/summary", "/api/v1/ops/deliveries", "/api/v1/ops/deliveries/1", "/api/v1/ops/destinations", "/api/v1/ops/walls", "/api/v1/ops/nowhere", "/api/v1/ops/problems", "/api/v1/ops/statistics", "/api/v1/ops/audit",
	"/api/v1/ops/cases", "/api/v1/ops/cases/1",
}

var opsWrites = []string{
	"/api/v1/ops/deliveries/1/resume", "/api/v1/ops/deliveries/resume", "/api/v1/ops/destinations/pause",
	"/api/v1/ops/destinations/resume", "/api/v1/ops/destinations/rate", "/api/v1/ops/scan", "/api/v1/ops/deliveries/1/take-back",
	"/api/v1/ops/cases/1/split", "/api/v1/ops/cases/1/join",
}

func TestConsoleWithoutOperatorsIsNotBuilt(t *testing.T) {
	t.Parallel()
	_, err := console.New(console.Config{})
	require.ErrorIs(t, err, console.ErrOperators)
}

func TestStrangerSeesNothingButTheLoginForm(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	stranger := d.browser(t)
	for _, path := range consolePages {
		answer := stranger.get(path)
		require.Equal(t, http.StatusSeeOther, answer.status, path)
		require.Equal(t, "/console/login?next="+url.QueryEscape(path), answer.header.Get("Location"))
	}
	for _, path := range consoleForms {
		answer := stranger.post(path, url.Values{"action": {"skip"}})
		require.Equal(t, http.StatusSeeOther, answer.status, path)
		require.Equal(t, "/console/login?next=%2Fconsole%2F", answer.header.Get("Location"))
	}
	for _, path := range opsReads {
		answer := stranger.get(path)
		require.Equal(t, http.StatusUnauthorized, answer.status, path)
		require.Contains(t, answer.header.Get("WWW-Authenticate"), "Bearer")
		require.Contains(t, answer.body, `"error"`)
	}
	for _, path := range opsWrites {
		require.Equal(t, http.StatusUnauthorized, stranger.do(http.MethodPost, path, "{}", nil).status, path)
	}
	require.Equal(t, http.StatusOK, stranger.get("/console/login").status)
}

func TestWrongTokenIsRefusedInEveryForm(t *testing.T) {
	t.Parallel()
	d, log := doorOnly(t, nil)
	valid := d.operator(t)
	for _, value := range []string{
		"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + opsToken, opsToken, "Bearer " + opsToken + "x",
		"Bearer " + strings.ToUpper(opsToken),
	} {
		answer := d.browser(t).do(http.MethodGet, "/api/v1/ops/nowhere", "", http.Header{"Authorization": {value}})
		require.Equal(t, http.StatusUnauthorized, answer.status, value)
		// A wrong token is not made good by a cookie that was sent along.
		answer = valid.do(http.MethodGet, "/api/v1/ops/nowhere", "", http.Header{"Authorization": {value}})
		require.Equal(t, http.StatusUnauthorized, answer.status, value)
	}
	answer := d.browser(t).do(http.MethodGet, "/api/v1/ops/nowhere", "", http.Header{"Authorization": {"Bearer " + opsToken, "Bearer wrong"}})
	require.Equal(t, http.StatusUnauthorized, answer.status)

	answer = d.browser(t).post(consoleLogin, url.Values{"token": {"a guess"}})
	require.Equal(t, http.StatusUnauthorized, answer.status)
	require.Empty(t, answer.header.Values("Set-Cookie"))
	require.NotContains(t, answer.body, "a guess")
	require.NotContains(t, log.String(), "a guess")
	require.Contains(t, log.String(), "login refused")
}

func TestLoginOpensASessionThatScriptsAndOtherSitesCannotUse(t *testing.T) {
	t.Parallel()
	d, log := doorOnly(t, nil)
	answer := d.browser(t).post(consoleLogin, url.Values{"token": {opsToken}, "next": {"/console/deliveries?status=parked"}})
	require.Equal(t, http.StatusSeeOther, answer.status)
	require.Equal(t, "/console/deliveries?status=parked", answer.header.Get("Location"))
	cookies := (&http.Response{Header: answer.header}).Cookies()
	require.Len(t, cookies, 1)
	require.True(t, cookies[0].HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookies[0].SameSite)
	require.False(t, cookies[0].Secure, "a plain localhost would drop it")
	require.NotContains(t, cookies[0].Value, opsToken)

	answer = d.browser(t).do(http.MethodPost, consoleLogin, url.Values{"token": {opsToken}}.Encode(),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "X-Forwarded-Proto": {"https"}})
	require.True(t, (&http.Response{Header: answer.header}).Cookies()[0].Secure, "behind TLS it never goes without")

	require.NotContains(t, log.String(), opsToken)
}

func TestLoginLeadsNowhereButIntoTheConsole(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	for _, next := range []string{
		"", "https://elsewhere.example/", "//elsewhere.example/console/", "/api/v1/ops/summary", `/console/\..\..`, "console/", "javascript:alert(1)", "/console/\r\nSet-Cookie: a=b",
	} {
		answer := d.browser(t).post(consoleLogin, url.Values{"token": {opsToken}, "next": {next}})
		require.Equal(t, "/console/", answer.header.Get("Location"), next)
	}
}

func TestSessionEndsAfterAShiftOrWithItsToken(t *testing.T) {
	t.Parallel()
	clock := time.Now() // the client's cookie jar has no other
	d, _ := doorOnly(t, func() time.Time { return clock })
	operator := d.operator(t)
	require.Equal(t, http.StatusNotFound, operator.get("/console/nowhere").status)
	cookie := operator.client.Jar.Cookies(mustParse(t, d.url))[0]

	clock = clock.Add(12*time.Hour - time.Second)
	require.Equal(t, http.StatusNotFound, operator.do(http.MethodGet, "/console/nowhere", "", cookieHeader(cookie.Value)).status)
	clock = clock.Add(time.Second)
	require.Equal(t, http.StatusSeeOther, d.browser(t).do(http.MethodGet, "/console/nowhere", "", cookieHeader(cookie.Value)).status)

	anotherKey, err := operators.Open(config.NewSecret("another token"), "")
	require.NoError(t, err)
	other, err := console.New(console.Config{Operators: anotherKey, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return clock.Add(-time.Hour) }})
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodGet, "/console/nowhere", nil)
	request.Header = cookieHeader(cookie.Value)
	recorder := httptest.NewRecorder()
	other.ServeHTTP(recorder, request)
	require.Equal(t, http.StatusSeeOther, recorder.Code)
}

func TestForgedSessionIsNoSession(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	operator := d.operator(t)
	value := operator.client.Jar.Cookies(mustParse(t, d.url))[0].Value
	for i := range len(value) {
		forged := []byte(value)
		forged[i] ^= 1
		require.Equal(t, http.StatusSeeOther, d.browser(t).do(http.MethodGet, "/console/nowhere", "", cookieHeader(string(forged))).status, i)
	}
	for _, forged := range []string{"", "AAAA", value[:20], value + "AAAA", strings.Repeat("A", 5000)} {
		require.Equal(t, http.StatusSeeOther, d.browser(t).do(http.MethodGet, "/console/nowhere", "", cookieHeader(forged)).status)
	}
}

func TestFormWithoutItsTokenDoesNothing(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	operator := d.operator(t)
	for _, path := range consoleForms {
		for _, token := range []string{"", "wrong"} {
			require.Equal(t, http.StatusForbidden, operator.post(path, url.Values{"csrf": {token}}).status, path)
		}
	}
	for _, path := range opsWrites {
		require.Equal(t, http.StatusForbidden, operator.do(http.MethodPost, path, "{}", nil).status, path)
	}
}

func TestRequestMadeByAnotherSiteIsRefused(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"https://elsewhere.example"}},
	} {
		for _, path := range append(append([]string{consoleLogin}, consoleForms...), opsWrites...) {
			require.Equal(t, http.StatusForbidden, d.operator(t).do(http.MethodPost, path, "", header.Clone()).status, path)
		}
	}
}

func TestLinkFollowedFromAChatIsAskedForOnceMoreByOurOwnPage(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	answer := d.browser(t).do(http.MethodGet, "/console/deliveries/7", "", http.Header{"Sec-Fetch-Site": {"cross-site"}})
	require.Equal(t, http.StatusOK, answer.status)
	require.Contains(t, answer.body, `http-equiv="refresh"`)
	require.Contains(t, answer.body, `href="/console/deliveries/7"`)
}

func TestEveryAnswerCarriesTheBrowsersDefences(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	operator := d.operator(t)
	for _, path := range []string{"/console/login", "/console/nowhere", "/api/v1/ops/nowhere", "/console/static/console.js", "/console/static/nothing"} {
		header := operator.get(path).header
		policy := header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.NotContains(t, policy, "unsafe", path)
		require.Equal(t, "DENY", header.Get("X-Frame-Options"), path)
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
		require.Equal(t, "no-store", header.Get("Cache-Control"), path)
	}
}

func TestStyleAndScriptMayBeKeptUntilTheyChange(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	page := d.browser(t).get("/console/login").body
	for _, name := range []string{"console.css", "console.js", "icon.svg"} {
		at := strings.Index(page, "/console/static/"+name)
		require.Positive(t, at, name)
		path, _, _ := strings.Cut(page[at:], `"`)
		answer := d.browser(t).get(path)
		require.Equal(t, http.StatusOK, answer.status)
		require.NotEmpty(t, answer.body)
		require.Contains(t, answer.header.Get("Cache-Control"), "immutable")
	}
}

func TestLoggedOutMeansLoggedOut(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	operator := d.operator(t)
	page := operator.get("/console/nowhere").body
	token := csrfField.FindStringSubmatch(page)
	require.NotNil(t, token)
	answer := operator.post("/console/logout", url.Values{"csrf": {token[1]}})
	require.Equal(t, "/console/login", answer.header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, operator.get("/console/nowhere").status)
}

func TestPagesNeedNothingInline(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	operator := d.operator(t)
	for _, path := range []string{"/console/login", "/console/nowhere"} {
		body := operator.get(path).body
		require.NotContains(t, body, "<style")
		require.NotContains(t, body, " style=")
		require.NotContains(t, body, " onclick=")
		require.NotContains(t, body, "<script>")
	}
}

func cookieHeader(value string) http.Header { return http.Header{"Cookie": {"vestnik_ops=" + value}} }

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	return parsed
}
