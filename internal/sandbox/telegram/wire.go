package telegram

import (
	"fmt"
	"strings"
)

// wire is a message in the form of the Bot API, as the bot sees it. t.mu is held.
func (t *Platform) wire(c *chat, m *Message) map[string]any {
	w := map[string]any{"message_id": m.ID, "date": m.Date.Unix(), "chat": wireChat(c.Chat)}
	if c.Type == Channel {
		w["sender_chat"] = wireChat(c.Chat)
	} else {
		w["from"] = map[string]any{"id": m.From, "is_bot": m.Out, "first_name": m.FromName, "language_code": "ru"}
	}
	put := func(name string, present bool, value any) {
		if present {
			w[name] = value
		}
	}
	put("edit_date", !m.Edited.IsZero(), m.Edited.Unix())
	put("message_thread_id", m.Topic != 0, m.Topic)
	put("is_topic_message", m.Topic != 0, true)
	put("media_group_id", m.Album != "", m.Album)
	put("text", m.Text != "", m.Text)
	put("caption", m.Caption != "", m.Caption)
	put("location", m.Location != nil, m.Location)
	put("reply_markup", len(m.Keyboard) > 0, map[string]any{"inline_keyboard": m.Keyboard})
	switch {
	case m.Animation:
		w["animation"] = map[string]any{"file_id": m.Photo.FileID}
	case m.Photo != nil:
		w["photo"] = t.wirePhoto(m.Photo)
	case m.Document != nil:
		w["document"] = map[string]any{"file_id": fmt.Sprintf("BQACAgIAAxkDAAI%08dsandbox", m.ID), "file_name": m.Document.Name, "file_size": m.Document.Bytes}
	}
	if reply := c.message(m.ReplyTo); reply != nil {
		answered := *reply
		answered.ReplyTo = 0 // replies of replies are not nested
		w["reply_to_message"] = t.wire(c, &answered)
	}
	if command, _, _ := strings.Cut(m.Text, " "); !m.Out && strings.HasPrefix(command, "/") {
		w["entities"] = []any{map[string]any{"type": "bot_command", "offset": 0, "length": len(command)}}
	}
	return w
}

func wireChat(c Chat) map[string]any {
	w := map[string]any{"id": c.ID, "type": c.Type, "is_forum": c.Forum, "username": c.Username}
	if c.Type == PrivateChat {
		w["first_name"] = c.Title
	} else {
		w["title"] = c.Title
	}
	return w
}
