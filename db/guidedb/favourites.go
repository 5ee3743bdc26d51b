package guidedb

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/guide"
)

// AddFavourite marks a published place or event. added is false if it was
// marked before. A person not seen yet is recorded. ErrNotFound if there is
// no such object.
func (s *Store) AddFavourite(ctx context.Context, telegramID int64, entity string, id int64) (added bool, err error) {
	var found bool
	switch entity {
	case guide.Place:
		row, queryErr := s.queries.AddFavouritePlace(ctx, guidesql.AddFavouritePlaceParams{TelegramID: telegramID, PlaceID: id})
		found, added, err = row.Found, row.Added, queryErr
	case guide.Event:
		row, queryErr := s.queries.AddFavouriteEvent(ctx, guidesql.AddFavouriteEventParams{TelegramID: telegramID, EventID: id})
		found, added, err = row.Found, row.Added, queryErr
	default:
		return false, fmt.Errorf("guidedb: add favourite: no favourites of kind %q", entity)
	}
	if err == nil && !found {
		err = pgx.ErrNoRows
	}
	return added, wrap("add favourite", err)
}

// RemoveFavourite takes the mark away. removed is false if there was none,
// which is not an error.
func (s *Store) RemoveFavourite(ctx context.Context, telegramID int64, entity string, id int64) (removed bool, err error) {
	var rows int64
	switch entity {
	case guide.Place:
		rows, err = s.queries.RemoveFavouritePlace(ctx, guidesql.RemoveFavouritePlaceParams{TelegramID: telegramID, PlaceID: id})
	case guide.Event:
		rows, err = s.queries.RemoveFavouriteEvent(ctx, guidesql.RemoveFavouriteEventParams{TelegramID: telegramID, EventID: id})
	default:
		return false, fmt.Errorf("guidedb: remove favourite: no favourites of kind %q", entity)
	}
	return rows > 0, wrap("remove favourite", err)
}

// Favourites lists a person's places and events together, newest first, those
// not available any more included, and events past at now.
func (s *Store) Favourites(ctx context.Context, telegramID int64, now time.Time, paging Paging) (guide.Listing[guide.Entry], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListFavourites(ctx, guidesql.ListFavouritesParams{
		TelegramID: telegramID, Now: now, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	return page("favourites", paging, rows, err, func(row guidesql.ListFavouritesRow) (guide.Entry, int64) {
		return guide.Entry{
			Entity: row.Entity, ID: row.ID, Name: row.Name, Kind: row.Kind, Address: row.Address,
			Starts: row.StartsAt, Ends: row.EndsAt, Over: row.Over, Gone: row.Gone,
		}, row.Total
	})
}
