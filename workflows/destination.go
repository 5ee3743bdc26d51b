package workflows

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

const (
	// leaseTime is how long a turn may be out before the lane asks whether
	// its delivery still runs. A terminated delivery never gives its turn
	// back; a slow one keeps it.
	leaseTime = 2 * time.Minute
	// minuteWindow is a little more than the minute over which Telegram
	// counts, because its clock starts when the message arrives there.
	minuteWindow = 61 * time.Second
	// maxJitter keeps the spacing within 100 ms of the one configured.
	maxJitter = 50 * time.Millisecond
	// shownNext is how many waiting deliveries the state query names.
	shownNext = 10
)

// Destination is the lane of one destination: it grants one turn at a time, in
// the order in which turns were asked for, no faster than the pace, and none
// while the destination cools down or is paused. It runs for ever, continuing
// as new when its history grows.
func Destination(ctx workflow.Context, input protocol.DestinationInput) error {
	l := newLane(ctx, input)
	if err := l.setup(ctx); err != nil {
		return err
	}
	return l.run(ctx)
}

type lane struct {
	destination string

	// what the next run inherits
	configured protocol.Pace
	override   *protocol.Pace
	queue      []protocol.Turn
	lease      *protocol.Lease
	leases     int64
	slot       time.Time // when the next message is due
	lastSent   time.Time
	recent     []protocol.SentMark
	cooling    time.Time
	coolReason string
	paused     *protocol.Pause
	granted    int64

	turns, done workflow.ReceiveChannel
	nudge       workflow.Channel
	slotTimer   alarm
	leaseTimer  alarm
	shownState  string
	shownReason string
}

func newLane(ctx workflow.Context, input protocol.DestinationInput) *lane {
	l := &lane{
		destination: input.Destination,
		turns:       workflow.GetSignalChannelWithOptions(ctx, protocol.QueueTurnsSignal, workflow.SignalChannelOptions{Description: "Queue deliveries for their turn."}),
		done:        workflow.GetSignalChannelWithOptions(ctx, protocol.TurnDoneSignal, workflow.SignalChannelOptions{Description: "Give a granted turn back."}),
		nudge:       workflow.NewNamedBufferedChannel(ctx, "nudge", 1),
		leases:      workflow.Now(ctx).UnixMilli(), // greater than any that a lane before this one has granted
	}
	if c := input.Carried; c != nil {
		l.configured, l.override = c.Configured, c.Override
		l.queue, l.lease, l.leases = c.Queue, c.Lease, c.Leases
		l.slot, l.lastSent, l.recent = c.Slot, c.LastSent, c.Recent
		l.cooling, l.coolReason, l.paused = c.Cooling, c.CoolReason, c.Paused
		l.granted = c.Granted
	}
	return l
}

func (l *lane) carry() *protocol.LaneCarry {
	return &protocol.LaneCarry{
		Configured: l.configured, Override: l.override,
		Queue: l.queue, Lease: l.lease, Leases: l.leases,
		Slot: l.slot, LastSent: l.lastSent, Recent: l.recent,
		Cooling: l.cooling, CoolReason: l.coolReason, Paused: l.paused,
		Granted: l.granted,
	}
}

