package sandbox

import (
	"reflect"
	"slices"
	"time"
)

const notModified = "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"

// deleteWindow is how long after sending a bot may delete a message without
// being an administrator.
const deleteWindow = 48 * time.Hour

// edit finds the message to be changed, applies change to a copy and stores
// it if something became different.
func (q *botRequest) edit(change func(*chat, *Message) *refusal) (any, *refusal) {
	t := q.telegram
	if q.form.has("inline_message_id") {
		return nil, badRequest("sandbox: inline messages are not imitated")
	}
	keyboard, refused := q.keyboard()
	if refused != nil {
		return nil, refused
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c, refused := t.find(q.form.text("chat_id"))
	if refused != nil {
		return nil, refused
	}
	if refused := c.reach(q.bot); refused != nil {
		return nil, refused
	}
	m := c.message(q.integer("message_id"))
	switch {
	case m == nil:
		return nil, badRequest("message to edit not found")
	case m.From != q.bot.ID():
		return nil, badRequest("message can't be edited")
	}
	after := *m
	after.Keyboard = keyboard
	if refused := change(c, &after); refused != nil {
		return nil, refused
	}
	if reflect.DeepEqual(*m, after) {
		return nil, badRequest("%s", notModified)
	}
	after.Edited = t.server.now()
	*m = after
	q.stored = append(q.stored, m.ID)
	return t.wire(c, m, q.bot), nil
}

func (q *botRequest) editMessageText() (any, *refusal) {
	text, refused := q.messageText()
	if refused != nil {
		return nil, refused
	}
	preview, refused := q.preview(text)
	if refused != nil {
		return nil, refused
	}
	return q.edit(func(_ *chat, m *Message) *refusal {
		if m.Photo != nil || m.Document != nil {
			return badRequest("there is no text in the message to edit")
		}
		m.Text, m.Entities, m.Preview = text.text, text.list, preview
		return nil
	})
}

func (q *botRequest) editMessageCaption() (any, *refusal) {
	caption, refused := q.caption()
	if refused != nil {
		return nil, refused
	}
	return q.edit(func(_ *chat, m *Message) *refusal {
		if m.Photo == nil && m.Document == nil {
			return badRequest("there is no caption in the message to edit")
		}
		m.Caption, m.Entities, m.Above = caption.text, caption.list, q.boolean("show_caption_above_media")
		return nil
	})
}

func (q *botRequest) editMessageMedia() (any, *refusal) {
	var media inputMedia
	if _, refused := q.object("media", &media); refused != nil {
		return nil, refused
	}
	if media.Type != "photo" {
		return nil, badRequest("sandbox: media of type %q: only photo is imitated", media.Type)
	}
	caption, refused := q.format(media.Caption, media.ParseMode, media.CaptionEntities, maxCaption, "message caption is too long")
	if refused != nil {
		return nil, refused
	}
	photo, refused := q.photo(media.Media, media.Media)
	if refused != nil {
		return nil, refused
	}
	return q.edit(func(_ *chat, m *Message) *refusal {
		// A text message may become a photo (Bot API 10.1); the way back does
		// not exist.
		m.Text, m.Preview, m.Document = "", "", nil
		m.Photo, m.Caption, m.Entities = photo, caption.text, caption.list
		m.Above, m.Spoiler = media.ShowCaptionAbove, media.HasSpoiler
		return nil
	})
}

func (q *botRequest) editMessageReplyMarkup() (any, *refusal) {
	return q.edit(func(*chat, *Message) *refusal { return nil })
}

func (q *botRequest) deleteMessage() (any, *refusal) {
	t := q.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	c, refused := t.find(q.form.text("chat_id"))
	if refused != nil {
		return nil, refused
	}
	if refused := c.reach(q.bot); refused != nil {
		return nil, refused
	}
	m := c.message(q.integer("message_id"))
	if m == nil {
		return nil, badRequest("message to delete not found")
	}
	mine := m.From == q.bot.ID()
	admin := slices.Contains([]MemberStatus{Creator, Administrator}, c.membership(q.bot).Status)
	if !admin && (!mine || t.server.now().Sub(m.Date) > deleteWindow) {
		return nil, badRequest("message can't be deleted for everyone")
	}
	m.Deleted = true
	q.stored = append(q.stored, m.ID)
	return true, nil
}
