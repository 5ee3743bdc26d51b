package guidedb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
	"vestnik/internal/guide"
)

// PlacesNear lists the nearest published places that have a position, nearest
// first, at most limit of them and none farther than radius metres (at most
// 50 km). It widens its look step by step, so that in a dense city it reads
// little more than it gives.
func (s *Store) PlacesNear(ctx context.Context, latitude, longitude, radius float64, limit int) ([]guide.Entry, error) {
	if math.IsNaN(latitude) || math.IsNaN(longitude) || math.Abs(latitude) > 90 || math.Abs(longitude) > 180 {
		return nil, fmt.Errorf("guidedb: places near: not a position on Earth")
	}
	radius = math.Min(math.Max(radius, 1), 50_000)
	limit = min(max(limit, 1), MaxPageSize)
	for look := math.Min(250, radius); ; look = math.Min(look*3, radius) {
		south, west, north, east := boundingBox(latitude, longitude, look)
		rows, err := s.queries.PlacesNear(ctx, guidesql.PlacesNearParams{
			Lat: latitude, Lon: longitude, South: south, West: west, North: north, East: east,
			Radius: look, MaxPlaces: int64(limit),
		})
		if err != nil {
			return nil, wrap("places near", err)
		}
		if len(rows) < limit && look < radius {
			continue
		}
		return all("places near", rows, nil, func(row guidesql.PlacesNearRow) guide.Entry {
			return guide.Entry{Entity: guide.Place, ID: row.ID, Name: row.Name, Address: row.Address, Metres: &row.Metres}
		})
	}
}

const (
	// maxRanked is how many of those that match are compared; where more do,
	// there is little to choose between them, and comparing takes time.
	maxRanked = 200
	// wordSimilarity is how near a word must be to one of a name, from 0 to 1.
	// At pg_trgm's own 0.6 a wrong letter in a six-letter word is too many: that
	// leaves 4 trigrams of 10.
	wordSimilarity = "0.39"
)

// Search finds published places and coming events by words in their names,
// addresses and descriptions, whatever their grammatical form. If nothing has
// all of the words, it looks for names that are spelled nearly so, where
// pg_trgm is installed, and at last for what has any of the words. Places come
// before events, at most limit of each, names that begin with the words before
// others. Of the text the first 64 characters count; it is not kept.
func (s *Store) Search(ctx context.Context, text string, now time.Time, limit int) ([]guide.Entry, error) {
	query := content.SortKey(text) // letters, digits and spaces: nothing that the query language knows
	if query == "" {
		return nil, nil
	}
	var hits []guide.Entry
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		search := search{queries: s.queries.WithTx(tx), query: query, now: now, limit: int64(min(max(limit, 1), MaxPageSize))}
		if err := search.queries.SearchByIndexes(ctx, wordSimilarity); err != nil {
			return err
		}
		words := strings.Fields(query)
		for _, look := range []func() ([]guide.Entry, error){
			func() ([]guide.Entry, error) { return search.byWords(ctx, query, []string{query}) },
			func() ([]guide.Entry, error) { return search.byTrigrams(ctx, longestWords(query, 3)) },
			func() ([]guide.Entry, error) { return search.byTrigrams(ctx, []string{query}) }, // a word may be the address's
			func() ([]guide.Entry, error) { return search.byWords(ctx, strings.Join(words, " or "), words) },
		} {
			var err error
			if hits, err = look(); err != nil || len(hits) > 0 {
				return err
			}
		}
		return nil
	})
	return hits, wrap("search", err)
}

// longestWords are at most count words of a query, the longest first; those
// that say little are left out.
func longestWords(query string, count int) []string {
	words := slices.DeleteFunc(strings.Fields(query), func(word string) bool { return utf8.RuneCountInString(word) < 3 })
	if len(words) == 0 {
		return []string{query}
	}
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words[:min(len(words), count)]
}

// search is one person's search, within its transaction.
type search struct {
	queries *guidesql.Queries
	query   string
	now     time.Time
	limit   int64
}

// byWords ranks what matches one of candidates.
func (s search) byWords(ctx context.Context, rankedBy string, candidates []string) ([]guide.Entry, error) {
	places, err := s.queries.SearchPlacesByWords(ctx, guidesql.SearchPlacesByWordsParams{
		Query: s.query, RankedBy: rankedBy, Candidates: candidates, MaxHits: s.limit, MaxRanked: maxRanked,
	})
	if err != nil {
		return nil, err
	}
	events, err := s.queries.SearchEventsByWords(ctx, guidesql.SearchEventsByWordsParams{
		Query: s.query, RankedBy: rankedBy, Candidates: candidates, Now: s.now, MaxHits: s.limit, MaxRanked: maxRanked,
	})
	if err != nil {
		return nil, err
	}
	hits := make([]guide.Entry, 0, len(places)+len(events))
	for _, place := range places {
		hits = append(hits, guide.Entry{Entity: guide.Place, ID: place.ID, Name: place.Name, Address: place.Address})
	}
	for _, event := range events {
		hits = append(hits, guide.Entry{Entity: guide.Event, ID: event.ID, Name: event.Name, Address: event.Address, Starts: &event.StartsAt})
	}
	return hits, nil
}

// byTrigrams finds names that have every one of one to three words, nearly.
func (s search) byTrigrams(ctx context.Context, words []string) ([]guide.Entry, error) {
	installed, err := s.queries.TrigramsInstalled(ctx)
	if err != nil || !installed {
		return nil, err
	}
	var word [3]string
	copy(word[:], words)
	places, err := s.queries.SearchPlacesByTrigrams(ctx, guidesql.SearchPlacesByTrigramsParams{
		Query: s.query, Word1: word[0], Word2: word[1], Word3: word[2], MaxHits: s.limit, MaxRanked: maxRanked,
	})
	if err != nil {
		return nil, err
	}
	events, err := s.queries.SearchEventsByTrigrams(ctx, guidesql.SearchEventsByTrigramsParams{
		Query: s.query, Word1: word[0], Word2: word[1], Word3: word[2], Now: s.now, MaxHits: s.limit, MaxRanked: maxRanked,
	})
	if err != nil {
		return nil, err
	}
	hits := make([]guide.Entry, 0, len(places)+len(events))
	for _, place := range places {
		hits = append(hits, guide.Entry{Entity: guide.Place, ID: place.ID, Name: place.Name, Address: place.Address})
	}
	for _, event := range events {
		hits = append(hits, guide.Entry{Entity: guide.Event, ID: event.ID, Name: event.Name, Address: event.Address, Starts: &event.StartsAt})
	}
	return hits, nil
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
