package workflows

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/internal/protocol"
)

// AmendDelivery brings the messages of a delivery in step with their post: it
// was edited or deleted, or its case is closed. Like a delivery it waits for
// its turn in the destination's lane, edits one message, gives the turn back.
//
// It never waits for a person: what can't be edited now is left to a later
// scan, which starts it again, and what can't be edited at all stays as it is.
func AmendDelivery(ctx workflow.Context, input protocol.AmendDeliveryInput) (protocol.AmendDeliveryResult, error) {
	a := &amendment{input: input}
	for {
		granted, err := a.waitForTurn(ctx)
		if err != nil {
			return protocol.AmendDeliveryResult{}, err
		}
		amended, err := a.edit(ctx, granted)
		done := protocol.TurnDone{Lease: granted.Lease}
		var failure *temporal.ApplicationError
		switch {
		case err == nil && amended.Status == protocol.AmendPending:
			done.Again = true
		case err == nil:
			a.giveBack(ctx, done)
			return protocol.AmendDeliveryResult(amended), nil
		case errors.As(err, &failure) && failure.Type() == protocol.ErrRateLimited:
			done.Again, done.CoolFor, done.Reason = true, failure.NextRetryDelay(), reasonOf(failure)
		default:
			a.giveBack(ctx, done)
			return protocol.AmendDeliveryResult{Status: protocol.AmendPending, Reason: reasonOf(failure)}, nil
		}
		a.giveBack(ctx, done)
	}
}

type amendment struct {
	input     protocol.AmendDeliveryInput
	lastLease int64 // the newest turn taken
}

// waitForTurn returns when the lane has granted a turn.
func (a *amendment) waitForTurn(ctx workflow.Context) (protocol.TurnGranted, error) {
	a.describe(ctx, "waits for its turn in "+protocol.DestinationWorkflowID(a.input.Destination))
	grants := workflow.GetSignalChannelWithOptions(ctx, protocol.TurnGrantedSignal,
		workflow.SignalChannelOptions{Description: "The lane grants this amendment its turn."})
	var granted protocol.TurnGranted
	for granted.Lease <= a.lastLease { // a turn may be told of twice
		if more := grants.Receive(ctx, &granted); !more || ctx.Err() != nil {
			return granted, ctx.Err()
		}
	}
	a.lastLease = granted.Lease
	return granted, nil
}

func (a *amendment) edit(ctx workflow.Context, granted protocol.TurnGranted) (protocol.PartAmended, error) {
	a.describe(ctx, "edits")
	ctx = workflow.WithActivityOptions(ctx, activities.AmendOptions(a.input.Destination, "edit in "+a.input.Destination))
	request := protocol.AmendPart{AmendmentID: a.input.AmendmentID, EditAt: granted.SendAt}
	var future workflow.Future
	if protocol.Platform(a.input.Destination) == protocol.VK {
		var vk *activities.VK
		future = workflow.ExecuteActivity(ctx, vk.AmendOnVK, request)
	} else {
		var telegram *activities.Telegram
		future = workflow.ExecuteActivity(ctx, telegram.AmendOnTelegram, request)
	}
	var amended protocol.PartAmended
	err := future.Get(ctx, &amended)
	return amended, err
}

func (a *amendment) giveBack(ctx workflow.Context, done protocol.TurnDone) {
	done.WorkflowID = workflow.GetInfo(ctx).WorkflowExecution.ID
	var lanes *activities.Lanes
	ctx = workflow.WithLocalActivityOptions(ctx, activities.LaneOptions("give the turn back"))
	if err := workflow.ExecuteLocalActivity(ctx, lanes.GiveBack, a.input.Destination, done).Get(ctx, nil); err != nil {
		// The lane finds out by itself when the lease runs out.
		workflow.GetLogger(ctx).Warn("turn not given back", "destination", a.input.Destination, "error", err)
	}
}

func (a *amendment) describe(ctx workflow.Context, now string) {
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("delivery %d → %s: %s", a.input.DeliveryID, a.input.Destination, now))
}

// reasonOf is why a message could not be edited now; failure is nil if every
// attempt timed out.
func reasonOf(failure *temporal.ApplicationError) string {
	var refusal protocol.Refusal
	if failure == nil || !failure.HasDetails() || failure.Details(&refusal) != nil {
		return protocol.ReasonUnavailable
	}
	return refusal.Reason
}