// setup offers the operator's handles on the lane.
func (l *lane) setup(ctx workflow.Context) error {
	if err := workflow.SetQueryHandlerWithOptions(ctx, protocol.StateQuery, func() (protocol.LaneState, error) {
		return l.state(workflow.Now(ctx)), nil
	}, workflow.QueryHandlerOptions{Description: "What the lane does now, who sends and who waits."}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, protocol.PauseUpdate, func(ctx workflow.Context, pause protocol.Pause) (protocol.LaneState, error) {
		if pause.Reason == "" {
			pause.Reason = "paused by an operator"
		}
		pause.At = workflow.Now(ctx)
		l.paused = &pause
		l.wake()
		return l.state(workflow.Now(ctx)), nil
	}, workflow.UpdateHandlerOptions{Description: `Grant no more turns: {"reason": "…", "by": "…"}.`}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, protocol.ResumeUpdate, func(ctx workflow.Context) (protocol.LaneState, error) {
		l.paused = nil
		l.cooling, l.coolReason = time.Time{}, ""
		l.wake()
		return l.state(workflow.Now(ctx)), nil
	}, workflow.UpdateHandlerOptions{Description: "End a pause or a cooldown."}); err != nil {
		return err
	}
	return workflow.SetUpdateHandlerWithOptions(ctx, protocol.SetRateUpdate, func(ctx workflow.Context, pace protocol.Pace) (protocol.LaneState, error) {
		l.override = &pace
		l.slot = workflow.Now(ctx)
		l.wake()
		return l.state(workflow.Now(ctx)), nil
	}, workflow.UpdateHandlerOptions{
		Description: `Send faster or slower until the configured rate changes: {"per_second": 0.5, "per_minute": 20}.`,
		Validator: func(pace protocol.Pace) error {
			if pace.PerSecond < 0 || pace.PerMinute < 0 {
				return errors.New("per_second and per_minute must not be negative; 0 means no limit")
			}
			return nil
		},
	})
}

func (l *lane) run(ctx workflow.Context) error {
	for {
		l.takeSignals(ctx)
		if err := ctx.Err(); err != nil {
			return err // whoever waits is queued in a new lane by the next sweep
		}
		if err := l.show(ctx); err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx) {
			// Nothing between here and the return yields, so no signal that
			// has reached this run can be missed.
			return workflow.NewContinueAsNewError(ctx, protocol.DestinationWorkflow,
				protocol.DestinationInput{Destination: l.destination, Carried: l.carry()})
		}
		switch at, ready := l.nextStep(ctx); {
		case ready && l.lease != nil:
			l.checkLease(ctx)
		case ready:
			l.grant(ctx)
		default:
			l.wait(ctx, at)
		}
	}
}

// takeSignals takes in everything that has arrived.
func (l *lane) takeSignals(ctx workflow.Context) {
	for {
		var turns protocol.QueueTurns
		if !l.turns.ReceiveAsync(&turns) {
			break
		}
		l.takeTurns(turns)
	}
	for {
		var done protocol.TurnDone
		if !l.done.ReceiveAsync(&done) {
			break
		}
		l.takeBack(ctx, done)
	}
}

func (l *lane) takeTurns(turns protocol.QueueTurns) {
	if turns.Pace != l.configured {
		l.configured, l.override = turns.Pace, nil
	}
	for _, turn := range turns.Turns {
		switch {
		case l.has(turn.WorkflowID):
		case l.paused != nil && l.paused.By == turn.WorkflowID:
			// A person has dealt with what stopped the lane and resumed the
			// delivery that met it: the lane goes on, with that one first.
			l.paused = nil
			l.queue = slices.Insert(l.queue, 0, turn)
		default:
			l.queue = append(l.queue, turn)
		}
	}
}

func (l *lane) has(workflowID string) bool {
	return l.lease != nil && l.lease.Turn.WorkflowID == workflowID ||
		slices.ContainsFunc(l.queue, func(turn protocol.Turn) bool { return turn.WorkflowID == workflowID })
}

// takeBack ends a lease. Word from a lease that the lane has given up already
// still counts for cooldown and pause, which concern the destination.
func (l *lane) takeBack(ctx workflow.Context, done protocol.TurnDone) {
	now := workflow.Now(ctx)
	if done.CoolFor > 0 {
		if until := now.Add(done.CoolFor); until.After(l.cooling) {
			l.cooling, l.coolReason = until, done.Reason
		}
	}
	if done.Pause && l.paused == nil {
		l.paused = &protocol.Pause{Reason: done.Reason, By: done.WorkflowID, At: now}
	}
	if done.Lease == 0 {
		l.queue = slices.DeleteFunc(l.queue, func(turn protocol.Turn) bool { return turn.WorkflowID == done.WorkflowID })
		return
	}
	if l.lease == nil || l.lease.Number != done.Lease {
		return
	}
	l.remember(now, l.lease.Turn.Weight, done)
	if done.Again {
		turn := l.lease.Turn
		if done.Weight > 0 {
			turn.Weight = done.Weight
		}
		l.queue = slices.Insert(l.queue, 0, turn)
	}
	l.lease = nil
}

