package guidedb

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vestnik/db/internal/guidesql"
)

// listPlaces lists places anew that are listed otherwise than before, or were
// not there before.
func (c *chunk) listPlaces(ctx context.Context, ids []int64, before map[int64]guidesql.LinkedPlacesRow) error {
	places, err := c.linkedPlaces(ctx, ids)
	if err != nil {
		return err
	}
	var former []int64
	var listings []listing
	for id, place := range places {
		was, there := before[id]
		if there && was.SortKey == place.SortKey && slices.Equal(filtersOf(was), filtersOf(place)) {
			continue
		}
		if there {
			former = append(former, id)
		}
		for _, filters := range filtersOf(place) {
			listings = append(listings, listing{filters: filters, sortKey: place.SortKey, place: id})
		}
	}
	if len(former) > 0 {
		if err := c.queries.ClearPlaceListings(ctx, former); err != nil {
			return err
		}
	}
	if len(listings) == 0 {
		return nil
	}
	return c.queries.AddPlaceListings(ctx, inOrder(listings))
}

// filters is a choice that shows a place, 0 standing for any.
type filters struct{ district, kind, subcategory int64 }

// filtersOf gives every choice that shows a place: its types, those of its
// subcategories and its subcategories, in its district and in the whole city;
// none if it is not published.
func filtersOf(place guidesql.LinkedPlacesRow) []filters {
	if !place.Published {
		return nil
	}
	all := []filters{{}}
	add := func(choice filters) {
		if !slices.Contains(all, choice) {
			all = append(all, choice)
		}
	}
	for _, kind := range slices.Concat(place.TypeIds, place.SubcategoryTypeIds) {
		add(filters{kind: kind})
	}
	for n, subcategory := range place.SubcategoryIds {
		add(filters{kind: place.SubcategoryTypeIds[n], subcategory: subcategory})
	}
	if place.DistrictID == 0 {
		return all
	}
	for _, choice := range all {
		choice.district = place.DistrictID
		all = append(all, choice)
	}
	return all
}

// listing is a row of place_listings.
type listing struct {
	filters
	sortKey string
	place   int64
}

// inOrder gives listings, column by column, in the order of the index that they
// go into: neighbours then come together, and Postgres walks each of its pages
// once.
func inOrder(listings []listing) guidesql.AddPlaceListingsParams {
	slices.SortFunc(listings, func(a, b listing) int {
		return cmp.Or(
			cmp.Compare(a.district, b.district), cmp.Compare(a.kind, b.kind), cmp.Compare(a.subcategory, b.subcategory),
			strings.Compare(a.sortKey, b.sortKey), cmp.Compare(a.place, b.place))
	})
	var columns guidesql.AddPlaceListingsParams
	for _, l := range listings {
		columns.DistrictIds = append(columns.DistrictIds, l.district)
		columns.TypeIds = append(columns.TypeIds, l.kind)
		columns.SubcategoryIds = append(columns.SubcategoryIds, l.subcategory)
		columns.SortKeys = append(columns.SortKeys, l.sortKey)
		columns.PlaceIds = append(columns.PlaceIds, l.place)
	}
	return columns
}
