package guidedb

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
)

// PromoLine is a promo in a list.
type PromoLine struct {
	ID     int64
	Title  string
	Place  string     // "" if it belongs to no place
	EndsAt *time.Time // nil if it has no end
}

// Promo is the card of a promo, the same for everyone.
type Promo struct {
	ID          int64
	ExternalID  string
	Title       string
	Description string
	Code        string     // "" if none is needed
	StartsAt    *time.Time // nil if it always held
	EndsAt      *time.Time // nil if it has no end
	PlaceID     int64      // the place's card; 0 if there is none or it is not published
	Place       string
	Address     string // of the place
	PhotoURL    string // the place's cover, "" if there is none
}

// ActiveAt says whether the promo holds at now: from StartsAt on, until just
// before EndsAt.
func (p Promo) ActiveAt(now time.Time) bool {
	return (p.StartsAt == nil || !now.Before(*p.StartsAt)) && (p.EndsAt == nil || now.Before(*p.EndsAt))
}

// Promos lists published promos active at now, those that end soonest first.
func (s *Store) Promos(ctx context.Context, now time.Time, paging Paging) (Page[PromoLine], error) {
	paging = paging.clamp()
	rows, err := s.queries.ListPromos(ctx, guidesql.ListPromosParams{
		Now: now, PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
	})
	if err != nil {
		return Page[PromoLine]{}, wrap("promos", err)
	}
	var total int64
	lines := make([]PromoLine, 0, len(rows))
	for _, row := range rows {
		total = row.Total
		lines = append(lines, PromoLine{ID: row.ID, Title: row.Title, Place: row.Place, EndsAt: row.EndsAt})
	}
	return newPage(lines, total, paging), nil
}

// Promo gives the card of a published promo, finished ones too (ActiveAt
// tells); else ErrNotFound.
func (s *Store) Promo(ctx context.Context, id int64) (Promo, error) {
	row, err := s.queries.GetPromo(ctx, id)
	if err == nil && !row.Published {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return Promo{}, wrap("promo", err)
	}
	promo := Promo{
		ID: row.ID, ExternalID: row.ExternalID, Title: row.Title, Description: row.Description, Code: row.Code,
		StartsAt: row.StartsAt, EndsAt: row.EndsAt, Place: row.Place, Address: row.PlaceAddress, PhotoURL: row.PhotoUrl,
	}
	if row.PlacePublished {
		promo.PlaceID = row.PlaceID
	}
	return promo, nil
}
