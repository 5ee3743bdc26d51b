package protocol

import (
	"fmt"
	"time"
)

// AmendDeliveryWorkflow brings the messages of a delivery in step with their
// post and its case.
const AmendDeliveryWorkflow = "AmendDelivery"

// AmendDeliveryWorkflowID is the ID under which an amendment takes its turn in
// the destination's lane.
func AmendDeliveryWorkflowID(deliveryID, amendmentID int64) string {
	return fmt.Sprintf("amend/%d/%d", deliveryID, amendmentID)
}

// AmendDeliveryInput names an amendment. What the messages are to say is read
// when they are edited.
type AmendDeliveryInput struct {
	AmendmentID int64  `json:"amendment_id"`
	DeliveryID  int64  `json:"delivery_id"`
	Destination string `json:"destination"`
}

// Statuses of an amendment: the column relay.amendments.status.
const (
	AmendPending = "pending" // to be made
	AmendDone    = "done"    // the messages show what the post says
	AmendGone    = "gone"    // the messages are not there any more
	AmendRefused = "refused" // the key may not edit
	AmendFailed  = "failed"  // the platform refused it for good
)

// AmendPart asks for the next message of an amendment to be edited.
type AmendPart struct {
	AmendmentID int64 `json:"amendment_id"`
	// EditAt is the slot granted by the lane.
	EditAt time.Time `json:"edit_at"`
}

// PartAmended tells how an amendment stands after an edit.
type PartAmended struct {
	// Status is one of those above; pending if there is more to edit.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// AmendDeliveryResult is what an amendment came to. Pending means that the
// platform could not be reached: it is tried again later.
type AmendDeliveryResult struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}
