package telegram

import (
	"fmt"
	"strings"

	"vestnik/internal/sandbox/entities"
)

// wire is a message in the form of the Bot API, as the bot sees it. t.mu is held.
func (t *Platform) wire(c *chat, m *Message) map[string]any {
	w := map[string]any{"message_id": m.ID, "date": m.Date.Unix(), "chat": wireChat(c.Chat)}
	switch {
	case c.Type == Channel:
		w["sender_chat"] = wireChat(c.Chat)
	case m.Out:
		w["from"] = map[string]any{"id": m.From, "is_bot": true, "first_name": m.FromName, "username": t.usernameOf(m.From)}
	default:
		w["from"] = map[string]any{"id": m.From, "is_bot": false, "first_name": m.FromName, "language_code": "ru"}
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
	put("entities", m.Text != "" && len(m.Entities) > 0, m.Entities)
	put("caption_entities", m.Caption != "" && len(m.Entities) > 0, m.Entities)
	if m.Animation {
		w["animation"] = t.wirePhoto(m.Photo)
	} else if m.Photo != nil {
		w["photo"] = t.wirePhoto(m.Photo)
	}
	if m.Document != nil {
		w["document"] = map[string]any{"file_id": fileID("BQACAgIAAxkDAAI", m.ID), "file_unique_id": fileID("AgAD", m.ID),
			"file_name": m.Document.Name, "file_size": m.Document.Bytes}
	}
	if m.Location != nil {
		w["location"] = m.Location
	}
	if len(m.Keyboard) > 0 {
		w["reply_markup"] = map[string]any{"inline_keyboard": wireKeyboard(m.Keyboard)}
	}
	if m.Text != "" && m.Preview != "" {
		w["link_preview_options"] = map[string]any{"url": m.Preview}
	}
	if reply := c.message(m.ReplyTo); reply != nil {
		answered := *reply
		answered.ReplyTo = 0 // replies of replies are not nested
		w["reply_to_message"] = t.wire(c, &answered)
	}
	if command, _, _ := strings.Cut(m.Text, " "); !m.Out && strings.HasPrefix(command, "/") && len(command) > 1 && len(m.Entities) == 0 {
		w["entities"] = []entities.Entity{{Type: "bot_command", Length: entities.UTF16Length(command)}}
	}
	return w
}

// fileID is made up: no file is sent again by it here.
func fileID(prefix string, number int64) string { return fmt.Sprintf("%s%08dsandbox", prefix, number) }

func (t *Platform) usernameOf(id int64) string {
	for _, b := range t.bots {
		if b.ID() == id {
			return b.Username
		}
	}
	return ""
}

func wireChat(c Chat) map[string]any {
	w := map[string]any{"id": c.ID, "type": c.Type}
	if c.Type == PrivateChat {
		w["first_name"] = c.Title
	} else {
		w["title"] = c.Title
	}
	if c.Username != "" {
		w["username"] = c.Username
	}
	if c.Forum {
		w["is_forum"] = true
	}
	return w
}

func wireKeyboard(rows [][]Button) [][]map[string]any {
	board := make([][]map[string]any, len(rows))
	for i, row := range rows {
		for _, b := range row {
			w := map[string]any{"text": b.Text}
			switch {
			case b.URL != "":
				w["url"] = b.URL
			case b.Data != "":
				w["callback_data"] = b.Data
			case b.Copy != "":
				w["copy_text"] = map[string]any{"text": b.Copy}
			}
			board[i] = append(board[i], w)
		}
	}
	return board
}
