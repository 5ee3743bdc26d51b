// Package alerts writes to the operators' chat what needs a person: one message for
// each problem, edited while the problem lasts and when it is over, and few of
// them an hour. Those whom OPS_USERS names decide there by buttons. What was told
// is in Postgres, so that any process may go on.
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
	// approvalsAnHour is the same for posts to be approved, each a message.
	approvalsAnHour = 30
	// roundTime bounds telling the chat.
	roundTime = 40 * time.Second
)

// Chat is where operators are told, and where they decide.
type Chat struct {
	// Bot gives the client by the token of now; it is asked once a turn.
	Bot    func() (*telegram.Client, error)
	Target telegram.Target
	// Zone is that of the times in messages.
	Zone *time.Location
	// Users may decide by buttons: names by Telegram user ids. Where there are
	// none, messages have no buttons and nobody listens.
	Users map[int64]string
	// Reason is what a reason means, in Russian.
	Reason func(reason string) string
	// Failure is why a decision was not carried out, with the remedy, in Russian.
	Failure func(error) string
	Ledger  *db.Ledger
	// Desk carries out what they decide.
	Desk Desk
	Log  *slog.Logger

	bot    *telegram.Client
	titles db.Titles
}

// decides reports whether anybody may decide in the chat.
func (c Chat) decides() bool { return len(c.Users) > 0 }

// Watch looks at the problems once a minute and keeps the chat in step, until
// ctx ends; between two looks it listens to what operators decide. Any number of
// processes may watch at once: one at a time is at it.
// problems is asked for what needs a person now.
func Watch(ctx context.Context, chat Chat, problems func(context.Context) ([]protocol.Problem, error)) {
	again := time.NewTicker(every)
	defer again.Stop()
	for ctx.Err() == nil {
		mine, err := turn(ctx, chat, problems)
		if err != nil && ctx.Err() == nil {
			chat.Log.WarnContext(ctx, "operators not told", "error", err)
		}
		if mine && err == nil && chat.decides() {
			continue // it has listened until the next look was due, or there is something to tell
		}
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// turn is a round, and what operators decide after it; mine is false while another
// process is at it.
func turn(ctx context.Context, chat Chat, problems func(context.Context) ([]protocol.Problem, error)) (mine bool, err error) {
	if chat.bot, err = chat.Bot(); err != nil {
		return false, err
	}
	lasting := roundTime
	if chat.decides() {
		lasting += every + actTime + confirmTime
	}
	if chat.titles, err = chat.Ledger.Titles(ctx); err != nil {
		return false, err
	}
	told, until, err := chat.Ledger.BeginAlertRound(ctx, lasting)
	if until.IsZero() {
		return false, err
	}
	if err == nil {
		err = chat.step(ctx, told, problems)
	}
	if chat.decides() {
		err = errors.Join(err, chat.listen(ctx))
	}
	return true, errors.Join(err, chat.Ledger.EndAlertRound(context.WithoutCancel(ctx), until))
}

// step brings the chat in step once. A message that went out and could not be
// recorded is sent again.
func (c Chat) step(ctx context.Context, told []db.Alert, problems func(context.Context) ([]protocol.Problem, error)) error {
	ctx, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	found, err := problems(ctx)
	if err != nil {
		return err
	}
	topics, err := c.topics(ctx, found)
	if err != nil {
		return err
	}
	var failures []error
	for _, step := range plan(topics, told, time.Now(), c.Zone) {
		if step.alert.MessageID, err = c.tell(ctx, step); err == nil {
			err = c.Ledger.SaveAlert(ctx, step.alert)
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// topic is what a message is about.
type topic struct {
	key, said string
	// shows is added to what is said, and kept nowhere: the words of a post, a
	// captcha.
	shows    func(context.Context) (text, picture string, err error)
	keyboard telegram.Keyboard
}

// step is a message to be written (if it has no number) or edited.
type step struct {
	alert db.Alert
	topic
}

// plan says which messages are to be written and which to be edited.
func plan(topics []topic, told []db.Alert, now time.Time, zone *time.Location) []step {
	known := map[string]db.Alert{}
	room := map[bool]int{false: anHour, true: approvalsAnHour}
	for _, alert := range told {
		known[alert.Problem] = alert
		if now.Sub(alert.ToldAt) < time.Hour {
			room[isApproval(alert.Problem)]--
		}
	}
	var steps []step
	for _, topic := range topics {
		approval := isApproval(topic.key)
		alert, isKnown := known[topic.key]
		delete(known, topic.key)
		switch {
		case isKnown && (approval || alert.Decided) && alert.OverAt != nil && now.Sub(*alert.OverAt) < every: // decided, and on its way
		case isKnown && alert.Said != topic.said: // also if it was over, and has come back within the hour
			alert.Said, alert.OverAt, alert.Decided = topic.said, nil, false
			steps = append(steps, step{alert, topic})
		case !isKnown && room[approval] > 0:
			room[approval]--
			steps = append(steps, step{db.Alert{Problem: topic.key, Said: topic.said, ToldAt: now}, topic})
		}
	}
	for _, alert := range known {
		if alert.OverAt == nil {
			alert.Said, alert.OverAt = over(alert.Said, now, zone), &now
			steps = append(steps, step{alert: alert})
		}
	}
	return steps
}

// tell writes a message, or edits it, and returns its number.
func (c Chat) tell(ctx context.Context, step step) (int64, error) {
	text := telegram.TextMessage{Target: c.Target, Text: step.alert.Said, Preview: telegram.Preview{Off: true}, Keyboard: step.keyboard}
	if step.shows != nil {
		shown, picture, err := step.shows(ctx)
		if err != nil {
			return step.alert.MessageID, err
		}
		text.Text += shown
		if picture != "" {
			text.Preview = telegram.Preview{URL: picture}
		}
	}
	if step.alert.MessageID == 0 {
		sent, err := c.bot.SendMessage(ctx, text)
		return sent.ID, err
	}
	_, err := c.bot.EditMessageText(ctx, telegram.MessageRef{Chat: c.Target.Chat, ID: step.alert.MessageID}, text)
	if refused, is := errors.AsType[*telegram.Error](err); is && (refused.Class == telegram.NotModified || refused.Class == telegram.MessageGone) {
		err = nil // it says so already, or somebody has deleted it
	}
	return step.alert.MessageID, err
}