// nextStep tells whether the lane can act now, and if not, when (the zero time
// means: when somebody says something).
func (l *lane) nextStep(ctx workflow.Context) (at time.Time, ready bool) {
	now := workflow.Now(ctx)
	switch {
	case l.lease != nil:
		at = l.lease.Until
	case len(l.queue) == 0 || l.paused != nil:
		return time.Time{}, false
	default:
		// A turn is granted ahead, but not within a cooldown: the sender's
		// clock may be fast.
		at = latest(l.due(now, 0).Add(-l.lead()), l.cooling)
	}
	return at, !at.After(now)
}

func (l *lane) pace() protocol.Pace {
	if l.override != nil {
		return *l.override
	}
	return l.configured
}

func (l *lane) interval() time.Duration {
	if pace := l.pace(); pace.PerSecond > 0 {
		return time.Duration(float64(time.Second) / pace.PerSecond)
	}
	return 0
}

// lead is how far ahead of its slot a turn is granted.
func (l *lane) lead() time.Duration {
	return min(protocol.GrantLead-maxJitter, l.interval())
}

// nextSlot is the head of the queue's place in the beat of the lane. A lane
// that fell behind by less than half a beat catches up; one that fell behind
// further begins anew, so that there is never a burst.
func (l *lane) nextSlot(now time.Time) time.Time {
	earliest := latest(now, l.apart())
	return latest(l.slot, earliest.Add(-l.interval()/2), l.cooling, l.minuteFree(l.queue[0].Weight))
}

// apart is nine tenths of a beat after the last message, which may have gone
// out late.
func (l *lane) apart() time.Time { return l.lastSent.Add(l.interval() * 9 / 10) }

// due is when the head of the queue is to be sent: at its slot, give or take
// the jitter.
func (l *lane) due(now time.Time, jitter time.Duration) time.Time {
	return latest(now, l.nextSlot(now).Add(jitter), l.apart(), l.cooling)
}

func latest(first time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(first) {
			first = other
		}
	}
	return first
}

// minuteFree is when the limit per minute has room for weight more messages.
// A delivery heavier than the limit itself goes when the window is empty.
func (l *lane) minuteFree(weight int) time.Time {
	limit := l.pace().PerMinute
	if limit == 0 {
		return time.Time{}
	}
	room := limit - weight
	for i := len(l.recent) - 1; i >= 0; i-- {
		if room -= l.recent[i].Weight; room < 0 {
			return l.recent[i].At.Add(minuteWindow)
		}
	}
	return time.Time{}
}

// jitter spreads the slots without a trace in the history: it is a hash of
// what the history already has.
func (l *lane) jitter() time.Duration {
	amplitude := min(maxJitter, l.interval()/10)
	if amplitude == 0 {
		return 0
	}
	hash := fnv.New64a()
	_, _ = hash.Write(fmt.Appendf(nil, "%s %d", l.destination, l.leases)) // a hash takes everything
	return time.Duration(hash.Sum64()%uint64(2*amplitude)) - amplitude
}

