package sandbox

import (
	"encoding/json"
	"net/url"
	"strings"
)

// inlineButton is a button as it may be sent; exactly one of the fields after
// the text must be used (InlineKeyboardButton in the Bot API).
type inlineButton struct {
	Text          *string          `json:"text"`
	Icon          string           `json:"icon_custom_emoji_id"`
	Style         string           `json:"style"`
	URL           string           `json:"url"`
	CallbackData  string           `json:"callback_data"`
	WebApp        *json.RawMessage `json:"web_app"`
	LoginURL      *json.RawMessage `json:"login_url"`
	SwitchInline  *string          `json:"switch_inline_query"`
	SwitchCurrent *string          `json:"switch_inline_query_current_chat"`
	SwitchChosen  *json.RawMessage `json:"switch_inline_query_chosen_chat"`
	CopyText      *copyText        `json:"copy_text"`
	CallbackGame  *json.RawMessage `json:"callback_game"`
	Pay           bool             `json:"pay"`
}

type copyText struct {
	Text string `json:"text"`
}

// Limits of an inline keyboard: a hundred buttons, 64 bytes of callback_data,
// 256 characters to copy.
const (
	maxButtons      = 100
	maxCallbackData = 64
	maxCopyText     = 256
)

// keyboard reads reply_markup. Markup other than an inline keyboard is
// accepted and not shown.
func (q *botRequest) keyboard() ([][]Button, *refusal) {
	var kinds map[string]json.RawMessage
	sent, refused := q.object("reply_markup", &kinds)
	if refused != nil || !sent {
		return nil, refused
	}
	raw, inline := kinds["inline_keyboard"]
	if !inline {
		for _, other := range []string{"keyboard", "remove_keyboard", "force_reply"} {
			if _, found := kinds[other]; found {
				return nil, nil
			}
		}
		return nil, badRequest("sandbox: reply_markup has none of inline_keyboard, keyboard, remove_keyboard, force_reply")
	}
	if len(kinds) > 1 {
		return nil, badRequest("sandbox: unknown field beside inline_keyboard in reply_markup")
	}
	if !strings.HasPrefix(strings.TrimSpace(string(raw)), "[") {
		return nil, badRequest("field \"inline_keyboard\" of the InlineKeyboardMarkup must be of type Array")
	}
	var rows [][]inlineButton
	if refused := strictly("inline keyboard button", string(raw), &rows); refused != nil {
		return nil, refused
	}
	var board [][]Button
	count := 0
	for _, row := range rows {
		var line []Button
		for _, sent := range row {
			button, refused := q.button(sent)
			if refused != nil {
				return nil, refused
			}
			line = append(line, button)
		}
		count += len(line)
		if len(line) > 8 {
			q.warn("more than 8 buttons in a row: apps do not show them")
		}
		if len(line) > 0 {
			board = append(board, line)
		}
	}
	if count > maxButtons {
		return nil, badRequest("reply markup is too long")
	}
	return board, nil
}

func (q *botRequest) button(sent inlineButton) (Button, *refusal) {
	if sent.Text == nil {
		return Button{}, badRequest("can't parse inline keyboard button: Can't find field \"text\"")
	}
	if strings.TrimSpace(*sent.Text) == "" {
		return Button{}, badRequest("inline keyboard button text must be non-empty")
	}
	button := Button{Text: *sent.Text}
	used := 0
	if sent.URL != "" {
		used++
		link, refused := buttonURL(sent.URL)
		if refused != nil {
			return Button{}, refused
		}
		button.URL = link
	}
	if sent.CallbackData != "" {
		used++
		if len(sent.CallbackData) > maxCallbackData {
			return Button{}, badRequest("BUTTON_DATA_INVALID")
		}
		button.Data = sent.CallbackData
	}
	for kind, present := range map[string]bool{
		"web_app": sent.WebApp != nil, "login_url": sent.LoginURL != nil, "switch_inline_query": sent.SwitchInline != nil,
		"switch_inline_query_current_chat": sent.SwitchCurrent != nil, "switch_inline_query_chosen_chat": sent.SwitchChosen != nil,
		"callback_game": sent.CallbackGame != nil, "pay": sent.Pay,
	} {
		if present {
			used++
			button.Kind = kind
		}
	}
	switch {
	case sent.CopyText == nil:
	case used > 0 && sent.CopyText.Text == "":
		// go-telegram/bot adds an empty copy_text to every button; the server
		// looks at url and callback_data first and never sees it.
		q.warn("a button carries an empty copy_text")
	case sent.CopyText.Text == "" || len([]rune(sent.CopyText.Text)) > maxCopyText:
		return Button{}, badRequest("BUTTON_COPY_TEXT_INVALID")
	default:
		used++
		button.Copy = sent.CopyText.Text
	}
	switch {
	case used == 0:
		return Button{}, badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
	case used > 1:
		return Button{}, badRequest("sandbox: inline keyboard button %q has %d type fields: exactly one is allowed", button.Text, used)
	}
	return button, nil
}

func buttonURL(address string) (string, *refusal) {
	invalid := func(why string) *refusal {
		return badRequest("inline keyboard button URL '%s' is invalid: %s", address, why)
	}
	full := address
	if !strings.Contains(full, "://") && !strings.HasPrefix(full, "tg:") {
		full = "http://" + full
	}
	u, err := url.Parse(full)
	switch {
	case err != nil || strings.ContainsAny(address, " \n"):
		return "", invalid("Wrong HTTP URL")
	case u.Scheme == "tg" || u.Scheme == "ton":
		return full, nil
	case u.Scheme != "http" && u.Scheme != "https":
		return "", invalid("Unsupported URL protocol")
	case u.Hostname() == "":
		return "", invalid("URL host is empty")
	case !strings.Contains(u.Hostname(), ".") && !strings.Contains(u.Hostname(), ":"):
		return "", invalid("Wrong HTTP URL")
	}
	return full, nil
}
