package protocol

import (
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// ImportContentWorkflow is the type of the workflow that takes one CMS batch
// into the guide.
const ImportContentWorkflow = "ImportContent"

// CheckPhotosWorkflow is the type of the workflow that looks at the guide's
// photos between imports.
const CheckPhotosWorkflow = "CheckPhotos"

// CheckPhotosID is the ID of the schedule, and the beginning of the ID of every
// CheckPhotos run that it starts.
const CheckPhotosID = "check-photos"

// ImportWorkflowID is the ID under which an import runs.
func ImportWorkflowID(importID string) string { return "import/" + importID }

// ImportContentInput names an accepted batch. The batch itself waits in the
// database.
type ImportContentInput struct {
	ImportID string `json:"import_id"`
}

// ImportContentResult counts what a batch came to.
type ImportContentResult struct {
	// Open: the import is held until a person confirms it. Another run works it
	// off then.
	Open        bool `json:"open,omitempty"`
	Objects     int  `json:"objects"`
	Created     int  `json:"created"`
	Changed     int  `json:"changed"`
	Unchanged   int  `json:"unchanged"`
	Unpublished int  `json:"unpublished"`
	Refused     int  `json:"refused"`
	// PhotosChecked and PhotosBad are of the guide's photos that were due.
	PhotosChecked int `json:"photos_checked"`
	PhotosBad     int `json:"photos_bad"`
}

// CheckPhotosInput bounds one round of looking at photos.
type CheckPhotosInput struct {
	MaxPhotos int `json:"max_photos"`
}

// CheckPhotosResult is what a round came to.
type CheckPhotosResult struct {
	Checked int `json:"checked"`
	Bad     int `json:"bad"`
}

// ErrImportWaits is the type of the error by which an import waits for those
// accepted before it. It is no fault and is repeated until its turn comes.
const ErrImportWaits = "ImportWaits"

// ImportContentStart is how an import is started, from wherever: starting one
// that runs changes nothing.
func ImportContentStart(importID string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                       ImportWorkflowID(importID),
		TaskQueue:                TaskQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:            "CMS batch " + importID,
	}
}

// CheckPhotosEvery is the rhythm of CheckPhotosSchedule: as often as a photo
// whose server did not answer is to be looked at again.
const CheckPhotosEvery = 30 * time.Minute

// CheckPhotosSchedule looks at the photos that are due, so that editors learn
// of one that broke, and people see one that was mended, without an import.
func CheckPhotosSchedule() client.ScheduleOptions {
	return client.ScheduleOptions{
		ID:   CheckPhotosID,
		Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: CheckPhotosEvery}}},
		Action: &client.ScheduleWorkflowAction{
			ID: CheckPhotosID, Workflow: CheckPhotosWorkflow, TaskQueue: TaskQueue,
			StaticSummary: "look at the guide's photos that are due",
		},
		Overlap:       enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchupWindow: 2 * time.Minute,
	}
}
