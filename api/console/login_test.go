package console_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"log/slog"

	"vestnik/api/console"
	"vestnik/db"
	"vestnik/db/logouts"
	"vestnik/internal/config"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/testenv"
	"vestnik/starter"
)

func TestWrongLoginsAreLoggedSlowAndFew(t *testing.T) {
	t.Parallel()
	clock := time.Now()
	d, log := doorOnly(t, func() time.Time { return clock })
	guess := func(browser *browser, token string, header http.Header) answer {
		header = header.Clone()
		if header == nil {
			header = http.Header{}
		}
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		return browser.do(http.MethodPost, consoleLogin, url.Values{"token": {token}}.Encode(), header)
	}
	attacker := http.Header{"X-Forwarded-For": {"198.51.100.1, 203.0.113.9"}}
	began := time.Now()
	for range 5 {
		require.Equal(t, http.StatusUnauthorized, guess(d.browser(t), "a guess", attacker).status)
	}
	require.GreaterOrEqual(t, time.Since(began), 5*time.Second, "a second each")
	require.Contains(t, log.String(), `"remote":"203.0.113.9"`, "the address is logged: what our proxy says, not what the client says it is")
	for _, token := range []string{"a guess", opsToken} {
		refused := guess(d.browser(t), token, attacker)
		require.Equal(t, http.StatusTooManyRequests, refused.status, "the right one is not taken either, or guessing would go on")
		require.NotEmpty(t, refused.header.Get("Retry-After"))
		require.Contains(t, refused.body, "Too many wrong tokens")
	}
	require.Equal(t, http.StatusSeeOther, guess(d.browser(t), opsToken, http.Header{"X-Forwarded-For": {"203.0.113.10"}}).status, "others get in")
	clock = clock.Add(13 * time.Second)
	require.Equal(t, http.StatusSeeOther, guess(d.browser(t), opsToken, attacker).status, "and who waits")
	require.NotContains(t, log.String(), "a guess")
}

func TestWrongTokensInHeadersAreFew(t *testing.T) {
	t.Parallel()
	d, log := doorOnly(t, nil)
	statuses := map[int]int{}
	for range 200 {
		statuses[d.browser(t).do(http.MethodGet, "/api/v1/ops/nowhere", "", http.Header{"Authorization": {"Bearer guess"}}).status]++
	}
	require.InDelta(t, 60, statuses[http.StatusUnauthorized], 30)
	require.Equal(t, 200, statuses[http.StatusUnauthorized]+statuses[http.StatusTooManyRequests])
	require.Contains(t, log.String(), "operator token refused")
}

func TestLoggingOutEndsTheSessionForWhoeverHasItsCookie(t *testing.T) {
	t.Parallel()
	d, _ := doorOnly(t, nil)
	operator := d.operator(t)
	stolen := operator.client.Jar.Cookies(mustParse(t, d.url))[0].Value
	other := d.operator(t)
	require.Equal(t, http.StatusNotFound, d.browser(t).do(http.MethodGet, "/console/nowhere", "", cookieHeader(stolen)).status)

	require.Equal(t, "/console/login", logOut(operator).header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, d.browser(t).do(http.MethodGet, "/console/nowhere", "", cookieHeader(stolen)).status)
	require.Equal(t, http.StatusUnauthorized, d.browser(t).do(http.MethodGet, "/api/v1/ops/nowhere", "", cookieHeader(stolen)).status)
	require.Equal(t, http.StatusNotFound, other.get("/console/nowhere").status, "another session goes on")
}

