package guidedb

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/guide"
)

// Places lists published places by name, or by rating.
func (s *Store) Places(ctx context.Context, filter guide.PlaceFilter, paging Paging) (guide.Listing[guide.PlaceLine], error) {
	paging = paging.clamp()
	filter, ok, err := s.resolvePlaceFilter(ctx, filter)
	var rows []guidesql.ListPlacesRow
	asked := guidesql.ListPlacesParams{
		DistrictID: filter.District, TypeID: filter.Type, SubcategoryID: filter.Subcategory,
		CountLimit: maxListed, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	}
	switch {
	case !ok:
	case filter.ByRating:
		err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			queries := s.queries.WithTx(tx)
			if err := queries.SearchByIndexes(ctx, guidesql.SearchByIndexesParams{Ordered: "on", WordSimilarity: wordSimilarity}); err != nil {
				return err
			}
			rated, err := queries.ListPlacesByRating(ctx, guidesql.ListPlacesByRatingParams(asked))
			for _, row := range rated {
				rows = append(rows, guidesql.ListPlacesRow(row))
			}
			return err
		})
	default:
		rows, err = s.queries.ListPlaces(ctx, asked)
	}
	return page("places", paging, rows, err, func(row guidesql.ListPlacesRow) (guide.PlaceLine, int64) {
		return guide.PlaceLine{ID: row.ID, Name: row.Name, Address: row.Address, Kind: row.Kind, Rating: row.Rating}, row.Total
	})
}

// PlaceDistricts lists the districts in which the filter's type and
// subcategory have places; the filter's own district is not looked at.
func (s *Store) PlaceDistricts(ctx context.Context, filter guide.PlaceFilter) ([]guide.Choice, error) {
	filter, ok, err := s.resolvePlaceFilter(ctx, filter)
	var rows []guidesql.ListPlaceDistrictsRow
	if ok {
		rows, err = s.queries.ListPlaceDistricts(ctx, guidesql.ListPlaceDistrictsParams{TypeID: filter.Type, SubcategoryID: filter.Subcategory})
	}
	return all("place districts", rows, err, func(row guidesql.ListPlaceDistrictsRow) guide.Choice { return guide.Choice(row) })
}

// PlaceTypes lists the types that have places in the filter's district; type
// and subcategory of the filter are not looked at.
func (s *Store) PlaceTypes(ctx context.Context, filter guide.PlaceFilter) ([]guide.Choice, error) {
	rows, err := s.queries.ListPlaceTypes(ctx, filter.District)
	return all("place types", rows, err, func(row guidesql.ListPlaceTypesRow) guide.Choice { return guide.Choice(row) })
}

// PlaceSubcategories lists the subcategories of the filter's type, or of every
// type if none is chosen, that have places in its district; the filter's own
// subcategory is not looked at.
func (s *Store) PlaceSubcategories(ctx context.Context, filter guide.PlaceFilter) ([]guide.Choice, error) {
	rows, err := s.queries.ListPlaceSubcategories(ctx, guidesql.ListPlaceSubcategoriesParams{TypeID: filter.Type, DistrictID: filter.District})
	return all("place subcategories", rows, err, func(row guidesql.ListPlaceSubcategoriesRow) guide.Choice { return guide.Choice(row) })
}

// PlaceFilterNames names what filter chose, for the head of a list.
func (s *Store) PlaceFilterNames(ctx context.Context, filter guide.PlaceFilter) (guide.PlaceFilterNames, error) {
	row, err := s.queries.FilterNames(ctx, guidesql.FilterNamesParams{
		DistrictID: filter.District, TypeID: filter.Type, SubcategoryID: filter.Subcategory,
	})
	return guide.PlaceFilterNames(row), wrap("place filter names", err)
}

// Place gives the card of a published place, with the favourite mark of the
// person telegramID (0 for nobody); else ErrNotFound.
func (s *Store) Place(ctx context.Context, id, telegramID int64) (guide.PlaceView, error) {
	row, err := s.queries.GetPlace(ctx, guidesql.GetPlaceParams{ID: id, TelegramID: telegramID})
	return guide.PlaceView(row), wrap("place", err)
}

// resolvePlaceFilter adds the type that a subcategory belongs to, as listings
// are kept by both. ok is false when nothing can match: an unknown
// subcategory, or one of another type.
func (s *Store) resolvePlaceFilter(ctx context.Context, filter guide.PlaceFilter) (resolved guide.PlaceFilter, ok bool, err error) {
	if filter.Subcategory == 0 {
		return filter, true, nil
	}
	typeID, err := s.queries.SubcategoryType(ctx, filter.Subcategory)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && filter.Type != 0 && filter.Type != typeID {
		return filter, false, nil
	}
	filter.Type = typeID
	return filter, err == nil, err
}

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

// Collections lists published collections by title, without those that have
// nothing to show at now.
func (s *Store) Collections(ctx context.Context, now time.Time, paging Paging) (guide.Listing[guide.Choice], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListCollections(ctx, guidesql.ListCollectionsParams{
		Now: now, CountLimit: maxListed, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	return page("collections", paging, rows, err, func(row guidesql.ListCollectionsRow) (guide.Choice, int64) {
		return guide.Choice{ID: row.ID, Name: row.Name}, row.Total
	})
}

// Collection opens a published collection: its items in the editors' order,
// without those that are not published and events over at now. Else
// ErrNotFound.
func (s *Store) Collection(ctx context.Context, id int64, now time.Time, paging Paging) (guide.CollectionView, guide.Listing[guide.Entry], error) {
	paging = paging.clamp()
	var rows []guidesql.ListCollectionItemsRow
	collection, err := s.queries.GetCollection(ctx, id)
	if err == nil {
		rows, err = s.queries.ListCollectionItems(ctx, guidesql.ListCollectionItemsParams{
			CollectionID: id, Now: now, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
		})
	}
	items, err := page("collection", paging, rows, err, func(row guidesql.ListCollectionItemsRow) (guide.Entry, int64) {
		return guide.Entry{Entity: row.Entity, ID: row.ID, Name: row.Name, Kind: row.Kind, Address: row.Address, Starts: row.StartsAt, Ends: row.EndsAt}, row.Total
	})
	return guide.CollectionView(collection), items, err
}

// Promos lists published promos active at now, those that end soonest first.
func (s *Store) Promos(ctx context.Context, now time.Time, paging Paging) (guide.Listing[guide.PromoLine], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListPromos(ctx, guidesql.ListPromosParams{
		Now: now, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	return page("promos", paging, rows, err, func(row guidesql.ListPromosRow) (guide.PromoLine, int64) {
		return guide.PromoLine{ID: row.ID, Title: row.Title, Venue: row.Venue, Until: row.Until}, row.Total
	})
}

// Promo gives the card of a published promo, finished ones too; else
// ErrNotFound.
func (s *Store) Promo(ctx context.Context, id int64) (guide.PromoView, error) {
	row, err := s.queries.GetPromo(ctx, id)
	return guide.PromoView(row), wrap("promo", err)
}
