package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/protocol"
)

// shownNext is how many waiting deliveries the state query names.
const shownNext = 10

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
