// Package starter starts and steers the relay's workflows, and holds its stores and
// routes: the scan schedule, scans and deliveries by hand, resuming what waits,
// pausing destinations. It also says what a post owes by the rules, for a scan and
// for a person's decision alike.
package starter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"vestnik/db"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/words"
)

// answerTime is how long a command waits for a worker's answer.
const answerTime = 20 * time.Second

// ErrNoWorker means that Temporal took the request and no worker answered.
var ErrNoWorker = errors.New("no worker has answered: is `vestnik worker` running?")

// ErrSent means that nothing is left to decide about a delivery: it has been sent.
var ErrSent = errors.New("it has been sent: nothing is left to decide")

// ErrNoCaptcha means that nobody waits for a captcha's answer any more.
var ErrNoCaptcha = errors.New("it does not wait for a captcha any more: use the action retry")

// NotReadError means that VK has not shown a wall, for a reason of its catalogue.
type NotReadError struct{ Wall, Reason string }

// Error names the wall and the reason.
func (e *NotReadError) Error() string { return e.Wall + ": " + e.Reason }

// Deliver sends a stored post to a destination by hand, whatever the rules
// say, and returns the delivery's id. A post that has been delivered there is
// refused; one that failed or was skipped is sent again.
func (s *Starter) Deliver(ctx context.Context, ownerID, postID int64, destination route.Destination) (id int64, err error) {
	if _, configured := s.Routes().Target(destination); !configured {
		return 0, s.unconfigured(destination)
	}
	decision, err := s.decides(ctx, "deliver", postSubject(post.ID{OwnerID: ownerID, PostID: postID}), "")
	if err != nil {
		return 0, err
	}
	defer decision.close(&err)
	id, created, err := s.Posts.Owe(ctx, ownerID, postID, db.Owed{Destination: destination.String(), Weight: 1, Wanted: true})
	if errors.Is(err, db.ErrNotFound) {
		return 0, fmt.Errorf("%s is not stored: scan its wall first (%w)", protocol.WallPost(ownerID, postID), err)
	}
	if err != nil {
		return 0, err
	}
	decision.line.Subject = deliverySubject(id)
	if created {
		_, err := s.StartOwed(ctx)
		return id, err
	}
	delivery, err := s.Ledger.Delivery(ctx, id)
	if err != nil {
		return 0, err
	}
	if delivery.Status == protocol.StatusSent {
		return id, fmt.Errorf("%s to %s as delivery %d on %s: %w", protocol.WallPost(ownerID, postID), destination, id,
			delivery.SentAt.Format(time.RFC3339), ErrSent)
	}
	_, err = s.Resume(ctx, id, protocol.Resume{Action: protocol.ResumeRetry})
	return id, err
}

func (s *Starter) unconfigured(destination route.Destination) error {
	var known []string
	for _, target := range s.Routes().Targets() {
		known = append(known, target.Destination.String())
	}
	return words.NewUnknown("configured destination", destination.String(), known, "TG_CHAT, VK_OUT_OWNER_ID or ROUTES_FILE name them")
}

// Resume hands an operator's decision to a delivery and says what came of it.
// A delivery whose workflow has ended is started again, or settled on the
// spot. Its errors name the delivery.
func (s *Starter) Resume(ctx context.Context, id int64, resume protocol.Resume) (answer string, err error) {
	if err := resume.Validate(); err != nil {
		return "", err
	}
	decision, err := s.decides(ctx, string(resume.Action), deliverySubject(id), resume.Note)
	if err != nil {
		return "", err
	}
	defer decision.close(&err)
	delivery, err := s.Ledger.Delivery(ctx, id)
	if err != nil {
		return "", err
	}
	if delivery.Status == protocol.StatusSent {
		return "", fmt.Errorf("delivery %d: %w", id, ErrSent)
	}
	err = s.update(ctx, delivery.WorkflowID, protocol.ResumeDeliveryUpdate, &answer, resume)
	if err == nil {
		return answer, nil
	}
	if !isNotFound(err) {
		return "", fmt.Errorf("delivery %d: %w", id, err)
	}
	key := protocol.DeliveryKey{Destination: delivery.Destination, OwnerID: delivery.OwnerID, PostID: delivery.PostID}
	switch resume.Action {
	case protocol.ResumeSkip, protocol.ResumeMarkSent:
		result, err := s.Ledger.Settle(ctx, protocol.Settle{DeliveryKey: key, Action: resume.Action, Note: resume.Note})
		return fmt.Sprintf("delivery %d: %s", id, result.Status), err
	case protocol.ResumeCaptcha:
		return "", fmt.Errorf("delivery %d: %w", id, ErrNoCaptcha)
	default:
		if _, err := s.Ledger.Requeue(ctx, key); err != nil {
			return "", err
		}
		_, err := s.StartOwed(ctx)
		return fmt.Sprintf("delivery %d: started again", id), err
	}
}

