package telegram

import (
	"encoding/json"
	"net/url"
	"strings"

	"vestnik/internal/sandbox/entities"
)

// inlineButton is a button as it may be sent; exactly one of the fields after the text must be used
// (InlineKeyboardButton in the Bot API).
type inlineButton struct {
	Text         *string `json:"text"`
	URL          string  `json:"url"`
	CallbackData string  `json:"callback_data"`
	CopyText     *struct {
		Text string `json:"text"`
	} `json:"copy_text"`
}

// Limits of an inline keyboard: a hundred buttons, 64 bytes of callback_data, 256 characters of copy_text.
const (
	maxButtons      = 100
	maxCallbackData = 64
	maxCopyText     = 256
)

// keyboard reads reply_markup.
func (q *request) keyboard() (board [][]Button) {
	var kinds map[string]json.RawMessage
	if !q.object("reply_markup", &kinds) {
		return nil
	}
	raw, inline := kinds["inline_keyboard"]
	if !inline || len(kinds) > 1 {
		q.bad("sandbox: reply_markup is an inline_keyboard and nothing beside it")
	}
	if !strings.HasPrefix(strings.TrimSpace(string(raw)), "[") {
		q.bad("field \"inline_keyboard\" of the InlineKeyboardMarkup must be of type Array")
		return nil
	}
	var rows [][]inlineButton
	q.strictly("inline keyboard button", string(raw), &rows)
	count := 0
	for _, row := range rows {
		var line []Button
		for _, sent := range row {
			line = append(line, q.button(sent))
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
		q.bad("reply markup is too long")
	}
	return board
}

func (q *request) button(sent inlineButton) (button Button) {
	if sent.Text == nil {
		q.bad("can't parse inline keyboard button: Can't find field \"text\"")
		return button
	}
	button.Text = *sent.Text
	if strings.TrimSpace(button.Text) == "" {
		q.bad("inline keyboard button text must be non-empty")
	}
	used := 0
	if sent.URL != "" {
		used++
		button.URL = q.buttonURL(sent.URL)
	}
	if sent.CallbackData != "" {
		used++
		if len(sent.CallbackData) > maxCallbackData {
			q.bad("BUTTON_DATA_INVALID")
		}
		button.Data = sent.CallbackData
	}
	switch copied := sent.CopyText; {
	case copied == nil:
	case copied.Text != "" && entities.Characters(copied.Text) <= maxCopyText:
		used++
		button.Copy = copied.Text
	case used > 0 && copied.Text == "":
		// go-telegram/bot adds an empty copy_text to every button; the server looks at url and callback_data first and
		// never sees it.
		q.warn("a button carries an empty copy_text")
	default:
		q.bad("BUTTON_COPY_TEXT_INVALID")
	}
	switch {
	case used == 0:
		q.bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
	case used > 1:
		q.bad("sandbox: inline keyboard button %q has %d type fields: exactly one is allowed", button.Text, used)
	}
	return button
}

func (q *request) buttonURL(address string) string {
	full := address
	if !strings.Contains(full, "://") && !strings.HasPrefix(full, "tg:") {
		full = "http://" + full
	}
	u, err := url.Parse(full)
	why := ""
	switch {
	case err != nil || strings.ContainsAny(address, " \n"):
		why = "Wrong HTTP URL"
	case u.Scheme == "tg" || u.Scheme == "ton":
	case u.Scheme != "http" && u.Scheme != "https":
		why = "Unsupported URL protocol"
	case u.Hostname() == "":
		why = "URL host is empty"
	case !strings.ContainsAny(u.Hostname(), ".:"):
		why = "Wrong HTTP URL"
	}
	if why != "" {
		q.bad("inline keyboard button URL '%s' is invalid: %s", address, why)
	}
	return full
}
