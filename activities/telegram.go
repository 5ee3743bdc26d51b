package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vestnik/db"
	"vestnik/internal/compose"
	"vestnik/internal/notice"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/telegram"
)

// cooldownFloor is how long a chat is left alone when Telegram says 429
// without saying for how long.
const cooldownFloor = time.Second

// Telegram sends posts to Telegram chats.
type Telegram struct {
	*Outbound

	// Bots finds the client for a destination; several may share one.
	Bots func(route.Destination) (*telegram.Client, error)
	// Pictures gets the bytes of photos that Telegram could not get by itself.
	Pictures Pictures
	// Fresh reads a post's photos again when their links have died; nil if
	// there is no key that may.
	Fresh func(ctx context.Context, ownerID, postID int64) ([]db.Photo, error)
}

// SendToTelegram sends the next part of a delivery to a chat.
func (t *Telegram) SendToTelegram(ctx context.Context, request protocol.SendPart) (protocol.PartSent, error) {
	return t.sendNext(ctx, request, &telegramCourier{Telegram: t})
}

// telegramCourier is one sending of one part.
type telegramCourier struct {
	*Telegram

	steps []notice.Step
	photo *photoLadder
}

// plan cuts the post into steps, or takes them as they were cut when the first
// of them arrived, photos included.
func (t *telegramCourier) plan(c *consignment) ([]int, error) {
	if c.cut = c.Cut; c.cut != nil {
		if err := json.Unmarshal(c.cut.Parts, &t.steps); err != nil {
			return nil, fmt.Errorf("the parts of delivery %d: %w", c.ID, err)
		}
		c.post.Photos = c.cut.Photos
	} else {
		t.steps = compose.Telegram(c.post, c.target).Steps
		parts, err := json.Marshal(t.steps)
		if err != nil {
			return nil, err
		}
		c.cut = &db.Cut{Parts: parts, Photos: c.post.Photos, Version: c.post.Version()}
	}
	weights := make([]int, len(t.steps))
	for i, step := range t.steps {
		weights[i] = step.Weight
	}
	return weights, nil
}

// settleUncertain follows ON_UNKNOWN. Telegram has no key against doubles and
// does not let a bot read what it has posted (tdlib/telegram-bot-api #126).
func (t *telegramCourier) settleUncertain(_ context.Context, c *consignment, uncertainty db.Uncertainty) ([]int64, error) {
	if c.target.Settings.OnUnknown == route.Park && uncertainty.Unforgiven > 0 || uncertainty.Unanswered >= maxUnknown {
		return nil, askPerson(uncertainty.Unforgiven)
	}
	return nil, nil
}

