package guidedb

import (
	"strconv"
	"strings"
)

// Shared is what a share link opens.
type Shared struct {
	Entity string // place, event, collection or promo, as in callback_data
	ID     int64
}

// shareLetters are the first letters of start payloads, one per entity. They
// are in links that people have sent each other: never change one.
var shareLetters = map[string]string{"place": "p", "event": "e", "collection": "c", "promo": "a"}

// StartPayload gives the payload of t.me/<bot>?start=<payload>: a letter and
// the integer id, within Telegram's 64 characters of A-Za-z0-9_-. It is "" for
// anything that has no card.
func (s Shared) StartPayload() string {
	letter, ok := shareLetters[s.Entity]
	if !ok || s.ID <= 0 {
		return ""
	}
	return letter + strconv.FormatInt(s.ID, 10)
}

// ParseStartPayload reads what StartPayload made; ok is false for anything
// else.
func ParseStartPayload(payload string) (shared Shared, ok bool) {
	for entity, letter := range shareLetters {
		digits, found := strings.CutPrefix(payload, letter)
		if !found {
			continue
		}
		id, err := strconv.ParseInt(digits, 10, 64)
		shared = Shared{Entity: entity, ID: id}
		return shared, err == nil && shared.StartPayload() == payload
	}
	return Shared{}, false
}
