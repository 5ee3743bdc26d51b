// Package protocol is the vocabulary that workflows, activities, the starter,
// the api and tests share: workflow types and IDs, task queues, the names of
// signals, queries and updates, search attributes, and the messages sent
// through them, and what a namespace needs to know of these. Nobody imports package
// workflows for a constant.
//
// Names here are contracts: running workflows, saved histories, operators'
// queries and outside tools use them. Messages carry references only, never a
// token, the text of a post or what a user wrote.
package protocol

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/temporal"

	"vestnik/internal/post"
)

// Task queues. Workflows and everything that touches only the database run on
// TaskQueue; what calls a platform runs on that platform's queue, so that a
// slow platform holds up nobody else.
const (
	TaskQueue         = "vestnik"
	TelegramTaskQueue = "telegram"
	VKTaskQueue       = "vk"
)

// Workflow types.
const (
	ScanWallsWorkflow   = "ScanWalls"
	DeliverPostWorkflow = "DeliverPost"
	DestinationWorkflow = "Destination"
	RecoverWorkflow     = "Recover"
	RetainWorkflow      = "Retain"
)

// ScanWallsID is the ID of the schedule, and the beginning of the ID of every
// ScanWalls run that it starts.
const ScanWallsID = "scan-walls"

// RecoverID is the same for Recover.
const RecoverID = "recover"

// RetainID is the same for Retain.
const RetainID = "retain"

// InboxQuery lists in Temporal what needs a person: deliveries that wait for one
// and lanes that are paused. It needs no worker to be read.
const InboxQuery = `ExecutionStatus="Running" AND DeliveryState IN ("parked", "unknown", "paused")`

// Search attributes, all of kind Keyword; see InboxQuery.
var (
	DeliveryState = temporal.NewSearchAttributeKeyKeyword("DeliveryState")
	Destination   = temporal.NewSearchAttributeKeyKeyword("Destination")
	PostType      = temporal.NewSearchAttributeKeyKeyword("PostType")
	ParkReason    = temporal.NewSearchAttributeKeyKeyword("ParkReason")
)

// Platforms, as the first part of a destination's name.
const (
	Telegram = "telegram"
	VK       = "vk"
)

// Platform returns the platform of a destination: the part of its name before
// the colon.
func Platform(destination string) string {
	platform, _, _ := strings.Cut(destination, ":")
	return platform
}

// DeliveryWorkflowID is the one ID under which a post goes to a destination.
// While the history is kept it is the unique key of the delivery; the row in
// relay.deliveries is the key for ever.
func DeliveryWorkflowID(destination string, ownerID, postID int64) string {
	return fmt.Sprintf("deliver/%s/%s", destination, WallPost(ownerID, postID))
}

// DestinationWorkflowID is the ID of a destination's lane.
func DestinationWorkflowID(destination string) string {
	return "destination/" + destination
}

// WallPost names a post as VK's addresses do: wall-123_45.
func WallPost(ownerID, postID int64) string {
	return post.ID{OwnerID: ownerID, PostID: postID}.String()
}
