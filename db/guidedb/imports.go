package guidedb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// Imports keeps the CMS's batches from the receiver to the guide. Every step may
// be repeated at any time, by a worker that took over from one that died: it
// goes on where the last committed transaction ended. It is safe for
// concurrent use.
type Imports struct {
	pool    *pgxpool.Pool
	queries *guidesql.Queries
}

// NewImports works on the migrated database behind pool.
func NewImports(pool *pgxpool.Pool) *Imports {
	return &Imports{pool: pool, queries: guidesql.New(pool)}
}

// Progress tells how far an import is.
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
	return wrap("set import phase", i.queries.SetImportPhase(ctx, guidesql.SetImportPhaseParams{ID: id, Phase: string(phase)}))
}

// Finish ends an import whose objects are all in place; only the photos are
// still to be looked at. What was staged goes, what was refused stays as the
// report; so does, for 30 days, the import itself.
func (i *Imports) Finish(ctx context.Context, id string, now time.Time) error {
	const kept = 30 * 24 * time.Hour
	err := pgx.BeginFunc(ctx, i.pool, func(tx pgx.Tx) error {
		queries := i.queries.WithTx(tx)
		locked, err := queries.LockImport(ctx, id)
		if err != nil || content.State(locked.State) != content.Running {
			return err
		}
		if err := queries.FinishImport(ctx, guidesql.FinishImportParams{
			ID: id, State: string(content.Done), Phase: string(content.PhasePhotos),
		}); err != nil {
			return err
		}
		if err := queries.ForgetStagedObjects(ctx, locked.QueueNumber); err != nil {
			return err
		}
		if err := queries.RetirePhotos(ctx); err != nil {
			return err
		}
		return queries.ForgetOldImports(ctx, now.Add(-kept))
	})
	return wrap("finish import", err)
}

// Fail gives an import up. What it applied stays; the same batch sent again is
// a new import.
func (i *Imports) Fail(ctx context.Context, id, reason string) error {
	return wrap("fail import", i.queries.FinishImport(ctx, guidesql.FinishImportParams{
		ID: id, State: string(content.Failed), Phase: string(content.PhaseFinished), Failure: reason,
	}))
}

// Status tells how an import stands; ErrNotFound for one that is not known,
// or not any more.
func (i *Imports) Status(ctx context.Context, id string) (content.Status, error) {
	row, err := i.queries.GetImport(ctx, id)
	if err != nil {
		return content.Status{}, wrap("import status", err)
	}
	refused, err := i.queries.ListRefused(ctx, guidesql.ListRefusedParams{
		QueueNumber: row.QueueNumber, MaxRefused: content.MaxRefusedListed,
	})
	if err != nil {
		return content.Status{}, wrap("import status", err)
	}
	photos, err := i.queries.CountPhotos(ctx)
	if err != nil {
		return content.Status{}, wrap("import status", err)
	}
	status := content.Status{
		ID: row.ID, State: content.State(row.State), Phase: content.Phase(row.Phase), Mode: content.Mode(row.Mode),
		Objects: int(row.Objects), Created: int(row.Created), Changed: int(row.Changed), Unchanged: int(row.Unchanged),
		Unpublished: int(row.Unpublished), RefusedCount: int(row.Refused), Refused: make([]content.Refusal, 0, len(refused)),
		Photos:  content.Photos{Due: int(photos.Due), Good: int(photos.Good), Bad: int(photos.Bad)},
		Failure: row.Failure, AcceptedAt: row.AcceptedAt, FinishedAt: row.FinishedAt, Progress: 1,
	}
	if status.State == content.Running && status.Objects > 0 {
		status.Progress = float64(row.Created+row.Changed+row.Unchanged+row.Refused) / float64(row.Objects)
	}
	for _, refusal := range refused {
		status.Refused = append(status.Refused, content.Refusal{Path: refusal.RefusedPath, Value: refusal.RefusedValue, Reason: refusal.Reason})
	}
	return status, nil
}

// Has tells which of a list's ids, the CMS's, the guide has, published or not:
// those that an object of a batch may refer to.
func (i *Imports) Has(ctx context.Context, list content.List, ids []string) (map[string]bool, error) {
	const atOnce = 5000
	has := make(map[string]bool, len(ids))
	for some := range slices.Chunk(ids, atOnce) {
		rows, err := known(ctx, i.queries, list, some)
		if err != nil {
			return nil, wrap("look up references", err)
		}
		for id := range rows {
			has[id] = true
		}
	}
	return has, nil
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
		if _, err := i.pool.Exec(ctx, "VACUUM (ANALYZE) guide."+table); err != nil {
			return fmt.Errorf("guidedb: tidy %s: %w", table, err)
		}
	}
	return nil
}
