package guidedb

import (
	"context"
	"math"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

func (c *chunk) applyDistricts(ctx context.Context) error {
	objects, err := pendingOf[content.District](ctx, c)
	if err != nil {
		return err
	}
	params := make([]guidesql.UpsertDistrictParams, 0, len(objects))
	for _, o := range objects {
		params = append(params, guidesql.UpsertDistrictParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		})
	}
	return identify(objects, c.queries.UpsertDistrict(ctx, params).QueryRow)
}

func (c *chunk) applyTypes(ctx context.Context) error {
	objects, err := pendingOf[content.Type](ctx, c)
	if err != nil {
		return err
	}
	params := make([]guidesql.UpsertTypeParams, 0, len(objects))
	for _, o := range objects {
		params = append(params, guidesql.UpsertTypeParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		})
	}
	return identify(objects, c.queries.UpsertType(ctx, params).QueryRow)
}

func (c *chunk) applySubcategories(ctx context.Context) error {
	objects, err := pendingOf[content.Subcategory](ctx, c)
	if err != nil {
		return err
	}
	refs := references{}
	for _, o := range objects {
		refs.want(content.Types, o.object.Type)
	}
	if err := refs.load(ctx, c.queries); err != nil {
		return err
	}
	for _, o := range objects {
		refuseUnknown(o, refs, content.Types, "type", o.object.Type)
	}
	objects = kept(objects)
	params := make([]guidesql.UpsertSubcategoryParams, 0, len(objects))
	for _, o := range objects {
		params = append(params, guidesql.UpsertSubcategoryParams{
			ExternalID: o.object.ID, TypeID: refs[content.Types][o.object.Type],
			Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		})
	}
	types, err := c.subcategoryTypes(ctx, replaced(objects))
	if err != nil {
		return err
	}
	if err := identify(objects, c.queries.UpsertSubcategory(ctx, params).QueryRow); err != nil {
		return err
	}
	// Its places are listed under its type, which may be another one now.
	var moved []int64
	for n, o := range objects {
		if before, ok := types[o.id]; ok && before != params[n].TypeID {
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
	refs := references{}
	for _, o := range objects {
		refs.want(content.Districts, o.object.District)
		refs.want(content.Types, o.object.Types...)
		refs.want(content.Subcategories, o.object.Subcategories...)
	}
	if err := refs.load(ctx, c.queries); err != nil {
		return err
	}
	for _, o := range objects {
		_ = refuseUnknown(o, refs, content.Districts, "district", o.object.District) ||
			refuseUnknown(o, refs, content.Types, "types", o.object.Types...) ||
			refuseUnknown(o, refs, content.Subcategories, "subcategories", o.object.Subcategories...)
	}
	objects = kept(objects)
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
	if err := types.write(ctx, c.queries.ClearPlaceTypes, func(ctx context.Context) error {
		return c.queries.LinkPlaceTypes(ctx, guidesql.LinkPlaceTypesParams{
			Owners: types.owners, Targets: types.targets, Positions: types.positions,
		})
	}); err != nil {
		return err
	}
	if err := subcategories.write(ctx, c.queries.ClearPlaceSubcategories, func(ctx context.Context) error {
		return c.queries.LinkPlaceSubcategories(ctx, guidesql.LinkPlaceSubcategoriesParams{
			Owners: subcategories.owners, Targets: subcategories.targets, Positions: subcategories.positions,
		})
	}); err != nil {
		return err
	}
	return shown.write(ctx, c.queries.ClearPlacePhotos, func(ctx context.Context) error {
		return c.queries.LinkPlacePhotos(ctx, guidesql.LinkPlacePhotosParams{
			Owners: shown.owners, Targets: shown.targets, Positions: shown.positions,
		})
	})
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
