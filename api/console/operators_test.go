package console_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/api/console"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/operators"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/starter"
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

func TestWhoeverHasATokenIsLetInWhileTheFileOfOperatorsIsBroken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "operators")
	vera, err := operators.Add(path, "Вера", operators.Decide)
	require.NoError(t, err)
	list, err := operators.Open(config.NewSecret(opsToken), path)
	require.NoError(t, err)
	pages, err := console.New(console.Config{Operators: list, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	require.NoError(t, os.WriteFile(path, []byte("half a li"), 0o600))
	for _, token := range []string{opsToken, vera} {
		bearer := http.Header{"Authorization": {"Bearer " + token}}
		require.Equal(t, http.StatusNotFound, (&deck{url: server.URL}).browser(t).do(http.MethodGet, "/api/v1/ops/nowhere", "", bearer).status)
	}
}

func TestAnUploadThatIsRefusedLeavesNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "operators")
	guest, err := operators.Add(path, "guest", operators.Look)
	require.NoError(t, err)
	list, err := operators.Open(config.Secret{}, path)
	require.NoError(t, err)
	pages, err := console.New(console.Config{Operators: list, Log: slog.New(slog.DiscardHandler), Guide: &starter.Content{}})
	require.NoError(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	looker := (&deck{url: server.URL}).browser(t)
	require.Equal(t, http.StatusSeeOther, looker.post(consoleLogin, url.Values{"token": {guest}}).status)

	marker := rand.Text()
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	require.NoError(t, writer.WriteField("csrf", "guessed"))
	part, err := writer.CreateFormFile("file", "места.csv")
	require.NoError(t, err)
	_, err = part.Write([]byte(marker + strings.Repeat(" ", 12<<20)))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	require.Equal(t, http.StatusForbidden, looker.do(http.MethodPost, "/console/desk/upload", form.String(), http.Header{"Content-Type": {writer.FormDataContentType()}}).status)
	kept, err := filepath.Glob(filepath.Join(os.TempDir(), "multipart-*"))
	require.NoError(t, err)
	for _, name := range kept {
		begins := make([]byte, len(marker))
		if file, err := os.Open(name); err == nil { // else it is another test's, and gone
			_, _ = io.ReadFull(file, begins)
			require.NoError(t, file.Close())
		}
		require.NotEqual(t, marker, string(begins), name)
	}
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
