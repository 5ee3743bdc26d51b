package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vestnik/internal/sandbox/core"
)

// request is a Bot API call that passed the token check. The first thing wrong with it ends it: everything that reads a
// parameter says so through refuse, and a method looks at refused before it acts.
type request struct {
	platform *Platform
	bot      *bot
	form     *core.Form
	call     *core.Call
	ctx      context.Context
	http     *http.Request
	stored   []int64
	refused  *refusal
}

// refuse keeps the first refusal; nil is none. It reports whether the request has been refused.
func (q *request) refuse(r *refusal) bool {
	if q.refused == nil {
		q.refused = r
	}
	return q.refused != nil
}

// bad refuses the request with a 400.
func (q *request) bad(format string, args ...any) { q.refuse(badRequest(format, args...)) }

// warn notes what Telegram lets pass and a careful client would not send.
func (q *request) warn(text string) { q.platform.core.Warn(q.call, text) }

// paramType is what a parameter must be. The mark says so in the table of methods.
type paramType struct{ mark, name string }

var (
	textParam    = paramType{"", "String"}
	integerParam = paramType{"#", "Integer"}
	booleanParam = paramType{"?", "Boolean"}
	chatParam    = paramType{"@", "Integer or String"}
	objectParam  = paramType{"{}", "Object"}
	listParam    = paramType{"[]", "Array"}
	fileParam    = paramType{"^", "InputFile or String"}
)

// method is what a method takes and what it does.
type method struct {
	name     string
	params   map[string]paramType
	required []string
	run      func(*request) any
}

// The parameters that several methods share.
const (
	sendParams    = " message_thread_id# disable_notification? reply_parameters{} "
	singleParams  = sendParams + " reply_markup{} "
	textParams    = " parse_mode link_preview_options{} "
	captionParams = " caption parse_mode "
	editParams    = " chat_id@! message_id#! reply_markup{} "
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
		{"sendMessage", "chat_id@! text!" + singleParams + textParams, (*request).sendMessage},
		{"sendPhoto", "chat_id@! photo^!" + singleParams + captionParams, (*request).sendPhoto},
		{"sendAnimation", "chat_id@! animation^!" + singleParams + captionParams, (*request).sendAnimation},
		{"sendDocument", "chat_id@! document^!" + singleParams + captionParams, (*request).sendDocument},
		{"sendMediaGroup", "chat_id@! media[]!" + sendParams, (*request).sendMediaGroup},
		{"editMessageText", "text!" + editParams + textParams, (*request).editMessageText},
		{"editMessageCaption", editParams + captionParams, (*request).editMessageCaption},
		{"editMessageMedia", "media{}!" + editParams, (*request).editMessageMedia},
		{"editMessageReplyMarkup", editParams, (*request).editMessageReplyMarkup},
		{"deleteMessage", "chat_id@! message_id#!", (*request).deleteMessage},
		{"getChat", "chat_id@!", (*request).getChat},
		{"getChatMember", "chat_id@! user_id#!", (*request).getChatMember},
		{"answerCallbackQuery", "callback_query_id! text show_alert?", (*request).answerCallbackQuery},
		{"setWebhook", "url max_connections# allowed_updates[] drop_pending_updates? secret_token", (*request).setWebhook},
		{"deleteWebhook", "drop_pending_updates?", (*request).deleteWebhook},
		{"getWebhookInfo", "", (*request).getWebhookInfo},
		{"getUpdates", "offset# limit# timeout# allowed_updates[]", (*request).getUpdates},
	} {
		m := method{name: row.name, run: row.run, params: map[string]paramType{}}
		for param := range strings.FieldsSeq(row.params) {
			name, required := strings.CutSuffix(param, "!")
			kind := textParam
			for _, other := range []paramType{integerParam, booleanParam, chatParam, objectParam, listParam, fileParam} {
				if bare, marked := strings.CutSuffix(name, other.mark); marked {
					name, kind = bare, other
				}
			}
			m.params[name] = kind
			if required {
				m.required = append(m.required, name)
			}
		}
		methods[strings.ToLower(row.name)] = m
	}
}

