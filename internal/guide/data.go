package guide

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Action is what a button asks for: callback_data, taken apart.
type Action struct {
	// Verb is open, back, page, fav_add or fav_remove; another one is well
	// formed, but unknown.
	Verb string
	// Entity is one of place, event, collection, promo, menu.
	Entity string
	// ID of the entity; 0 for a menu and for a page of a whole list.
	ID int64
	// Code of the menu's section; empty for other entities.
	Code string
	// Extra is everything after the third colon.
	Extra string
}

// Verbs.
const (
	Open      = "open"
	Back      = "back"
	Page      = "page"
	FavAdd    = "fav_add"
	FavRemove = "fav_remove"
)

// Entities.
const (
	Place      = "place"
	Event      = "event"
	Collection = "collection"
	Promo      = "promo"
	Menu       = "menu"
)

// Sections of the menu.
const (
	Main        = "main"
	Places      = "places"
	Events      = "events"
	Collections = "collections"
	Favourites  = "favorites"
	Promos      = "promos"
	Help        = "help"
	Check       = "check" // the subscription; Extra is the action to do then
	Near        = "near"  // places around a sent location
	Find        = "find"  // search by words
)

// ErrMalformed is what [ParseAction] returns for data that is not
// `action:entity_type:entity_id[:extra]`.
var ErrMalformed = errors.New("guide: callback data is not action:entity_type:entity_id[:extra]")

// ParseAction reads callback_data. It accepts what is well formed, known or
// not: `open:menu:nope` has a [Route] of its own. It refuses with
// [ErrMalformed]: fewer than three parts, an empty part, a colon at the end,
// more than 64 bytes, an unknown entity, an id that is not a plain decimal
// int64 (a leading zero or sign is not), and id 0 for anything but a page.
func ParseAction(data string) (Action, error) {
	if len(data) > DataLimit || strings.HasSuffix(data, ":") {
		return Action{}, ErrMalformed
	}
	parts := strings.SplitN(data, ":", 4)
	if len(parts) < 3 || !isWord(parts[0]) {
		return Action{}, ErrMalformed
	}
	action := Action{Verb: parts[0], Entity: parts[1]}
	if len(parts) == 4 {
		if parts[3] == "" || !isPrintable(parts[3]) {
			return Action{}, ErrMalformed
		}
		action.Extra = parts[3]
	}
	switch action.Entity {
	case Menu:
		if !isWord(parts[2]) {
			return Action{}, ErrMalformed
		}
		action.Code = parts[2]
	case Place, Event, Collection, Promo:
		id, ok := parseID(parts[2])
		if !ok || id == 0 && action.Verb != Page {
			return Action{}, ErrMalformed
		}
		action.ID = id
	default:
		return Action{}, ErrMalformed
	}
	return action, nil
}

// String is the callback_data of the action. An extra that would make it
// longer than [DataLimit] is left out: the button then leads to the same
// thing, with less of the way back.
func (a Action) String() string {
	id := a.Code
	if a.Entity != Menu {
		id = strconv.FormatInt(a.ID, 10)
	}
	data := a.Verb + ":" + a.Entity + ":" + id
	if a.Extra != "" && len(data)+1+len(a.Extra) <= DataLimit {
		data += ":" + a.Extra
	}
	return data
}

// EntityID is the third part as written, for the log.
func (a Action) EntityID() string {
	if a.Entity == Menu {
		return a.Code
	}
	return strconv.FormatInt(a.ID, 10)
}

// IsOnCard reports whether button, of the message whose button was pressed,
// makes it the card that a opens: every card has the favourite button of its
// own.
func (a Action) IsOnCard(button Action) bool {
	return (button.Verb == FavAdd || button.Verb == FavRemove) && button.Entity == a.Entity && button.ID == a.ID
}

func open(entity string, id int64, extra string) Action {
	return Action{Verb: Open, Entity: entity, ID: id, Extra: extra}
}

// OpenMenu is the action that opens a section of the menu.
func OpenMenu(code string) Action { return Action{Verb: Open, Entity: Menu, Code: code} }

func backTo(code string) Action { return Action{Verb: Back, Entity: Menu, Code: code} }

// isWord: [a-z_]{1,16}.
func isWord(s string) bool {
	if len(s) == 0 || len(s) > 16 {
		return false
	}
	for i := range len(s) {
		if (s[i] < 'a' || s[i] > 'z') && s[i] != '_' {
			return false
		}
	}
	return true
}

// isPrintable keeps what somebody forged out of logs and histories: the guide
// itself writes only visible ASCII into its buttons.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func parseID(s string) (int64, bool) {
	if s == "" || len(s) > 19 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	var id uint64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		id = id*10 + uint64(s[i]-'0')
	}
	return int64(id), id <= math.MaxInt64
}
