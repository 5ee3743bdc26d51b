package telegram

import (
	"net/url"
	"strings"

	"vestnik/internal/sandbox/entities"
)

// Text limits of the Bot API, counted in code points after entity parsing, and the server's limit on the raw parameter
// in bytes.
const (
	maxText     = 4096
	maxCaption  = 1024
	maxRawText  = 32_768
	maxEntities = 100
)

// messageEntity is the Bot API's MessageEntity, as a bot may send it.
type messageEntity struct {
	entities.Entity
	Offset         *int `json:"offset"`
	Length         *int `json:"length"`
	User           any  `json:"user"`
	Language       any  `json:"language"`
	CustomEmojiID  any  `json:"custom_emoji_id"`
	UnixTime       any  `json:"unix_time"`
	DateTimeFormat any  `json:"date_time_format"`
}

// format reads a text with its markup, as readers see it, and checks its length.
func (q *request) format(raw, mode string, sent []messageEntity, limit int, tooLong string) (text string, list []entities.Entity) {
	if len(raw) > maxRawText {
		q.bad("text is too long")
	}
	if strings.ToValidUTF8(raw, "") != raw {
		q.bad("strings must be encoded in UTF-8")
	}
	if q.refused != nil {
		return "", nil
	}
	raw = strings.NewReplacer("\r", "", "\u0000", "").Replace(raw)
	var err error
	switch strings.ToLower(mode) {
	case "":
		text, list = raw, q.converted(raw, sent)
	case "html":
		text, list, err = entities.ParseHTML(raw)
	case "markdownv2":
		text, list, err = entities.ParseMarkdownV2(raw)
	case "markdown":
		q.bad("sandbox: parse_mode Markdown is legacy and not imitated: use HTML or MarkdownV2")
	default:
		q.bad("unsupported parse_mode")
	}
	if err != nil {
		q.bad("can't parse entities: %s", err)
	}
	text, list = entities.Trim(text, list)
	if entities.Characters(text) > limit {
		q.bad("%s", tooLong)
	}
	if len(list) > maxEntities {
		q.warn("more than 100 entities: Telegram drops the rest")
		list = list[:maxEntities]
	}
	return text, list
}

// converted are the entities that a bot gave instead of markup.
func (q *request) converted(text string, sent []messageEntity) (list []entities.Entity) {
	width := entities.UTF16Length(text)
	for _, e := range sent {
		switch {
		case !e.Type.Known():
			q.bad("can't parse MessageEntity: Unsupported type of MessageEntity specified: %s", e.Type)
		case e.Offset == nil || e.Length == nil:
			q.bad("can't parse MessageEntity: Can't find field \"offset\" or \"length\"")
		case *e.Offset < 0 || *e.Length < 0 || *e.Offset+*e.Length > width:
			q.bad("ENTITY_BOUNDS_INVALID")
		default:
			e.Entity.Offset, e.Entity.Length = *e.Offset, *e.Length
			list = append(list, e.Entity)
		}
	}
	return list
}

// text is that of sendMessage and editMessageText.
func (q *request) text() (string, []entities.Entity) {
	var sent []messageEntity
	q.object("entities", &sent)
	text, list := q.format(q.form.Text("text"), q.form.Text("parse_mode"), sent, maxText, "message is too long")
	if text == "" {
		q.bad("text must be non-empty")
	}
	return text, list
}

func (q *request) caption() (string, []entities.Entity) {
	var sent []messageEntity
	q.object("caption_entities", &sent)
	return q.format(q.form.Text("caption"), q.form.Text("parse_mode"), sent, maxCaption, "message caption is too long")
}

// preview is the address whose preview goes under the text: the one asked for, else the first link of the text.
func (q *request) preview(m Message) string {
	var options struct { // LinkPreviewOptions of the Bot API
		IsDisabled       bool   `json:"is_disabled"`
		URL              string `json:"url"`
		PreferSmallMedia bool   `json:"prefer_small_media"`
		PreferLargeMedia bool   `json:"prefer_large_media"`
		ShowAboveText    bool   `json:"show_above_text"`
	}
	q.object("link_preview_options", &options)
	switch {
	case options.PreferLargeMedia && options.PreferSmallMedia:
		q.warn("link_preview_options prefers small and large media at once")
	case options.IsDisabled && options.URL != "":
		q.warn("link_preview_options is disabled and names a url")
	}
	if options.IsDisabled {
		return ""
	}
	if options.URL == "" {
		return entities.FirstLink(m.Text, m.Entities)
	}
	if u, err := url.Parse(options.URL); err != nil || u.Host == "" {
		return ""
	}
	return options.URL
}

// replyTo is the message that a new one answers; 0 if none. t.mu is held.
func (q *request) replyTo(c *chat) int64 {
	var reply struct { // ReplyParameters of the Bot API
		MessageID                int64           `json:"message_id"`
		ChatID                   any             `json:"chat_id"`
		AllowSendingWithoutReply bool            `json:"allow_sending_without_reply"`
		Quote                    string          `json:"quote"`
		QuoteParseMode           string          `json:"quote_parse_mode"`
		QuoteEntities            []messageEntity `json:"quote_entities"`
		QuotePosition            int             `json:"quote_position"`
		ChecklistTaskID          int64           `json:"checklist_task_id"`
	}
	sent := q.object("reply_parameters", &reply)
	switch {
	case !sent:
	case reply.MessageID <= 0:
		q.bad("can't parse reply parameters: Can't find field \"message_id\"")
	case reply.ChatID != nil: // a message of another chat: not followed
		return reply.MessageID
	case c.message(reply.MessageID) != nil:
		return reply.MessageID
	case !reply.AllowSendingWithoutReply:
		q.bad("message to be replied not found")
	}
	return 0
}