// grant gives the head of the queue its turn. A delivery that has ended, or
// was never started, loses its place and costs the others no time.
func (l *lane) grant(ctx workflow.Context) {
	now := workflow.Now(ctx)
	l.leases++
	turn, slot, due := l.queue[0], l.nextSlot(now), l.due(now, l.jitter())
	l.queue = slices.Delete(l.queue, 0, 1)
	l.lease = &protocol.Lease{Number: l.leases, Turn: turn, Until: now.Add(leaseTime)}

	var lanes *activities.Lanes
	var running bool
	// A local activity costs an event where a signal to an external workflow
	// costs six, and the delivery has its turn some milliseconds earlier.
	err := workflow.ExecuteLocalActivity(
		workflow.WithLocalActivityOptions(ctx, activities.LaneOptions("grant a turn to "+turn.WorkflowID)),
		lanes.Grant, turn.WorkflowID, protocol.TurnGranted{Lease: l.leases, SendAt: due},
	).Get(ctx, &running)
	switch {
	case err != nil:
		workflow.GetLogger(ctx).Warn("turn not granted: it is granted again", "delivery", turn.WorkflowID, "error", err)
		l.queue, l.lease = slices.Insert(l.queue, 0, turn), nil
		return
	case !running:
		workflow.GetLogger(ctx).Info("turn dropped: the delivery is not running", "delivery", turn.WorkflowID)
		l.lease = nil
		return
	}
	workflow.GetLogger(ctx).Info("turn granted", "delivery", turn.WorkflowID, "waiting", len(l.queue))
	l.granted++
	l.slot = slot.Add(l.interval())
}

// remember notes when a turn that comes back was used. For the limit per
// minute an album counts from the end, because Telegram fetches its photos
// first; for the spacing a message counts from when it went out.
func (l *lane) remember(now time.Time, weight int, done protocol.TurnDone) {
	if done.Unsent {
		return
	}
	l.lastSent = now
	if !done.SentAt.IsZero() && done.SentAt.Before(now) {
		l.lastSent = done.SentAt
	}
	if l.pace().PerMinute == 0 {
		l.recent = nil
		return
	}
	l.recent = slices.DeleteFunc(l.recent, func(mark protocol.SentMark) bool {
		return mark.At.Add(minuteWindow).Before(now)
	})
	l.recent = append(l.recent, protocol.SentMark{At: now, Weight: weight})
}

// checkLease is for a turn that is out too long.
func (l *lane) checkLease(ctx workflow.Context) {
	var lanes *activities.Lanes
	lease := *l.lease
	var running bool
	err := workflow.ExecuteLocalActivity(
		workflow.WithLocalActivityOptions(ctx, activities.LaneOptions("Does "+lease.Turn.WorkflowID+" still run?")),
		lanes.DeliveryRuns, lease.Turn.WorkflowID,
	).Get(ctx, &running)
	if l.lease == nil || l.lease.Number != lease.Number {
		return // given back while we asked
	}
	if err != nil || running {
		l.lease.Until = workflow.Now(ctx).Add(leaseTime)
		return
	}
	workflow.GetLogger(ctx).Warn("turn taken back: the delivery has ended without returning it", "delivery", lease.Turn.WorkflowID)
	l.remember(workflow.Now(ctx), lease.Turn.Weight, protocol.TurnDone{})
	l.lease = nil
}

// wait sleeps until the given time, or for ever if it is zero, or until
// somebody says something. The watch over leases has an alarm of its own, so
// that the many turns which come back in time cost no timer.
func (l *lane) wait(ctx workflow.Context, at time.Time) {
	if l.lease != nil {
		l.leaseTimer.setUnlessSet(ctx, at, "look after the turn that is out")
	} else if !at.IsZero() {
		l.slotTimer.setEarlier(ctx, at, l.why(at))
	}
	selector := workflow.NewNamedSelector(ctx, "lane")
	selector.AddReceive(l.turns, func(workflow.ReceiveChannel, bool) {
		var turns protocol.QueueTurns
		l.turns.ReceiveAsync(&turns)
		l.takeTurns(turns)
	})
	selector.AddReceive(l.done, func(workflow.ReceiveChannel, bool) {
		var done protocol.TurnDone
		l.done.ReceiveAsync(&done)
		l.takeBack(ctx, done)
	})
	selector.AddReceive(l.nudge, func(c workflow.ReceiveChannel, _ bool) { c.ReceiveAsync(nil) })
	selector.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) {})
	l.slotTimer.addTo(selector)
	l.leaseTimer.addTo(selector)
	selector.Select(ctx)
}

