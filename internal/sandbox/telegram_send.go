package sandbox

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// find resolves chat_id: a number, or @username of a public chat. t.mu is
// held.
func (t *telegram) find(chatID string) (*chat, *refusal) {
	chatID = strings.TrimSpace(chatID)
	if chatID == "" {
		return nil, badRequest("chat_id is empty")
	}
	id, err := strconv.ParseInt(chatID, 10, 64)
	if err != nil {
		name, isName := strings.CutPrefix(chatID, "@")
		if !isName {
			return nil, badRequest("chat not found")
		}
		id = t.usernames[strings.ToLower(name)]
	}
	c := t.chats[id]
	if c == nil {
		return nil, badRequest("chat not found")
	}
	return c, nil
}

// membership is the bot's own place in a chat.
func (c *chat) membership(b *bot) Member {
	if m, listed := c.Members[b.ID()]; listed {
		return m
	}
	if c.Type == Channel {
		return Member{Status: Administrator}
	}
	return Member{Status: Ordinary}
}

// reach checks that the bot can see the chat at all. t.mu is held.
func (c *chat) reach(b *bot) *refusal {
	status := c.membership(b).Status
	person := c.Members[c.ID].Status // of a private chat
	switch {
	case c.MigratedTo != 0:
		return &refusal{code: 400, description: "Bad Request: group chat was upgraded to a supergroup chat", migrateTo: c.MigratedTo}
	case c.Deactivated:
		return forbidden("user is deactivated")
	case c.Deleted:
		return forbidden("the group chat was deleted")
	case c.Type == PrivateChat && (status == Blocked || person == Blocked):
		return forbidden("bot was blocked by the user")
	case c.Type == PrivateChat && status == Left:
		return forbidden("bot can't initiate conversation with a user")
	case c.Type == PrivateChat:
		return nil
	case status == Kicked:
		return forbidden("bot was kicked from the %s chat", c.Type)
	case !c.membership(b).inside():
		return forbidden("bot is not a member of the %s chat", c.Type)
	}
	return nil
}

// mayWrite checks the bot's rights to send. t.mu is held.
func (c *chat) mayWrite(b *bot, photos bool) *refusal {
	if refused := c.reach(b); refused != nil {
		return refused
	}
	m := c.membership(b)
	switch {
	case c.Type == Channel && (m.Status != Administrator && m.Status != Creator || m.Mute):
		return badRequest("need administrator rights in the channel chat")
	case m.Mute:
		return badRequest("not enough rights to send text messages to the chat")
	case photos && m.MutePhotos:
		return badRequest("not enough rights to send photos to the chat")
	}
	return nil
}

// topic checks message_thread_id. t.mu is held.
func (q *botRequest) topic(c *chat) (int64, *refusal) {
	if !q.form.has("message_thread_id") {
		return 0, nil
	}
	id := q.integer("message_thread_id")
	if id == 0 {
		return 0, nil
	}
	// Topic 1, General, can't be named: the server knows no message 1 that
	// began a thread.
	for _, topic := range c.Topics {
		if topic.ID != id || topic.Deleted || !c.Forum || id == 1 {
			continue
		}
		m := c.membership(q.bot)
		if topic.Closed && m.Status != Creator && !m.ManageTopics {
			return 0, badRequest("TOPIC_CLOSED")
		}
		return id, nil
	}
	return 0, badRequest("message thread not found")
}

// place is where a new message goes: chat, topic, and what it answers.
type place struct {
	chat    *chat
	topic   int64
	replyTo int64
}

// approach does the checks that all sending methods share, in the order of
// the server: chat, rights, topic, reply, and then the flood limits for n
// messages. t.mu is held.
func (q *botRequest) approach(n int, photos bool) (place, *refusal) {
	c, refused := q.telegram.find(q.form.text("chat_id"))
	if refused != nil {
		return place{}, refused
	}
	if refused := c.mayWrite(q.bot, photos); refused != nil {
		return place{}, refused
	}
	p := place{chat: c}
	if p.topic, refused = q.topic(c); refused != nil {
		return place{}, refused
	}
	if p.replyTo, refused = q.replyTo(c); refused != nil {
		return place{}, refused
	}
	return p, q.telegram.admit(q.bot, c, n)
}

// put stores a new message in its place. t.mu is held.
func (q *botRequest) put(p place, m Message) *Message {
	c := p.chat
	m.ID, m.Chat, m.Topic, m.ReplyTo = c.nextID, c.ID, p.topic, p.replyTo
	m.From, m.FromName, m.Out = q.bot.ID(), q.bot.Name, true
	if c.Type == Channel {
		m.FromName = c.Title
	}
	m.Date = q.telegram.server.now()
	m.Silent, m.Protect = q.boolean("disable_notification"), q.boolean("protect_content")
	stored := c.add(&m)
	q.stored = append(q.stored, stored.ID)
	return stored
}

func (c *chat) add(m *Message) *Message {
	m.ID, m.Chat = c.nextID, c.ID
	c.nextID++
	c.messages = append(c.messages, m)
	if len(c.messages) > messagesKept {
		c.messages = c.messages[len(c.messages)-messagesKept:]
	}
	return m
}

// message finds a message that is still there.
func (c *chat) message(id int64) *Message {
	i, found := slices.BinarySearchFunc(c.messages, id, func(m *Message, id int64) int { return cmp.Compare(m.ID, id) })
	if !found || c.messages[i].Deleted {
		return nil
	}
	return c.messages[i]
}

