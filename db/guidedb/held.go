package guidedb

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
	"vestnik/internal/guide"
)

// brake stages what a snapshot does not name, to be unpublished with the rest,
// and holds the import if that is more than its brake lets go without a
// person's word.
func (i *Imports) brake(ctx context.Context, queries *guidesql.Queries, id string) (held bool, gone int, err error) {
	locked, err := queries.LockImport(ctx, id)
	if err != nil || locked.State != content.Running || locked.Mode != content.Snapshot || locked.AppliedRank >= 0 {
		return false, 0, err
	}
	if err := errors.Join(queries.GoByIndexes(ctx), queries.ForgetUnnamed(ctx, locked.QueueNumber)); err != nil {
		return false, 0, err
	}
	if err := queries.StageUnnamed(ctx, guidesql.StageUnnamedParams{
		QueueNumber: locked.QueueNumber, Lists: locked.Lists, Ranks: ranksOf(locked.Lists),
	}); err != nil {
		return false, 0, err
	}
	staged, err := queries.CountGone(ctx, locked.QueueNumber)
	if err != nil || staged <= locked.Confirmed {
		return false, staged, err
	}
	weighed, err := queries.WeighUnnamed(ctx, guidesql.WeighUnnamedParams{QueueNumber: locked.QueueNumber, Lists: locked.Lists})
	if err != nil {
		return false, staged, err
	}
	held = slices.ContainsFunc(weighed, func(list guidesql.WeighUnnamedRow) bool {
		return list.Gone >= brakeFloor && 100*list.Gone > int(locked.Brake)*list.Published
	})
	if held {
		err = queries.HoldImport(ctx, guidesql.HoldImportParams{ID: id})
	}
	return held, staged, err
}

func names(lists []content.List) []string {
	names := make([]string, 0, len(lists))
	for _, list := range lists {
		names = append(names, string(list))
	}
	return names
}

func ranksOf(lists []string) []int16 {
	ranks := make([]int16, 0, len(lists))
	for _, list := range lists {
		ranks = append(ranks, int16(content.List(list).Rank()))
	}
	return ranks
}

// CountError is a confirmation with another number than the import unpublishes.
type CountError struct{ Unpublishes int }

func (e *CountError) Error() string {
	return "guidedb: the confirmation names another number of objects than would be unpublished"
}

// Confirm lets a held import be applied. unpublishes must be the number of
// objects that it takes away, as its difference has it, or the error is a
// *CountError; ErrNotFound if it is not held.
func (i *Imports) Confirm(ctx context.Context, id string, unpublishes int) error {
	status, err := i.Status(ctx, id)
	switch {
	case err != nil:
		return err
	case status.State != content.Held:
		return wrap("confirm import", ErrNotFound)
	case status.Difference.Unpublished() != unpublishes:
		return &CountError{Unpublishes: status.Difference.Unpublished()}
	}
	if err := i.letGo(ctx, id, unpublishes); err != nil {
		return err
	}
	return i.ForgetFile(ctx, id)
}

func (i *Imports) letGo(ctx context.Context, id string, confirmed int) error {
	rows, err := i.queries.ConfirmImport(ctx, guidesql.ConfirmImportParams{ID: id, Confirmed: confirmed})
	if err == nil && rows == 0 {
		err = ErrNotFound
	}
	return wrap("confirm import", err)
}

// Discard forgets a held import; ErrNotFound if it is not held.
func (i *Imports) Discard(ctx context.Context, id string) error {
	rows, err := i.queries.DropImport(ctx, guidesql.DropImportParams{ID: id, State: content.Held})
	if err == nil && rows == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return wrap("discard import", err)
	}
	return i.ForgetFile(ctx, id)
}

// Check returns what a batch would make of the guide, and leaves nothing.
func (i *Imports) Check(ctx context.Context, upload Upload) (content.Status, error) {
	return i.check(ctx, upload, func(*Imports) error { return nil })
}

// CheckCard is Check with the card of one place, event or promo as people would
// see it; nil for what has none.
func (i *Imports) CheckCard(ctx context.Context, upload Upload, list content.List, externalID string, texts *guide.Texts, now time.Time) (content.Status, *guide.Screen, error) {
	var card *guide.Screen
	status, err := i.check(ctx, upload, func(dry *Imports) error {
		object, err := dry.Object(ctx, list, externalID)
		if errors.Is(err, ErrNotFound) || err == nil && !object.Published {
			return nil
		}
		if err != nil {
			return err
		}
		store := Store{queries: dry.queries}
		var screen guide.Screen
		switch list {
		case content.Places:
			view, failed := store.Place(ctx, object.ID, 0)
			screen, err = texts.PlaceCard(view, guide.CardExtra{}, guide.Links{}), failed
		case content.Events:
			view, failed := store.Event(ctx, object.ID, 0)
			screen, err = texts.EventCard(view, guide.CardExtra{}, guide.Links{}, now), failed
		case content.Promos:
			view, failed := store.Promo(ctx, object.ID)
			screen, err = texts.PromoCard(view, false, now), failed
		default:
			return nil
		}
		card = &screen
		return err
	})
	return status, card, err
}

