// Package alerts tells the operators' chat what needs a person: one message for
// each problem, edited while the problem lasts and when it is over, and few of
// them an hour. What was told is in Postgres, so that any process may go on.
package alerts

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
)

const (
	// every is how often the problems are looked at.
	every = time.Minute
	// anHour is how many new messages the chat gets in an hour at most. What is
	// more waits for room; `vestnik status` has all of it.
	anHour = 6
	// roundTime bounds one round.
	roundTime = 40 * time.Second
)

// Chat is where operators are told.
type Chat struct {
	Bot    *telegram.Client
	Target telegram.Target
	// Zone is that of the times in messages.
	Zone *time.Location
}

// Watch looks at the problems once a minute and keeps the chat in step, until
// ctx ends. Any number of processes may watch at once: each round is one's.
// problems is asked for what needs a person now.
func Watch(ctx context.Context, ledger *db.Ledger, chat Chat, problems func(context.Context) ([]protocol.Problem, error), log *slog.Logger) {
	again := time.NewTicker(every)
	defer again.Stop()
	for {
		if err := Round(ctx, ledger, chat, problems); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "operators not told", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// Round brings the chat in step once, unless another process is at it. A message
// that went out and could not be recorded is sent again.
func Round(ctx context.Context, ledger *db.Ledger, chat Chat, problems func(context.Context) ([]protocol.Problem, error)) error {
	ctx, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	found, err := problems(ctx)
	if err != nil {
		return err
	}
	told, mine, err := ledger.BeginAlertRound(ctx, roundTime)
	if !mine {
		return err
	}
	failures := []error{err}
	if err == nil {
		for _, alert := range plan(found, told, time.Now(), chat.Zone) {
			if alert.MessageID, err = chat.tell(ctx, alert); err == nil {
				err = ledger.SaveAlert(ctx, alert)
			}
			failures = append(failures, err)
		}
	}
	return errors.Join(append(failures, ledger.EndAlertRound(context.WithoutCancel(ctx)))...)
}

// plan says which messages are to be written (those without a number) and which
// to be edited.
func plan(problems []protocol.Problem, told []db.Alert, now time.Time, zone *time.Location) []db.Alert {
	known := map[string]db.Alert{}
	room := anHour
	for _, alert := range told {
		known[alert.Problem] = alert
		if now.Sub(alert.ToldAt) < time.Hour {
			room--
		}
	}
	var steps []db.Alert
	for _, problem := range problems {
		key, text := problem.Key(), describe(problem, zone)
		alert, isKnown := known[key]
		delete(known, key)
		switch {
		case isKnown && alert.Said != text: // also if it was over, and has come back within the hour
			alert.Said, alert.OverAt = text, nil
			steps = append(steps, alert)
		case !isKnown && room > 0:
			room--
			steps = append(steps, db.Alert{Problem: key, Said: text, ToldAt: now})
		}
	}
	for _, alert := range known {
		if alert.OverAt == nil {
			alert.Said, alert.OverAt = over(alert.Said, now, zone), &now
			steps = append(steps, alert)
		}
	}
	return steps
}

// tell writes a message, or edits it, and returns its number.
func (c Chat) tell(ctx context.Context, alert db.Alert) (int64, error) {
	text := telegram.TextMessage{Target: c.Target, Text: alert.Said, Preview: telegram.Preview{Off: true}}
	if alert.MessageID == 0 {
		sent, err := c.Bot.SendMessage(ctx, text)
		return sent.ID, err
	}
	_, err := c.Bot.EditMessageText(ctx, telegram.MessageRef{Chat: c.Target.Chat, ID: alert.MessageID}, text)
	var refused *telegram.Error
	if errors.As(err, &refused) && (refused.Class == telegram.NotModified || refused.Class == telegram.MessageGone) {
		err = nil // it says so already, or somebody has deleted it
	}
	return alert.MessageID, err
}
