package guidedb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// exportPage is how many objects are held in memory at a time.
const exportPage = 1000

// Export hands what is published to write, list by list and in the order of
// the CMS's ids, as pointers to content's types: a batch that an import would
// find unchanged. References to what is not published are left out. It is of
// one moment, however long write takes.
func (i *Imports) Export(ctx context.Context, write func(list content.List, object any) error) error {
	err := pgx.BeginFunc(ctx, i.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
			return err
		}
		queries := i.queries.WithTx(tx)
		rows, err := queries.HiddenObjects(ctx)
		if err != nil {
			return err
		}
		hidden := make(map[guidesql.HiddenObjectsRow]bool, len(rows))
		for _, row := range rows {
			hidden[row] = true
		}
		isHidden := func(list content.List, id string) bool {
			return hidden[guidesql.HiddenObjectsRow{List: string(list), ExternalID: id}]
		}
		for _, list := range content.Lists {
			if err := exportList(ctx, queries, list, isHidden, write); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("export", err)
}

func exportList(ctx context.Context, queries *guidesql.Queries, list content.List, hidden func(content.List, string) bool,
	write func(content.List, any) error,
) error {
	for after := ""; ; {
		rows, err := queries.PublishedObjects(ctx, guidesql.PublishedObjectsParams{List: string(list), After: after, Size: exportPage})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			after = row.ExternalID
			object := list.New()
			if err := json.Unmarshal(row.Payload, object); err != nil {
				return err
			}
			if !content.Prune(object, hidden) {
				continue
			}
			if err := write(list, object); err != nil {
				return err
			}
		}
	}
}

// Object is one object of the guide as a batch would bring it.
type Object struct {
	ID        int64 // the guide's
	Published bool
	Title     string
	Content   any    // pointer to the list's type
	Version   string // another one whenever the object is another
}

// Object gives one object by the CMS's id, or ErrNotFound.
func (i *Imports) Object(ctx context.Context, list content.List, externalID string) (Object, error) {
	row, err := i.queries.GetObject(ctx, guidesql.GetObjectParams{List: string(list), ExternalID: externalID})
	if err != nil {
		return Object{}, wrap("object", err)
	}
	version := sha256.Sum256(fmt.Append(row.Payload, row.Published))
	object := Object{ID: row.ID, Published: row.Published, Title: row.Title, Content: list.New(), Version: hex.EncodeToString(version[:8])}
	return object, wrap("object", json.Unmarshal(row.Payload, object.Content))
}

// NamedAfter lists up to most of a list's objects by what people call them, hidden
// ones too: those after one, or, after the zero value, the first.
func (i *Imports) NamedAfter(ctx context.Context, list content.List, after content.Named, most int) ([]content.Named, error) {
	rows, err := i.queries.NextNamedObjects(ctx, guidesql.NextNamedObjectsParams{
		List: string(list), AfterTitle: after.Title, AfterID: after.ID, Most: int64(most),
	})
	return all("named objects", rows, err, func(row guidesql.NextNamedObjectsRow) content.Named {
		return content.Named{ID: row.ExternalID, Title: row.Title, Detail: row.Detail, Published: row.Published}
	})
}

// Named lists all of a list's objects by what people call them, hidden ones too.
func (i *Imports) Named(ctx context.Context, list content.List) ([]content.Named, error) {
	rows, err := i.queries.NamedObjects(ctx, string(list))
	return all("named objects", rows, err, func(row guidesql.NamedObjectsRow) content.Named {
		return content.Named{ID: row.ExternalID, Title: row.Title, Detail: row.Detail, Published: row.Published}
	})
}
