package db

import (
	"context"
	"fmt"
	"time"
)

// Day is what one day (UTC) came to.
type Day struct {
	Day  time.Time      `json:"day"`
	Sent map[string]int `json:"sent"` // deliveries by destination
	// Lost and Reunited count posts by what they say.
	Lost     int `json:"lost"`
	Reunited int `json:"reunited"`
	// Calls are those of wall.get, of all keys.
	Calls int `json:"calls"`
	// Delay is from a post to its message, Queued the part of it after the post
	// was read.
	Delay  Spread `json:"delay"`
	Queued Spread `json:"queued"`
}

// Spread is what half of the durations, and nine in ten, stayed within.
type Spread struct {
	Half time.Duration `json:"half_ns"`
	Most time.Duration `json:"most_ns"`
}

// Statistics returns the last so many days, today last.
func (l *Ledger) Statistics(ctx context.Context, days int, now time.Time) ([]Day, error) {
	since := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
	list := make([]Day, days)
	for i := range list {
		list[i] = Day{Day: since.AddDate(0, 0, i), Sent: map[string]int{}}
	}
	// on is the day of a row; one that began since is today for us.
	on := func(day time.Time) *Day { return &list[min(int(day.Sub(since).Hours())/24, days-1)] }
	fail := func(err error) ([]Day, error) { return nil, fmt.Errorf("statistics: %w", err) }

	sent, err := l.queries.SentPerDay(ctx, since)
	if err != nil {
		return fail(err)
	}
	for _, row := range sent {
		on(row.Day).Sent[row.Destination] += int(row.Deliveries)
	}
	delays, err := l.queries.DelaysPerDay(ctx, since)
	if err != nil {
		return fail(err)
	}
	for _, row := range delays {
		day := on(row.Day)
		day.Delay, day.Queued = Spread{seconds(row.Half), seconds(row.Most)}, Spread{seconds(row.HalfQueued), seconds(row.MostQueued)}
	}
	types, err := l.queries.TypesPerDay(ctx, since)
	if err != nil {
		return fail(err)
	}
	for _, row := range types {
		day := on(row.Day)
		day.Lost, day.Reunited = day.Lost+int(row.Lost), day.Reunited+int(row.Reunited)
	}
	calls, err := l.queries.CallsPerDay(ctx, since)
	if err != nil {
		return fail(err)
	}
	for _, row := range calls {
		on(row.Day).Calls += int(row.Calls)
	}
	return list, nil
}

func seconds(n float64) time.Duration {
	return time.Duration(n * float64(time.Second)).Round(time.Second)
}
