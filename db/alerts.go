package db

import (
	"context"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
)

// Alert is a message in the operators' chat about a problem.
type Alert struct {
	Problem   string // names the problem; see protocol.Problem.Key
	MessageID int64
	Said      string // the message as it stands
	ToldAt    time.Time
	OverAt    *time.Time // nil while the problem stands
	Decided   bool       // somebody has decided about it in the chat
}

// BeginAlertRound returns the alerts that stand, and those of the last hour. Of
// all processes one is at it at a time: until is zero while another one's round
// is not ended, for as long as it may last, and names this one's to
// [Ledger.EndAlertRound] else.
func (l *Ledger) BeginAlertRound(ctx context.Context, lasting time.Duration) (alerts []Alert, until time.Time, err error) {
	until, err = l.queries.BeginAlertRound(ctx, lasting)
	if errorsIsNoRows(err) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("begin a round of alerts: %w", err)
	}
	if err := l.queries.ForgetAlerts(ctx); err != nil {
		return nil, until, fmt.Errorf("forget alerts: %w", err)
	}
	rows, err := l.queries.Alerts(ctx)
	return listOf(rows, func(row relaysql.RelayAlert) Alert { return Alert(row) }), until, wrap(err, "alerts")
}

// EndAlertRound lets the next round begin. One that another process has begun
// since, because this one took too long, goes on.
func (l *Ledger) EndAlertRound(ctx context.Context, until time.Time) error {
	return l.queries.EndAlertRound(ctx, until)
}

// AlertOf returns the alert that a message is, or ErrNotFound.
func (l *Ledger) AlertOf(ctx context.Context, messageID int64) (Alert, error) {
	row, err := l.queries.AlertOf(ctx, messageID)
	return Alert(row), notFound(err, "alert of message %d", messageID)
}

// SaveAlert keeps what the chat was told.
func (l *Ledger) SaveAlert(ctx context.Context, alert Alert) error {
	return wrap(l.queries.SaveAlert(ctx, relaysql.SaveAlertParams(alert)), "save an alert")
}
