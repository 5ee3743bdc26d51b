package telegram

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Button is a button of an inline keyboard: exactly one of the fields after the text is used (InlineKeyboardButton of
// the Bot API).
type Button struct {
	Text string    `json:"text"`
	Data string    `json:"callback_data,omitempty"`
	URL  string    `json:"url,omitempty"`
	Copy *CopyText `json:"copy_text,omitempty"`
}

// CopyText is what a button puts into the clipboard.
type CopyText struct {
	Text string `json:"text"`
}

// Limits of an inline keyboard: a hundred buttons, 64 bytes of callback_data, 256 characters of copy_text.
const (
	maxButtons      = 100
	maxCallbackData = 64
	maxCopyText     = 256
)

// keyboard is reply_markup without its empty rows.
func (q *request) keyboard() (board [][]Button) {
	if q.params.Markup == nil {
		return nil
	}
	if q.params.Markup.Rows == nil {
		q.bad("field \"inline_keyboard\" of the InlineKeyboardMarkup must be of type Array")
	}
	count := 0
	for _, row := range q.params.Markup.Rows {
		for i := range row {
			if row[i].Copy != nil && row[i].Copy.Text == "" { // go-telegram/bot adds it to every button; the server never sees it
				row[i].Copy = nil
			}
			q.refuse(row[i].check())
		}
		if len(row) > 0 {
			board, count = append(board, row), count+len(row)
		}
	}
	if count > maxButtons {
		q.bad("reply markup is too long")
	}
	return board
}

func (b Button) check() *refusal {
	kinds := 0
	for _, used := range []bool{b.URL != "", b.Data != "", b.Copy != nil} {
		if used {
			kinds++
		}
	}
	switch {
	case strings.TrimSpace(b.Text) == "":
		return badRequest("inline keyboard button text must be non-empty")
	case kinds == 0:
		return badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
	case kinds > 1:
		return badRequest("sandbox: inline keyboard button %q has %d type fields: exactly one is allowed", b.Text, kinds)
	case len(b.Data) > maxCallbackData:
		return badRequest("BUTTON_DATA_INVALID")
	case b.Copy != nil && utf8.RuneCountInString(b.Copy.Text) > maxCopyText:
		return badRequest("BUTTON_COPY_TEXT_INVALID")
	case b.URL != "":
		u, err := url.Parse(b.URL)
		if err != nil || u.Scheme != "tg" && !(u.Scheme == "http" || u.Scheme == "https") || u.Scheme != "tg" && !strings.ContainsAny(u.Hostname(), ".:") {
			return badRequest("inline keyboard button URL '%s' is invalid: Wrong HTTP URL", b.URL)
		}
	}
	return nil
}
