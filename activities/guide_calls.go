package activities

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"vestnik/internal/guide"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
)

// Answer takes the waiting sign off a pressed button. It asks nobody else
// first and waits for nothing. A button pressed too long ago can't be
// answered, which is nobody's fault.
func (a *Guide) Answer(ctx context.Context, update protocol.BotUpdate) (err error) {
	defer a.recoverInto(ctx, update, &err)
	_, err = a.call(ctx, update, "answerCallbackQuery", queryLife, nil, func(ctx context.Context) error {
		err := a.answers.AnswerCallbackQuery(ctx, telegram.CallbackAnswer{QueryID: update.CallbackID, Text: update.Toast})
		var refused *telegram.Error
		if errors.As(err, &refused) && refused.Class == telegram.QueryTooOld {
			a.log.InfoContext(ctx, "bot button answered too late", update.LogFields()...)
			return nil
		}
		return err
	})
	return err
}

// CheckSubscription asks Telegram whether the person is in the channel. If the
// bot may not know, which is a fault of the configuration and not of the
// person, it says "unknown" and tells the operator.
func (a *Guide) CheckSubscription(ctx context.Context, update protocol.BotUpdate) (_ Subscription, err error) {
	defer a.recoverInto(ctx, update, &err)
	leave, err := a.gate.enter(ctx, checkTurn)
	if err != nil {
		return "", err
	}
	defer leave()
	var member telegram.ChatMember
	refused, err := a.call(ctx, update, "getChatMember", longestWait, nil, func(ctx context.Context) (err error) {
		member, err = a.screens.GetChatMember(ctx, telegram.Chat(a.config.Channel), update.UserID)
		return err
	})
	if refused != nil {
		switch refused.Class {
		case telegram.Forbidden, telegram.ChatNotFound, telegram.Unauthorized, telegram.BadRequest, telegram.Migrated:
			a.alertChannel(ctx, update, refused.Description)
			return SubscriptionUnknown, nil
		}
	}
	switch {
	case err != nil:
		return "", err
	case member.IsSubscribed():
		return Subscribed, nil
	case !member.Known():
		a.alertChannel(ctx, update, "a status that is new to this version")
		return SubscriptionUnknown, nil
	}
	return NotSubscribed, nil
}

func (a *Guide) alertChannel(ctx context.Context, update protocol.BotUpdate, details string) {
	activity.GetMetricsHandler(ctx).Counter("vestnik_bot_subscription_unknown").Inc(1)
	a.log.ErrorContext(ctx, "bot can't see the channel's members: make it an administrator of TELEGRAM_CHANNEL",
		append(update.LogFields(), guide.InternalConfig.LogFields("subscription not known, letting in", details)...)...)
}

// SendPhoto sends a card's photo with its caption. Telegram downloads the
// photo itself, within the call.
func (a *Guide) SendPhoto(ctx context.Context, showing Showing) (shown Shown, err error) {
	update, screen := showing.Update, showing.Screen
	defer a.recoverInto(ctx, update, &err)
	leave, err := a.gate.enter(ctx, screenTurn)
	if err != nil {
		return Shown{}, err
	}
	defer leave()
	photo := []any{"photo_url", guide.PublicURL(screen.Photo)}
	_, err = a.call(ctx, update, "sendPhoto", longestWait, photo, func(ctx context.Context) error {
		sent, err := a.screens.SendPhoto(ctx, telegram.PhotoMessage{
			Target: telegram.Target{Chat: telegram.ChatOf(update.ChatID)},
			Photo:  telegram.Photo{URL: screen.Photo}, Caption: screen.Caption, Keyboard: keyboard(screen.Keyboard),
		})
		shown = Shown{MessageID: sent.ID, Photo: true}
		return err
	})
	return shown, err
}

