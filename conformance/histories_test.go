package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

var refresh = flag.Bool("refresh-histories", false, "write the session histories that package workflows replays")

// TestSessionHistories lives through what the replay test keeps replaying. The
// histories without "together" in their names are of runs that answered each
// button by an activity of its own; nothing writes such any more.
func TestSessionHistories(t *testing.T) {
	t.Parallel()
	for name, live := range map[string]func(t *testing.T, p *person){
		"screens": func(_ *testing.T, p *person) { walk(p) },
		"steps": func(t *testing.T, p *person) {
			p.fault(sandbox.Fault{Method: "sendMessage", Code: 500, Times: 2})
			p.press("open:menu:places")
			p.fault(sandbox.Fault{Method: "sendPhoto", Code: 429, RetryAfter: 1, Times: 3})
			require.Equal(t, "sendMessage", p.press("open:place:123").screen(t).method)
			p.fault(sandbox.Fault{Method: "getChatMember", Code: 500, Times: 3})
			p.press("open:menu:events")
			p.cable.sever()
			update := p.tap("open:menu:promos")
			p.deliver(update)
			p.journal.await(t, 1, "a failed attempt", func(l line) bool { return l.text("error_code") == "INTERNAL_DB_ERROR" })
			p.cable.mend()
			p.await(update)
			p.fault(sandbox.Fault{Method: "sendMessage", Code: 403, Description: "Forbidden: bot was blocked by the user"})
			p.press("open:menu:promos")
		},
		"taps": func(t *testing.T, p *person) {
			p.say("/start")
			p.fault(sandbox.Fault{Method: "sendMessage", DelayMS: 1000, Times: 1})
			var taps []sandbox.Update
			for _, data := range []string{"open:menu:places", "open:menu:places", "open:menu:places", "open:menu:events", "open:menu:places"} {
				taps = append(taps, p.tap(data))
			}
			var together sync.WaitGroup
			for _, tap := range append(taps, taps...) {
				together.Go(func() { p.post(string(tap.Body)) })
			}
			together.Wait()
			for _, tap := range taps {
				p.journal.closing(t, tap.ID, 2)
			}
		},
		"twice": func(t *testing.T, p *person) {
			p.say("/start")
			first := p.tap("open:menu:places")
			again := p.tapOn(p.newest(), "open:menu:places")
			require.NotEmpty(t, p.handle(first).screen(t).rows)
			p.deliver(again)
			require.Contains(t, p.await(again).line.text("details"), "the same button again")
			_, err := p.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Method: "answerCallbackQuery"}, 2)
			require.NoError(t, err, "a finger that came down twice is answered twice")
			require.Contains(t, p.press("open:menu:promos").screen(t).text, "Промокоды")
			require.Len(t, p.sandbox.Calls(sandbox.CallFilter{Method: "sendMessage"}), 3, "and sees one screen")
		},
		"overtaken": func(t *testing.T, p *person) {
			remove, add := p.tap("fav_remove:place:123"), p.tap("fav_add:place:123")
			p.handle(add)
			p.deliver(remove)
			require.Contains(t, p.await(remove).line.text("details"), "came first")
			for range 3 {
				p.send(`"media_group_id":"7","photo":[{"file_id":"x"}]`)
			}
		},
		"carried": func(t *testing.T, p *person) {
			update := func(id int64, data string) protocol.BotUpdate {
				return protocol.BotUpdate{ID: id, TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", Kind: protocol.BotCallback, UserID: p.id, ChatID: p.id,
					Data: data, CallbackID: "480000000000000001", MessageID: 1}
			}
			_, err := p.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
				ID: protocol.SessionWorkflowID(7000000777, p.id), TaskQueue: protocol.TaskQueue,
			}, protocol.BotSessionWorkflow, protocol.SessionInput{BotID: 7000000777, ChatID: p.id, Carried: &protocol.SessionCarry{
				Seen:   []protocol.SeenUpdate{{ID: 70_000_001}, {ID: 70_000_002}, {ID: 70_000_003}},
				Queue:  protocol.Backlog{{Update: update(70_000_002, "open:place:123"), Answered: true}, {Update: update(70_000_003, "open:menu:help")}},
				LastAt: time.Now(), Handled: 1,
			}})
			require.NoError(t, err)
			p.journal.closing(t, 70_000_003, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHarness(t, setup{})
			p := r.person(t)
			live(t, p)
			r.keepHistory(t, "session_together_"+name, p.id)
		})
	}
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		r := newHarness(t, setup{noWorker: true})
		p := r.person(t)
		p.fault(sandbox.Fault{Method: "sendPhoto", Hang: true, Times: 1})
		first := r.startProcess("worker")
		update := p.tap("open:place:123")
		p.deliver(update)
		_, err := r.sandbox.WaitForCalls(t.Context(), sandbox.CallFilter{Method: "sendPhoto", Arrived: true}, 1)
		require.NoError(t, err)
		first.kill()
		r.startProcess("worker")
		require.Equal(t, "ok", p.await(update).line.text("result"))
		r.keepHistory(t, "session_together_killed", p.id)
	})
}

// keepHistory writes a session's history, if that is asked for.
func (r *harness) keepHistory(t *testing.T, name string, chat int64) {
	t.Helper()
	require.NotContains(t, r.histories(t), "Канарейкин")
	if !*refresh {
		return
	}
	iterator := r.temporal.GetWorkflowHistory(t.Context(), protocol.SessionWorkflowID(7000000777, chat), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	kept := &history.History{}
	for iterator.HasNext() {
		event, err := iterator.Next()
		require.NoError(t, err)
		kept.Events = append(kept.Events, event)
	}
	text, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(kept)
	require.NoError(t, err)
	path := filepath.Join("..", "workflows", "testdata", "histories", name+".json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o644))
}
