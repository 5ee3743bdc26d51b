package protocol

import (
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// ImportContentWorkflow is the type of the workflow that takes one CMS batch
// into the guide.
const ImportContentWorkflow = "ImportContent"

// ImportWorkflowID is the ID under which an import runs.
func ImportWorkflowID(importID string) string { return "import/" + importID }

// ImportContentInput names an accepted batch. The batch itself waits in the
// database.
type ImportContentInput struct {
	ImportID string `json:"import_id"`
}

// ImportContentResult counts what a batch came to.
type ImportContentResult struct {
	Objects     int `json:"objects"`
	Created     int `json:"created"`
	Changed     int `json:"changed"`
	Unchanged   int `json:"unchanged"`
	Unpublished int `json:"unpublished"`
	Refused     int `json:"refused"`
	// PhotosChecked and PhotosBad are of the guide's photos that were due.
	PhotosChecked int `json:"photos_checked"`
	PhotosBad     int `json:"photos_bad"`
}

// CheckPhotosInput bounds one round of looking at photos.
type CheckPhotosInput struct {
	MaxPhotos int `json:"max_photos"`
}

// CheckPhotosResult tells what a round came to.
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
