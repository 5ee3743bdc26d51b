package guidedb

import (
	"context"
	"fmt"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

func (c *chunk) applyEventCategories(ctx context.Context) error {
	objects, err := pendingOf[content.EventCategory](ctx, c)
	if err != nil {
		return err
	}
	params := make([]guidesql.UpsertEventCategoryParams, 0, len(objects))
	for _, o := range objects {
		params = append(params, guidesql.UpsertEventCategoryParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Digest: o.row.Digest,
		})
	}
	return identify(objects, c.queries.UpsertEventCategory(ctx, params).QueryRow)
}

func (c *chunk) applyEventSources(ctx context.Context) error {
	objects, err := pendingOf[content.EventSource](ctx, c)
	if err != nil {
		return err
	}
	params := make([]guidesql.UpsertEventSourceParams, 0, len(objects))
	for _, o := range objects {
		params = append(params, guidesql.UpsertEventSourceParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Url: o.object.URL, Digest: o.row.Digest,
		})
	}
	return identify(objects, c.queries.UpsertEventSource(ctx, params).QueryRow)
}

func (c *chunk) applyEvents(ctx context.Context) error {
	objects, err := pendingOf[content.Event](ctx, c)
	if err != nil {
		return err
	}
	refs := references{}
	for _, o := range objects {
		refs.want(content.Places, o.object.Place)
		refs.want(content.EventSources, o.object.Source)
		refs.want(content.EventCategories, o.object.Categories...)
	}
	if err := refs.load(ctx, c.queries); err != nil {
		return err
	}
	for _, o := range objects {
		_ = refuseUnknown(o, refs, content.Places, "place", o.object.Place) ||
			refuseUnknown(o, refs, content.EventSources, "source", o.object.Source) ||
			refuseUnknown(o, refs, content.EventCategories, "categories", o.object.Categories...)
	}
	objects = kept(objects)
	params := make([]guidesql.UpsertEventParams, 0, len(objects))
	for _, o := range objects {
		params = append(params, guidesql.UpsertEventParams{
			ExternalID: o.object.ID, Title: o.object.Title, SortKey: content.SortKey(o.object.Title), Description: o.object.Description,
			StartsAt: *o.object.StartsAt, EndsAt: o.object.EndsAt, PlaceID: refs.optional(content.Places, o.object.Place),
			Address: o.object.Address, SourceID: refs.optional(content.EventSources, o.object.Source),
			Url: o.object.URL, Price: o.object.Price, Digest: o.row.Digest,
		})
	}
	if err := identify(objects, c.queries.UpsertEvent(ctx, params).QueryRow); err != nil {
		return err
	}
	if err := c.linkEvents(ctx, objects, refs); err != nil {
		return err
	}
	if former := replaced(objects); len(former) > 0 {
		if err := c.queries.ClearEventListings(ctx, former); err != nil {
			return err
		}
	}
	return c.queries.FillEventListings(ctx, idsOf(objects))
}

func (c *chunk) linkEvents(ctx context.Context, objects []*pending[content.Event], refs references) error {
	var urls []string
	for _, o := range objects {
		urls = append(urls, o.object.Photos...)
	}
	photos, err := c.photoIDs(ctx, urls)
	if err != nil {
		return err
	}
	linked, err := c.queries.LinkedEvents(ctx, replaced(objects))
	if err != nil {
		return err
	}
	before := make(map[int64]guidesql.LinkedEventsRow, len(linked))
	for _, event := range linked {
		before[event.ID] = event
	}
	var categories, shown links
	for _, o := range objects {
		categories.replace(o.id, before[o.id].CategoryIds, idsIn(refs[content.EventCategories], o.object.Categories))
		shown.replace(o.id, before[o.id].PhotoIds, idsIn(photos, o.object.Photos))
	}
	if err := categories.write(ctx, c.queries.ClearEventCategories, func(ctx context.Context) error {
		return c.queries.LinkEventCategories(ctx, guidesql.LinkEventCategoriesParams{
			Owners: categories.owners, Targets: categories.targets, Positions: categories.positions,
		})
	}); err != nil {
		return err
	}
	return shown.write(ctx, c.queries.ClearEventPhotos, func(ctx context.Context) error {
		return c.queries.LinkEventPhotos(ctx, guidesql.LinkEventPhotosParams{
			Owners: shown.owners, Targets: shown.targets, Positions: shown.positions,
		})
	})
}

func (c *chunk) applyCollections(ctx context.Context) error {
	objects, err := pendingOf[content.Collection](ctx, c)
	if err != nil {
		return err
	}
	refs := references{}
	for _, o := range objects {
		for _, item := range o.object.Items {
			refs.want(content.Places, item.Place)
			refs.want(content.Events, item.Event)
		}
	}
	if err := refs.load(ctx, c.queries); err != nil {
		return err
	}
	for _, o := range objects {
		for n, item := range o.object.Items {
			if refuseUnknown(o, refs, content.Places, fmt.Sprintf("items[%d].place", n), item.Place) ||
				refuseUnknown(o, refs, content.Events, fmt.Sprintf("items[%d].event", n), item.Event) {
				break
			}
		}
	}
	objects = kept(objects)
	params := make([]guidesql.UpsertCollectionParams, 0, len(objects))
	for _, o := range objects {
		params = append(params, guidesql.UpsertCollectionParams{
			ExternalID: o.object.ID, Title: o.object.Title, SortKey: content.SortKey(o.object.Title),
			Description: o.object.Description, Digest: o.row.Digest,
		})
	}
	if err := identify(objects, c.queries.UpsertCollection(ctx, params).QueryRow); err != nil {
		return err
	}
	var items guidesql.LinkCollectionItemsParams
	for _, o := range objects {
		for n, item := range o.object.Items {
			items.Owners = append(items.Owners, o.id)
			items.Positions = append(items.Positions, int32(n))
			items.Places = append(items.Places, refs[content.Places][item.Place])
			items.Events = append(items.Events, refs[content.Events][item.Event])
		}
	}
	if err := c.queries.ClearCollectionItems(ctx, idsOf(objects)); err != nil {
		return err
	}
	return c.queries.LinkCollectionItems(ctx, items)
}

func (c *chunk) applyPromos(ctx context.Context) error {
	objects, err := pendingOf[content.Promo](ctx, c)
	if err != nil {
		return err
	}
	refs := references{}
	for _, o := range objects {
		refs.want(content.Places, o.object.Place)
	}
	if err := refs.load(ctx, c.queries); err != nil {
		return err
	}
	for _, o := range objects {
		refuseUnknown(o, refs, content.Places, "place", o.object.Place)
	}
	objects = kept(objects)
	params := make([]guidesql.UpsertPromoParams, 0, len(objects))
	for _, o := range objects {
		params = append(params, guidesql.UpsertPromoParams{
			ExternalID: o.object.ID, Title: o.object.Title, SortKey: content.SortKey(o.object.Title), Description: o.object.Description,
			Code: o.object.Code, PlaceID: refs.optional(content.Places, o.object.Place),
			StartsAt: o.object.StartsAt, EndsAt: o.object.EndsAt, Digest: o.row.Digest,
		})
	}
	return identify(objects, c.queries.UpsertPromo(ctx, params).QueryRow)
}