// send tries the step, one rung of the media ladder after another, until it
// arrives or fails for a reason that has nothing to do with its photos.
func (t *telegramCourier) send(ctx context.Context, c *consignment, _ protocol.SendPart) error {
	bot, err := t.Bots(c.target.Destination)
	if err != nil {
		return parked("not_configured", err)
	}
	step := t.steps[c.part]
	if t.photo, err = t.climb(ctx, c); err != nil {
		return err
	}
	for {
		current, photos, err := t.photo.load(ctx, step)
		if err != nil {
			return err
		}
		c.shown = db.Shown{Kind: string(current.Kind), Wordless: current.Text == "", Version: c.cut.Version}
		for _, index := range current.Photos {
			c.shown.Photos = append(c.shown.Photos, c.post.Photos[index].Name())
		}
		err = t.attempt(ctx, c, t.photo.rung(current),
			func(ctx context.Context) ([]int64, error) { return t.call(ctx, bot, c, current, photos) },
			func(err error) verdict { return t.judge(c, err, len(current.Photos) > 0) })
		var failure *telegram.Error
		if err == nil || !errors.As(err, &failure) {
			return err
		}
		switch {
		case failure.Class == telegram.Migrated:
			if err := t.Ledger.FollowMigration(ctx, c.DestinationID, failure.MigrateToChatID); err != nil {
				return err
			}
			c.MigratedTo = &failure.MigrateToChatID
		case failure.Class == telegram.CantParseEntities && step.Text != step.Unmarked:
			t.Log.ErrorContext(ctx, "Telegram can't parse our markup: sending without", "delivery", c.ID, "part", c.part+1)
			step.Text, step.ParseMode = step.Unmarked, notice.Unmarked
		case failure.Action() == telegram.OtherMedia && len(current.Photos) > 0:
			if err := t.photo.lower(ctx, current, failure.FailedItem); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

func (t *telegramCourier) call(ctx context.Context, bot *telegram.Client, c *consignment, step notice.Step, photos []telegram.Photo) ([]int64, error) {
	destination := c.target.Destination
	if c.MigratedTo != nil {
		destination = destination.WithChat(*c.MigratedTo)
	}
	target := telegram.Target{Chat: telegram.Chat(destination.Chat), Thread: int64(destination.SendThread()), Silent: step.Silent}
	switch {
	case step.ReplyTo != notice.NoReply && step.ReplyTo < len(c.Arrived):
		target.ReplyTo = c.Arrived[step.ReplyTo][0]
	case c.part == 0: // news about a case answers its first message
		target.ReplyTo = c.ReplyTo
	}
	mode := telegram.ParseMode(step.ParseMode)
	switch step.Kind {
	case notice.SinglePhoto:
		message, err := bot.SendPhoto(ctx, telegram.PhotoMessage{Target: target, Photo: photos[0], Caption: step.Text, ParseMode: mode})
		return []int64{message.ID}, err
	case notice.Album:
		album := telegram.AlbumMessage{Target: target}
		for i, photo := range photos {
			item := telegram.AlbumItem{Photo: photo}
			if i == 0 {
				item.Caption, item.ParseMode = step.Text, mode
			}
			album.Items = append(album.Items, item)
		}
		messages, err := bot.SendMediaGroup(ctx, album)
		ids := make([]int64, len(messages))
		for i, message := range messages {
			ids[i] = message.ID
		}
		return ids, err
	default:
		preview := telegram.Preview{Off: step.Preview == "", URL: step.Preview}
		message, err := bot.SendMessage(ctx, telegram.TextMessage{Target: target, Text: step.Text, ParseMode: mode, Preview: preview})
		return []int64{message.ID}, err
	}
}

// judge reads the catalogue's action for Telegram's answer as what happens to
// the delivery; photos tells whether any can come down the ladder.
func (t *telegramCourier) judge(c *consignment, err error, photos bool) verdict {
	var failure *telegram.Error
	if !errors.As(err, &failure) {
		failure = &telegram.Error{Class: telegram.Internal, Description: "no answer of Telegram's"}
	}
	v := verdict{cause: err, ending: db.Ending{
		Code: failure.Code, Error: failure.Error(), Status: protocol.StatusSending, Reason: string(failure.Class),
	}}
	if failure.MayHaveHappened() {
		v.ending.Outcome, v.errorType = db.OutcomeUnknown, protocol.ErrOutcomeUnknown
		if c.target.Settings.OnUnknown == route.Park {
			v.ending.Status, v.ending.Reason = protocol.StatusUnknown, protocol.ReasonOutcomeUnknown
			v.errorType, v.refusal.Reason = protocol.ErrUnknownParked, protocol.ReasonOutcomeUnknown
		}
		return v
	}
	switch action := failure.Action(); {
	case action == telegram.Cool:
		v.retryAfter = max(failure.RetryAfter, cooldownFloor)
		v.ending.Outcome, v.ending.RetryAfter = db.OutcomeRateLimited, v.retryAfter
		v.ending.Status, v.ending.Reason = protocol.StatusPending, fmt.Sprintf("Telegram asks to wait %s", v.retryAfter)
		v.errorType, v.refusal.Reason = protocol.ErrRateLimited, v.ending.Reason
	case action == telegram.Retry:
		v.ending.Outcome, v.errorType = db.OutcomeRetry, protocol.ErrRetryLater
	case action == telegram.Follow:
		v.ending.Outcome = db.OutcomeMigrated
	case action == telegram.OtherMedia && photos:
		v.ending.Outcome = db.OutcomeDegraded
		v.errorType, v.refusal.Reason = protocol.ErrRejected, string(failure.Class)
	case action == telegram.Park, action == telegram.Thread:
		v.ending.Outcome, v.ending.Status = db.OutcomeParked, protocol.StatusParked
		v.errorType, v.refusal = protocol.ErrParked, protocol.Refusal{Reason: string(failure.Class), PauseLane: true}
		if failure.Code == 404 { // the request itself was refused for good; so would be the next ones
			v.ending.Outcome, v.ending.Status, v.ending.Reason = db.OutcomeRejected, protocol.StatusFailed, failure.Error()
			v.errorType = protocol.ErrRejected
		}
	default:
		v.ending.Outcome, v.ending.Status = db.OutcomeRejected, protocol.StatusFailed
		v.ending.Reason = failure.Error()
		v.errorType, v.refusal.Reason = protocol.ErrRejected, string(failure.Class)
	}
	return v
}
