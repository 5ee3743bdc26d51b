package guide

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// Words is how much of a search is read, in code points.
const Words = 100

// Wish is what a message asks for. What else a person wrote is dropped here
// and goes nowhere.
type Wish struct {
	// Action to do; the zero Action if the message is no command.
	Action Action
	// Words to search for, of /find only.
	Words string
}

// ReadText reads a message's text. Telegram marks commands with entities, but
// the specification's own example has none, so only the text counts: a
// command is a slash and letters, in any case, perhaps followed by @bot.
// Everything after it is dropped, but for a start payload that is a share
// link and the words of /find.
func ReadText(text string) Wish {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if !strings.HasPrefix(text, "/") {
		return Wish{}
	}
	command, rest := text[1:], ""
	if end := strings.IndexFunc(command, unicode.IsSpace); end >= 0 {
		command, rest = command[:end], strings.TrimSpace(command[end:])
	}
	command, _, _ = strings.Cut(command, "@")
	switch strings.ToLower(command) {
	case "start":
		if shared, ok := ReadShareLink(rest); ok {
			return Wish{Action: shared}
		}
		return Wish{Action: openMenu(Main)}
	case "menu":
		return Wish{Action: openMenu(Main)}
	case "help":
		return Wish{Action: openMenu(Help)}
	case "find":
		words := firstRunes(strings.Join(strings.Fields(rest), " "), Words)
		return Wish{Action: openMenu(Find), Words: words}
	}
	return Wish{}
}

// shareLetters are the first letters of start payloads. They stand in links
// that people have sent each other: never change one.
var shareLetters = [...]struct{ letter, entity string }{
	{"p", Place}, {"e", Event}, {"c", Collection}, {"a", Promo},
}

// ReadShareLink reads the payload of t.me/<bot>?start=…, as [SharePayload]
// writes it.
func ReadShareLink(payload string) (Action, bool) {
	for _, share := range shareLetters {
		digits, found := strings.CutPrefix(payload, share.letter)
		if id, ok := parseID(digits); found && ok && id > 0 {
			return open(share.entity, id, ""), true
		}
	}
	return Action{}, false
}

// SharePayload names a card in a link: a letter and the id, as a payload is 1
// to 64 of A-Za-z0-9_-. It is "" for what has no card.
func SharePayload(entity string, id int64) string {
	for _, share := range shareLetters {
		if share.entity == entity && id > 0 {
			return share.letter + strconv.FormatInt(id, 10)
		}
	}
	return ""
}

// ShareURL opens Telegram's own "share" window with a link to a card; "" if
// the bot's username is not known.
func ShareURL(username, entity string, id int64) string {
	payload := SharePayload(entity, id)
	if username == "" || payload == "" {
		return ""
	}
	return "https://t.me/share/url?url=" + url.QueryEscape("https://t.me/"+username+"?start="+payload)
}
