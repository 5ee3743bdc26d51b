package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
)

// maxPauseReason bounds what is kept of an operator's words.
const maxPauseReason = 4000

// The breaker of a destination whose platform is unavailable: how long it is
// left alone after so many turns in a row that have failed. From the third on,
// every other failure is followed at once by a try of the next row: if that
// gets through, the first row is at fault, and not the platform.
func breaker(failedTurns int) time.Duration {
	switch {
	case failedTurns <= 1:
		return 5 * time.Second
	case failedTurns == 2:
		return 15 * time.Second
	case triesNext(failedTurns):
		return 0
	default:
		return time.Minute
	}
}

func triesNext(failedTurns int) bool { return failedTurns >= 3 && failedTurns%2 == 1 }

func failTurn(ctx context.Context, q *relaysql.Queries, destinationID int64, reason string) error {
	failed, err := q.FailedTurn(ctx, destinationID)
	if err != nil {
		return err
	}
	return q.CoolDestination(ctx, relaysql.CoolDestinationParams{ID: destinationID, Wait: breaker(failed), Reason: reason})
}

// Cool keeps a destination silent for a while.
func (l *Ledger) Cool(ctx context.Context, destinationID int64, wait time.Duration, reason string) error {
	return wrap(l.queries.CoolDestination(ctx, relaysql.CoolDestinationParams{ID: destinationID, Wait: wait, Reason: reason}), "cool destination %d", destinationID)
}

// Pause keeps a destination silent until Resume. The words are kept here and
// nowhere else.
func (l *Ledger) Pause(ctx context.Context, destination string, pause protocol.Pause) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		id, err := destinationID(ctx, q, destination)
		if err != nil {
			return err
		}
		return q.PauseDestination(ctx, relaysql.PauseDestinationParams{
			ID: id, PausedBy: printable(pause.By), PauseReason: shorten(printable(pause.Reason), maxPauseReason),
		})
	})
	return wrap(err, "pause %s", destination)
}

// Resume ends a destination's pause, its cooldown and its breaker's wait. It
// returns the delivery whose refusal had paused it, which is pending again; 0 if
// there is none.
func (l *Ledger) Resume(ctx context.Context, destination string) (takenUp int64, err error) {
	err = l.inTx(ctx, func(q *relaysql.Queries) error {
		id, err := destinationID(ctx, q, destination)
		if err != nil {
			return err
		}
		deliveries, err := q.ResumeDestination(ctx, id)
		for _, delivery := range deliveries { // one at the most
			takenUp = delivery
		}
		return err
	})
	return takenUp, wrap(err, "resume %s", destination)
}

// SetRate makes a destination faster or slower for as long as the configured
// pace is what it is now.
func (l *Ledger) SetRate(ctx context.Context, destination string, rate, configured protocol.Pace) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		id, err := destinationID(ctx, q, destination)
		if err != nil {
			return err
		}
		return q.SetRate(ctx, relaysql.SetRateParams{
			ID: id, RatePerSecond: &rate.PerSecond, RatePerMinute: &rate.PerMinute,
			ConfiguredPerSecond: &configured.PerSecond, ConfiguredPerMinute: &configured.PerMinute,
		})
	})
	return wrap(err, "set the rate of %s", destination)
}

// Lanes returns how the destinations stand that were ever owed something, in
// the order of their names; with a name, that one. configured is asked for the
// pace of each.
func (l *Ledger) Lanes(ctx context.Context, name string, configured func(destination string) protocol.Pace) ([]protocol.LaneState, error) {
	rows, err := l.queries.ListDestinations(ctx, unlessZero(name))
	if err != nil {
		return nil, fmt.Errorf("list destinations: %w", err)
	}
	lanes := make([]protocol.LaneState, len(rows))
	for i, row := range rows {
		pace := pace(configured(row.Name), row.RatePerSecond, row.RatePerMinute, row.ConfiguredPerSecond, row.ConfiguredPerMinute)
		lanes[i] = protocol.LaneState{
			Destination: row.Name, State: protocol.LaneOpen, Queued: row.Waiting,
			RatePerSec: pace.PerSecond, PerMinute: pace.PerMinute, FailingSince: row.FailingSince, PausedAt: row.PausedAt, PausedDelivery: orZero(row.PausedDelivery),
		}
		if row.Waiting > 0 {
			lanes[i].OldestQueued = &row.Oldest
		}
		if row.CoolingUntil != nil && row.CoolingUntil.After(time.Now()) {
			lanes[i].State, lanes[i].Reason, lanes[i].CoolingUntil = protocol.LaneCooling, row.CoolReason, row.CoolingUntil
		}
		if row.PausedAt != nil {
			lanes[i].State, lanes[i].Reason, lanes[i].PausedBy = protocol.LanePaused, row.PauseReason, row.PausedBy
		}
	}
	return lanes, nil
}

// CountWithPeople counts the deliveries that wait for a person, by what for.
func (l *Ledger) CountWithPeople(ctx context.Context) ([]protocol.WithPeople, error) {
	rows, err := l.queries.CountWithPeople(ctx)
	return listOf(rows, func(row relaysql.CountWithPeopleRow) protocol.WithPeople { return protocol.WithPeople(row) }),
		wrap(err, "deliveries that wait for a person")
}

// Pulse returns another value when something has changed that the console shows.
func (l *Ledger) Pulse(ctx context.Context) (string, error) {
	pulse, err := l.queries.Pulse(ctx)
	return pulse, wrap(err, "pulse")
}

// WaitingFilter narrows the deliveries that wait for a person; zero values do not.
// Its fields are as in [DeliveryFilter].
type WaitingFilter struct {
	Status, Destination, Type string
	Since, Until              time.Time
}

// CountWaiting counts the deliveries that wait for a person, as of a time of the
// database's.
func (l *Ledger) CountWaiting(ctx context.Context, filter WaitingFilter) (deliveries int, asOf time.Time, err error) {
	return l.countWaiting(ctx, l.queries, filter, time.Time{})
}

// countWaiting counts those that wait and have since a time; zero is now.
func (l *Ledger) countWaiting(ctx context.Context, queries *relaysql.Queries, filter WaitingFilter, since time.Time) (deliveries int, asOf time.Time, err error) {
	first, beyond, err := l.owedBetween(ctx, filter.Since, filter.Until)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("count what waits for a person: %w", err)
	}
	row, err := queries.CountWaiting(ctx, relaysql.CountWaitingParams{
		Status: unlessZero(filter.Status), Destination: unlessZero(filter.Destination), Type: unlessZero(filter.Type), First: first, Before: beyond,
		AsOf: unlessZero(since),
	})
	return row.Deliveries, row.AsOf, wrap(err, "count what waits for a person")
}

// DestinationRow is a destination that was ever owed something.
type DestinationRow struct {
	Name string
	// MigratedTo is the chat a Telegram group has become, nil if it has not.
	MigratedTo *int64
}

// Destinations returns the destinations in the order of their names.
func (l *Ledger) Destinations(ctx context.Context) ([]DestinationRow, error) {
	rows, err := l.queries.Destinations(ctx)
	return listOf(rows, func(row relaysql.DestinationsRow) DestinationRow { return DestinationRow(row) }), wrap(err, "list destinations")
}
