package db

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// PostGlance is a post as a list shows it.
type PostGlance struct {
	ID             post.ID
	PostedAt       time.Time
	Type           petpost.Type
	Animal         petpost.Animal
	Name, Location string
	Photo          *Photo // the first one, nil if there is none
	Wall           string // the name under which its wall is watched, "" if none is known
	Deleted        bool
	Statuses       []string // those of its deliveries, each once; none: it was not to go anywhere
}

// PostFilter narrows a list of posts; zero values do not.
type PostFilter struct {
	Type string
	// Search is a phone, or words of a name or a place: all of them, each by its
	// stem or the beginning of that.
	Search string
	Since  time.Time
	// Until and Before leave those that were written earlier: the next page of a
	// list follows the time and the id of its last row.
	Until  time.Time
	Before post.ID
	Limit  int
}

// List returns posts, newest first.
func (s *Posts) List(ctx context.Context, filter PostFilter) ([]PostGlance, error) {
	wanted := relaysql.ListPostsParams{
		Searched: filter.Search != "", Type: unlessZero(filter.Type), Since: filter.Since, Most: filter.Limit,
		Until: filter.Until, BeforeOwner: cmp.Or(filter.Before.OwnerID, math.MaxInt64), BeforePost: cmp.Or(filter.Before.PostID, math.MaxInt64),
	}
	if wanted.Searched {
		if phones := petpost.Parse(petpost.Input{Text: filter.Search}).Phones; len(phones) > 0 {
			wanted.Phones = phones
		} else {
			wanted.Words = unlessZero(searchWords(filter.Search))
		}
	}
	var rows []relaysql.ListPostsRow
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		queries := s.queries.WithTx(tx)
		err := queries.PlanAsAsked(ctx)
		if err == nil {
			rows, err = queries.ListPosts(ctx, wanted)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list posts: %w", err)
	}
	list := make([]PostGlance, len(rows))
	for i, row := range rows {
		list[i] = PostGlance{
			ID: post.ID{OwnerID: row.OwnerID, PostID: row.PostID}, PostedAt: row.PostedAt, Type: petpost.Type(row.Type), Animal: petpost.Animal(row.Animal),
			Name: row.Name, Location: row.Location, Wall: row.Wall, Deleted: row.Deleted, Statuses: row.Statuses,
		}
		if list[i].Photo, err = firstPhoto(row.Photo); err != nil {
			return nil, fmt.Errorf("photo of %s: %w", list[i].ID, err)
		}
	}
	return list, nil
}

// searchWords is a tsquery of every word's beginning.
func searchWords(text string) string {
	words := strings.FieldsFunc(strings.NewReplacer("ё", "е", "Ё", "Е").Replace(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range words {
		words[i] += ":*"
	}
	return strings.Join(words, " & ")
}

// firstPhoto decodes a photo, or null.
func firstPhoto(stored json.RawMessage) (photo *Photo, err error) {
	err = json.Unmarshal(stored, &photo)
	return photo, err
}
