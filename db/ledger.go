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
	ID            int64
	Status        string
	DestinationID int64
	Destination   string
	// MigratedTo is the chat a Telegram group has become, nil if it has not.
	MigratedTo *int64
	// NamesRefused: the VK wall drops photos that are only named.
	NamesRefused bool
	OwnerID      int64
	PostID       int64
	// Attempts so far, whatever came of them.
	Attempts int
	// Uncertain counts the attempts whose outcome nobody can know.
	Uncertain int
	// Arrived holds the message ids of the parts that have arrived, in order.
	Arrived [][]int64
	// Captcha is what VK asked for last, nil if it did not.
	Captcha *Captcha
	// ReplyTo is the message that the delivery answers, the first about its
	// case; 0 for none.
	ReplyTo int64
	// Cut is how the parts were cut when the first of them arrived; nil before
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

// Attempt is an attempt under way.
type Attempt struct {
	ID         int64
	DeliveryID int64
	Part       int
	Shown      Shown
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
}

// Open returns a delivery to be sent. An attempt that is still open was cut
// off when its worker died: nobody can know whether its message went out, and
// it is closed as such and counted.
func (l *Ledger) Open(ctx context.Context, id int64) (Delivery, error) {
	var delivery Delivery
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		row, err := q.LockDelivery(ctx, id)
		if err != nil {
			return notFound(err, "delivery %d", id)
		}
		interrupted, err := q.CloseOpenAttempts(ctx, id)
		if err != nil {
			return err
		}
		if len(interrupted) > 0 {
			if err := q.CountUnknown(ctx, relaysql.CountUnknownParams{ID: id, Unknown: int32(len(interrupted))}); err != nil {
				return err
			}
		}
		parts, err := q.DeliveryParts(ctx, id)
		if err != nil {
			return err
		}
		delivery = Delivery{
			ID: row.ID, Status: row.Status,
			DestinationID: row.DestinationID, Destination: row.Destination, MigratedTo: row.MigratedTo,
			NamesRefused: row.NamesRefused, OwnerID: row.OwnerID, PostID: row.PostID,
			Attempts: int(row.Attempts), Uncertain: int(row.UnknownAttempts) + len(interrupted),
		}
		for _, part := range parts {
			delivery.Arrived = append(delivery.Arrived, part.MessageIds)
		}
		if row.ReplyTo != nil {
			delivery.ReplyTo, err = q.FirstMessage(ctx, *row.ReplyTo)
			if err != nil && !errorsIsNoRows(err) {
				return err
			}
		}
		if row.Cut != nil {
			delivery.Cut = new(Cut)
			if err := json.Unmarshal(row.Cut, delivery.Cut); err != nil {
				return fmt.Errorf("its cut: %w", err)
			}
		}
		if row.Captcha != nil {
			delivery.Captcha = new(Captcha)
			return json.Unmarshal(row.Captcha, delivery.Captcha)
		}
		return nil
	})
	if err != nil {
		return Delivery{}, fmt.Errorf("open delivery %d: %w", id, err)
	}
	return delivery, nil
}

// Uncertainty is what is not known about the attempts at a part.
type Uncertainty struct {
	// Attempts ended with an unknown outcome, Unforgiven of them after a person
	// last said to send all the same.
	Attempts, Unforgiven int
	// Unanswered of the unforgiven had no answer at all; the others were
	// answered by something between us and the platform.
	Unanswered int
	// Since is when the first of all of them began.
	Since time.Time
}

// Uncertain tells how uncertain the attempts at a part have left us. Those
// that began before forgiven are known to a person who said to send again.
func (l *Ledger) Uncertain(ctx context.Context, id int64, part int, forgiven time.Time) (Uncertainty, error) {
	row, err := l.queries.UnknownSince(ctx, relaysql.UnknownSinceParams{DeliveryID: id, Part: int32(part), Forgiven: forgiven})
	if err != nil {
		return Uncertainty{}, fmt.Errorf("uncertainty of delivery %d: %w", id, err)
	}
	return Uncertainty{
		Attempts: int(row.Attempts), Unforgiven: int(row.Unforgiven), Unanswered: int(row.Unanswered), Since: row.First,
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

// Begin records that an attempt at a part is about to go out. It is called
// right before the request: what lies between the two is the window in which
// the death of a worker leaves an unknown outcome.
func (l *Ledger) Begin(ctx context.Context, delivery Delivery, part int, rung string, shown Shown) (Attempt, error) {
	attempt := Attempt{DeliveryID: delivery.ID, Part: part, Shown: shown}
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		number, err := q.StartSending(ctx, delivery.ID)
		if errorsIsNoRows(err) {
			return errors.New("it is not to be sent any more")
		}
		if err != nil {
			return err
		}
		attempt.ID, err = q.OpenAttempt(ctx, relaysql.OpenAttemptParams{
			DeliveryID: delivery.ID, Part: int32(part), Number: number, Rung: rung,
		})
		return err
	})
	if err != nil {
		return Attempt{}, fmt.Errorf("begin attempt at delivery %d: %w", delivery.ID, err)
	}
	return attempt, nil
}

