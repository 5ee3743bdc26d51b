package telegram

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"
)

// maxCallbackData is the longest callback_data, in bytes.
const maxCallbackData = 64

// maxCopy is the longest text that a button copies, in characters.
const maxCopy = 256

// Button is an inline button: it opens URL, comes back to the bot with CallbackData, or puts Copy on the clipboard.
//
// The library's own button type adds an empty copy_text to each, against the rule of exactly one type per button.
type Button struct {
	Text         string `json:"text"`
	CallbackData string `json:"callback_data,omitempty"`
	URL          string `json:"url,omitempty"`
	Copy         *Copy  `json:"copy_text,omitempty"`
}

// Copy is a text that a button copies, 1 to maxCopy characters.
type Copy struct {
	Text string `json:"text"`
}

// Keyboard is the rows of inline buttons under a message; nil for none.
type Keyboard [][]Button

// check refuses what Telegram would refuse, with the place of the button in the error.
func (k Keyboard) check() error {
	for r, buttons := range k {
		if len(buttons) == 0 {
			return fmt.Errorf("keyboard row %d is empty", r+1)
		}
		for b, button := range buttons {
			if err := button.check(); err != nil {
				return fmt.Errorf("keyboard row %d, button %d: %w", r+1, b+1, err)
			}
		}
	}
	return nil
}

func (b Button) check() error {
	kinds := 0
	for _, used := range []bool{b.CallbackData != "", b.URL != "", b.Copy != nil} {
		if used {
			kinds++
		}
	}
	switch {
	case b.Text == "":
		return errors.New("no text")
	case kinds != 1:
		return errors.New("it needs one of callback data, a URL and a text to copy")
	case b.Copy != nil && (b.Copy.Text == "" || utf8.RuneCountInString(b.Copy.Text) > maxCopy):
		return fmt.Errorf("a text to copy has 1 to %d characters", maxCopy)
	case len(b.CallbackData) > maxCallbackData:
		return fmt.Errorf("%d bytes of callback data, %d are allowed", len(b.CallbackData), maxCallbackData)
	}
	return nil
}

// markup is the keyboard as reply_markup, nothing at all for nil: a typed nil would be sent as the text "null".
func (k Keyboard) markup() models.ReplyMarkup {
	if k == nil {
		return nil
	}
	return struct {
		InlineKeyboard [][]Button `json:"inline_keyboard"`
	}{k}
}
