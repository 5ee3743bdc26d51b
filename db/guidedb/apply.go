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
	created   outcome = "created"
	changed   outcome = "changed"
	unchanged outcome = "unchanged"
	refused   outcome = "refused"
)

// chunkSize is how many objects go into the guide in one transaction: some
// tenths of a second.
const chunkSize = 500

// Apply takes an import's objects into the guide, chunk by chunk, going on
// after the last committed one. Between two chunks it tells beat how far the
// import is. For an import that is not running there is nothing to do.
func (i *Imports) Apply(ctx context.Context, id string, beat func(Progress)) error {
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
	progress, err := i.applyChunk(ctx, id, size, nil)
	if isDataFault(err) {
		// One of them is at fault. Alone, it can be told from the rest.
		progress, err = i.applyChunk(ctx, id, 1, nil)
		if fault := err; isDataFault(fault) {
			progress, err = i.applyChunk(ctx, id, 1, fault)
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
func (i *Imports) applyChunk(ctx context.Context, id string, size int, fault error) (Progress, error) {
	var progress Progress
	err := pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		queries := i.queries.WithTx(tx)
		if err := queries.GoByIndexes(ctx); err != nil {
			return err
		}
		locked, err := queries.LockImport(ctx, id)
		if err != nil || content.State(locked.State) != content.Running {
			return err
		}
		rows, err := queries.StagedChunk(ctx, guidesql.StagedChunkParams{
			QueueNumber: locked.QueueNumber, AppliedRank: locked.AppliedRank, AppliedSeq: locked.AppliedSeq, Size: int64(size),
		})
		if err != nil {
			return err
		}
		chunk := newChunk(queries, rows)
		if fault != nil {
			chunk.refuse(fault)
		} else if err := chunk.apply(ctx); err != nil {
			return err
		}
		tally, err := chunk.record(ctx, id, locked.QueueNumber)
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
	queries *guidesql.Queries
	list    content.List
	rows    []*stagedRow
}

type stagedRow struct {
	guidesql.StagedChunkRow
	outcome outcome
	refusal content.Refusal
}

func newChunk(queries *guidesql.Queries, rows []guidesql.StagedChunkRow) *chunk {
	c := &chunk{queries: queries}
	for _, row := range rows {
		c.list = content.List(row.List)
		c.rows = append(c.rows, &stagedRow{StagedChunkRow: row})
	}
	return c
}

func (c *chunk) apply(ctx context.Context) error {
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
	reason := "the database does not take it"
	if reported := new(pgconn.PgError); errors.As(fault, &reported) {
		reason += ": " + reported.Message
	}
	for _, row := range c.rows {
		row.outcome, row.refusal = refused, content.Refusal{Path: row.Path, Value: row.ExternalID, Reason: reason}
	}
}

// record counts the outcomes and moves the import past the chunk.
func (c *chunk) record(ctx context.Context, id string, queueNumber int64) (guidesql.AddToImportRow, error) {
	refusals := guidesql.RefuseObjectsParams{QueueNumber: queueNumber}
	add := guidesql.AddToImportParams{ID: id}
	for _, row := range c.rows {
		switch row.outcome {
		case created:
			add.Created++
		case changed:
			add.Changed++
		case unchanged:
			add.Unchanged++
		case refused:
			add.Refused++
			refusals.Rank = row.Rank
			refusals.Seqs = append(refusals.Seqs, row.Seq)
			refusals.RefusedPaths = append(refusals.RefusedPaths, row.refusal.Path)
			refusals.RefusedValues = append(refusals.RefusedValues, row.refusal.Value)
			refusals.Reasons = append(refusals.Reasons, row.refusal.Reason)
		}
	}
	if len(refusals.Seqs) > 0 {
		if err := c.queries.RefuseObjects(ctx, refusals); err != nil {
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
	return objects, nil
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

// refuseUnknown refuses the object at the first reference that leads nowhere.
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
			p.row.outcome = refused
			p.row.refusal = content.Refusal{Path: p.row.Path + "." + path, Value: id, Reason: content.UnknownReference(reference.list)}
			return true
		}
	}
	return false
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