// missing are Telegram's complaints about required parameters that are not there.
var missing = map[string]string{
	"chat_id": "chat_id is empty", "text": "message text is empty", "message_id": "message identifier is not specified",
	"photo": "there is no photo in the request", "media": "there are no messages to send",
	"callback_query_id": "query is too old and response timeout expired or query ID is invalid",
}

// check refuses unknown parameters, missing ones and wrong types. Telegram itself passes over unknown ones in silence;
// here a misspelt one must fail.
func (m method) check(q *request) {
	for _, name := range q.form.Names {
		kind, known := m.params[name]
		if !known {
			q.bad("sandbox: unknown field %q in %s", name, m.name)
		}
		q.refuse(kind.check(m.name, name, q.form.Fields[name]))
	}
	for name := range q.form.Files {
		if m.params[name] != fileParam && !q.attached(name) {
			q.bad("sandbox: unknown file field %q in %s", name, m.name)
		}
	}
	for _, name := range m.required {
		if _, uploaded := q.form.Files[name]; !uploaded && !q.form.Has(name) {
			q.bad("%s", cmp.Or(missing[name], "sandbox: "+m.name+" needs "+strconv.Quote(name)))
		}
	}
}

func (p paramType) check(method, name string, value core.Field) *refusal {
	text := strings.TrimSpace(value.Text)
	if text == "" {
		return nil
	}
	wrong := false
	switch p {
	case textParam, fileParam:
		wrong = value.JSON != 0 && value.JSON != '"'
	case integerParam:
		_, err := strconv.ParseInt(text, 10, 64)
		wrong = err != nil
	case booleanParam:
		wrong = !slices.Contains([]string{"true", "false", "1", "0"}, strings.ToLower(text))
	case chatParam:
		wrong = value.JSON != 0 && value.JSON != '"' && strings.ContainsAny(text, "{[.eE") // "true" and "false" have an e
	case objectParam, listParam:
		if text != "null" && (text[0] != p.mark[0] || !json.Valid([]byte(text))) {
			return badRequest("object expected as %s: field %q of %s must be %s", strings.ReplaceAll(name, "_", " "), name, method, p.name)
		}
	}
	if wrong {
		return badRequest("sandbox: field %q of %s must be %s", name, method, p.name)
	}
	return nil
}

// attached reports whether some parameter refers to a file as attach://<name>.
func (q *request) attached(name string) bool {
	for _, value := range q.form.Fields {
		for rest, found := value.Text, true; found; {
			if _, rest, found = strings.Cut(rest, "attach://"); found && strings.HasPrefix(rest, name) &&
				(len(rest) == len(name) || strings.ContainsAny(rest[len(name):len(name)+1], "\"'\\ ,}")) {
				return true
			}
		}
	}
	return false
}

func (q *request) integer(name string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(q.form.Text(name)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (q *request) boolean(name string) bool {
	text := strings.ToLower(q.form.Text(name))
	return text == "true" || text == "1"
}

// object decodes a JSON parameter into target, refusing fields it does not have. It reports false if the parameter is
// absent.
func (q *request) object(name string, target any) bool {
	text := strings.TrimSpace(q.form.Text(name))
	if text == "null" {
		q.warn(name + " is the text null: a nil pointer that was sent")
	}
	if text == "" || text == "null" {
		return false
	}
	q.strictly(name, text, target)
	return true
}

// strictly decodes JSON and refuses unknown fields.
func (q *request) strictly(name, text string, target any) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil {
		if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			q.bad("sandbox: unknown field %s in %s", field, name)
			return
		}
		q.bad("can't parse %s: %s", strings.ReplaceAll(name, "_", " "), strings.TrimPrefix(err.Error(), "json: "))
	}
}
