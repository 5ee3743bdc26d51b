package telegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

// fieldKind says how a form field stands in JSON. In a form everything is text; in JSON the text "123" and the number
// 123 differ, so the kinds are taken from the library's own parameter types.
type fieldKind int

const (
	textField fieldKind = iota
	jsonField           // numbers, booleans, objects and lists: already JSON in the form
	chatField           // a number if it looks like one, else an @username
)

// formKinds maps method -> field -> kind, for every method this client calls through the library.
var formKinds = map[string]map[string]fieldKind{
	"sendMessage":            kindsOf(bot.SendMessageParams{}),
	"sendPhoto":              kindsOf(bot.SendPhotoParams{}),
	"sendMediaGroup":         kindsOf(bot.SendMediaGroupParams{}),
	"editMessageText":        kindsOf(bot.EditMessageTextParams{}),
	"editMessageCaption":     kindsOf(bot.EditMessageCaptionParams{}),
	"editMessageMedia":       kindsOf(bot.EditMessageMediaParams{}),
	"editMessageReplyMarkup": kindsOf(bot.EditMessageReplyMarkupParams{}),
	"getChatMember":          kindsOf(bot.GetChatMemberParams{}),
	"getChat":                kindsOf(bot.GetChatParams{}),
	"answerCallbackQuery":    kindsOf(bot.AnswerCallbackQueryParams{}),
	"setWebhook":             kindsOf(bot.SetWebhookParams{}),
	"deleteWebhook":          kindsOf(bot.DeleteWebhookParams{}),
	"getWebhookInfo":         nil,
	"getMe":                  nil,
}

var inputFile = reflect.TypeFor[models.InputFile]()

func kindsOf(params any) map[string]fieldKind {
	kinds := map[string]fieldKind{}
	t := reflect.TypeOf(params)
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "chat_id":
			kinds[name] = chatField
		case field.Type.Kind() == reflect.String, field.Type == inputFile:
			kinds[name] = textField
		default:
			kinds[name] = jsonField
		}
	}
	return kinds
}

// formToJSON reads the library's multipart form to its end and gives the same fields as one JSON object. A form with
// a file in it is an error: the caller knows when it sends files.
func formToJSON(method string, req *http.Request) ([]byte, error) {
	kinds, known := formKinds[method]
	if !known {
		return nil, fmt.Errorf("no field kinds for method %s", method)
	}
	_, params, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	form := multipart.NewReader(req.Body, params["boundary"])
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break // also the empty body that the library sends for a method without parameters
		}
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			return nil, errors.New("a file in a form that should have none")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		fields[part.FormName()], err = fieldJSON(kinds[part.FormName()], string(value))
		if err != nil {
			return nil, err
		}
	}
	return encodeJSON(fields)
}

func fieldJSON(kind fieldKind, value string) (json.RawMessage, error) {
	switch kind {
	case jsonField:
		if !json.Valid([]byte(value)) {
			return nil, errors.New("a field that should be JSON is not")
		}
		return json.RawMessage(value), nil
	case chatField:
		if _, err := strconv.ParseInt(value, 10, 64); err == nil {
			return json.RawMessage(value), nil
		}
	}
	return encodeJSON(value)
}

// encodeJSON leaves <, > and & as they are: a request is read by people too, in the sandbox and in captures.
func encodeJSON(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// asJSON is the request with a JSON body of known length, which the transport can send again if a kept-alive
// connection turns out to be closed before the first byte.
func asJSON(req *http.Request, payload []byte) *http.Request {
	out := req.Clone(req.Context())
	out.Header.Set("Content-Type", "application/json")
	out.ContentLength = int64(len(payload))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(payload)), nil }
	out.Body, _ = out.GetBody()
	return out
}
