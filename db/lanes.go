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
	// maxPauseReason bounds what is kept of an operator's words.
	maxPauseReason = 4000
)

// Next says what a lane is to do next: the rows that its destination owes, in
// order, and what was decided about it. configured is the pace of the
// configuration; one that was set by hand holds until that changes.
func (l *Ledger) Next(ctx context.Context, destination string, configured protocol.Pace) (protocol.LaneView, error) {
	view, err := l.next(ctx, destination, configured)
	if err != nil {
		return protocol.LaneView{}, fmt.Errorf("what is next for %s: %w", destination, err)
	}
	return view, nil
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
	if err != nil {
		return nil, fmt.Errorf("what was sent to %s: %w", destination, err)
	}
	sent := make([]protocol.SentAgo, len(rows))
	for i, row := range rows {
		sent[i] = protocol.SentAgo{Ago: row.Ago, Weight: int(row.Messages)}
	}
	return sent, nil
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
	rows, err := l.queries.NextDeliveries(ctx, relaysql.NextDeliveriesParams{DestinationID: lane.ID, Urgent: true, Most: lookAhead})
	if err != nil {
		return protocol.LaneView{}, err
	}
	others, err := l.queries.NextDeliveries(ctx, relaysql.NextDeliveriesParams{DestinationID: lane.ID, Most: lookAhead})
	if err != nil {
		return protocol.LaneView{}, err
	}
	edits, err := l.queries.NextEdits(ctx, relaysql.NextEditsParams{DestinationID: lane.ID, Most: lookAhead})
	if err != nil {
		return protocol.LaneView{}, err
	}
	view.All = len(rows) < lookAhead && len(others) < lookAhead && len(edits) < lookAhead
	begun := 0 // of the others: what has begun goes on
	for begun < len(others) && others[begun].Status == protocol.StatusSending {
		begun++
	}
	urgent, other := jobsOf(destination, slices.Concat(others[:begun], rows)), jobsOf(destination, others[begun:])
	if failed := int(lane.FailedTurns); triesNext(failed) && len(urgent)+len(other) > 1 {
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
	inARow := 0
	if len(urgent) > 0 && len(other) > 0 {
		sent, err := l.queries.SentUrgent(ctx, relaysql.SentUrgentParams{DestinationID: lane.ID, Most: urgentShare})
		if err != nil {
			return protocol.LaneView{}, err
		}
		if inARow = slices.Index(sent, false); inARow < 0 {
			inARow = len(sent)
		}
	}
	for len(urgent)+len(other) > 0 {
		from := &urgent
		if len(urgent) == 0 || inARow >= urgentShare && len(other) > 0 {
			from, inARow = &other, -1
		}
		view.Jobs, *from, inARow = append(view.Jobs, (*from)[0].Job), (*from)[1:], inARow+1
	}
	return view, nil
}

// jobs are what waits at a destination, in order, with when it was owed.
type jobs []queuedJob

type queuedJob struct {
	owed time.Time
	protocol.Job
}

func jobsOf(destination string, rows []relaysql.NextDeliveriesRow) jobs {
	queue := make(jobs, len(rows))
	for i, row := range rows {
		queue[i] = queuedJob{row.CreatedAt, protocol.Job{
			DeliveryID: row.ID, OwnerID: row.OwnerID, PostID: row.PostID, Weight: int(row.Weight), PostType: row.Type, WantedAt: orZero(row.WantedAt),
			Summary: summary(row.Type, row.Animal, row.Location, destination),
		}}
	}
	return queue
}

// insert puts a job behind those that were owed before it.
func (q *jobs) insert(job queuedJob) {
	at := slices.IndexFunc(*q, func(other queuedJob) bool { return other.owed.After(job.owed) })
	*q = slices.Insert(*q, cmp.Or(at+1, len(*q)+1)-1, job)
}

func pace(configured protocol.Pace, perSecond *float64, perMinute *int32, instead *float64, insteadMinute *int32) protocol.Pace {
	if perSecond == nil || orZero(instead) != configured.PerSecond || int(orZero(insteadMinute)) != configured.PerMinute {
		return configured
	}
	return protocol.Pace{PerSecond: *perSecond, PerMinute: int(orZero(perMinute))}
}

// The breaker of a destination whose platform is unavailable: how long it is
// left alone after so many turns in a row that have failed. From the third on,
// every other failure is followed at once by a try of the next row: if that
// gets through, the first row is at fault, and not the platform.
func breaker(failedTurns int) time.Duration {
	switch {
	case failedTurns <= 1:
		return 5 * time.Second
	case failedTurns == 2:
		return 15 * time.Second
	case triesNext(failedTurns):
		return 0
	default:
		return time.Minute
	}
}

func triesNext(failedTurns int) bool { return failedTurns >= 3 && failedTurns%2 == 1 }

func failTurn(ctx context.Context, q *relaysql.Queries, destinationID int64, reason string) error {
	failed, err := q.FailedTurn(ctx, destinationID)
	if err != nil {
		return err
	}
	return q.CoolDestination(ctx, relaysql.CoolDestinationParams{ID: destinationID, Wait: breaker(int(failed)), Reason: reason})
}

// Cool keeps a destination silent for a while.
func (l *Ledger) Cool(ctx context.Context, destinationID int64, wait time.Duration, reason string) error {
	if err := l.queries.CoolDestination(ctx, relaysql.CoolDestinationParams{ID: destinationID, Wait: wait, Reason: reason}); err != nil {
		return fmt.Errorf("cool destination %d: %w", destinationID, err)
	}
	return nil
}

// Pause keeps a destination silent until Resume. The words are kept here and
// nowhere else.
func (l *Ledger) Pause(ctx context.Context, destination string, pause protocol.Pause) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		id, err := destinationID(ctx, q, destination)
		if err != nil {
			return err
		}
		return q.PauseDestination(ctx, relaysql.PauseDestinationParams{
			ID: id, PausedBy: printable(pause.By), PauseReason: shorten(printable(pause.Reason), maxPauseReason),
		})
	})
	if err != nil {
		return fmt.Errorf("pause %s: %w", destination, err)
	}
	return nil
}

