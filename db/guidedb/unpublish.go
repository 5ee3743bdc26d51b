package guidedb

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// Unpublish takes away what a snapshot did not name, in the lists that it has.
// Objects that were refused count as named. For an upsert, and for an import
// that is not running, there is nothing to do. Between two transactions it
// tells beat how far the import is.
func (i *Imports) Unpublish(ctx context.Context, id string, beat func(Progress)) error {
	after := mark{}
	return inChunks(ctx, beat, func() (progress Progress, err error) {
		progress, after, err = i.unpublishChunk(ctx, id, after, chunkSize)
		return progress, wrap("unpublish", err)
	})
}

// mark is how far a snapshot has looked for what it did not name.
type mark struct {
	list int   // of the batch's lists
	id   int64 // of that list, looked at last
}

// unpublishChunk looks at the size objects of a list that follow after, and
// takes away those that were not named, in one transaction with their count.
// One who lost the mark begins again: what is gone is not looked at twice.
func (i *Imports) unpublishChunk(ctx context.Context, id string, after mark, size int) (Progress, mark, error) {
	var progress Progress
	err := pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		queries := i.queries.WithTx(tx)
		if err := queries.GoByIndexes(ctx); err != nil {
			return err
		}
		locked, err := queries.LockImport(ctx, id)
		if err != nil || content.State(locked.State) != content.Running || content.Mode(locked.Mode) != content.Snapshot {
			return err
		}
		if after.list >= len(locked.Lists) {
			return nil
		}
		list := content.List(locked.Lists[after.list])
		looked, gone, err := unpublish(ctx, tx, queries, list, locked.QueueNumber, after.id, size)
		if err != nil {
			return err
		}
		after.id = looked
		if looked == 0 {
			after = mark{list: after.list + 1}
		}
		tally, err := queries.AddToImport(ctx, guidesql.AddToImportParams{ID: id, Unpublished: int32(gone)})
		if err != nil {
			return err
		}
		progress = Progress{
			Objects: int(tally.Objects), More: true,
			Done: int(tally.Created + tally.Changed + tally.Unchanged + tally.Refused),
		}
		return nil
	})
	return progress, after, err
}

// unpublish gives the last object it looked at, 0 at the end of the list, and
// how many it took away.
func unpublish(ctx context.Context, tx pgx.Tx, queries *guidesql.Queries, list content.List, queueNumber, after int64, size int) (looked int64, count int, err error) {
	if list.Rank() < 0 {
		return 0, 0, fmt.Errorf("no list %q", list)
	}
	// The lists are tables of the same name; there are nine, known above, so
	// the statements are put together rather than written nine times.
	rows, err := tx.Query(ctx, fmt.Sprintf(
		"SELECT id, external_id FROM guide.%s WHERE published AND id > $1 ORDER BY id LIMIT $2", list), after, size)
	if err != nil {
		return 0, 0, err
	}
	type object struct {
		ID         int64
		ExternalID string
	}
	objects, err := pgx.CollectRows(rows, pgx.RowToStructByPos[object])
	if err != nil || len(objects) == 0 {
		return 0, 0, err
	}
	externalIDs := make([]string, 0, len(objects))
	for _, o := range objects {
		externalIDs = append(externalIDs, o.ExternalID)
	}
	named, err := queries.NamedInBatch(ctx, guidesql.NamedInBatchParams{QueueNumber: queueNumber, List: string(list), ExternalIds: externalIDs})
	if err != nil {
		return 0, 0, err
	}
	slices.Sort(named)
	gone := make([]int64, 0, len(objects))
	for _, o := range objects {
		if _, kept := slices.BinarySearch(named, o.ExternalID); !kept {
			gone = append(gone, o.ID)
		}
	}
	looked = objects[len(objects)-1].ID
	if len(gone) == 0 {
		return looked, 0, nil
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(
		"UPDATE guide.%s SET published = false, row_version = row_version + 1, updated_at = now() WHERE id = ANY($1::bigint[])", list), gone); err != nil {
		return 0, 0, err
	}
	switch list {
	case content.Places:
		err = queries.ClearPlaceListings(ctx, gone)
	case content.Events:
		err = queries.ClearEventListings(ctx, gone)
	}
	return looked, len(gone), err
}
