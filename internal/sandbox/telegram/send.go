package telegram

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vestnik/internal/sandbox/core"
	"vestnik/internal/sandbox/markup"
)

// Text limits of the Bot API, counted in code points after entity parsing, and the server's limit on the raw parameter
// in bytes.
const (
	maxText    = 4096
	maxCaption = 1024
	maxRawText = 32_768
)

// format reads a text with its markup, as readers see it, and checks its length.
func (q *request) format(raw, mode string, limit int, tooLong string) markup.Text {
	switch {
	case len(raw) > maxRawText:
		q.bad("text is too long")
	case !utf8.ValidString(raw):
		q.bad("strings must be encoded in UTF-8")
	}
	text, err := markup.Parse(strings.NewReplacer("\r", "", "\u0000", "").Replace(raw), mode)
	if err != nil {
		q.bad("can't parse entities: %s", err)
	}
	if utf8.RuneCountInString(text.Plain) > limit {
		q.bad("%s", tooLong)
	}
	return text
}

// text is that of sendMessage and editMessageText, with the address whose preview goes under it: the one asked for, else
// the first link.
func (q *request) text() (m Message) {
	text := q.format(q.params.Text, q.params.ParseMode, maxText, "message is too long")
	if text.Plain == "" {
		q.bad("text must be non-empty")
	}
	m.Text, m.Formatted = text.Plain, text.HTML
	if !q.params.Preview.Disabled {
		m.Preview = cmp.Or(q.params.Preview.URL, text.Link)
	}
	return m
}

func (q *request) caption() (m Message) {
	caption := q.format(q.params.Caption, q.params.ParseMode, maxCaption, "message caption is too long")
	m.Caption, m.Formatted = caption.Plain, caption.HTML
	return m
}

// place is where a new message goes: chat, topic, and what it answers.
type place struct {
	chat    *chat
	topic   int64
	replyTo int64
}

// approach does the checks that all sending methods share, in the order of the server: chat, rights, topic, reply. t.mu
// is held.
func (q *request) approach() (p place) {
	if p.chat = q.find(); p.chat == nil || q.refuse(p.chat.reach(q.bot)) {
		return p
	}
	if p.chat.Type == Channel && p.chat.membership(q.bot).Status != Administrator {
		q.bad("need administrator rights in the channel chat")
	}
	if p.topic = q.params.Thread; p.topic != 0 {
		// Topic 1, General, can't be named: the server knows no message 1 that began a thread.
		at := slices.IndexFunc(p.chat.Topics, func(topic Topic) bool { return topic.ID == p.topic && p.chat.Forum && p.topic != 1 })
		if at < 0 {
			q.bad("message thread not found")
		} else if p.chat.Topics[at].Closed {
			q.bad("TOPIC_CLOSED")
		}
	}
	if reply := q.params.Reply; reply != nil && p.chat.message(reply.Message) != nil {
		p.replyTo = reply.Message
	} else if reply != nil && !reply.EvenIfAbsent {
		q.bad("message to be replied not found")
	}
	return p
}

// admissible makes sure that a photo is not fetched for a chat that would refuse it.
func (q *request) admissible() bool {
	q.platform.mu.Lock()
	defer q.platform.mu.Unlock()
	q.approach()
	return q.refused == nil
}

// send stores new messages, if the chat, its rules and its flood limits allow it, and returns them as the Bot API has
// them.
func (q *request) send(messages ...Message) (sent []any) {
	t := q.platform
	t.mu.Lock()
	defer t.mu.Unlock()
	p := q.approach()
	if q.refused != nil || q.refuse(t.admit(p.chat, len(messages))) {
		return nil
	}
	album := ""
	if len(messages) > 1 {
		album = strconv.FormatInt(13_500_000_000_000_000+t.number(), 10)
	}
	for _, m := range messages {
		m.Topic, m.ReplyTo, m.Album, m.Silent = p.topic, p.replyTo, album, q.params.Silent
		m.From, m.FromName, m.Out, m.Date = q.bot.ID(), q.bot.Name, true, t.core.Now()
		if p.chat.Type == Channel {
			m.FromName = p.chat.Title
		}
		stored := p.chat.add(&m)
		q.stored = append(q.stored, stored.ID)
		sent = append(sent, t.wire(p.chat, stored))
	}
	return sent
}

