package protocol

import "time"

// Statuses of an edit: the column relay.amendments.status.
const (
	EditPending = "pending" // to be made
	EditDone    = "done"    // the messages show what the post says
	EditGone    = "gone"    // the messages are not there any more
	EditRefused = "refused" // the key may not edit
	EditFailed  = "failed"  // the platform refused it for good
)

// EditMessage asks for the next message of a delivery to be brought in step
// with its post and its case. What it is to say is read when it is edited.
type EditMessage struct {
	EditID int64 `json:"edit_id"`
	// EditAt is the slot planned by the lane.
	EditAt time.Time `json:"edit_at"`
}

// MessageEdited is how an edit stands.
type MessageEdited struct {
	// Status is one of those above; pending if there is more to edit.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}
