package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"vestnik/db"
	"vestnik/internal/protocol"
)

// startBatch is how many deliveries are started before that is recorded.
const startBatch = 200

// StartOwed starts the workflows of deliveries that are owed and have none, in
// the order in which people wrote, and nudges their lanes. It returns how many.
// What can't be started now stays owed: the lane's grant, or recovery, starts
// it. A failure at one destination holds up no other.
func (s *Starter) StartOwed(ctx context.Context) (int, error) {
	started := 0
	for {
		owed, err := s.Ledger.Unstarted(ctx, startBatch)
		if err != nil || len(owed) == 0 {
			return started, err
		}
		done, err := s.Start(ctx, owed)
		started += done
		if err != nil || done < len(owed) {
			return started, err
		}
	}
}

// Start starts the workflows of deliveries and records it, after nudging their
// lanes: a lane that is at rest grants the turn to a run of its own making. It
// returns how many it has started, with the failures of all destinations.
func (s *Starter) Start(ctx context.Context, deliveries []db.ToStart) (int, error) {
	failed := map[string]error{} // by destination
	nudged := map[string]bool{}
	for _, delivery := range deliveries {
		if lane := delivery.Destination; !nudged[lane] {
			nudged[lane] = true
			failed[lane] = s.Nudge(ctx, lane)
		}
	}
	var ids []int64
	for _, delivery := range deliveries {
		if failed[delivery.Destination] != nil {
			continue // whatever is the matter, the others of this destination would meet it too
		}
		if err := s.start(ctx, delivery); err != nil {
			failed[delivery.Destination] = err
			continue
		}
		ids = append(ids, delivery.ID)
	}
	var failures []error
	for _, err := range failed {
		failures = append(failures, err)
	}
	if len(ids) > 0 {
		failures = append(failures, s.Ledger.Started(ctx, ids))
	}
	return len(ids), errors.Join(failures...)
}

// start starts one delivery. One that runs is left alone; one that has closed
// begins anew, unless what it came to settles the row.
func (s *Starter) start(ctx context.Context, delivery db.ToStart) error {
	input := inputOf(delivery.DeliveryKey, delivery.ID, delivery.PostType, delivery.WantedAt)
	state := protocol.StatusPending
	if delivery.Status != "" {
		state = delivery.Status
		input.Waiting = &protocol.Park{DeliveryKey: delivery.DeliveryKey, Status: delivery.Status, Reason: delivery.Reason}
	}
	options := deliveryOptions(delivery.DeliveryKey, delivery.PostType, delivery.Summary, state)
	_, err := s.Temporal.ExecuteWorkflow(ctx, options, protocol.DeliverPostWorkflow, input)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		var last lastRun
		if last, err = s.lastRun(ctx, delivery.DeliveryKey); err != nil || last.runs || last.settled {
			return err
		}
		options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
		_, err = s.Temporal.ExecuteWorkflow(ctx, options, protocol.DeliverPostWorkflow, input)
	}
	if err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return fmt.Errorf("start %s: %w", options.ID, err)
	}
	return nil
}

func inputOf(key protocol.DeliveryKey, id int64, postType string, wantedAt time.Time) protocol.DeliverPostInput {
	return protocol.DeliverPostInput{DeliveryKey: key, DeliveryID: id, PostType: postType, WantedAt: wantedAt, Protocol: protocol.LedgerQueue}
}

// deliveryOptions refuse a start where any run of the delivery is known, so that
// what that has come to is looked at first.
func deliveryOptions(key protocol.DeliveryKey, postType, summary, state string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                                       key.WorkflowID(),
		TaskQueue:                                protocol.TaskQueue,
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticSummary:                            summary,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			protocol.DeliveryState.ValueSet(state),
			protocol.Destination.ValueSet(key.Destination),
			protocol.PostType.ValueSet(postType),
		),
	}
}

