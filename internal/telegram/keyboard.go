package telegram

import (
	"errors"
	"fmt"

	"github.com/go-telegram/bot/models"
)

// MaxCallbackData is the longest callback_data, in bytes.
const MaxCallbackData = 64

// Button is an inline button: it either opens URL or comes back to the bot with CallbackData.
//
// The library's own button type adds an empty copy_text to each, against the rule of exactly one type per button.
type Button struct {
	Text         string `json:"text"`
	CallbackData string `json:"callback_data,omitempty"`
	URL          string `json:"url,omitempty"`
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
	switch {
	case b.Text == "":
		return errors.New("no text")
	case (b.CallbackData == "") == (b.URL == ""):
		return errors.New("it needs either callback data or a URL")
	case len(b.CallbackData) > MaxCallbackData:
		return fmt.Errorf("%d bytes of callback data, %d are allowed", len(b.CallbackData), MaxCallbackData)
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
