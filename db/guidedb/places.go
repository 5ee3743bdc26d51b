package guidedb

import (
	"context"
	"errors"

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
