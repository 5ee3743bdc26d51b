package guidedb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// outcome is what became of a staged object.
type outcome string

const (
	created     outcome = "created"
	changed     outcome = "changed"
	unchanged   outcome = "unchanged"
	refused     outcome = "refused"
	unpublished outcome = "unpublished"
)

// chunkSize is how many objects go into the guide in one transaction: some
// tenths of a second.
const chunkSize = 500

// Apply takes an import's objects into the guide, chunk by chunk, going on
// after the last committed one. Between two chunks it reports to beat how far the
// import is. A snapshot that would take away more than its brake lets go is held
// instead. For an import that is not running there is nothing to do.
func (i *Imports) Apply(ctx context.Context, id string, beat func(Progress)) error {
	err := pgx.BeginFunc(ctx, i.db, func(tx pgx.Tx) error {
		_, _, err := i.brake(ctx, i.queries.WithTx(tx), id)
		return err
	})
	if err != nil {
		return wrap("weigh snapshot", err)
	}
	return inChunks(ctx, beat, func() (Progress, error) { return i.applyBelow(ctx, id, goneRank, chunkSize) })
}

// Unpublish takes away what a batch says is gone and what a snapshot does not
// name, after [Imports.Apply] and like it. Objects that were refused count as
// named.
func (i *Imports) Unpublish(ctx context.Context, id string, beat func(Progress)) error {
	return inChunks(ctx, beat, func() (Progress, error) { return i.ApplyChunk(ctx, id, chunkSize) })
}

func inChunks(ctx context.Context, beat func(Progress), chunk func() (Progress, error)) error {
	for {
		progress, err := chunk()
		if err != nil {
			return err
		}
		if !progress.More {
			return nil
		}
		beat(progress)
		if err := ctx.Err(); err != nil {
			return err // the worker stops, or the import was cancelled
		}
	}
}

// ApplyChunk takes the next objects of an import into the guide, at most size
// of them and of one list, in one transaction together with the record that
// they are done. Whoever reads meanwhile sees each of them as it was or as it
// is. An object that Postgres itself refuses is refused alone. For an import
// that is not running there is nothing more to do.
func (i *Imports) ApplyChunk(ctx context.Context, id string, size int) (Progress, error) {
	return i.applyBelow(ctx, id, 2*goneRank, size)
}

func (i *Imports) applyBelow(ctx context.Context, id string, rank int16, size int) (Progress, error) {
	progress, err := i.applyChunk(ctx, id, rank, size, nil)
	if isDataFault(err) {
		// One of them is at fault. Alone, it can be told from the rest.
		progress, err = i.applyChunk(ctx, id, rank, 1, nil)
		if fault := err; isDataFault(fault) {
			progress, err = i.applyChunk(ctx, id, rank, 1, fault)
		}
	}
	return progress, wrap("apply chunk", err)
}

// isDataFault tells errors that lie in what was to be written (SQLSTATE classes
// 22, data exception, and 23, integrity constraint violation) and so would
// come again, from those of the database's condition.
func isDataFault(err error) bool {
	var fault *pgconn.PgError
	return errors.As(err, &fault) && (strings.HasPrefix(fault.Code, "22") || strings.HasPrefix(fault.Code, "23"))
}

// applyChunk refuses what it would apply if there is a fault to blame.
func (i *Imports) applyChunk(ctx context.Context, id string, below int16, size int, fault error) (Progress, error) {
	var progress Progress
	err := pgx.BeginFunc(ctx, i.db, func(tx pgx.Tx) error {
		queries := i.queries.WithTx(tx)
		if err := queries.GoByIndexes(ctx); err != nil {
			return err
		}
		locked, err := queries.LockImport(ctx, id)
		if err != nil || locked.State != content.Running {
			return err
		}
		rows, err := queries.StagedChunk(ctx, guidesql.StagedChunkParams{
			QueueNumber: locked.QueueNumber, Below: below, AppliedRank: locked.AppliedRank, AppliedSeq: locked.AppliedSeq, Size: int64(size),
		})
		if err != nil {
			return err
		}
		chunk := newChunk(tx, queries, locked.QueueNumber, rows)
		if fault != nil {
			chunk.refuse(fault)
		} else if err := chunk.apply(ctx); err != nil {
			return err
		}
		tally, err := chunk.record(ctx, id)
		if err != nil {
			return err
		}
		progress = Progress{
			Objects: tally.Objects, More: len(rows) > 0,
			Done: tally.Created + tally.Changed + tally.Unchanged + tally.Refused,
		}
		return nil
	})
	return progress, err
}

// chunk is some staged objects of one list on their way into the guide.
type chunk struct {
	tx      pgx.Tx
	queries *guidesql.Queries
	number  int64 // of the import in the queue
	list    content.List
	gone    bool
	rows    []*stagedRow
}

type stagedRow struct {
	guidesql.StagedChunkRow
	outcome  outcome
	refusals []content.Refusal
}

