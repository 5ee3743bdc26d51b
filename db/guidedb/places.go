package guidedb

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
)

// PlaceFilter narrows a list of places; 0 means any. The three combine.
type PlaceFilter struct {
	District    int64
	Type        int64
	Subcategory int64
}

// PlaceFilterNames names what a PlaceFilter chose; "" for what is not chosen
// or not published any more.
type PlaceFilterNames struct {
	District, Type, Subcategory string
}

// PlaceLine is a place in a list.
type PlaceLine struct {
	ID       int64
	Name     string
	Address  string
	Rating   *float64 // 0…5, nil if unknown
	District string   // "" if unknown
}

// Subcategory is a choice within one type of places.
type Subcategory struct {
	ID   int64
	Type int64
	Name string
}

// Place is the card of a place.
type Place struct {
	ID            int64
	ExternalID    string
	Name          string
	Address       string // "" if unknown
	Description   string
	Rating        *float64 // 0…5, nil if unknown
	District      string
	Types         []string // in the CMS's order
	Subcategories []string
	Latitude      *float64 // both or neither
	Longitude     *float64
	Phone         string
	Site          string
	PhotoURL      string // the cover: the first photo not known to be broken; "" if there is none
	Favourite     bool   // of the person who asked
}

// Places lists published places by name.
func (s *Store) Places(ctx context.Context, filter PlaceFilter, paging Paging) (Page[PlaceLine], error) {
	paging = paging.clamp()
	filter, ok, err := s.resolvePlaceFilter(ctx, filter)
	if err != nil || !ok {
		return newPage[PlaceLine](nil, 0, paging), wrap("places", err)
	}
	rows, err := s.queries.ListPlaces(ctx, guidesql.ListPlacesParams{
		DistrictID: filter.District, TypeID: filter.Type, SubcategoryID: filter.Subcategory,
		CountLimit: MaxListed, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	if err != nil {
		return Page[PlaceLine]{}, wrap("places", err)
	}
	var total int64
	lines := make([]PlaceLine, 0, len(rows))
	for _, row := range rows {
		total = row.Total
		lines = append(lines, PlaceLine{ID: row.ID, Name: row.Name, Address: row.Address, Rating: row.Rating, District: row.District})
	}
	return newPage(lines, total, paging), nil
}

// PlaceDistricts lists the districts in which the filter's type and
// subcategory have places; the filter's own district is not looked at.
func (s *Store) PlaceDistricts(ctx context.Context, filter PlaceFilter) ([]Choice, error) {
	filter.District = 0
	filter, ok, err := s.resolvePlaceFilter(ctx, filter)
	if err != nil || !ok {
		return nil, wrap("place districts", err)
	}
	rows, err := s.queries.ListPlaceDistricts(ctx, guidesql.ListPlaceDistrictsParams{TypeID: filter.Type, SubcategoryID: filter.Subcategory})
	if err != nil {
		return nil, wrap("place districts", err)
	}
	choices := make([]Choice, 0, len(rows))
	for _, row := range rows {
		choices = append(choices, Choice(row))
	}
	return choices, nil
}

// PlaceTypes lists the types that have places in the filter's district; type
// and subcategory of the filter are not looked at.
func (s *Store) PlaceTypes(ctx context.Context, filter PlaceFilter) ([]Choice, error) {
	rows, err := s.queries.ListPlaceTypes(ctx, filter.District)
	if err != nil {
		return nil, wrap("place types", err)
	}
	choices := make([]Choice, 0, len(rows))
	for _, row := range rows {
		choices = append(choices, Choice(row))
	}
	return choices, nil
}

// PlaceSubcategories lists the subcategories of the filter's type, or of every
// type if none is chosen, that have places in its district; the filter's own
// subcategory is not looked at.
func (s *Store) PlaceSubcategories(ctx context.Context, filter PlaceFilter) ([]Subcategory, error) {
	rows, err := s.queries.ListPlaceSubcategories(ctx, guidesql.ListPlaceSubcategoriesParams{
		TypeID: filter.Type, DistrictID: filter.District,
	})
	if err != nil {
		return nil, wrap("place subcategories", err)
	}
	choices := make([]Subcategory, 0, len(rows))
	for _, row := range rows {
		choices = append(choices, Subcategory{ID: row.ID, Type: row.TypeID, Name: row.Name})
	}
	return choices, nil
}

// PlaceFilterNames names what filter chose, for the head of a list.
func (s *Store) PlaceFilterNames(ctx context.Context, filter PlaceFilter) (PlaceFilterNames, error) {
	row, err := s.queries.FilterNames(ctx, guidesql.FilterNamesParams{
		DistrictID: filter.District, TypeID: filter.Type, SubcategoryID: filter.Subcategory,
	})
	if err != nil {
		return PlaceFilterNames{}, wrap("place filter names", err)
	}
	return PlaceFilterNames(row), nil
}

// Place gives the card of a published place, with the favourite mark of the
// person telegramID (0 for nobody); else ErrNotFound.
func (s *Store) Place(ctx context.Context, id, telegramID int64) (Place, error) {
	row, err := s.queries.GetPlace(ctx, guidesql.GetPlaceParams{ID: id, TelegramID: telegramID})
	if err == nil && !row.Published {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return Place{}, wrap("place", err)
	}
	return Place{
		ID: row.ID, ExternalID: row.ExternalID, Name: row.Name, Address: row.Address, Description: row.Description,
		Rating: row.Rating, District: row.District, Types: row.Types, Subcategories: row.Subcategories,
		Latitude: row.Lat, Longitude: row.Lon, Phone: row.Phone, Site: row.Site,
		PhotoURL: row.PhotoUrl, Favourite: row.Favourite,
	}, nil
}

// resolvePlaceFilter adds the type that a subcategory belongs to, as listings
// are kept by both. ok is false when nothing can match: an unknown
// subcategory, or one of another type.
func (s *Store) resolvePlaceFilter(ctx context.Context, filter PlaceFilter) (resolved PlaceFilter, ok bool, err error) {
	if filter.Subcategory == 0 {
		return filter, true, nil
	}
	typeID, err := s.queries.SubcategoryType(ctx, filter.Subcategory)
	if errors.Is(err, pgx.ErrNoRows) {
		return filter, false, nil
	}
	if err != nil {
		return filter, false, err
	}
	if filter.Type != 0 && filter.Type != typeID {
		return filter, false, nil
	}
	filter.Type = typeID
	return filter, true, nil
}
