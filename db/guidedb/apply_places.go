package guidedb

import (
	"context"
	"errors"
	"math"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

func (c *chunk) applyDistricts(ctx context.Context) error {
	_, err := write(ctx, c, c.queries.UpsertDistrict, func(o *pending[content.District]) guidesql.UpsertDistrictParams {
		return guidesql.UpsertDistrictParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		}
	})
	return err
}

func (c *chunk) applyTypes(ctx context.Context) error {
	_, err := write(ctx, c, c.queries.UpsertType, func(o *pending[content.Type]) guidesql.UpsertTypeParams {
		return guidesql.UpsertTypeParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		}
	})
	return err
}

func (c *chunk) applySubcategories(ctx context.Context) error {
	objects, err := pendingOf[content.Subcategory](ctx, c)
	if err != nil {
		return err
	}
	rows, err := c.queries.SubcategoryTypes(ctx, replaced(objects))
	before, err := keyed(rows, err, func(row guidesql.SubcategoryTypesRow) (int64, int64) { return row.ID, row.TypeID })
	if err != nil {
		return err
	}
	if err := writeRows(ctx, objects, c.queries.UpsertSubcategory, func(o *pending[content.Subcategory]) guidesql.UpsertSubcategoryParams {
		return guidesql.UpsertSubcategoryParams{
			ExternalID: o.object.ID, TypeID: o.refs[content.Types][o.object.Type],
			Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		}
	}); err != nil {
		return err
	}
	// Its places are listed under its type, which may be another one now.
	var moved []int64
	for _, o := range objects {
		if was, ok := before[o.id]; ok && was != o.refs[content.Types][o.object.Type] {
			moved = append(moved, o.id)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	places, err := c.queries.PlacesOfSubcategories(ctx, moved)
	if err != nil {
		return err
	}
	if err := c.queries.ClearPlaceListings(ctx, places); err != nil {
		return err
	}
	return c.listPlaces(ctx, places, nil)
}

func (c *chunk) applyPlaces(ctx context.Context) error {
	objects, err := pendingOf[content.Place](ctx, c)
	if err != nil {
		return err
	}
	before, err := c.linkedPlaces(ctx, replaced(objects))
	if err != nil {
		return err
	}
	if err := c.upsertPlaces(ctx, objects); err != nil {
		return err
	}
	if err := c.linkPlaces(ctx, objects, before); err != nil {
		return err
	}
	return c.listPlaces(ctx, idsOf(objects), before)
}

func (c *chunk) upsertPlaces(ctx context.Context, objects []*pending[content.Place]) error {
	var params guidesql.UpsertPlacesParams
	for _, o := range objects {
		place := o.object
		params.ExternalIds = append(params.ExternalIds, place.ID)
		params.Names = append(params.Names, place.Name)
		params.SortKeys = append(params.SortKeys, content.SortKey(place.Name))
		params.Addresses = append(params.Addresses, place.Address)
		params.Descriptions = append(params.Descriptions, place.Description)
		params.Ratings = append(params.Ratings, orNaN(place.Rating))
		params.DistrictIds = append(params.DistrictIds, o.refs[content.Districts][place.District])
		params.Lats = append(params.Lats, orNaN(place.Lat))
		params.Lons = append(params.Lons, orNaN(place.Lon))
		params.Phones = append(params.Phones, place.Phone)
		params.Sites = append(params.Sites, place.Site)
		params.Digests = append(params.Digests, o.row.Digest)
	}
	rows, err := c.queries.UpsertPlaces(ctx, params)
	ids, err := keyed(rows, err, func(row guidesql.UpsertPlacesRow) (string, int64) { return row.ExternalID, row.ID })
	for _, o := range objects {
		o.id = ids[o.object.ID]
	}
	return err
}

func orNaN(number *float64) float64 {
	if number == nil {
		return math.NaN()
	}
	return *number
}

// linkedPlaces are places with what they are linked to and listed by, by id.
func (c *chunk) linkedPlaces(ctx context.Context, ids []int64) (map[int64]guidesql.LinkedPlacesRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := c.queries.LinkedPlaces(ctx, ids)
	return keyed(rows, err, func(row guidesql.LinkedPlacesRow) (int64, guidesql.LinkedPlacesRow) { return row.ID, row })
}

func (c *chunk) linkPlaces(ctx context.Context, objects []*pending[content.Place], before map[int64]guidesql.LinkedPlacesRow) error {
	var urls []string
	for _, o := range objects {
		urls = append(urls, o.object.Photos...)
	}
	photos, err := c.photoIDs(ctx, urls)
	if err != nil {
		return err
	}
	var types, subcategories, shown links
	for _, o := range objects {
		was := before[o.id]
		types.replace(o.id, was.TypeIds, idsIn(o.refs[content.Types], o.object.Types))
		subcategories.replace(o.id, was.SubcategoryIds, idsIn(o.refs[content.Subcategories], o.object.Subcategories))
		shown.replace(o.id, was.PhotoIds, idsIn(photos, o.object.Photos))
	}
	return errors.Join(
		replaceLinks(ctx, types, c.queries.ClearPlaceTypes, c.queries.LinkPlaceTypes),
		replaceLinks(ctx, subcategories, c.queries.ClearPlaceSubcategories, c.queries.LinkPlaceSubcategories),
		replaceLinks(ctx, shown, c.queries.ClearPlacePhotos, c.queries.LinkPlacePhotos))
}

// photoIDs records addresses of photos, to be looked at soon.
func (c *chunk) photoIDs(ctx context.Context, urls []string) (map[string]int64, error) {
	if len(urls) == 0 {
		return nil, nil
	}
	if err := c.queries.EnsurePhotos(ctx, urls); err != nil {
		return nil, err
	}
	rows, err := c.queries.PhotosOf(ctx, urls)
	return keyed(rows, err, func(row guidesql.PhotosOfRow) (string, int64) { return row.Url, row.ID })
}
