package guidedb

import (
	"context"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

func (c *chunk) applyEventCategories(ctx context.Context) error {
	objects, err := write(ctx, c, c.queries.UpsertEventCategory, func(o *pending[content.EventCategory]) guidesql.UpsertEventCategoryParams {
		return guidesql.UpsertEventCategoryParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), UsualHours: o.object.Hours, Digest: o.row.Digest,
		}
	})
	if err != nil {
		return err
	}
	former := replaced(objects)
	if len(former) == 0 {
		return nil
	}
	events, err := c.queries.EventsOfCategories(ctx, former)
	if err != nil {
		return err
	}
	return c.queries.TimeEvents(ctx, events)
}

func (c *chunk) applyEventSources(ctx context.Context) error {
	_, err := write(ctx, c, c.queries.UpsertEventSource, func(o *pending[content.EventSource]) guidesql.UpsertEventSourceParams {
		return guidesql.UpsertEventSourceParams{
			ExternalID: o.object.ID, Name: o.object.Name, SortKey: content.SortKey(o.object.Name), Url: o.object.URL, Digest: o.row.Digest,
		}
	})
	return err
}

func (c *chunk) applyEvents(ctx context.Context) error {
	objects, err := write(ctx, c, c.queries.UpsertEvent, func(o *pending[content.Event]) guidesql.UpsertEventParams {
		return guidesql.UpsertEventParams{
			ExternalID: o.object.ID, Title: o.object.Title, SortKey: content.SortKey(o.object.Title), Description: o.object.Description,
			StartsAt: *o.object.StartsAt, EndsAt: o.object.EndsAt, PlaceID: o.refs.optional(content.Places, o.object.Place),
			Address: o.object.Address, SourceID: o.refs.optional(content.EventSources, o.object.Source),
			Url: o.object.URL, Price: o.object.Price, Digest: o.row.Digest,
		}
	})
	if err != nil {
		return err
	}
	if err := c.linkEvents(ctx, objects); err != nil {
		return err
	}
	if err := c.queries.TimeEvents(ctx, idsOf(objects)); err != nil {
		return err
	}
	if former := replaced(objects); len(former) > 0 {
		if err := c.queries.ClearEventListings(ctx, former); err != nil {
			return err
		}
	}
	return c.queries.FillEventListings(ctx, idsOf(objects))
}

func (c *chunk) linkEvents(ctx context.Context, objects []*pending[content.Event]) error {
	var urls []string
	for _, o := range objects {
		urls = append(urls, o.object.Photos...)
	}
	photos, err := c.photoIDs(ctx, urls)
	if err != nil {
		return err
	}
	linked, err := c.queries.LinkedEvents(ctx, replaced(objects))
	before, err := keyed(linked, err, func(row guidesql.LinkedEventsRow) (int64, guidesql.LinkedEventsRow) { return row.ID, row })
	if err != nil {
		return err
	}
	var categories, shown links
	for _, o := range objects {
		categories.replace(o.id, before[o.id].CategoryIds, idsIn(o.refs[content.EventCategories], o.object.Categories))
		shown.replace(o.id, before[o.id].PhotoIds, idsIn(photos, o.object.Photos))
	}
	if err := replaceLinks(ctx, categories, c.queries.ClearEventCategories, c.queries.LinkEventCategories); err != nil {
		return err
	}
	return replaceLinks(ctx, shown, c.queries.ClearEventPhotos, c.queries.LinkEventPhotos)
}

func (c *chunk) applyCollections(ctx context.Context) error {
	objects, err := write(ctx, c, c.queries.UpsertCollection, func(o *pending[content.Collection]) guidesql.UpsertCollectionParams {
		return guidesql.UpsertCollectionParams{
			ExternalID: o.object.ID, Title: o.object.Title, SortKey: content.SortKey(o.object.Title),
			Description: o.object.Description, Digest: o.row.Digest,
		}
	})
	if err != nil {
		return err
	}
	var items guidesql.LinkCollectionItemsParams
	for _, o := range objects {
		for n, item := range o.object.Items {
			items.Owners = append(items.Owners, o.id)
			items.Positions = append(items.Positions, n)
			items.Places = append(items.Places, o.refs[content.Places][item.Place])
			items.Events = append(items.Events, o.refs[content.Events][item.Event])
		}
	}
	if err := c.queries.ClearCollectionItems(ctx, idsOf(objects)); err != nil {
		return err
	}
	return c.queries.LinkCollectionItems(ctx, items)
}

func (c *chunk) applyPromos(ctx context.Context) error {
	_, err := write(ctx, c, c.queries.UpsertPromo, func(o *pending[content.Promo]) guidesql.UpsertPromoParams {
		return guidesql.UpsertPromoParams{
			ExternalID: o.object.ID, Title: o.object.Title, SortKey: content.SortKey(o.object.Title), Description: o.object.Description,
			Code: o.object.Code, PlaceID: o.refs.optional(content.Places, o.object.Place),
			StartsAt: o.object.StartsAt, EndsAt: o.object.EndsAt, Digest: o.row.Digest,
		}
	})
	return err
}
