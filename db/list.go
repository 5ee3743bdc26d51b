package db

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
)

// DeliveryRow is a delivery as operators and outside tools see it; its JSON
// form is a contract.
type DeliveryRow struct {
	ID          int64      `json:"id"`
	Destination string     `json:"destination"`
	OwnerID     int64      `json:"owner_id"`
	PostID      int64      `json:"post_id"`
	Type        string     `json:"type"`
	Case        *int64     `json:"case"`
	Status      string     `json:"status"`
	Reason      string     `json:"reason"`
	Attempts    int        `json:"attempts"`
	MessageIDs  []int64    `json:"message_ids"`
	WorkflowID  string     `json:"workflow_id"`
	CreatedAt   time.Time  `json:"created_at"`
	SentAt      *time.Time `json:"sent_at"`
	// Uncertain counts the attempts whose outcome nobody can know.
	Uncertain int `json:"uncertain"`
	// ReplyTo is the delivery whose first message this one answers: it tells
	// news about the same animal.
	ReplyTo *int64 `json:"reply_to,omitempty"`
	// DuplicateOf is, of a suppressed delivery, the one that stands for it.
	DuplicateOf *int64 `json:"stands_for,omitempty"`
	// TakenBackAt is when the delivery was taken back: its messages are removed.
	TakenBackAt *time.Time `json:"taken_back_at,omitempty"`
	// Held means that it waits for its turn in a lane that is paused.
	Held bool `json:"held,omitempty"`
	// AnswerBy is when a delivery that waits to be approved is published or
	// dropped, as Silence says, if nobody has answered; nil waits for as long as it
	// takes.
	AnswerBy *time.Time `json:"answer_by,omitempty"`
	Silence  string     `json:"silence,omitempty"`
	// Captcha is what VK wants solved, for the operator alone.
	Captcha *protocol.Captcha `json:"captcha,omitempty"`
	// About is its post, for people.
	About PostGlance `json:"-"`
}

// DeliveryFilter narrows a list of deliveries; zero values do not.
type DeliveryFilter struct {
	ID          int64
	Status      string
	Destination string
	Case        int64
	Post        post.ID
	Type        string // of its post
	// Since and Until leave what was owed from one time on, before the other.
	Since, Until time.Time
	// Before leaves those with smaller ids: the next page of a list follows the
	// id of its last row.
	Before int64
	Limit  int // 0 means 100
}

// Delivery returns one delivery, or [ErrNotFound].
func (l *Ledger) Delivery(ctx context.Context, id int64) (DeliveryRow, error) {
	rows, err := l.List(ctx, DeliveryFilter{ID: id, Limit: 1})
	if err != nil {
		return DeliveryRow{}, err
	}
	if len(rows) == 0 {
		return DeliveryRow{}, fmt.Errorf("delivery %d: %w", id, ErrNotFound)
	}
	return rows[0], nil
}

// List returns deliveries, newest first.
func (l *Ledger) List(ctx context.Context, filter DeliveryFilter) ([]DeliveryRow, error) {
	if filter.Limit <= 0 {
		filter.Limit = 100
	}
	statuses := protocol.Statuses
	if filter.Status != "" {
		statuses = []string{filter.Status}
	}
	first, beyond, err := l.owedBetween(ctx, filter.Since, filter.Until)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	rows, err := l.queries.ListDeliveries(ctx, relaysql.ListDeliveriesParams{
		Statuses: statuses, First: first, Before: min(cmp.Or(filter.Before, math.MaxInt64), beyond), Type: unlessZero(filter.Type), Destination: unlessZero(filter.Destination), ID: unlessZero(filter.ID),
		CaseID:  unlessZero(filter.Case),
		OwnerID: unlessZero(filter.Post.OwnerID), PostID: unlessZero(filter.Post.PostID), Most: filter.Limit,
	})
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	list := make([]DeliveryRow, len(rows))
	for i, row := range rows {
		list[i] = DeliveryRow{
			ID: row.ID, Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID, Type: row.Type,
			Case: row.CaseID, Status: row.Status, Reason: row.Reason, Attempts: row.Attempts,
			MessageIDs: notNil(row.MessageIds), WorkflowID: row.WorkflowID, CreatedAt: row.CreatedAt, SentAt: row.SentAt,
			Uncertain: row.UnknownAttempts, ReplyTo: row.ReplyTo, DuplicateOf: row.DuplicateOf, TakenBackAt: row.TakenBackAt, Held: row.Held, Captcha: row.Captcha,
			About: PostGlance{
				ID: post.ID{OwnerID: row.OwnerID, PostID: row.PostID}, PostedAt: row.PostedAt, Type: petpost.Type(row.Type), Animal: petpost.Animal(row.Animal),
				Name: row.Name, Location: row.Location, Wall: row.Wall,
			},
		}
		if list[i].About.Photo, err = decoded[*Photo](row.Photo); err != nil {
			return nil, fmt.Errorf("photo of delivery %d: %w", row.ID, err)
		}
		if row.Status == protocol.StatusParked && row.Ask != "" && row.AskFor != nil {
			answerBy := row.UpdatedAt.Add(*row.AskFor)
			list[i].AnswerBy, list[i].Silence = &answerBy, row.Silence
		}
	}
	return list, nil
}

