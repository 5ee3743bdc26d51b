package guide

import (
	"strings"
	"time"
)

// eventFilters are the letters of the filters of the events.
const eventFilters = "csw"

// when is the beginning of an event to come, and the end of one that is on.
func (e EventLine) when(now time.Time) string {
	zone := now.Location()
	starts := e.Starts.In(zone)
	if e.Ends == nil || starts.After(now) {
		return Moment(starts, now)
	}
	ends := e.Ends.In(zone)
	if DateOf(ends) == DateOf(now) {
		return "идёт до " + ends.Format("15:04")
	}
	return "идёт до " + date(ends, now)
}

// EventList is a page of the events to come. Times are shown in the time zone
// of now.
func EventList(query EventQuery, names EventFilterNames, list Listing[EventLine], now time.Time) Screen {
	query.Page = list.Page
	head := "Афиша"
	if list.Total > 0 {
		head += " · " + plural(list.Total, "событие", "события", "событий")
	}
	head = lines(head, field("Когда", dayName(query.Day, now)), field("Категория", names.Category), field("Источник", names.Source))
	switch {
	case list.Total == 0 && query.Filtered():
		head += "\n\nПо этим фильтрам ничего не нашлось."
	case list.Total == 0:
		head += "\n\nПредстоящих событий пока нет."
	}
	origin := ""
	if extra := query.String(); extra != "1" {
		origin = "l" + extra
	}
	below := [][]Button{
		{onDay("Сегодня", query, Today), onDay("Завтра", query, Tomorrow), onDay("Выходные", query, Weekend)},
		{
			choose("Дата", Events, 'w', query.String()),
			choose("Категория", Events, 'c', query.String()),
			choose("Источник", Events, 's', query.String()),
		},
	}
	if query.Filtered() {
		below = append(below, []Button{press(labelReset, openMenu(Events))})
	}
	return listOf(head, list, func(event EventLine) (string, string, Action) {
		return event.Title, joinNotes(event.when(now), tidy(event.Venue, 100)), open(Event, event.ID, origin)
	}, func(page int) Action {
		turned := query
		turned.Page = page
		return pageOf(Events, turned.String())
	}, append(below, []Button{press(labelBack, backTo(Main))})...)
}

func onDay(label string, query EventQuery, day Day) Button {
	query.Page, query.Day = 1, day
	return press(label, pageOf(Events, query.String()))
}

func dayName(day Day, now time.Time) string {
	switch day {
	case AnyDay:
		return ""
	case Today:
		return "сегодня, " + date(now, now)
	case Tomorrow:
		return "завтра, " + date(now.AddDate(0, 0, 1), now)
	case Weekend:
		from, until := day.Window(now)
		last := until.AddDate(0, 0, -1)
		if DateOf(from) == DateOf(last) {
			return "выходные, " + date(from, now)
		}
		return "выходные, " + date(from, now) + " – " + date(last, now)
	}
	from, _ := day.Window(now)
	return weekdays[from.Weekday()] + ", " + date(from, now)
}

// daysAhead is how far the choice of a day reaches.
const daysAhead = 30

// EventFilterScreen offers the values of one filter of the events. choices
// are the categories or sources; days need none.
func EventFilterScreen(action Action, choices []Choice, now time.Time) Screen {
	choosing, query := action.Choosing(), ParseEventQuery(action.Extra)
	query.Page = 1
	if choosing.Filter == 'w' {
		return dayScreen(query, now)
	}
	title, any := "Выберите категорию:", "Любая категория"
	if choosing.Filter == 's' {
		title, any = "Выберите источник:", "Любой источник"
	}
	return chooser(title, any, choices, choosing, query.String(), Events, func(id int64) Action {
		picked := query
		if choosing.Filter == 'c' {
			picked.Category = id
		} else {
			picked.Source = id
		}
		return pageOf(Events, picked.String())
	})
}

func dayScreen(query EventQuery, now time.Time) Screen {
	keyboard := Keyboard{
		{onDay("Любой день", query, AnyDay)},
		{onDay("Сегодня", query, Today), onDay("Завтра", query, Tomorrow), onDay("Выходные", query, Weekend)},
	}
	var row []Button
	for ahead := range daysAhead {
		day := now.AddDate(0, 0, ahead)
		row = append(row, onDay(weekdays[day.Weekday()]+" "+shortDate(day), query, DateOf(day)))
		if len(row) == 3 {
			keyboard, row = append(keyboard, row), nil
		}
	}
	return Screen{Text: "Выберите день:", Keyboard: append(keyboard, []Button{press(labelBack, pageOf(Events, query.String()))})}
}

// EventCard shows an event as [PlaceCard] shows a place. A past event can
// still be opened, from the favourites or an old button, and says so.
func EventCard(event EventView, extra CardExtra, shareURL string, now time.Time) Screen {
	zone := now.Location()
	starts, ends := event.Starts.In(zone), event.Starts.In(zone)
	if event.Ends != nil {
		ends = event.Ends.In(zone)
	}
	when := span(starts, ends, now)
	if event.Over(now) {
		when += " (уже прошло)"
	}
	facts := lines(
		field("Когда", when),
		field("Где", event.Venue),
		field("Адрес", event.Address),
		field("Цена", event.Price),
		field("Категория", strings.Join(event.Categories, ", ")),
		field("Источник", event.Source),
		paragraph(event.Description))
	title := name(event.Title, 200)
	var links []Button
	if event.Address != "" || event.Venue != "" {
		links = placeLinks(event.Address, event.Venue)
	}
	if page := webURL(event.Link); page != "" {
		links = append(links, link("Страница события", page))
	}
	card := card{
		text:    "Название: " + lines(title, facts),
		caption: lines(title, facts),
		photo:   event.Photo,
		entity:  Event, id: event.ID, section: Events,
		extra: extra, favourite: event.Favourite, shareURL: shareURL,
		links: links,
	}
	return card.screen()
}
