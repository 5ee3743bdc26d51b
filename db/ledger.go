package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
)

// ErrNotFound means that the row asked for does not exist.
var ErrNotFound = errors.New("not found")

// Ledger keeps the deliveries: what is owed, every attempt, what arrived. It
// is the only place where the status of a delivery changes.
type Ledger struct {
	pool    *pgxpool.Pool
	queries *relaysql.Queries
}

// NewLedger returns a ledger in the database behind pool.
func NewLedger(pool *pgxpool.Pool) *Ledger {
	return &Ledger{pool: pool, queries: relaysql.New(pool)}
}

// Delivery is a delivery about to be sent.
type Delivery struct {
	protocol.DeliveryKey

	ID            int64
	Status        string
	DestinationID int64
	// MigratedTo is the chat a Telegram group has become, nil if it has not.
	MigratedTo *int64
	// NamesRefused: the VK wall drops photos that are only named.
	NamesRefused bool
	// FailedTurns is how many turns at the destination have failed in a row,
	// because the platform was unavailable.
	FailedTurns int
	// Attempts so far, whatever came of them.
	Attempts int
	// Uncertain counts the attempts whose outcome nobody can know.
	Uncertain int
	// Arrived holds the message ids of the parts that have arrived, in order.
	Arrived [][]int64
	// LeaseUsed: a part has arrived under the lease it was opened with.
	LeaseUsed bool
	// Wanted: a person has asked for it, whatever its post's age.
	Wanted bool
	// Reason is why it rests, if it does; Paused whether its destination is.
	Reason string
	Paused bool
	// Captcha is what VK asked for last, nil if it did not.
	Captcha *Captcha
	// ReplyTo is the message that the delivery answers, the first about its
	// case; 0 for none.
	ReplyTo int64
	// Cut is how the parts were cut when the first of them was sent; nil before
	// that, and for a delivery in one part.
	Cut *Cut
}

// Captcha is what VK asked a person to solve. A link in it may carry a session
// token: it is for the operator's eyes, not for logs.
type Captcha struct {
	SID         string `json:"sid,omitempty"`
	Picture     string `json:"picture,omitempty"`
	RedirectURI string `json:"redirect_uri,omitempty"`
}

// Outcomes of an attempt.
const (
	OutcomeSent        = "sent"
	OutcomeRetry       = "retry"
	OutcomeRateLimited = "rate_limited"
	OutcomeUnknown     = "unknown"
	OutcomeParked      = "parked"
	OutcomeRejected    = "rejected"
	OutcomeMigrated    = "migrated"
	OutcomeDegraded    = "degraded"
)

// Attempt is a call that is about to be made.
type Attempt struct {
	Part int
	Rung string
	// Lease is the turn under which it is made.
	Lease int64
	// Timeout is how long the call may be in flight.
	Timeout time.Duration
	Shown   Shown
	// Cut is kept with the first part of a delivery in several; else nil.
	Cut *Cut

	// Number counts the attempts at a delivery, from 1. Begin sets it, and when
	// the attempt began, by the database's clock: a database that was restored
	// gives a number again.
	Number  int
	BeganAt time.Time
}

// Shown is what must be known of a part to edit it later.
type Shown struct {
	// Kind is message, photo, album or post.
	Kind string
	// Wordless: it is photos alone, its words are in other parts.
	Wordless bool
	// Version of the post that it shows.
	Version []byte
	// Photos are the names of the photos that it shows, one for each of its
	// messages; nil if it shows none, or nobody can know.
	Photos []string
}

// Cut is a delivery's parts as they were when the first of them was sent. What
// comes after it is sent as it was cut then.
type Cut struct {
	// Parts are the sender's own description of them.
	Parts json.RawMessage `json:"parts"`
	// Photos are those that Parts speaks of.
	Photos []Photo `json:"photos,omitempty"`
	// Version of the post that they show.
	Version []byte `json:"version"`
}