// Close records how an attempt ended that did not arrive, and what that makes
// of the delivery.
func (l *Ledger) Close(ctx context.Context, attempt Attempt, ending Ending) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		closing := relaysql.CloseAttemptParams{
			ID: attempt.ID, Outcome: ending.Outcome, Code: int32(ending.Code), Error: ending.Error,
		}
		if ending.RetryAfter > 0 {
			closing.RetryAfter = &ending.RetryAfter
		}
		if err := q.CloseAttempt(ctx, closing); err != nil {
			return err
		}
		if ending.Outcome == OutcomeUnknown {
			if err := q.CountUnknown(ctx, relaysql.CountUnknownParams{ID: attempt.DeliveryID, Unknown: 1}); err != nil {
				return err
			}
		}
		return l.setStatus(ctx, q, attempt.DeliveryID, ending.Status, ending.Reason, ending.Captcha)
	})
	if err != nil {
		return fmt.Errorf("close attempt at delivery %d: %w", attempt.DeliveryID, err)
	}
	return nil
}

// Park records that a delivery waits for a person. What VK asked for stays.
func (l *Ledger) Park(ctx context.Context, park protocol.Park) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		row, err := q.LockDelivery(ctx, park.DeliveryID)
		if err != nil {
			return notFound(err, "delivery %d", park.DeliveryID)
		}
		if final(row.Status) {
			return nil
		}
		return q.SetStatus(ctx, relaysql.SetStatusParams{
			ID: park.DeliveryID, Status: park.Status, Reason: park.Reason, Captcha: row.Captcha,
		})
	})
	if err != nil {
		return fmt.Errorf("park delivery %d: %w", park.DeliveryID, err)
	}
	return nil
}

// Requeue makes a parked delivery pending again, and a failed or skipped one
// too: whoever asks for that wants it sent. What has been sent stays sent.
func (l *Ledger) Requeue(ctx context.Context, id int64) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		row, err := q.LockDelivery(ctx, id)
		if err != nil {
			return notFound(err, "delivery %d", id)
		}
		if row.Status == protocol.StatusSent {
			return nil
		}
		return q.SetStatus(ctx, relaysql.SetStatusParams{ID: id, Status: protocol.StatusPending, Captcha: row.Captcha})
	})
	if err != nil {
		return fmt.Errorf("requeue delivery %d: %w", id, err)
	}
	return nil
}

// Settle records an operator's decision that ends a delivery: it did arrive,
// or it is not to be sent.
func (l *Ledger) Settle(ctx context.Context, settle protocol.Settle) (protocol.DeliverPostResult, error) {
	result := protocol.DeliverPostResult{Status: protocol.StatusSuppressed, Reason: "skipped by an operator"}
	if settle.Action == protocol.ResumeMarkSent {
		result = protocol.DeliverPostResult{Status: protocol.StatusSent, Reason: "marked as sent by an operator"}
	}
	if settle.Note != "" {
		result.Reason += ": " + settle.Note
	}
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		row, err := q.LockDelivery(ctx, settle.DeliveryID)
		if err != nil {
			return notFound(err, "delivery %d", settle.DeliveryID)
		}
		if row.Status == protocol.StatusSent { // arrived while the operator made up their mind
			result = protocol.DeliverPostResult{Status: protocol.StatusSent}
			return nil
		}
		return l.setStatus(ctx, q, settle.DeliveryID, result.Status, result.Reason, nil)
	})
	if err != nil {
		return protocol.DeliverPostResult{}, fmt.Errorf("settle delivery %d: %w", settle.DeliveryID, err)
	}
	return result, nil
}

// FollowMigration remembers which chat a Telegram group has become.
func (l *Ledger) FollowMigration(ctx context.Context, destinationID, chatID int64) error {
	err := l.queries.FollowMigration(ctx, relaysql.FollowMigrationParams{ID: destinationID, MigratedTo: &chatID})
	if err != nil {
		return fmt.Errorf("follow migration of destination %d: %w", destinationID, err)
	}
	return nil
}

func (l *Ledger) setStatus(ctx context.Context, q *relaysql.Queries, id int64, status, reason string, captcha *Captcha) error {
	params := relaysql.SetStatusParams{ID: id, Status: status, Reason: reason}
	if captcha != nil {
		var err error
		if params.Captcha, err = json.Marshal(captcha); err != nil {
			return err
		}
	}
	return q.SetStatus(ctx, params)
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