// Resume ends a destination's pause, its cooldown and its breaker's wait. It
// returns the delivery whose refusal had paused it, which is pending again; 0 if
// there is none.
func (l *Ledger) Resume(ctx context.Context, destination string) (takenUp int64, err error) {
	err = l.inTx(ctx, func(q *relaysql.Queries) error {
		id, err := destinationID(ctx, q, destination)
		if err != nil {
			return err
		}
		deliveries, err := q.ResumeDestination(ctx, id)
		for _, delivery := range deliveries { // one at the most
			takenUp = delivery
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("resume %s: %w", destination, err)
	}
	return takenUp, nil
}

// SetRate makes a destination faster or slower for as long as the configured
// pace is what it is now.
func (l *Ledger) SetRate(ctx context.Context, destination string, rate, configured protocol.Pace) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		id, err := destinationID(ctx, q, destination)
		if err != nil {
			return err
		}
		perMinute, configuredPerMinute := int32(rate.PerMinute), int32(configured.PerMinute)
		return q.SetRate(ctx, relaysql.SetRateParams{
			ID: id, RatePerSecond: &rate.PerSecond, RatePerMinute: &perMinute,
			ConfiguredPerSecond: &configured.PerSecond, ConfiguredPerMinute: &configuredPerMinute,
		})
	})
	if err != nil {
		return fmt.Errorf("set the rate of %s: %w", destination, err)
	}
	return nil
}

