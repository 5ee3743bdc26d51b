package guide

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words is how much of a search is read, in code points. plainWords is how
// much a message may have that is taken for a search without the command:
// what is longer was written to somebody.
const (
	Words      = 100
	plainWords = 50
)

// Wish is what a message asks for. What else a person wrote is dropped here
// and goes nowhere.
type Wish struct {
	// Action to do; the zero Action if the message is no command.
	Action Action
	// Words to search for: those of /find, or a short message that is no
	// command.
	Words string
}

// ReadText reads a message's text. Telegram marks commands with entities, but
// the specification's own example has none, so only the text counts: a
// command is a slash and letters, in any case, perhaps followed by @bot.
// Everything after it is dropped, but for a start payload that is a share
// link and the words of /find.
//
// A message that is no command may be a search, if it is as short as one: see
// [Wish]. Whether it is, depends on what the person was asked before, and
// nobody may read it until that is known.
func ReadText(text string) Wish {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if !strings.HasPrefix(text, "/") {
		return Wish{Words: plainSearch(text)}
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
		return Wish{Action: OpenMenu(Main)}
	case "menu":
		return Wish{Action: OpenMenu(Main)}
	case "help":
		return Wish{Action: OpenMenu(Help)}
	case "find":
		words := firstRunes(strings.Join(strings.Fields(rest), " "), Words)
		return Wish{Action: OpenMenu(Find), Words: words}
	}
	return Wish{}
}

// plainSearch is the message, if it may be a search: a few words in one line,
// without what people leave for others: a phone, a mail address, a link.
func plainSearch(text string) string {
	text = strings.TrimSpace(text)
	letters, digits := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsControl(r), r == '@', r == '\u2028', r == '\u2029':
			return ""
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	if letters < 2 || digits > 6 || strings.Contains(text, "://") || utf8.RuneCountInString(text) > plainWords {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

// greetings are the first words of messages that look for nothing.
var greetings = []string{
	"привет", "приветик", "здравствуй", "здравствуйте", "здрасьте", "добрый", "доброе", "доброго", "хай", "салют",
	"hi", "hello", "спасибо", "благодарю", "пока", "ок", "да", "нет",
}

// IsGreeting reports whether words greet or thank somebody and look for nothing.
func IsGreeting(words string) bool {
	all := strings.FieldsFunc(strings.ToLower(words), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(all) > 0 && len(all) <= 3 && slices.Contains(greetings, all[0])
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