func (q *botRequest) sendMessage() (any, *refusal) {
	text, refused := q.messageText()
	if refused != nil {
		return nil, refused
	}
	keyboard, refused := q.keyboard()
	if refused != nil {
		return nil, refused
	}
	preview, refused := q.preview(text)
	if refused != nil {
		return nil, refused
	}
	t := q.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	p, refused := q.approach(1, false)
	if refused != nil {
		return nil, refused
	}
	m := q.put(p, Message{Text: text.text, Entities: text.list, Keyboard: keyboard, Preview: preview})
	return t.wire(p.chat, m, q.bot), nil
}

func (q *botRequest) sendPhoto() (any, *refusal) {
	caption, refused := q.caption()
	if refused != nil {
		return nil, refused
	}
	keyboard, refused := q.keyboard()
	if refused != nil {
		return nil, refused
	}
	if refused := q.admissible(true); refused != nil {
		return nil, refused
	}
	photo, refused := q.photo("photo", q.form.text("photo"))
	if refused != nil {
		return nil, refused
	}
	t := q.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	p, refused := q.approach(1, true)
	if refused != nil {
		return nil, refused
	}
	m := q.put(p, Message{Caption: caption.text, Entities: caption.list, Photo: photo, Keyboard: keyboard,
		Above: q.boolean("show_caption_above_media"), Spoiler: q.boolean("has_spoiler")})
	return t.wire(p.chat, m, q.bot), nil
}

// admissible is approach without the flood limits: a photo is not fetched for
// a chat that would refuse it.
func (q *botRequest) admissible(photos bool) *refusal {
	q.telegram.mu.Lock()
	defer q.telegram.mu.Unlock()
	c, refused := q.telegram.find(q.form.text("chat_id"))
	if refused != nil {
		return refused
	}
	if refused := c.mayWrite(q.bot, photos); refused != nil {
		return refused
	}
	if _, refused := q.topic(c); refused != nil {
		return refused
	}
	_, refused = q.replyTo(c)
	return refused
}

func (q *botRequest) sendDocument() (any, *refusal) {
	caption, refused := q.caption()
	if refused != nil {
		return nil, refused
	}
	keyboard, refused := q.keyboard()
	if refused != nil {
		return nil, refused
	}
	document, refused := q.document()
	if refused != nil {
		return nil, refused
	}
	t := q.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	p, refused := q.approach(1, false)
	if refused != nil {
		return nil, refused
	}
	m := q.put(p, Message{Caption: caption.text, Entities: caption.list, Document: document, Keyboard: keyboard})
	return t.wire(p.chat, m, q.bot), nil
}

// inputMedia is an item of an album, or the new content of a message.
type inputMedia struct {
	Type                 string          `json:"type"`
	Media                string          `json:"media"`
	Thumbnail            json.RawMessage `json:"thumbnail"`
	Caption              string          `json:"caption"`
	ParseMode            string          `json:"parse_mode"`
	CaptionEntities      []messageEntity `json:"caption_entities"`
	ShowCaptionAbove     bool            `json:"show_caption_above_media"`
	HasSpoiler           bool            `json:"has_spoiler"`
	DisableTypeDetection bool            `json:"disable_content_type_detection"`
}

func (q *botRequest) sendMediaGroup() (any, *refusal) {
	var items []inputMedia
	if _, refused := q.object("media", &items); refused != nil {
		return nil, refused
	}
	switch {
	case len(items) == 0:
		return nil, badRequest("there are no messages to send")
	case len(items) == 1:
		return nil, badRequest("too few messages to send as an album: an album has 2-10 items")
	case len(items) > 10:
		return nil, badRequest("too much messages to send as an album")
	}
	if refused := q.admissible(true); refused != nil {
		return nil, refused
	}
	messages, refused := q.album(items)
	if refused != nil {
		return nil, refused
	}
	t := q.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	p, refused := q.approach(len(items), true)
	if refused != nil {
		return nil, refused
	}
	t.nextAlbum++
	album := strconv.FormatInt(13_500_000_000_000_000+t.nextAlbum, 10)
	var sent []any
	for _, m := range messages {
		m.Album = album
		sent = append(sent, t.wire(p.chat, q.put(p, m), q.bot))
	}
	return sent, nil
}

// album reads the items of an album and fetches their photos, all at once.
func (q *botRequest) album(items []inputMedia) ([]Message, *refusal) {
	messages, failed := make([]Message, len(items)), make([]*refusal, len(items))
	var all sync.WaitGroup
	for i, item := range items {
		if item.Type != "photo" {
			return nil, badRequest("sandbox: album item of type %q: only photo is imitated", item.Type)
		}
		caption, refused := q.format(item.Caption, item.ParseMode, item.CaptionEntities, maxCaption, "message caption is too long")
		if refused != nil {
			return nil, refused
		}
		messages[i] = Message{Caption: caption.text, Entities: caption.list, Above: item.ShowCaptionAbove, Spoiler: item.HasSpoiler}
	}
	for i, item := range items {
		all.Go(func() { messages[i].Photo, failed[i] = q.photo(item.Media, item.Media) })
	}
	all.Wait()
	for i, refused := range failed {
		if refused != nil {
			// The server names the item that failed inside an album.
			inner := orElse(refused.raw, strings.TrimPrefix(refused.description, "Bad Request: "))
			return nil, badRequest("failed to send message #%d with the error message \"%s\"", i+1, inner)
		}
	}
	return messages, nil
}
