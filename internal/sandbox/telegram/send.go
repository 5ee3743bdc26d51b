package telegram

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// find resolves chat_id: a number, or @username of a public chat. Nil if the request is refused. t.mu is held.
func (q *request) find() *chat {
	chatID := strings.TrimSpace(q.form.Text("chat_id"))
	id, err := strconv.ParseInt(chatID, 10, 64)
	c := q.platform.chats[id]
	if name, isName := strings.CutPrefix(chatID, "@"); err != nil && isName {
		for _, named := range q.platform.chats {
			if named.Username != "" && strings.EqualFold(named.Username, name) {
				c = named
			}
		}
	}
	if c == nil {
		q.bad("chat not found")
	}
	if q.refused != nil {
		return nil
	}
	return c
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
		return migrated(c.MigratedTo)
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
func (q *request) topic(c *chat) int64 {
	id := q.integer("message_thread_id")
	if id == 0 {
		return 0
	}
	// Topic 1, General, can't be named: the server knows no message 1 that began a thread.
	at := slices.IndexFunc(c.Topics, func(topic Topic) bool { return topic.ID == id && !topic.Deleted && c.Forum && id != 1 })
	m := c.membership(q.bot)
	switch {
	case at < 0:
		q.bad("message thread not found")
	case c.Topics[at].Closed && m.Status != Creator && !m.ManageTopics:
		q.bad("TOPIC_CLOSED")
	}
	return id
}

// place is where a new message goes: chat, topic, and what it answers.
type place struct {
	chat    *chat
	topic   int64
	replyTo int64
}

// approach does the checks that all sending methods share, in the order of the server: chat, rights, topic, reply. t.mu
// is held.
func (q *request) approach(photos bool) (p place) {
	if p.chat = q.find(); p.chat == nil || q.refuse(p.chat.mayWrite(q.bot, photos)) {
		return p
	}
	p.topic, p.replyTo = q.topic(p.chat), q.replyTo(p.chat)
	return p
}

// admissible makes sure that a photo is not fetched for a chat that would refuse it.
func (q *request) admissible() bool {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	q.approach(true)
	return q.refused == nil
}

// send stores new messages, if the chat, its rules and its flood limits allow it, and returns them as the Bot API has
// them.
func (q *request) send(photos bool, messages ...Message) (sent []any) {
	t := q.platform
	t.mu.Lock()
	defer t.mu.Unlock()
	p := q.approach(photos)
	if q.refused != nil || q.refuse(t.admit(q.bot, p.chat, len(messages))) {
		return nil
	}
	album := ""
	if len(messages) > 1 {
		t.nextAlbum++
		album = strconv.FormatInt(13_500_000_000_000_000+t.nextAlbum, 10)
	}
	for _, m := range messages {
		m.Topic, m.ReplyTo, m.Album = p.topic, p.replyTo, album
		m.From, m.FromName, m.Out = q.bot.ID(), q.bot.Name, true
		if p.chat.Type == Channel {
			m.FromName = p.chat.Title
		}
		m.Date = t.core.Now()
		m.Silent = q.boolean("disable_notification")
		stored := p.chat.add(&m)
		q.stored = append(q.stored, stored.ID)
		sent = append(sent, t.wire(p.chat, stored))
	}
	return sent
}

// sendOne is send for a single message.
func (q *request) sendOne(photos bool, m Message) any {
	if q.refused != nil {
		return nil
	}
	if sent := q.send(photos, m); sent != nil {
		return sent[0]
	}
	return nil
}

func (c *chat) add(m *Message) *Message {
	m.ID, m.Chat = c.NextID, c.ID
	c.NextID++
	c.Messages = append(c.Messages, m)
	c.Messages = c.Messages[max(len(c.Messages)-messagesKept, 0):]
	return m
}

// message finds a message that is still there.
func (c *chat) message(id int64) *Message {
	i, found := slices.BinarySearchFunc(c.Messages, id, func(m *Message, id int64) int { return cmp.Compare(m.ID, id) })
	if !found {
		return nil
	}
	return c.Messages[i]
}

func (q *request) sendMessage() any {
	m := Message{}
	m.Text, m.Entities = q.text()
	m.Keyboard = q.keyboard()
	m.Preview = q.preview(m)
	return q.sendOne(false, m)
}

func (q *request) sendPhoto() any {
	return q.sendMedia(func(m *Message) (refused *refusal) {
		m.Photo, refused = q.photo("photo", q.form.Text("photo"), photoLimits)
		return refused
	})
}

func (q *request) sendAnimation() any {
	return q.sendMedia(func(m *Message) (refused *refusal) {
		m.Animation = true
		m.Photo, refused = q.photo("animation", q.form.Text("animation"), limits{maxFileByURL, q.platform.maxUpload()})
		return refused
	})
}

func (q *request) sendDocument() any {
	return q.sendMedia(func(m *Message) (refused *refusal) {
		m.Document, refused = q.document("document", q.form.Text("document"))
		return refused
	})
}

// sendMedia sends what get gets, with its caption.
func (q *request) sendMedia(get func(*Message) *refusal) any {
	m := Message{}
	m.Caption, m.Entities = q.caption()
	m.Keyboard = q.keyboard()
	if q.refused == nil && q.admissible() {
		q.refuse(get(&m))
	}
	return q.sendOne(true, m)
}

// inputMedia is an item of an album, or the new content of a message.
type inputMedia struct {
	Type      string `json:"type"`
	Media     string `json:"media"`
	Caption   string `json:"caption"`
	ParseMode string `json:"parse_mode"`
}

// message is the item as a message, but for its photo.
func (q *request) mediaMessage(item inputMedia) (m Message) {
	if item.Type != "photo" {
		q.bad("sandbox: media of type %q: only photo is imitated", item.Type)
	}
	m.Caption, m.Entities = q.format(item.Caption, item.ParseMode, maxCaption, "message caption is too long")
	return m
}

func (q *request) sendMediaGroup() any {
	var items []inputMedia
	q.object("media", &items)
	switch {
	case len(items) == 0:
		q.bad("there are no messages to send")
	case len(items) == 1:
		q.bad("too few messages to send as an album: an album has 2-10 items")
	case len(items) > 10:
		q.bad("too much messages to send as an album")
	}
	if q.refused != nil || !q.admissible() {
		return nil
	}
	messages, failed := make([]Message, len(items)), make([]*refusal, len(items))
	for i, item := range items {
		messages[i] = q.mediaMessage(item)
	}
	if q.refused != nil {
		return nil
	}
	var all sync.WaitGroup
	for i, item := range items {
		all.Go(func() { messages[i].Photo, failed[i] = q.photo(item.Media, item.Media, photoLimits) })
	}
	all.Wait()
	for i, refused := range failed {
		if refused != nil { // the server names the item that failed inside an album
			q.bad("failed to send message #%d with the error message \"%s\"", i+1,
				cmp.Or(refused.raw, strings.TrimPrefix(refused.description, "Bad Request: ")))
			return nil
		}
	}
	return q.send(true, messages...)
}
