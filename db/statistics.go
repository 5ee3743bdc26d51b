package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
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

// StatisticsDays is how many days KeepDays looks back: eight weeks.
const StatisticsDays = 56

// dayIsOver is when nothing is sent any more on a day that has passed, whose
// answers may have been on their way at midnight.
const dayIsOver = 25 * time.Hour

// Statistics returns the last so many days, today last. Those that KeepDays has
// summed are read, the others are counted.
func (l *Ledger) Statistics(ctx context.Context, days int, now time.Time) ([]Day, error) {
	since := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
	list := make([]Day, days)
	// on is the day of a row; one that began since is today for us.
	on := func(day time.Time) *Day { return &list[min(int(day.Sub(since).Hours())/24, days-1)] }
	fail := func(err error) ([]Day, error) { return nil, fmt.Errorf("statistics: %w", err) }

	kept, err := l.queries.KeptDays(ctx, since)
	if err != nil {
		return fail(err)
	}
	for _, row := range kept {
		*on(row.Day) = dayOf(row)
	}
	for i := range list {
		if list[i].Sent != nil {
			continue
		}
		row, err := l.sumDay(ctx, since.AddDate(0, 0, i))
		if err != nil {
			return fail(err)
		}
		list[i] = dayOf(row)
	}
	types, err := l.queries.TypesPerDay(ctx, since)
	if err != nil {
		return fail(err)
	}
	for _, row := range types {
		day := on(row.Day)
		day.Lost, day.Reunited = day.Lost+row.Lost, day.Reunited+row.Reunited
	}
	calls, err := l.queries.CallsPerDay(ctx, since)
	if err != nil {
		return fail(err)
	}
	for _, row := range calls {
		on(row.Day).Calls += row.Calls
	}
	return list, nil
}

func seconds(n float64) time.Duration {
	return time.Duration(n * float64(time.Second)).Round(time.Second)
}

// KeepDays sums those of the last StatisticsDays that are over and were not summed
// yet.
func (l *Ledger) KeepDays(ctx context.Context, now time.Time) error {
	today := now.UTC().Truncate(24 * time.Hour)
	rows, err := l.queries.KeptDays(ctx, today.AddDate(0, 0, 1-StatisticsDays))
	if err != nil {
		return fmt.Errorf("keep days: %w", err)
	}
	kept := map[time.Time]bool{}
	for _, row := range rows {
		kept[row.Day.UTC()] = true
	}
	for ago := 1; ago < StatisticsDays; ago++ {
		day := today.AddDate(0, 0, -ago)
		if kept[day] || now.Sub(day) < dayIsOver {
			continue
		}
		row, err := l.sumDay(ctx, day)
		if err == nil {
			err = l.queries.KeepDay(ctx, relaysql.KeepDayParams(row))
		}
		if err != nil {
			return fmt.Errorf("keep the sums of %s: %w", day.Format(time.DateOnly), err)
		}
	}
	return nil
}

func (l *Ledger) sumDay(ctx context.Context, day time.Time) (relaysql.RelayDay, error) {
	sum, err := l.queries.SumDay(ctx, relaysql.SumDayParams{Since: day, Until: day.AddDate(0, 0, 1)})
	if err != nil {
		return relaysql.RelayDay{}, err
	}
	sent, err := decoded[map[string]int](sum.Sent)
	return relaysql.RelayDay{Day: day, Sent: sent, Half: sum.Half, Most: sum.Most, HalfQueued: sum.HalfQueued, MostQueued: sum.MostQueued}, err
}

func dayOf(row relaysql.RelayDay) Day {
	return Day{
		Day: row.Day.UTC(), Sent: row.Sent,
		Delay: Spread{seconds(row.Half), seconds(row.Most)}, Queued: Spread{seconds(row.HalfQueued), seconds(row.MostQueued)},
	}
}
