package telegram

import (
	"reflect"
	"slices"
	"time"
)

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
	if m = c.message(q.integer("message_id")); m == nil {
		q.bad("%s", missing)
	}
	return c, m
}

func (q *request) editMessageText() any {
	m := Message{}
	m.Text, m.Entities = q.text()
	m.Preview = q.preview(m)
	return q.edit(func(after *Message) {
		if after.Photo != nil {
			q.bad("there is no text in the message to edit")
		}
		after.Text, after.Entities, after.Preview = m.Text, m.Entities, m.Preview
	})
}

func (q *request) editMessageCaption() any {
	caption, list := q.caption()
	return q.edit(func(after *Message) {
		if after.Photo == nil {
			q.bad("there is no caption in the message to edit")
		}
		after.Caption, after.Entities = caption, list
	})
}

func (q *request) editMessageMedia() any {
	var media inputMedia
	q.object("media", &media)
	m := q.mediaMessage(media)
	if q.refused != nil {
		return nil
	}
	photo, refused := q.photo(media.Media, media.Media, photoLimits)
	q.refuse(refused)
	return q.edit(func(after *Message) {
		// A text message may become a photo (Bot API 10.1); the way back does not exist.
		after.Text, after.Preview, after.Document = "", "", nil
		after.Photo, after.Caption, after.Entities = photo, m.Caption, m.Entities
	})
}

func (q *request) editMessageReplyMarkup() any { return q.edit(func(*Message) {}) }

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
