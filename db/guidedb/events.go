package guidedb

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
)

// farFuture ends a range of dates that has no end. Within Postgres's range.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// EventFilter narrows a list of events. Events that are over at Now are never
// listed; an event that names no end is over a minute after its start.
type EventFilter struct {
	Category int64     // 0 is any
	Source   int64     // 0 is any
	Now      time.Time // required
	From     time.Time // events that are not over at From; zero is Now
	To       time.Time // events that start before To; zero is no end
}

// EventFilterNames names what an EventFilter chose; "" for what is not chosen
// or not published any more.
type EventFilterNames struct {
	Category, Source string
}

// EventLine is an event in a list.
type EventLine struct {
	ID       int64
	Title    string
	StartsAt time.Time
	EndsAt   *time.Time
	Price    string // as the CMS wrote it, "" if unknown
	Place    string // name of the venue, "" if the CMS named none
	Address  string // the event's own address, "" if none
}

// Event is the card of an event.
type Event struct {
	ID          int64
	ExternalID  string
	Title       string
	Description string
	StartsAt    time.Time
	EndsAt      *time.Time
	Price       string
	URL         string
	Categories  []string // in the CMS's order
	Source      string
	SourceURL   string
	PlaceID     int64  // the venue's card; 0 if there is none or it is not published
	Place       string // name of the venue, "" if the CMS named none
	Address     string // the event's own, or else the venue's
	PhotoURL    string // the first photo not known to be broken; "" if there is none
	Favourite   bool   // of the person who asked
	OverAt      time.Time
}

// Events lists published events that are not over, by start.
func (s *Store) Events(ctx context.Context, filter EventFilter, paging Paging) (Page[EventLine], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListEvents(ctx, guidesql.ListEventsParams{
		CategoryID: filter.Category, SourceID: filter.Source,
		NotOverAt: filter.notOverAt(), StartsBefore: filter.startsBefore(),
		CountLimit: MaxListed, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	if err != nil {
		return Page[EventLine]{}, wrap("events", err)
	}
	var total int64
	lines := make([]EventLine, 0, len(rows))
	for _, row := range rows {
		total = row.Total
		lines = append(lines, EventLine{
			ID: row.ID, Title: row.Title, StartsAt: row.StartsAt, EndsAt: row.EndsAt,
			Price: row.Price, Place: row.Place, Address: row.Address,
		})
	}
	return newPage(lines, total, paging), nil
}

// EventCategories lists the categories that have events under the filter's
// source and dates; the filter's own category is not looked at.
func (s *Store) EventCategories(ctx context.Context, filter EventFilter) ([]Choice, error) {
	rows, err := s.queries.ListEventCategories(ctx, guidesql.ListEventCategoriesParams{
		SourceID: filter.Source, NotOverAt: filter.notOverAt(), StartsBefore: filter.startsBefore(),
	})
	if err != nil {
		return nil, wrap("event categories", err)
	}
	choices := make([]Choice, 0, len(rows))
	for _, row := range rows {
		choices = append(choices, Choice(row))
	}
	return choices, nil
}

// EventSources lists the sources that have events under the filter's category
// and dates; the filter's own source is not looked at.
func (s *Store) EventSources(ctx context.Context, filter EventFilter) ([]Choice, error) {
	rows, err := s.queries.ListEventSources(ctx, guidesql.ListEventSourcesParams{
		CategoryID: filter.Category, NotOverAt: filter.notOverAt(), StartsBefore: filter.startsBefore(),
	})
	if err != nil {
		return nil, wrap("event sources", err)
	}
	choices := make([]Choice, 0, len(rows))
	for _, row := range rows {
		choices = append(choices, Choice(row))
	}
	return choices, nil
}

// EventDays lists those of the next days (counted from the filter's Now, in
// zone, at most 366) on which the filter's category and source have an event.
// Each is the first moment of that day; the filter's own dates are not looked
// at.
func (s *Store) EventDays(ctx context.Context, filter EventFilter, zone *time.Location, days int) ([]time.Time, error) {
	today := filter.Now.In(zone)
	bounds := make([]time.Time, 0, days+1)
	for day := range min(max(days, 1), 366) + 1 {
		bounds = append(bounds, time.Date(today.Year(), today.Month(), today.Day()+day, 0, 0, 0, 0, zone))
	}
	indexes, err := s.queries.ListEventDays(ctx, guidesql.ListEventDaysParams{
		Bounds: bounds, CategoryID: filter.Category, SourceID: filter.Source, NotOverAt: filter.Now,
	})
	if err != nil {
		return nil, wrap("event days", err)
	}
	withEvents := make([]time.Time, 0, len(indexes))
	for _, index := range indexes {
		withEvents = append(withEvents, bounds[index])
	}
	return withEvents, nil
}

// EventFilterNames names what filter chose, for the head of a list.
func (s *Store) EventFilterNames(ctx context.Context, filter EventFilter) (EventFilterNames, error) {
	row, err := s.queries.EventFilterNames(ctx, guidesql.EventFilterNamesParams{CategoryID: filter.Category, SourceID: filter.Source})
	if err != nil {
		return EventFilterNames{}, wrap("event filter names", err)
	}
	return EventFilterNames(row), nil
}

// Event gives the card of a published event, past ones too (OverAt tells),
// with the favourite mark of the person telegramID (0 for nobody); else
// ErrNotFound.
func (s *Store) Event(ctx context.Context, id, telegramID int64) (Event, error) {
	row, err := s.queries.GetEvent(ctx, guidesql.GetEventParams{ID: id, TelegramID: telegramID})
	if err == nil && !row.Published {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return Event{}, wrap("event", err)
	}
	event := Event{
		ID: row.ID, ExternalID: row.ExternalID, Title: row.Title, Description: row.Description,
		StartsAt: row.StartsAt, EndsAt: row.EndsAt, Price: row.Price, URL: row.Url, Categories: row.Categories,
		Source: row.Source, SourceURL: row.SourceUrl, Place: row.Place, Address: row.Address,
		PhotoURL: row.PhotoUrl, Favourite: row.Favourite, OverAt: row.OverAt,
	}
	if row.PlacePublished {
		event.PlaceID = row.PlaceID
	}
	if event.Address == "" {
		event.Address = row.PlaceAddress
	}
	return event, nil
}

func (f EventFilter) notOverAt() time.Time {
	if f.From.After(f.Now) {
		return f.From
	}
	return f.Now
}

func (f EventFilter) startsBefore() time.Time {
	if f.To.IsZero() {
		return farFuture
	}
	return f.To
}
