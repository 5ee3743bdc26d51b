// Package guidedb is the city's content as the bot reads it, the people who
// read it, and the way CMS batches take into it.
//
// Store answers the bot: lists come a page at a time in an order that does not
// change between two pages, a card is read in one statement, so that an import
// running meanwhile is seen entirely or not at all. Imports keeps the batches:
// accepted into a staging table, applied in chunks, each a transaction.
//
// Integer ids are the database's own and go into callback_data; the CMS's
// string ids appear only in imports. Content is unpublished, never deleted.
package guidedb

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/guide"
)

// ErrNotFound says that the object was never there or is not published any
// more. For the person both mean: больше недоступно.
var ErrNotFound = errors.New("guidedb: not found or not published")

// maxListed is how many objects a list reaches to at most. Nobody pages
// through more, and counting further would make every page slow.
const maxListed = 10_000

// maxPageSize is the largest page a list gives; larger requests get this much.
const maxPageSize = 50

// Store reads the guide's content and keeps users and favourites. It is safe
// for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	queries *guidesql.Queries
}

// New makes a store over the migrated database behind pool.
func New(pool *pgxpool.Pool) *Store {
	return &Store{pool: pool, queries: guidesql.New(pool)}
}

// Paging asks for one page. Number counts from 1; a number that is not there
// gives the nearest page that is. Size is cut to 1…maxPageSize.
type Paging struct {
	Number int
	Size   int
}

func (p Paging) clamp() Paging {
	return Paging{Number: max(p.Number, 1), Size: min(max(p.Size, 1), maxPageSize)}
}

// page makes a page of what a query gave; each row also has the total.
func page[R, T any](operation string, asked Paging, rows []R, err error, line func(R) (T, int64)) (guide.Listing[T], error) {
	list := guide.Listing[T]{Items: make([]T, 0, len(rows))}
	for _, row := range rows {
		item, total := line(row)
		list.Items, list.Total = append(list.Items, item), int(total)
	}
	list.Pages = max((list.Total+asked.Size-1)/asked.Size, 1)
	list.Page = min(asked.Number, list.Pages)
	return list, wrap(operation, err)
}

// all converts every row of a query.
func all[R, T any](operation string, rows []R, err error, convert func(R) T) ([]T, error) {
	items := make([]T, 0, len(rows))
	for _, row := range rows {
		items = append(items, convert(row))
	}
	return items, wrap(operation, err)
}

// wrap names the operation and keeps ErrNotFound recognisable. Parameters are
// left out: they may be a person's words.
func wrap(operation string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("guidedb: %s: %w", operation, ErrNotFound)
	default:
		return fmt.Errorf("guidedb: %s: %w", operation, err)
	}
}
