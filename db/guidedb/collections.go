package guidedb

import (
	"context"
	"time"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/guide"
)

// Collections lists published collections by title, without those that have
// nothing to show at now.
func (s *Store) Collections(ctx context.Context, now time.Time, paging Paging) (guide.Listing[guide.Choice], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListCollections(ctx, guidesql.ListCollectionsParams{
		Now: now, CountLimit: maxListed, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	return page("collections", paging, rows, err, func(row guidesql.ListCollectionsRow) (guide.Choice, int64) {
		return guide.Choice{ID: row.ID, Name: row.Name}, row.Total
	})
}

// Collection opens a published collection: its items in the editors' order,
// without those that are not published and events over at now. Else
// ErrNotFound.
func (s *Store) Collection(ctx context.Context, id int64, now time.Time, paging Paging) (guide.CollectionView, guide.Listing[guide.Entry], error) {
	paging = paging.clamp()
	var rows []guidesql.ListCollectionItemsRow
	collection, err := s.queries.GetCollection(ctx, id)
	if err == nil {
		rows, err = s.queries.ListCollectionItems(ctx, guidesql.ListCollectionItemsParams{
			CollectionID: id, Now: now, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
		})
	}
	items, err := page("collection", paging, rows, err, func(row guidesql.ListCollectionItemsRow) (guide.Entry, int64) {
		return guide.Entry{Entity: row.Entity, ID: row.ID, Name: row.Name, Kind: row.Kind, Address: row.Address, Starts: row.StartsAt, Ends: row.EndsAt}, row.Total
	})
	return guide.CollectionView(collection), items, err
}
