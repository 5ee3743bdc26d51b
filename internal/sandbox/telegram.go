package sandbox

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
	"time"
)

// telegram is the Bot API side.
type telegram struct {
	server *Server

	mu        sync.Mutex
	bots      map[string]*bot   // by token
	chats     map[int64]*chat   // by id
	usernames map[string]int64  // lower case, without @
	files     map[string]*Photo // by file id
	documents map[string]*Document
	fetched   map[string]*fetch // by URL, failures too
	queries   map[string]*query // callback queries by id
	// lastUpdates are the last update ids of bots that the state file knew.
	lastUpdates map[int64]int64
	nextAlbum   int64
	nextQuery   int64
	nextFile    int64
}

// bot is a bot with what is under way for it.
type bot struct {
	Bot
	bucket  bucket
	updates updateQueue
}

// chat is a chat with its messages.
type chat struct {
	Chat
	messages []*Message // in order of id
	nextID   int64
	bucket   bucket
	window   window
}

// messagesKept bounds the memory of one chat: older messages are forgotten.
const messagesKept = 10_000

func newTelegram(s *Server) *telegram {
	return &telegram{
		server: s, bots: map[string]*bot{}, chats: map[int64]*chat{}, usernames: map[string]int64{},
		files: map[string]*Photo{}, documents: map[string]*Document{}, fetched: map[string]*fetch{},
		queries: map[string]*query{},
	}
}

// AddBot makes a bot known. A bot of the same token keeps its updates.
func (s *Server) AddBot(b Bot) error {
	if b.ID() <= 0 || tokenFault(b.Token) != nil {
		return fmt.Errorf("sandbox: bot token must look like 7000000001:letters")
	}
	b.Username = orElse(b.Username, fmt.Sprintf("sandbox_%d_bot", b.ID()))
	b.Name = orElse(b.Name, b.Username)
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.bots[b.Token]; known != nil {
		known.Bot = b
		return nil
	}
	fresh := &bot{Bot: b}
	fresh.updates.init(t, fresh)
	fresh.updates.lastID = max(fresh.updates.lastID, t.lastUpdates[b.ID()])
	t.bots[b.Token] = fresh
	return nil
}

// RemoveBot makes a token unknown again: calls with it answer 401.
func (s *Server) RemoveBot(token string) {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.bots, token)
}

// AddChat makes a chat known, or changes what is known of it; its messages
// stay.
func (s *Server) AddChat(c Chat) error {
	switch c.Type {
	case PrivateChat:
		if c.ID <= 0 {
			return fmt.Errorf("sandbox: private chat %d: the id must be positive, the user's", c.ID)
		}
	case Group, Supergroup, Channel:
		if c.ID >= 0 {
			return fmt.Errorf("sandbox: %s %d: the id must be negative", c.Type, c.ID)
		}
	default:
		return fmt.Errorf("sandbox: chat type %q: use private, group, supergroup or channel", c.Type)
	}
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	defer s.events.post(topicTelegram)
	c.Members = maps.Clone(c.Members)
	if c.Members == nil {
		c.Members = map[int64]Member{}
	}
	c.Topics = slices.Clone(c.Topics)
	known := t.chats[c.ID]
	if known == nil {
		known = &chat{nextID: 1}
		t.chats[c.ID] = known
	}
	known.Chat = c
	if c.Username != "" {
		t.usernames[strings.ToLower(c.Username)] = c.ID
	}
	return nil
}

// ChangeChat changes a chat in place. It fails if there is no such chat.
func (s *Server) ChangeChat(id int64, change func(*Chat)) error {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.chats[id]
	if c == nil {
		return fmt.Errorf("sandbox: no chat %d", id)
	}
	change(&c.Chat)
	if c.Username != "" {
		t.usernames[strings.ToLower(c.Username)] = id
	}
	s.events.post(topicTelegram)
	return nil
}

// SetMember sets the status of a user, bots included, in a chat.
func (s *Server) SetMember(chat, user int64, m Member) error {
	return s.ChangeChat(chat, func(c *Chat) {
		if c.Members == nil {
			c.Members = map[int64]Member{}
		}
		c.Members[user] = m
	})
}

// SetLimits changes the flood limits of a chat and forgets what it has used.
func (s *Server) SetLimits(chatID int64, limits Limits) error {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.chats[chatID]
	if c == nil {
		return fmt.Errorf("sandbox: no chat %d", chatID)
	}
	c.Limits, c.bucket, c.window = &limits, bucket{}, window{}
	return nil
}

