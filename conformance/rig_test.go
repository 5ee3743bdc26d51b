package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	patience  = 60 * time.Second
)

var zone = time.FixedZone("Самара", 4*60*60)

// setup is what a rig of its own differs in.
type setup struct {
	edit, extras bool
	timeout      time.Duration // of one call; 5 s if 0
	noWorker     bool          // workers are the test's business
	concurrency  int
}

// rig is the guide as in production: webhook, Temporal, worker, Postgres, and
// the sandbox in Telegram's place. A test on a shared rig uses chats of its
// own; one that breaks something has a rig of its own.
type rig struct {
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
	door     *api.Door
	setup    setup
}

// scope gives each rig of a test a Temporal namespace of its own: testenv
// makes one for each testing.TB.
type scope struct{ testing.TB }

func newRig(t testing.TB, setup setup) *rig {
	t.Helper()
	t = &scope{TB: t}
	if setup.timeout == 0 {
		setup.timeout = 5 * time.Second
	}
	r := &rig{t: t, journal: &journal{}, setup: setup, cable: &cable{}, token: &activities.TokenHealth{}}
	r.journal.arrived = sync.NewCond(&r.journal.mu)
	r.startSandbox()
	r.database = testenv.Database(t)
	r.pool = r.connect(r.cable)
	furnish(t, r.pool, r.sandbox)

	var err error
	telemetry.Redact(config.NewSecret(token), config.NewSecret(secret))
	r.voice, err = telemetry.Start(t.Context(), config.Log{Level: "info"}, "conformance", r.journal)
	require.NoError(t, err)
	r.temporal = r.client()
	if !setup.noWorker {
		r.startWorker()
	}
	r.server = httptest.NewServer(r.webhook())
	t.Cleanup(r.server.Close)
	return r
}

func (r *rig) startSandbox() {
	// The sandbox outlives the context of the test, so that workers can end.
	server, err := sandbox.Start(context.Background(), sandbox.Options{Limits: sandbox.NoLimits})
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

func (r *rig) connect(cable *cable) *pgxpool.Pool {
	settings, err := pgxpool.ParseConfig(r.database)
	require.NoError(r.t, err)
	settings.ConnConfig.DialFunc = cable.dial
	settings.ConnConfig.ConnectTimeout = 2 * time.Second
	pool, err := pgxpool.NewWithConfig(context.Background(), settings)
	require.NoError(r.t, err)
	r.t.Cleanup(pool.Close)
	return pool
}

func (r *rig) client() client.Client {
	var options client.Options
	require.NoError(r.t, r.voice.Equip(&options))
	return testenv.TemporalWith(r.t, options)
}

// startWorker runs one more worker process, as far as Temporal can tell.
func (r *rig) startWorker() {
	w := worker.New(r.client(), protocol.TaskQueue, worker.Options{WorkerStopTimeout: 2 * time.Second})
	w.RegisterWorkflowWithOptions(workflows.BotSession, workflow.RegisterOptions{Name: protocol.BotSessionWorkflow})
	w.RegisterActivity(r.guide())
	require.NoError(r.t, w.Start())
	r.t.Cleanup(w.Stop)
}

func (r *rig) guide() *activities.Guide {
	bot := func() *telegram.Client {
		client, err := telegram.New(telegram.Config{Token: token, BaseURL: r.sandbox.TelegramURL(), Timeout: r.setup.timeout})
		require.NoError(r.t, err)
		return client
	}
	return activities.NewGuide(activities.GuideConfig{
		Answers: bot(), Screens: bot(), Store: guidedb.New(r.pool), Inbox: inbox.New(r.pool),
		Channel: channel, ContactURL: contact, Zone: zone, EditInPlace: r.setup.edit,
		Extras: r.setup.extras, Seal: r.seal(), Username: "conformance_bot",
		Concurrency: r.setup.concurrency, Token: r.token, Log: r.voice.Logger,
	})
}

func (r *rig) seal() *guide.Seal {
	if !r.setup.extras {
		return nil
	}
	seal, err := guide.NewSeal(token)
	require.NoError(r.t, err)
	return seal
}

// webhook is one more api process.
func (r *rig) webhook() http.Handler {
	client, err := telegram.New(telegram.Config{Token: token, BaseURL: r.sandbox.TelegramURL()})
	require.NoError(r.t, err)
	r.door = api.NewDoor(api.DoorConfig{
		Sessions: starter.NewSessions(r.temporal, client.BotID()), Seal: r.seal(), Log: r.voice.Logger,
	})
	return r.webhookTo(r.door)
}

func (r *rig) webhookTo(door *api.Door) http.Handler {
	handler, err := api.NewWebhook(api.WebhookConfig{Secret: secret, Door: door, Log: r.voice.Logger})
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

// journal is everything that the processes of a rig have logged.
type journal struct {
	mu      sync.Mutex
	arrived *sync.Cond
	raw     bytes.Buffer
	lines   []line
}

// line is one line of the log.
type line map[string]any

func (l line) text(name string) string {
	if value, ok := l[name]; ok {
		return fmt.Sprint(value)
	}
	return ""
}

func (l line) number(name string) int64 {
	value, _ := l[name].(json.Number)
	n, _ := value.Int64()
	return n
}

func (j *journal) Write(p []byte) (int, error) {
	decoder := json.NewDecoder(bytes.NewReader(p))
	decoder.UseNumber()
	var l line
	j.mu.Lock()
	defer j.mu.Unlock()
	j.raw.Write(p)
	if decoder.Decode(&l) == nil {
		j.lines = append(j.lines, l)
	}
	j.arrived.Broadcast()
	return len(p), nil
}

// forget drops what has been logged, so that a benchmark measures others.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines, j.raw = nil, bytes.Buffer{}
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.raw.String()
}

func (j *journal) all(match func(line) bool) (found []line) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		if match(l) {
			found = append(found, l)
		}
	}
	return found
}

