// Package dispatch starts deliveries and queues them in their destinations'
// lanes. The row in the ledger comes first, then the workflow, then the place
// in the queue, then the mark on the row that says so: wherever a crash falls,
// the next sweep repeats what is missing, and every step may be repeated.
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"vestnik/db"
	"vestnik/internal/protocol"
)

// Dispatcher starts deliveries and speaks with lanes.
type Dispatcher struct {
	temporal client.Client
	ledger   *db.Ledger
	pace     func(destination string) protocol.Pace
}

// New returns a dispatcher; pace tells how fast each destination is configured
// to be sent to.
func New(temporal client.Client, ledger *db.Ledger, pace func(destination string) protocol.Pace) *Dispatcher {
	return &Dispatcher{temporal: temporal, ledger: ledger, pace: pace}
}

// Deliver starts deliveries and queues them, keeping their order within each
// destination. A delivery that already runs keeps its run and its place; one
// whose workflow has completed is not started again.
func (d *Dispatcher) Deliver(ctx context.Context, deliveries []db.ToQueue) error {
	return d.deliver(ctx, deliveries, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY)
}

// DeliverAgain starts a delivery even if its workflow has completed: an
// operator wants sent what was skipped.
func (d *Dispatcher) DeliverAgain(ctx context.Context, delivery db.ToQueue) error {
	return d.deliver(ctx, []db.ToQueue{delivery}, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
}

func (d *Dispatcher) deliver(ctx context.Context, deliveries []db.ToQueue, reuse enumspb.WorkflowIdReusePolicy) error {
	var destinations []string // in the order of their first delivery
	lanes := map[string][]db.ToQueue{}
	for _, delivery := range deliveries {
		if err := d.start(ctx, delivery, reuse); err != nil {
			return err
		}
		if lanes[delivery.Destination] == nil {
			destinations = append(destinations, delivery.Destination)
		}
		lanes[delivery.Destination] = append(lanes[delivery.Destination], delivery)
	}
	for _, destination := range destinations {
		if err := d.Queue(ctx, destination, lanes[destination]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) start(ctx context.Context, delivery db.ToQueue, reuse enumspb.WorkflowIdReusePolicy) error {
	options := client.StartWorkflowOptions{
		ID:                    protocol.DeliveryWorkflowID(delivery.Destination, delivery.OwnerID, delivery.PostID),
		TaskQueue:             protocol.TaskQueue,
		WorkflowIDReusePolicy: reuse,
		StaticSummary:         Summary(delivery),
		TypedSearchAttributes: temporal.NewSearchAttributes(
			protocol.DeliveryState.ValueSet(protocol.StatusPending),
			protocol.Destination.ValueSet(delivery.Destination),
			protocol.PostType.ValueSet(delivery.PostType),
		),
	}
	_, err := d.temporal.ExecuteWorkflow(ctx, options, protocol.DeliverPostWorkflow, protocol.DeliverPostInput{
		DeliveryID: delivery.ID, Destination: delivery.Destination,
		OwnerID: delivery.OwnerID, PostID: delivery.PostID, PostType: delivery.PostType,
	})
	if err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return fmt.Errorf("start %s: %w", options.ID, err)
	}
	return nil
}

// Queue asks a lane for a turn for each delivery, in order, starting the lane
// if it does not run, and marks the deliveries as queued.
func (d *Dispatcher) Queue(ctx context.Context, destination string, deliveries []db.ToQueue) error {
	turns := protocol.QueueTurns{Pace: d.pace(destination)}
	ids := make([]int64, len(deliveries))
	for i, delivery := range deliveries {
		ids[i] = delivery.ID
		turns.Turns = append(turns.Turns, protocol.Turn{
			WorkflowID: protocol.DeliveryWorkflowID(destination, delivery.OwnerID, delivery.PostID),
			Weight:     delivery.Weight,
		})
	}
	if err := d.signalLane(ctx, destination, turns); err != nil {
		return err
	}
	return d.ledger.MarkQueued(ctx, ids)
}

// amendAgain is after how long an amendment that has come to nothing is queued
// again for the first time.
const amendAgain = 10 * time.Minute

// Amend starts amendments and queues them in their lanes, behind the
// deliveries that wait there. One that runs already keeps its run and place.
func (d *Dispatcher) Amend(ctx context.Context, amendments []db.ToAmend) error {
	lanes := map[string]*protocol.QueueTurns{}
	var destinations []string
	ids := make([]int64, len(amendments))
	for i, amendment := range amendments {
		if err := d.startAmendment(ctx, amendment); err != nil {
			return err
		}
		ids[i] = amendment.ID
		turns := lanes[amendment.Destination]
		if turns == nil {
			turns = &protocol.QueueTurns{Pace: d.pace(amendment.Destination)}
			lanes[amendment.Destination] = turns
			destinations = append(destinations, amendment.Destination)
		}
		turns.Turns = append(turns.Turns, protocol.Turn{
			WorkflowID: protocol.AmendDeliveryWorkflowID(amendment.DeliveryID, amendment.ID), Weight: 1,
		})
	}
	for _, destination := range destinations {
		if err := d.signalLane(ctx, destination, *lanes[destination]); err != nil {
			return err
		}
	}
	return d.ledger.AmendmentsQueued(ctx, ids, amendAgain)
}

func (d *Dispatcher) startAmendment(ctx context.Context, amendment db.ToAmend) error {
	options := client.StartWorkflowOptions{
		ID:                    protocol.AmendDeliveryWorkflowID(amendment.DeliveryID, amendment.ID),
		TaskQueue:             protocol.TaskQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary: fmt.Sprintf("%s: edit what was told of %s → %s", amendment.Cause,
			protocol.WallPost(amendment.OwnerID, amendment.PostID), amendment.Destination),
		TypedSearchAttributes: temporal.NewSearchAttributes(protocol.Destination.ValueSet(amendment.Destination)),
	}
	_, err := d.temporal.ExecuteWorkflow(ctx, options, protocol.AmendDeliveryWorkflow, protocol.AmendDeliveryInput{
		AmendmentID: amendment.ID, DeliveryID: amendment.DeliveryID, Destination: amendment.Destination,
	})
	if err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return fmt.Errorf("start %s: %w", options.ID, err)
	}
	return nil
}

// OpenLane makes sure that the lane of a destination runs, so that it can be
// paused before anything was ever sent there.
func (d *Dispatcher) OpenLane(ctx context.Context, destination string) error {
	return d.signalLane(ctx, destination, protocol.QueueTurns{Pace: d.pace(destination)})
}

func (d *Dispatcher) signalLane(ctx context.Context, destination string, turns protocol.QueueTurns) error {
	id := protocol.DestinationWorkflowID(destination)
	_, err := d.temporal.SignalWithStartWorkflow(ctx, id, protocol.QueueTurnsSignal, turns,
		client.StartWorkflowOptions{
			TaskQueue:     protocol.TaskQueue,
			StaticSummary: "lane of " + destination,
			StaticDetails: "Grants one turn at a time, in order and in pace. Updates: pause, resume, set_rate. Query: state.",
			TypedSearchAttributes: temporal.NewSearchAttributes(
				protocol.DeliveryState.ValueSet(protocol.LaneOpen),
				protocol.Destination.ValueSet(destination),
			),
		},
		protocol.DestinationWorkflow, protocol.DestinationInput{Destination: destination})
	if err != nil {
		return fmt.Errorf("queue in %s: %w", id, err)
	}
	return nil
}

// Grant tells a delivery that it is its turn; false if it does not run.
func (d *Dispatcher) Grant(ctx context.Context, workflowID string, granted protocol.TurnGranted) (bool, error) {
	err := d.temporal.SignalWorkflow(ctx, workflowID, "", protocol.TurnGrantedSignal, granted)
	if isNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("grant a turn to %s: %w", workflowID, err)
	}
	return true, nil
}