func newChunk(tx pgx.Tx, queries *guidesql.Queries, number int64, rows []guidesql.StagedChunkRow) *chunk {
	c := &chunk{tx: tx, queries: queries, number: number}
	for _, row := range rows {
		c.list, c.gone = content.List(row.List), row.Gone
		c.rows = append(c.rows, &stagedRow{StagedChunkRow: row})
	}
	return c
}

func (c *chunk) apply(ctx context.Context) error {
	if c.gone {
		return c.unpublish(ctx)
	}
	switch c.list {
	case content.Districts:
		return c.applyDistricts(ctx)
	case content.Types:
		return c.applyTypes(ctx)
	case content.EventCategories:
		return c.applyEventCategories(ctx)
	case content.EventSources:
		return c.applyEventSources(ctx)
	case content.Subcategories:
		return c.applySubcategories(ctx)
	case content.Places:
		return c.applyPlaces(ctx)
	case content.Events:
		return c.applyEvents(ctx)
	case content.Collections:
		return c.applyCollections(ctx)
	case content.Promos:
		return c.applyPromos(ctx)
	default:
		return nil // nothing staged is left
	}
}

// refuse blames a fault of the database on the chunk's objects.
func (c *chunk) refuse(fault error) {
	why := content.Because("база данных этого не принимает")
	if reported := new(pgconn.PgError); errors.As(fault, &reported) {
		why = content.Because("база данных этого не принимает: %s", reported.Message)
	}
	for _, row := range c.rows {
		row.refuse(content.Refusal{Path: row.Path, Value: row.ExternalID, Why: why})
	}
}

func (r *stagedRow) refuse(refusal content.Refusal) {
	refusal.Name, refusal.Table, refusal.Row = content.Title(r.Payload), r.SourceTable, r.SourceRow
	r.outcome, r.refusals = refused, append(r.refusals, refusal)
}

// unpublish takes away what is published of the chunk.
func (c *chunk) unpublish(ctx context.Context) error {
	byID := make(map[string]*stagedRow, len(c.rows))
	for _, row := range c.rows {
		byID[row.ExternalID] = row
	}
	objects, err := known(ctx, c.queries, c.list, slices.Collect(maps.Keys(byID)))
	if err != nil {
		return err
	}
	var gone []int64
	var names []string
	for externalID, object := range objects {
		if object.Published {
			byID[externalID].outcome = unpublished
			gone, names = append(gone, object.ID), append(names, externalID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if err := c.keep(ctx, names); err != nil {
		return err
	}
	// The lists are tables of the same name, and c.list is one of them.
	if _, err := c.tx.Exec(ctx, fmt.Sprintf(
		"UPDATE guide.%s SET published = false, row_version = row_version + 1, updated_at = now() WHERE id = ANY($1::bigint[])", c.list), gone); err != nil {
		return err
	}
	switch c.list {
	case content.Places:
		return c.queries.ClearPlaceListings(ctx, gone)
	case content.Events:
		return c.queries.ClearEventListings(ctx, gone)
	}
	return nil
}

// keep remembers objects as they are, for an undo.
func (c *chunk) keep(ctx context.Context, externalIDs []string) error {
	return c.queries.KeepReplaced(ctx, guidesql.KeepReplacedParams{QueueNumber: c.number, List: string(c.list), ExternalIds: externalIDs})
}

// record counts the outcomes and moves the import past the chunk.
func (c *chunk) record(ctx context.Context, id string) (guidesql.AddToImportRow, error) {
	refusals := guidesql.RefuseObjectsParams{QueueNumber: c.number}
	var untouched []string
	add := guidesql.AddToImportParams{ID: id}
	for _, row := range c.rows {
		switch row.outcome {
		case created:
			add.Created++
		case changed:
			add.Changed++
		case unchanged:
			add.Unchanged++
		case unpublished:
			add.Unpublished++
		case refused:
			faults, err := json.Marshal(row.refusals)
			if err != nil {
				return guidesql.AddToImportRow{}, err
			}
			add.Refused++
			refusals.Rank = row.Rank
			refusals.Seqs, refusals.Faults = append(refusals.Seqs, row.Seq), append(refusals.Faults, faults)
			untouched = append(untouched, row.ExternalID)
		}
	}
	if len(untouched) > 0 {
		if err := errors.Join(c.queries.RefuseObjects(ctx, refusals), c.queries.ForgetReplaced(ctx, guidesql.ForgetReplacedParams{
			QueueNumber: c.number, List: string(c.list), ExternalIds: untouched,
		})); err != nil {
			return guidesql.AddToImportRow{}, err
		}
	}
	if len(c.rows) > 0 {
		last := c.rows[len(c.rows)-1]
		if err := c.queries.MoveImport(ctx, guidesql.MoveImportParams{ID: id, Rank: last.Rank, Seq: last.Seq}); err != nil {
			return guidesql.AddToImportRow{}, err
		}
	}
	return c.queries.AddToImport(ctx, add)
}