// owedBetween returns the ids of the first delivery that was owed since a time and
// of the first that was owed at another or later; all ids where they are zero.
func (l *Ledger) owedBetween(ctx context.Context, since, until time.Time) (first, beyond int64, err error) {
	beyond = math.MaxInt64
	if !since.IsZero() {
		first, err = l.queries.FirstDeliverySince(ctx, since)
	}
	if err == nil && !until.IsZero() {
		beyond, err = l.queries.FirstDeliverySince(ctx, until)
	}
	return first, beyond, err
}

// AttemptRow is one attempt at a delivery.
type AttemptRow struct {
	Part       int            `json:"part"`
	Number     int            `json:"number"`
	StartedAt  time.Time      `json:"started_at"`
	FinishedAt *time.Time     `json:"finished_at"`
	Outcome    string         `json:"outcome"`
	Code       int            `json:"code,omitempty"`
	Error      string         `json:"error,omitempty"`
	RetryAfter *time.Duration `json:"retry_after_ns,omitempty"`
	Rung       string         `json:"rung,omitempty"`
}

// Attempts returns every attempt at a delivery, in order.
func (l *Ledger) Attempts(ctx context.Context, id int64) ([]AttemptRow, error) {
	rows, err := l.queries.ListAttempts(ctx, id)
	return listOf(rows, func(row relaysql.ListAttemptsRow) AttemptRow { return AttemptRow(row) }), wrap(err, "attempts at delivery %d", id)
}

// Summary is the state of the relay in a few numbers.
type Summary struct {
	Statuses      map[string]int `json:"statuses"`
	OldestWaiting *time.Time     `json:"oldest_waiting"`
	SentLastHour  int            `json:"sent_last_hour"`
	// UncertainLastHour counts attempts of unknown outcome among them: the
	// most doubled messages that readers may have seen.
	UncertainLastHour int `json:"uncertain_last_hour"`
}

// waiting are the statuses of deliveries that are to go on.
var waiting = []string{protocol.StatusPending, protocol.StatusSending, protocol.StatusParked, protocol.StatusUnknown}

// FoldTallies puts the changes together that were tallied since it was last
// called, so that Summarise reads few rows.
func (l *Ledger) FoldTallies(ctx context.Context) error {
	return wrap(l.queries.FoldTallies(ctx), "fold tallies")
}

// Summarise counts the deliveries as they stand at now.
func (l *Ledger) Summarise(ctx context.Context, now time.Time) (Summary, error) {
	rows, err := l.queries.CountDeliveries(ctx, waiting)
	if err != nil {
		return Summary{}, fmt.Errorf("count deliveries: %w", err)
	}
	summary := Summary{Statuses: map[string]int{}}
	for _, row := range rows {
		if row.Deliveries == 0 {
			continue
		}
		summary.Statuses[row.Status] = int(row.Deliveries)
		if slices.Contains(waiting, row.Status) && (summary.OldestWaiting == nil || row.Oldest.Before(*summary.OldestWaiting)) {
			summary.OldestWaiting = &row.Oldest
		}
	}
	sent, err := l.queries.SentSince(ctx, unlessZero(now.Add(-time.Hour)))
	if err != nil {
		return Summary{}, fmt.Errorf("count sent deliveries: %w", err)
	}
	summary.SentLastHour, summary.UncertainLastHour = int(sent.Deliveries), int(sent.Uncertain)
	return summary, nil
}
