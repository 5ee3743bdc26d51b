package guidedb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// pending is an object that is to be written.
type pending[T any] struct {
	row    *stagedRow
	object T
	id     int64               // in the guide; 0 until a new object is written
	names  []content.Reference // what it refers to
	refs   references          // of all objects of the chunk
}

// pendingOf decodes the chunk's objects, leaves out those that the guide has
// just so, says of the others whether they are new, and resolves what they refer
// to.
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
	if err := c.keep(ctx, written); err != nil {
		return nil, err
	}
	return resolve(ctx, c, objects)
}

func known(ctx context.Context, queries *guidesql.Queries, list content.List, ids []string) (map[string]guidesql.KnownObjectsRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := queries.KnownObjects(ctx, guidesql.KnownObjectsParams{List: string(list), ExternalIds: ids})
	return keyed(rows, err, func(row guidesql.KnownObjectsRow) (string, guidesql.KnownObjectsRow) { return row.ExternalID, row })
}

// keyed makes a map of what a query gave.
func keyed[R any, K comparable, V any](rows []R, err error, entry func(R) (K, V)) (map[K]V, error) {
	entries := make(map[K]V, len(rows))
	for _, row := range rows {
		key, value := entry(row)
		entries[key] = value
	}
	return entries, err
}

// references are the guide's ids for the CMS's.
type references map[content.List]map[string]int64

// resolve looks up what objects refer to, a query per list, and refuses those
// of them that refer to what is not there.
func resolve[T any](ctx context.Context, c *chunk, objects []*pending[T]) ([]*pending[T], error) {
	refs := references{}
	for _, o := range objects {
		o.names, o.refs = c.list.References(&o.object), refs
		for _, reference := range o.names {
			if refs[reference.List] == nil {
				refs[reference.List] = map[string]int64{}
			}
			refs[reference.List][reference.ID] = 0
		}
	}
	for list, wanted := range refs {
		rows, err := known(ctx, c.queries, list, slices.Collect(maps.Keys(wanted)))
		if err != nil {
			return nil, err
		}
		for id, row := range rows {
			wanted[id] = row.ID
		}
	}
	return slices.DeleteFunc(objects, func(o *pending[T]) bool { return o.refuseUnknown() }), nil
}

// refuseUnknown refuses the object for each reference that leads nowhere.
func (p *pending[T]) refuseUnknown() bool {
	for _, reference := range p.names {
		if p.refs[reference.List][reference.ID] == 0 {
			p.row.refuse(content.Refusal{Path: p.row.Path + "." + reference.Path, Value: reference.ID, Why: content.UnknownReference(reference.List)})
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

// ids are what a batch of upserts gives back, in order.
type ids interface {
	QueryRow(func(n int, id int64, err error))
}

// write takes the chunk's objects into the guide, a row each.
func write[T, P any, R ids](
	ctx context.Context, c *chunk, query func(context.Context, []P) R, row func(*pending[T]) P,
) ([]*pending[T], error) {
	objects, err := pendingOf[T](ctx, c)
	if err != nil {
		return nil, err
	}
	return objects, writeRows(ctx, objects, query, row)
}

// writeRows writes objects and takes the ids that they are given.
func writeRows[T, P any, R ids](
	ctx context.Context, objects []*pending[T], query func(context.Context, []P) R, row func(*pending[T]) P,
) (failed error) {
	rows := make([]P, 0, len(objects))
	for _, o := range objects {
		rows = append(rows, row(o))
	}
	query(ctx, rows).QueryRow(func(n int, id int64, err error) {
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
