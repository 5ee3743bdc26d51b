package db

import (
	"context"
	"encoding/json"
	"fmt"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
)

// Cut is a delivery's parts as they were when the first of them arrived. What
// comes after it is sent as it was cut then.
type Cut struct {
	// Parts are the sender's own description of them.
	Parts json.RawMessage `json:"parts"`
	// Photos are those that Parts speaks of.
	Photos []Photo `json:"photos,omitempty"`
	// Version of the post that they show.
	Version []byte `json:"version"`
}

// Arrived records the messages that a part has become. more is the cut of a
// delivery that has parts still to come; without it the delivery is sent.
func (l *Ledger) Arrived(ctx context.Context, attempt Attempt, messageIDs []int64, more *Cut) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		if err := q.CloseAttempt(ctx, relaysql.CloseAttemptParams{ID: attempt.ID, Outcome: OutcomeSent}); err != nil {
			return err
		}
		return l.recordPart(ctx, q, attempt.DeliveryID, attempt.Part, messageIDs, more, attempt.Shown)
	})
	if err != nil {
		return fmt.Errorf("record part %d of delivery %d: %w", attempt.Part, attempt.DeliveryID, err)
	}
	return nil
}

// FoundSent records a part that was found to have arrived, though no attempt
// was answered. more is as for Arrived.
func (l *Ledger) FoundSent(ctx context.Context, id int64, part int, messageIDs []int64, more *Cut, shown Shown) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		return l.recordPart(ctx, q, id, part, messageIDs, more, shown)
	})
	if err != nil {
		return fmt.Errorf("record found part %d of delivery %d: %w", part, id, err)
	}
	return nil
}

func (l *Ledger) recordPart(ctx context.Context, q *relaysql.Queries, id int64, part int, messageIDs []int64, more *Cut, shown Shown) error {
	if err := q.RecordPart(ctx, relaysql.RecordPartParams{
		DeliveryID: id, Part: int32(part), MessageIds: messageIDs,
		Kind: shown.Kind, Wordy: !shown.Wordless, Shown: shown.Version, Photos: notNil(shown.Photos),
	}); err != nil {
		return err
	}
	status := relaysql.SetStatusParams{ID: id, Status: protocol.StatusSent}
	if more != nil {
		status.Status = protocol.StatusSending
		cut, err := json.Marshal(more)
		if err != nil {
			return err
		}
		if err := q.KeepCut(ctx, relaysql.KeepCutParams{ID: id, Cut: cut}); err != nil {
			return err
		}
	}
	return q.SetStatus(ctx, status)
}
