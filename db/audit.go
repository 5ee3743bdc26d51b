package db

import (
	"context"
	"time"

	"vestnik/db/internal/relaysql"
)

// Decision is what a person has decided: a line of the audit.
type Decision struct {
	ID  int64     `json:"id"`
	At  time.Time `json:"at"`
	Who string    `json:"who"`
	// Via is console, api, cli or telegram.
	Via    string `json:"via"`
	Action string `json:"action"` // retry, pause, split…
	// Subject is what was decided about: delivery/17, destination/vk:-1, case/3.
	Subject string `json:"subject"`
	Note    string `json:"note,omitempty"`
	// Failure is why nothing came of it, "" if something did.
	Failure string `json:"failure,omitempty"`
	// Open means that it is under way, or that its process died: what came of it,
	// its subject shows.
	Open bool `json:"open,omitempty"`
}

// maxFailure bounds what is kept of an error, in runes.
const maxFailure = 500

// OpenDecision adds to the audit what is about to be done, and returns the line's
// number; its number and its time are the database's.
func (l *Ledger) OpenDecision(ctx context.Context, decision Decision) (id int64, err error) {
	return openDecision(ctx, l.queries, decision)
}

func openDecision(ctx context.Context, queries *relaysql.Queries, decision Decision) (id int64, err error) {
	id, err = queries.OpenAudit(ctx, relaysql.OpenAuditParams{
		Who: printable(decision.Who), Via: decision.Via, Action: decision.Action, Subject: decision.Subject,
		Note: shorten(printable(decision.Note), maxPauseReason),
	})
	return id, wrap(err, "audit %s", decision.Subject)
}

// CloseDecision records what became of a decision: its subject, which may be known
// only now, and its failure.
func (l *Ledger) CloseDecision(ctx context.Context, decision Decision) error {
	return closeDecision(ctx, l.queries, decision)
}

func closeDecision(ctx context.Context, queries *relaysql.Queries, decision Decision) error {
	err := queries.CloseAudit(ctx, relaysql.CloseAuditParams{
		ID: decision.ID, Subject: decision.Subject, Failure: shorten(printable(decision.Failure), maxFailure),
	})
	return wrap(err, "audit %s", decision.Subject)
}

// Decisions returns the latest lines of the audit, newest first: about a
// subject, if one is named, and before a line, if its number is given.
func (l *Ledger) Decisions(ctx context.Context, subject string, before int64, most int) ([]Decision, error) {
	rows, err := l.queries.ListAudit(ctx, relaysql.ListAuditParams{Subject: unlessZero(printable(subject)), Before: unlessZero(before), Most: most})
	return listOf(rows, func(row relaysql.ListAuditRow) Decision { return Decision(row) }), wrap(err, "audit")
}
