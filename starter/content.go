package starter

import (
	"context"
	"errors"
	"fmt"
	"io"

	"go.temporal.io/sdk/client"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/protocol"
)

// Content accepts CMS batches and starts the workflows that take them into the
// guide.
type Content struct {
	temporal client.Client
	imports  *guidedb.Imports
	rules    content.Rules
}

// NewContent checks batches by rules.
func NewContent(temporal client.Client, imports *guidedb.Imports, rules content.Rules) *Content {
	return &Content{temporal: temporal, imports: imports, rules: rules}
}

// NotStartedError says that a batch is safe in the database and nobody works
// on it yet: sending it again, the next import or the next Sweep starts it.
type NotStartedError struct {
	ImportID string
	Cause    error
}

// Error names the import.
func (e *NotStartedError) Error() string {
	return fmt.Sprintf("import %s is accepted and could not be started: %v", e.ImportID, e.Cause)
}

// Unwrap gives what kept it from starting.
func (e *NotStartedError) Unwrap() error { return e.Cause }

// Import accepts a batch and starts its import. See guidedb.Imports.Accept for
// the key, for repeated batches and for errors; *NotStartedError besides.
func (c *Content) Import(ctx context.Context, key string, batch io.Reader) (guidedb.Acceptance, error) {
	accepted, err := c.imports.Accept(ctx, key, batch, c.rules)
	if err != nil || accepted.State != content.Running {
		return accepted, err
	}
	if err := c.start(ctx, accepted.ID); err != nil {
		return accepted, &NotStartedError{ImportID: accepted.ID, Cause: err}
	}
	return accepted, nil
}

// sweepMax bounds one Sweep. Imports take their turns, and each starts the one
// that it waits for, so that the oldest are what matters.
const sweepMax = 100

// Sweep starts the oldest imports that are accepted, not ended, and have no
// workflow that runs: one was never started, was terminated, or went with
// Temporal's own data. They go on where the last transaction ended. One that
// can't be started does not keep back the others.
func (c *Content) Sweep(ctx context.Context) error {
	running, err := c.imports.Running(ctx, sweepMax)
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range running {
		if err := c.start(ctx, id); err != nil {
			errs = append(errs, &NotStartedError{ImportID: id, Cause: err})
		}
	}
	return errors.Join(errs...)
}

// Status tells how an import stands, or guidedb.ErrNotFound.
func (c *Content) Status(ctx context.Context, id string) (content.Status, error) {
	return c.imports.Status(ctx, id)
}

// PhotoReport lists the photos that Telegram would not show.
func (c *Content) PhotoReport(ctx context.Context) (content.PhotoReport, error) {
	return c.imports.PhotoReport(ctx)
}

func (c *Content) start(ctx context.Context, id string) error {
	_, err := c.temporal.ExecuteWorkflow(ctx, protocol.ImportContentStart(id), protocol.ImportContentWorkflow,
		protocol.ImportContentInput{ImportID: id})
	return err
}