// SendText sends a screen as text, or changes the screen that is there, if the
// bot is set to do that and the update allows it.
func (a *Guide) SendText(ctx context.Context, showing Showing) (shown Shown, err error) {
	update := showing.Update
	defer a.recoverInto(ctx, update, &err)
	leave, err := a.gate.enter(ctx, screenTurn)
	if err != nil {
		return Shown{}, err
	}
	defer leave()
	a.logNoPhoto(ctx, showing)
	switch {
	case showing.OnlyKeyboard:
		done, err := a.editKeyboard(ctx, showing)
		if done || err != nil {
			return Shown{}, err
		}
	case a.config.EditInPlace && showing.Replaceable != 0 && !update.OnPhoto:
		done, err := a.editText(ctx, showing)
		if done || err != nil {
			return Shown{MessageID: showing.Replaceable}, err
		}
	}
	_, err = a.call(ctx, update, "sendMessage", longestWait, nil, func(ctx context.Context) error {
		sent, err := a.screens.SendMessage(ctx, a.message(showing))
		shown = Shown{MessageID: sent.ID}
		return err
	})
	return shown, err
}

func (a *Guide) message(showing Showing) telegram.TextMessage {
	return telegram.TextMessage{
		Target: telegram.Target{Chat: telegram.ChatOf(showing.Update.ChatID)},
		Text:   showing.Screen.Text, Keyboard: keyboard(showing.Screen.Keyboard),
	}
}

// editText changes the screen in place; done is false if the message is gone
// or can't be changed, and a new one is to be sent.
func (a *Guide) editText(ctx context.Context, showing Showing) (done bool, err error) {
	ref := telegram.MessageRef{Chat: telegram.ChatOf(showing.Update.ChatID), ID: showing.Replaceable}
	return a.edit(ctx, showing.Update, "editMessageText", func(ctx context.Context) error {
		_, err := a.screens.EditMessageText(ctx, ref, a.message(showing))
		return err
	})
}

func (a *Guide) editKeyboard(ctx context.Context, showing Showing) (done bool, err error) {
	ref := telegram.MessageRef{Chat: telegram.ChatOf(showing.Update.ChatID), ID: showing.Update.MessageID}
	return a.edit(ctx, showing.Update, "editMessageReplyMarkup", func(ctx context.Context) error {
		_, err := a.screens.EditMessageReplyMarkup(ctx, ref, keyboard(showing.Screen.Keyboard))
		return err
	})
}

func (a *Guide) edit(ctx context.Context, update protocol.BotUpdate, method string, do func(context.Context) error) (done bool, err error) {
	refused, err := a.call(ctx, update, method, longestWait, nil, func(ctx context.Context) error {
		err := do(ctx)
		var refused *telegram.Error
		if errors.As(err, &refused) && refused.Class == telegram.NotModified {
			return nil // it already is what it should be
		}
		return err
	})
	if refused != nil && (refused.Class == telegram.MessageGone || refused.Class == telegram.BadRequest) {
		return false, nil
	}
	return err == nil, err
}

