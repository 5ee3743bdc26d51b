package guidedb

import (
	"context"
	"time"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/guide"
)

// Promos lists published promos active at now, those that end soonest first.
func (s *Store) Promos(ctx context.Context, now time.Time, paging Paging) (guide.Listing[guide.PromoLine], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListPromos(ctx, guidesql.ListPromosParams{
		Now: now, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	return page("promos", paging, rows, err, func(row guidesql.ListPromosRow) (guide.PromoLine, int64) {
		return guide.PromoLine{ID: row.ID, Title: row.Title, Venue: row.Venue, Until: row.Until}, row.Total
	})
}

// Promo gives the card of a published promo, finished ones too; else
// ErrNotFound.
func (s *Store) Promo(ctx context.Context, id int64) (guide.PromoView, error) {
	row, err := s.queries.GetPromo(ctx, id)
	return guide.PromoView(row), wrap("promo", err)
}
