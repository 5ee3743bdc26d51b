package conformance

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"vestnik/api"
	"vestnik/db/guidedb"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/starter"
)

// The benchmarks measure for a fixed time, so run them once:
//
//	go test ./conformance -run '^$' -bench . -benchtime 1x
//
// A column is the median or the 99th percentile in milliseconds.

// BenchmarkAcknowledgement is the webhook beside a bare SignalWithStart of the
// same size, in turns.
func BenchmarkAcknowledgement(b *testing.B) {
	for _, rate := range []int{18, 50, 200} {
		b.Run(fmt.Sprintf("%d_a_second", rate), func(b *testing.B) {
			r := newHarness(b, setup{noWorker: true})
			sessions := starter.NewSessions(r.temporal, 1)
			var update int64 = 1
			for b.Loop() {
				var bare, webhook durations
				every(rate, 10*time.Second, func(i int) {
					id := update + int64(i)
					chat := 6_000_000_000 + rand.Int64N(200)
					if i%2 == 0 {
						bare.time(func() {
							require.NoError(b, sessions.Deliver(context.Background(), protocol.BotUpdate{
								ID: id, TraceID: strings.Repeat("0", 32), Kind: protocol.BotCallback, UserID: chat, ChatID: chat,
								Data: "open:place:123", CallbackID: "480000000123456789", MessageID: 22,
							}))
						})
						return
					}
					body := fmt.Sprintf(`{"update_id":%d,"callback_query":{"id":"480000000123456789","from":{"id":%d,"is_bot":false,"first_name":"Имя"},"message":{"message_id":22,"date":1700000000,"chat":{"id":%d,"type":"private"}},"chat_instance":"1","data":"open:place:123"}}`, id, chat, chat)
					webhook.time(func() { require.Equal(b, 200, r.post(body).status) })
				})
				update += 10 * int64(rate)
				bare.report(b, "bare")
				webhook.report(b, "webhook")
				b.ReportMetric(webhook.at(0.5)/bare.at(0.5), "p50-ratio")
				b.ReportMetric(webhook.at(0.99)/bare.at(0.99), "p99-ratio")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkClick is from the moment in which Telegram delivers a pressed
// button until the answer and the screen arrive there: by the guide, and by a
// handler of the go-telegram/bot library that keeps nothing. Beside the guide
// stands what its Temporal needs for a click at the least, measured before and
// after: see bareSessions.
func BenchmarkClick(b *testing.B) {
	for _, rate := range []int{1, 20, 50} {
		b.Run(fmt.Sprintf("guide/%d_a_second", rate), func(b *testing.B) {
			r := newHarness(b, setup{})
			bare := newBareSessions(b, r)
			bare.click(b, clickers/3, clickers, 3*time.Second) // each has a session then
			bare.delays.all = nil
			bare.click(b, rate, clickers, 5*time.Second)
			answer := clicks(b, r, rate, func(body string) { require.Equal(b, 200, r.post(body).status) })
			bare.click(b, rate, clickers, 5*time.Second)
			bare.delays.report(b, "bare")
			b.ReportMetric(answer.at(0.5)/bare.delays.at(0.5), "answer-p50-ratio")
			b.ReportMetric(answer.at(0.99)/bare.delays.at(0.99), "answer-p99-ratio")
		})
		b.Run(fmt.Sprintf("plain/%d_a_second", rate), func(b *testing.B) {
			r := newHarness(b, setup{noWorker: true})
			server := httptest.NewServer(plainBot(b, r))
			b.Cleanup(server.Close)
			clicks(b, r, rate, func(body string) { require.Equal(b, 200, r.postTo(server.URL+api.WebhookPath, body).status) })
		})
	}
}

// clickers is how many people click. They have a session already.
const clickers = 60

func clicks(b *testing.B, r *harness, rate int, deliver func(body string)) (answer *durations) {
	people := make([]*person, clickers)
	for i := range people {
		people[i] = r.person(b)
		update := people[i].tap("open:menu:places")
		deliver(string(update.Body))
		awaitCall(b, r, sandbox.CallFilter{Chat: fmt.Sprint(people[i].id), Method: "sendMessage"}, 1)
	}
	data := []string{"open:menu:places", "page:place:0:2", "open:menu:events", "open:menu:collections", "open:menu:promos", "open:place:124"}
	for b.Loop() {
		length := 15 * time.Second
		began := make([]time.Time, 0, rate*20)
		var taps []sandbox.Update
		var of []*person
		for i := range int(length.Seconds()) * rate {
			p := people[i%len(people)]
			taps, of = append(taps, p.tap(data[(i/len(people))%len(data)])), append(of, p)
			began = append(began, time.Time{})
		}
		before := len(people)
		every(rate, length, func(i int) {
			began[i] = time.Now()
			deliver(string(taps[i].Body))
		})
		screens := awaitCall(b, r, sandbox.CallFilter{Method: "sendMessage"}, before+len(taps))[before:]
		var screen durations
		answer = &durations{}
		answered := map[string]time.Time{}
		for _, call := range r.sandbox.Calls(sandbox.CallFilter{Method: "answerCallbackQuery"}) {
			answered[call.Text("callback_query_id")] = call.ReceivedAt
		}
		next := map[string][]time.Time{}
		for _, call := range screens {
			next[call.Chat] = append(next[call.Chat], call.ReceivedAt)
		}
		for i, tap := range taps {
			answer.add(answered[tap.Query].Sub(began[i]))
			chat := fmt.Sprint(of[i].id)
			if len(next[chat]) > 0 { // a chat's screens come in the order of its taps
				screen.add(next[chat][0].Sub(began[i]))
				next[chat] = next[chat][1:]
			}
		}
		answer.report(b, "answer")
		screen.report(b, "screen")
	}
	b.ReportMetric(0, "ns/op")
	return answer
}

func awaitCall(b *testing.B, r *harness, filter sandbox.CallFilter, n int) []sandbox.Call {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	filter.Arrived = true
	calls, err := r.sandbox.WaitForCalls(ctx, filter, n)
	require.NoError(b, err)
	return calls
}

// plainBot does for a click what the guide does, in the library's own way:
// nothing is stored, and a crash loses what is under way.
func plainBot(b *testing.B, r *harness) http.Handler {
	store := guidedb.New(r.pool)
	library, err := bot.New(token, bot.WithSkipGetMe(), bot.WithServerURL(r.sandbox.TelegramURL()), bot.WithWebhookSecretToken(secret),
		bot.WithDefaultHandler(func(ctx context.Context, library *bot.Bot, update *models.Update) {
			query := update.CallbackQuery
			if query == nil {
				return
			}
			_, _ = library.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: query.ID})
			_, _ = library.GetChatMember(ctx, &bot.GetChatMemberParams{ChatID: channel, UserID: query.From.ID})
			places, err := store.Places(ctx, guide.PlaceFilter{}, guidedb.Paging{Number: 1, Size: 8})
			if err != nil {
				return
			}
			var text strings.Builder
			var rows [][]models.InlineKeyboardButton
			for _, place := range places.Items {
				text.WriteString(place.Name + "\n")
				rows = append(rows, []models.InlineKeyboardButton{{Text: place.Name, CallbackData: fmt.Sprintf("open:place:%d", place.ID)}})
			}
			_, _ = library.SendMessage(ctx, &bot.SendMessageParams{ChatID: query.From.ID, Text: text.String(),
				ReplyMarkup: models.InlineKeyboardMarkup{InlineKeyboard: rows}})
		}))
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	go library.StartWebhook(ctx)
	return library.WebhookHandler()
}

// BenchmarkHistory is how many events of history a click costs.
func BenchmarkHistory(b *testing.B) {
	r := newHarness(b, setup{})
	for b.Loop() {
		p := r.person(b)
		p.press("open:menu:places")
		id := protocol.SessionWorkflowID(7000000777, p.id)
		first := r.events(b, id)
		const n = 100
		used := cpuTimes()
		for range n {
			p.press("open:menu:events")
		}
		for process, after := range cpuTimes() {
			b.ReportMetric(float64((after-used[process]).Milliseconds())/n, "cpu-ms/click-"+process)
		}
		b.ReportMetric(float64(r.events(b, id)-first)/n, "events/click")
		b.ReportMetric(float64(first), "events/first-click")
	}
	b.ReportMetric(0, "ns/op")
}

// cpuTimes is what the servers of the tests and this process (guide, sandbox
// and all) have used.
func cpuTimes() map[string]time.Duration {
	used := map[string]time.Duration{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		fields := strings.Fields(string(stat[end+2:]))
		name := string(stat[open+1 : end])
		if len(fields) < 13 || name != "temporal" && name != "postgres" && !strings.HasPrefix(path, fmt.Sprintf("/proc/%d/", os.Getpid())) {
			continue
		}
		if name != "temporal" && name != "postgres" {
			name = "guide"
		}
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		used[name] += time.Duration(user+system) * 10 * time.Millisecond
	}
	return used
}

func (r *harness) events(b *testing.B, workflowID string) (n int) {
	history := r.temporal.GetWorkflowHistory(context.Background(), workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		_, err := history.Next()
		require.NoError(b, err)
		n++
	}
	return n
}

// BenchmarkIdleSessions is the memory of a worker's process for 5000 sessions
// that wait.
func BenchmarkIdleSessions(b *testing.B) {
	const sessions = 5000
	r := newHarness(b, setup{})
	for b.Loop() {
		before := heap()
		var posts sync.WaitGroup
		turn := make(chan struct{}, 16)
		for i := range sessions {
			turn <- struct{}{}
			posts.Go(func() {
				defer func() { <-turn }()
				chat := 8_000_000_000 + int64(i)
				require.NoError(b, r.sandbox.AddChat(sandbox.Chat{ID: chat, Type: sandbox.PrivateChat, Title: "Сосед"}))
				r.post(fmt.Sprintf(`{"update_id":%d,"message":{"message_id":1,"date":1,"from":{"id":%d},"chat":{"id":%d,"type":"private"},"text":"/help"}}`, 50_000_000+i, chat, chat))
			})
		}
		posts.Wait()
		r.journal.awaitFor(b, 10*time.Minute, sessions, "closing line of a session's update", func(l line) bool {
			return l.text("result") != "" && l.number("update_id") >= 50_000_000
		})
		r.sandbox.ClearCalls()
		r.journal.forget()
		b.ReportMetric(float64(heap()-before)/sessions/1024, "KiB/session")
		b.ReportMetric(float64(heap())/(1<<20), "MiB-heap")
	}
	b.ReportMetric(0, "ns/op")
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc + memory.StackInuse
}

// every calls do at a steady rate, each call on its own, and waits for all.
func every(rate int, length time.Duration, do func(i int)) {
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	var calls sync.WaitGroup
	for i := range int(length.Seconds() * float64(rate)) {
		<-tick.C
		calls.Go(func() { do(i) })
	}
	calls.Wait()
}

// durations collects what takes time, in milliseconds.
type durations struct {
	mu  sync.Mutex
	all []float64
}

func (d *durations) time(do func()) {
	began := time.Now()
	do()
	d.add(time.Since(began))
}

func (d *durations) add(took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, float64(took)/float64(time.Millisecond))
}

func (d *durations) at(quantile float64) float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.all)
	return d.all[min(int(quantile*float64(len(d.all))), len(d.all)-1)]
}

func (d *durations) report(b *testing.B, what string) {
	b.ReportMetric(d.at(0.5), what+"-p50-ms")
	b.ReportMetric(d.at(0.99), what+"-p99-ms")
}
