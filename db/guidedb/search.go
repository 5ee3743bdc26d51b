package guidedb

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/content"
)

// NearPlace is a place with its distance from where the person is.
type NearPlace struct {
	PlaceLine
	Metres float64 // along the great circle, not the streets
}

// Hit is what a search found.
type Hit struct {
	Kind     Kind
	ID       int64
	Name     string
	Address  string
	StartsAt *time.Time // events only
}

// PlacesNear lists the nearest published places that have a position, nearest
// first, at most limit of them and none farther than radius metres (at most
// 50 km). It widens its look step by step, so that in a dense city it reads
// little more than it gives.
func (s *Store) PlacesNear(ctx context.Context, latitude, longitude, radius float64, limit int) ([]NearPlace, error) {
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
		places := make([]NearPlace, 0, len(rows))
		for _, row := range rows {
			places = append(places, NearPlace{
				PlaceLine: PlaceLine{ID: row.ID, Name: row.Name, Address: row.Address, Rating: row.Rating},
				Metres:    row.Metres,
			})
		}
		return places, nil
	}
}

// Search finds published places and coming events by words in their names,
// addresses and descriptions, whatever their grammatical form. If nothing has
// all of the words, it looks for names that are spelled nearly so, where
// pg_trgm is installed, and at last for what has any of the words. Places come
// before events, at most limit of each. Of the text the first 64 characters
// count; it is not kept.
func (s *Store) Search(ctx context.Context, text string, now time.Time, limit int) ([]Hit, error) {
	query := content.SortKey(text) // letters, digits and spaces: nothing that the query language knows
	if query == "" {
		return nil, nil
	}
	limit = min(max(limit, 1), MaxPageSize)
	anyWord := strings.ReplaceAll(query, " ", " or ")
	for _, look := range []func() ([]Hit, error){
		func() ([]Hit, error) { return s.searchByWords(ctx, query, now, int64(limit)) },
		func() ([]Hit, error) { return s.searchByTrigrams(ctx, query, now, int64(limit)) },
		func() ([]Hit, error) { return s.searchByWords(ctx, anyWord, now, int64(limit)) },
	} {
		if hits, err := look(); err != nil || len(hits) > 0 {
			return hits, wrap("search", err)
		}
	}
	return nil, nil
}

func (s *Store) searchByWords(ctx context.Context, query string, now time.Time, limit int64) ([]Hit, error) {
	places, err := s.queries.SearchPlacesByWords(ctx, guidesql.SearchPlacesByWordsParams{Query: query, MaxHits: limit})
	if err != nil {
		return nil, err
	}
	events, err := s.queries.SearchEventsByWords(ctx, guidesql.SearchEventsByWordsParams{Query: query, Now: now, MaxHits: limit})
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(places)+len(events))
	for _, place := range places {
		hits = append(hits, Hit{Kind: KindPlace, ID: place.ID, Name: place.Name, Address: place.Address})
	}
	for _, event := range events {
		hits = append(hits, Hit{Kind: KindEvent, ID: event.ID, Name: event.Title, Address: event.Address, StartsAt: &event.StartsAt})
	}
	return hits, nil
}

// searchByTrigrams lowers pg_trgm's threshold within its transaction: at the
// default of 0.6 one wrong letter in a six-letter word is already too many.
func (s *Store) searchByTrigrams(ctx context.Context, query string, now time.Time, limit int64) ([]Hit, error) {
	installed, err := s.queries.TrigramsInstalled(ctx)
	if err != nil || !installed {
		return nil, err
	}
	var hits []Hit
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('pg_trgm.word_similarity_threshold', '0.45', true)"); err != nil {
			return err
		}
		queries := s.queries.WithTx(tx)
		places, err := queries.SearchPlacesByTrigrams(ctx, guidesql.SearchPlacesByTrigramsParams{Query: query, MaxHits: limit})
		if err != nil {
			return err
		}
		for _, place := range places {
			hits = append(hits, Hit{Kind: KindPlace, ID: place.ID, Name: place.Name, Address: place.Address})
		}
		events, err := queries.SearchEventsByTrigrams(ctx, guidesql.SearchEventsByTrigramsParams{Query: query, Now: now, MaxHits: limit})
		if err != nil {
			return err
		}
		for _, event := range events {
			hits = append(hits, Hit{Kind: KindEvent, ID: event.ID, Name: event.Title, Address: event.Address, StartsAt: &event.StartsAt})
		}
		return nil
	})
	return hits, err
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
