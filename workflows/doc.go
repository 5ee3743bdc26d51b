// Package workflows holds Vestnik's deterministic orchestration, one workflow
// to a file:
//
//   - ScanWalls reads the walls that are due and starts what they owe.
//   - DeliverPost takes one post to one destination.
//   - AmendDelivery brings what was delivered in step with its post and case.
//   - Destination is a destination's lane: order, pace, cooldown and pause.
//
// A workflow knows activities by method reference on a nil struct pointer and
// takes their timeouts and retry policies from package activities. It never
// imports db or a platform's client, and reads no configuration.
package workflows
