package sandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// botRequest is a Bot API call that passed the token check.
type botRequest struct {
	telegram *telegram
	bot      *bot
	form     *form
	call     *Call
	ctx      context.Context
	http     *http.Request
	stored   []int64
}

// warn notes what Telegram lets pass and a careful client would not send.
func (q *botRequest) warn(text string) {
	q.telegram.server.book.warn(q.call, text)
}

// fieldType is what a parameter must be.
type fieldType int

const (
	textField fieldType = iota
	integerField
	booleanField
	chatField   // Integer or String
	objectField // JSON object
	listField   // JSON array
	fileField   // String or an uploaded file
)

func (f fieldType) String() string {
	return [...]string{"String", "Integer", "Boolean", "Integer or String", "Object", "Array", "InputFile or String"}[f]
}

// methodSpec is what a method takes and what it does.
type methodSpec struct {
	name     string
	fields   map[string]fieldType
	required []string
	// empty is Telegram's complaint about a missing required field, where it
	// is known.
	empty map[string]string
	run   func(*botRequest) (any, *refusal)
}

// fields joins field sets; later ones win.
func fields(sets ...map[string]fieldType) map[string]fieldType {
	all := map[string]fieldType{}
	for _, set := range sets {
		for name, kind := range set {
			all[name] = kind
		}
	}
	return all
}

// The parameters that all sending methods share (Bot API 9.4).
var sendFields = map[string]fieldType{
	"business_connection_id": textField, "chat_id": chatField, "message_thread_id": integerField,
	"direct_messages_topic_id": integerField, "disable_notification": booleanField, "protect_content": booleanField,
	"allow_paid_broadcast": booleanField, "message_effect_id": textField, "reply_parameters": objectField,
}

var singleFields = map[string]fieldType{"suggested_post_parameters": objectField, "reply_markup": objectField}

var captionFields = map[string]fieldType{"caption": textField, "parse_mode": textField, "caption_entities": listField}

var editFields = map[string]fieldType{
	"business_connection_id": textField, "chat_id": chatField, "message_id": integerField,
	"inline_message_id": textField, "reply_markup": objectField,
}

var noChat = map[string]string{"chat_id": "chat_id is empty", "text": "message text is empty", "message_id": "message identifier is not specified"}

// telegramMethods are the methods the sandbox answers, by lower-case name.
var telegramMethods map[string]methodSpec

func init() { // a literal would be an initialisation cycle through request
	list := []methodSpec{
		{name: "getMe", run: (*botRequest).getMe},
		{name: "sendMessage", run: (*botRequest).sendMessage, required: []string{"chat_id", "text"}, empty: noChat,
			fields: fields(sendFields, singleFields, map[string]fieldType{
				"text": textField, "parse_mode": textField, "entities": listField, "link_preview_options": objectField})},
		{name: "sendPhoto", run: (*botRequest).sendPhoto, required: []string{"chat_id", "photo"},
			empty: map[string]string{"chat_id": "chat_id is empty", "photo": "there is no photo in the request"},
			fields: fields(sendFields, singleFields, captionFields, map[string]fieldType{
				"photo": fileField, "show_caption_above_media": booleanField, "has_spoiler": booleanField})},
		{name: "sendDocument", run: (*botRequest).sendDocument, required: []string{"chat_id", "document"},
			empty: map[string]string{"chat_id": "chat_id is empty", "document": "there is no document in the request"},
			fields: fields(sendFields, singleFields, captionFields, map[string]fieldType{
				"document": fileField, "thumbnail": fileField, "disable_content_type_detection": booleanField})},
		{name: "sendMediaGroup", run: (*botRequest).sendMediaGroup, required: []string{"chat_id", "media"},
			empty:  map[string]string{"chat_id": "chat_id is empty", "media": "there are no messages to send"},
			fields: fields(sendFields, map[string]fieldType{"media": listField})},
		{name: "editMessageText", run: (*botRequest).editMessageText, required: []string{"chat_id", "message_id", "text"}, empty: noChat,
			fields: fields(editFields, map[string]fieldType{
				"text": textField, "parse_mode": textField, "entities": listField, "link_preview_options": objectField})},
		{name: "editMessageCaption", run: (*botRequest).editMessageCaption, required: []string{"chat_id", "message_id"}, empty: noChat,
			fields: fields(editFields, captionFields, map[string]fieldType{"show_caption_above_media": booleanField})},
		{name: "editMessageMedia", run: (*botRequest).editMessageMedia, required: []string{"chat_id", "message_id", "media"}, empty: noChat,
			fields: fields(editFields, map[string]fieldType{"media": objectField})},
		{name: "editMessageReplyMarkup", run: (*botRequest).editMessageReplyMarkup, required: []string{"chat_id", "message_id"}, empty: noChat,
			fields: editFields},
		{name: "deleteMessage", run: (*botRequest).deleteMessage, required: []string{"chat_id", "message_id"}, empty: noChat,
			fields: map[string]fieldType{"chat_id": chatField, "message_id": integerField}},
		{name: "getChat", run: (*botRequest).getChat, required: []string{"chat_id"}, empty: noChat,
			fields: map[string]fieldType{"chat_id": chatField}},
		{name: "getChatMember", run: (*botRequest).getChatMember, required: []string{"chat_id", "user_id"}, empty: noChat,
			fields: map[string]fieldType{"chat_id": chatField, "user_id": integerField}},
		{name: "answerCallbackQuery", run: (*botRequest).answerCallbackQuery, required: []string{"callback_query_id"},
			empty: map[string]string{"callback_query_id": "query is too old and response timeout expired or query ID is invalid"},
			fields: map[string]fieldType{"callback_query_id": textField, "text": textField, "show_alert": booleanField,
				"url": textField, "cache_time": integerField}},
		{name: "setWebhook", run: (*botRequest).setWebhook,
			fields: map[string]fieldType{"url": textField, "certificate": fileField, "ip_address": textField,
				"max_connections": integerField, "allowed_updates": listField, "drop_pending_updates": booleanField,
				"secret_token": textField}},
		{name: "deleteWebhook", run: (*botRequest).deleteWebhook, fields: map[string]fieldType{"drop_pending_updates": booleanField}},
		{name: "getWebhookInfo", run: (*botRequest).getWebhookInfo},
		{name: "getUpdates", run: (*botRequest).getUpdates,
			fields: map[string]fieldType{"offset": integerField, "limit": integerField, "timeout": integerField, "allowed_updates": listField}},
		{name: "getFile", run: (*botRequest).getFile, required: []string{"file_id"},
			empty:  map[string]string{"file_id": "file_id is empty"},
			fields: map[string]fieldType{"file_id": textField}},
	}
	telegramMethods = make(map[string]methodSpec, len(list))
	for _, spec := range list {
		telegramMethods[strings.ToLower(spec.name)] = spec
	}
}

