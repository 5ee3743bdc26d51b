package guide

import (
	"strconv"
	"strings"
	"time"

	"vestnik/internal/words"
)

// eventFilters are the letters of the filters of the events.
const eventFilters = "csw"

// severalDaysFrom is how long an event lasts that stands on several days: what
// ends after midnight is of one day.
const severalDaysFrom = 12 * time.Hour

// eventTime is the beginning of an event to come, its days if they are several,
// and the end of one that is on.
func eventTime(starts time.Time, ends *time.Time, now time.Time) string {
	zone := now.Location()
	starts = starts.In(zone)
	if ends == nil || !ends.After(starts) {
		if starts.After(now) {
			return Moment(starts, now)
		}
		return "идёт сейчас"
	}
	until := ends.In(zone)
	several := DateOf(starts) != DateOf(until) && until.Sub(starts) >= severalDaysFrom
	switch {
	case starts.After(now) && several:
		return severalDays(starts, until, now)
	case starts.After(now):
		return Moment(starts, now)
	case DateOf(until) == DateOf(now) || !several:
		return "идёт до " + until.Format("15:04")
	}
	return "идёт до " + date(until, now)
}

// EventList is a page of the events to come; offered are the letters of the
// filters that leave a choice. Times are shown in the time zone of now.
func EventList(query EventQuery, names EventFilterNames, list Listing[EventLine], offered string, now time.Time) Screen {
	query.Page = list.Page
	head := "Афиша"
	if list.Total > 0 {
		head += " · " + words.Russian(list.Total, "событие", "события", "событий")
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
	below := append([][]Button{{onDay("Сегодня", query, Today), onDay("Завтра", query, Tomorrow), onDay("Выходные", query, Weekend)}},
		filterRow(Events, query.String(), "w"+offered, []namedFilter{{'w', "Дата"}, {'c', "Категория"}, {'s', "Источник"}})...)
	if query.Filtered() {
		below = append(below, []Button{press(labelReset, openMenu(Events))})
	}
	return listOf(head, list, func(event EventLine) line {
		return line{title: event.Title, note: joinNotes(eventTime(event.Starts, event.Ends, now), tidy(event.Venue, 100)), opens: open(Event, event.ID, origin)}
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
func EventCard(event EventView, extra CardExtra, links Links, now time.Time) Screen {
	zone := now.Location()
	starts, ends := event.Starts.In(zone), event.Starts.In(zone)
	if event.Ends != nil {
		ends = event.Ends.In(zone)
	}
	when := span(starts, ends, now)
	switch {
	case !event.OverAt.After(now):
		when += " (уже прошло)"
	case !starts.After(now):
		when += " (идёт сейчас)"
	}
	var buttons []Button
	if event.PlaceID != 0 {
		origin := "e" + strconv.FormatInt(event.ID, 10)
		buttons = append(buttons, press("О месте", open(Place, event.PlaceID, origin)))
	}
	buttons = append(buttons, links.onMap(event.Address, event.Venue, event.Lat, event.Lon)...)
	if page := webURL(event.Link); page != "" {
		buttons = append(buttons, link("Страница события", page))
	}
	card := card{
		title:       name(event.Title, 200),
		facts:       lines(field("Когда", when), field("Где", event.Venue), field("Адрес", event.Address), field("Цена", event.Price)),
		more:        lines(field("Категория", strings.Join(event.Categories, ", ")), field("Источник", event.Source)),
		description: event.Description, photo: event.Photo,
		entity: Event, id: event.ID, section: Events, extra: extra, favourite: event.Favourite,
		links: append(buttons, links.share()...),
	}
	return card.screen()
}
