package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/protocol"
)

const (
	// lookAhead is how many rows a lane reads at once.
	lookAhead = 20
	// urgentShare is how many urgent jobs in a row go before one that is not.
	urgentShare = 4
	// summaryRunes keeps the place in a summary short: Temporal takes 400 bytes.
	summaryRunes = 80
)

// Next says what a lane is to do next: the rows that its destination owes, in
// order, and what was decided about it. configured is the pace of the
// configuration; one that was set by hand holds until that changes.
func (l *Ledger) Next(ctx context.Context, destination string, configured protocol.Pace) (protocol.LaneView, error) {
	view, err := l.next(ctx, destination, configured)
	return view, wrap(err, "what is next for %s", destination)
}

// SentLately returns what was sent to a destination within a time, the oldest
// first: a lane that begins keeps the pace of the one before it.
func (l *Ledger) SentLately(ctx context.Context, destination string, within time.Duration) ([]protocol.SentAgo, error) {
	id, err := l.queries.DestinationID(ctx, destination)
	if errorsIsNoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what was sent to %s: %w", destination, err)
	}
	rows, err := l.queries.SentLately(ctx, relaysql.SentLatelyParams{DestinationID: id, Within: within})
	return listOf(rows, func(row relaysql.SentLatelyRow) protocol.SentAgo { return protocol.SentAgo(row) }), wrap(err, "what was sent to %s", destination)
}

func (l *Ledger) next(ctx context.Context, destination string, configured protocol.Pace) (protocol.LaneView, error) {
	lane, err := l.queries.Lane(ctx, destination)
	if errorsIsNoRows(err) {
		return protocol.LaneView{Pace: configured, All: true}, nil
	}
	if err != nil {
		return protocol.LaneView{}, err
	}
	view := protocol.LaneView{
		Pace:    pace(configured, lane.RatePerSecond, lane.RatePerMinute, lane.ConfiguredPerSecond, lane.ConfiguredPerMinute),
		CoolFor: lane.CoolFor, CoolReason: lane.CoolReason, InFlightFor: lane.InFlightFor,
	}
	if lane.PausedAt != nil {
		view.Paused = &protocol.Pause{Reason: lane.PauseReason, By: lane.PausedBy, Delivery: orZero(lane.PausedDelivery), At: *lane.PausedAt}
	}
	urgent, other, all, err := l.waiting(ctx, destination, lane)
	if err != nil {
		return protocol.LaneView{}, err
	}
	view.All = all
	inARow := 0
	if len(urgent) > 0 && len(other) > 0 {
		if inARow, err = l.urgentInARow(ctx, lane.ID); err != nil {
			return protocol.LaneView{}, err
		}
	}
	view.Jobs = interleaved(urgent, other, inARow)
	return view, nil
}

// waiting returns what a lane is to do first and what then, some of each, and
// whether that is all.
func (l *Ledger) waiting(ctx context.Context, destination string, lane relaysql.LaneRow) (urgent, other jobs, all bool, err error) {
	rows, err := l.queries.NextDeliveries(ctx, relaysql.NextDeliveriesParams{DestinationID: lane.ID, Urgent: true, Most: lookAhead})
	if err != nil {
		return nil, nil, false, err
	}
	others, err := l.queries.NextDeliveries(ctx, relaysql.NextDeliveriesParams{DestinationID: lane.ID, Most: lookAhead})
	if err != nil {
		return nil, nil, false, err
	}
	edits, err := l.queries.NextEdits(ctx, relaysql.NextEditsParams{DestinationID: lane.ID, Most: lookAhead})
	if err != nil {
		return nil, nil, false, err
	}
	begun := 0 // of the others: what has begun goes on
	for begun < len(others) && others[begun].Status == protocol.StatusSending {
		begun++
	}
	urgent, other = jobsOf(destination, slices.Concat(others[:begun], rows)), jobsOf(destination, others[begun:])
	if failed := lane.FailedTurns; triesNext(failed) && len(urgent)+len(other) > 1 {
		urgent = slices.Concat(urgent, other)
		other = nil
		next := 1 + (failed-3)/2%(len(urgent)-1) // another one each time: two may be at fault
		urgent[0], urgent[next] = urgent[next], urgent[0]
	}
	for _, edit := range edits {
		to := &other
		if edit.Cause == causeClosed { // nobody is to search on
			to = &urgent
		}
		to.insert(queuedJob{edit.CreatedAt, protocol.Job{
			EditID: edit.ID, DeliveryID: edit.DeliveryID, OwnerID: edit.OwnerID, PostID: edit.PostID, Weight: 1,
			Summary: fmt.Sprintf("%s: edit what was sent about %s → %s", edit.Cause, protocol.WallPost(edit.OwnerID, edit.PostID), destination),
		}})
	}
	return urgent, other, max(len(rows), len(others), len(edits)) < lookAhead, nil
}

// urgentInARow is how many urgent jobs a lane has done since one that was not,
// urgentShare at most.
func (l *Ledger) urgentInARow(ctx context.Context, laneID int64) (int, error) {
	sent, err := l.queries.SentUrgent(ctx, relaysql.SentUrgentParams{DestinationID: laneID, Most: urgentShare})
	if other := slices.Index(sent, false); other >= 0 {
		return other, err
	}
	return len(sent), err
}

// interleaved is all jobs in the order in which they go: after urgentShare urgent
// ones in a row comes another one.
func interleaved(urgent, other jobs, inARow int) (all []protocol.Job) {
	for len(urgent)+len(other) > 0 {
		from := &urgent
		if len(urgent) == 0 || inARow >= urgentShare && len(other) > 0 {
			from, inARow = &other, -1
		}
		all, *from, inARow = append(all, (*from)[0].Job), (*from)[1:], inARow+1
	}
	return all
}

// jobs are what waits at a destination, in order, with when it was owed.
type jobs []queuedJob

type queuedJob struct {
	owed time.Time
	protocol.Job
}

func jobsOf(destination string, rows []relaysql.NextDeliveriesRow) jobs {
	return listOf(rows, func(row relaysql.NextDeliveriesRow) queuedJob {
		return queuedJob{row.CreatedAt, protocol.Job{
			DeliveryID: row.ID, OwnerID: row.OwnerID, PostID: row.PostID, Weight: row.Weight, PostType: row.Type, WantedAt: orZero(row.WantedAt),
			Summary: summary(row.Type, row.Animal, row.Location, destination),
		}}
	})
}

// insert puts a job behind those that were owed before it.
func (q *jobs) insert(job queuedJob) {
	at := slices.IndexFunc(*q, func(other queuedJob) bool { return other.owed.After(job.owed) })
	*q = slices.Insert(*q, cmp.Or(at+1, len(*q)+1)-1, job)
}

func pace(configured protocol.Pace, perSecond *float64, perMinute *int, instead *float64, insteadMinute *int) protocol.Pace {
	if perSecond == nil || orZero(instead) != configured.PerSecond || orZero(insteadMinute) != configured.PerMinute {
		return configured
	}
	return protocol.Pace{PerSecond: *perSecond, PerMinute: orZero(perMinute)}
}

// summary is how a delivery is called in lists: "lost cat, Пушкинская 283 →
// telegram:-100123".
func summary(postType, animal, location, destination string) string {
	text := postType
	if animal != "" {
		text += " " + animal
	}
	if location != "" {
		text += ", " + shorten(location, summaryRunes)
	}
	return text + " → " + destination
}

// shorten cuts a text that is longer than so many runes.
func shorten(text string, runes int) string {
	if all := []rune(text); len(all) > runes {
		return string(all[:runes-1]) + "…"
	}
	return text
}