func (j *journal) of(updateID int64) []line {
	return j.all(func(l line) bool { return l.number("update_id") == updateID })
}

// await blocks until n lines match.
func (j *journal) await(t testing.TB, n int, what string, match func(line) bool) []line {
	t.Helper()
	var late atomic.Bool
	timer := time.AfterFunc(patience, func() {
		late.Store(true)
		j.mu.Lock()
		defer j.mu.Unlock()
		j.arrived.Broadcast()
	})
	defer timer.Stop()
	j.mu.Lock()
	defer j.mu.Unlock()
	for from := 0; ; {
		var found []line
		for _, l := range j.lines {
			if match(l) {
				found = append(found, l)
			}
		}
		if len(found) >= n {
			return found
		}
		if late.Load() {
			t.Fatalf("waited for %d × %s in the log, saw %d", n, what, len(found))
		}
		_ = from
		j.arrived.Wait()
	}
}

// closing waits for the n closing lines of an update: an update delivered n
// times has n, of which n-1 say that it was a duplicate.
func (j *journal) closing(t testing.TB, updateID int64, n int) []line {
	t.Helper()
	return j.await(t, n, fmt.Sprintf("closing line of update %d", updateID), func(l line) bool {
		return l.number("update_id") == updateID && l.text("result") != ""
	})
}

// answer is what the webhook said.
type answer struct {
	status int
	body   string
	header http.Header
}

func (r *rig) post(body string, changes ...func(*http.Request)) answer {
	r.t.Helper()
	return r.postTo(r.server.URL+api.WebhookPath, body, changes...)
}

func (r *rig) postTo(address, body string, changes ...func(*http.Request)) answer {
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

var people atomic.Int64

// person talks to the bot in a private chat of their own.
type person struct {
	*rig
	t    testing.TB
	id   int64
	seen int64 // number of the last call that was looked at
}

// person is somebody new, subscribed to the channel.
func (r *rig) person(t testing.TB) *person {
	t.Helper()
	return r.personWithID(t, 5_550_000_000+people.Add(1)) // beyond 32 bits, as many are
}

func (r *rig) personWithID(t testing.TB, id int64) *person {
	p := &person{rig: r, t: t, id: id}
	require.NoError(t, r.sandbox.AddChat(sandbox.Chat{ID: id, Type: sandbox.PrivateChat, Title: "Имярек Канарейкин"}))
	p.member(sandbox.Member{Status: sandbox.Ordinary})
	return p
}

func (p *person) member(member sandbox.Member) {
	require.NoError(p.t, p.sandbox.SetMember(channelID, p.id, member))
}

func (p *person) who() sandbox.Person {
	return sandbox.Person{ID: p.id, Name: "Имярек Канарейкин", Username: "canary_user"}
}

// trail is what an update has left behind.
type trail struct {
	update sandbox.Update
	line   line           // the closing one
	lines  []line         // all of them
	calls  []sandbox.Call // in order of arrival
}

func (tr trail) methods() []string {
	methods := []string{}
	for _, call := range tr.calls {
		methods = append(methods, call.Method)
	}
	return methods
}

// screen is the last message sent.
func (tr trail) screen(t testing.TB) screen {
	t.Helper()
	for _, call := range slices.Backward(tr.calls) {
		if strings.HasPrefix(call.Method, "send") || strings.HasPrefix(call.Method, "edit") {
			return readScreen(t, call)
		}
	}
	t.Fatalf("no screen among %v; closing line %v", tr.methods(), tr.line)
	return screen{}
}

// screen is a message as it went over the wire.
type screen struct {
	method, text, photo string
	rows                [][]button
}

type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
	URL  string `json:"url"`
}

