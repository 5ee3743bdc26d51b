package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/sandbox"
	"vestnik/internal/testenv"
	"vestnik/starter"
)

// The scenery: one wall to read, one chat and one wall to deliver to.
const (
	botToken  = "7100000001:AAe2e-relay-bot-secret-000000000000"
	readKey   = "e2e-reading-key-secret-000000000000000000"
	writeKey  = "e2e-writing-key-secret-000000000000000000"
	mediaKey  = "e2e-media-key-secret-00000000000000000000"
	chatID    = int64(-1001500000001)
	source    = int64(-500000001)
	sourceRef = "e2e_lost_pets"
	target    = int64(-500000002)

	chat = "telegram:-1001500000001"
	wall = "vk:-500000002"
)

// waitLimit is how long a test waits for what must come.
const waitLimit = 90 * time.Second

// harness is the whole relay but for its workers, with a sandbox, a database and
// a Temporal namespace of its own.
type harness struct {
	*parts

	t       *testing.T
	ctx     context.Context
	sandbox *sandbox.Server
	environ map[string]string
	logs    *logBook
	last    time.Time // date of the newest post
}

// toChat and toWall enable a destination; paced sends without waiting unless
// the test says otherwise.
var (
	toChat = map[string]string{
		"TG_ENABLED": "true", "TG_TOKEN": botToken, "TG_CHAT": strconv.FormatInt(chatID, 10),
		"TG_RATE_PER_SEC": "0", "TG_PER_MINUTE": "0", "TG_BOT_PER_SEC": "0",
	}
	toWall = map[string]string{
		"VK_OUT_ENABLED": "true", "VK_OUT_TOKEN": writeKey, "VK_OUT_OWNER_ID": strconv.FormatInt(target, 10),
		"VK_OUT_RATE_PER_SEC": "0",
	}
)

// newHarness sets the scene with some settings. The test runs in parallel from
// here on.
func newHarness(t *testing.T, settings ...map[string]string) *harness {
	t.Helper()
	t.Parallel()
	return setHarness(t, settings...)
}

func setHarness(t *testing.T, settings ...map[string]string) *harness {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	s := &harness{t: t, ctx: ctx, logs: newLogBook(t), last: time.Now().Add(-time.Hour)}
	var err error
	s.sandbox, err = sandbox.Start(context.WithoutCancel(ctx), sandbox.Options{
		Limits: sandbox.NoLimits, PhotoTimeout: time.Minute,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.sandbox.Close()) })
	s.furnish()

	s.environ = map[string]string{
		"DATABASE_URL": testenv.Database(t), "TEMPORAL_ADDRESS": testenv.TemporalAddress(t), "TEMPORAL_NAMESPACE": testenv.Namespace(t),
		"TELEGRAM_API_URL": s.sandbox.TelegramURL(), "VK_API_URL": s.sandbox.VKURL(),
		"VK_TOKEN": readKey, "VK_WALLS": sourceRef, "VK_RATE_PER_SEC": "0", "VK_DAILY_QUOTA": "1000000", "SCAN_INTERVAL": "1s",
	}
	for _, set := range settings {
		maps.Copy(s.environ, set)
	}
	s.parts, err = assemble(ctx, s.environ, s.logs, func(options client.Options) client.Client { return testenv.TemporalWith(t, options) })
	require.NoError(t, err)
	t.Cleanup(s.pool.Close)
	// Nobody asks for titles meanwhile: that would meet a fault meant for a message.
	require.NoError(t, s.starter.Ledger.KeepTitle(ctx, protocol.VK+":"+strconv.FormatInt(source, 10), ""))
	for _, target := range s.starter.Routes().Targets() {
		require.NoError(t, s.starter.Ledger.KeepTitle(ctx, target.Destination.String(), ""))
	}
	if s.environ["FIRST_READ_HOURS"] == "" { // else the wall was read before: its news go in the order of writing
		_, err = s.pool.Exec(ctx, "INSERT INTO relay.walls (name, newest_post_at) VALUES ($1, '2000-01-01')", sourceRef)
		require.NoError(t, err)
	}
	return s
}

