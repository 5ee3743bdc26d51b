package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/api/console"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/operators"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// firstKey lets in whoever has the token of all tests.
func firstKey(t testing.TB) *operators.List {
	t.Helper()
	list, err := operators.Open(config.NewSecret(opsToken), "")
	require.NoError(t, err)
	return list
}

func TestOperatorsDecideByNameAndLookersDoNot(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	path := filepath.Join(t.TempDir(), "operators")
	vera, err := operators.Add(path, "Вера", operators.Decide)
	require.NoError(t, err)
	guest, err := operators.Add(path, "guest", operators.Look)
	require.NoError(t, err)
	list, err := operators.Open(config.Secret{}, path)
	require.NoError(t, err)
	pages, err := console.New(console.Config{
		Operators: list, Ledger: d.starter.Ledger, Posts: d.starter.Posts, Cases: d.starter.Cases, Steering: d.starter, Log: d.starter.Log,
	})
	require.NoError(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	d.url = server.URL
	logIn := func(token string) *browser {
		b := d.browser(t)
		require.Equal(t, http.StatusSeeOther, b.post(consoleLogin, url.Values{"token": {token}}).status)
		return b
	}
	require.Equal(t, http.StatusUnauthorized, d.browser(t).post(consoleLogin, url.Values{"token": {opsToken}}).status)

	pause := url.Values{"destination": {chatName}, "reason": {"ночь"}}
	looker := logIn(guest)
	require.Equal(t, http.StatusForbidden, looker.press("/console/destinations/pause", pause).status)
	require.Equal(t, protocol.LaneOpen, d.lane(t, chatName).State)
	bearer := http.Header{"Authorization": {"Bearer " + guest}}
	require.Equal(t, http.StatusForbidden, d.browser(t).do(http.MethodPost, "/api/v1/ops/destinations/pause", `{}`, bearer).status)
	require.Equal(t, http.StatusOK, d.browser(t).do(http.MethodGet, "/api/v1/ops/destinations", "", bearer).status)

	person := logIn(vera)
	require.Equal(t, http.StatusSeeOther, person.press("/console/destinations/pause", pause).status)
	require.Equal(t, protocol.LanePaused, d.lane(t, chatName).State)
	lines, err := d.starter.Ledger.Decisions(t.Context(), "", 0, 10)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.WithinDuration(t, time.Now(), lines[0].At, time.Minute)
	require.Equal(t, db.Decision{
		ID: lines[0].ID, At: lines[0].At, Who: "Вера", Via: "console", Action: "pause", Subject: "destination/" + chatName, Note: "ночь",
	}, lines[0])
	require.Contains(t, looker.get("/console/audit").body, "Вера", "whoever looks sees who decided")

	require.NoError(t, operators.Remove(path, "Вера"))
	require.Equal(t, http.StatusSeeOther, person.get("/console/").status, "what was open in the name of one who is removed ends")
	require.Equal(t, http.StatusOK, looker.get("/console/").status)
}

func TestWhatWasSentIsTakenBackWithAReason(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	id := d.tell(t, -1, "Пропал кот Мурзик, рыжий, ул. Лесная, 4. Тел. 8 900 000-12-34").ID
	require.NotEmpty(t, d.sandbox.Messages(sandbox.ChatID))
	operator := d.operator(t)
	path := "/console/deliveries/" + strconv.FormatInt(id, 10)
	require.Contains(t, operator.get(path).body, "Take back")

	operator.press(path+"/take-back", url.Values{"note": {" "}})
	require.Contains(t, operator.notice(), "say why")
	operator.press(path+"/take-back", url.Values{"note": {"не та кошка"}})
	require.Contains(t, operator.notice(), "is taken back")
	require.Eventually(t, func() bool { return len(d.sandbox.Messages(sandbox.ChatID)) == 0 }, 20*time.Second, 50*time.Millisecond)
	page := operator.get(path).body
	require.Contains(t, page, "Taken back")
	require.Contains(t, page, "не та кошка")
	require.NotContains(t, page, "Take back…")
}
