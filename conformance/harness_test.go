package conformance

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/api"
	"vestnik/db/guidedb"
	"vestnik/db/inbox"
	"vestnik/internal/config"
	"vestnik/internal/devstack"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/telegram"
	"vestnik/internal/telemetry"
	"vestnik/internal/testenv"
	"vestnik/starter"
	"vestnik/workflows"
)

const (
	token     = "7000000777:AAconformance-bot-secret-part-000000"
	secret    = "conformance_secret-42"
	channel   = "@conformance_city"
	channelID = int64(-1001900000777)
	contact   = "https://t.me/conformance_editors"
	waitLimit = 60 * time.Second
)

var zone = time.FixedZone("Самара", 4*60*60)

// setup is what a harness of its own differs in.
type setup struct {
	edit, share bool
	texts       *guide.Texts  // nil: the guide's own
	timeout     time.Duration // of one call; 5 s if 0
	noWorker    bool          // workers are the test's business
	concurrency int
	// temporal, if set, gives the harness a Temporal server of its own with these
	// settings besides the usual ones.
	temporal []devstack.Setting
}

// harness is the guide as in production: webhook, Temporal, worker, Postgres, and
// the sandbox in Telegram's place. A test on a shared harness uses chats of its
// own; one that breaks something has a harness of its own.
type harness struct {
	t        testing.TB
	sandbox  *sandbox.Server
	journal  *journal
	pool     *pgxpool.Pool
	cable    *cable
	database string
	temporal client.Client
	voice    *telemetry.Telemetry
	token    *activities.TokenHealth
	server   *httptest.Server
	receiver *api.Receiver
	setup    setup
	address  string // of a Temporal server of its own
}

// scope gives each harness of a test a Temporal namespace of its own: testenv
// makes one for each testing.TB.
type scope struct{ testing.TB }

func newHarness(t testing.TB, setup setup) *harness {
	t.Helper()
	t = &scope{TB: t}
	if setup.timeout == 0 {
		setup.timeout = 5 * time.Second
	}
	r := &harness{t: t, journal: &journal{}, setup: setup, cable: &cable{}, token: &activities.TokenHealth{}}
	r.journal.arrived = sync.NewCond(&r.journal.mu)
	r.startSandbox()
	r.database = testenv.Database(t)
	r.pool = r.connect(r.cable)
	furnish(t, r.pool, r.sandbox)

	var err error
	telemetry.Redact(config.NewSecret(token), config.NewSecret(secret))
	r.voice, err = telemetry.Start(t.Context(), config.Log{Level: "info"}, "conformance", r.journal)
	require.NoError(t, err)
	if setup.temporal != nil {
		r.startTemporal()
	}
	r.temporal = r.client()
	if !setup.noWorker {
		r.startWorker()
	}
	r.server = httptest.NewServer(r.webhook())
	t.Cleanup(r.server.Close)
	return r
}

func (r *harness) startSandbox() {
	// The sandbox outlives the context of the test, so that workers can end.
	server, err := sandbox.Start(context.Background(), sandbox.Options{Limits: sandbox.NoLimits, PictureWidth: 160})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = server.Close() })
	bot := sandbox.Bot{Token: token, Username: "conformance_bot"}
	require.NoError(r.t, server.AddBot(bot))
	require.NoError(r.t, server.AddChat(sandbox.Chat{
		ID: channelID, Type: sandbox.Channel, Title: "Город", Username: channel[1:],
		Members: map[int64]sandbox.Member{bot.ID(): {Status: sandbox.Administrator}},
	}))
	r.sandbox = server
}

func (r *harness) connect(cable *cable) *pgxpool.Pool {
	settings, err := pgxpool.ParseConfig(r.database)
	require.NoError(r.t, err)
	settings.ConnConfig.DialFunc = cable.dial
	settings.ConnConfig.ConnectTimeout = 2 * time.Second
	pool, err := pgxpool.NewWithConfig(context.Background(), settings)
	require.NoError(r.t, err)
	r.t.Cleanup(pool.Close)
	return pool
}

func (r *harness) client() client.Client {
	var options client.Options
	require.NoError(r.t, r.voice.Equip(&options))
	if r.address != "" {
		options.HostPort = r.address
		own, err := client.Dial(options)
		require.NoError(r.t, err)
		r.t.Cleanup(own.Close)
		return own
	}
	return testenv.TemporalWith(r.t, options)
}