// Grant gives a delivery its turn: to the run that there is, or to one that
// begins with it. It reports false if the delivery turned out to be settled.
func (s *Starter) Grant(ctx context.Context, grant protocol.Grant) (granted bool, err error) {
	key := grant.Job.Key(grant.Destination)
	options := deliveryOptions(key, grant.Job.PostType, grant.Job.Summary, protocol.StatusPending)
	input := inputOf(key, grant.Job.DeliveryID, grant.Job.PostType, grant.Job.WantedAt)
	signal := func() error {
		_, err := s.Temporal.SignalWithStartWorkflow(ctx, options.ID, protocol.TurnGrantedSignal, grant.Turn, options, protocol.DeliverPostWorkflow, input)
		return err
	}
	if err = signal(); temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		last, unknown := s.lastRun(ctx, key)
		if unknown != nil || last.settled {
			return false, unknown
		}
		options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
		err = signal()
	}
	if err != nil {
		return false, fmt.Errorf("grant a turn to %s: %w", options.ID, err)
	}
	return true, nil
}

// lastRun is what Temporal knows of a delivery.
type lastRun struct {
	runs    bool
	settled bool // it has closed, and the row is at rest now
}

// lastRun looks at the last run of a delivery. What a closed one came to is
// brought to the ledger, which takes it if it did not know.
func (s *Starter) lastRun(ctx context.Context, key protocol.DeliveryKey) (lastRun, error) {
	id := key.WorkflowID()
	description, err := s.Temporal.DescribeWorkflowExecution(ctx, id, "")
	if isNotFound(err) {
		return lastRun{}, nil
	}
	if err != nil {
		return lastRun{}, fmt.Errorf("describe %s: %w", id, err)
	}
	info := description.GetWorkflowExecutionInfo()
	if info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return lastRun{runs: true}, nil
	}
	result, err := s.resultOf(ctx, info.GetExecution(), info.GetStatus())
	if err != nil {
		return lastRun{}, err
	}
	settled, err := s.Ledger.Learn(ctx, key, result)
	return lastRun{settled: settled}, err
}

// resultOf is what a closed delivery came to; the zero result if it was
// terminated or never came to anything.
func (s *Starter) resultOf(ctx context.Context, run *commonpb.WorkflowExecution, status enumspb.WorkflowExecutionStatus) (protocol.DeliverPostResult, error) {
	var result protocol.DeliverPostResult
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		err := s.Temporal.GetWorkflow(ctx, run.GetWorkflowId(), run.GetRunId()).Get(ctx, &result)
		if err != nil {
			return result, fmt.Errorf("result of %s: %w", run.GetWorkflowId(), err)
		}
	case enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:
		err := s.Temporal.GetWorkflow(ctx, run.GetWorkflowId(), run.GetRunId()).Get(ctx, nil)
		var refused *temporal.ApplicationError
		if errors.As(err, &refused) && refused.Type() == protocol.ErrRejected {
			result.Status, result.Reason = protocol.StatusFailed, refused.Message()
		}
	}
	return result, nil
}

// Nudge makes a lane look at the ledger, starting it if it does not run.
func (s *Starter) Nudge(ctx context.Context, destination string) error {
	id := protocol.DestinationWorkflowID(destination)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, id, protocol.NudgeSignal, nil, laneOptions(destination),
		protocol.DestinationWorkflow, protocol.DestinationInput{Destination: destination})
	if err != nil {
		return fmt.Errorf("nudge %s: %w", id, err)
	}
	return nil
}

// pausesInLedger marks the lanes whose pause and rate are in the ledger, as a
// memo: those of builds before it kept them to themselves.
const pausesInLedger = "pauses_in_ledger"

func laneOptions(destination string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:            protocol.DestinationWorkflowID(destination),
		TaskQueue:     protocol.TaskQueue,
		StaticSummary: "lane of " + destination,
		Memo:          map[string]any{pausesInLedger: true},
		StaticDetails: "Grants one turn at a time, in order and in pace. Updates: pause, resume, set_rate. Query: state.",
		TypedSearchAttributes: temporal.NewSearchAttributes(
			protocol.DeliveryState.ValueSet(protocol.LaneOpen),
			protocol.Destination.ValueSet(destination),
		),
	}
}