func (i *Imports) check(ctx context.Context, upload Upload, look func(dry *Imports) error) (status content.Status, err error) {
	upload.Key, upload.Hold = "", true
	err = i.rehearse(ctx, func(dry *Imports) error {
		queries := dry.queries
		number, err := queries.NextQueueNumber(ctx)
		if err != nil {
			return err
		}
		if err := stage(ctx, dry.db, number, upload.Batch); err != nil {
			return err
		}
		accepted, err := dry.record(ctx, queries, number, upload)
		if err != nil {
			return err
		}
		if status, err = dry.outcome(ctx, accepted.ID); err != nil {
			return err
		}
		return look(dry)
	})
	return status, err
}

// preview is what a held import would make of the guide.
func (i *Imports) preview(ctx context.Context, id string) (status content.Status, err error) {
	err = i.rehearse(ctx, func(dry *Imports) error {
		status, err = dry.outcome(ctx, id)
		return err
	})
	return status, err
}

// rehearse takes everything back that the rehearsal did.
func (i *Imports) rehearse(ctx context.Context, rehearsal func(dry *Imports) error) error {
	tx, err := i.db.Begin(ctx)
	if err != nil {
		return wrap("rehearse", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // the connection is given up then
	return rehearsal(&Imports{db: tx, queries: i.queries.WithTx(tx)})
}

// outcome applies a held import and returns what became of it.
func (i *Imports) outcome(ctx context.Context, id string) (content.Status, error) {
	const all = 1 << 30
	nobody := func(Progress) {}
	if err := i.letGo(ctx, id, all); err != nil {
		return content.Status{}, err
	}
	if err := i.Apply(ctx, id, nobody); err != nil {
		return content.Status{}, err
	}
	if err := i.Unpublish(ctx, id, nobody); err != nil {
		return content.Status{}, err
	}
	row, err := i.queries.GetImport(ctx, id)
	if err != nil {
		return content.Status{}, wrap("preview", err)
	}
	status, err := i.status(ctx, row)
	if err != nil {
		return status, err
	}
	status.State, status.Phase, status.Progress = content.Held, content.PhaseWaiting, 0
	status.Difference, err = difference(ctx, i.queries, row.QueueNumber)
	return status, wrap("preview", err)
}

// differenceListed is how many objects of a list and kind a difference names.
const differenceListed = 100

// difference is what an import has made of the guide so far.
func difference(ctx context.Context, queries *guidesql.Queries, queueNumber int64) (content.Difference, error) {
	counts, err := queries.CountDifference(ctx, queueNumber)
	if err != nil {
		return nil, err
	}
	var difference content.Difference
	for _, count := range counts {
		list := content.List(count.List)
		rows, err := queries.ListDifference(ctx, guidesql.ListDifferenceParams{
			List: count.List, QueueNumber: queueNumber, Kind: count.Kind, Size: differenceListed,
		})
		if err != nil {
			return nil, err
		}
		change := content.Change{List: list, Kind: content.ChangeKind(count.Kind), Count: count.Objects}
		for _, row := range rows {
			object := content.ChangedObject{ID: row.ExternalID, Name: row.Title}
			if change.Kind == content.ObjectChanged {
				object.Fields = content.Compare(list, row.Before, row.After)
			}
			change.Objects = append(change.Objects, object)
		}
		difference = append(difference, change)
	}
	slices.SortFunc(difference, content.Change.Compare)
	return difference, nil
}

// Undo makes an import that takes another back: what it created is unpublished,
// the rest is as it was before it. What later imports wrote stays. ErrNotFound
// if there is no such import, if it has not ended, or if nothing is left of it.
func (i *Imports) Undo(ctx context.Context, id, author string) (accepted Acceptance, err error) {
	err = pgx.BeginFunc(ctx, i.db, func(tx pgx.Tx) error {
		queries := i.queries.WithTx(tx)
		if err := queries.LockAcceptance(ctx); err != nil {
			return err
		}
		undone, err := queries.GetImport(ctx, id)
		if err != nil {
			return err
		}
		number, err := queries.NextQueueNumber(ctx)
		if err != nil {
			return err
		}
		lists := names(content.Lists)
		staged, err := queries.StageUndo(ctx, guidesql.StageUndoParams{ID: id, QueueNumber: number, Lists: lists, Ranks: ranksOf(lists)})
		if err != nil {
			return err
		}
		if undone.FinishedAt == nil || staged.Staged == 0 {
			return ErrNotFound
		}
		hash := content.UndoHash(id, number)
		accepted.State = content.Running
		if accepted.ID, err = newImportID(ctx, queries, "", hash, number); err != nil {
			return err
		}
		return insertImport(ctx, queries, guidesql.InsertImportParams{
			ID: accepted.ID, QueueNumber: number, ContentHash: hash, Mode: content.Upsert, Lists: []string{},
			Objects: staged.Objects, Author: author, Origin: undone.Origin, Undoes: &id, Brake: undone.Brake, Notes: content.Notes{KeptLater: staged.Later},
		})
	})
	return accepted, wrap("undo import", err)
}
