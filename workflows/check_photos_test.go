package workflows_test

import (
	"context"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"

	"vestnik/activities"
	"vestnik/internal/content"
	"vestnik/internal/protocol"
	"vestnik/workflows"
)

func TestAScheduledLookAtPhotosLeavesTheRestToTheNext(t *testing.T) {
	t.Parallel()
	suite := &testsuite.WorkflowTestSuite{}
	environment := suite.NewTestWorkflowEnvironment()
	environment.RegisterWorkflow(workflows.CheckPhotos)
	environment.RegisterActivity(&activities.Content{})
	environment.OnActivity(steps.CheckPhotos, mock.Anything, mock.Anything).Return(protocol.CheckPhotosResult{Checked: 100, Bad: 1}, nil).Times(30)
	environment.ExecuteWorkflow(workflows.CheckPhotos)
	require.NoError(t, environment.GetWorkflowError())
	var result protocol.CheckPhotosResult
	require.NoError(t, environment.GetWorkflowResult(&result))
	require.Equal(t, protocol.CheckPhotosResult{Checked: 3000, Bad: 30}, result)
	environment.AssertExpectations(t)
}

func TestAPhotoThatBreaksAndIsMendedIsNoticedWithoutAnImport(t *testing.T) {
	t.Parallel()
	var gone atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 320, 240))) // a fetcher that went away is told by nobody
	}))
	t.Cleanup(server.Close)
	i := setupImporting(t)
	i.startWorker(t)
	id := i.send(t, "", content.Batch{Places: []content.Place{{ID: "p", Name: "Место", Photos: []string{server.URL + "/1.png"}}}})
	i.wait(t, id, func(status content.Status) bool { return status.Phase == content.PhaseFinished })
	// The import's last step made the schedule before its workflow ended.
	require.NoError(t, i.temporal.GetWorkflow(t.Context(), protocol.ImportWorkflowID(id), "").Get(t.Context(), nil))
	schedule := i.temporal.ScheduleClient().GetHandle(t.Context(), protocol.CheckPhotosID)
	described, err := schedule.Describe(t.Context())
	require.NoError(t, err)
	require.Equal(t, protocol.CheckPhotosEvery, described.Schedule.Spec.Intervals[0].Every)
	require.Equal(t, content.Photos{Good: 1}, i.report(t).Photos)

	gone.Store(true)
	i.lookAgain(t, schedule)
	report := i.report(t)
	require.Equal(t, []string{"places/p"}, report.BadPhotos[0].UsedBy)

	gone.Store(false)
	run := i.lookAgain(t, schedule)
	require.Equal(t, content.Photos{Good: 1}, i.report(t).Photos)
	i.keepHistory(t, "CheckPhotos/one_round", run)

	i.lookAgain(t, schedule)
	second := i.send(t, "again", content.Batch{Places: []content.Place{{ID: "q", Name: "Другое"}}})
	require.NoError(t, i.temporal.GetWorkflow(t.Context(), protocol.ImportWorkflowID(second), "").Get(t.Context(), nil), "the schedule is there already")
}

// lookAgain lets every photo be due and the schedule run, to its end.
func (i *importing) lookAgain(t *testing.T, schedule client.ScheduleHandle) (workflowID string) {
	t.Helper()
	before := runs(t, schedule)
	_, err := i.pool.Exec(t.Context(), "UPDATE guide.photos SET due_at = now()")
	require.NoError(t, err)
	require.NoError(t, schedule.Trigger(t.Context(), client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL}))
	require.Eventually(t, func() bool { return len(runs(t, schedule)) > len(before) }, time.Minute, 5*time.Millisecond)
	workflowID = runs(t, schedule)[len(before)]
	require.NoError(t, i.temporal.GetWorkflow(t.Context(), workflowID, "").Get(t.Context(), nil))
	return workflowID
}

func runs(t *testing.T, schedule client.ScheduleHandle) (workflowIDs []string) {
	t.Helper()
	described, err := schedule.Describe(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
	for _, action := range described.Info.RecentActions {
		workflowIDs = append(workflowIDs, action.StartWorkflowResult.WorkflowID)
	}
	return workflowIDs
}

func (i *importing) report(t *testing.T) content.PhotoReport {
	t.Helper()
	report, err := i.imports.PhotoReport(t.Context())
	require.NoError(t, err)
	return report
}