// Lanes returns how the destinations stand that were ever owed something, in
// the order of their names; with a name, that one. configured is asked for the
// pace of each.
func (l *Ledger) Lanes(ctx context.Context, name string, configured func(destination string) protocol.Pace) ([]protocol.LaneState, error) {
	rows, err := l.queries.ListDestinations(ctx, unlessZero(name))
	if err != nil {
		return nil, fmt.Errorf("list destinations: %w", err)
	}
	lanes := make([]protocol.LaneState, len(rows))
	for i, row := range rows {
		pace := pace(configured(row.Name), row.RatePerSecond, row.RatePerMinute, row.ConfiguredPerSecond, row.ConfiguredPerMinute)
		lanes[i] = protocol.LaneState{
			Destination: row.Name, State: protocol.LaneOpen, Queued: int(row.Waiting),
			RatePerSec: pace.PerSecond, PerMinute: pace.PerMinute, FailingSince: row.FailingSince, PausedAt: row.PausedAt, PausedDelivery: orZero(row.PausedDelivery),
		}
		if row.Waiting > 0 {
			lanes[i].OldestQueued = &row.Oldest
		}
		if row.CoolingUntil != nil && row.CoolingUntil.After(time.Now()) {
			lanes[i].State, lanes[i].Reason, lanes[i].CoolingUntil = protocol.LaneCooling, row.CoolReason, row.CoolingUntil
		}
		if row.PausedAt != nil {
			lanes[i].State, lanes[i].Reason, lanes[i].PausedBy = protocol.LanePaused, row.PauseReason, row.PausedBy
		}
	}
	return lanes, nil
}

// CountWithPeople counts the deliveries that wait for a person, by what for.
func (l *Ledger) CountWithPeople(ctx context.Context) ([]protocol.WithPeople, error) {
	rows, err := l.queries.CountWithPeople(ctx)
	if err != nil {
		return nil, fmt.Errorf("deliveries that wait for a person: %w", err)
	}
	waiting := make([]protocol.WithPeople, len(rows))
	for i, row := range rows {
		waiting[i] = protocol.WithPeople{
			Destination: row.Destination, Status: row.Status, Reason: row.Reason, Deliveries: int(row.Deliveries), Since: row.Since,
		}
	}
	return waiting, nil
}

// DestinationRow is a destination that was ever owed something.
type DestinationRow struct {
	Name string
	// MigratedTo is the chat a Telegram group has become, nil if it has not.
	MigratedTo *int64
}

// Destinations returns the destinations in the order of their names.
func (l *Ledger) Destinations(ctx context.Context) ([]DestinationRow, error) {
	rows, err := l.queries.Destinations(ctx)
	if err != nil {
		return nil, fmt.Errorf("list destinations: %w", err)
	}
	list := make([]DestinationRow, len(rows))
	for i, row := range rows {
		list[i] = DestinationRow(row)
	}
	return list, nil
}

// Owing is a destination that owes something.
type Owing struct {
	Destination string
	Paused      bool
	Edits       bool // some of it is edits
}

// Owing returns the destinations with something to send or to edit now.
func (l *Ledger) Owing(ctx context.Context) ([]Owing, error) {
	rows, err := l.queries.OwingDestinations(ctx)
	if err != nil {
		return nil, fmt.Errorf("destinations that owe: %w", err)
	}
	owing := make([]Owing, len(rows))
	for i, row := range rows {
		owing[i] = Owing{Destination: row.Name, Paused: row.Paused, Edits: row.Edits}
	}
	return owing, nil
}

// ToStart is a delivery whose workflow is to be started.
type ToStart struct {
	protocol.DeliveryKey

	ID                int64
	WantedAt          time.Time // zero if it was wanted once, and nothing more
	PostType, Summary string
	// Status and Reason are those of a row that waits for a person.
	Status, Reason string
}

// Unstarted returns up to most deliveries, oldest first, that are owed and have
// no workflow yet.
func (l *Ledger) Unstarted(ctx context.Context, most int) ([]ToStart, error) {
	rows, err := l.queries.UnstartedDeliveries(ctx, int32(most))
	if err != nil {
		return nil, fmt.Errorf("deliveries to start: %w", err)
	}
	list := make([]ToStart, len(rows))
	for i, row := range rows {
		list[i] = ToStart{
			DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID},
			ID:          row.ID, WantedAt: orZero(row.WantedAt), PostType: row.Type, Summary: summary(row.Type, row.Animal, row.Location, row.Destination),
		}
	}
	return list, nil
}