// update sends an update and waits for its answer; for short, because an update
// stays with Temporal only until a worker accepts it.
func (s *Starter) update(ctx context.Context, workflowID, name string, answer any, arguments ...any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	handle, err := s.Temporal.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: workflowID, UpdateName: name, Args: arguments, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(ctx, answer)
	}
	if ctx.Err() != nil {
		return ErrNoWorker
	}
	return err
}

// Schedule makes the schedules of the relay, or brings existing ones in step
// with the configuration; a pause set by an operator stays.
func (s *Starter) Schedule(ctx context.Context) error {
	return s.eachSchedule(func(wanted schedule) error {
		if err := s.Ledger.WantSchedule(ctx, wanted.id); err != nil {
			return err
		}
		err := s.create(ctx, wanted)
		if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
			return err
		}
		return s.Temporal.ScheduleClient().GetHandle(ctx, wanted.id).Update(ctx, client.ScheduleUpdateOptions{
			DoUpdate: func(input client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
				schedule := input.Description.Schedule
				schedule.Spec, schedule.Action = wanted.spec(), wanted.action()
				return &client.ScheduleUpdate{Schedule: &schedule}, nil
			},
		})
	})
}

// EnsureSchedules makes the schedules of recovery and retention, and that of the
// scan if Schedule has made it, where they are not there: Temporal may be a new
// one.
func (s *Starter) EnsureSchedules(ctx context.Context) error {
	ids, err := s.Ledger.WantedSchedules(ctx)
	if err != nil {
		return err
	}
	return s.eachSchedule(func(wanted schedule) error {
		if wanted.id == protocol.ScanWallsID && !slices.Contains(ids, wanted.id) {
			return nil
		}
		if err := s.create(ctx, wanted); !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
			return err
		}
		return nil
	})
}

const (
	recoverEvery = time.Minute
	retainEvery  = time.Hour
	// scheduledRunTime ends a run of a schedule that hangs, whatever the
	// reason: its schedule skips the later ones as long as it runs.
	scheduledRunTime = 30 * time.Minute
)

// schedule is a workflow that is run every so often.
type schedule struct {
	id, workflow, summary string
	every                 time.Duration
	arguments             []any
}

func (s *Starter) eachSchedule(do func(schedule) error) error {
	err := errors.Join(
		do(schedule{id: protocol.RecoverID, workflow: protocol.RecoverWorkflow, summary: "set going again what stands still", every: recoverEvery}),
		do(schedule{id: protocol.RetainID, workflow: protocol.RetainWorkflow, summary: "blank posts that are kept no longer", every: retainEvery}),
	)
	if len(s.WatchedWalls()) == 0 {
		return err
	}
	return errors.Join(err, do(schedule{
		id: protocol.ScanWallsID, workflow: protocol.ScanWallsWorkflow, summary: "read the walls that are due",
		every: s.Config.Scan.Interval, arguments: []any{protocol.ScanWallsInput{}},
	}))
}

func (s *Starter) create(ctx context.Context, wanted schedule) error {
	_, err := s.Temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: wanted.id, Spec: *wanted.spec(), Action: wanted.action(),
		Overlap:            enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchupWindow:      2 * time.Minute,
		TriggerImmediately: true,
	})
	return err
}

func (w schedule) spec() *client.ScheduleSpec {
	return &client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: w.every}}}
}