// sendOne is send for a single message, whose content get gets.
func (q *request) sendOne(m Message, get func(*Message) *refusal) any {
	m.Keyboard = q.keyboard()
	if q.refused != nil || !q.admissible() || q.refuse(get(&m)) {
		return nil
	}
	if sent := q.send(m); sent != nil {
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
	return q.sendOne(q.text(), func(*Message) *refusal { return nil })
}

func (q *request) sendPhoto() any {
	return q.sendOne(q.caption(), func(m *Message) (refused *refusal) {
		m.Photo, refused = q.photo("photo", q.params.Photo, photoLimits)
		return refused
	})
}

func (q *request) sendAnimation() any {
	return q.sendOne(q.caption(), func(m *Message) (refused *refusal) {
		m.Animation = true
		m.Photo, refused = q.photo("animation", q.params.Animation, limits{maxFileByURL, q.platform.maxUpload()})
		return refused
	})
}

func (q *request) sendDocument() any {
	return q.sendOne(q.caption(), func(m *Message) (refused *refusal) {
		m.Document, refused = q.document(q.params.Document)
		return refused
	})
}

// inputMedia is an item of an album, or the new content of a message.
type inputMedia struct {
	Type      string `json:"type"`
	Media     string `json:"media"`
	Caption   string `json:"caption"`
	ParseMode string `json:"parse_mode"`
}

// mediaMessage is the item as a message, but for its photo.
func (q *request) mediaMessage(item inputMedia) (m Message) {
	if item.Type != "photo" {
		q.bad("sandbox: media of type %q: only photo is imitated", item.Type)
	}
	q.params.Caption, q.params.ParseMode = item.Caption, item.ParseMode
	return q.caption()
}

// media reads the parameter of that name into a list of items, or one.
func (q *request) media(into any) {
	if err := core.Strictly(q.params.Media, into); err != nil {
		q.bad("can't parse media: %s", err)
	}
}

func (q *request) sendMediaGroup() any {
	var items []inputMedia
	switch q.media(&items); {
	case len(items) == 0:
		q.bad("there are no messages to send")
	case len(items) == 1:
		q.bad("too few messages to send as an album: an album has 2-10 items")
	case len(items) > 10:
		q.bad("too much messages to send as an album")
	}
	messages, failed := make([]Message, len(items)), make([]*refusal, len(items))
	for i, item := range items {
		messages[i] = q.mediaMessage(item)
	}
	if q.refused != nil || !q.admissible() {
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
	return q.send(messages...)
}

// deletable is for how long a bot that is no administrator may delete what it has sent.
const deletable = 48 * time.Hour

const notModified = "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"

// edit finds the message to be changed, applies change to a copy and stores it if something became different.
func (q *request) edit(change func(*Message)) any {
	t := q.platform
	keyboard := q.keyboard()
	t.mu.Lock()
	defer t.mu.Unlock()
	c, m := q.message("message to edit not found")
	if m == nil {
		return nil
	}
	if m.From != q.bot.ID() {
		q.bad("message can't be edited")
	}
	after := *m
	after.Keyboard = keyboard
	change(&after)
	if reflect.DeepEqual(*m, after) {
		q.bad("%s", notModified)
	}
	if q.refused != nil {
		return nil
	}
	after.Edited = t.core.Now()
	*m = after
	q.stored = append(q.stored, m.ID)
	return t.wire(c, m)
}

// message finds the chat and the message that a call is about; the message is nil if the request is refused. t.mu is
// held.
func (q *request) message(missing string) (c *chat, m *Message) {
	if c = q.find(); c == nil || q.refuse(c.reach(q.bot)) {
		return nil, nil
	}
	if m = c.message(q.params.Message); m == nil {
		q.bad("%s", missing)
	}
	return c, m
}

func (q *request) editMessageText() any {
	m := q.text()
	return q.edit(func(after *Message) {
		if after.Photo != nil {
			q.bad("there is no text in the message to edit")
		}
		after.Text, after.Formatted, after.Preview = m.Text, m.Formatted, m.Preview
	})
}

func (q *request) editMessageCaption() any {
	m := q.caption()
	return q.edit(func(after *Message) {
		if after.Photo == nil {
			q.bad("there is no caption in the message to edit")
		}
		after.Caption, after.Formatted = m.Caption, m.Formatted
	})
}

func (q *request) editMessageMedia() any {
	var media inputMedia
	q.media(&media)
	m := q.mediaMessage(media)
	if q.refused != nil {
		return nil
	}
	photo, refused := q.photo(media.Media, media.Media, photoLimits)
	q.refuse(refused)
	return q.edit(func(after *Message) {
		// A text message may become a photo (Bot API 10.1); the way back does not exist.
		after.Text, after.Preview, after.Document = "", "", nil
		after.Photo, after.Caption, after.Formatted = photo, m.Caption, m.Formatted
	})
}

func (q *request) deleteMessage() any {
	t := q.platform
	t.mu.Lock()
	defer t.mu.Unlock()
	c, m := q.message("message to delete not found")
	if m == nil {
		return nil
	}
	if administrator := c.Members[q.bot.ID()].Status == Administrator; !administrator && (m.From != q.bot.ID() || t.core.Now().Sub(m.Date) > deletable) {
		q.bad("message can't be deleted for everyone")
	}
	if q.refused != nil {
		return nil
	}
	c.Messages = slices.DeleteFunc(c.Messages, func(other *Message) bool { return other.ID == m.ID })
	q.stored = append(q.stored, m.ID)
	return true
}
