package guidedb

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/words"
)

// PlacesNear lists the nearest published places that have a position, nearest
// first, of the type typeID or of any (0), at most limit of them and none farther
// than radius metres (at most 50 km). It widens its look step by step, so that in
// a dense city it reads little more than it gives.
func (s *Store) PlacesNear(ctx context.Context, latitude, longitude, radius float64, typeID int64, limit int) ([]guide.Entry, error) {
	if math.IsNaN(latitude) || math.IsNaN(longitude) || math.Abs(latitude) > 90 || math.Abs(longitude) > 180 {
		return nil, fmt.Errorf("guidedb: places near: not a position on Earth")
	}
	radius = math.Min(math.Max(radius, 1), 50_000)
	for look := math.Min(250, radius); ; look = math.Min(look*3, radius) {
		south, west, north, east := boundingBox(latitude, longitude, look)
		rows, err := s.queries.PlacesNear(ctx, guidesql.PlacesNearParams{
			Lat: latitude, Lon: longitude, South: south, West: west, North: north, East: east,
			TypeID: typeID, Radius: look, MaxPlaces: int64(limit),
		})
		if err != nil {
			return nil, wrap("places near", err)
		}
		if len(rows) < limit && look < radius {
			continue
		}
		return all("places near", rows, nil, func(row guidesql.PlacesNearRow) guide.Entry {
			return guide.Entry{Entity: guide.Place, ID: row.ID, Name: row.Name, Kind: row.Kind, Address: row.Address, Metres: &row.Metres}
		})
	}
}

const (
	// maxRanked is how many of the places that have a word are compared; where
	// more do, there is little to choose between them, and comparing takes time.
	maxRanked = 400
	// wordSimilarity is how near a word must be to one of a name, from 0 to 1.
	// At pg_trgm's own 0.6 a wrong letter in a six-letter word is too many: that
	// leaves 4 trigrams of 10.
	wordSimilarity = "0.39"
	// shortestTypo is the shortest word that is taken for a misspelt one, in
	// letters: shorter ones are near to everything.
	shortestTypo = 4
)

// Search finds published places and coming events by the words of their names,
// types, districts, addresses and descriptions, in any form and from their
// beginnings on, best first. A word that nothing has is taken for the nearest
// one of a name, where pg_trgm is installed, or left out. Of the text the first
// 64 characters count; it is not kept.
func (s *Store) Search(ctx context.Context, text string, now time.Time, paging Paging) (guide.Listing[guide.Entry], error) {
	paging = paging.clamp()
	query := content.SortKey(text) // letters, digits and spaces: nothing that the query language knows
	var rows []guidesql.SearchRow
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		queries := s.queries.WithTx(tx)
		if err := queries.SearchByIndexes(ctx, guidesql.SearchByIndexesParams{Ordered: "off", WordSimilarity: wordSimilarity}); err != nil {
			return err
		}
		known, err := knownWords(ctx, queries, strings.Fields(query), now)
		if err != nil || len(known) == 0 {
			return err
		}
		rows, err = queries.Search(ctx, guidesql.SearchParams{
			Words: known, Query: query, Now: now, MaxRanked: maxRanked,
			PageNumber: int64(paging.Number), PageSize: int64(paging.Size),
		})
		return err
	})
	return page("search", paging, rows, err, func(row guidesql.SearchRow) (guide.Entry, int64) {
		return guide.Entry{
			Entity: row.Entity, ID: row.ID, Name: row.Name, Kind: row.Kind, Address: row.Address, Starts: row.StartsAt, Ends: row.EndsAt,
		}, row.Total
	})
}

// knownWords are the words that something has, those that are misspelt put right.
func knownWords(ctx context.Context, queries *guidesql.Queries, asked []string, now time.Time) (known []string, err error) {
	rows, err := queries.KnownWords(ctx, guidesql.KnownWordsParams{Words: asked, Now: now})
	if err != nil {
		return nil, err
	}
	installed, err := queries.TrigramsInstalled(ctx)
	for _, row := range rows {
		switch {
		case err != nil:
			return nil, err
		case row.Known:
			known = append(known, row.Word)
		case installed && utf8.RuneCountInString(row.Word) >= shortestTypo:
			var near []string
			near, err = queries.NearWords(ctx, guidesql.NearWordsParams{Word: row.Word, MaxRanked: maxRanked})
			if nearest := words.Nearest(row.Word, near); nearest != "" {
				known = append(known, nearest)
			}
		}
	}
	return known, err
}

// boundingBox gives the degrees that a circle of radius metres fits into. Near
// the poles it takes every longitude.
func boundingBox(latitude, longitude, radius float64) (south, west, north, east float64) {
	const metresPerDegree = 111_194.9 // of a sphere of 6371 km, as the haversine has it
	deltaLatitude := radius / metresPerDegree
	deltaLongitude := 180.0
	if cosine := math.Cos((math.Abs(latitude) + deltaLatitude) * math.Pi / 180); cosine > 0.01 {
		deltaLongitude = deltaLatitude / cosine
	}
	return latitude - deltaLatitude, longitude - deltaLongitude, latitude + deltaLatitude, longitude + deltaLongitude
}