func (w schedule) action() *client.ScheduleWorkflowAction {
	return &client.ScheduleWorkflowAction{
		ID: w.id, Workflow: w.workflow, Args: w.arguments, TaskQueue: protocol.TaskQueue, StaticSummary: w.summary,
		WorkflowRunTimeout: scheduledRunTime,
	}
}

// Scan reads walls now, without waiting for the schedule, and waits for the
// result. A scan by hand that is under way already is joined. A wall that is not
// watched is *words.Unknown.
func (s *Starter) Scan(ctx context.Context, input protocol.ScanWallsInput) (protocol.ScanWallsResult, error) {
	var result protocol.ScanWallsResult
	if err := s.watched(ctx, input.Walls); err != nil {
		return result, err
	}
	run, err := s.scan(ctx, "-by-hand", "read walls, asked for by hand", input)
	if err != nil {
		return result, fmt.Errorf("start a scan: %w", err)
	}
	return result, run.Get(ctx, &result)
}

// scan starts a scan beside the schedule's, or joins the one under way; a
// backfill joins none.
func (s *Starter) scan(ctx context.Context, suffix, summary string, input protocol.ScanWallsInput) (client.WorkflowRun, error) {
	return s.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: protocol.ScanWallsID + suffix, TaskQueue: protocol.TaskQueue, StaticSummary: summary,
		WorkflowExecutionErrorWhenAlreadyStarted: input.Backfill != nil,
	}, protocol.ScanWallsWorkflow, input)
}

// ReadWall reads one wall now, because somebody asks for it. That VK still does
// not show it is an error.
func (s *Starter) ReadWall(ctx context.Context, name string) (err error) {
	decision, err := s.decides(ctx, "read", wallSubject(name), "")
	if err != nil {
		return err
	}
	defer decision.close(&err)
	result, err := s.Scan(ctx, protocol.ScanWallsInput{Walls: []string{name}, Now: true})
	for _, wall := range result.Walls {
		if reason := cmp.Or(wall.Parked, wall.Failed, wall.Paused); reason != "" {
			return &NotReadError{Wall: name, Reason: reason}
		}
	}
	return err
}

// watched refuses names of walls that VK_WALLS does not hold.
func (s *Starter) watched(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	known := slices.Clone([]string(s.WatchedWalls())) // the first scan is still to make them the watched ones
	walls, err := s.Walls.Watched(ctx)
	if err != nil {
		return err
	}
	for _, wall := range walls {
		known = append(known, wall.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return words.NewUnknown("watched wall", name, known, "VK_WALLS names them, and `vestnik scan --plan` lists them")
		}
	}
	return nil
}

// WallHasNews makes a wall due, once for each of VK's events, and begins to read
// it. If that fails, the next scan reads it.
func (s *Starter) WallHasNews(ctx context.Context, ownerID int64, eventID string) error {
	name, err := s.Walls.HasNews(ctx, ownerID, eventID)
	if err != nil || name == "" {
		return err
	}
	if _, err = s.scan(ctx, "-called/"+name, "VK has called: there is news on "+name, protocol.ScanWallsInput{Walls: []string{name}}); err != nil {
		s.Log.WarnContext(ctx, "wall with news not read at once: the next scan does", "wall", name, "error", err)
	}
	return nil
}

// Backfill owes what a wall's first reading did not deliver, and waits for the
// result.
func (s *Starter) Backfill(ctx context.Context, wanted protocol.Backfill) (protocol.Backfilled, error) {
	var result protocol.ScanWallsResult
	if err := s.watched(ctx, []string{wanted.Wall}); err != nil {
		return protocol.Backfilled{}, err
	}
	run, err := s.scan(ctx, "-backfill", "backfill of "+wanted.Wall, protocol.ScanWallsInput{Backfill: &wanted})
	if err == nil {
		err = run.Get(ctx, &result)
	}
	if err != nil {
		return protocol.Backfilled{}, fmt.Errorf("backfill %s: %w", wanted.Wall, err)
	}
	return *result.Backfilled, nil
}

func isNotFound(err error) bool {
	var notFound *serviceerror.NotFound
	return errors.As(err, &notFound)
}