// Started records that deliveries have their workflows.
func (l *Ledger) Started(ctx context.Context, ids []int64) error {
	if err := l.queries.MarkStarted(ctx, ids); err != nil {
		return fmt.Errorf("mark deliveries as started: %w", err)
	}
	return nil
}

// WithPeople returns up to most deliveries that wait for a person and whose
// workflow was not looked at since, the longest ago first.
func (l *Ledger) WithPeople(ctx context.Context, since time.Time, most int) ([]ToStart, error) {
	rows, err := l.queries.WaitingForPeople(ctx, relaysql.WaitingForPeopleParams{SeenBefore: since, Most: int32(most)})
	if err != nil {
		return nil, fmt.Errorf("deliveries that wait for a person: %w", err)
	}
	list := make([]ToStart, len(rows))
	for i, row := range rows {
		list[i] = ToStart{
			DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID},
			ID:          row.ID, WantedAt: orZero(row.WantedAt), PostType: row.Type, Summary: summary(row.Type, row.Animal, row.Location, row.Destination),
			Status: row.Status, Reason: row.Reason,
		}
	}
	return list, nil
}

// RunsSeen records that the workflows of deliveries that wait for a person run.
func (l *Ledger) RunsSeen(ctx context.Context, ids []int64) error {
	if err := l.queries.RunsSeen(ctx, ids); err != nil {
		return fmt.Errorf("mark runs as seen: %w", err)
	}
	return nil
}

// WantSchedule remembers that a schedule is wanted, whatever becomes of Temporal.
func (l *Ledger) WantSchedule(ctx context.Context, id string) error {
	if err := l.queries.WantSchedule(ctx, id); err != nil {
		return fmt.Errorf("want schedule %s: %w", id, err)
	}
	return nil
}

// WantedSchedules returns the schedules that are wanted.
func (l *Ledger) WantedSchedules(ctx context.Context) ([]string, error) {
	ids, err := l.queries.WantedSchedules(ctx)
	if err != nil {
		return nil, fmt.Errorf("wanted schedules: %w", err)
	}
	return ids, nil
}

// NotAtRest returns up to most deliveries that are neither sent nor given up, in
// the order of their ids, after one.
func (l *Ledger) NotAtRest(ctx context.Context, after int64, most int) ([]ToStart, error) {
	rows, err := l.queries.DeliveriesNotAtRest(ctx, relaysql.DeliveriesNotAtRestParams{Waiting: waiting, After: after, Most: int32(most)})
	if err != nil {
		return nil, fmt.Errorf("deliveries that are not at rest: %w", err)
	}
	list := make([]ToStart, len(rows))
	for i, row := range rows {
		list[i] = ToStart{ID: row.ID, DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID}}
	}
	return list, nil
}

// Untold returns up to most deliveries that came to rest from outside, and whose
// workflows are to hear of it.
func (l *Ledger) Untold(ctx context.Context, most int) (keys []protocol.DeliveryKey, ids []int64, err error) {
	rows, err := l.queries.UntoldDeliveries(ctx, int32(most))
	if err != nil {
		return nil, nil, fmt.Errorf("deliveries to tell of their end: %w", err)
	}
	for _, row := range rows {
		keys = append(keys, protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID})
		ids = append(ids, row.ID)
	}
	return keys, ids, nil
}

// Told records that the workflows of deliveries know of their end.
func (l *Ledger) Told(ctx context.Context, ids []int64) error {
	if err := l.queries.MarkTold(ctx, ids); err != nil {
		return fmt.Errorf("mark deliveries as told: %w", err)
	}
	return nil
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
