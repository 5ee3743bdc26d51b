package guidedb

import (
	"context"
	"slices"
)

// links are rows of a link table, and the owners whose rows go first.
type links struct {
	former []int64
	rows   linkRows
}

// linkRows is what every query that links takes, column by column.
type linkRows = struct {
	Owners, Targets []int64
	Positions       []int
}

// replace links owner to targets instead of before; if they are the same, there
// is nothing to write.
func (l *links) replace(owner int64, before, targets []int64) {
	if slices.Equal(before, targets) {
		return
	}
	if len(before) > 0 {
		l.former = append(l.former, owner)
	}
	for position, target := range targets {
		l.rows.Owners = append(l.rows.Owners, owner)
		l.rows.Targets = append(l.rows.Targets, target)
		l.rows.Positions = append(l.rows.Positions, position)
	}
}

// replaceLinks takes away what is replaced and puts in what is new.
func replaceLinks[P interface {
	~struct {
		Owners, Targets []int64
		Positions       []int
	}
}](ctx context.Context, l links, clear func(context.Context, []int64) error, link func(context.Context, P) error) error {
	if len(l.former) > 0 {
		if err := clear(ctx, l.former); err != nil {
			return err
		}
	}
	if len(l.rows.Owners) == 0 {
		return nil
	}
	return link(ctx, P(l.rows))
}

// idsIn are the guide's ids for the CMS's, in their order.
func idsIn(known map[string]int64, externalIDs []string) []int64 {
	ids := make([]int64, 0, len(externalIDs))
	for _, id := range externalIDs {
		ids = append(ids, known[id])
	}
	return ids
}
