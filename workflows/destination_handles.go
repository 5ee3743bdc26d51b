package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

const (
	// shownNext is how many waiting deliveries the state query names.
	shownNext = 10
	// maxReason bounds an operator's words, in characters.
	maxReason = 4000
	// shownCooldown is how long a cooldown must be to be shown as a search
	// attribute: each change of one costs a write.
	shownCooldown = 30 * time.Second
)

// setup offers the operator's handles on the lane. An update answers when the
// ledger has it, which is where it is kept.
func (l *lane) setup(ctx workflow.Context) error {
	if err := workflow.SetQueryHandlerWithOptions(ctx, protocol.StateQuery, func() (protocol.LaneState, error) {
		return l.state(workflow.Now(ctx)), nil
	}, workflow.QueryHandlerOptions{Description: "What the lane does now, who sends and who waits."}); err != nil {
		return err
	}
	var lanes *activities.Lanes
	if err := workflow.SetUpdateHandlerWithOptions(ctx, protocol.PauseUpdate, func(ctx workflow.Context, pause protocol.Pause) (protocol.LaneState, error) {
		pause.Reason = cmp.Or(pause.Reason, "paused by an operator")
		return l.decide(ctx, "pause", lanes.Pause, l.destination, pause)
	}, workflow.UpdateHandlerOptions{
		Description: `Grant no more turns: {"reason": "…", "by": "…"}.`,
		Validator: func(pause protocol.Pause) error {
			if n := utf8.RuneCountInString(pause.Reason); n > maxReason {
				return fmt.Errorf("the reason has %d characters: %d are kept at the most", n, maxReason)
			}
			return nil
		},
	}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, protocol.ResumeUpdate, func(ctx workflow.Context) (protocol.LaneState, error) {
		return l.decide(ctx, "resume", lanes.Resume, l.destination)
	}, workflow.UpdateHandlerOptions{Description: "End a pause or a cooldown; the delivery that caused the pause is tried again first."}); err != nil {
		return err
	}
	return workflow.SetUpdateHandlerWithOptions(ctx, protocol.SetRateUpdate, func(ctx workflow.Context, pace protocol.Pace) (protocol.LaneState, error) {
		l.slot = workflow.Now(ctx)
		return l.decide(ctx, "set the rate", lanes.SetRate, l.destination, pace)
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

// decide writes an operator's decision to the ledger and takes it up from there.
func (l *lane) decide(ctx workflow.Context, what string, write any, arguments ...any) (protocol.LaneState, error) {
	var view protocol.LaneView
	if err := execute(ctx, activities.LedgerOptions(what), write, &view, arguments...); err != nil {
		return protocol.LaneState{}, err
	}
	// What is next is out of date in a moment; the decision holds from now on.
	l.view.Pace, l.view.Paused, l.stale = view.Pace, view.Paused, true
	if view.CoolFor == 0 {
		l.cooling = time.Time{}
	}
	l.wakes.SendAsync(true)
	state := l.state(workflow.Now(ctx))
	state.TakenUp = view.TakenUp
	return state, nil
}

func (l *lane) state(now time.Time) protocol.LaneState {
	state := protocol.LaneState{
		Destination: l.destination,
		State:       protocol.LaneOpen,
		Queued:      len(l.view.Jobs),
		RatePerSec:  l.view.Pace.PerSecond,
		PerMinute:   l.view.Pace.PerMinute,
	}
	if l.lease != nil {
		state.Sending = l.lease.Job.Key(l.destination).WorkflowID()
	}
	for _, job := range l.view.Jobs[:min(len(l.view.Jobs), shownNext)] {
		state.Next = append(state.Next, job.Key(l.destination).WorkflowID())
	}
	if l.cooling.After(now) {
		until := l.cooling
		state.State, state.Reason, state.CoolingUntil = protocol.LaneCooling, l.view.CoolReason, &until
	}
	if l.view.Paused != nil {
		state.State, state.Reason, state.PausedBy = protocol.LanePaused, l.view.Paused.Reason, l.view.Paused.By
	}
	return state
}

// show keeps what a person sees without a worker, the search attributes, and
// with one, the current details, in step with the state.
func (l *lane) show(ctx workflow.Context) error {
	now := workflow.Now(ctx)
	state := l.state(now)
	workflow.SetCurrentDetails(ctx, l.details(state))
	shown, reason := state.State, ""
	switch {
	case l.view.Paused != nil:
		reason = l.view.Paused.Slug()
	case shown == protocol.LaneCooling && l.cooling.Sub(now) < shownCooldown:
		shown = protocol.LaneOpen
	}
	if shown == l.shownState && reason == l.shownReason {
		return nil
	}
	l.shownState, l.shownReason = shown, reason
	return workflow.UpsertTypedSearchAttributes(ctx,
		protocol.Destination.ValueSet(l.destination),
		protocol.DeliveryState.ValueSet(shown),
		keywordOrUnset(protocol.ParkReason, reason),
	)
}

func (l *lane) details(state protocol.LaneState) string {
	text := fmt.Sprintf("**%s**: %s, %d granted so far\n", l.destination, state.State, l.granted)
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
