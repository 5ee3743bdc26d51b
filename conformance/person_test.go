package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

var people atomic.Int64

// person talks to the bot in a private chat of their own.
type person struct {
	*harness
	t    testing.TB
	id   int64
	seen int64 // number of the last call that was looked at
}

// person is somebody new, subscribed to the channel.
func (r *harness) person(t testing.TB) *person {
	t.Helper()
	return r.personWithID(t, 5_550_000_000+people.Add(1)) // beyond 32 bits, as many are
}

func (r *harness) personWithID(t testing.TB, id int64) *person {
	p := &person{harness: r, t: t, id: id}
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
	Copy struct {
		Text string `json:"text"`
	} `json:"copy_text"`
}

// isCalled reports whether the button's caption is text, perhaps numbered as the
// line of a list.
func (b button) isCalled(text string) bool {
	_, title, numbered := strings.Cut(b.Text, ". ")
	return b.Text == text || numbered && title == text
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
			if b.isCalled(text) {
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
			if b.isCalled(text) {
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
