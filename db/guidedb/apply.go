package guidedb

import (
	"bytes"
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
// after the last committed one. Between two chunks it tells beat how far the
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
		if err != nil || content.State(locked.State) != content.Running {
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
			Objects: int(tally.Objects), More: len(rows) > 0,
			Done: int(tally.Created + tally.Changed + tally.Unchanged + tally.Refused),
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
	reason := "база данных этого не принимает"
	if reported := new(pgconn.PgError); errors.As(fault, &reported) {
		reason += ": " + reported.Message
	}
	for _, row := range c.rows {
		row.refuse(content.Refusal{Path: row.Path, Value: row.ExternalID, Reason: reason})
	}
}

func (r *stagedRow) refuse(refusal content.Refusal) {
	refusal.Name, refusal.Table, refusal.Row = content.Title(r.Payload), r.SourceTable, int(r.SourceRow)
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

// pending is an object that is to be written.
type pending[T any] struct {
	row    *stagedRow
	object T
	id     int64 // in the guide; 0 until a new object is written
}

// pendingOf decodes the chunk's objects, leaves out those that the guide has
// just so, and says of the others whether they are new.
func pendingOf[T any](ctx context.Context, c *chunk) ([]*pending[T], error) {
	ids := make([]string, 0, len(c.rows))
	for _, row := range c.rows {
		ids = append(ids, row.ExternalID)
	}
	known, err := known(ctx, c.queries, c.list, ids)
	if err != nil {
		return nil, err
	}
	objects := make([]*pending[T], 0, len(c.rows))
	for _, row := range c.rows {
		object := &pending[T]{row: row}
		row.outcome = created
		if existing, ok := known[row.ExternalID]; ok {
			row.outcome, object.id = changed, existing.ID
			if existing.Published && bytes.Equal(existing.Digest, row.Digest) {
				row.outcome = unchanged
				continue
			}
		}
		if err := json.Unmarshal(row.Payload, &object.object); err != nil {
			return nil, fmt.Errorf("staged object at %s: %w", row.Path, err)
		}
		objects = append(objects, object)
	}
	written := make([]string, 0, len(objects))
	for _, object := range objects {
		written = append(written, object.row.ExternalID)
	}
	return objects, c.keep(ctx, written)
}

func known(ctx context.Context, queries *guidesql.Queries, list content.List, ids []string) (map[string]guidesql.KnownObjectsRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := queries.KnownObjects(ctx, guidesql.KnownObjectsParams{List: string(list), ExternalIds: ids})
	if err != nil {
		return nil, err
	}
	known := make(map[string]guidesql.KnownObjectsRow, len(rows))
	for _, row := range rows {
		known[row.ExternalID] = row
	}
	return known, nil
}

// reference is a field of an object with the CMS's ids that it names; "" names
// nothing.
type reference struct {
	list  content.List
	field string
	many  bool // the field is a list
	ids   []string
}

// references are the guide's ids for the CMS's.
type references map[content.List]map[string]int64

// resolve looks up what objects refer to, a query per list, and refuses those
// of them that refer to what is not there.
func resolve[T any](ctx context.Context, c *chunk, objects []*pending[T], of func(T) []reference) ([]*pending[T], references, error) {
	refs := references{}
	for _, o := range objects {
		for _, reference := range of(o.object) {
			for _, id := range reference.ids {
				if refs[reference.list] == nil {
					refs[reference.list] = map[string]int64{}
				}
				refs[reference.list][id] = 0
			}
		}
	}
	for list, wanted := range refs {
		delete(wanted, "")
		rows, err := known(ctx, c.queries, list, slices.Collect(maps.Keys(wanted)))
		if err != nil {
			return nil, nil, err
		}
		for id, row := range rows {
			wanted[id] = row.ID
		}
	}
	return slices.DeleteFunc(objects, func(o *pending[T]) bool { return o.refuseUnknown(refs, of(o.object)) }), refs, nil
}

// refuseUnknown refuses the object for each reference that leads nowhere.
func (p *pending[T]) refuseUnknown(refs references, all []reference) bool {
	for _, reference := range all {
		for n, id := range reference.ids {
			if id == "" || refs[reference.list][id] != 0 {
				continue
			}
			path := reference.field
			if reference.many {
				path = fmt.Sprintf("%s[%d]", path, n)
			}
			p.row.refuse(content.Refusal{Path: p.row.Path + "." + path, Value: id, Reason: content.UnknownReference(reference.list)})
		}
	}
	return p.row.outcome == refused
}

// optional is the guide's id, nil for "" and for what is not there.
func (r references) optional(list content.List, id string) *int64 {
	if found := r[list][id]; found != 0 {
		return &found
	}
	return nil
}

// upsert writes objects in one batch and takes the ids that it gives back.
func upsert[T, P any, R interface{ QueryRow(func(int, int64, error)) }](
	ctx context.Context, objects []*pending[T], write func(context.Context, []P) R, row func(*pending[T]) P,
) error {
	rows := make([]P, 0, len(objects))
	for _, o := range objects {
		rows = append(rows, row(o))
	}
	return identify(objects, write(ctx, rows).QueryRow)
}

// identify takes the ids that a batch of upserts gives back, in order.
func identify[T any](objects []*pending[T], each func(func(n int, id int64, err error))) error {
	var failed error
	each(func(n int, id int64, err error) {
		if err != nil && failed == nil {
			failed = err
		}
		if err == nil {
			objects[n].id = id
		}
	})
	return failed
}

// replaced are the ids of objects that the guide had before: what it holds of
// them has to go first.
func replaced[T any](objects []*pending[T]) []int64 {
	var ids []int64
	for _, object := range objects {
		if object.row.outcome == changed {
			ids = append(ids, object.id)
		}
	}
	return ids
}

func idsOf[T any](objects []*pending[T]) []int64 {
	ids := make([]int64, 0, len(objects))
	for _, object := range objects {
		ids = append(ids, object.id)
	}
	return ids
}