// call makes one attempt at a call of the Bot API, logs it and turns a refusal
// into the error that makes Temporal try again, or not. longest is the longest
// wait that a further attempt is worth.
func (a *Guide) call(ctx context.Context, update protocol.BotUpdate, method string, longest time.Duration,
	about []any, do func(context.Context) error) (*telegram.Error, error) {
	attempt := int(activity.GetInfo(ctx).Attempt)
	started := time.Now()
	err := do(ctx)
	fields := append(append(update.LogFields(), "method", method, "attempt", attempt,
		"duration_ms", time.Since(started).Milliseconds()), about...)
	isPhoto := method == "sendPhoto"
	if err == nil {
		a.token.rejected.Store(false)
		fields = append(fields, "status", "ok", "http_status", 200, "delay_ms", 0)
		if isPhoto {
			fields = append(fields, "photo_result", "ok")
		}
		a.log.InfoContext(ctx, "bot call", fields...)
		return nil, nil
	}
	var refused *telegram.Error
	if !errors.As(err, &refused) {
		refused = &telegram.Error{Class: telegram.Internal, Method: method, Description: "not an answer of the client"}
	}
	wait := nextWait(attempt, refused, longest)
	failure := failureOfCall(refused, isPhoto)
	tags := map[string]string{"method": method, "code": string(failure.Code)}
	metrics := activity.GetMetricsHandler(ctx).WithTags(tags)
	metrics.Counter("vestnik_bot_call_errors").Inc(1)
	if refused.MayHaveHappened() {
		metrics.Counter("vestnik_bot_call_unknown_outcomes").Inc(1)
	}
	fields = append(fields, "status", "error", "http_status", refused.HTTPStatus, "delay_ms", max(wait, 0).Milliseconds())
	if isPhoto {
		fields = append(fields, "photo_result", "failed")
	}
	fields = append(fields, failure.Code.LogFields(failure.Message, failure.Details)...)
	if wait >= 0 {
		a.log.WarnContext(ctx, "bot call failed, trying again", fields...)
		return refused, failure.fail(wait)
	}
	metrics.Counter("vestnik_bot_calls_given_up").Inc(1)
	if refused.Class == telegram.Unauthorized {
		a.token.rejected.Store(true)
	}
	a.log.ErrorContext(ctx, "bot call given up", append(fields, "attempts", attempt)...)
	return refused, failure.fail(-1)
}

func failureOfCall(refused *telegram.Error, isPhoto bool) Failure {
	failure := Failure{
		Code: guide.Code(refused.SpecCode()), Message: "telegram: " + refused.Method + ": " + string(refused.Class),
		Details: refused.Description, Blocked: refused.Blocked,
	}
	if !isPhoto {
		return failure
	}
	switch refused.Class {
	case telegram.MediaInvalidURL, telegram.MediaFetchFailed, telegram.MediaUnsupported,
		telegram.RateLimited, telegram.Unavailable, telegram.Unreachable, telegram.OutcomeUnknown:
		failure.TextInstead = true
	case telegram.BadRequest, telegram.TooLong:
		// A 400 that is in no catalogue, on a photo, is most likely about the
		// photo. If it is not, the text fails the same way, once.
		if refused.Code == 400 {
			failure.TextInstead, failure.Code = true, guide.OutboundMediaUnsupported
		}
	}
	return failure
}

// logNoPhoto records, once, why a card that should show a photo is text.
func (a *Guide) logNoPhoto(ctx context.Context, showing Showing) {
	if activity.GetInfo(ctx).Attempt > 1 {
		return
	}
	code, details := guide.OutboundMediaFallback, ""
	switch {
	case showing.Screen.NoPhoto == guide.PhotoMissing:
		details = string(guide.PhotoMissing)
	case showing.Screen.NoPhoto == guide.PhotoMalformed:
		code, details = guide.OutboundMediaInvalidURL, string(guide.PhotoMalformed)
	case showing.PhotoFailed == guide.OutboundRateLimit || showing.PhotoFailed == guide.Outbound5XX || showing.PhotoFailed == guide.OutboundTimeout:
		details = "after " + string(showing.PhotoFailed)
	case strings.HasPrefix(string(showing.PhotoFailed), "TG_OUTBOUND_MEDIA_"):
		code, details = showing.PhotoFailed, "text sent in its place"
	default:
		return
	}
	a.log.WarnContext(ctx, "bot photo replaced by text",
		append(showing.Update.LogFields(), code.LogFields("text without photo", details)...)...)
}

func keyboard(rows guide.Keyboard) telegram.Keyboard {
	keyboard := make(telegram.Keyboard, len(rows))
	for i, row := range rows {
		keyboard[i] = make([]telegram.Button, len(row))
		for j, button := range row {
			keyboard[i][j] = telegram.Button{Text: button.Text, CallbackData: button.Data, URL: button.URL}
		}
	}
	return keyboard
}
