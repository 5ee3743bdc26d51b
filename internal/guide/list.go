package guide

import (
	"strconv"
	"strings"
	"time"
)

// PageSize is how many entries a list shows at once: each has a line of text
// and a button, and the whole still fits a phone's screen.
const PageSize = 8

// choicePageSize is how many values a filter screen offers at once. Telegram
// takes 100 buttons.
const choicePageSize = 24

// pager is the row that turns pages; no row if there is one page only, and
// never a button that leads nowhere.
func pager(page, pages int, to func(page int) Action) [][]Button {
	var row []Button
	if page > 1 {
		row = append(row, press(labelPrevious, to(page-1)))
	}
	if page < pages {
		row = append(row, press(labelNext, to(page+1)))
	}
	if len(row) == 0 {
		return nil
	}
	return [][]Button{row}
}

func pageNote(page, pages int) string {
	if pages <= 1 {
		return ""
	}
	return "Страница " + strconv.Itoa(page) + " из " + strconv.Itoa(pages)
}

// numbered is a line of a list.
func numbered(i int, title, note string) string {
	line := strconv.Itoa(i+1) + ". " + name(title, 120)
	if note = tidy(note, 160); note != "" {
		line += " — " + note
	}
	return line
}

func openButton(title string, action Action) []Button {
	return []Button{press(name(title, 60), action)}
}

// listOf is the screen of a page of a list: a line and a button for each item,
// the row that turns pages, and what stands below that.
func listOf[T any](head string, list Listing[T], item func(T) (title, note string, opens Action), turned func(page int) Action, below ...[]Button) Screen {
	body := make([]string, 0, len(list.Items))
	var keyboard Keyboard
	for i, shown := range list.Items {
		title, note, opens := item(shown)
		body = append(body, numbered(i, title, note))
		keyboard = append(keyboard, openButton(title, opens))
	}
	keyboard = append(append(keyboard, pager(list.Page, list.Pages, turned)...), below...)
	return listScreen(head, body, pageNote(list.Page, list.Pages), keyboard)
}

// CollectionList is the list of collections.
func CollectionList(list Listing[Choice]) Screen {
	head := "Подборки"
	if list.Total == 0 {
		head += "\n\nПодборок пока нет."
	}
	return listOf(head, list, func(collection Choice) (string, string, Action) {
		return collection.Name, "", open(Collection, collection.ID, "")
	}, func(page int) Action {
		return Action{Verb: Page, Entity: Collection, Extra: strconv.Itoa(page)}
	}, []Button{press(labelBack, backTo(Main))})
}

// CollectionScreen is one collection with what is in it.
func CollectionScreen(collection CollectionView, list Listing[Entry], now time.Time) Screen {
	head := lines(tidy(collection.Title, 200), paragraph(clip(collection.Description, 1500)))
	if list.Total == 0 {
		head += "\n\nВ подборке пока ничего нет."
	}
	origin := "c" + strconv.FormatInt(collection.ID, 10)
	if list.Page > 1 {
		origin += "." + strconv.Itoa(list.Page)
	}
	body, keyboard := entries(list.Items, origin, now)
	keyboard = append(keyboard, pager(list.Page, list.Pages, func(page int) Action {
		return Action{Verb: Page, Entity: Collection, ID: collection.ID, Extra: strconv.Itoa(page)}
	})...)
	keyboard = append(keyboard, []Button{press(labelBack, backTo(Collections)), press(labelMainMenu, openMenu(Main))})
	return listScreen(head, body, pageNote(list.Page, list.Pages), keyboard)
}

// FavouriteList is a person's favourites, newest first.
func FavouriteList(list Listing[Entry], now time.Time) Screen {
	head := "Избранное"
	if list.Total == 0 {
		head += "\n\nЗдесь пока пусто. Нажмите «В избранное» на карточке места или события."
	}
	origin := "f"
	if list.Page > 1 {
		origin += strconv.Itoa(list.Page)
	}
	body, keyboard := entries(list.Items, origin, now)
	keyboard = append(keyboard, pager(list.Page, list.Pages, func(page int) Action {
		return Action{Verb: Page, Entity: Menu, Code: Favourites, Extra: strconv.Itoa(page)}
	})...)
	keyboard = append(keyboard, []Button{press(labelBack, backTo(Main))})
	return listScreen(head, body, pageNote(list.Page, list.Pages), keyboard)
}

// FoundList is what a search or a location brought.
func FoundList(title string, items []Entry, now time.Time) Screen {
	if len(items) == 0 {
		title += "\n\nНичего не нашлось."
	}
	body, keyboard := entries(items, "", now)
	keyboard = append(keyboard, []Button{press(labelBack, backTo(Main))})
	return listScreen(title, body, "", keyboard)
}

func entries(items []Entry, origin string, now time.Time) (body []string, keyboard Keyboard) {
	for i, item := range items {
		if item.Gone {
			body = append(body, numbered(i, item.Name, "больше недоступно"))
			keyboard = append(keyboard, []Button{press("Убрать: "+name(item.Name, 50),
				Action{Verb: FavRemove, Entity: item.Entity, ID: item.ID, Extra: origin})})
			continue
		}
		body = append(body, numbered(i, item.Name, item.note(now)))
		keyboard = append(keyboard, openButton(item.Name, open(item.Entity, item.ID, origin)))
	}
	return body, keyboard
}

func listScreen(head string, body []string, foot string, keyboard Keyboard) Screen {
	text := head
	if len(body) > 0 {
		text += "\n\n" + strings.Join(body, "\n")
	}
	if foot != "" {
		text += "\n\n" + foot
	}
	return Screen{Text: clip(text, TextLimit), Keyboard: keyboard}
}

// chooser lists the values of a filter, two to a row.
func chooser(title, any string, choices []Choice, choosing Choosing, kept string, section string, pick func(id int64) Action) Screen {
	pages := max(1, (len(choices)+choicePageSize-1)/choicePageSize)
	choosing.Page = min(choosing.Page, pages)
	first := (choosing.Page - 1) * choicePageSize
	shown := choices[first:min(first+choicePageSize, len(choices))]

	keyboard := Keyboard{{press(any, pick(0))}}
	var row []Button
	for _, choice := range shown {
		row = append(row, press(name(choice.Name, 30), pick(choice.ID)))
		if len(row) == 2 {
			keyboard, row = append(keyboard, row), nil
		}
	}
	if len(row) > 0 {
		keyboard = append(keyboard, row)
	}
	keyboard = append(keyboard, pager(choosing.Page, pages, func(page int) Action {
		turned := openMenu(section)
		turned.Extra = Choosing{Filter: choosing.Filter, Page: page}.extra(kept)
		return turned
	})...)
	return Screen{Text: title, Keyboard: append(keyboard, []Button{press(labelBack, pageOf(section, kept))})}
}

func pageOf(section, extra string) Action {
	entity := Place
	if section == Events {
		entity = Event
	}
	return Action{Verb: Page, Entity: entity, Extra: extra}
}
