package guidedb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

func (p *pending[T]) refuse(path, value, reason string) {
	p.row.outcome = refused
	p.row.refusal = content.Refusal{Path: p.row.Path + "." + path, Value: value, Reason: reason}
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

// references turns the CMS's ids into the guide's, a query per list.
type references map[content.List]map[string]int64

// want asks for ids of a list; "" is no reference.
func (r references) want(list content.List, ids ...string) {
	if r[list] == nil {
		r[list] = make(map[string]int64)
	}
	for _, id := range ids {
		if id != "" {
			r[list][id] = 0
		}
	}
}

func (r references) load(ctx context.Context, queries *guidesql.Queries) error {
	for list, wanted := range r {
		if len(wanted) == 0 {
			continue
		}
		ids := make([]string, 0, len(wanted))
		for id := range wanted {
			ids = append(ids, id)
		}
		rows, err := known(ctx, queries, list, ids)
		if err != nil {
			return err
		}
		for id, row := range rows {
			wanted[id] = row.ID
		}
	}
	return nil
}

// optional is the guide's id, nil for "" and for what is not there.
func (r references) optional(list content.List, id string) *int64 {
	if found := r[list][id]; found != 0 {
		return &found
	}
	return nil
}

// refuseUnknown refuses object if one of ids is not there. Paths name the
// field, with an index if it is a list.
func refuseUnknown[T any](object *pending[T], refs references, list content.List, field string, ids ...string) bool {
	for n, id := range ids {
		if id == "" || refs[list][id] != 0 {
			continue
		}
		path := field
		if len(ids) > 1 || field[len(field)-1] == 's' {
			path = fmt.Sprintf("%s[%d]", field, n)
		}
		object.refuse(path, id, content.UnknownReference(list))
		return true
	}
	return false
}

// kept are the objects not refused meanwhile.
func kept[T any](objects []*pending[T]) []*pending[T] {
	remaining := objects[:0]
	for _, object := range objects {
		if object.row.outcome != refused {
			remaining = append(remaining, object)
		}
	}
	return remaining
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
