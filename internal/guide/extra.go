package guide

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// PlaceQuery is which page of the places is shown.
type PlaceQuery struct {
	PlaceFilter
	Page int
}

// Filtered reports whether any filter is set.
func (q PlaceQuery) Filtered() bool { return q.District != 0 || q.Type != 0 || q.Subcategory != 0 }

// String is the query as the extra of a button: page first, then d, t and s
// with an id each, r for the best rated first.
func (q PlaceQuery) String() string {
	sorting := ""
	if q.ByRating {
		sorting = "r"
	}
	return tokens(pageToken(q.Page), idToken('d', q.District), idToken('t', q.Type), idToken('s', q.Subcategory), sorting)
}

// ParsePlaceQuery reads an extra. What can't be read is left out, a bad page
// is the first: an odd button still opens a list.
func ParsePlaceQuery(extra string) PlaceQuery {
	page, ids, tokens := parseQuery(extra)
	return PlaceQuery{Page: page, PlaceFilter: PlaceFilter{
		District: ids['d'], Type: ids['t'], Subcategory: ids['s'], ByRating: slices.Contains(tokens, "r"),
	}}
}

// EventQuery is which page of the events is shown; 0 and "" mean "any".
type EventQuery struct {
	Page             int
	Category, Source int64
	Day              Day
}

// Filtered reports whether any filter is set.
func (q EventQuery) Filtered() bool { return q.Category != 0 || q.Source != 0 || q.Day != "" }

// Filter is what the query asks the store for.
func (q EventQuery) Filter(now time.Time) EventFilter {
	from, to := q.Day.Window(now)
	return EventFilter{Category: q.Category, Source: q.Source, Now: now, From: from, To: to}
}

// String is the query as the extra of a button: page first, then c and s with
// an id each, and w with the day.
func (q EventQuery) String() string {
	day := ""
	if q.Day != "" {
		day = "w" + string(q.Day)
	}
	return tokens(pageToken(q.Page), idToken('c', q.Category), idToken('s', q.Source), day)
}

// ParseEventQuery reads an extra as [ParsePlaceQuery] does.
func ParseEventQuery(extra string) EventQuery {
	page, ids, tokens := parseQuery(extra)
	query := EventQuery{Page: page, Category: ids['c'], Source: ids['s']}
	for _, token := range tokens {
		if day, ok := strings.CutPrefix(token, "w"); ok && Day(day).valid() {
			query.Day = Day(day)
		}
	}
	return query
}

// AskQuery is which page is shown of what a person has asked for with words or a
// location. Those stand in no button: the session keeps them for a while under
// the number of the update that brought them.
type AskQuery struct {
	Page  int
	Asked int64 // update_id
	Type  int64 // of the places near; 0 is any
}

// String is the query as the extra of a button: page first, then u with the
// update and t with the type.
func (q AskQuery) String() string {
	return tokens(pageToken(q.Page), idToken('u', q.Asked), idToken('t', q.Type))
}

// ParseAskQuery reads an extra as [ParsePlaceQuery] does.
func ParseAskQuery(extra string) AskQuery {
	page, ids, _ := parseQuery(extra)
	return AskQuery{Page: page, Asked: ids['u'], Type: ids['t']}
}

func (q AskQuery) action(section string) Action { return pageOf(section, q.String()) }

// origin is where the cards of the page lead back to.
func (q AskQuery) origin(section string) string {
	if section == Near {
		return "n" + q.String()
	}
	return "q" + q.String()
}

// Day is the choice of when: today, tomorrow, the weekend, or a date.
type Day string

// Days. A date is YYYYMMDD. Buttons live on, so "today" is the day on which
// it is pressed.
const (
	AnyDay   Day = ""
	Today    Day = "t"
	Tomorrow Day = "m"
	Weekend  Day = "e"
)

const dateLayout = "20060102"

// dateOf is the day that t falls on, in t's own time zone.
func dateOf(t time.Time) Day { return Day(t.Format(dateLayout)) }

func (d Day) valid() bool {
	switch d {
	case Today, Tomorrow, Weekend:
		return true
	}
	_, err := time.Parse(dateLayout, string(d))
	return err == nil
}

// Window is the time from which and until which (not included) an event must
// start to be on that day, in the time zone of now. Both are zero for AnyDay.
// The weekend is Saturday and Sunday: this week's, and on Sunday what is left
// of it.
func (d Day) Window(now time.Time) (from, until time.Time) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch d {
	case AnyDay:
		return time.Time{}, time.Time{}
	case Today:
		return midnight, midnight.AddDate(0, 0, 1)
	case Tomorrow:
		return midnight.AddDate(0, 0, 1), midnight.AddDate(0, 0, 2)
	case Weekend:
		if now.Weekday() == time.Sunday {
			return midnight, midnight.AddDate(0, 0, 1)
		}
		saturday := midnight.AddDate(0, 0, int(time.Saturday-now.Weekday()))
		return saturday, saturday.AddDate(0, 0, 2)
	}
	date, err := time.ParseInLocation(dateLayout, string(d), now.Location())
	if err != nil {
		return time.Time{}, time.Time{}
	}
	return date, date.AddDate(0, 0, 1)
}