// alarm is a timer that is armed again only when it has fired or must fire
// earlier: each one armed for nothing would wake the workflow later on.
type alarm struct {
	future workflow.Future
	at     time.Time
	cancel workflow.CancelFunc
}

func (a *alarm) setUnlessSet(ctx workflow.Context, at time.Time, summary string) {
	if a.future == nil {
		a.set(ctx, at, summary)
	}
}

func (a *alarm) setEarlier(ctx workflow.Context, at time.Time, summary string) {
	if a.future != nil && !at.Before(a.at) {
		return
	}
	if a.future != nil {
		a.cancel()
	}
	a.set(ctx, at, summary)
}

func (a *alarm) set(ctx workflow.Context, at time.Time, summary string) {
	ctx, a.cancel = workflow.WithCancel(ctx)
	a.at = at
	a.future = workflow.NewTimerWithOptions(ctx, at.Sub(workflow.Now(ctx)), workflow.TimerOptions{Summary: summary})
}

func (a *alarm) addTo(selector workflow.Selector) {
	if a.future != nil {
		selector.AddFuture(a.future, func(workflow.Future) { a.future = nil })
	}
}

// wake makes the lane look again after an update handler changed its state.
func (l *lane) wake() { l.nudge.SendAsync(true) }

func (l *lane) why(at time.Time) string {
	if at.Equal(l.cooling) {
		return "cooldown: " + l.coolReason
	}
	return "next turn"
}

func (l *lane) state(now time.Time) protocol.LaneState {
	pace := l.pace()
	state := protocol.LaneState{
		Destination: l.destination,
		State:       protocol.LaneOpen,
		Queued:      len(l.queue),
		RatePerSec:  pace.PerSecond,
		PerMinute:   pace.PerMinute,
	}
	if l.lease != nil {
		state.Sending = l.lease.Turn.WorkflowID
	}
	for _, turn := range l.queue[:min(len(l.queue), shownNext)] {
		state.Next = append(state.Next, turn.WorkflowID)
	}
	if l.cooling.After(now) {
		until := l.cooling
		state.State, state.Reason, state.CoolingUntil = protocol.LaneCooling, l.coolReason, &until
	}
	if l.paused != nil {
		state.State, state.Reason = protocol.LanePaused, l.paused.Reason
	}
	return state
}

// show keeps what a person sees without a worker, the search attributes, and
// with one, the current details, in step with the state.
func (l *lane) show(ctx workflow.Context) error {
	state := l.state(workflow.Now(ctx))
	if state.State != l.shownState || state.Reason != l.shownReason {
		l.shownState, l.shownReason = state.State, state.Reason
		if err := workflow.UpsertTypedSearchAttributes(ctx,
			protocol.Destination.ValueSet(l.destination),
			protocol.DeliveryState.ValueSet(state.State),
			keywordOrUnset(protocol.ParkReason, state.Reason),
		); err != nil {
			return err
		}
	}
	workflow.SetCurrentDetails(ctx, l.details(state))
	return nil
}

func (l *lane) details(state protocol.LaneState) string {
	text := fmt.Sprintf("**%s**: %s, %d waiting, %d granted so far\n", l.destination, state.State, state.Queued, l.granted)
	if state.Reason != "" {
		text += "\nReason: " + state.Reason
	}
	if state.CoolingUntil != nil {
		text += "\nSilent until " + state.CoolingUntil.UTC().Format(time.RFC3339)
	}
	if state.Sending != "" {
		text += "\nSending: " + state.Sending
	}
	for _, next := range state.Next {
		text += "\n- " + next
	}
	return text
}

func keywordOrUnset(key temporal.SearchAttributeKeyKeyword, value string) temporal.SearchAttributeUpdate {
	if value == "" {
		return key.ValueUnset()
	}
	return key.ValueSet(value)
}