// GiveBack returns a turn to its lane. A lane that does not run any more has
// nothing to get back.
func (s *Starter) GiveBack(ctx context.Context, destination string, done protocol.TurnDone) error {
	err := s.Temporal.SignalWorkflow(ctx, protocol.DestinationWorkflowID(destination), "", protocol.TurnDoneSignal, done)
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("give a turn back to %s: %w", destination, err)
	}
	return nil
}

// TakeBack takes deliveries back: what waits is not sent, and what has arrived
// is removed by their lanes, at their pace. What became of that is in
// [db.Ledger.Edits].
func (s *Starter) TakeBack(ctx context.Context, reason string, deliveryIDs ...int64) (err error) {
	for _, id := range deliveryIDs {
		decision, err := s.decides(ctx, "take back", deliverySubject(id), reason)
		if err != nil {
			return err
		}
		defer decision.close(&err)
	}
	destinations, err := s.Ledger.TakeBack(ctx, reason, deliveryIDs...)
	failures := []error{err}
	for _, destination := range destinations {
		failures = append(failures, s.Nudge(ctx, destination))
	}
	return errors.Join(failures...)
}

const (
	// seenFor is how long a run that waits for a person is taken to be there
	// after it was last seen.
	seenFor = 2 * time.Minute
	// lookAtRuns bounds how many of them one round of recovery looks at.
	lookAtRuns = 100
	// stuckTasks is how many times in a row a lane's workflow task must have
	// failed before the lane is begun anew: its history does not fit the code.
	stuckTasks = 4
)

// NudgeOwing nudges every lane that owes something and may go. A lane that does
// not run is begun; one whose task keeps failing is begun anew, which costs
// nothing, because all that matters is in the ledger. It returns how many
// destinations owe something, and the failures of all of them.
func (s *Starter) NudgeOwing(ctx context.Context) (int, error) {
	owing, err := s.Ledger.Owing(ctx)
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, lane := range owing {
		failures = append(failures, s.tend(ctx, lane))
	}
	return len(owing), errors.Join(failures...)
}

// NudgeEdits nudges the lanes of destinations with edits to make.
func (s *Starter) NudgeEdits(ctx context.Context) error {
	owing, err := s.Ledger.Owing(ctx)
	if err != nil {
		return err
	}
	var failures []error
	for _, lane := range owing {
		if lane.Edits {
			failures = append(failures, s.Nudge(ctx, lane.Destination))
		}
	}
	return errors.Join(failures...)
}

func (s *Starter) tend(ctx context.Context, lane db.Owing) error {
	id := protocol.DestinationWorkflowID(lane.Destination)
	description, err := s.Temporal.DescribeWorkflowExecution(ctx, id, "")
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("describe %s: %w", id, err)
	}
	runs := description.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	switch attempt := description.GetPendingWorkflowTask().GetAttempt(); {
	case !runs:
	case attempt >= stuckTasks:
		return s.beginAnew(ctx, lane.Destination, description.GetWorkflowExecutionInfo())
	case attempt > 1, lane.Paused: // a signal would make Temporal count the attempts anew
		return nil
	}
	return s.Nudge(ctx, lane.Destination)
}

// beginAnew replaces a lane that can't go on. One of a build that kept its pause
// to itself hands it over: its search attributes show it. The edits that such a
// build had running are in the ledger, too.
func (s *Starter) beginAnew(ctx context.Context, destination string, lane *workflowpb.WorkflowExecutionInfo) error {
	_, keepsToLedger := lane.GetMemo().GetFields()[pausesInLedger]
	if attributes := lane.GetSearchAttributes(); !keepsToLedger && shown(attributes, protocol.DeliveryState) == protocol.LanePaused {
		pause := protocol.Pause{Reason: shown(attributes, protocol.ParkReason), By: "carried over"}
		if err := s.Ledger.Pause(ctx, destination, pause); err != nil {
			return err
		}
	}
	if !keepsToLedger {
		if err := s.terminateEdits(ctx, destination); err != nil {
			return err
		}
	}
	s.Log.WarnContext(ctx, "lane begun anew: its history does not fit this build", "destination", destination)
	options := laneOptions(destination)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING
	_, err := s.Temporal.ExecuteWorkflow(ctx, options, protocol.DestinationWorkflow, protocol.DestinationInput{Destination: destination})
	if err != nil {
		return fmt.Errorf("begin %s anew: %w", options.ID, err)
	}
	return nil
}