// check refuses unknown fields, missing ones and wrong types. Telegram itself
// passes over unknown fields in silence; here a misspelt one must fail.
func (spec methodSpec) check(q *botRequest) *refusal {
	attached := q.attachments()
	for _, name := range q.form.names {
		kind, known := spec.fields[name]
		if !known {
			return badRequest("sandbox: unknown field %q in %s", name, spec.name)
		}
		if refused := kind.check(spec.name, name, q.form.fields[name]); refused != nil {
			return refused
		}
	}
	for name := range q.form.files {
		if kind, known := spec.fields[name]; (!known || kind != fileField) && !attached[name] {
			return badRequest("sandbox: unknown file field %q in %s", name, spec.name)
		}
	}
	for _, name := range spec.required {
		if _, uploaded := q.form.files[name]; uploaded || q.form.has(name) {
			continue
		}
		if complaint := spec.empty[name]; complaint != "" {
			return badRequest("%s", complaint)
		}
		return badRequest("sandbox: %s needs %q", spec.name, name)
	}
	return nil
}

func (f fieldType) check(method, name string, value field) *refusal {
	wrong := badRequest("sandbox: field %q of %s must be %s", name, method, f)
	text := strings.TrimSpace(value.text)
	if text == "" {
		return nil
	}
	switch f {
	case textField, fileField:
		if value.kind != formText && value.kind != jsonText {
			return wrong
		}
	case integerField:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil || value.kind == jsonBool {
			return wrong
		}
	case booleanField:
		if !slices.Contains([]string{"true", "false", "1", "0"}, strings.ToLower(text)) {
			return wrong
		}
	case chatField:
		if value.kind == jsonBool || value.kind == jsonObject || value.kind == jsonNumber && strings.ContainsAny(text, ".eE") {
			return wrong
		}
	case objectField, listField:
		open := "{"
		if f == listField {
			open = "["
		}
		if text == "null" {
			return nil
		}
		if !strings.HasPrefix(text, open) || !json.Valid([]byte(text)) {
			return badRequest("object expected as %s: field %q of %s must be %s", strings.ReplaceAll(name, "_", " "), name, method, f)
		}
	}
	return nil
}

// attachments are the names that attach://<name> refers to.
func (q *botRequest) attachments() map[string]bool {
	names := map[string]bool{}
	for _, value := range q.form.fields {
		rest := value.text
		for {
			_, after, found := strings.Cut(rest, "attach://")
			if !found {
				break
			}
			name := after
			if end := strings.IndexAny(after, "\"'\\ ,}"); end >= 0 {
				name = after[:end]
			}
			names[name] = true
			rest = after
		}
	}
	return names
}

func (q *botRequest) integer(name string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(q.form.text(name)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (q *botRequest) boolean(name string) bool {
	text := strings.ToLower(q.form.text(name))
	return text == "true" || text == "1"
}

// object decodes a JSON parameter into target, refusing fields it does not
// have. It reports false if the parameter is absent.
func (q *botRequest) object(name string, target any) (bool, *refusal) {
	text := strings.TrimSpace(q.form.text(name))
	if text == "null" {
		q.warn(name + " is the text null: a nil pointer that was sent")
	}
	if text == "" || text == "null" {
		return false, nil
	}
	return true, strictly(name, text, target)
}

// strictly decodes JSON and refuses unknown fields.
func strictly(name, text string, target any) *refusal {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil {
		if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return badRequest("sandbox: unknown field %s in %s", field, name)
		}
		return badRequest("can't parse %s: %s", strings.ReplaceAll(name, "_", " "), strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
