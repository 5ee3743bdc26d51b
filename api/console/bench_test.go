package console_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/api/console"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/telemetry"
	"vestnik/internal/testenv"
	"vestnik/starter"
	"vestnik/worker"
)

const (
	opsToken     = "operators-token-of-a-test-0123456789"
	chatName     = "telegram:-1001900000001"
	wallName     = "vk:-900000005"
	consoleLogin = "/console/login"
)

// deck is a console over the real thing: Postgres, Temporal, a worker, and the
// sandbox in the place of Telegram and VK.
type deck struct {
	url     string
	pool    *pgxpool.Pool
	starter *starter.Starter
	sandbox *sandbox.Server
	log     *lines
	stop    chan struct{} // ends what pages listen to
	dead    atomic.Bool   // it answers nobody
	server  *httptest.Server
}

// newDeck starts everything; without a worker, nothing answers for the lanes.
func newDeck(t *testing.T, withWorker bool) *deck {
	t.Helper()
	platforms, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, platforms.Close()) })

	database := testenv.Database(t)
	cfg, err := config.Load(map[string]string{
		"DATABASE_URL": database, "OPS_TOKEN": opsToken,
		"TELEGRAM_API_URL": platforms.TelegramURL(), "VK_API_URL": platforms.VKURL(),
		"VK_TOKEN": sandbox.VKReadToken, "VK_WALLS": strings.Join(append(sandbox.WallNames(), sandbox.ClosedWallName), ","),
		"TG_ENABLED": "true", "TG_TOKEN": sandbox.TelegramToken, "TG_CHAT": strconv.FormatInt(sandbox.ChatID, 10),
		"VK_OUT_ENABLED": "true", "VK_OUT_TOKEN": sandbox.VKWriteToken, "VK_OUT_OWNER_ID": strconv.FormatInt(sandbox.DestinationOwnerID, 10),
	})
	require.NoError(t, err)
	pool, err := db.Open(t.Context(), database)
	require.NoError(t, err)
	t.Cleanup(pool.Close)

	log := &lines{}
	parts, err := starter.New(cfg, pool, testenv.Temporal(t), testenv.Logger(t))
	require.NoError(t, err)
	if withWorker {
		runWorker(t, parts)
	}
	d := &deck{pool: pool, starter: parts, sandbox: platforms, log: log, stop: make(chan struct{})}
	pages, err := console.New(console.Config{
		Operators: firstKey(t), Ledger: parts.Ledger, Posts: parts.Posts, Cases: parts.Cases, Steering: d.starter,
		Routes: parts.Routes, MaxAge: cfg.Scan.MaxAge,
		TemporalUI: "http://127.0.0.1:8233", Namespace: "default",
		SandboxURL: platforms.URL(), Log: slog.New(slog.NewJSONHandler(log, nil)), Stop: d.stop,
	})
	require.NoError(t, err)
	d.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.dead.Load() {
			panic(http.ErrAbortHandler)
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(d.server.Close)
	t.Cleanup(func() { close(d.stop) })
	d.url = d.server.URL
	return d
}

func runWorker(t *testing.T, parts *starter.Starter) {
	t.Helper()
	measures, err := telemetry.Start(t.Context(), config.Log{Level: "error"}, "worker", io.Discard)
	require.NoError(t, err)
	workers := worker.New(parts.Temporal, parts.Config.Worker)
	require.NoError(t, worker.RegisterRelay(workers, worker.NewClients(parts), nil, measures.Metrics))
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- workers.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, measures.Shutdown(context.WithoutCancel(t.Context())))
	})
}

// owe stores a post of a lost cat and owes it to a destination, started as
// soon as a worker is there.
func (d *deck) owe(t *testing.T, postID int64, destination string) int64 {
	t.Helper()
	post := lostCat(postID)
	_, err := d.starter.Posts.StorePage(t.Context(), db.Page{
		Posts: []db.Post{post}, Owed: func(db.Post) []db.Owed { return nil },
	})
	require.NoError(t, err)
	id, _, err := d.starter.Posts.Owe(t.Context(), post.OwnerID, post.PostID, db.Owed{Destination: destination, Weight: 1})
	require.NoError(t, err)
	return id
}

// send owes and starts, and waits until the delivery has the status.
func (d *deck) send(t *testing.T, postID int64, destination, status string) int64 {
	t.Helper()
	id := d.owe(t, postID, destination)
	_, err := d.starter.StartOwed(t.Context())
	require.NoError(t, err)
	delivery := d.await(t, id, status)
	if delivery.Status == protocol.StatusParked {
		d.awaitDecision(t, delivery)
	}
	return id
}