// Ending is how an attempt ended short of arriving.
type Ending struct {
	Outcome    string
	Code       int    // the platform's code; 0 if it gave none
	Error      string // safe to show: no token, no text of the post
	RetryAfter time.Duration
	// Status and Reason are the delivery's from now on.
	Status  string
	Reason  string
	Captcha *Captcha
	// Cool keeps the whole destination silent for that long, for Reason.
	Cool time.Duration
	// Pause stops the destination until a person resumes it, for Reason.
	Pause bool
	// TurnFailed: it was the last try of a turn, and the platform is unavailable.
	TurnFailed bool
}

// BusyError means that a call to the destination may still be in flight.
type BusyError struct {
	// For is how much longer at the most.
	For time.Duration
}

// Error says for how long.
func (e *BusyError) Error() string {
	return fmt.Sprintf("another call to the destination may be in flight for %s", e.For.Round(time.Millisecond))
}

// ErrChanged means that a delivery is not what it was when it was opened: it is
// to be opened again.
var ErrChanged = errors.New("the delivery has changed")

// Open returns a delivery to be sent under a lease. It returns *BusyError while
// a call to its destination may be in flight; one that is overdue was cut off
// when its worker died: nobody can know whether its message went out, and it is
// closed as such and counted. ErrNotFound if there is no such row.
func (l *Ledger) Open(ctx context.Context, key protocol.DeliveryKey, lease int64) (Delivery, error) {
	for {
		row, err := l.queries.OpenDelivery(ctx, relaysql.OpenDeliveryParams{
			Lease: lease, Destination: key.Destination, OwnerID: key.OwnerID, PostID: key.PostID,
		})
		if err != nil {
			return Delivery{}, fmt.Errorf("open delivery: %w", notFound(err, "%s", key))
		}
		if row.InFlight {
			if err := l.expire(ctx, row.ID, row.DestinationID); err != nil {
				return Delivery{}, fmt.Errorf("open %s: %w", key, err)
			}
			continue
		}
		delivery, err := deliveryOf(key, row)
		if err != nil {
			return Delivery{}, fmt.Errorf("open %s: %w", key, err)
		}
		return delivery, nil
	}
}

// expire closes the overdue calls to a destination; *BusyError if there is one
// that is not overdue.
func (l *Ledger) expire(ctx context.Context, deliveryID, destinationID int64) error {
	if _, err := l.queries.CloseExpiredAttempts(ctx, relaysql.CloseExpiredAttemptsParams{
		DeliveryID: deliveryID, DestinationID: destinationID,
	}); err != nil {
		return err
	}
	left, err := l.queries.InFlightFor(ctx, &destinationID)
	if err != nil {
		return err
	}
	if left > 0 {
		return &BusyError{For: left}
	}
	return nil
}

func deliveryOf(key protocol.DeliveryKey, row relaysql.OpenDeliveryRow) (Delivery, error) {
	delivery := Delivery{
		DeliveryKey: key, ID: row.ID, Status: row.Status, DestinationID: row.DestinationID, MigratedTo: row.MigratedTo,
		NamesRefused: row.NamesRefused, FailedTurns: int(row.FailedTurns),
		Attempts: int(row.Attempts), Uncertain: int(row.UnknownAttempts), LeaseUsed: row.LeaseUsed, Wanted: row.Wanted, ReplyTo: row.ReplyTo,
		Reason: row.Reason, Paused: row.Paused,
	}
	if err := json.Unmarshal(row.Arrived, &delivery.Arrived); err != nil {
		return Delivery{}, fmt.Errorf("its parts: %w", err)
	}
	if row.Cut != nil {
		delivery.Cut = new(Cut)
		if err := json.Unmarshal(row.Cut, delivery.Cut); err != nil {
			return Delivery{}, fmt.Errorf("its cut: %w", err)
		}
	}
	if row.Captcha != nil {
		delivery.Captcha = new(Captcha)
		if err := json.Unmarshal(row.Captcha, delivery.Captcha); err != nil {
			return Delivery{}, fmt.Errorf("its captcha: %w", err)
		}
	}
	return delivery, nil
}

// Uncertainty is what is not known about the attempts at a part.
type Uncertainty struct {
	// Attempts ended with an unknown outcome, Unacknowledged of them after a
	// person last said to send all the same.
	Attempts, Unacknowledged int
	// Unanswered of the unacknowledged had no answer at all; the others were
	// answered by something between us and the platform.
	Unanswered int
	// Since is when the first of all of them began.
	Since time.Time
	// RateLimited counts how often the part was told to wait.
	RateLimited int
}

