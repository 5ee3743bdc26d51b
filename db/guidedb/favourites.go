package guidedb

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
)

// Favourite is one of a person's favourites.
type Favourite struct {
	Kind     Kind
	ID       int64
	Name     string // the last known, also when it is not available
	Address  string
	StartsAt *time.Time // events only
	EndsAt   *time.Time // events only
	AddedAt  time.Time
	// Available is false once the object is not published any more: больше
	// недоступно. The row stays, and comes back to life with the object.
	Available bool
}

// AddFavourite marks a published place or event. added is false if it was
// marked before. A person not seen yet is recorded. ErrNotFound if there is
// no such object.
func (s *Store) AddFavourite(ctx context.Context, telegramID int64, kind Kind, id int64) (added bool, err error) {
	var found bool
	switch kind {
	case KindPlace:
		row, queryErr := s.queries.AddFavouritePlace(ctx, guidesql.AddFavouritePlaceParams{TelegramID: telegramID, PlaceID: id})
		found, added, err = row.Found, row.Added, queryErr
	case KindEvent:
		row, queryErr := s.queries.AddFavouriteEvent(ctx, guidesql.AddFavouriteEventParams{TelegramID: telegramID, EventID: id})
		found, added, err = row.Found, row.Added, queryErr
	default:
		return false, fmt.Errorf("guidedb: add favourite: no favourites of kind %q", kind)
	}
	if err == nil && !found {
		err = pgx.ErrNoRows
	}
	return added, wrap("add favourite", err)
}

// RemoveFavourite takes the mark away. removed is false if there was none,
// which is not an error.
func (s *Store) RemoveFavourite(ctx context.Context, telegramID int64, kind Kind, id int64) (removed bool, err error) {
	var rows int64
	switch kind {
	case KindPlace:
		rows, err = s.queries.RemoveFavouritePlace(ctx, guidesql.RemoveFavouritePlaceParams{TelegramID: telegramID, PlaceID: id})
	case KindEvent:
		rows, err = s.queries.RemoveFavouriteEvent(ctx, guidesql.RemoveFavouriteEventParams{TelegramID: telegramID, EventID: id})
	default:
		return false, fmt.Errorf("guidedb: remove favourite: no favourites of kind %q", kind)
	}
	return rows > 0, wrap("remove favourite", err)
}

// Favourites lists a person's places and events together, newest first, those
// not available any more included.
func (s *Store) Favourites(ctx context.Context, telegramID int64, paging Paging) (Page[Favourite], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListFavourites(ctx, guidesql.ListFavouritesParams{
		TelegramID: telegramID, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	if err != nil {
		return Page[Favourite]{}, wrap("favourites", err)
	}
	var total int64
	favourites := make([]Favourite, 0, len(rows))
	for _, row := range rows {
		total = row.Total
		favourites = append(favourites, Favourite{
			Kind: Kind(row.Kind), ID: row.ID, Name: row.Name, Address: row.Address,
			StartsAt: row.StartsAt, EndsAt: row.EndsAt, AddedAt: row.AddedAt, Available: row.Published,
		})
	}
	return newPage(favourites, total, paging), nil
}
