package db

import (
	"context"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
)

// Owing is a destination that owes something.
type Owing struct {
	Destination string
	Paused      bool
	Edits       bool // some of it is edits
}

// Owing returns the destinations with something to send or to edit now.
func (l *Ledger) Owing(ctx context.Context) ([]Owing, error) {
	rows, err := l.queries.OwingDestinations(ctx)
	return listOf(rows, func(row relaysql.OwingDestinationsRow) Owing { return Owing(row) }), wrap(err, "destinations that owe")
}

// ToStart is a delivery whose workflow is to be started.
type ToStart struct {
	protocol.DeliveryKey

	ID                int64
	WantedAt          time.Time // zero if it was wanted once, and nothing more
	PostType, Summary string
	// Status and Reason are those of a row that waits for a person.
	Status, Reason string
}

// Unstarted returns up to most deliveries, oldest first, that are owed and have
// no workflow yet.
func (l *Ledger) Unstarted(ctx context.Context, most int) ([]ToStart, error) {
	rows, err := l.queries.UnstartedDeliveries(ctx, most)
	return listOf(rows, func(row relaysql.UnstartedDeliveriesRow) ToStart {
		return ToStart{
			DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID},
			ID:          row.ID, WantedAt: orZero(row.WantedAt), PostType: row.Type, Summary: summary(row.Type, row.Animal, row.Location, row.Destination),
		}
	}), wrap(err, "deliveries to start")
}

// Started records that deliveries have their workflows.
func (l *Ledger) Started(ctx context.Context, ids []int64) error {
	return wrap(l.queries.MarkStarted(ctx, ids), "mark deliveries as started")
}

// WithPeople returns up to most deliveries that wait for a person and whose
// workflow was not looked at since, the longest ago first.
func (l *Ledger) WithPeople(ctx context.Context, since time.Time, most int) ([]ToStart, error) {
	rows, err := l.queries.WaitingForPeople(ctx, relaysql.WaitingForPeopleParams{SeenBefore: since, Most: most})
	return listOf(rows, func(row relaysql.WaitingForPeopleRow) ToStart {
		return ToStart{
			DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID},
			ID:          row.ID, WantedAt: orZero(row.WantedAt), PostType: row.Type, Summary: summary(row.Type, row.Animal, row.Location, row.Destination),
			Status: row.Status, Reason: row.Reason,
		}
	}), wrap(err, "deliveries that wait for a person")
}

// RunsSeen records that the workflows of deliveries that wait for a person run.
func (l *Ledger) RunsSeen(ctx context.Context, ids []int64) error {
	return wrap(l.queries.RunsSeen(ctx, ids), "mark runs as seen")
}

// WantSchedule remembers that a schedule is wanted, whatever becomes of Temporal.
func (l *Ledger) WantSchedule(ctx context.Context, id string) error {
	return wrap(l.queries.WantSchedule(ctx, id), "want schedule %s", id)
}

// WantedSchedules returns the schedules that are wanted.
func (l *Ledger) WantedSchedules(ctx context.Context) ([]string, error) {
	ids, err := l.queries.WantedSchedules(ctx)
	return ids, wrap(err, "wanted schedules")
}

// NotAtRest returns up to most deliveries that are neither sent nor given up, in
// the order of their ids, after one.
func (l *Ledger) NotAtRest(ctx context.Context, after int64, most int) ([]ToStart, error) {
	rows, err := l.queries.DeliveriesNotAtRest(ctx, relaysql.DeliveriesNotAtRestParams{Waiting: waiting, After: after, Most: most})
	return listOf(rows, func(row relaysql.DeliveriesNotAtRestRow) ToStart {
		return ToStart{ID: row.ID, DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID}}
	}), wrap(err, "deliveries that are not at rest")
}

// Untold returns up to most deliveries that came to rest from outside, and whose
// workflows are to hear of it.
func (l *Ledger) Untold(ctx context.Context, most int) (keys []protocol.DeliveryKey, ids []int64, err error) {
	rows, err := l.queries.UntoldDeliveries(ctx, most)
	for _, row := range rows {
		keys = append(keys, protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID})
		ids = append(ids, row.ID)
	}
	return keys, ids, wrap(err, "deliveries to tell of their end")
}

// Told records that the workflows of deliveries know of their end.
func (l *Ledger) Told(ctx context.Context, ids []int64) error {
	return wrap(l.queries.MarkTold(ctx, ids), "mark deliveries as told")
}