func readScreen(t testing.TB, call sandbox.Call) screen {
	t.Helper()
	s := screen{method: call.Method, text: call.Text("text") + call.Text("caption"), photo: call.Text("photo")}
	if raw := call.Text("reply_markup"); raw != "" {
		var markup struct {
			Rows [][]button `json:"inline_keyboard"`
		}
		require.NoError(t, json.Unmarshal([]byte(raw), &markup))
		s.rows = markup.Rows
	}
	return s
}

// data lists the callback data of all buttons.
func (s screen) data() (all []string) {
	for _, row := range s.rows {
		for _, b := range row {
			if b.Data != "" {
				all = append(all, b.Data)
			}
		}
	}
	return all
}

func (s screen) button(t testing.TB, text string) button {
	t.Helper()
	for _, row := range s.rows {
		for _, b := range row {
			if b.Text == text {
				return b
			}
		}
	}
	t.Fatalf("no button %q in %v", text, s.rows)
	return button{}
}

func (s screen) has(text string) bool {
	for _, row := range s.rows {
		for _, b := range row {
			if b.Text == text {
				return true
			}
		}
	}
	return false
}

// say writes a message and waits until it is handled.
func (p *person) say(text string) trail {
	p.t.Helper()
	update, err := p.sandbox.Say(token, p.who(), text)
	require.NoError(p.t, err)
	return p.handle(update)
}

// send delivers a message with any content besides who and where.
func (p *person) send(fields string) trail {
	p.t.Helper()
	update, err := p.sandbox.Push(token, "message", json.RawMessage(fmt.Sprintf(
		`{"message_id":1,"date":1700000000,"from":{"id":%d,"is_bot":false,"first_name":"Имярек"},"chat":{"id":%d,"type":"private"},%s}`, p.id, p.id, fields)))
	require.NoError(p.t, err)
	return p.handle(update)
}

// press presses a button with this data on the newest message of the bot.
func (p *person) press(data string) trail {
	p.t.Helper()
	return p.handle(p.tap(data))
}

// tap makes the update of a pressed button without delivering it.
func (p *person) tap(data string) sandbox.Update {
	p.t.Helper()
	message := int64(999_999) // gone, unless there is one
	for _, m := range slices.Backward(p.sandbox.Messages(p.id)) {
		if m.Out {
			message = m.ID
			break
		}
	}
	return p.tapOn(message, data)
}

func (p *person) tapOn(message int64, data string) sandbox.Update {
	p.t.Helper()
	update, err := p.sandbox.Press(token, p.who(), p.id, message, data)
	require.NoError(p.t, err)
	return update
}

func (p *person) handle(update sandbox.Update) trail {
	p.t.Helper()
	p.deliver(update)
	return p.await(update)
}

func (p *person) deliver(update sandbox.Update) {
	p.t.Helper()
	said := p.post(string(update.Body))
	require.Equal(p.t, 200, said.status, "%v", p.journal.of(update.ID))
	require.Empty(p.t, said.body)
}

func (p *person) await(update sandbox.Update) trail {
	p.t.Helper()
	tr := trail{update: update}
	tr.line = p.journal.closing(p.t, update.ID, 1)[0]
	tr.lines = p.journal.of(update.ID)
	tr.calls = p.calls()
	return tr
}

// calls are those for this person since the last look, those under way too.
func (p *person) calls() []sandbox.Call {
	mine := map[string]bool{}
	for _, query := range p.sandbox.Queries(p.id) {
		mine[query.ID] = true
	}
	id := strconv.FormatInt(p.id, 10)
	found := p.sandbox.Calls(sandbox.CallFilter{After: p.seen, Arrived: true, Match: func(call sandbox.Call) bool {
		return call.Chat == id || call.Text("user_id") == id || mine[call.Text("callback_query_id")]
	}})
	for _, call := range found {
		p.seen = max(p.seen, call.Seq)
	}
	return found
}

// fault makes calls of a method for this person fail.
func (p *person) fault(f sandbox.Fault) {
	p.t.Helper()
	f.Platform = sandbox.Telegram
	if f.Chat == "" && f.Method != "getChatMember" && f.Method != "answerCallbackQuery" {
		f.Chat = strconv.FormatInt(p.id, 10)
	}
	_, err := p.sandbox.SetFault(f)
	require.NoError(p.t, err)
}

// query reads one value from the database.
func query[T any](r *rig, statement string, arguments ...any) T {
	r.t.Helper()
	var value T
	require.NoError(r.t, r.pool.QueryRow(context.Background(), statement, arguments...).Scan(&value))
	return value
}

// metrics is what /metrics says.
func (r *rig) metrics() string {
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