// GiveBack returns a turn to its lane. A lane that does not run any more has
// nothing to get back.
func (d *Dispatcher) GiveBack(ctx context.Context, destination string, done protocol.TurnDone) error {
	err := d.temporal.SignalWorkflow(ctx, protocol.DestinationWorkflowID(destination), "", protocol.TurnDoneSignal, done)
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("give a turn back to %s: %w", destination, err)
	}
	return nil
}

// Runs tells whether a workflow is running.
func (d *Dispatcher) Runs(ctx context.Context, workflowID string) (bool, error) {
	description, err := d.temporal.DescribeWorkflowExecution(ctx, workflowID, "")
	if isNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("describe %s: %w", workflowID, err)
	}
	return description.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}

// Summary is how a delivery is called in lists: "lost cat, Пушкинская 283 →
// telegram:-100123".
func Summary(delivery db.ToQueue) string {
	text := delivery.PostType
	if delivery.Animal != "" {
		text += " " + delivery.Animal
	}
	if delivery.Location != "" {
		text += ", " + shorten(delivery.Location, 80)
	}
	return text + " → " + delivery.Destination
}

// shorten keeps a summary under Temporal's 400 bytes.
func shorten(text string, runes int) string {
	if all := []rune(text); len(all) > runes {
		return string(all[:runes-1]) + "…"
	}
	return text
}

func isNotFound(err error) bool {
	var notFound *serviceerror.NotFound
	return errors.As(err, &notFound)
}
