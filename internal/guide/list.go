package guide

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vestnik/internal/words"
)

// PageSize is how many entries a list shows at once: each has a line of text
// and a button, and the whole still fits a phone's screen.
const PageSize = 8

// choicePageSize is how many values a filter screen offers at once. Telegram
// takes 100 buttons.
const choicePageSize = 24

// pager is the rows that turn pages, none if there is one page only: the next
// page, and jumps back and forth, so that of 60 pages each is some taps away.
func (t *Texts) pager(page, pages int, to func(page int) Action) [][]Button {
	var rows [][]Button
	if page < pages {
		rows = append(rows, []Button{press(t.Buttons.Next, to(page+1))})
	}
	jump := max(pages/6, 2)
	var row []Button
	last := 0
	for _, target := range []int{1, page - jump, page - 1, page + jump, pages} {
		switch {
		case target <= last, target > pages, target == page, target == page+1:
			continue
		case target < page:
			row = append(row, press("← "+strconv.Itoa(target), to(target)))
		default:
			row = append(row, press(strconv.Itoa(target)+" →", to(target)))
		}
		last = target
	}
	if row != nil {
		rows = append(rows, row)
	}
	return rows
}

func (t *Texts) pageNote(page, pages int) string {
	if pages <= 1 {
		return ""
	}
	return fill(t.Lists.Page, "page", strconv.Itoa(page), "pages", strconv.Itoa(pages))
}

// line is an entry of a list: a line of text and a button of the same number.
type line struct {
	title, kind, note string
	opens             Action
}

func (l line) text(t *Texts, i int) string {
	text := strconv.Itoa(i+1) + ". " + t.title(l.title, 120)
	if note := notes(tidy(l.kind, 80), tidy(l.note, 160)); note != "" {
		text += " — " + note
	}
	return text
}

// button is numbered as the line; one of several of a name says where it is.
func (l line) button(t *Texts, i int, same []string) Button {
	label := t.title(l.title, 56)
	if len(same) > 1 && l.note != "" {
		where := withoutCity(l.note, same)
		for end := strings.LastIndex(where, " · "); end > 0 && utf8.RuneCountInString(where) > 26; end = strings.LastIndex(where, " · ") {
			where = where[:end] // the rating, rather than a half of it
		}
		label = t.title(l.title, 30) + " · " + tidy(where, 26)
	}
	return press(strconv.Itoa(i+1)+". "+label, l.opens)
}

// withoutCity is a note without its first part, if all have it and something
// more than a house number after it: a button has no room for a city's name.
func withoutCity(note string, all []string) string {
	city, street, _ := strings.Cut(note, ", ")
	for _, other := range all {
		if first, rest, _ := strings.Cut(other, ", "); first != city || !strings.Contains(rest, ", ") {
			return note
		}
	}
	return street
}

// listed are the lines and buttons of entries.
func listed[T any](t *Texts, items []T, item func(T) line) (body []string, keyboard Keyboard) {
	same := map[string][]string{} // notes by title
	for _, shown := range items {
		entry := item(shown)
		same[entry.title] = append(same[entry.title], entry.note)
	}
	for i, shown := range items {
		entry := item(shown)
		body = append(body, entry.text(t, i))
		keyboard = append(keyboard, []Button{entry.button(t, i, same[entry.title])})
	}
	return body, keyboard
}

// listOf is the screen of a page of a list: a line and a button for each item,
// the rows that turn pages, and what stands below that.
func listOf[T any](t *Texts, head string, list Listing[T], item func(T) line, turned func(page int) Action, below ...[]Button) Screen {
	body, keyboard := listed(t, list.Items, item)
	text := head
	if len(body) > 0 {
		text += "\n\n" + strings.Join(body, "\n")
	}
	if note := t.pageNote(list.Page, list.Pages); note != "" {
		text += "\n\n" + note
	}
	keyboard = append(append(keyboard, t.pager(list.Page, list.Pages, turned)...), below...)
	return Screen{Text: clip(text, words.MessageLimit), Keyboard: keyboard}
}

// orNone is a list's head, with what it says when nothing is in it.
func orNone(head string, total int, none string) string {
	if total == 0 {
		head += "\n\n" + none
	}
	return head
}

// withCount is a list's name with how many entries it has.
func withCount(name string, total int, noun string) string {
	if total == 0 {
		return name
	}
	return notes(name, counted(total, noun))
}

// listOrigin is where the cards of a page of a list lead back to; "" is the
// section, which is the first page without a filter.
func listOrigin(extra string) string {
	if extra == "1" {
		return ""
	}
	return "l" + extra
}

func (t *Texts) back(code string) []Button { return []Button{press(t.Buttons.Back, backTo(code))} }

// CollectionList is the list of collections.
func (t *Texts) CollectionList(list Listing[Choice]) Screen {
	head := orNone(t.Lists.Collections, list.Total, t.Lists.NoCollections)
	return listOf(t, head, list, func(collection Choice) line {
		return line{title: collection.Name, opens: open(Collection, collection.ID, "")}
	}, func(page int) Action {
		return Action{Verb: Page, Entity: Collection, Extra: strconv.Itoa(page)}
	}, t.back(Main))
}