// Uncertain reports how uncertain the attempts at a part have left us. Those
// that began before acknowledgedAt are known to a person who said to send again.
func (l *Ledger) Uncertain(ctx context.Context, id int64, part int, acknowledgedAt time.Time) (Uncertainty, error) {
	row, err := l.queries.AttemptsAtPart(ctx, relaysql.AttemptsAtPartParams{DeliveryID: id, Part: int32(part), AcknowledgedAt: acknowledgedAt})
	if err != nil {
		return Uncertainty{}, fmt.Errorf("uncertainty of delivery %d: %w", id, err)
	}
	return Uncertainty{
		Attempts: int(row.Unknown), Unacknowledged: int(row.Unacknowledged), Unanswered: int(row.Unanswered),
		Since: row.FirstUnknown, RateLimited: int(row.RateLimited),
	}, nil
}

// Rung is how far down the media ladder a photo of a delivery has come.
type Rung int

// The rungs, from the best down.
const (
	RungURL     Rung = iota // the platform gets the photo by its URL
	RungUpload              // we get it and upload the bytes
	RungSmaller             // we upload a smaller one
	RungDropped             // the post goes without it
)

// String is the rung's name in the record of attempts.
func (r Rung) String() string {
	return [...]string{"url", "upload", "smaller", "dropped"}[min(max(r, RungURL), RungDropped)]
}

// LowerPhoto records that a photo, counted from 0, has come down to a rung.
func (l *Ledger) LowerPhoto(ctx context.Context, id int64, photo int, rung Rung) error {
	err := l.queries.LowerPhoto(ctx, relaysql.LowerPhotoParams{DeliveryID: id, Photo: int32(photo), Rung: int32(rung)})
	if err != nil {
		return fmt.Errorf("lower photo %d of delivery %d: %w", photo, id, err)
	}
	return nil
}

// PhotoRungs returns the rungs of those photos of a delivery that have come down.
func (l *Ledger) PhotoRungs(ctx context.Context, id int64) (map[int]Rung, error) {
	rows, err := l.queries.PhotoRungs(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("photo rungs of delivery %d: %w", id, err)
	}
	rungs := make(map[int]Rung, len(rows))
	for _, row := range rows {
		rungs[int(row.Photo)] = Rung(row.Rung)
	}
	return rungs, nil
}

// SavePhoto remembers the name of a photo of a post on the VK wall it was
// uploaded for. index is its place in the post, which another photo may take
// when the post is edited.
func (l *Ledger) SavePhoto(ctx context.Context, id int64, index int, photo Photo, name string) error {
	if err := l.queries.SavePhoto(ctx, relaysql.SavePhotoParams{DeliveryID: id, Photo: int32(index), Source: photo.Name(), Saved: name}); err != nil {
		return fmt.Errorf("save photo %d of delivery %d: %w", index, id, err)
	}
	return nil
}

// SavedPhotos returns the names of those of a post's photos that were uploaded
// for a delivery, by their places in the post.
func (l *Ledger) SavedPhotos(ctx context.Context, id int64, photos []Photo) (map[int]string, error) {
	rows, err := l.queries.SavedPhotos(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("saved photos of delivery %d: %w", id, err)
	}
	names := make(map[int]string, len(rows))
	for _, row := range rows {
		index := int(row.Photo)
		if row.Source == "" || index < len(photos) && photos[index].Name() == row.Source {
			names[index] = row.Saved
		}
	}
	return names, nil
}

// RefuseNames remembers that a VK wall drops photos that are only named.
func (l *Ledger) RefuseNames(ctx context.Context, destinationID int64) error {
	if err := l.queries.RefuseNames(ctx, destinationID); err != nil {
		return fmt.Errorf("destination %d: %w", destinationID, err)
	}
	return nil
}