func (s *harness) furnish() {
	for _, err := range []error{
		s.sandbox.AddBot(sandbox.Bot{Token: botToken}),
		s.sandbox.AddChat(sandbox.Chat{ID: chatID, Type: sandbox.Supergroup, Title: "Ищем питомцев"}),
		s.sandbox.AddVKToken(sandbox.VKToken{Name: "reader", Value: readKey, Kind: sandbox.ServiceToken, PerSecond: -1, DailyWallGet: -1}),
		s.sandbox.AddVKToken(sandbox.VKToken{Name: "writer", Value: writeKey, Kind: sandbox.CommunityToken, Owner: -target, PerSecond: -1}),
		s.sandbox.AddVKToken(sandbox.VKToken{Name: "media", Value: mediaKey, Kind: sandbox.UserToken, Owner: 71, PerSecond: -1}),
		s.sandbox.AddWall(sandbox.Wall{OwnerID: source, ScreenName: sourceRef, Name: "Потеряшки"}),
		s.sandbox.AddWall(sandbox.Wall{OwnerID: target, ScreenName: "e2e_vestnik", Name: "Вестник", Writers: []string{"media"}}),
	} {
		require.NoError(s.t, err)
	}
}

// work runs a worker until the test ends, or the returned function is called.
func (s *harness) work() (stop func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.ctx))
	ended := make(chan error, 1)
	go func() { ended <- s.parts.work(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("worker: %v", err)
		}
	})
	s.t.Cleanup(stop)
	return stop
}

// lost is a post that reads as a lost pet, each number another pet, up to 223:
// the relay takes like texts for one case, and a name and a street too. The phrase that ends it, and the phone, must
// never be seen in logs or histories.
func lost(number int) sandbox.Post {
	pick := func(stride int, from ...string) string { return from[(number*stride+number/7)%len(from)] }
	heads := []string{"Ба", "Ви", "Гу", "Да", "Жу", "За", "Ки", "Ло", "Ма", "Ну", "По", "Ри", "Са", "То", "Фи", "Ха"}
	tails := []string{"льзен", "ркот", "мпик", "нтус", "стрель", "вген", "дрон", "зум", "йкал", "ппо", "шкет", "чмок", "гвин", "бло"}
	return sandbox.Post{Text: fmt.Sprintf("%s %s по кличке %s, Мурка-%d! %s %s, %d. %s Телефон 8 900 000-%02d-%02d. %s",
		pick(1, "Пропала", "Потерялась", "Внимание, пропала", "Помогите найти: потерялась", "Ищем, пропала", "Третий день ищем, убежала", "Сбежала и пропала"),
		pick(3, "кошка", "собака", "чёрная кошка", "маленькая собачка", "рыжая кошечка", "собака породы бигль", "трёхцветная кошка", "сиамская кошка"),
		heads[number%len(heads)]+tails[number/len(heads)%len(tails)], number,
		pick(5, "Выпала с балкона дома на ул. Речная", "Испугалась салюта у парка, ул. Мира", "Ушла с дачи, СНТ «Ручеёк», линия", "Сорвалась с поводка, пр. Строителей",
			"Видели вчера вечером на ул. Лесная", "Выскочила из машины у заправки, ул. Кирова", "Проскользнула в подъезд, ул. Гагарина", "Не вернулась с прогулки, ул. Полевая",
			"Осталась во дворе и исчезла, ул. Школьная"),
		pick(7, "район вокзала, дом", "за рынком, дом", "рядом со школой, дом", "у аптеки, дом", "возле пруда, дом", "напротив пекарни, дом"),
		number,
		pick(11, "На шее синий ошейник с бубенчиком.", "Хвост сломан, лапы белые, очень ласковая.", "Глаза разные, левое ухо надорвано.", "Стерилизована, бок ещё выбрит.",
			"Боится людей, в руки не идёт, просто позвоните.", "Чипирована, откликается на свист.", "Ей пятнадцать лет, нужны уколы каждый день.",
			"Шерсть длинная, на груди пятно, похожее на сердце.", "Хромает на заднюю лапу, без ошейника.", "Дети плачут, за помощь отблагодарим.", "Может прятаться под машинами или в продухах."),
		number/100, number%100, privateWords)}
}

const privateWords = "Ждём её всей семьёй у окна"

// private is what must never be in a log or a history: tokens, and what people
// wrote.
var private = []string{botToken, readKey, writeKey, mediaKey, privateWords, "+7900000", "79000000", "900 000-"}