// CollectionScreen is one collection with what is in it.
func (t *Texts) CollectionScreen(collection CollectionView, list Listing[Entry], now time.Time) Screen {
	head := orNone(lines(tidy(collection.Title, 200), paragraph(clip(collection.Description, 1500))), list.Total, t.Lists.EmptyCollection)
	origin := "c" + strconv.FormatInt(collection.ID, 10)
	if list.Page > 1 {
		origin += "." + strconv.Itoa(list.Page)
	}
	return t.entryList(head, list, origin, now, func(page int) Action {
		return Action{Verb: Page, Entity: Collection, ID: collection.ID, Extra: strconv.Itoa(page)}
	}, append(t.back(Collections), press(t.Buttons.MainMenu, OpenMenu(Main))))
}

// FavouriteList is a person's favourites, newest first.
func (t *Texts) FavouriteList(list Listing[Entry], now time.Time) Screen {
	head := orNone(t.Lists.Favourites, list.Total, t.Lists.NoFavourites)
	origin := "f"
	if list.Page > 1 {
		origin += strconv.Itoa(list.Page)
	}
	return t.entryList(head, list, origin, now, func(page int) Action {
		return pageOf(Favourites, strconv.Itoa(page))
	}, t.back(Main))
}

// FoundList is a page of what a search (section Find) or a location (Near) has
// brought.
func (t *Texts) FoundList(section string, query AskQuery, list Listing[Entry], now time.Time) Screen {
	head := t.Lists.Found
	var below [][]Button
	if section == Near {
		head = t.Lists.Near
		types := OpenMenu(Near)
		types.Extra = Choosing{Filter: 't'}.extra(query.String())
		below = append(below, []Button{press(t.Buttons.Type, types)})
		if query.Type != 0 {
			all := query
			all.Page, all.Type = 1, 0
			below[0] = append(below[0], press(t.Buttons.AllNear, all.action(section)))
		}
	}
	query.Page = list.Page
	return t.entryList(orNone(head, list.Total, t.Lists.NothingFound), list, query.origin(section), now, func(page int) Action {
		turned := query
		turned.Page = page
		return turned.action(section)
	}, append(below, t.back(Main))...)
}

// NearFilterScreen offers the types of the places around a location.
func (t *Texts) NearFilterScreen(action Action, choices []Choice) Screen {
	query := ParseAskQuery(action.Extra)
	query.Page = 1
	return t.chooser(t.Lists.ChooseType, t.Buttons.AnyType, choices, action.Choosing(), query.String(), Near, func(id int64) Action {
		picked := query
		picked.Type = id
		return picked.action(Near)
	})
}

// entryList is [listOf] for entries. What is gone or past can be taken out of
// the favourites.
func (t *Texts) entryList(head string, list Listing[Entry], origin string, now time.Time, turned func(page int) Action, below ...[]Button) Screen {
	screen := listOf(t, head, list, func(item Entry) line {
		return line{title: item.Name, note: t.entryNote(item, now), opens: open(item.Entity, item.ID, origin)}
	}, turned, below...)
	for i, item := range list.Items {
		remove := press(t.Buttons.Drop, Action{Verb: FavRemove, Entity: item.Entity, ID: item.ID, Extra: origin})
		switch {
		case item.Gone:
			remove.Text = fill(t.Buttons.DropNamed, "name", t.title(item.Name, 50))
			screen.Keyboard[i] = []Button{remove}
		case item.Over:
			screen.Keyboard[i] = append(screen.Keyboard[i], remove)
		}
	}
	return screen
}

// chooser lists the values of a filter, two to a row.
func (t *Texts) chooser(title, any string, choices []Choice, choosing Choosing, kept string, section string, pick func(id int64) Action) Screen {
	pages := max(1, (len(choices)+choicePageSize-1)/choicePageSize)
	choosing.Page = min(choosing.Page, pages)
	first := (choosing.Page - 1) * choicePageSize
	shown := choices[first:min(first+choicePageSize, len(choices))]

	keyboard := Keyboard{{press(any, pick(0))}}
	var row []Button
	for _, choice := range shown {
		row = append(row, press(t.title(choice.Name, 30), pick(choice.ID)))
		if len(row) == 2 {
			keyboard, row = append(keyboard, row), nil
		}
	}
	if len(row) > 0 {
		keyboard = append(keyboard, row)
	}
	keyboard = append(keyboard, t.pager(choosing.Page, pages, func(page int) Action {
		turned := OpenMenu(section)
		turned.Extra = Choosing{Filter: choosing.Filter, Page: page}.extra(kept)
		return turned
	})...)
	return Screen{Text: title, Keyboard: append(keyboard, []Button{press(t.Buttons.Back, pageOf(section, kept))})}
}

func pageOf(section, extra string) Action {
	switch section {
	case Places:
		return Action{Verb: Page, Entity: Place, Extra: extra}
	case Events:
		return Action{Verb: Page, Entity: Event, Extra: extra}
	}
	return Action{Verb: Page, Entity: Menu, Code: section, Extra: extra}
}