// ReturnToPeople gives a run to those deliveries that wait for a person and have
// none, so that they are seen and can be decided about in Temporal too.
func (s *Starter) ReturnToPeople(ctx context.Context) (int, error) {
	waiting, err := s.Ledger.WithPeople(ctx, time.Now().Add(-seenFor), lookAtRuns)
	if err != nil {
		return 0, err
	}
	var failures []error
	var seen []int64
	for _, delivery := range waiting {
		if err := s.start(ctx, delivery); err != nil {
			failures = append(failures, err)
			continue
		}
		seen = append(seen, delivery.ID)
	}
	return len(seen), errors.Join(append(failures, s.Ledger.RunsSeen(ctx, seen))...)
}

// terminateEdits ends the edits that were workflows of their own.
func (s *Starter) terminateEdits(ctx context.Context, destination string) error {
	found, err := s.Temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Query: fmt.Sprintf("WorkflowType = 'AmendDelivery' AND ExecutionStatus = 'Running' AND Destination = '%s'", destination),
	})
	if err != nil {
		return fmt.Errorf("list the edits of %s: %w", destination, err)
	}
	for _, edit := range found.GetExecutions() {
		run := edit.GetExecution()
		if err := s.Temporal.TerminateWorkflow(ctx, run.GetWorkflowId(), run.GetRunId(), "the lane makes edits itself"); err != nil && !isNotFound(err) {
			return fmt.Errorf("terminate %s: %w", run.GetWorkflowId(), err)
		}
	}
	return nil
}

// TellRuns makes the workflows of deliveries that came to rest from outside look
// at the ledger: their case was closed, a late answer came. It returns how many.
func (s *Starter) TellRuns(ctx context.Context) (int, error) {
	keys, ids, err := s.Ledger.Untold(ctx, startBatch)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	var failures []error
	var told []int64
	for i, key := range keys {
		err := s.Temporal.SignalWorkflow(ctx, key.WorkflowID(), "", protocol.TurnGrantedSignal, protocol.TurnGranted{})
		if err != nil && !isNotFound(err) {
			failures = append(failures, fmt.Errorf("tell %s of its end: %w", key, err))
			continue
		}
		told = append(told, ids[i])
	}
	return len(told), errors.Join(append(failures, s.Ledger.Told(ctx, told))...)
}

// Reconciled counts what Reconcile has looked at.
type Reconciled struct {
	Open    int `json:"open"`    // rows that are not at rest
	Settled int `json:"settled"` // that a closed workflow knew more about
}

// Reconcile compares every delivery that is not at rest with what Temporal knows
// of it, and settles those whose closed workflow knows more: Postgres was
// restored from a backup. Recovery and grants do the same, each when it comes
// to a row.
func (s *Starter) Reconcile(ctx context.Context) (Reconciled, error) {
	var counts Reconciled
	for after := int64(0); ; {
		open, err := s.Ledger.NotAtRest(ctx, after, startBatch)
		if err != nil || len(open) == 0 {
			return counts, err
		}
		for _, delivery := range open {
			last, err := s.lastRun(ctx, delivery.DeliveryKey)
			if err != nil {
				return counts, err
			}
			if last.settled {
				counts.Settled++
			}
			after = delivery.ID
		}
		counts.Open += len(open)
	}
}

// shown is a Keyword search attribute; "" if it is not set.
func shown(attributes *commonpb.SearchAttributes, key temporal.SearchAttributeKeyKeyword) string {
	var value string
	_ = converter.GetDefaultDataConverter().FromPayload(attributes.GetIndexedFields()[key.GetName()], &value) // what can't be read is not shown
	return value
}