// publish puts posts on the wall that is read, each a second after the other.
func (s *harness) publish(posts ...sandbox.Post) []sandbox.Post {
	s.t.Helper()
	for i, post := range posts {
		if post.Date.IsZero() {
			s.last = s.last.Add(time.Second)
			post.Date = s.last
		}
		var err error
		posts[i], err = s.sandbox.AddPost(source, post)
		require.NoError(s.t, err)
	}
	return posts
}

// scan reads the walls and starts what they owe.
func (s *harness) scan() protocol.ScanWallsResult {
	s.t.Helper()
	result, err := s.starter.Scan(s.ctx, protocol.ScanWallsInput{Now: true})
	require.NoError(s.t, err)
	return result
}

// scanWithoutWorker asks for a scan that is made when a worker comes.
func (s *harness) scanWithoutWorker() {
	s.t.Helper()
	require.NoError(s.t, s.starter.Schedule(s.ctx))
}

// send publishes a post, scans, and returns the delivery that came of it.
func (s *harness) send(destination string, post sandbox.Post) db.DeliveryRow {
	s.t.Helper()
	post = s.publish(post)[0]
	s.scan()
	return s.delivery(destination, post.ID)
}

// delivery finds the delivery of a post of the source wall.
func (s *harness) delivery(destination string, postID int64) db.DeliveryRow {
	s.t.Helper()
	for _, row := range s.deliveries(destination) {
		if row.PostID == postID {
			return row
		}
	}
	require.Fail(s.t, "no such delivery", "%s of post %d", destination, postID)
	return db.DeliveryRow{}
}

func (s *harness) deliveries(destination string) []db.DeliveryRow {
	s.t.Helper()
	rows, err := s.starter.Ledger.List(s.ctx, db.DeliveryFilter{Destination: destination, Limit: 10_000})
	require.NoError(s.t, err)
	return rows
}

// again reads a delivery anew.
func (s *harness) again(d db.DeliveryRow) db.DeliveryRow {
	s.t.Helper()
	row, err := s.starter.Ledger.Delivery(s.ctx, d.ID)
	require.NoError(s.t, err)
	return row
}

// ended waits for a delivery's workflow to end and returns the row.
func (s *harness) ended(d db.DeliveryRow) db.DeliveryRow {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, waitLimit)
	defer cancel()
	err := s.temporal.GetWorkflow(ctx, d.WorkflowID, "").Get(ctx, nil)
	row := s.again(d)
	if err != nil {
		require.NoError(s.t, ctx.Err(), "%s is still running; its row: %+v; attempts: %s", d.WorkflowID, row, s.history(row))
		require.Equal(s.t, protocol.StatusFailed, row.Status, "the workflow failed: %v", err)
	}
	return row
}

// waits waits until a delivery waits for a person, its workflow too.
func (s *harness) waits(d db.DeliveryRow) db.DeliveryRow {
	s.t.Helper()
	var row db.DeliveryRow
	s.until(d.WorkflowID+" waits for a person", func() bool {
		row = s.again(d)
		if row.Status != protocol.StatusParked && row.Status != protocol.StatusUnknown {
			return false
		}
		return s.searchable(d.WorkflowID, protocol.DeliveryState.GetName()) == row.Status
	})
	return row
}

// searchable is a search attribute of a workflow as its description has it.
func (s *harness) searchable(workflowID, attribute string) string {
	s.t.Helper()
	var description *client.WorkflowExecutionDescription
	s.steer(func() (err error) {
		description, err = s.temporal.DescribeWorkflow(s.ctx, workflowID, "")
		return err
	})
	for key, value := range description.TypedSearchAttributes.GetUntypedValues() {
		if key.GetName() == attribute {
			return fmt.Sprint(value)
		}
	}
	return ""
}

// lane is how a destination stands.
func (s *harness) lane(destination string) protocol.LaneState {
	s.t.Helper()
	state, err := s.starter.Destination(s.ctx, destination)
	require.NoError(s.t, err)
	return state
}

// pauseLane pauses a lane; it is asked again until a worker has answered.
func (s *harness) pauseLane(destination, reason, by string) {
	s.t.Helper()
	s.steer(func() error {
		_, err := s.starter.PauseDestination(s.ctx, destination, reason, by)
		return err
	})
}

// openLane ends a lane's pause and cooldown.
func (s *harness) openLane(destination string) {
	s.t.Helper()
	s.steer(func() error {
		_, err := s.starter.ResumeDestination(s.ctx, destination)
		return err
	})
}