// Choosing is a screen on which a person picks a value for a filter. The
// other filters are kept.
type Choosing struct {
	// Filter is d, t or s for places; c, s or w for events.
	Filter byte
	Page   int
}

// parseChoosing reads an extra such as `d.p2.t5`: the filter, the page of the
// choice, the filters to keep.
func parseChoosing(extra, filters string) (Choosing, bool) {
	first, rest, _ := strings.Cut(extra, ".")
	if len(first) != 1 || !strings.Contains(filters, first) {
		return Choosing{}, false
	}
	choosing := Choosing{Filter: first[0], Page: 1}
	second, _, _ := strings.Cut(rest, ".")
	if page, ok := strings.CutPrefix(second, "p"); ok {
		choosing.Page = parsePage(page)
	}
	return choosing, true
}

func (c Choosing) extra(kept string) string {
	page := ""
	if c.Page > 1 {
		page = "p" + strconv.Itoa(c.Page)
	}
	_, filters, _ := strings.Cut(kept, ".")
	return tokens(string(c.Filter), page, filters)
}

// CardExtra is what a button that opens a card says besides the card.
type CardExtra struct {
	// Full asks for the whole text in place of the photo with its caption.
	Full bool
	// Origin is where the card was opened from and Back leads to:
	// "" the section, l… a page of the list, f… a page of the favourites,
	// c… a page of a collection, a… a promo, e… an event, q… a page of a
	// search, n… a page of the places near.
	Origin string
}

// ParseCardExtra reads the extra of a card's button; what can't be read means
// the section.
func ParseCardExtra(extra string) CardExtra {
	var card CardExtra
	first, rest, _ := strings.Cut(extra, ".")
	if first == "full" {
		card.Full, extra = true, rest
	}
	if extra != "" && strings.ContainsRune("lfcaeqn", rune(extra[0])) {
		card.Origin = extra
	}
	return card
}

func (c CardExtra) String() string {
	if c.Full {
		return tokens("full", c.Origin)
	}
	return c.Origin
}

// back is the action of the card's Back button.
func (c CardExtra) back(entity, section string) Action {
	if c.Origin == "" {
		return backTo(section)
	}
	rest := c.Origin[1:]
	switch c.Origin[0] {
	case 'f':
		if page := parsePage(rest); page > 1 {
			return Action{Verb: Page, Entity: Menu, Code: Favourites, Extra: strconv.Itoa(page)}
		}
		return backTo(Favourites)
	case 'c':
		id, page, _ := strings.Cut(rest, ".")
		if collection, ok := parseID(id); ok && collection > 0 {
			if number := parsePage(page); number > 1 {
				return Action{Verb: Page, Entity: Collection, ID: collection, Extra: strconv.Itoa(number)}
			}
			return Action{Verb: Back, Entity: Collection, ID: collection}
		}
	case 'q':
		return ParseAskQuery(rest).action(Find)
	case 'n':
		return ParseAskQuery(rest).action(Near)
	case 'a', 'e':
		from, list := Promo, Promos
		if c.Origin[0] == 'e' {
			from, list = Event, Events
		}
		if id, ok := parseID(rest); ok && id > 0 {
			return Action{Verb: Back, Entity: from, ID: id}
		}
		return backTo(list)
	case 'l':
		extra := ParsePlaceQuery(rest).String()
		if entity == Event {
			extra = ParseEventQuery(rest).String()
		}
		if extra != "1" {
			return Action{Verb: Page, Entity: entity, Extra: extra}
		}
	}
	return backTo(section)
}

func parsePage(s string) int {
	page, ok := parseID(s)
	if !ok || page < 1 {
		return 1
	}
	return int(min(page, 1_000_000)) // the list itself ends earlier
}

func pageToken(page int) string { return strconv.Itoa(max(page, 1)) }

func idToken(letter byte, id int64) string {
	if id == 0 {
		return ""
	}
	return string(letter) + strconv.FormatInt(id, 10)
}

// parseQuery reads the tokens of a list's extra: the page first, then ids by
// their letters, the last of a letter, and what else there is.
func parseQuery(extra string) (page int, ids map[byte]int64, tokens []string) {
	tokens = strings.Split(extra, ".")
	ids = map[byte]int64{}
	for _, token := range tokens {
		if len(token) > 1 {
			if id, ok := parseID(token[1:]); ok {
				ids[token[0]] = id
			}
		}
	}
	return parsePage(tokens[0]), ids, tokens
}

func tokens(all ...string) string { return joined(".", all...) }
