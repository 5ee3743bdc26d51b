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

// format reads a text with its markup, as readers see it, and checks its length.
func (q *request) format(raw, mode string, limit int, tooLong string) (text string, list []entities.Entity) {
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
		text = raw
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

// text is that of sendMessage and editMessageText.
func (q *request) text() (string, []entities.Entity) {
	text, list := q.format(q.form.Text("text"), q.form.Text("parse_mode"), maxText, "message is too long")
	if text == "" {
		q.bad("text must be non-empty")
	}
	return text, list
}

func (q *request) caption() (string, []entities.Entity) {
	return q.format(q.form.Text("caption"), q.form.Text("parse_mode"), maxCaption, "message caption is too long")
}

// preview is the address whose preview goes under the text: the one asked for, else the first link of the text.
func (q *request) preview(m Message) string {
	var options struct { // LinkPreviewOptions of the Bot API
		IsDisabled bool   `json:"is_disabled"`
		URL        string `json:"url"`
	}
	q.object("link_preview_options", &options)
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
		MessageID                int64 `json:"message_id"`
		AllowSendingWithoutReply bool  `json:"allow_sending_without_reply"`
	}
	sent := q.object("reply_parameters", &reply)
	switch {
	case !sent:
	case reply.MessageID <= 0:
		q.bad("can't parse reply parameters: Can't find field \"message_id\"")
	case c.message(reply.MessageID) != nil:
		return reply.MessageID
	case !reply.AllowSendingWithoutReply:
		q.bad("message to be replied not found")
	}
	return 0
}
