// Package guide is the city guide's conversation, without anything around it:
// the grammar of callback_data, the table from an action to a screen, and the
// screens themselves, text and keyboard. It reads no database, calls nobody
// and knows no clock; what a screen shows is handed to it.
//
// # Buttons
//
// Everything a button needs is in its data, so a button works for ever: after
// the session that sent it has ended, after a restart, under a newer version.
// The data is `action:entity_type:entity_id[:extra]`, at most 64 bytes:
//
//	open:menu:places        a section of the menu
//	page:place:0:2.d3.t5    page 2 of the places in district 3 of type 5
//	open:menu:places:d.t5   the choice of a district, type 5 being kept
//	open:place:123          a card
//	open:place:123:l2.d3    the same card, with the way back to that page
//	open:place:123:full     the card's whole text
//	fav_add:place:123       a favourite
//	open:menu:check:…       "check my subscription", then the data that follows
//
// # Screens
//
// A [Screen] is one message. A card with a photo has a short caption for the
// photo and the whole text for the case that the photo can't be sent.
package guide

// Limits of the Bot API, besides those of texts ([words.MessageLimit]): the guide
// sends plain text, so text and what is counted of it are the same thing.
const (
	DataLimit = 64  // bytes of callback_data
	copyLimit = 256 // code points that a button copies
)

// Screen is one message to a chat.
type Screen struct {
	// Text is the message, 1 to [words.MessageLimit] code points. For a card it is
	// what is sent when its photo can't be.
	Text string `json:"text"`
	// Photo is the http(s) URL of a card's photo; empty sends Text.
	Photo string `json:"photo,omitempty"`
	// Caption goes with Photo, at most [words.CaptionLimit] code points.
	Caption string `json:"caption,omitempty"`
	// Keyboard is never empty: every screen has a way on.
	Keyboard Keyboard `json:"keyboard"`
	// Preview is the URL of a photo to show under Text; empty for none.
	Preview string `json:"preview,omitempty"`
	// NoPhoto says why a card that should show a photo has none.
	NoPhoto NoPhoto `json:"no_photo,omitempty"`
}

// NoPhoto is why a card goes out as text from the beginning.
type NoPhoto string

// Reasons for a card without a photo.
const (
	PhotoMissing   NoPhoto = "photo_url_missing"
	PhotoMalformed NoPhoto = "photo_url_malformed"
)

// Keyboard is rows of inline buttons.
type Keyboard [][]Button

// Button carries one of Data (a callback), URL and Copy (for the clipboard).
type Button struct {
	Text string `json:"text"`
	Data string `json:"data,omitempty"`
	URL  string `json:"url,omitempty"`
	Copy string `json:"copy,omitempty"`
}

func press(text string, action Action) Button { return Button{Text: text, Data: action.String()} }

func link(text, url string) Button { return Button{Text: text, URL: url} }
