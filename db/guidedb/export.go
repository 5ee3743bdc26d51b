package guidedb

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// exportPage is how many places or events are held in memory at a time.
const exportPage = 1000

// Export hands what is published to write, list by list and in the order of
// the CMS's ids, as pointers to content's types: a batch that an import would
// find unchanged. References to what is not published are left out. It is of
// one moment, however long write takes.
func (i *Imports) Export(ctx context.Context, write func(list content.List, object any) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, i.pool, options, func(tx pgx.Tx) error {
		e := exporter{queries: i.queries.WithTx(tx), write: write}
		for _, list := range []func(context.Context) error{
			e.exportNames, e.exportSubcategories, e.exportPlaces, e.exportEvents, e.exportCollections, e.exportPromos,
		} {
			if err := list(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("export", err)
}

type exporter struct {
	queries *guidesql.Queries
	write   func(list content.List, object any) error
}

// exported writes what a query gave.
func exported[R, T any](e exporter, list content.List, rows []R, err error, convert func(R) *T) error {
	for _, row := range rows {
		if err == nil {
			err = e.write(list, convert(row))
		}
	}
	return err
}

func (e exporter) exportNames(ctx context.Context) error {
	districts, err := e.queries.ExportDistricts(ctx)
	err = exported(e, content.Districts, districts, err, func(row guidesql.ExportDistrictsRow) *content.District {
		return &content.District{ID: row.ExternalID, Name: row.Name}
	})
	if err != nil {
		return err
	}
	types, err := e.queries.ExportTypes(ctx)
	err = exported(e, content.Types, types, err, func(row guidesql.ExportTypesRow) *content.Type {
		return &content.Type{ID: row.ExternalID, Name: row.Name}
	})
	if err != nil {
		return err
	}
	categories, err := e.queries.ExportEventCategories(ctx)
	err = exported(e, content.EventCategories, categories, err, func(row guidesql.ExportEventCategoriesRow) *content.EventCategory {
		return &content.EventCategory{ID: row.ExternalID, Name: row.Name}
	})
	if err != nil {
		return err
	}
	sources, err := e.queries.ExportEventSources(ctx)
	return exported(e, content.EventSources, sources, err, func(row guidesql.ExportEventSourcesRow) *content.EventSource {
		return &content.EventSource{ID: row.ExternalID, Name: row.Name, URL: row.Url}
	})
}

func (e exporter) exportSubcategories(ctx context.Context) error {
	rows, err := e.queries.ExportSubcategories(ctx)
	return exported(e, content.Subcategories, rows, err, func(row guidesql.ExportSubcategoriesRow) *content.Subcategory {
		return &content.Subcategory{ID: row.ExternalID, Type: row.Type, Name: row.Name}
	})
}

func (e exporter) exportPlaces(ctx context.Context) error {
	for after := ""; ; {
		rows, err := e.queries.ExportPlaces(ctx, guidesql.ExportPlacesParams{After: after, Size: exportPage})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if err := e.write(content.Places, &content.Place{
				ID: row.ExternalID, Name: row.Name, Address: row.Address, Rating: row.Rating, Description: row.Description,
				District: row.District, Types: row.Types, Subcategories: row.Subcategories, Photos: row.Photos,
				Lat: row.Lat, Lon: row.Lon, Phone: row.Phone, Site: row.Site,
			}); err != nil {
				return err
			}
			after = row.ExternalID
		}
	}
}

func (e exporter) exportEvents(ctx context.Context) error {
	for after := ""; ; {
		rows, err := e.queries.ExportEvents(ctx, guidesql.ExportEventsParams{After: after, Size: exportPage})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if err := e.write(content.Events, &content.Event{
				ID: row.ExternalID, Title: row.Title, StartsAt: &row.StartsAt, EndsAt: row.EndsAt, Place: row.Place,
				Address: row.Address, Categories: row.Categories, Source: row.Source, URL: row.Url, Price: row.Price,
				Description: row.Description, Photos: row.Photos,
			}); err != nil {
				return err
			}
			after = row.ExternalID
		}
	}
}

func (e exporter) exportCollections(ctx context.Context) error {
	rows, err := e.queries.ExportCollections(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		collection := content.Collection{ID: row.ExternalID, Title: row.Title, Description: row.Description}
		for _, item := range row.Items {
			if kind, id := item[:1], item[1:]; kind == "p" {
				collection.Items = append(collection.Items, content.CollectionItem{Place: id})
			} else {
				collection.Items = append(collection.Items, content.CollectionItem{Event: id})
			}
		}
		if err := e.write(content.Collections, &collection); err != nil {
			return err
		}
	}
	return nil
}

func (e exporter) exportPromos(ctx context.Context) error {
	rows, err := e.queries.ExportPromos(ctx)
	return exported(e, content.Promos, rows, err, func(row guidesql.ExportPromosRow) *content.Promo {
		return &content.Promo{
			ID: row.ExternalID, Title: row.Title, Place: row.Place, Code: row.Code, Description: row.Description,
			StartsAt: row.StartsAt, EndsAt: row.EndsAt,
		}
	})
}