// awaitDecision waits until the workflow is ready for what the row promises,
// and its lane has taken notice.
func (d *deck) awaitDecision(t *testing.T, delivery db.DeliveryRow) {
	t.Helper()
	require.Eventually(t, func() bool {
		described, err := d.starter.Temporal.DescribeWorkflow(t.Context(), delivery.WorkflowID, "")
		if err != nil {
			return false
		}
		state, _ := described.TypedSearchAttributes.GetKeyword(protocol.DeliveryState)
		lane, err := d.starter.Destination(t.Context(), delivery.Destination)
		return err == nil && state == delivery.Status && lane.State == protocol.LanePaused
	}, 20*time.Second, 20*time.Millisecond)
}

func (d *deck) await(t *testing.T, id int64, status string) db.DeliveryRow {
	t.Helper()
	var delivery db.DeliveryRow
	require.Eventually(t, func() bool {
		var err error
		delivery, err = d.starter.Ledger.Delivery(t.Context(), id)
		return err == nil && delivery.Status == status
	}, 20*time.Second, 20*time.Millisecond, "delivery %d never became %s: it is %s (%s)", id, status, delivery.Status, delivery.Reason)
	return delivery
}

// browser keeps cookies and follows no redirect by itself.
type browser struct {
	t      *testing.T
	url    string
	client *http.Client
}

func (d *deck) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{t: t, url: d.url, client: &http.Client{
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// operator is a browser that is logged in.
func (d *deck) operator(t *testing.T) *browser {
	t.Helper()
	b := d.browser(t)
	answer := b.post(consoleLogin, url.Values{"token": {opsToken}})
	require.Equal(t, http.StatusSeeOther, answer.status)
	return b
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (b *browser) get(path string) answer { return b.do(http.MethodGet, path, "", nil) }

func (b *browser) post(path string, form url.Values) answer {
	return b.do(http.MethodPost, path, form.Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
}

// press sends a form as the page with it would, with its form token.
func (b *browser) press(path string, form url.Values) answer {
	b.t.Helper()
	form.Set("csrf", b.formToken())
	return b.post(path, form)
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func (b *browser) formToken() string {
	b.t.Helper()
	found := csrfField.FindStringSubmatch(b.get("/console/").body)
	require.NotNil(b.t, found, "no form token on the page")
	return found[1]
}

// notice is what the next page says about what was pressed last.
func (b *browser) notice() string {
	b.t.Helper()
	found := regexp.MustCompile(`(?s)role="status">(.*?)</div>`).FindStringSubmatch(b.get("/console/").body)
	require.NotNil(b.t, found, "no notice on the page")
	return found[1]
}

func (b *browser) do(method, path, body string, header http.Header) answer {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	require.NoError(b.t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := b.client.Do(request)
	require.NoError(b.t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	return answer{response.StatusCode, response.Header, string(content)}
}

// program asks with the bearer token.
func (d *deck) program(t *testing.T, method, path, body string) answer {
	t.Helper()
	return d.browser(t).do(method, path, body, http.Header{"Authorization": {"Bearer " + opsToken}})
}

// lines is a log that a test reads again.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// lostCat is a post as the relay stores it.
func lostCat(postID int64) db.Post {
	text := "Пропала кошка Буся! Район Заречной, ул. Луговая, 17. Трёхцветная, в красном ошейнике <b>боится</b> людей.\nЗвоните: +7 900 000-12-34, Ирина"
	return petpost.ReadPost(post.Post{
		ID: post.ID{OwnerID: -900000001, PostID: postID}, FromID: -900000001, PostedAt: time.Now().Add(-time.Hour), Text: text,
		Photos: []post.Photo{{OwnerID: -900000001, ID: 456, Sizes: []post.Size{
			{URL: "https://sun9-1.example/large.jpg", Width: 1280, Height: 960},
			{URL: "https://sun9-1.example/small.jpg", Width: 604, Height: 453},
			{URL: "javascript:alert(1)", Width: 320},
		}}},
		ContentHash: []byte{byte(postID)},
	})
}

// about is the JSON that names a destination and why.
func about(destination, reason string) string {
	return `{"destination": "` + destination + `", "reason": "` + reason + `"}`
}