func TestASessionEndedInOneProcessIsEndedInAllAndAfterARestart(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	process := func() *deck {
		pages, err := console.New(console.Config{
			Operators: firstKey(t), Logouts: logouts.New(pool), Log: slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		server := httptest.NewServer(pages)
		t.Cleanup(server.Close)
		return &deck{url: server.URL}
	}
	one, two := process(), process()
	operator := one.operator(t)
	cookie := operator.client.Jar.Cookies(mustParse(t, one.url))[0].Value
	require.Equal(t, http.StatusNotFound, two.browser(t).do(http.MethodGet, "/console/nowhere", "", cookieHeader(cookie)).status)
	logOut(operator)
	for _, d := range []*deck{one, two, process()} {
		require.Equal(t, http.StatusSeeOther, d.browser(t).do(http.MethodGet, "/console/nowhere", "", cookieHeader(cookie)).status)
	}
	pool.Close()
	require.Equal(t, http.StatusServiceUnavailable, two.browser(t).do(http.MethodGet, "/console/nowhere", "", cookieHeader(two.operator(t).client.Jar.Cookies(mustParse(t, two.url))[0].Value)).status,
		"who can't be looked up is not let in")
}

func logOut(b *browser) answer {
	b.t.Helper()
	token := csrfField.FindStringSubmatch(b.get("/console/nowhere").body)
	require.NotNil(b.t, token)
	return b.post("/console/logout", url.Values{"csrf": {token[1]}})
}

// away steers nothing: Temporal doesn't answer.
type away struct{}

var errAway = errors.New("no Temporal")

func (away) Resume(context.Context, int64, protocol.Resume) (string, error) { return "", errAway }
func (away) DecideAll(context.Context, string, db.WaitingFilter, time.Time, protocol.Resume, bool) (db.BulkDecision, error) {
	return db.BulkDecision{}, errAway
}
func (away) SetType(context.Context, post.ID, petpost.Type, string) (db.TypeSet, error) {
	return db.TypeSet{}, errAway
}
func (away) Problems(context.Context) ([]protocol.Problem, error)       { return nil, errAway }
func (away) Destinations(context.Context) ([]protocol.LaneState, error) { return nil, errAway }
func (away) TakeBack(context.Context, string, ...int64) error           { return errAway }
func (away) PauseDestination(context.Context, string, string, string) (protocol.LaneState, error) {
	return protocol.LaneState{}, errAway
}
func (away) ResumeKey(context.Context, string) (bool, error)    { return false, errAway }
func (away) ReadingKeys(context.Context) ([]db.KeyState, error) { return nil, errAway }
func (away) ResumeDestination(context.Context, string) (protocol.LaneState, error) {
	return protocol.LaneState{}, errAway
}
func (away) SetRate(context.Context, string, protocol.Pace) (protocol.LaneState, error) {
	return protocol.LaneState{}, errAway
}
func (away) Scan(context.Context, protocol.ScanWallsInput) (protocol.ScanWallsResult, error) {
	return protocol.ScanWallsResult{}, errAway
}
func (away) Plan(context.Context) (protocol.ReadPlan, error) { return protocol.ReadPlan{}, errAway }
func (away) Deliver(context.Context, int64, int64, route.Destination) (int64, error) {
	return 0, errAway
}

func (away) JoinCases(context.Context, int64, []int64, string) (int64, error) {
	return 0, errAway
}
func (away) SplitCase(context.Context, int64, []post.ID, bool, string) (int64, []int64, error) {
	return 0, nil, errAway
}

// FuzzConsoleForms sends whatever a browser could, logged in and with the
// form's token, to whatever the console takes: nothing panics, the database is
// asked nothing that it can't answer, and what came in never comes out as
// markup or leads elsewhere.
func FuzzConsoleForms(f *testing.F) {
	for _, seed := range [][3]string{
		{"POST", "/console/login", "token=x&next=//evil.example"},
		{"GET", "/console/login?next=%2Fconsole%2F%22%3E%3Cscript%3Ealert(1)%3C/script%3E", ""},
		{"POST", "/console/deliveries/resume", "id=1&id=99999999999999999999&action=skip&note=%00%ff"},
		{"POST", "/console/deliveries/1/resume", "action=captcha&captcha_key=x&back=//evil.example"},
		{"POST", "/console/cases/1/split", "post=wall-1_%D0%B0&note=%00%ff"},
		{"POST", "/console/cases/1/join", "with=9223372036854775808&back=%2Fconsole%2F"},
		{"POST", "/console/destinations/rate", "destination=telegram:-1&rate=1e999"},
		{"POST", "/console/scan", "wall=%3Cscript%3E"},
		{"POST", "/api/v1/ops/destinations/rate", `{"destination":"telegram:-1","rate_per_sec":1e999}`},
		{"POST", "/api/v1/ops/deliveries/resume", `{"ids":[1,-1],"action":"retry\u0000"}`},
		{"GET", "/console/deliveries?status=%27--&before=-1&limit=1e9", ""},
		{"GET", "/console/cases/find?q=%00wall-1_99999999999999999999", ""},
		{"GET", "/console/posts/wall-9223372036854775808_1", ""},
		{"GET", "/console/audit?subject=%00%27&before=-1", ""},
		{"POST", "/api/v1/ops/deliveries/-1/take-back", `{"note":"\u0000"}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	pool, err := db.Open(f.Context(), testenv.Database(f))
	require.NoError(f, err)
	f.Cleanup(pool.Close)
	parts, err := starter.New(config.Config{}, pool, nil, slog.New(slog.DiscardHandler))
	require.NoError(f, err)
	pages, err := console.New(console.Config{
		Operators: firstKey(f), Ledger: parts.Ledger, Posts: parts.Posts, Cases: parts.Cases, Steering: away{},
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(f, err)
	ask := func(t testing.TB, method, target, body string, header http.Header) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", strings.NewReader(body))
		address, err := url.ParseRequestURI(target)
		require.NoError(t, err)
		request.Method, request.URL, request.RequestURI, request.Header = method, address, target, header
		recorder := httptest.NewRecorder()
		pages.ServeHTTP(recorder, request)
		return recorder
	}
	formHeader := func() http.Header { return http.Header{"Content-Type": {"application/x-www-form-urlencoded"}} }
	login := ask(f, http.MethodPost, consoleLogin, url.Values{"token": {opsToken}}.Encode(), formHeader())
	session := login.Result().Cookies()[0]
	page := ask(f, http.MethodGet, "/console/nowhere", "", cookieHeader(session.Value))
	csrf := csrfField.FindStringSubmatch(page.Body.String())
	require.NotNil(f, csrf)

	f.Fuzz(func(t *testing.T, method, target, body string) {
		address, err := url.ParseRequestURI(target)
		if err != nil || address.Host != "" || !strings.HasPrefix(target, "/") || strings.HasPrefix(address.Path, "/console/logout") ||
			method == http.MethodPost && strings.HasPrefix(address.Path, consoleLogin) { // takes its second
			return
		}
		header := formHeader()
		header["Cookie"] = []string{"vestnik_ops=" + session.Value}
		if strings.HasPrefix(address.Path, console.OpsPath) {
			header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + opsToken}}
		} else if method == http.MethodPost {
			body = "csrf=" + url.QueryEscape(csrf[1]) + "&" + body
		}
		answer := ask(t, method, target, body, header)
		require.NotEqual(t, http.StatusInternalServerError, answer.Code, answer.Body.String())
		require.NotContains(t, answer.Body.String(), "<script>")
		if location := answer.Header().Get("Location"); location != "" {
			leads, err := url.Parse(location)
			require.NoError(t, err)
			require.Empty(t, leads.Host, location)
			require.False(t, strings.HasPrefix(location, "//") || strings.HasPrefix(location, `/\`), location)
		}
	})
}
