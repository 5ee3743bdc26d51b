package guidedb

import (
	"context"
	"time"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/guide"
)

// farFuture ends a range of dates that has no end. Within Postgres's range.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Events lists published events that are not over, by start.
func (s *Store) Events(ctx context.Context, filter guide.EventFilter, paging Paging) (guide.Listing[guide.EventLine], error) {
	paging = paging.clamp()
	notOverAt, startsBefore, dayStarts := window(filter)
	rows, err := s.queries.ListEvents(ctx, guidesql.ListEventsParams{
		CategoryID: filter.Category, SourceID: filter.Source, NotOverAt: notOverAt, StartsBefore: startsBefore, DayStarts: dayStarts,
		CountLimit: maxListed, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	return page("events", paging, rows, err, func(row guidesql.ListEventsRow) (guide.EventLine, int64) {
		return guide.EventLine{ID: row.ID, Title: row.Title, Starts: row.Starts, Ends: row.Ends, Venue: row.Venue}, row.Total
	})
}

// EventCategories lists the categories that have events under the filter's
// source and dates; the filter's own category is not looked at.
func (s *Store) EventCategories(ctx context.Context, filter guide.EventFilter) ([]guide.Choice, error) {
	notOverAt, startsBefore, dayStarts := window(filter)
	rows, err := s.queries.ListEventCategories(ctx, guidesql.ListEventCategoriesParams{
		SourceID: filter.Source, NotOverAt: notOverAt, StartsBefore: startsBefore, DayStarts: dayStarts,
	})
	return all("event categories", rows, err, func(row guidesql.ListEventCategoriesRow) guide.Choice { return guide.Choice(row) })
}

// EventSources lists the sources that have events under the filter's category
// and dates; the filter's own source is not looked at.
func (s *Store) EventSources(ctx context.Context, filter guide.EventFilter) ([]guide.Choice, error) {
	notOverAt, startsBefore, dayStarts := window(filter)
	rows, err := s.queries.ListEventSources(ctx, guidesql.ListEventSourcesParams{
		CategoryID: filter.Category, NotOverAt: notOverAt, StartsBefore: startsBefore, DayStarts: dayStarts,
	})
	return all("event sources", rows, err, func(row guidesql.ListEventSourcesRow) guide.Choice { return guide.Choice(row) })
}

// EventFilterNames names what filter chose, for the head of a list.
func (s *Store) EventFilterNames(ctx context.Context, filter guide.EventFilter) (guide.EventFilterNames, error) {
	row, err := s.queries.EventFilterNames(ctx, guidesql.EventFilterNamesParams{CategoryID: filter.Category, SourceID: filter.Source})
	return guide.EventFilterNames(row), wrap("event filter names", err)
}

// Event gives the card of a published event, past ones too, with the favourite
// mark of the person telegramID (0 for nobody); else ErrNotFound.
func (s *Store) Event(ctx context.Context, id, telegramID int64) (guide.EventView, error) {
	row, err := s.queries.GetEvent(ctx, guidesql.GetEventParams{ID: id, TelegramID: telegramID})
	return guide.EventView(row), wrap("event", err)
}

// window is the time at which listed events must not be over, the one before
// which they must start, and when a day to come begins: zero for today and for all
// days, on which everything stands that is not over.
func window(filter guide.EventFilter) (notOverAt, startsBefore, dayStarts time.Time) {
	notOverAt, startsBefore = filter.Now, farFuture
	if filter.From.After(filter.Now) {
		notOverAt, dayStarts = filter.From, filter.From
	}
	if !filter.To.IsZero() {
		startsBefore = filter.To
	}
	return notOverAt, startsBefore, dayStarts
}
