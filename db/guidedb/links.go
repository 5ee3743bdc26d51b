package guidedb

import (
	"context"
	"slices"
)

// links are rows of a link table, column by column, and the owners whose rows
// go first.
type links struct {
	former          []int64
	owners, targets []int64
	positions       []int32
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
		l.owners = append(l.owners, owner)
		l.targets = append(l.targets, target)
		l.positions = append(l.positions, int32(position))
	}
}

// write takes away what is replaced and puts in what is new.
func (l *links) write(ctx context.Context, clear func(context.Context, []int64) error, link func(context.Context) error) error {
	if len(l.former) > 0 {
		if err := clear(ctx, l.former); err != nil {
			return err
		}
	}
	if len(l.owners) == 0 {
		return nil
	}
	return link(ctx)
}

// idsIn are the guide's ids for the CMS's, in their order.
func idsIn(known map[string]int64, externalIDs []string) []int64 {
	ids := make([]int64, 0, len(externalIDs))
	for _, id := range externalIDs {
		ids = append(ids, known[id])
	}
	return ids
}
