package telegram

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vestnik/internal/sandbox/core"
)

// Person is a user who talks to a bot.
type Person struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username,omitempty"`
}

// Update is an update as it goes to a bot.
type Update struct {
	ID        int64           `json:"update_id"`
	Kind      string          `json:"kind"` // message, callback_query, …
	CreatedAt time.Time       `json:"created_at"`
	Body      json.RawMessage `json:"body"` // the whole Update object
	// Query is the callback query's id, if it is one.
	Query string `json:"query,omitempty"`

	queue string // updates of one queue are delivered one after another
	epoch int    // of the webhook to which it is on its way; 0 if it is not
}

// How long Telegram keeps an update for a bot that does not take it.
const (
	messageLife  = 24 * time.Hour
	callbackLife = 150 * time.Second
)

// AnswerWithin is how long after the press of a button the bot may answer it. Telegram publishes no figure; people
// report 5 s to some tens.
const AnswerWithin = 15 * time.Second

// query is a press of a button with the bot that may answer it.
type query struct {
	Query
	bot *bot
}

// Query is a press of an inline button and what became of it.
type Query struct {
	ID         string    `json:"id"`
	Chat       int64     `json:"chat"`
	PressedAt  time.Time `json:"pressed_at"`
	Answered   bool      `json:"answered"`
	AnsweredAt time.Time `json:"answered_at,omitzero"`
	Toast      string    `json:"toast,omitempty"`
}

