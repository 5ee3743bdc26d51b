package guidedb

import (
	"context"
	"errors"
	"math"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

func (c *chunk) applyDistricts(ctx context.Context) error {
	objects, err := pendingOf[content.District](ctx, c)
	if err != nil {
		return err
	}
	return upsert(ctx, objects, c.queries.UpsertDistrict, func(o *pending[content.District]) guidesql.UpsertDistrictParams {
		return guidesql.UpsertDistrictParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		}
	})
}

func (c *chunk) applyTypes(ctx context.Context) error {
	objects, err := pendingOf[content.Type](ctx, c)
	if err != nil {
		return err
	}
	return upsert(ctx, objects, c.queries.UpsertType, func(o *pending[content.Type]) guidesql.UpsertTypeParams {
		return guidesql.UpsertTypeParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		}
	})
}

func (c *chunk) applySubcategories(ctx context.Context) error {
	objects, err := pendingOf[content.Subcategory](ctx, c)
	if err != nil {
		return err
	}
	objects, refs, err := resolve(ctx, c, objects, func(subcategory content.Subcategory) []reference {
		return []reference{{list: content.Types, field: "type", ids: []string{subcategory.Type}}}
	})
	if err != nil {
		return err
	}
	types, err := c.subcategoryTypes(ctx, replaced(objects))
	if err != nil {
		return err
	}
	if err := upsert(ctx, objects, c.queries.UpsertSubcategory, func(o *pending[content.Subcategory]) guidesql.UpsertSubcategoryParams {
		return guidesql.UpsertSubcategoryParams{
			ExternalID: o.object.ID, TypeID: refs[content.Types][o.object.Type],
			Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		}
	}); err != nil {
		return err
	}
	// Its places are listed under its type, which may be another one now.
	var moved []int64
	for _, o := range objects {
		if before, ok := types[o.id]; ok && before != refs[content.Types][o.object.Type] {
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

func (c *chunk) subcategoryTypes(ctx context.Context, ids []int64) (map[int64]int64, error) {
	rows, err := c.queries.SubcategoryTypes(ctx, ids)
	if err != nil {
		return nil, err
	}
	types := make(map[int64]int64, len(rows))
	for _, row := range rows {
		types[row.ID] = row.TypeID
	}
	return types, nil
}

func (c *chunk) applyPlaces(ctx context.Context) error {
	objects, err := pendingOf[content.Place](ctx, c)
	if err != nil {
		return err
	}
	objects, refs, err := resolve(ctx, c, objects, func(place content.Place) []reference {
		return []reference{
			{list: content.Districts, field: "district", ids: []string{place.District}},
			{list: content.Types, field: "types", many: true, ids: place.Types},
			{list: content.Subcategories, field: "subcategories", many: true, ids: place.Subcategories},
		}
	})
	if err != nil {
		return err
	}
	before, err := c.linkedPlaces(ctx, replaced(objects))
	if err != nil {
		return err
	}
	if err := c.upsertPlaces(ctx, objects, refs); err != nil {
		return err
	}
	if err := c.linkPlaces(ctx, objects, refs, before); err != nil {
		return err
	}
	return c.listPlaces(ctx, idsOf(objects), before)
}

func (c *chunk) upsertPlaces(ctx context.Context, objects []*pending[content.Place], refs references) error {
	var params guidesql.UpsertPlacesParams
	for _, o := range objects {
		place := o.object
		params.ExternalIds = append(params.ExternalIds, place.ID)
		params.Names = append(params.Names, place.Name)
		params.SortKeys = append(params.SortKeys, content.SortKey(place.Name))
		params.Addresses = append(params.Addresses, place.Address)
		params.Descriptions = append(params.Descriptions, place.Description)
		params.Ratings = append(params.Ratings, orNaN(place.Rating))
		params.DistrictIds = append(params.DistrictIds, refs[content.Districts][place.District])
		params.Lats = append(params.Lats, orNaN(place.Lat))
		params.Lons = append(params.Lons, orNaN(place.Lon))
		params.Phones = append(params.Phones, place.Phone)
		params.Sites = append(params.Sites, place.Site)
		params.Digests = append(params.Digests, o.row.Digest)
	}
	rows, err := c.queries.UpsertPlaces(ctx, params)
	if err != nil {
		return err
	}
	ids := make(map[string]int64, len(rows))
	for _, row := range rows {
		ids[row.ExternalID] = row.ID
	}
	for _, o := range objects {
		o.id = ids[o.object.ID]
	}
	return nil
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
	if err != nil {
		return nil, err
	}
	places := make(map[int64]guidesql.LinkedPlacesRow, len(rows))
	for _, row := range rows {
		places[row.ID] = row
	}
	return places, nil
}

func (c *chunk) linkPlaces(ctx context.Context, objects []*pending[content.Place], refs references, before map[int64]guidesql.LinkedPlacesRow) error {
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
		types.replace(o.id, was.TypeIds, idsIn(refs[content.Types], o.object.Types))
		subcategories.replace(o.id, was.SubcategoryIds, idsIn(refs[content.Subcategories], o.object.Subcategories))
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
	if err != nil {
		return nil, err
	}
	ids := make(map[string]int64, len(rows))
	for _, row := range rows {
		ids[row.Url] = row.ID
	}
	return ids, nil
}
