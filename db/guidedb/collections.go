package guidedb

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
)

// Kind says what an object of the guide is, in callback_data's own words.
type Kind string

// The kinds that can stand in a collection or among favourites.
const (
	KindPlace Kind = "place"
	KindEvent Kind = "event"
)

// Collection is a selection made by the editors.
type Collection struct {
	ID          int64
	ExternalID  string
	Title       string
	Description string
}

// CollectionItem is a published place or coming event in a collection.
type CollectionItem struct {
	Kind     Kind
	ID       int64
	Name     string
	Address  string
	Rating   *float64   // places only
	StartsAt *time.Time // events only
}

// Collections lists published collections by title.
func (s *Store) Collections(ctx context.Context, paging Paging) (Page[Choice], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListCollections(ctx, guidesql.ListCollectionsParams{
		CountLimit: MaxListed, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	if err != nil {
		return Page[Choice]{}, wrap("collections", err)
	}
	var total int64
	lines := make([]Choice, 0, len(rows))
	for _, row := range rows {
		total = row.Total
		lines = append(lines, Choice{ID: row.ID, Name: row.Title})
	}
	return newPage(lines, total, paging), nil
}

// Collection opens a published collection: its items in the editors' order,
// without those that are not published and events over at now. Else
// ErrNotFound.
func (s *Store) Collection(ctx context.Context, id int64, now time.Time, paging Paging) (Collection, Page[CollectionItem], error) {
	paging = paging.clamp()
	row, err := s.queries.GetCollection(ctx, id)
	if err == nil && !row.Published {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return Collection{}, Page[CollectionItem]{}, wrap("collection", err)
	}
	items, err := s.queries.ListCollectionItems(ctx, guidesql.ListCollectionItemsParams{
		CollectionID: id, Now: now, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	if err != nil {
		return Collection{}, Page[CollectionItem]{}, wrap("collection items", err)
	}
	var total int64
	lines := make([]CollectionItem, 0, len(items))
	for _, item := range items {
		total = item.Total
		lines = append(lines, CollectionItem{
			Kind: Kind(item.Kind), ID: item.ID, Name: item.Name, Address: item.Address,
			Rating: item.Rating, StartsAt: item.StartsAt,
		})
	}
	collection := Collection{ID: row.ID, ExternalID: row.ExternalID, Title: row.Title, Description: row.Description}
	return collection, newPage(lines, total, paging), nil
}
