package starter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.temporal.io/sdk/client"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
)

// Content is the imports of the guide, with the workflows that work them off:
// what is accepted, confirmed or undone here is started.
type Content struct {
	*guidedb.Imports
	temporal client.Client
	rules    content.Rules
	texts    *guide.Texts
}

// NewContent checks batches by rules and shows cards with the city's texts.
func NewContent(temporal client.Client, imports *guidedb.Imports, rules content.Rules, texts *guide.Texts) *Content {
	rules.Known = func(list content.List) ([]content.Named, error) { return imports.Named(context.Background(), list) }
	return &Content{Imports: imports, temporal: temporal, rules: rules, texts: texts}
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

// Open reads a batch in any of the forms that it may have, by this guide's
// rules. See [content.Open].
func (c *Content) Open(name string, batch io.Reader, options content.TableOptions) (content.Source, error) {
	return content.Open(name, batch, c.rules, options)
}

// Import accepts a batch and starts its import unless it is held. See
// guidedb.Imports.Accept for repeated batches and for errors; *NotStartedError
// besides.
func (c *Content) Import(ctx context.Context, upload guidedb.Upload) (guidedb.Acceptance, error) {
	upload.Brake = c.rules.UnpublishPercent
	accepted, err := c.Accept(ctx, upload)
	return c.started(ctx, accepted, err)
}

// Check returns what a batch would make of the guide.
func (c *Content) Check(ctx context.Context, upload guidedb.Upload) (content.Status, error) {
	upload.Brake = c.rules.UnpublishPercent
	return c.Imports.Check(ctx, upload)
}

// CheckCard is Check with the card of one object; see guidedb.Imports.CheckCard.
func (c *Content) CheckCard(ctx context.Context, upload guidedb.Upload, list content.List, id string, now time.Time) (content.Status, *guide.Screen, error) {
	return c.Imports.CheckCard(ctx, upload, list, id, c.texts, now.In(c.Zone()))
}

// Form reads one object as a person wrote it into a form.
func (c *Content) Form(list content.List, id string, values map[string]string) (content.Source, error) {
	return content.Form(list, id, values, c.rules)
}

// Fields are an object's as a form shows them, with the names of what it refers
// to.
func (c *Content) Fields(object any) ([]content.FormField, error) {
	var failed error
	books := map[content.List]map[string]string{}
	return content.FormFields(object, c.Zone(), func(list content.List, id string) string {
		if books[list] == nil {
			named, err := c.rules.Known(list)
			failed = errors.Join(failed, err)
			books[list] = content.Titles(named)
		}
		return cmp.Or(books[list][id], id)
	}), failed
}

// Zone is the city's.
func (c *Content) Zone() *time.Location { return cmp.Or(c.rules.Zone, time.UTC) }

// Confirm starts a held import; see guidedb.Imports.Confirm.
func (c *Content) Confirm(ctx context.Context, id string, unpublishes int) error {
	err := c.Imports.Confirm(ctx, id, unpublishes)
	_, err = c.started(ctx, guidedb.Acceptance{ID: id, State: content.Running}, err)
	return err
}

// Undo starts an import that takes another back; see guidedb.Imports.Undo.
func (c *Content) Undo(ctx context.Context, id, author string) (guidedb.Acceptance, error) {
	accepted, err := c.Imports.Undo(ctx, id, author)
	return c.started(ctx, accepted, err)
}

// started starts an import that is accepted and runs.
func (c *Content) started(ctx context.Context, accepted guidedb.Acceptance, err error) (guidedb.Acceptance, error) {
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

// listedPast is for how long an event that is over may stand in the lists,
// where no page shows it.
const listedPast = 24 * time.Hour

// Sweep starts the oldest imports that are accepted, not ended, and have no
// workflow that runs: one was never started, was terminated, or went with
// Temporal's own data. They go on where the last transaction ended. One that
// can't be started does not keep back the others. On the way it takes past events
// out of the guide's lists.
func (c *Content) Sweep(ctx context.Context) error {
	errs := []error{c.DropPast(ctx, time.Now().Add(-listedPast))}
	running, err := c.Running(ctx, sweepMax)
	if err != nil {
		return err
	}
	for _, id := range running {
		if err := c.start(ctx, id); err != nil {
			errs = append(errs, &NotStartedError{ImportID: id, Cause: err})
		}
	}
	return errors.Join(errs...)
}

func (c *Content) start(ctx context.Context, id string) error {
	_, err := c.temporal.ExecuteWorkflow(ctx, protocol.ImportContentStart(id), protocol.ImportContentWorkflow,
		protocol.ImportContentInput{ImportID: id})
	return err
}
