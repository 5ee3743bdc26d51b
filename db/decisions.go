package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
)

// Park records that a delivery waits for a person, and returns its status. What
// VK asked for stays, and so does a row that is final, or that was wanted anew
// after the wish that the run knows of.
func (l *Ledger) Park(ctx context.Context, park protocol.Park) (string, error) {
	status, err := l.change(ctx, park.DeliveryKey, func(ctx context.Context, q *relaysql.Queries, row relaysql.GetDeliveryRow) (string, error) {
		if final(row.Status) || wantedSince(row, park.WantedAt) {
			return row.Status, nil
		}
		return park.Status, q.SetStatus(ctx, relaysql.SetStatusParams{ID: row.ID, Status: park.Status, Reason: park.Reason, Captcha: row.Captcha})
	})
	return status, wrap(err, "park")
}

// wantedSince reports whether a delivery that is owed, or is to be approved first,
// was wanted anew after a wish that is known.
func wantedSince(row relaysql.GetDeliveryRow, known time.Time) bool {
	owed := row.Status == protocol.StatusPending || row.Status == protocol.StatusParked && row.Ask != ""
	return owed && row.WantedAt != nil && row.WantedAt.After(known)
}

// Requeue makes a parked delivery pending again, and a failed or skipped one
// too: whoever asks for that wants it sent, and the lane that it had paused to
// go on. What has been sent stays sent.
func (l *Ledger) Requeue(ctx context.Context, key protocol.DeliveryKey) (protocol.Requeued, error) {
	requeued := protocol.Requeued{Status: protocol.StatusPending}
	_, err := l.change(ctx, key, func(ctx context.Context, q *relaysql.Queries, row relaysql.GetDeliveryRow) (string, error) {
		if row.Status == protocol.StatusSent {
			requeued.Status = row.Status
			return row.Status, nil
		}
		if err := q.EndPauseOf(ctx, relaysql.EndPauseOfParams{ID: row.DestinationID, DeliveryID: row.ID}); err != nil {
			return "", err
		}
		if err := q.SetStatus(ctx, relaysql.SetStatusParams{ID: row.ID, Status: protocol.StatusPending, Captcha: row.Captcha}); err != nil {
			return "", err
		}
		wanted, err := q.GetDelivery(ctx, relaysql.GetDeliveryParams(key))
		requeued.WantedAt = orZero(wanted.WantedAt)
		return protocol.StatusPending, err
	})
	if err != nil {
		return protocol.Requeued{}, fmt.Errorf("requeue: %w", err)
	}
	return requeued, nil
}

// Settle records an operator's decision that ends a delivery: it did arrive,
// or it is not to be sent.
func (l *Ledger) Settle(ctx context.Context, settle protocol.Settle) (protocol.DeliverPostResult, error) {
	result := protocol.DeliverPostResult{Status: protocol.StatusSuppressed, Reason: "skipped by an operator"}
	if settle.Action == protocol.ResumeMarkSent {
		result = protocol.DeliverPostResult{Status: protocol.StatusSent, Reason: "marked as sent by an operator"}
	}
	reason := result.Reason // in full only here: nobody's words go back to Temporal
	if note := printable(settle.Note); note != "" {
		reason += ": " + note
	}
	_, err := l.change(ctx, settle.DeliveryKey, func(ctx context.Context, q *relaysql.Queries, row relaysql.GetDeliveryRow) (string, error) {
		if row.Status == protocol.StatusSent { // arrived while the operator made up their mind
			result = protocol.DeliverPostResult{Status: protocol.StatusSent}
			return row.Status, nil
		}
		return result.Status, q.SetStatus(ctx, relaysql.SetStatusParams{ID: row.ID, Status: result.Status, Reason: reason})
	})
	if err != nil {
		return protocol.DeliverPostResult{}, fmt.Errorf("settle: %w", err)
	}
	return result, nil
}

// Status returns a delivery's status, or ErrNotFound.
func (l *Ledger) Status(ctx context.Context, key protocol.DeliveryKey) (string, error) {
	status, err := l.queries.DeliveryStatus(ctx, relaysql.DeliveryStatusParams(key))
	return status, wrap(notFound(err, "%s", key), "status")
}

// Suppress records that a delivery is not to be made after all.
func (l *Ledger) Suppress(ctx context.Context, key protocol.DeliveryKey, reason string) error {
	_, err := l.change(ctx, key, func(ctx context.Context, q *relaysql.Queries, row relaysql.GetDeliveryRow) (string, error) {
		if final(row.Status) {
			return row.Status, nil
		}
		return protocol.StatusSuppressed, q.SetStatus(ctx, relaysql.SetStatusParams{ID: row.ID, Status: protocol.StatusSuppressed, Reason: reason})
	})
	return wrap(err, "suppress")
}

// Learn settles a delivery from what its closed workflow came to, if the row does
// not know: the database was restored from a backup. What was sent, was sent; any
// other end counts unless the row was wanted anew since. It reports whether the
// row is at rest now.
func (l *Ledger) Learn(ctx context.Context, key protocol.DeliveryKey, result protocol.DeliverPostResult) (settled bool, err error) {
	_, err = l.change(ctx, key, func(ctx context.Context, q *relaysql.Queries, row relaysql.GetDeliveryRow) (string, error) {
		settled = final(row.Status)
		if settled || result.Status == "" || result.Status == protocol.StatusUnrecorded || result.Status != protocol.StatusSent && wantedSince(row, result.WantedAt) {
			return row.Status, nil
		}
		settled = true
		for part, ids := range result.MessageIDs {
			if ids == nil {
				continue // an earlier run has sent it
			}
			if _, err := q.RecordArrival(ctx, relaysql.RecordArrivalParams{
				Destination: key.Destination, OwnerID: key.OwnerID, PostID: key.PostID, Part: part, MessageIds: ids, NextWeight: 1,
			}); err != nil {
				return "", err
			}
		}
		return result.Status, q.SetStatus(ctx, relaysql.SetStatusParams{ID: row.ID, Status: result.Status, Reason: clean(result.Reason)})
	})
	if err != nil {
		return false, fmt.Errorf("learn from a closed workflow: %w", err)
	}
	return settled, nil
}

// change locks a delivery's row and changes its status.
func (l *Ledger) change(ctx context.Context, key protocol.DeliveryKey,
	do func(context.Context, *relaysql.Queries, relaysql.GetDeliveryRow) (status string, err error),
) (status string, err error) {
	err = l.inTx(ctx, func(q *relaysql.Queries) error {
		row, err := q.GetDelivery(ctx, relaysql.GetDeliveryParams(key))
		if err != nil {
			return notFound(err, "%s", key)
		}
		status, err = do(ctx, q, row)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	return status, nil
}
