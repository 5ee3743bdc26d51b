package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/notice"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

// Edit is an edit about to be made.
type Edit struct {
	ID    int64
	Cause string
	// Delivery is the one whose messages are to be edited.
	Delivery Delivery
	// TakenBack: the messages are to be removed, whatever the cause.
	TakenBack bool
	SentAt    time.Time // zero if it has not arrived in full
	Attempts  int       // this one among them
	Parts     []PartToEdit
	// Cut has the parts that are still to come; nil if there are none.
	Cut *notice.Cut

	revision int
}

// PartToEdit is a part of a delivery that has arrived.
type PartToEdit struct {
	Part       int
	MessageIDs []int64
	Shown
	// Gone: the message was found to be deleted. Behind: it is in a chat that its
	// destination is not any more.
	Gone, Behind bool
}

// TakeBack takes deliveries back: what waits is not sent, for the reason given,
// and what has arrived is removed by their lanes, also what arrives later. It
// returns the destinations whose lanes have something to do. A delivery that is
// taken back already stays so.
func (l *Ledger) TakeBack(ctx context.Context, reason string, deliveryIDs ...int64) (destinations []string, err error) {
	destinations, err = l.queries.TakeBack(ctx, relaysql.TakeBackParams{Ids: deliveryIDs, Reason: printable(reason)})
	return destinations, wrap(err, "take back %s", words.Count(len(deliveryIDs), "delivery", "deliveries"))
}

// OpenEdit returns an edit to be made; nil if nothing is left to do. It counts as
// an attempt if its turn begins with it, and not where it is repeated within that.
func (l *Ledger) OpenEdit(ctx context.Context, id int64, begins bool) (*Edit, error) {
	row, err := l.queries.OpenEdit(ctx, relaysql.OpenEditParams{ID: id, Begins: begins})
	if err != nil {
		return nil, notFound(err, "edit %d", id)
	}
	if row.Status != protocol.EditPending {
		return nil, nil
	}
	parts, err := l.queries.PartsToEdit(ctx, row.DeliveryID)
	if err != nil {
		return nil, fmt.Errorf("parts of delivery %d: %w", row.DeliveryID, err)
	}
	edit := &Edit{
		ID: row.ID, Cause: row.Cause, SentAt: orZero(row.SentAt), Attempts: row.Attempts, revision: row.Revision,
		Cut: row.Cut, TakenBack: row.TakenBack,
		Delivery: Delivery{
			DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID},
			ID:          row.DeliveryID, Status: row.DeliveryStatus, DestinationID: row.DestinationID, MigratedTo: row.MigratedTo, NamesRefused: row.NamesRefused,
		},
	}
	if row.ReplyTo != nil {
		edit.Delivery.ReplyTo, err = l.queries.FirstMessage(ctx, *row.ReplyTo)
		if err != nil && !errorsIsNoRows(err) {
			return nil, fmt.Errorf("message that delivery %d answers: %w", row.DeliveryID, err)
		}
	}
	for _, part := range parts {
		edit.Parts = append(edit.Parts, PartToEdit{
			Part: part.Part, MessageIDs: part.MessageIds,
			Shown: Shown{Kind: part.Kind, Wordless: !part.Wordy, Version: part.Shown, Photos: part.Photos},
			Gone:  part.Gone, Behind: orZero(part.ChatID) != orZero(row.MigratedTo),
		})
	}
	return edit, nil
}

// PhotosFollow has the post of a delivery edited after a while: some of its
// photos could not be got when it went out.
func (l *Ledger) PhotosFollow(ctx context.Context, deliveryID int64, wait time.Duration) error {
	return wrap(l.queries.EditDelivery(ctx, relaysql.EditDeliveryParams{DeliveryID: deliveryID, Cause: causeEdited, Wait: wait}), "photos of delivery %d", deliveryID)
}

// PartShows records what a part shows now, or that its message is gone.
func (l *Ledger) PartShows(ctx context.Context, deliveryID int64, part PartToEdit) error {
	err := l.queries.PartShows(ctx, relaysql.PartShowsParams{
		DeliveryID: deliveryID, Part: part.Part, Shown: part.Version, Gone: part.Gone, Photos: notNil(part.Photos),
	})
	return wrap(err, "part %d of delivery %d", part.Part, deliveryID)
}

// FinishEdit records what an edit came to. It returns false if the
// post or its case has changed again meanwhile: then it goes on. One whose
// delivery has late photos still to come is due again when they are.
func (l *Ledger) FinishEdit(ctx context.Context, edit *Edit, status, reason string) (finished bool, err error) {
	rows, err := l.queries.FinishEdit(ctx, relaysql.FinishEditParams{
		ID: edit.ID, Revision: edit.revision, Status: status, Error: reason,
	})
	return rows > 0, wrap(err, "finish edit %d", edit.ID)
}

// PostponeEdit records why an edit could not be made now. It is due
// again after a time, twice as long for each attempt that was made, six hours at
// the most.
func (l *Ledger) PostponeEdit(ctx context.Context, id int64, reason string, again time.Duration) error {
	return wrap(l.queries.PostponeEdit(ctx, relaysql.PostponeEditParams{ID: id, Error: reason, Again: again}), "postpone edit %d", id)
}

// EditRow is an edit as operators see it.
type EditRow struct {
	ID         int64      `json:"id"`
	DeliveryID int64      `json:"delivery_id"`
	Cause      string     `json:"cause"`
	Status     string     `json:"status"`
	Reason     string     `json:"reason,omitempty"`
	Attempts   int        `json:"attempts"`
	CreatedAt  time.Time  `json:"created_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// Edits returns the edits of deliveries, oldest first.
func (l *Ledger) Edits(ctx context.Context, deliveryIDs ...int64) ([]EditRow, error) {
	rows, err := l.queries.ListEdits(ctx, deliveryIDs)
	return listOf(rows, func(row relaysql.ListEditsRow) EditRow { return EditRow(row) }), wrap(err, "list edits")
}