// Queries lists the presses in a chat, oldest first.
func (t *Platform) Queries(chat int64) []Query {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []Query{}
	for _, q := range t.queries {
		if q.Chat == chat {
			list = append(list, q.Query)
		}
	}
	slices.SortFunc(list, func(a, b Query) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Say lets a person write to a bot in their private chat, which begins if need be, and sends the update on its way.
func (t *Platform) Say(token string, from Person, text string) (Update, error) {
	if strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxText {
		return Update{}, fmt.Errorf("sandbox: a message has 1 to %d characters", maxText)
	}
	return t.write(token, Message{Text: text}, from)
}

// Locate lets a person send a bot their location in their private chat.
func (t *Platform) Locate(token string, from Person, at Location) (Update, error) {
	return t.write(token, Message{Location: &at}, from)
}

// write puts a person's message into their private chat and sends the update on its way.
func (t *Platform) write(token string, m Message, from Person) (Update, error) {
	return t.push(token, func(q *updateQueue) Update {
		if t.chats[from.ID] == nil {
			t.chats[from.ID] = &chat{Chat: Chat{ID: from.ID, Type: PrivateChat, Title: from.Name, Username: from.Username}.copied(), NextID: 1}
		}
		c := t.chats[from.ID]
		m.From, m.FromName, m.Date = from.ID, from.Name, t.core.Now()
		t.core.Announce(core.Telegram)
		return q.push("message", fmt.Sprintf("chat %d", c.ID), t.wire(c, c.add(&m)), "")
	})
}

// Press lets a person press a button, or send any callback data of a button that was once there. A message that is gone
// is sent as Telegram does: date 0 and no content.
func (t *Platform) Press(token string, from Person, chatID, messageID int64, data string) (Update, error) {
	return t.push(token, func(queue *updateQueue) Update {
		message := map[string]any{"message_id": messageID, "date": 0, "chat": map[string]any{"id": chatID, "type": PrivateChat}}
		if c := t.chats[chatID]; c != nil {
			message["chat"] = wireChat(c.Chat)
			if m := c.message(messageID); m != nil {
				message = t.wire(c, m)
			}
		}
		id := fmt.Sprintf("48000000%010d", t.number())
		t.queries[id] = &query{Query: Query{ID: id, Chat: chatID, PressedAt: t.core.Now()}, bot: queue.bot}
		t.core.Announce(core.Telegram)
		return queue.push("callback_query", fmt.Sprintf("user %d", from.ID), map[string]any{
			"id": id, "message": message, "chat_instance": fmt.Sprintf("-58%017d", max(chatID, -chatID)%1e17), "data": data,
			"from": map[string]any{"id": from.ID, "is_bot": false, "first_name": from.Name, "username": from.Username, "language_code": "ru"},
		}, id)
	})
}

// Push sends an update with any content under its kind ("message", "my_chat_member", "poll"…): for what the other
// methods do not produce.
func (t *Platform) Push(token, kind string, content json.RawMessage) (Update, error) {
	return t.push(token, func(q *updateQueue) Update { return q.push(kind, "pushed", content, "") })
}

// push is withBot for what sends an update on its way.
func (t *Platform) push(token string, do func(*updateQueue) Update) (sent Update, err error) {
	err = t.withBot(token, func(q *updateQueue) { sent = do(q) })
	return sent, err
}

// updateQueue holds what a bot has not taken yet, and hands it to its webhook. It is guarded by t.mu.
type updateQueue struct {
	t       *Platform
	bot     *bot
	lastID  int64
	pending []*Update
	allowed []string // empty: everything but the three that must be asked for
	bell    chan struct{}
	polling int64 // number of the newest getUpdates

	hook      Webhook
	held      bool                     // until Release
	epoch     int                      // counts changes of the webhook
	last      map[string]chan struct{} // by queue; closed when the last update under way is over
	slots     chan struct{}            // one for each connection to the webhook
	lastError string
	errorAt   time.Time
}

var errNoBot = errors.New("sandbox: no bot with this token: add it first")

// withBot does something with a bot's updates. t.mu is held meanwhile.
func (t *Platform) withBot(token string, do func(*updateQueue)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bots[token]
	if b == nil {
		return errNoBot
	}
	do(&b.updates)
	return nil
}

// push numbers an update and sends it on its way. t.mu is held.
func (u *updateQueue) push(kind, queue string, content any, query string) Update {
	u.lastID++
	update := &Update{ID: u.lastID, Kind: kind, CreatedAt: u.t.core.Now(), Query: query, queue: queue}
	update.Body = core.Encode(map[string]any{"update_id": update.ID, kind: content})
	wanted := slices.Contains(u.allowed, kind)
	if len(u.allowed) == 0 {
		wanted = !slices.Contains([]string{"chat_member", "message_reaction", "message_reaction_count"}, kind)
	}
	if wanted {
		u.pending = append(u.pending, update)
		u.ring()
		u.deliver(update)
	}
	return *update
}

func (u *updateQueue) ring() {
	close(u.bell)
	u.bell = make(chan struct{})
}

// remove takes an update out of the pending ones. t.mu is held.
func (u *updateQueue) remove(update *Update) {
	u.pending = slices.DeleteFunc(u.pending, func(p *Update) bool { return p == update })
	u.ring()
}

func (u *Update) expired(now time.Time) bool {
	life := messageLife
	if u.Kind == "callback_query" {
		life = callbackLife
	}
	return now.Sub(u.CreatedAt) > life
}

// getUpdates: long polling, one poller at a time.
func (q *request) getUpdates() any {
	t, u := q.platform, &q.bot.updates
	t.mu.Lock()
	defer t.mu.Unlock()
	if u.hook.URL != "" {
		q.refuse(refuse(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"))
		return nil
	}
	if q.params.Allowed != nil {
		u.allowed = *q.params.Allowed
	}
	u.polling++
	mine, now := u.polling, t.core.Now()
	u.pending = slices.DeleteFunc(u.pending, func(p *Update) bool { return p.ID < q.params.Offset || p.expired(now) })
	u.ring() // an older poller sees that it was replaced
	deadline := time.NewTimer(time.Duration(min(q.params.Timeout, 50)) * time.Second)
	defer deadline.Stop()
	for over := false; len(u.pending) == 0; {
		bell := u.bell
		t.mu.Unlock()
		select {
		case <-bell:
		case <-deadline.C:
			over = true
		case <-q.http.Context().Done():
			over = true
		case <-t.core.Life.Done():
			over = true
		}
		t.mu.Lock()
		if u.polling != mine {
			q.refuse(refuse(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"))
			return nil
		}
		if over {
			return []any{}
		}
	}
	bodies := []json.RawMessage{}
	for _, update := range u.pending[:min(cmp.Or(max(q.params.Limit, 0), 100), 100, len(u.pending))] {
		bodies = append(bodies, update.Body)
	}
	return bodies
}