// steer does what may be done twice, until it is answered: on a machine with
// much else to do a call may time out.
func (s *harness) steer(do func() error) {
	s.t.Helper()
	for {
		err := do()
		late := errors.Is(err, starter.ErrNoWorker) || status.Code(err) == codes.DeadlineExceeded || errors.Is(err, context.DeadlineExceeded)
		if late && s.ctx.Err() == nil {
			continue
		}
		require.NoError(s.t, err)
		return
	}
}

// until waits for a condition that nobody announces.
func (s *harness) until(what string, condition func() bool) {
	s.t.Helper()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for end := time.After(waitLimit); !condition(); {
		select {
		case <-look.C:
		case <-end:
			require.Fail(s.t, "waited in vain", what)
		}
	}
}

// outcomes are how the attempts at a delivery ended, in order.
func (s *harness) outcomes(d db.DeliveryRow) []string {
	s.t.Helper()
	attempts := s.history(d)
	outcomes := make([]string, len(attempts))
	for i, attempt := range attempts {
		outcomes[i] = attempt.Outcome
	}
	return outcomes
}

func (s *harness) history(d db.DeliveryRow) []db.AttemptRow {
	s.t.Helper()
	attempts, err := s.starter.Ledger.Attempts(s.ctx, d.ID)
	require.NoError(s.t, err)
	return attempts
}

// fault makes a platform fail.
func (s *harness) fault(fault sandbox.Fault) {
	s.t.Helper()
	_, err := s.sandbox.SetFault(fault)
	require.NoError(s.t, err)
}

// toTelegram are the calls that would show something in the chat.
var toTelegram = sandbox.CallFilter{Platform: sandbox.Telegram, Match: func(call sandbox.Call) bool {
	return call.Method == "sendMessage" || call.Method == "sendPhoto" || call.Method == "sendMediaGroup"
}}

var toVK = sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.post"}

// calls waits for at least so many calls and returns them; all have an answer.
func (s *harness) calls(filter sandbox.CallFilter, atLeast int) []sandbox.Call {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, waitLimit)
	defer cancel()
	calls, err := s.sandbox.WaitForCalls(ctx, filter, atLeast)
	require.NoError(s.t, err)
	return calls
}

// arrived waits for calls that may still be without an answer.
func (s *harness) arrived(filter sandbox.CallFilter, atLeast int) []sandbox.Call {
	s.t.Helper()
	filter.Arrived = true
	return s.calls(filter, atLeast)
}

func messageIDs(messages []sandbox.Message) []int64 {
	ids := make([]int64, len(messages))
	for i, message := range messages {
		ids[i] = message.ID
	}
	return ids
}

func destinationOf(t *testing.T, name string) route.Destination {
	t.Helper()
	destination, err := route.ParseDestination(name)
	require.NoError(t, err)
	return destination
}

// logBook keeps what processes of a test have logged, shows its end if the
// test failed, and fails it if anything private is in there.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func newLogBook(t *testing.T) *logBook {
	book := &logBook{}
	t.Cleanup(func() {
		book.mu.Lock()
		defer book.mu.Unlock()
		text := book.text.String()
		for _, secret := range private {
			if bytes.Contains(book.text.Bytes(), []byte(secret)) {
				t.Errorf("the logs hold %q", secret)
			}
		}
		if t.Failed() {
			t.Logf("logs, the last of them:\n%s", text[max(0, len(text)-8000):])
		}
	})
	return book
}

// holds reports whether something was logged.
func (b *logBook) holds(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Contains(b.text.Bytes(), []byte(text))
}

func (b *logBook) all() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *logBook) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

// afterMessages waits until the chat shows so many messages.
func (s *harness) afterMessages(n int) []sandbox.Message {
	s.t.Helper()
	s.until("messages in the chat", func() bool { return len(s.sandbox.Messages(chatID)) >= n })
	return s.sandbox.Messages(chatID)
}

// setHarnessBeside is another machine with the same database, namespace and
// sandbox.
func setHarnessBeside(t *testing.T, s *harness) *harness {
	t.Helper()
	other := *s
	var err error
	other.parts, err = assemble(s.ctx, s.environ, s.logs, func(options client.Options) client.Client { return testenv.TemporalWith(t, options) })
	require.NoError(t, err)
	t.Cleanup(other.pool.Close)
	return &other
}

func startOf(id string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: id, TaskQueue: protocol.TaskQueue}
}
