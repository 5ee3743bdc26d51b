// Package workflows holds Vestnik's deterministic orchestration, one workflow
// to a file:
//
//   - ScanWalls reads the walls that are due and starts what they owe.
//   - DeliverPost takes one post to one destination.
//   - Destination is a destination's lane: order, pace, cooldown and pause. It
//     makes the edits of what was delivered, too.
//   - Recover takes up what stands still; Retain blanks what is too old to keep.
//   - BotSession talks with one chat of the guide.
//   - ImportContent brings a batch of the CMS into the guide, and CheckPhotos
//     looks at the photos of what was imported.
//
// A workflow knows activities by method reference on a nil struct pointer and
// takes their timeouts and retry policies from package activities. It never
// imports db or a platform's client, and reads no configuration.
package workflows
