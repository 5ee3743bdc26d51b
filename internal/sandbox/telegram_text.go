package sandbox

import (
	"net/url"
	"strings"

	"vestnik/internal/sandbox/entities"
)

// Text limits of the Bot API, counted in code points after entity parsing,
// and the server's limit on the raw parameter in bytes.
const (
	maxText     = 4096
	maxCaption  = 1024
	maxRawText  = 32_768
	maxEntities = 100
)

// formatted is a text as readers see it.
type formatted struct {
	text string
	list []entities.Entity
}

// messageEntity is the Bot API's MessageEntity, as a bot may send it.
type messageEntity struct {
	Type           entities.Type `json:"type"`
	Offset         *int          `json:"offset"`
	Length         *int          `json:"length"`
	URL            string        `json:"url"`
	User           any           `json:"user"`
	Language       string        `json:"language"`
	CustomEmojiID  string        `json:"custom_emoji_id"`
	UnixTime       any           `json:"unix_time"`
	DateTimeFormat any           `json:"date_time_format"`
}

// format reads a text with its markup and checks its length.
func (q *botRequest) format(raw, mode string, sent []messageEntity, limit int, tooLong string) (formatted, *refusal) {
	if len(raw) > maxRawText {
		return formatted{}, badRequest("text is too long")
	}
	if strings.ToValidUTF8(raw, "") != raw {
		return formatted{}, badRequest("strings must be encoded in UTF-8")
	}
	raw = strings.NewReplacer("\r", "", "\u0000", "").Replace(raw)
	var done formatted
	var err error
	switch strings.ToLower(mode) {
	case "":
		done.text = raw
		var refused *refusal
		if done.list, refused = convertEntities(raw, sent); refused != nil {
			return formatted{}, refused
		}
	case "html":
		done.text, done.list, err = entities.ParseHTML(raw)
	case "markdownv2":
		done.text, done.list, err = entities.ParseMarkdownV2(raw)
	case "markdown":
		return formatted{}, badRequest("sandbox: parse_mode Markdown is legacy and not imitated: use HTML or MarkdownV2")
	default:
		return formatted{}, badRequest("unsupported parse_mode")
	}
	if err != nil {
		return formatted{}, badRequest("can't parse entities: %s", err)
	}
	done.text, done.list = entities.Trim(done.text, done.list)
	if entities.Characters(done.text) > limit {
		return formatted{}, badRequest("%s", tooLong)
	}
	if len(done.list) > maxEntities {
		q.warn("more than 100 entities: Telegram drops the rest")
		done.list = done.list[:maxEntities]
	}
	return done, nil
}

func convertEntities(text string, sent []messageEntity) ([]entities.Entity, *refusal) {
	width := entities.UTF16Length(text)
	var list []entities.Entity
	for _, e := range sent {
		switch {
		case !e.Type.Known():
			return nil, badRequest("can't parse MessageEntity: Unsupported type of MessageEntity specified: %s", e.Type)
		case e.Offset == nil || e.Length == nil:
			return nil, badRequest("can't parse MessageEntity: Can't find field \"offset\" or \"length\"")
		case *e.Offset < 0 || *e.Length < 0 || *e.Offset+*e.Length > width:
			return nil, badRequest("ENTITY_BOUNDS_INVALID")
		}
		list = append(list, entities.Entity{Type: e.Type, Offset: *e.Offset, Length: *e.Length,
			URL: e.URL, Language: e.Language, CustomEmojiID: e.CustomEmojiID})
	}
	return list, nil
}

// message text of sendMessage and editMessageText.
func (q *botRequest) messageText() (formatted, *refusal) {
	var sent []messageEntity
	if _, refused := q.object("entities", &sent); refused != nil {
		return formatted{}, refused
	}
	done, refused := q.format(q.form.text("text"), q.form.text("parse_mode"), sent, maxText, "message is too long")
	if refused == nil && done.text == "" {
		refused = badRequest("text must be non-empty")
	}
	return done, refused
}

func (q *botRequest) caption() (formatted, *refusal) {
	var sent []messageEntity
	if _, refused := q.object("caption_entities", &sent); refused != nil {
		return formatted{}, refused
	}
	return q.format(q.form.text("caption"), q.form.text("parse_mode"), sent, maxCaption, "message caption is too long")
}

// linkPreviewOptions as the Bot API has them.
type linkPreviewOptions struct {
	IsDisabled       bool   `json:"is_disabled"`
	URL              string `json:"url"`
	PreferSmallMedia bool   `json:"prefer_small_media"`
	PreferLargeMedia bool   `json:"prefer_large_media"`
	ShowAboveText    bool   `json:"show_above_text"`
}

// preview is the address whose preview goes under the text: the one asked
// for, else the first link of the text.
func (q *botRequest) preview(done formatted) (string, *refusal) {
	var options linkPreviewOptions
	if _, refused := q.object("link_preview_options", &options); refused != nil {
		return "", refused
	}
	switch {
	case options.PreferLargeMedia && options.PreferSmallMedia:
		q.warn("link_preview_options prefers small and large media at once")
	case options.IsDisabled && options.URL != "":
		q.warn("link_preview_options is disabled and names a url")
	}
	if options.IsDisabled {
		return "", nil
	}
	if options.URL != "" {
		if u, err := url.Parse(options.URL); err != nil || u.Host == "" {
			return "", nil
		}
		return options.URL, nil
	}
	return entities.FirstLink(done.text, done.list), nil
}

// replyParameters as the Bot API has them.
type replyParameters struct {
	MessageID                *int64          `json:"message_id"`
	ChatID                   any             `json:"chat_id"`
	AllowSendingWithoutReply bool            `json:"allow_sending_without_reply"`
	Quote                    string          `json:"quote"`
	QuoteParseMode           string          `json:"quote_parse_mode"`
	QuoteEntities            []messageEntity `json:"quote_entities"`
	QuotePosition            int             `json:"quote_position"`
	ChecklistTaskID          int64           `json:"checklist_task_id"`
}

// replyTo is the message that a new one answers; 0 if none. t.mu is held.
func (q *botRequest) replyTo(c *chat) (int64, *refusal) {
	var reply replyParameters
	sent, refused := q.object("reply_parameters", &reply)
	if refused != nil || !sent {
		return 0, refused
	}
	if reply.MessageID == nil || *reply.MessageID <= 0 {
		return 0, badRequest("can't parse reply parameters: Can't find field \"message_id\"")
	}
	if reply.ChatID != nil {
		return *reply.MessageID, nil // a message of another chat: not followed
	}
	if c.message(*reply.MessageID) == nil {
		if reply.AllowSendingWithoutReply {
			return 0, nil
		}
		return 0, badRequest("message to be replied not found")
	}
	return *reply.MessageID, nil
}
