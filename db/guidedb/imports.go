package guidedb

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
	"vestnik/internal/protocol"
)

// Imports keeps the CMS's batches from the receiver to the guide. Every step may
// be repeated at any time, by a worker that took over from one that died: it
// goes on where the last committed transaction ended. It is safe for
// concurrent use.
type Imports struct {
	db      database
	queries *guidesql.Queries
	counted atomic.Pointer[photoCount]
}

// database is a pool, or the transaction of a rehearsal.
type database interface {
	guidesql.DBTX
	Begin(ctx context.Context) (pgx.Tx, error)
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// photoCount is how many photos there were in each state at a time: all of them
// are counted, and whoever waits for an import asks every second.
type photoCount struct {
	guidesql.CountPhotosRow
	at time.Time
}

const photosRecounted = 10 * time.Second

// NewImports works on the migrated database behind pool.
func NewImports(pool *pgxpool.Pool) *Imports {
	return &Imports{db: pool, queries: guidesql.New(pool)}
}

// Progress is how far an import is.
type Progress struct {
	Objects int  // in the batch
	Done    int  // of them worked off, refused ones included
	More    bool // whether the step has more to do
}

// Earlier gives the import that id has to wait for: the first of those
// accepted before it that still run. It is "" when it is id's turn.
func (i *Imports) Earlier(ctx context.Context, id string) (string, error) {
	earlier, err := i.queries.EarlierImport(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return earlier, wrap("earlier import", err)
}

// Running lists the imports that are accepted and not ended, oldest first, at
// most limit of them.
func (i *Imports) Running(ctx context.Context, limit int) ([]string, error) {
	ids, err := i.queries.RunningImports(ctx, int64(limit))
	return ids, wrap("running imports", err)
}

// SetPhase records where in its course an import is.
func (i *Imports) SetPhase(ctx context.Context, id string, phase content.Phase) error {
	return wrap("set import phase", i.queries.SetImportPhase(ctx, guidesql.SetImportPhaseParams{ID: id, Phase: phase}))
}

// Finish ends an import whose objects are all in place; only the photos are
// still to be looked at. What was staged goes, what was refused stays as the
// report; so does, for 30 days, the import itself. One that is held, or was
// confirmed since, is left as it is.
func (i *Imports) Finish(ctx context.Context, id string, now time.Time) error {
	const kept = 30 * 24 * time.Hour
	err := pgx.BeginFunc(ctx, i.db, func(tx pgx.Tx) error {
		queries := i.queries.WithTx(tx)
		locked, err := queries.LockImport(ctx, id)
		if err != nil || locked.State != content.Running {
			return err
		}
		left, err := queries.StagedChunk(ctx, guidesql.StagedChunkParams{
			QueueNumber: locked.QueueNumber, Below: 2 * goneRank, AppliedRank: locked.AppliedRank, AppliedSeq: locked.AppliedSeq, Size: 1,
		})
		if err != nil || len(left) > 0 {
			return err
		}
		difference, err := difference(ctx, queries, locked.QueueNumber)
		if err != nil {
			return err
		}
		if err := queries.FinishImport(ctx, guidesql.FinishImportParams{
			ID: id, State: content.Done, Phase: content.PhasePhotos, Report: &content.Status{Difference: difference},
		}); err != nil {
			return err
		}
		if err := queries.ForgetStagedObjects(ctx, locked.QueueNumber); err != nil {
			return err
		}
		if err := queries.RetirePhotos(ctx); err != nil {
			return err
		}
		return errors.Join(queries.ForgetOldImports(ctx, now.Add(-kept)), queries.ForgetOldUploads(ctx, now.Add(-kept)))
	})
	return wrap("finish import", err)
}

// Ended reports whether an import is done or given up.
func (i *Imports) Ended(ctx context.Context, id string) (bool, error) {
	row, err := i.queries.GetImport(ctx, id)
	return row.FinishedAt != nil, wrap("import ended", err)
}

// Fail gives an import up. What it applied stays; the same batch sent again is
// a new import.
func (i *Imports) Fail(ctx context.Context, id, reason string) error {
	return wrap("fail import", i.queries.FinishImport(ctx, guidesql.FinishImportParams{
		ID: id, State: content.Failed, Phase: content.PhaseFinished, Failure: reason,
	}))
}

// Status returns how an import stands; ErrNotFound for one that is not known,
// or not any more.
func (i *Imports) Status(ctx context.Context, id string) (content.Status, error) {
	row, err := i.queries.GetImport(ctx, id)
	if err != nil {
		return content.Status{}, wrap("import status", err)
	}
	if row.State != content.Held || row.Report != nil {
		return i.status(ctx, row)
	}
	status, err := i.preview(ctx, id)
	if err != nil {
		return status, err
	}
	return status, wrap("keep preview", i.queries.HoldImport(ctx, guidesql.HoldImportParams{ID: id, Report: &status}))
}

func (i *Imports) status(ctx context.Context, row guidesql.CmsImport) (content.Status, error) {
	refused, err := i.queries.ListRefused(ctx, guidesql.ListRefusedParams{
		QueueNumber: row.QueueNumber, MaxRefused: content.MaxRefusedListed,
	})
	if err != nil {
		return content.Status{}, wrap("import status", err)
	}
	photos := i.counted.Load()
	if photos == nil || row.State != content.Running || time.Since(photos.at) > photosRecounted {
		counted, err := i.queries.CountPhotos(ctx)
		if err != nil {
			return content.Status{}, wrap("import status", err)
		}
		photos = &photoCount{counted, time.Now()}
		i.counted.Store(photos)
	}
	status := statusOf(row)
	if row.Report != nil {
		if row.Report.State == content.Held {
			return *row.Report, nil
		}
		status.Difference = row.Report.Difference
	}
	status.Photos = content.Photos{Due: int(photos.Due), Good: int(photos.Good), Bad: int(photos.Bad)}
	status.Refused = make([]content.Refusal, 0, len(refused))
	for _, faults := range refused {
		status.Refused = append(status.Refused, faults...)
	}
	status.Notes = row.Notes
	return status, nil
}

func statusOf(row guidesql.CmsImport) content.Status {
	status := content.Status{
		ID: row.ID, State: row.State, Phase: row.Phase, Mode: row.Mode,
		Objects: row.Objects, Created: row.Created, Changed: row.Changed, Unchanged: row.Unchanged,
		Unpublished: row.Unpublished, RefusedCount: row.Refused, Failure: row.Failure,
		Author: row.Author, Origin: row.Origin, AcceptedAt: row.AcceptedAt, FinishedAt: row.FinishedAt, Progress: 1,
	}
	if row.Undoes != nil {
		status.Undoes = *row.Undoes
	}
	if status.State == content.Running && status.Objects > 0 {
		status.Progress = float64(row.Created+row.Changed+row.Unchanged+row.Refused) / float64(row.Objects)
	}
	return status
}

// pastBite is how many events DropPast takes at once.
const pastBite = 5000

// DropPast takes events out of the lists that were over before a time, a
// bounded number: whoever lists events would walk past them. Their cards stay.
func (i *Imports) DropPast(ctx context.Context, before time.Time) error {
	_, err := i.queries.DropPastListings(ctx, guidesql.DropPastListingsParams{OverBefore: before, MaxEvents: pastBite})
	return wrap("drop past events from the lists", err)
}

// History lists the latest imports, without what they refused and changed.
func (i *Imports) History(ctx context.Context, limit int) ([]content.Status, error) {
	rows, err := i.queries.ListImports(ctx, int64(limit))
	return all("list imports", rows, err, statusOf)
}

// ImportsWithPeople lists what needs a person: imports that are held, and the last
// one if it failed.
func (s *Store) ImportsWithPeople(ctx context.Context) ([]protocol.Problem, error) {
	rows, err := s.queries.ImportsWithPeople(ctx)
	return all("list imports that wait for a person", rows, err, func(row guidesql.ImportsWithPeopleRow) protocol.Problem {
		kind := protocol.ProblemImportHeld
		if row.State == content.Failed {
			kind = protocol.ProblemImportFailed
		}
		return protocol.Problem{Kind: kind, Subject: row.ID, Count: 1, Since: &row.Since}
	})
}

// Tidy brings Postgres's statistics and visibility maps up to date after an
// import that wrote much, as otherwise only happens minutes later: until then
// lists would be planned for the tables as they were before.
func (i *Imports) Tidy(ctx context.Context) error {
	for _, table := range []string{
		"places", "place_types", "place_subcategories", "place_photos", "place_listings",
		"events", "event_category_links", "event_photos", "event_listings", "photos",
		"districts", "types", "subcategories", "event_categories", "event_sources",
		"collections", "collection_items", "promos",
	} {
		if _, err := i.db.Exec(ctx, "VACUUM (ANALYZE) guide."+table); err != nil {
			return fmt.Errorf("guidedb: tidy %s: %w", table, err)
		}
	}
	return nil
}
