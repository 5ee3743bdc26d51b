package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

// leaseTime is how long a turn may be out before the lane asks the ledger
// whether its delivery still wants it, and grants it again under its number.
const leaseTime = 45 * time.Second

// Destination is the lane of one destination: it grants one turn at a time, in
// the order of the ledger, no faster than the pace, and none while the
// destination cools down or is paused. It runs for ever, continuing as new when
// its history grows.
//
// A lane knows nothing that the ledger does not, but for whose turn it is and
// when the last messages went out. One that is terminated is whole again when
// the next begins: calls in flight bar others until their deadline.
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
	lease    *protocol.Lease
	leases   int64
	slot     time.Time // when the next message is due
	lastSent time.Time
	recent   []protocol.SentMark
	granted  int64

	// what the ledger said last
	view    protocol.LaneView
	cooling time.Time
	stale   bool // something has changed since
	begins  bool // it has read nothing yet, and no lane has handed anything to it

	nudges, done workflow.ReceiveChannel
	wakes        workflow.Channel
	slotTimer    alarm
	leaseTimer   alarm
	shownState   string
	shownReason  string
}

func newLane(ctx workflow.Context, input protocol.DestinationInput) *lane {
	l := &lane{
		destination: input.Destination,
		nudges:      workflow.GetSignalChannelWithOptions(ctx, protocol.NudgeSignal, workflow.SignalChannelOptions{Description: "Look at the ledger."}),
		done:        workflow.GetSignalChannelWithOptions(ctx, protocol.TurnDoneSignal, workflow.SignalChannelOptions{Description: "Give a granted turn back."}),
		wakes:       workflow.NewNamedBufferedChannel(ctx, "wake", 1),
		leases:      workflow.Now(ctx).UnixMilli(), // greater than any that a lane before this one has granted
		stale:       true,
		begins:      input.Carried == nil,
		shownState:  protocol.LaneOpen,
	}
	if c := input.Carried; c != nil {
		l.lease, l.leases, l.slot = c.Lease, c.Leases, c.Slot
		l.lastSent, l.recent, l.granted = c.LastSent, c.Recent, c.Granted
		l.view.Pace = c.Pace
		l.shownState = "" // the next run shows it again
	}
	return l
}

func (l *lane) carry() *protocol.LaneCarry {
	return &protocol.LaneCarry{
		Lease: l.lease, Leases: l.leases, Slot: l.slot, LastSent: l.lastSent, Recent: l.recent, Granted: l.granted,
		Pace: l.view.Pace,
	}
}

