package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
)

// ToQueue is a delivery that is to be started and to stand in its lane.
type ToQueue struct {
	ID              int64
	Destination     string
	OwnerID, PostID int64
	Weight          int
	// What a person wants to read in a list: type, animal and place.
	PostType, Animal, Location string
}

// Unqueued returns up to most deliveries, oldest first, that are owed and were
// not queued since the given time: new ones, those of a starter that died
// before it could queue them, and those whose lane has lost its memory.
// Queueing one again is harmless.
func (l *Ledger) Unqueued(ctx context.Context, queuedBefore time.Time, most int) ([]ToQueue, error) {
	rows, err := l.queries.DeliveriesToQueue(ctx, relaysql.DeliveriesToQueueParams{QueuedBefore: queuedBefore, Most: int32(most)})
	if err != nil {
		return nil, fmt.Errorf("deliveries to queue: %w", err)
	}
	queue := make([]ToQueue, len(rows))
	for i, row := range rows {
		queue[i] = ToQueue{
			ID: row.ID, Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID, Weight: int(row.Weight),
			PostType: row.Type, Animal: row.Animal, Location: row.Location,
		}
	}
	return queue, nil
}

// ToQueue returns one delivery, whatever its status, or ErrNotFound.
func (l *Ledger) ToQueue(ctx context.Context, id int64) (ToQueue, error) {
	row, err := l.queries.DeliveryToQueue(ctx, id)
	if err != nil {
		return ToQueue{}, notFound(err, "delivery %d", id)
	}
	return ToQueue{
		ID: row.ID, Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID, Weight: int(row.Weight),
		PostType: row.Type, Animal: row.Animal, Location: row.Location,
	}, nil
}

// MarkQueued records that deliveries were started and stand in their lanes.
func (l *Ledger) MarkQueued(ctx context.Context, ids []int64) error {
	if err := l.queries.MarkQueued(ctx, ids); err != nil {
		return fmt.Errorf("mark deliveries as queued: %w", err)
	}
	return nil
}