// Begin records that an attempt is about to go out. It is called right before
// the request: what lies between the two is the window in which the death of a
// worker leaves an unknown outcome. While it is open no other call to the
// destination begins, until its timeout.
//
// ErrChanged if the delivery or its destination is not what it was when it was
// opened, *BusyError if another call is in flight. delivery is kept in step.
func (l *Ledger) Begin(ctx context.Context, delivery *Delivery, attempt Attempt) (Attempt, error) {
	params := relaysql.BeginAttemptParams{
		DeliveryID: delivery.ID, Status: delivery.Status, Attempts: int32(delivery.Attempts), UnknownAttempts: int32(delivery.Uncertain),
		Part: int32(attempt.Part), Rung: attempt.Rung, Lease: attempt.Lease, Timeout: attempt.Timeout,
		Kind: attempt.Shown.Kind, Wordy: !attempt.Shown.Wordless, Shown: attempt.Shown.Version, Photos: notNil(attempt.Shown.Photos),
	}
	if attempt.Cut != nil {
		var err error
		if params.Cut, err = json.Marshal(attempt.Cut); err != nil {
			return Attempt{}, fmt.Errorf("the cut of %s: %w", delivery.DeliveryKey, err)
		}
	}
	begun, err := l.queries.BeginAttempt(ctx, params)
	if errorsIsNoRows(err) {
		// What is overdue is closed, and how that leaves the delivery is read anew.
		if err = l.expire(ctx, delivery.ID, delivery.DestinationID); err == nil {
			err = ErrChanged
		}
	}
	if err != nil {
		return Attempt{}, fmt.Errorf("begin an attempt at %s: %w", delivery.DeliveryKey, err)
	}
	attempt.Number, attempt.BeganAt = int(begun.Number), begun.StartedAt
	delivery.Attempts, delivery.Status = attempt.Number, protocol.StatusSending
	return attempt, nil
}

// Arrived records a part that a platform has taken, and returns the delivery's
// status. It may be called again, and late: an attempt closes once, ids are
// added and not replaced, a delivery that is sent or suppressed stays so.
func (l *Ledger) Arrived(ctx context.Context, arrival protocol.Arrival) (string, error) {
	status, err := l.queries.RecordArrival(ctx, relaysql.RecordArrivalParams{
		Destination: arrival.Destination, OwnerID: arrival.OwnerID, PostID: arrival.PostID,
		Part: int32(arrival.Part), Number: int32(arrival.Attempt), BeganAt: arrival.BeganAt, MessageIds: arrival.MessageIDs, Kind: arrival.Kind,
		Last: arrival.Last, NextWeight: int32(arrival.NextWeight),
	})
	if err != nil {
		return "", fmt.Errorf("record part %d: %w", arrival.Part, notFound(err, "%s", arrival.DeliveryKey))
	}
	return status, nil
}

// leastFailures is how many attempts must have failed before a delivery is the
// one to blame, and not its platform.
const leastFailures = 5

// Close records how an attempt ended that did not arrive, and what that makes of
// the delivery, which is kept in step, and of its destination. One that keeps
// failing while others get through is parked. ErrChanged if the attempt is
// closed already: then its answer came too late to count.
func (l *Ledger) Close(ctx context.Context, delivery *Delivery, attempt Attempt, ending Ending, since time.Time) error {
	var status string
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		_, err := q.CloseAttempt(ctx, relaysql.CloseAttemptParams{
			DeliveryID: delivery.ID, Number: int32(attempt.Number), BeganAt: attempt.BeganAt, Outcome: ending.Outcome, Code: int32(ending.Code),
			Error: ending.Error, RetryAfter: unlessZero(ending.RetryAfter),
		})
		if errorsIsNoRows(err) {
			return ErrChanged
		}
		if err != nil {
			return err
		}
		if ending.TurnFailed {
			alone, err := q.FailedAlone(ctx, relaysql.FailedAloneParams{
				DeliveryID: delivery.ID, DestinationID: delivery.DestinationID, Least: leastFailures, Since: since,
			})
			if err != nil {
				return err
			}
			if alone {
				ending.Status, ending.Reason = protocol.StatusParked, protocol.ReasonUnavailable
			} else if err := failTurn(ctx, q, delivery.DestinationID, ending.Reason); err != nil {
				return err
			}
		}
		applying := relaysql.ApplyEndingParams{ID: delivery.ID, Status: ending.Status, Reason: ending.Reason}
		if ending.Outcome == OutcomeUnknown {
			applying.Unknown = 1
		}
		if ending.Captcha != nil {
			if applying.Captcha, err = json.Marshal(ending.Captcha); err != nil {
				return err
			}
		}
		if status, err = q.ApplyEnding(ctx, applying); err != nil {
			return err
		}
		if ending.Cool > 0 {
			if err := q.CoolDestination(ctx, relaysql.CoolDestinationParams{ID: delivery.DestinationID, Wait: ending.Cool, Reason: ending.Reason}); err != nil {
				return err
			}
		}
		if ending.Pause {
			return q.PauseDestination(ctx, relaysql.PauseDestinationParams{
				ID: delivery.DestinationID, PauseReason: ending.Reason, PausedDelivery: &delivery.ID, UnlessPaused: true,
			})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("close attempt %d at %s: %w", attempt.Number, delivery.DeliveryKey, err)
	}
	delivery.Status = status
	if ending.Outcome == OutcomeUnknown {
		delivery.Uncertain++
	}
	return nil
}

