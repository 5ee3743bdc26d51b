package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

const (
	// leaseTime is how long a turn may be out before the lane asks whether
	// its delivery still runs. A terminated delivery never gives its turn
	// back; a slow one keeps it.
	leaseTime = 2 * time.Minute
	// maxQueue keeps what a run hands to the next one, about 90 bytes for
	// each turn, well under Temporal's 2 MB for one input. A delivery that
	// finds no place stays owed in the ledger, and a later sweep asks again.
	maxQueue = 10_000
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
		l.takeTurns(ctx, turns)
	}
	for {
		var done protocol.TurnDone
		if !l.done.ReceiveAsync(&done) {
			break
		}
		l.takeBack(ctx, done)
	}
}

func (l *lane) takeTurns(ctx workflow.Context, turns protocol.QueueTurns) {
	waiting, refused := l.waiting(), 0
	if turns.Pace != l.configured {
		l.configured, l.override = turns.Pace, nil
	}
	for _, turn := range turns.Turns {
		switch {
		case waiting[turn.WorkflowID]:
			continue
		case l.paused != nil && l.paused.By == turn.WorkflowID:
			// A person has dealt with what stopped the lane and resumed the
			// delivery that met it: the lane goes on, with that one first.
			l.paused = nil
			l.queue = slices.Insert(l.queue, 0, turn)
		case len(l.queue) >= maxQueue:
			refused++
			continue
		default:
			l.queue = append(l.queue, turn)
		}
		waiting[turn.WorkflowID] = true
	}
	if refused > 0 {
		workflow.GetLogger(ctx).Warn("lane is full: these deliveries ask again later", "refused", refused, "waiting", len(l.queue))
	}
}

// waiting names the deliveries that have a place in the lane or their turn.
func (l *lane) waiting() map[string]bool {
	waiting := make(map[string]bool, len(l.queue)+1)
	for _, turn := range l.queue {
		waiting[turn.WorkflowID] = true
	}
	if l.lease != nil {
		waiting[l.lease.Turn.WorkflowID] = true
	}
	return waiting
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
		l.takeTurns(ctx, turns)
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

// wake makes the lane look again after an update handler changed its state.
func (l *lane) wake() { l.nudge.SendAsync(true) }

func (l *lane) why(at time.Time) string {
	if at.Equal(l.cooling) {
		return "cooldown: " + l.coolReason
	}
	return "next turn"
}
