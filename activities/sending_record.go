package activities

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"vestnik/db"
	"vestnik/internal/protocol"
)

// arrive records what the platform has taken; what can't be recorded now goes
// to the workflow with the result.
func (o *Outbound) arrive(ctx context.Context, j *sendJob, attempt db.Attempt, ids []int64) error {
	j.arrived = &protocol.Arrival{
		DeliveryKey: j.request.DeliveryKey, Part: j.part, Attempt: attempt.Number, BeganAt: attempt.BeganAt, MessageIDs: ids, Kind: j.shown.Kind,
		Last: j.last(), NextWeight: j.nextWeight(),
	}
	err := o.record(ctx, func(ctx context.Context) error {
		_, err := o.Ledger.Arrived(ctx, *j.arrived)
		return unlessGone(err)
	})
	if j.last() {
		o.Metrics.Delivered(ctx, protocol.Platform(j.Destination), time.Since(j.post.PostedAt))
	}
	if err != nil {
		j.pending = true
		o.Log.WarnContext(ctx, "what has arrived can't be recorded now: the workflow will", "delivery", j.ID, "destination", j.Destination, "error", err)
	}
	return nil
}

// record writes to the ledger for as long as recordTime, whatever happens to
// the activity.
func (o *Outbound) record(ctx context.Context, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := write(ctx)
		if errors.Is(err, db.ErrChanged) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithMaxElapsedTime(recordTime))
	return err
}

// waitOut does what needs the database, and does it again for as long as that
// is away, or the activity's time lasts. Waiting uses up no tries.
func (o *Outbound) waitOut(ctx context.Context, do func() error) error {
	waits := backoff.NewExponentialBackOff()
	waits.MaxInterval = 5 * time.Second
	for {
		err := do()
		var refused *refusedSend // by a platform, whose network may be at fault too
		if err == nil || errors.As(err, &refused) || !db.IsOutage(err) || ctx.Err() != nil {
			return err
		}
		o.Log.WarnContext(ctx, "the database is away: waiting", "error", err)
		pause(ctx, waits.NextBackOff())
	}
}

// unlessGone takes it for done that there is no row to write to: the database
// was restored from before it was made.
func unlessGone(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}
