package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/notice"
	"vestnik/internal/protocol"
)

// Ledger keeps the deliveries: what is owed, every attempt, what arrived. It
// is the only place where the status of a delivery changes.
type Ledger struct{ store }

// NewLedger returns a ledger in the database behind pool.
func NewLedger(pool *pgxpool.Pool) *Ledger { return &Ledger{newStore(pool)} }

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
	// WordsFirst: its words go alone, and the photos follow. DueIn is how long
	// its next part is to wait still.
	WordsFirst bool
	DueIn      time.Duration
	// PutOff: its next part was kept back once.
	PutOff bool
	// FirstAttemptAt is zero before the first attempt.
	FirstAttemptAt time.Time
	// Wanted: a person has asked for it, whatever its post's age.
	Wanted bool
	// Reason is why it rests, if it does; Paused whether its destination is.
	Reason string
	Paused bool
	// Captcha is what VK asked for last, nil if it did not.
	Captcha *protocol.Captcha
	// ReplyTo is the message that the delivery answers, the first about its
	// case; 0 for none.
	ReplyTo int64
	// Cut is how the parts were cut when the first of them was sent; nil before
	// that, and for a delivery in one part.
	Cut *notice.Cut
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
	// Upload: it goes on beside the lane, and bars no other call to the destination.
	Upload bool
	Shown  Shown
	// Cut is kept with the first part of a delivery in several; else nil.
	Cut *notice.Cut

	// Number counts the attempts at a delivery, from 1. Begin sets it, and when
	// the attempt began, by the database's clock: a database that was restored
	// gives a number again.
	Number  int
	BeganAt time.Time
}

// Shown is what must be known of a part to edit it later.
type Shown struct {
	// Kind is message, photo, album, document or post.
	Kind string
	// Wordless: it is photos alone, its words are in other parts.
	Wordless bool
	// Version of the post that it shows.
	Version []byte
	// Photos are the names of the photos that it shows, one for each of its
	// messages; nil if it shows none, or nobody can know.
	Photos []string
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
	Captcha *protocol.Captcha
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
	left, err := l.queries.InFlightFor(ctx, relaysql.InFlightForParams{DestinationID: &destinationID, DeliveryID: deliveryID})
	if err != nil {
		return err
	}
	if left > 0 {
		return &BusyError{For: left}
	}
	return nil
}

func deliveryOf(key protocol.DeliveryKey, row relaysql.OpenDeliveryRow) (delivery Delivery, err error) {
	delivery = Delivery{
		DeliveryKey: key, ID: row.ID, Status: row.Status, DestinationID: row.DestinationID, MigratedTo: row.MigratedTo,
		NamesRefused: row.NamesRefused, FailedTurns: row.FailedTurns,
		Attempts: row.Attempts, Uncertain: row.UnknownAttempts, LeaseUsed: row.LeaseUsed, Wanted: row.Wanted, ReplyTo: row.ReplyTo,
		Reason: row.Reason, Paused: row.Paused, WordsFirst: row.WordsFirst, DueIn: row.DueIn, PutOff: row.PutOff, FirstAttemptAt: orZero(row.FirstAttemptAt), Captcha: row.Captcha,
		Cut: row.Cut,
	}
	delivery.Arrived, err = decoded[[][]int64](row.Arrived)
	return delivery, wrap(err, "its parts")
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
	row, err := l.queries.AttemptsAtPart(ctx, relaysql.AttemptsAtPartParams{DeliveryID: id, Part: part, AcknowledgedAt: acknowledgedAt})
	if err != nil {
		return Uncertainty{}, fmt.Errorf("uncertainty of delivery %d: %w", id, err)
	}
	return Uncertainty{
		Attempts: int(row.Unknown), Unacknowledged: int(row.Unacknowledged), Unanswered: int(row.Unanswered),
		Since: row.FirstUnknown, RateLimited: int(row.RateLimited),
	}, nil
}

// Begin records that an attempt is about to go out. It is called right before
// the request: what lies between the two is the window in which the death of a
// worker leaves an unknown outcome. While it is open no other call to the
// destination begins, until its timeout.
//
// ErrChanged if the delivery or its destination is not what it was when it was
// opened, *BusyError if another call is in flight. delivery is kept in step.
func (l *Ledger) Begin(ctx context.Context, delivery *Delivery, attempt Attempt) (Attempt, error) {
	begun, err := l.queries.BeginAttempt(ctx, relaysql.BeginAttemptParams{
		DeliveryID: delivery.ID, Status: delivery.Status, Attempts: delivery.Attempts, UnknownAttempts: delivery.Uncertain,
		Part: attempt.Part, Rung: attempt.Rung, Lease: attempt.Lease, Timeout: attempt.Timeout, Upload: attempt.Upload,
		Kind: attempt.Shown.Kind, Wordy: !attempt.Shown.Wordless, Shown: attempt.Shown.Version, Photos: notNil(attempt.Shown.Photos),
		Cut: attempt.Cut,
	})
	if errorsIsNoRows(err) {
		// What is overdue is closed, and how that leaves the delivery is read anew.
		if err = l.expire(ctx, delivery.ID, delivery.DestinationID); err == nil {
			err = ErrChanged
		}
	}
	if err != nil {
		return Attempt{}, fmt.Errorf("begin an attempt at %s: %w", delivery.DeliveryKey, err)
	}
	attempt.Number, attempt.BeganAt = begun.Number, begun.StartedAt
	delivery.Attempts, delivery.Status = attempt.Number, protocol.StatusSending
	return attempt, nil
}

