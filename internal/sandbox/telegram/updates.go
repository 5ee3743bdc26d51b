package telegram

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
	"vestnik/internal/sandbox/entities"
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

// How many updates are remembered: undelivered ones, and delivered ones that can be delivered again.
const (
	updatesPending = 100_000
	updatesKept    = 5_000
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
	User       int64     `json:"user"`
	Message    int64     `json:"message_id"`
	Data       string    `json:"data"`
	PressedAt  time.Time `json:"pressed_at"`
	Answered   bool      `json:"answered"`
	AnsweredAt time.Time `json:"answered_at,omitzero"`
	Toast      string    `json:"toast,omitempty"`
	Alert      bool      `json:"alert,omitempty"`
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
	slices.SortFunc(list, func(a, b Query) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Say lets a person write to a bot in their private chat, which begins if need be, and sends the update on its way.
func (t *Platform) Say(token string, from Person, text string) (Update, error) {
	return t.SayIn(token, from.ID, from, text)
}

// SayIn lets a person write into any chat that the bot is in.
func (t *Platform) SayIn(token string, chatID int64, from Person, text string) (Update, error) {
	if strings.TrimSpace(text) == "" || entities.Characters(text) > maxText {
		return Update{}, fmt.Errorf("sandbox: a message has 1 to %d characters", maxText)
	}
	return t.write(token, chatID, Message{Text: text}, from)
}

// Locate lets a person send a bot their location in their private chat.
func (t *Platform) Locate(token string, from Person, at Location) (Update, error) {
	if at.Latitude < -90 || at.Latitude > 90 || at.Longitude < -180 || at.Longitude > 180 {
		return Update{}, fmt.Errorf("sandbox: location %v is not on Earth", at)
	}
	return t.write(token, from.ID, Message{Location: &at}, from)
}

// write puts a person's message into a chat and sends the update on its way.
func (t *Platform) write(token string, chatID int64, m Message, from Person) (Update, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bots[token]
	if b == nil {
		return Update{}, errNoBot
	}
	c := t.chats[chatID]
	if c == nil && chatID == from.ID && from.ID > 0 {
		c = &chat{Chat: Chat{ID: from.ID, Type: PrivateChat, Title: from.Name, Username: from.Username, Members: map[int64]Member{}}, NextID: 1}
		t.chats[from.ID] = c
	}
	if c == nil {
		return Update{}, fmt.Errorf("sandbox: no chat %d", chatID)
	}
	m.From, m.FromName, m.Date = from.ID, from.Name, t.core.Now()
	t.core.Announce(core.Telegram)
	return b.updates.push("message", fmt.Sprintf("chat %d", c.ID), t.wire(c, c.add(&m)), "")
}

// Press lets a person press a button, or send any callback data of a button that was once there. A message that is gone
// is sent as Telegram does: date 0 and no content.
func (t *Platform) Press(token string, from Person, chatID, messageID int64, data string) (Update, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bots[token]
	c := t.chats[chatID]
	if b == nil || c == nil {
		return Update{}, fmt.Errorf("sandbox: no such bot, or no chat %d", chatID)
	}
	var message map[string]any
	if m := c.message(messageID); m != nil {
		message = t.wire(c, m)
	} else {
		message = map[string]any{"message_id": messageID, "date": 0, "chat": wireChat(c.Chat)}
	}
	t.nextQuery++
	id := fmt.Sprintf("48000000%010d", t.nextQuery)
	t.queries[id] = &query{
		Query: Query{ID: id, Chat: chatID, User: from.ID, Message: messageID, Data: data, PressedAt: t.core.Now()}, bot: b,
	}
	t.core.Announce(core.Telegram)
	return b.updates.push("callback_query", fmt.Sprintf("user %d", from.ID), map[string]any{
		"id": id, "from": wirePerson(from), "message": message,
		"chat_instance": fmt.Sprintf("-58%017d", max(chatID, -chatID)%1e17), "data": data,
	}, id)
}

// Push sends an update with any content under its kind ("message", "my_chat_member", "poll"…): for what the other
// methods do not produce.
func (t *Platform) Push(token, kind string, content json.RawMessage) (Update, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bots[token]
	if b == nil {
		return Update{}, errNoBot
	}
	if !json.Valid(content) {
		return Update{}, fmt.Errorf("sandbox: the content of the update is no JSON")
	}
	return b.updates.push(kind, "pushed", content, "")
}

func wirePerson(p Person) map[string]any {
	w := map[string]any{"id": p.ID, "is_bot": false, "first_name": p.Name, "language_code": "ru"}
	if p.Username != "" {
		w["username"] = p.Username
	}
	return w
}

// updateQueue holds what a bot has not taken yet, and hands it to its webhook. It is guarded by t.mu.
type updateQueue struct {
	t       *Platform
	bot     *bot
	lastID  int64
	pending []*Update
	recent  []*Update // also the delivered ones, for Redeliver
	allowed []string  // empty: everything but the three that must be asked for
	bell    chan struct{}
	polling int64 // number of the newest getUpdates

	hook      Webhook
	mode      DeliveryMode
	epoch     int                      // counts changes of the webhook
	last      map[string]chan struct{} // by queue; closed when the last update under way is over
	slots     chan struct{}            // one for each connection to the webhook
	lastError string
	errorAt   time.Time
	attempts  []Delivery
}

// push numbers an update and sends it on its way. t.mu is held.
func (u *updateQueue) push(kind, queue string, content any, query string) (Update, error) {
	u.lastID++
	update := &Update{ID: u.lastID, Kind: kind, CreatedAt: u.t.core.Now(), Query: query, queue: queue}
	update.Body = core.Encode(map[string]any{"update_id": update.ID, kind: content})
	if !u.wanted(kind) {
		return *update, nil
	}
	if len(u.pending) >= updatesPending {
		return Update{}, fmt.Errorf("sandbox: %d updates wait already", updatesPending)
	}
	u.pending = append(u.pending, update)
	if u.recent = append(u.recent, update); len(u.recent) > updatesKept {
		u.recent = slices.Clone(u.recent[len(u.recent)-updatesKept:])
	}
	u.ring()
	u.deliver(update)
	return *update, nil
}

func (u *updateQueue) wanted(kind string) bool {
	if len(u.allowed) == 0 {
		return !slices.Contains([]string{"chat_member", "message_reaction", "message_reaction_count"}, kind)
	}
	return slices.Contains(u.allowed, kind)
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
	var allowed []string
	sent := q.object("allowed_updates", &allowed)
	limit, timeout := q.integer("limit"), min(q.integer("timeout"), 50)
	if limit <= 0 || limit > 100 {
		limit = 100
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if u.hook.URL != "" {
		q.refuse(refuse(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"))
	}
	if q.refused != nil {
		return nil
	}
	if sent {
		u.allowed = allowed
	}
	u.polling++
	mine := u.polling
	u.ring() // an older poller sees that it was replaced
	offset, now := q.integer("offset"), t.core.Now()
	u.pending = slices.DeleteFunc(u.pending, func(p *Update) bool { return p.ID < offset || p.expired(now) })
	deadline := time.NewTimer(time.Duration(timeout) * time.Second)
	defer deadline.Stop()
	for len(u.pending) == 0 || u.mode.Hold {
		bell := u.bell
		t.mu.Unlock()
		over := false
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
	for _, update := range u.pending[:min(int(limit), len(u.pending))] {
		for range 1 + u.mode.Copies {
			bodies = append(bodies, update.Body)
		}
	}
	return bodies
}