func (l *lane) run(ctx workflow.Context) error {
	for {
		l.takeSignals(ctx)
		if err := ctx.Err(); err != nil {
			return err // the next nudge begins another lane
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
		if l.lease == nil && l.stale {
			l.look(ctx)
			continue
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
	for l.nudges.ReceiveAsync(nil) {
		l.stale = true
	}
	for {
		var done protocol.TurnDone
		if !l.done.ReceiveAsync(&done) {
			return
		}
		l.takeBack(ctx, done)
	}
}

// look reads what is next, and what was decided about the destination.
func (l *lane) look(ctx workflow.Context) {
	l.stale = false
	var lanes *activities.Lanes
	var view protocol.LaneView
	read, arguments := any(lanes.Next), []any{l.destination}
	if l.begins {
		read, arguments = lanes.Begin, append(arguments, minuteWindow)
	}
	local := workflow.WithLocalActivityOptions(ctx, activities.QuickOptions("what is next"))
	err := workflow.ExecuteLocalActivity(local, read, arguments...).Get(ctx, &view)
	if err != nil {
		err = execute(ctx, activities.LedgerOptions("what is next"), read, &view, arguments...)
	}
	if err != nil {
		workflow.GetLogger(ctx).Warn("the ledger can't be read", "destination", l.destination, "error", err)
		l.stale = ctx.Err() == nil
		return
	}
	now := workflow.Now(ctx)
	l.begins = false
	for _, sent := range view.Sent {
		l.lastSent = now.Add(-sent.Ago)
		l.recent = append(l.recent, protocol.SentMark{At: l.lastSent, Weight: sent.Weight})
	}
	l.view, l.cooling = view, time.Time{}
	if wait := max(view.CoolFor, view.InFlightFor); wait > 0 {
		l.cooling = now.Add(wait)
	}
}

// takeBack ends a lease. Word from a lease that the lane has given up already
// still says that the ledger has news.
func (l *lane) takeBack(ctx workflow.Context, done protocol.TurnDone) {
	l.stale = l.stale || done.Look
	if l.lease == nil || l.lease.Number != done.Lease {
		l.stale = true
		return
	}
	job := l.lease.Job
	l.remember(workflow.Now(ctx), job.Weight, done)
	l.lease = nil
	if done.Again {
		job.Weight = max(done.Weight, 1)
		l.view.Jobs = slices.Insert(l.view.Jobs, 0, job)
	}
	l.stale = l.stale || len(l.view.Jobs) == 0 && !l.view.All
}

// nextStep reports whether the lane can act now, and if not, when (the zero time
// means: when somebody says something).
func (l *lane) nextStep(ctx workflow.Context) (at time.Time, ready bool) {
	now := workflow.Now(ctx)
	switch {
	case l.lease != nil:
		at = l.lease.Until
	case len(l.view.Jobs) == 0 || l.view.Paused != nil:
		return time.Time{}, false
	default:
		// A turn is granted ahead, but not within a cooldown: the sender's
		// clock may be fast.
		at = latest(l.due(now, 0).Add(-l.lead()), l.cooling)
	}
	return at, !at.After(now)
}

// grant gives the first job its turn.
func (l *lane) grant(ctx workflow.Context) {
	now := workflow.Now(ctx)
	l.leases++
	slot, due := l.nextSlot(now), l.due(now, l.jitter())
	l.lease = &protocol.Lease{Number: l.leases, Job: l.view.Jobs[0], SendAt: due, Until: now.Add(leaseTime)}
	l.view.Jobs = slices.Delete(l.view.Jobs, 0, 1)
	l.slot = slot.Add(l.interval())
	if l.lease.Job.EditID != 0 {
		l.edit(ctx)
		return
	}
	l.offer(ctx)
}

// offer brings the lease to its delivery, or finds that nothing is to be sent.
func (l *lane) offer(ctx workflow.Context) {
	lease := *l.lease
	var lanes *activities.Lanes
	var granted bool
	// A local activity costs an event where a signal to an external workflow
	// costs six, and the delivery has its turn some milliseconds earlier.
	err := workflow.ExecuteLocalActivity(
		workflow.WithLocalActivityOptions(ctx, activities.QuickOptions("grant: "+lease.Job.Summary)), lanes.Grant,
		protocol.Grant{Destination: l.destination, Job: lease.Job, Turn: protocol.TurnGranted{Lease: lease.Number, SendAt: lease.SendAt}},
	).Get(ctx, &granted)
	switch {
	case err != nil:
		workflow.GetLogger(ctx).Warn("turn not granted: it is granted again", "delivery", lease.Job.Key(l.destination).String(), "error", err)
		l.lease.Until = workflow.Now(ctx).Add(time.Second)
	case !granted:
		workflow.GetLogger(ctx).Info("turn dropped: the delivery is settled", "delivery", lease.Job.Key(l.destination).String())
		l.lease = nil
		l.stale = l.stale || len(l.view.Jobs) == 0 && !l.view.All
	default:
		workflow.GetLogger(ctx).Info("turn granted", "delivery", lease.Job.Key(l.destination).String())
		l.granted++
	}
}

// checkLease is for a turn that is out too long. If the ledger still owes the
// delivery, it is granted again under its number: a run that holds it goes on,
// and one that begins with it takes it. If not, the turn is over.
func (l *lane) checkLease(ctx workflow.Context) {
	lease := *l.lease
	var lanes *activities.Lanes
	var owed bool
	err := execute(ctx, activities.LedgerOptions("does it still want its turn?"), lanes.StillOwed, &owed, lease.Job.Key(l.destination))
	l.takeSignals(ctx)
	if l.lease == nil || l.lease.Number != lease.Number {
		return // given back while we asked
	}
	l.lease.Until = workflow.Now(ctx).Add(leaseTime)
	if err != nil {
		return
	}
	if owed {
		l.offer(ctx)
		return
	}
	workflow.GetLogger(ctx).Warn("turn taken back: the delivery does not want it any more", "delivery", lease.Job.Key(l.destination).String())
	l.remember(workflow.Now(ctx), lease.Job.Weight, protocol.TurnDone{})
	l.lease, l.stale = nil, true
}

// edit makes one edit of what was delivered, while the turn is out. What can't
// be edited now is due again later: the ledger says when.
func (l *lane) edit(ctx workflow.Context) {
	job := l.lease.Job
	options := workflow.WithActivityOptions(ctx, activities.EditOptions(l.destination, job.Summary))
	request := protocol.EditMessage{EditID: job.EditID, EditAt: l.lease.SendAt}
	var future workflow.Future
	if protocol.Platform(l.destination) == protocol.VK {
		var vk *activities.VK
		future = workflow.ExecuteActivity(options, vk.EditOnVK, request)
	} else {
		var telegram *activities.Telegram
		future = workflow.ExecuteActivity(options, telegram.EditOnTelegram, request)
	}
	var edited protocol.MessageEdited
	err := future.Get(ctx, &edited)
	if err != nil {
		workflow.GetLogger(ctx).Warn("message not edited: it is due again later", "destination", l.destination, "edit", job.EditID, "error", err)
	}
	l.granted++
	l.takeBack(ctx, protocol.TurnDone{
		Lease: l.lease.Number, Unsent: err != nil, Look: err != nil,
		Again: err == nil && edited.Status == protocol.EditPending, Weight: 1,
	})
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
	selector.AddReceive(l.nudges, func(c workflow.ReceiveChannel, _ bool) {
		c.ReceiveAsync(nil)
		l.stale = true
	})
	selector.AddReceive(l.done, func(workflow.ReceiveChannel, bool) {
		var done protocol.TurnDone
		l.done.ReceiveAsync(&done)
		l.takeBack(ctx, done)
	})
	selector.AddReceive(l.wakes, func(c workflow.ReceiveChannel, _ bool) { c.ReceiveAsync(nil) })
	selector.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) {})
	l.slotTimer.addTo(selector)
	l.leaseTimer.addTo(selector)
	selector.Select(ctx)
}

func (l *lane) why(at time.Time) string {
	if at.Equal(l.cooling) {
		return "cooldown: " + l.view.CoolReason
	}
	return "next turn"
}