// Arrived records a part that a platform has taken, and returns the delivery's
// status. It may be called again, and late: an attempt closes once, ids are
// added and not replaced, a delivery that is sent or suppressed stays so.
func (l *Ledger) Arrived(ctx context.Context, arrival protocol.Arrival) (string, error) {
	status, err := l.queries.RecordArrival(ctx, relaysql.RecordArrivalParams{
		Destination: arrival.Destination, OwnerID: arrival.OwnerID, PostID: arrival.PostID,
		Part: arrival.Part, Number: arrival.Attempt, BeganAt: arrival.BeganAt, MessageIds: arrival.MessageIDs, Kind: arrival.Kind,
		Last: arrival.Last, NextWeight: arrival.NextWeight,
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
	err := l.inTx(ctx, func(q *relaysql.Queries) (err error) {
		status, err = closeAttempt(ctx, q, delivery, attempt, ending, since)
		return err
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

func closeAttempt(ctx context.Context, q *relaysql.Queries, delivery *Delivery, attempt Attempt, ending Ending, since time.Time) (status string, err error) {
	_, err = q.CloseAttempt(ctx, relaysql.CloseAttemptParams{
		DeliveryID: delivery.ID, Number: attempt.Number, BeganAt: attempt.BeganAt, Outcome: ending.Outcome, Code: ending.Code,
		Error: ending.Error, RetryAfter: unlessZero(ending.RetryAfter),
	})
	if errorsIsNoRows(err) {
		return "", ErrChanged
	}
	if err == nil && ending.TurnFailed {
		err = blame(ctx, q, delivery, &ending, since)
	}
	if err != nil {
		return "", err
	}
	applying := relaysql.ApplyEndingParams{ID: delivery.ID, Status: ending.Status, Reason: ending.Reason, Captcha: ending.Captcha}
	if ending.Outcome == OutcomeUnknown {
		applying.Unknown = 1
	}
	status, err = q.ApplyEnding(ctx, applying)
	if err == nil && ending.Cool > 0 {
		err = q.CoolDestination(ctx, relaysql.CoolDestinationParams{ID: delivery.DestinationID, Wait: ending.Cool, Reason: ending.Reason})
	}
	if err == nil && ending.Pause {
		err = q.PauseDestination(ctx, relaysql.PauseDestinationParams{
			ID: delivery.DestinationID, PauseReason: ending.Reason, PausedDelivery: &delivery.ID, UnlessPaused: true,
		})
	}
	return status, err
}

// blame parks a delivery that keeps failing while others get through; else its
// destination has failed once more.
func blame(ctx context.Context, q *relaysql.Queries, delivery *Delivery, ending *Ending, since time.Time) error {
	alone, err := q.FailedAlone(ctx, relaysql.FailedAloneParams{
		DeliveryID: delivery.ID, DestinationID: delivery.DestinationID, Least: leastFailures, Since: since,
	})
	if err != nil {
		return err
	}
	if alone {
		ending.Status, ending.Reason = protocol.StatusParked, protocol.ReasonUnavailable
		return nil
	}
	return failTurn(ctx, q, delivery.DestinationID, ending.Reason)
}

// TurnFailed records that a turn has come to nothing before any call: the
// platform does not answer at all.
func (l *Ledger) TurnFailed(ctx context.Context, delivery Delivery, reason string) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error { return failTurn(ctx, q, delivery.DestinationID, reason) })
	return wrap(err, "failed turn of %s", delivery.DeliveryKey)
}

// FollowMigration remembers which chat a Telegram group has become.
func (l *Ledger) FollowMigration(ctx context.Context, destinationID, chatID int64) error {
	err := l.queries.FollowMigration(ctx, relaysql.FollowMigrationParams{ID: destinationID, MigratedTo: &chatID})
	return wrap(err, "follow migration of destination %d", destinationID)
}

func final(status string) bool {
	return status == protocol.StatusSent || status == protocol.StatusSuppressed
}
