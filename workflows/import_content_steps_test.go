package workflows_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"vestnik/activities"
	"vestnik/internal/protocol"
	"vestnik/workflows"
)

// steps are the activities of an import in Temporal's test environment.
var steps *activities.Content

func newImportEnvironment(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	suite := &testsuite.WorkflowTestSuite{}
	environment := suite.NewTestWorkflowEnvironment()
	environment.RegisterWorkflow(workflows.ImportContent)
	environment.RegisterActivity(&activities.Content{})
	return environment
}

func TestAnImportIsAskedForItsTurnUntilItComes(t *testing.T) {
	t.Parallel()
	environment := newImportEnvironment(t)
	waits := temporal.NewApplicationErrorWithOptions("another goes first", protocol.ErrImportWaits, temporal.ApplicationErrorOptions{})
	environment.OnActivity(steps.AwaitImportTurn, mock.Anything, mock.Anything).Return(waits).Times(5)
	environment.OnActivity(steps.AwaitImportTurn, mock.Anything, mock.Anything).Return(nil).Once()
	environment.OnActivity(steps.ApplyImport, mock.Anything, mock.Anything).Return(nil).Once()
	environment.OnActivity(steps.UnpublishImport, mock.Anything, mock.Anything).Return(nil).Once()
	environment.OnActivity(steps.FinishImport, mock.Anything, mock.Anything).Return(protocol.ImportContentResult{Objects: 5, Created: 5}, nil).Once()
	environment.OnActivity(steps.CheckPhotos, mock.Anything, mock.Anything).Return(protocol.CheckPhotosResult{Checked: 3, Bad: 1}, nil).Once()
	environment.OnActivity(steps.CloseImport, mock.Anything, mock.Anything).Return(nil).Once()
	environment.ExecuteWorkflow(workflows.ImportContent, protocol.ImportContentInput{ImportID: "i"})
	require.NoError(t, environment.GetWorkflowError())
	var result protocol.ImportContentResult
	require.NoError(t, environment.GetWorkflowResult(&result))
	require.Equal(t, protocol.ImportContentResult{Objects: 5, Created: 5, PhotosChecked: 3, PhotosBad: 1}, result)
	environment.AssertExpectations(t)
}

func TestAnImportThatCanNeverBeAppliedIsGivenUpAfterADay(t *testing.T) {
	t.Parallel()
	environment := newImportEnvironment(t)
	environment.OnActivity(steps.AwaitImportTurn, mock.Anything, mock.Anything).Return(nil)
	environment.OnActivity(steps.ApplyImport, mock.Anything, mock.Anything).Return(errors.New("the database is away"))
	environment.OnActivity(steps.FailImport, mock.Anything, protocol.ImportContentInput{ImportID: "i"}, mock.Anything).Return(nil).Once()
	environment.ExecuteWorkflow(workflows.ImportContent, protocol.ImportContentInput{ImportID: "i"})
	require.Error(t, environment.GetWorkflowError())
	environment.AssertExpectations(t)
}

func TestTroubleWithPhotosOrStatisticsIsNoTroubleOfTheImport(t *testing.T) {
	t.Parallel()
	environment := newImportEnvironment(t)
	environment.OnActivity(steps.AwaitImportTurn, mock.Anything, mock.Anything).Return(nil)
	environment.OnActivity(steps.ApplyImport, mock.Anything, mock.Anything).Return(nil)
	environment.OnActivity(steps.UnpublishImport, mock.Anything, mock.Anything).Return(nil)
	environment.OnActivity(steps.FinishImport, mock.Anything, mock.Anything).Return(protocol.ImportContentResult{Created: 100_000}, nil)
	environment.OnActivity(steps.TidyGuide, mock.Anything).Return(errors.New("not the owner"))
	environment.OnActivity(steps.CheckPhotos, mock.Anything, mock.Anything).Return(protocol.CheckPhotosResult{}, errors.New("no network"))
	environment.OnActivity(steps.CloseImport, mock.Anything, mock.Anything).Return(nil).Once()
	environment.ExecuteWorkflow(workflows.ImportContent, protocol.ImportContentInput{ImportID: "i"})
	require.NoError(t, environment.GetWorkflowError())
	environment.AssertExpectations(t)
}

func TestPhotosAreLookedAtRoundByRoundUntilNoneIsDue(t *testing.T) {
	t.Parallel()
	environment := newImportEnvironment(t)
	environment.OnActivity(steps.AwaitImportTurn, mock.Anything, mock.Anything).Return(nil)
	environment.OnActivity(steps.ApplyImport, mock.Anything, mock.Anything).Return(nil)
	environment.OnActivity(steps.UnpublishImport, mock.Anything, mock.Anything).Return(nil)
	environment.OnActivity(steps.FinishImport, mock.Anything, mock.Anything).Return(protocol.ImportContentResult{}, nil)
	environment.OnActivity(steps.CheckPhotos, mock.Anything, mock.Anything).Return(protocol.CheckPhotosResult{Checked: 100}, nil).Times(3)
	environment.OnActivity(steps.CheckPhotos, mock.Anything, mock.Anything).Return(protocol.CheckPhotosResult{Checked: 42}, nil).Once()
	environment.OnActivity(steps.CloseImport, mock.Anything, mock.Anything).Return(nil).Once()
	environment.ExecuteWorkflow(workflows.ImportContent, protocol.ImportContentInput{ImportID: "i"})
	require.NoError(t, environment.GetWorkflowError())
	var result protocol.ImportContentResult
	require.NoError(t, environment.GetWorkflowResult(&result))
	require.Equal(t, 342, result.PhotosChecked)
	environment.AssertExpectations(t)
}
