package guidedb

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// UnpublishChunk takes away what a snapshot did not name, at most size objects
// of one list, in one transaction with their count. Objects that were refused
// count as named. For an upsert, and for an import that is not running, there
// is nothing to do.
func (i *Imports) UnpublishChunk(ctx context.Context, id string, size int) (Progress, error) {
	var progress Progress
	err := pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		queries := i.queries.WithTx(tx)
		locked, err := queries.LockImport(ctx, id)
		if err != nil || content.State(locked.State) != content.Running || content.Mode(locked.Mode) != content.Snapshot {
			return err
		}
		for _, name := range locked.Lists {
			gone, err := unpublish(ctx, tx, queries, content.List(name), locked.QueueNumber, size)
			if err != nil {
				return err
			}
			if gone == 0 {
				continue
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
		}
		return nil
	})
	return progress, wrap("unpublish", err)
}

func unpublish(ctx context.Context, tx pgx.Tx, queries *guidesql.Queries, list content.List, queueNumber int64, size int) (int, error) {
	if list.Rank() < 0 {
		return 0, fmt.Errorf("no list %q", list)
	}
	// The lists are tables of the same name; there are nine, known above, so
	// the statement is put together rather than written nine times.
	rows, err := tx.Query(ctx, fmt.Sprintf(`
		UPDATE guide.%[1]s AS t SET published = false, row_version = t.row_version + 1, updated_at = now()
		WHERE t.id IN (
			SELECT o.id FROM guide.%[1]s o
			WHERE o.published AND NOT EXISTS (
				SELECT 1 FROM cms.staged_objects s
				WHERE s.queue_number = $1 AND s.list = $2 AND s.external_id = o.external_id)
			ORDER BY o.id LIMIT $3)
		RETURNING t.id`, list), queueNumber, string(list), size)
	if err != nil {
		return 0, err
	}
	gone, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return 0, err
	}
	switch list {
	case content.Places:
		err = queries.ClearPlaceListings(ctx, gone)
	case content.Events:
		err = queries.ClearEventListings(ctx, gone)
	}
	return len(gone), err
}
