package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/protocol"
)

const (
	// turnPoll is how often a waiting import asks whether it is its turn.
	turnPoll = time.Second
	// importHeartbeat is how soon another worker takes over from one that
	// died.
	importHeartbeat = 15 * time.Second
)

// Content takes CMS batches into the guide.
type Content struct {
	imports  *guidedb.Imports
	temporal client.Client
	pictures Pictures
}

// NewContent returns the activities of an import. pictures looks at photos; it
// decides which addresses may be reached.
func NewContent(imports *guidedb.Imports, temporal client.Client, pictures Pictures) *Content {
	return &Content{imports: imports, temporal: temporal, pictures: pictures}
}

// ImportTurnOptions are for AwaitImportTurn, which is repeated until the turn
// comes, however long the imports before it take.
func ImportTurnOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second},
		Summary:             "wait for the batches accepted earlier",
	}
}

// ImportStepOptions are for the steps that write: ApplyImport, UnpublishImport
// and FinishImport. Only the database can fail them, so they are repeated for
// as long as a day.
func ImportStepOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout:    2 * time.Hour,
		ScheduleToCloseTimeout: 24 * time.Hour,
		HeartbeatTimeout:       importHeartbeat,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
		Summary:                summary,
	}
}

// ImportAfterwardsOptions are for what happens once the content is in place:
// TidyGuide, CheckPhotos and CloseImport. Something does it again later, so a
// few attempts are enough.
func ImportAfterwardsOptions(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Minute,
		HeartbeatTimeout:    time.Minute,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: 5},
		Summary:             summary,
	}
}

// AwaitImportTurn returns when every import accepted earlier has ended; until
// then it fails with ErrImportWaits. An earlier one that nobody works on is
// started.
func (a *Content) AwaitImportTurn(ctx context.Context, input protocol.ImportContentInput) error {
	earlier, err := a.imports.Earlier(ctx, input.ImportID)
	if err != nil {
		return err
	}
	if earlier == "" {
		return a.imports.SetPhase(ctx, input.ImportID, content.PhaseApplying)
	}
	if _, err := a.temporal.ExecuteWorkflow(ctx, protocol.ImportContentStart(earlier), protocol.ImportContentWorkflow,
		protocol.ImportContentInput{ImportID: earlier}); err != nil {
		return err
	}
	return temporal.NewApplicationErrorWithOptions("import "+earlier+" goes first", protocol.ErrImportWaits, temporal.ApplicationErrorOptions{
		NextRetryDelay: turnPoll, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// ApplyImport takes an import's objects into the guide, chunk by chunk, going
// on after the last committed one.
func (a *Content) ApplyImport(ctx context.Context, input protocol.ImportContentInput) error {
	return a.imports.Apply(ctx, input.ImportID, heartbeat(ctx))
}

// UnpublishImport takes away what a snapshot did not name.
func (a *Content) UnpublishImport(ctx context.Context, input protocol.ImportContentInput) error {
	if err := a.imports.SetPhase(ctx, input.ImportID, content.PhaseUnpublishing); err != nil {
		return err
	}
	return a.imports.Unpublish(ctx, input.ImportID, heartbeat(ctx))
}

func heartbeat(ctx context.Context) func(guidedb.Progress) {
	return func(progress guidedb.Progress) { activity.RecordHeartbeat(ctx, progress) }
}

// FinishImport ends an import whose objects are in place and counts them. One
// that waits for a person is left open.
func (a *Content) FinishImport(ctx context.Context, input protocol.ImportContentInput) (protocol.ImportContentResult, error) {
	if err := a.imports.Finish(ctx, input.ImportID, time.Now()); err != nil {
		return protocol.ImportContentResult{}, err
	}
	if ended, err := a.imports.Ended(ctx, input.ImportID); err != nil || !ended {
		return protocol.ImportContentResult{Open: true}, err
	}
	status, err := a.imports.Status(ctx, input.ImportID)
	return protocol.ImportContentResult{
		Objects: status.Objects, Created: status.Created, Changed: status.Changed, Unchanged: status.Unchanged,
		Unpublished: status.Unpublished, Refused: status.RefusedCount,
	}, err
}

// FailImport gives an import up.
func (a *Content) FailImport(ctx context.Context, input protocol.ImportContentInput, reason string) error {
	return a.imports.Fail(ctx, input.ImportID, reason)
}

// TidyGuide brings Postgres's own knowledge of the guide up to date.
func (a *Content) TidyGuide(ctx context.Context) error {
	stop := beat(ctx, nothing)
	defer stop()
	return a.imports.Tidy(ctx)
}

// CloseImport records that the photos were looked at, too, and sees to it that
// they will be again: whoever imports content has a schedule for its photos. One
// that is there is left as an operator may have set it.
func (a *Content) CloseImport(ctx context.Context, input protocol.ImportContentInput) error {
	if err := a.imports.SetPhase(ctx, input.ImportID, content.PhaseFinished); err != nil {
		return err
	}
	_, err := a.temporal.ScheduleClient().Create(ctx, protocol.CheckPhotosSchedule())
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return nil
	}
	return err
}
