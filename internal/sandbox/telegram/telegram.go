// Package telegram imitates the Bot API: chats with members, topics and flood limits, the methods that Vestnik calls
// with the server's own refusals, and updates that go to a webhook or wait for getUpdates.
package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/time/rate"

	"vestnik/internal/sandbox/core"
)

// Platform is the Bot API with its bots and chats.
type Platform struct {
	core       *core.Core
	defaultBot string // token of the bot that is meant where none is named

	mu      sync.Mutex
	bots    map[string]*bot                      // by token
	chats   map[int64]*chat                      // by id
	files   map[string]*Photo                    // by file id
	fetched map[string]func() (*Photo, *refusal) // by URL, failures too
	queries map[string]*query                    // callback queries by id
	// lastUpdates are the last update ids of bots that the state file knew.
	lastUpdates map[int64]int64
	lastNumber  int64
	largest     int64 // file that is taken, in bytes
}

// bot is a bot with what is under way for it.
type bot struct {
	Bot
	updates updateQueue
}

// chat is a chat with its messages, as the state file keeps it.
type chat struct {
	Chat
	Messages []*Message    `json:"messages"` // in order of id
	NextID   int64         `json:"next_id"`
	pace     *rate.Limiter // nil until the first message
	minute   core.Window   // messages of the last minute
}

// messagesKept bounds the memory of one chat: older messages are forgotten.
const messagesKept = 10_000

// New makes a Platform without bots and chats. Where no bot is named, that of the token defaultBot is meant.
func New(c *core.Core, defaultBot string) *Platform {
	return &Platform{core: c, defaultBot: defaultBot, bots: map[string]*bot{}, chats: map[int64]*chat{},
		files: map[string]*Photo{}, fetched: map[string]func() (*Photo, *refusal){}, queries: map[string]*query{}, largest: 50 << 20}
}

// number is a new number, of an album, a file or a query. t.mu is held.
func (t *Platform) number() int64 {
	t.lastNumber++
	return t.lastNumber
}

// AddBot makes a bot known. A bot of the same token keeps its updates.
func (t *Platform) AddBot(b Bot) error {
	if b.ID() <= 0 || tokenFault(b.Token) != nil {
		return errors.New("sandbox: bot token must look like 7000000001:letters")
	}
	b.Username = cmp.Or(b.Username, fmt.Sprintf("sandbox_%d_bot", b.ID()))
	b.Name = cmp.Or(b.Name, b.Username)
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.bots[b.Token]; known != nil {
		known.Bot = b
		return nil
	}
	fresh := &bot{Bot: b}
	fresh.updates = updateQueue{t: t, bot: fresh, bell: make(chan struct{}), lastID: max(700_000_000+b.ID()%1_000_000, t.lastUpdates[b.ID()])}
	t.bots[b.Token] = fresh
	return nil
}

// Bot is the bot of a token, id or username; if none is named, the default bot or the only one.
func (t *Platform) Bot(name string) Bot {
	t.mu.Lock()
	defer t.mu.Unlock()
	if fallback := t.bots[t.defaultBot]; name == "" && fallback != nil {
		return fallback.Bot
	}
	for token, b := range t.bots {
		if token == name || strconv.FormatInt(b.ID(), 10) == name || b.Username == name || name == "" && len(t.bots) == 1 {
			return b.Bot
		}
	}
	return Bot{}
}