// TurnFailed records that a turn has come to nothing before any call: the
// platform does not answer at all.
func (l *Ledger) TurnFailed(ctx context.Context, delivery Delivery, reason string) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error { return failTurn(ctx, q, delivery.DestinationID, reason) })
	if err != nil {
		return fmt.Errorf("failed turn of %s: %w", delivery.DeliveryKey, err)
	}
	return nil
}

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
	if err != nil {
		return "", fmt.Errorf("park: %w", err)
	}
	return status, nil
}

// wantedSince reports whether a delivery that is owed was wanted anew after a
// wish that is known.
func wantedSince(row relaysql.GetDeliveryRow, known time.Time) bool {
	return row.Status == protocol.StatusPending && row.WantedAt != nil && row.WantedAt.After(known)
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
		wanted, err := q.GetDelivery(ctx, relaysql.GetDeliveryParams{Destination: key.Destination, OwnerID: key.OwnerID, PostID: key.PostID})
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
	status, err := l.queries.DeliveryStatus(ctx, relaysql.DeliveryStatusParams{Destination: key.Destination, OwnerID: key.OwnerID, PostID: key.PostID})
	if err != nil {
		return "", fmt.Errorf("status: %w", notFound(err, "%s", key))
	}
	return status, nil
}

// Suppress records that a delivery is not to be made after all.
func (l *Ledger) Suppress(ctx context.Context, key protocol.DeliveryKey, reason string) error {
	_, err := l.change(ctx, key, func(ctx context.Context, q *relaysql.Queries, row relaysql.GetDeliveryRow) (string, error) {
		if final(row.Status) {
			return row.Status, nil
		}
		return protocol.StatusSuppressed, q.SetStatus(ctx, relaysql.SetStatusParams{ID: row.ID, Status: protocol.StatusSuppressed, Reason: reason})
	})
	if err != nil {
		return fmt.Errorf("suppress: %w", err)
	}
	return nil
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
				Destination: key.Destination, OwnerID: key.OwnerID, PostID: key.PostID, Part: int32(part), MessageIds: ids, NextWeight: 1,
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
		row, err := q.GetDelivery(ctx, relaysql.GetDeliveryParams{Destination: key.Destination, OwnerID: key.OwnerID, PostID: key.PostID})
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

// FollowMigration remembers which chat a Telegram group has become.
func (l *Ledger) FollowMigration(ctx context.Context, destinationID, chatID int64) error {
	err := l.queries.FollowMigration(ctx, relaysql.FollowMigrationParams{ID: destinationID, MigratedTo: &chatID})
	if err != nil {
		return fmt.Errorf("follow migration of destination %d: %w", destinationID, err)
	}
	return nil
}

func (l *Ledger) inTx(ctx context.Context, work func(*relaysql.Queries) error) error {
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error { return work(l.queries.WithTx(tx)) })
}

func final(status string) bool {
	return status == protocol.StatusSent || status == protocol.StatusSuppressed
}

func notFound(err error, format string, args ...any) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf(format+": %w", append(args, ErrNotFound)...)
	}
	return err
}