// startTemporal starts a server for this harness alone.
func (r *harness) startTemporal() {
	root, err := filepath.Abs("..")
	require.NoError(r.t, err)
	binary, err := devstack.FindTemporal(r.t.Context(), root, func(string) {})
	require.NoError(r.t, err)
	dir := r.t.TempDir()
	server, err := devstack.StartTemporal(r.t.Context(), devstack.TemporalOptions{
		Binary: binary, Home: dir, LogFile: filepath.Join(dir, "temporal.log"), AnyPort: true, Namespaces: []string{"default"},
		Settings: append(r.setup.temporal, devstack.Settings...), Progress: func(string) {},
	})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = server.Stop(context.Background()) })
	r.address = server.Address
}

// startWorker runs one more worker process, as far as Temporal can tell.
func (r *harness) startWorker() {
	w := worker.New(r.client(), protocol.TaskQueue, worker.Options{WorkerStopTimeout: 2 * time.Second})
	w.RegisterWorkflowWithOptions(workflows.BotSession, workflow.RegisterOptions{Name: protocol.BotSessionWorkflow})
	w.RegisterActivity(r.guide())
	require.NoError(r.t, w.Start())
	r.t.Cleanup(w.Stop)
}

func (r *harness) guide() *activities.Guide {
	bot := func() *telegram.Client {
		client, err := telegram.New(telegram.Config{Token: token, BaseURL: r.sandbox.TelegramURL(), Timeout: r.setup.timeout})
		require.NoError(r.t, err)
		return client
	}
	username := ""
	if r.setup.share {
		username = "conformance_bot"
	}
	return activities.NewGuide(activities.GuideConfig{
		Answers: bot(), Screens: bot(), Store: guidedb.New(r.pool), Inbox: inbox.New(r.pool),
		Channel: channel, ContactURL: contact, Zone: zone, EditInPlace: r.setup.edit,
		Seal: r.seal(), Username: username, Texts: r.setup.texts,
		Concurrency: r.setup.concurrency, Token: r.token, Log: r.voice.Logger,
	})
}

func (r *harness) seal() *guide.Seal {
	seal, err := guide.NewSeal(func() string { return token })
	require.NoError(r.t, err)
	return seal
}

// webhook is one more api process.
func (r *harness) webhook() http.Handler {
	client, err := telegram.New(telegram.Config{Token: token, BaseURL: r.sandbox.TelegramURL()})
	require.NoError(r.t, err)
	r.receiver = api.NewReceiver(api.ReceiverConfig{
		Sessions: starter.NewSessions(r.temporal, client.BotID()), Seal: r.seal(), Texts: r.setup.texts, Log: r.voice.Logger, Count: r.voice.Metrics.Update,
	})
	return r.webhookTo(r.receiver)
}

func (r *harness) webhookTo(receiver *api.Receiver) http.Handler {
	handler, err := api.NewWebhook(api.WebhookConfig{Secret: secret, Receiver: receiver, Log: r.voice.Logger})
	require.NoError(r.t, err)
	mux := http.NewServeMux()
	mux.Handle(api.WebhookPath, handler)
	return mux
}

// cable is the line to Postgres, to be cut and mended.
type cable struct {
	mu    sync.Mutex
	cut   bool
	lines []net.Conn
}

func (c *cable) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return nil, fmt.Errorf("the cable to the database is cut")
	}
	line, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		c.lines = append(c.lines, line)
	}
	return line, err
}

func (c *cable) sever() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	for _, line := range c.lines {
		_ = line.Close()
	}
	c.lines = nil
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = false
}

// answer is what the webhook said.
type answer struct {
	status int
	body   string
	header http.Header
}

func (r *harness) post(body string, changes ...func(*http.Request)) answer {
	r.t.Helper()
	return r.postTo(r.server.URL+api.WebhookPath, body, changes...)
}

func (r *harness) postTo(address, body string, changes ...func(*http.Request)) answer {
	request, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	require.NoError(r.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
	for _, change := range changes {
		change(request)
	}
	response, err := r.server.Client().Do(request)
	require.NoError(r.t, err)
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	return answer{response.StatusCode, string(said), response.Header}
}

func withSecret(values ...string) func(*http.Request) {
	return func(request *http.Request) {
		request.Header["X-Telegram-Bot-Api-Secret-Token"] = values
	}
}

// query reads one value from the database.
func query[T any](r *harness, statement string, arguments ...any) T {
	r.t.Helper()
	var value T
	require.NoError(r.t, r.pool.QueryRow(context.Background(), statement, arguments...).Scan(&value))
	return value
}

// metrics is what /metrics says.
func (r *harness) metrics() string {
	recorder := httptest.NewRecorder()
	r.voice.MetricsHandler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return recorder.Body.String()
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}