// AddChat makes a chat known, or changes what is known of it; its messages stay.
func (t *Platform) AddChat(c Chat) error {
	switch {
	case !slices.Contains([]ChatType{PrivateChat, Group, Supergroup, Channel}, c.Type):
		return fmt.Errorf("sandbox: chat type %q: use private, group, supergroup or channel", c.Type)
	case (c.Type == PrivateChat) != (c.ID > 0):
		return fmt.Errorf("sandbox: %s %d: the id of a person must be positive, all others must be negative", c.Type, c.ID)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.core.Announce(core.Telegram)
	if t.chats[c.ID] == nil {
		t.chats[c.ID] = &chat{NextID: 1}
	}
	t.chats[c.ID].Chat = c.copied()
	return nil
}

// ChangeChat changes a chat in place. It fails if there is no such chat.
func (t *Platform) ChangeChat(id int64, change func(*Chat)) error {
	return t.changeChat(id, func(c *chat) { change(&c.Chat) })
}

func (t *Platform) changeChat(id int64, change func(*chat)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.chats[id]
	if c == nil {
		return fmt.Errorf("sandbox: no chat %d", id)
	}
	change(c)
	t.core.Announce(core.Telegram)
	return nil
}

// SetMember sets the status of a user, bots included, in a chat.
func (t *Platform) SetMember(chat, user int64, m Member) error {
	return t.ChangeChat(chat, func(c *Chat) { c.Members[user] = m })
}

// SetLimits changes the flood limits of a chat and forgets what it has used.
func (t *Platform) SetLimits(chatID int64, limits core.Limits) error {
	return t.changeChat(chatID, func(c *chat) { c.Limits, c.pace, c.minute = &limits, nil, nil })
}

// Chats lists the chats by id.
func (t *Platform) Chats() []Chat {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []Chat{}
	for _, c := range t.chats {
		list = append(list, c.copied())
	}
	slices.SortFunc(list, func(a, b Chat) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// copied is a chat that shares nothing; it has a map of members.
func (c Chat) copied() Chat {
	c.Members, c.Topics = maps.Clone(c.Members), slices.Clone(c.Topics)
	if c.Members == nil {
		c.Members = map[int64]Member{}
	}
	return c
}

// Messages returns what a chat shows, oldest first; deleted messages are left out.
func (t *Platform) Messages(chat int64) []Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []Message{}
	if c := t.chats[chat]; c != nil {
		for _, m := range c.Messages {
			list = append(list, *m)
		}
	}
	return list
}

// ClearChat empties a chat. Message ids keep counting.
func (t *Platform) ClearChat(id int64) error {
	return t.changeChat(id, func(c *chat) { c.Messages, c.pace, c.minute = nil, nil, nil })
}

// ServeHTTP answers /bot<token>/<method>.
func (t *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, name, complete := strings.Cut(strings.TrimPrefix(r.URL.Path, "/bot"), "/")
	name = strings.ToLower(strings.TrimSuffix(name, "/"))
	called, known := methods[name]
	var caller *bot
	t.core.Exchange(w, r, core.Telegram, cmp.Or(called.name, name), core.Rules{
		Identify: func(f *core.Form) (string, string) {
			t.mu.Lock()
			defer t.mu.Unlock()
			if caller = t.bots[token]; caller == nil {
				return "", f.Fields["chat_id"]
			}
			return "bot" + strconv.FormatInt(caller.ID(), 10), f.Fields["chat_id"]
		},
		Unreadable: func(err error) core.Answer {
			if errors.Is(err, core.ErrTooLarge) {
				return refuse(413, "Request Entity Too Large").answer()
			}
			return badRequest("%s", err).answer()
		},
		Handle: func(ctx context.Context, f *core.Form) core.Answer {
			switch {
			case !complete || strings.Contains(name, "/"):
				return refuse(404, "Not Found").answer()
			case tokenFault(token) != nil:
				return tokenFault(token).answer()
			case caller == nil:
				return refuse(401, "Unauthorized").answer()
			case !known:
				return refuse(404, "Not Found: method not found").answer()
			}
			q := &request{platform: t, bot: caller, form: f, ctx: ctx, http: r}
			called.read(q)
			var result any
			if q.refused == nil {
				result = called.run(q)
			}
			if q.refused != nil {
				return q.refused.answer()
			}
			if len(q.stored) > 0 {
				t.core.Announce(core.Telegram)
			}
			return core.Answer{Status: 200, Stored: q.stored, Body: core.Encode(map[string]any{"ok": true, "result": result})}
		},
		Fault: faultAnswer,
	})
}

// tokenFault refuses a token that no bot could have (Client::check_token in telegram-bot-api).
func tokenFault(token string) *refusal {
	if !strings.Contains(token, ":") || strings.HasPrefix(token, "0") || len(token) > 80 || strings.Contains(token, "/") {
		return refuse(401, "Unauthorized: invalid token specified")
	}
	return nil
}

// State is what outlives a run of the sandbox.
type State struct {
	Chats      []*chat         `json:"chats"`
	Updates    map[int64]int64 `json:"updates"` // last update_id by bot
	LastNumber int64           `json:"last_number"`
}

// Save hands the state to keep, which must not hold on to it.
func (t *Platform) Save(keep func(State)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	saved := State{Chats: slices.Collect(maps.Values(t.chats)), Updates: map[int64]int64{}, LastNumber: t.lastNumber}
	for _, b := range t.bots {
		saved.Updates[b.ID()] = b.updates.lastID
	}
	keep(saved)
}

// Restore brings a saved state back.
func (t *Platform) Restore(saved State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range saved.Chats {
		c.Chat, c.NextID = c.copied(), max(c.NextID, 1)
		t.chats[c.ID] = c
		for _, m := range c.Messages {
			if m.Photo != nil {
				t.files[m.Photo.FileID] = m.Photo
			}
		}
	}
	t.lastUpdates, t.lastNumber = saved.Updates, cmp.Or(saved.LastNumber, 1_000_000) // an older file says none, and its pictures have smaller ones
}