// Chats lists the chats by id.
func (s *Server) Chats() []Chat {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Chat, 0, len(t.chats))
	for _, c := range t.chats {
		list = append(list, c.Chat.copied())
	}
	slices.SortFunc(list, func(a, b Chat) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

func (c Chat) copied() Chat {
	c.Members, c.Topics = maps.Clone(c.Members), slices.Clone(c.Topics)
	return c
}

// Messages returns what a chat shows, oldest first; deleted messages are left
// out.
func (s *Server) Messages(chat int64) []Message {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.chats[chat]
	if c == nil {
		return nil
	}
	var list []Message
	for _, m := range c.messages {
		if !m.Deleted {
			list = append(list, *m)
		}
	}
	return list
}

// ClearChat empties a chat. Message ids keep counting.
func (s *Server) ClearChat(chat int64) {
	t := s.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.chats[chat]; c != nil {
		c.messages, c.bucket, c.window = nil, bucket{}, window{}
	}
	s.events.post(topicTelegram)
}

// serve answers /bot<token>/<method>.
func (t *telegram) serve(w http.ResponseWriter, r *http.Request) {
	token, method, complete := strings.Cut(strings.TrimPrefix(r.URL.Path, "/bot"), "/")
	method = strings.ToLower(strings.TrimSuffix(method, "/"))
	spec, known := telegramMethods[method]
	name := orElse(spec.name, method)
	var author *bot
	t.server.exchange(w, r, Telegram, name, platformRules{
		identify: func(f *form) (string, string) {
			t.mu.Lock()
			defer t.mu.Unlock()
			author = t.bots[token]
			if author == nil {
				return "", f.text("chat_id")
			}
			return "bot" + strconv.FormatInt(author.ID(), 10), f.text("chat_id")
		},
		unreadable: func(err error) answer {
			if errors.Is(err, errTooLarge) {
				return telegramError(413, "Request Entity Too Large").answer()
			}
			return badRequest("%s", err).answer()
		},
		handle: func(ctx context.Context, f *form, call *Call) answer {
			switch {
			case !complete || strings.Contains(method, "/"):
				return telegramError(404, "Not Found").answer()
			case tokenFault(token) != nil:
				return tokenFault(token).answer()
			case author == nil:
				return telegramError(401, "Unauthorized").answer()
			case !known:
				return telegramError(404, "Not Found: method not found").answer()
			}
			q := &botRequest{telegram: t, bot: author, form: f, call: call, ctx: ctx, http: r}
			if err := spec.check(q); err != nil {
				return err.answer()
			}
			result, err := spec.run(q)
			if err != nil {
				return err.answer()
			}
			if len(q.stored) > 0 {
				t.server.events.post(topicTelegram)
			}
			return answer{status: 200, stored: q.stored, body: encode(map[string]any{"ok": true, "result": result})}
		},
		fault: telegramFault,
	})
}

// tokenFault refuses a token that no bot could have (Client::check_token in
// telegram-bot-api).
func tokenFault(token string) *refusal {
	if !strings.Contains(token, ":") || strings.HasPrefix(token, "0") || len(token) > 80 || strings.Contains(token, "/") {
		return telegramError(401, "Unauthorized: invalid token specified")
	}
	return nil
}

// refusal is an error answer of the Bot API.
type refusal struct {
	code        int
	description string
	retryAfter  int
	migrateTo   int64
	raw         string // the server's own code, shown where an album item fails
}

func telegramError(code int, format string, args ...any) *refusal {
	return &refusal{code: code, description: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *refusal {
	return telegramError(400, "Bad Request: "+format, args...)
}

func forbidden(format string, args ...any) *refusal {
	return telegramError(403, "Forbidden: "+format, args...)
}

func tooMany(wait time.Duration) *refusal {
	seconds := max(int((wait+time.Second-1)/time.Second), 1)
	return &refusal{code: 429, description: fmt.Sprintf("Too Many Requests: retry after %d", seconds), retryAfter: seconds}
}

func (e *refusal) answer() answer {
	body := map[string]any{"ok": false, "error_code": e.code, "description": e.description}
	header := map[string]string{}
	switch {
	case e.retryAfter > 0:
		body["parameters"] = map[string]any{"retry_after": e.retryAfter}
		header["Retry-After"] = strconv.Itoa(e.retryAfter)
	case e.migrateTo != 0:
		body["parameters"] = map[string]any{"migrate_to_chat_id": e.migrateTo}
	}
	return answer{status: e.code, header: header, body: encode(body), refused: true}
}

// telegramFault gives a fault the form of a Bot API error.
func telegramFault(fault *Fault, _ *form) answer {
	code := fault.Code
	switch {
	case code != 0:
	case fault.RetryAfter > 0:
		code = 429
	case fault.MigrateToChatID != 0:
		code = 400
	default:
		code = orElse(fault.Status, 500)
	}
	e := &refusal{code: code, description: fault.Description, retryAfter: fault.RetryAfter, migrateTo: fault.MigrateToChatID}
	if e.description == "" {
		switch {
		case e.migrateTo != 0:
			e.description = "Bad Request: group chat was upgraded to a supergroup chat"
		case code == 429:
			e.retryAfter = orElse(e.retryAfter, 1)
			e.description = fmt.Sprintf("Too Many Requests: retry after %d", e.retryAfter)
		default:
			e.description = orElse(http.StatusText(code), "Error")
		}
	}
	a := e.answer()
	a.status = orElse(fault.Status, code)
	if a.status < 200 || a.status > 599 {
		a.status = 500
	}
	return a
}
