package guide

import (
	"strconv"
	"strings"
	"time"
)

// severalDaysFrom is how long an event lasts that stands on several days: what
// ends after midnight is of one day.
const severalDaysFrom = 12 * time.Hour

// eventTime is the beginning of an event to come, its days if they are several,
// and the end of one that is on.
func (t *Texts) eventTime(starts time.Time, ends *time.Time, now time.Time) string {
	zone := now.Location()
	starts = starts.In(zone)
	if ends == nil || !ends.After(starts) {
		if starts.After(now) {
			return t.moment(starts, now)
		}
		return t.Times.Now
	}
	until := ends.In(zone)
	several := dateOf(starts) != dateOf(until) && until.Sub(starts) >= severalDaysFrom
	switch {
	case starts.After(now) && several:
		return t.severalDays(starts, until, now)
	case starts.After(now):
		return t.moment(starts, now)
	case dateOf(until) == dateOf(now) || !several:
		return fill(t.Times.OnUntil, "when", until.Format("15:04"))
	}
	return fill(t.Times.OnUntil, "when", t.date(until, now))
}

// EventList is a page of the events to come; offered are the letters of the
// filters that leave a choice. Times are shown in the time zone of now.
func (t *Texts) EventList(query EventQuery, names EventFilterNames, list Listing[EventLine], offered string, now time.Time) Screen {
	query.Page = list.Page
	none := t.Lists.NoEvents
	if query.Filtered() {
		none = t.Lists.NothingFiltered
	}
	head := orNone(lines(withCount(t.Lists.Events, list.Total, t.Lists.EventsCount), field(t.Fields.When, t.dayName(query.Day, now)),
		field(t.Fields.Category, names.Category), field(t.Fields.Source, names.Source)), list.Total, none)
	origin := listOrigin(query.String())
	below := append([][]Button{t.soon(query)},
		filterRow(Events, query.String(), "w"+offered, []namedFilter{{'w', t.Buttons.Date}, {'c', t.Buttons.Category}, {'s', t.Buttons.Source}})...)
	if query.Filtered() {
		below = append(below, []Button{press(t.Buttons.Reset, OpenMenu(Events))})
	}
	return listOf(t, head, list, func(event EventLine) line {
		return line{title: event.Title, note: notes(t.eventTime(event.Starts, event.Ends, now), tidy(event.Venue, 100)), opens: open(Event, event.ID, origin)}
	}, func(page int) Action {
		turned := query
		turned.Page = page
		return pageOf(Events, turned.String())
	}, append(below, t.back(Main))...)
}

// soon are the buttons of the days that are asked for most.
func (t *Texts) soon(query EventQuery) []Button {
	return []Button{onDay(t.Buttons.Today, query, Today), onDay(t.Buttons.Tomorrow, query, Tomorrow), onDay(t.Buttons.Weekend, query, Weekend)}
}

func onDay(label string, query EventQuery, day Day) Button {
	query.Page, query.Day = 1, day
	return press(label, pageOf(Events, query.String()))
}

func (t *Texts) dayName(day Day, now time.Time) string {
	switch day {
	case AnyDay:
		return ""
	case Today:
		return fill(t.Times.Today, "date", t.date(now, now))
	case Tomorrow:
		return fill(t.Times.Tomorrow, "date", t.date(now.AddDate(0, 0, 1), now))
	case Weekend:
		from, until := day.Window(now)
		days := t.date(from, now)
		if last := until.AddDate(0, 0, -1); dateOf(from) != dateOf(last) {
			days += " – " + t.date(last, now)
		}
		return fill(t.Times.Weekend, "date", days)
	}
	from, _ := day.Window(now)
	return t.weekday(from) + ", " + t.date(from, now)
}

// daysAhead is how far the choice of a day reaches.
const daysAhead = 30

// EventFilterScreen offers the values of one filter of the events. choices
// are the categories or sources; days need none.
func (t *Texts) EventFilterScreen(action Action, choices []Choice, now time.Time) Screen {
	choosing, query := action.Choosing(), ParseEventQuery(action.Extra)
	query.Page = 1
	if choosing.Filter == 'w' {
		return t.dayScreen(query, now)
	}
	title, any := t.Lists.ChooseCategory, t.Buttons.AnyCategory
	if choosing.Filter == 's' {
		title, any = t.Lists.ChooseSource, t.Buttons.AnySource
	}
	return t.chooser(title, any, choices, choosing, query.String(), Events, func(id int64) Action {
		picked := query
		if choosing.Filter == 'c' {
			picked.Category = id
		} else {
			picked.Source = id
		}
		return pageOf(Events, picked.String())
	})
}

func (t *Texts) dayScreen(query EventQuery, now time.Time) Screen {
	keyboard := Keyboard{
		{onDay(t.Buttons.AnyDay, query, AnyDay)},
		t.soon(query),
	}
	var row []Button
	for ahead := range daysAhead {
		day := now.AddDate(0, 0, ahead)
		row = append(row, onDay(t.weekday(day)+" "+t.shortDate(day), query, dateOf(day)))
		if len(row) == 3 {
			keyboard, row = append(keyboard, row), nil
		}
	}
	return Screen{Text: t.Lists.ChooseDay, Keyboard: append(keyboard, []Button{press(t.Buttons.Back, pageOf(Events, query.String()))})}
}

// EventCard shows an event as [PlaceCard] shows a place. A past event can
// still be opened, from the favourites or an old button, and says so.
func (t *Texts) EventCard(event EventView, extra CardExtra, links Links, now time.Time) Screen {
	zone := now.Location()
	starts, ends := event.Starts.In(zone), event.Starts.In(zone)
	if event.Ends != nil {
		ends = event.Ends.In(zone)
	}
	when := t.span(starts, ends, now)
	switch {
	case !event.OverAt.After(now):
		when += " (" + t.Lists.Past + ")"
	case !starts.After(now):
		when += " (" + t.Times.Now + ")"
	}
	var buttons []Button
	if event.PlaceID != 0 {
		origin := "e" + strconv.FormatInt(event.ID, 10)
		buttons = append(buttons, press(t.Buttons.AboutPlace, open(Place, event.PlaceID, origin)))
	}
	buttons = append(buttons, t.onMap(links, event.Address, event.Venue, event.Lat, event.Lon)...)
	if page := webURL(event.Link); page != "" {
		buttons = append(buttons, link(t.Buttons.EventPage, page))
	}
	card := card{
		texts:       t,
		title:       t.title(event.Title, 200),
		facts:       lines(field(t.Fields.When, when), field(t.Fields.Where, event.Venue), field(t.Fields.Address, event.Address), field(t.Fields.Price, event.Price)),
		more:        lines(field(t.Fields.Category, strings.Join(event.Categories, ", ")), field(t.Fields.Source, event.Source)),
		description: event.Description, photo: event.Photo,
		entity: Event, id: event.ID, section: Events, extra: extra, favourite: event.Favourite,
		links: append(buttons, t.share(links)...),
	}
	return card.screen()
}
