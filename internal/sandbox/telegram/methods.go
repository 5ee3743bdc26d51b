package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"vestnik/internal/sandbox/core"
)

// request is a Bot API call that passed the token check. The first thing wrong with it ends it: everything that reads a
// parameter says so through refuse, and a method looks at refused before it acts.
type request struct {
	platform *Platform
	bot      *bot
	form     *core.Form
	params   params
	ctx      context.Context
	http     *http.Request
	stored   []int64
	refused  *refusal
}

// refuse keeps the first refusal; nil is none. It reports whether the request has been refused.
func (q *request) refuse(r *refusal) bool {
	q.refused = cmp.Or(q.refused, r)
	return q.refused != nil
}

// bad refuses the request with a 400.
func (q *request) bad(format string, args ...any) { q.refuse(badRequest(format, args...)) }

// params are the parameters of all methods.
type params struct {
	Chat      string `json:"chat_id"` // a number, or @username
	Thread    int64  `json:"message_thread_id"`
	Message   int64  `json:"message_id"`
	User      int64  `json:"user_id"`
	Text      string `json:"text"`
	Caption   string `json:"caption"`
	ParseMode string `json:"parse_mode"`
	Silent    bool   `json:"disable_notification"`
	Reply     *struct {
		Message      int64 `json:"message_id"`
		EvenIfAbsent bool  `json:"allow_sending_without_reply"`
	} `json:"reply_parameters"`
	Preview struct {
		Disabled bool   `json:"is_disabled"`
		URL      string `json:"url"`
	} `json:"link_preview_options"`
	Markup *struct {
		Rows [][]Button `json:"inline_keyboard"`
	} `json:"reply_markup"`
	Photo     string          `json:"photo"`
	Animation string          `json:"animation"`
	Document  string          `json:"document"`
	Media     json.RawMessage `json:"media"` // a list in sendMediaGroup
	Query     string          `json:"callback_query_id"`

	URL         string    `json:"url"`
	Secret      string    `json:"secret_token"`
	Connections int       `json:"max_connections"`
	Allowed     *[]string `json:"allowed_updates"`
	Offset      int64     `json:"offset"`
	Limit       int       `json:"limit"`
	Timeout     int       `json:"timeout"` // seconds
}

// method is what a method takes and what it does.
type method struct {
	name   string
	params string // those that must be there end in !
	run    func(*request) any
}

// Parameters that several methods share.
const (
	sendParams    = "chat_id! message_thread_id disable_notification reply_parameters "
	singleParams  = sendParams + "reply_markup "
	textParams    = "text! parse_mode link_preview_options "
	captionParams = "caption parse_mode "
	editParams    = "chat_id! message_id! reply_markup "
)

// methods are the methods the sandbox answers, by lower-case name: those that Vestnik calls, with the parameters that
// it or its library sends.
var methods = map[string]method{}

func init() { // a literal would be an initialisation cycle through request
	for _, row := range []struct {
		name, params string
		run          func(*request) any
	}{
		{"getMe", "", (*request).getMe},
		{"sendMessage", singleParams + textParams, (*request).sendMessage},
		{"sendPhoto", singleParams + captionParams + "photo!", (*request).sendPhoto},
		{"sendAnimation", singleParams + captionParams + "animation!", (*request).sendAnimation},
		{"sendDocument", singleParams + captionParams + "document!", (*request).sendDocument},
		{"sendMediaGroup", sendParams + "media!", (*request).sendMediaGroup},
		{"editMessageText", editParams + textParams, (*request).editMessageText},
		{"editMessageCaption", editParams + captionParams, (*request).editMessageCaption},
		{"editMessageMedia", editParams + "media!", (*request).editMessageMedia},
		{"editMessageReplyMarkup", editParams, func(q *request) any { return q.edit(func(*Message) {}) }},
		{"deleteMessage", "chat_id! message_id!", (*request).deleteMessage},
		{"getChat", "chat_id!", (*request).getChat},
		{"getChatMember", "chat_id! user_id!", (*request).getChatMember},
		{"answerCallbackQuery", "callback_query_id! text", (*request).answerCallbackQuery},
		{"setWebhook", "url max_connections allowed_updates secret_token", (*request).setWebhook},
		{"deleteWebhook", "", (*request).deleteWebhook},
		{"getWebhookInfo", "", (*request).getWebhookInfo},
		{"getUpdates", "offset limit timeout allowed_updates", (*request).getUpdates},
	} {
		methods[strings.ToLower(row.name)] = method(row)
	}
}

// missing are Telegram's complaints about required parameters that are not there.
var missing = map[string]string{
	"chat_id": "chat_id is empty", "text": "message text is empty", "message_id": "message identifier is not specified",
	"photo": "there is no photo in the request", "media": "there are no messages to send",
}

// read reads the parameters and refuses unknown ones, missing ones and wrong types. Telegram itself passes over unknown
// ones in silence; here a misspelt one must fail.
func (m method) read(q *request) {
	unknown, absent := q.form.Check(m.params)
	if unknown != "" {
		q.bad("sandbox: unknown field %q in %s", unknown, m.name)
	}
	if absent != "" {
		q.bad("%s", cmp.Or(missing[absent], "sandbox: "+m.name+" needs "+absent))
	}
	if err := q.form.Read(&q.params); err != nil {
		q.bad("%s", err)
	}
}
