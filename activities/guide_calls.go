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

// Answer takes the waiting sign off a pressed button, unless an earlier session
// has done that. It reports whether it has written the update's closing line.
func (a *Guide) Answer(ctx context.Context, answering Answering) (closed bool, err error) {
	defer a.recoverInto(ctx, answering.BotUpdate, &err)
	claiming := Claiming{BotID: answering.BotID, Session: answering.Session, Update: answering.BotUpdate}
	claimed, known := a.claimSoon(ctx, claiming)
	if !claimed.Duplicate {
		if failed := a.answer(ctx, answering); failed != nil || !answering.Claim {
			return false, failed.asError()
		}
		if !known {
			var failed *Stop
			if claimed, failed = a.claim(ctx, claiming); failed != nil {
				return false, failed.asError()
			}
		}
	}
	if answering.Only == "" { // its screen, if it has one, closes it
		return false, nil
	}
	a.close(ctx, answering.BotUpdate, claimed, "details", answering.Only)
	return true, nil
}

// answer makes one attempt. A button pressed too long ago can't be answered,
// which is nobody's fault.
func (a *Guide) answer(ctx context.Context, answering Answering) *Stop {
	update := answering.BotUpdate
	return a.call(ctx, attempt{update: update, method: "answerCallbackQuery", made: answering.Made, longest: queryLife}, func(ctx context.Context) error {
		err := a.config.Answers.AnswerCallbackQuery(ctx, telegram.CallbackAnswer{QueryID: update.CallbackID, Text: update.Toast})
		if refused, is := errors.AsType[*telegram.Error](err); is && refused.Class == telegram.QueryTooOld {
			a.config.Log.InfoContext(ctx, "bot button answered too late", update.LogFields()...)
			return nil
		}
		return err
	})
}

// CheckSubscription asks Telegram whether the person is in the channel.
func (a *Guide) CheckSubscription(ctx context.Context, checking Checking) (subscription guide.Subscription, err error) {
	defer a.recoverInto(ctx, checking.Update, &err)
	defer beat(ctx, nothing)()
	subscription, failed := a.check(ctx, checking)
	return subscription, failed.asError()
}

// check says "unknown" and warns the operator if the bot may not know, which
// is a fault of the configuration and not of the person.
func (a *Guide) check(ctx context.Context, checking Checking) (guide.Subscription, *Stop) {
	update := checking.Update
	leave, failed := a.turn(ctx, checkTurn)
	if failed != nil {
		return "", failed
	}
	defer leave()
	var member telegram.ChatMember
	failed = a.call(ctx, attempt{update: update, method: "getChatMember", made: checking.Made, longest: longestWait}, func(ctx context.Context) (err error) {
		member, err = a.config.Screens.GetChatMember(ctx, telegram.Chat(a.config.Channel), update.UserID)
		return err
	})
	if failed != nil && failed.refused != nil {
		switch failed.refused.Class {
		case telegram.Forbidden, telegram.ChatNotFound, telegram.Unauthorized, telegram.BadRequest, telegram.Migrated:
			a.alertChannel(ctx, update, failed.refused.Description)
			return guide.SubscriptionUnknown, nil
		}
	}
	switch {
	case failed != nil:
		return "", failed
	case member.IsSubscribed():
		return guide.Subscribed, nil
	case !member.Known():
		a.alertChannel(ctx, update, "a status that is new to this version")
		return guide.SubscriptionUnknown, nil
	}
	return guide.NotSubscribed, nil
}

func (a *Guide) alertChannel(ctx context.Context, update protocol.BotUpdate, details string) {
	activity.GetMetricsHandler(ctx).Counter("vestnik_bot_subscription_unknown").Inc(1)
	a.config.Log.ErrorContext(ctx, "bot can't see the channel's members: make it an administrator of TELEGRAM_CHANNEL",
		append(update.LogFields(), guide.InternalConfig.LogFields("subscription not known, letting in", details)...)...)
}

// SendPhoto sends a card's photo with its caption. Telegram downloads the
// photo itself, within the call.
func (a *Guide) SendPhoto(ctx context.Context, showing Showing) (Shown, error) {
	return a.show(ctx, showing, a.sendPhoto)
}

func (a *Guide) sendPhoto(ctx context.Context, showing Showing) (shown Shown, _ *Stop) {
	update, screen := showing.Update, showing.Composed.Screen
	leave, failed := a.turn(ctx, screenTurn)
	if failed != nil {
		return Shown{}, failed
	}
	defer leave()
	failed = a.call(ctx, attempt{
		update: update, method: "sendPhoto", made: showing.Made, longest: longestWait,
		about: []any{"photo_url", guide.PublicURL(screen.Photo)},
	}, func(ctx context.Context) error {
		sent, err := a.config.Screens.SendPhoto(ctx, telegram.PhotoMessage{
			Target: telegram.Target{Chat: telegram.ChatOf(update.ChatID)},
			Photo:  telegram.Photo{URL: screen.Photo}, Caption: screen.Caption, Keyboard: keyboard(screen.Keyboard),
		})
		shown = Shown{MessageID: sent.ID, Photo: true}
		return err
	})
	return shown, failed
}

// SendText sends a screen as text, or changes the screen that is there, if the
// bot is set to do that and the update allows it.
func (a *Guide) SendText(ctx context.Context, showing Showing) (Shown, error) {
	return a.show(ctx, showing, a.sendText)
}

func (a *Guide) show(ctx context.Context, showing Showing, send func(context.Context, Showing) (Shown, *Stop)) (shown Shown, err error) {
	defer a.recoverInto(ctx, showing.Update, &err)
	defer beat(ctx, nothing)()
	if err := a.reveal(&showing); err != nil {
		return Shown{}, err
	}
	shown, failed := send(ctx, showing)
	return shown, failed.asError()
}

func (a *Guide) sendText(ctx context.Context, showing Showing) (shown Shown, _ *Stop) {
	update := showing.Update
	leave, failed := a.turn(ctx, screenTurn)
	if failed != nil {
		return Shown{}, failed
	}
	defer leave()
	a.logNoPhoto(ctx, showing)
	switch {
	case showing.Composed.OnlyKeyboard:
		if done, failed := a.editKeyboard(ctx, showing); done || failed != nil {
			return Shown{}, failed
		}
	case a.config.EditInPlace && showing.Replaceable != 0 && !update.OnPhoto:
		if done, failed := a.editText(ctx, showing); done || failed != nil {
			return Shown{MessageID: showing.Replaceable}, failed
		}
	}
	failed = a.call(ctx, attempt{update: update, method: "sendMessage", made: showing.Made, longest: longestWait}, func(ctx context.Context) error {
		sent, err := a.config.Screens.SendMessage(ctx, a.message(showing))
		shown = Shown{MessageID: sent.ID}
		return err
	})
	return shown, failed
}

func (a *Guide) message(showing Showing) telegram.TextMessage {
	return telegram.TextMessage{
		Target: telegram.Target{Chat: telegram.ChatOf(showing.Update.ChatID)},
		Text:   showing.Composed.Screen.Text, Keyboard: keyboard(showing.Composed.Screen.Keyboard),
		Preview: telegram.Preview{URL: showing.Composed.Screen.Preview},
	}
}

// editText changes the screen in place; done is false if the message is gone
// or can't be changed, and a new one is to be sent.
func (a *Guide) editText(ctx context.Context, showing Showing) (done bool, failed *Stop) {
	ref := telegram.MessageRef{Chat: telegram.ChatOf(showing.Update.ChatID), ID: showing.Replaceable}
	return a.edit(ctx, showing, "editMessageText", func(ctx context.Context) error {
		_, err := a.config.Screens.EditMessageText(ctx, ref, a.message(showing))
		return err
	})
}

func (a *Guide) editKeyboard(ctx context.Context, showing Showing) (done bool, failed *Stop) {
	ref := telegram.MessageRef{Chat: telegram.ChatOf(showing.Update.ChatID), ID: showing.Update.MessageID}
	return a.edit(ctx, showing, "editMessageReplyMarkup", func(ctx context.Context) error {
		_, err := a.config.Screens.EditMessageReplyMarkup(ctx, ref, keyboard(showing.Composed.Screen.Keyboard))
		return err
	})
}

func (a *Guide) edit(ctx context.Context, showing Showing, method string, do func(context.Context) error) (done bool, failed *Stop) {
	failed = a.call(ctx, attempt{update: showing.Update, method: method, made: showing.Made, longest: longestWait}, func(ctx context.Context) error {
		err := do(ctx)
		var refused *telegram.Error
		if errors.As(err, &refused) && refused.Class == telegram.NotModified {
			return nil // it already is what it should be
		}
		return err
	})
	if failed != nil && failed.refused != nil && (failed.refused.Class == telegram.MessageGone || failed.refused.Class == telegram.BadRequest) {
		return false, nil
	}
	return failed == nil, failed
}

// attempt is one attempt at a call of the Bot API.
type attempt struct {
	update protocol.BotUpdate
	method string
	// made is how many attempts were made before this activity's.
	made int
	// longest is the longest wait that a further attempt is worth.
	longest time.Duration
	about   []any // more fields for the log
}

// call makes the attempt, logs it, and says what is to become of a failure.
func (a *Guide) call(ctx context.Context, try attempt, do func(context.Context) error) *Stop {
	number := try.made + int(activity.GetInfo(ctx).Attempt)
	started := time.Now()
	err := do(ctx)
	fields := append(append(try.update.LogFields(), "method", try.method, "attempt", number,
		"duration_ms", time.Since(started).Milliseconds()), try.about...)
	isPhoto := try.method == "sendPhoto"
	if err == nil {
		a.config.Token.rejected.Store(false)
		fields = append(fields, "status", "ok", "http_status", 200, "delay_ms", 0)
		if isPhoto {
			fields = append(fields, "photo_result", "ok")
		}
		a.config.Log.InfoContext(ctx, "bot call", fields...)
		return nil
	}
	var refused *telegram.Error
	if !errors.As(err, &refused) {
		refused = &telegram.Error{Class: telegram.Internal, Method: try.method, Description: "not an answer of the client"}
	}
	failed := newStop(failureOfCall(refused, isPhoto), nextWait(number, refused, try.longest), refused)
	metrics := activity.GetMetricsHandler(ctx).WithTags(map[string]string{"method": try.method, "code": string(failed.Failure.Code)})
	metrics.Counter("vestnik_bot_call_errors").Inc(1)
	if refused.MayHaveHappened() {
		metrics.Counter("vestnik_bot_call_unknown_outcomes").Inc(1)
	}
	fields = append(fields, "status", "error", "http_status", refused.HTTPStatus, "delay_ms", failed.Wait.Milliseconds())
	if isPhoto {
		fields = append(fields, "photo_result", "failed")
	}
	fields = append(fields, failed.Failure.Code.LogFields(failed.Failure.Message, failed.Failure.Details)...)
	if !failed.Final {
		a.config.Log.WarnContext(ctx, "bot call failed, trying again", fields...)
		return failed
	}
	metrics.Counter("vestnik_bot_calls_given_up").Inc(1)
	if refused.Class == telegram.Unauthorized {
		a.config.Token.rejected.Store(true)
	}
	a.config.Log.ErrorContext(ctx, "bot call given up", append(fields, "attempts", number)...)
	return failed
}

// turn waits for a place among the calls that may be under way.
func (a *Guide) turn(ctx context.Context, who turn) (leave func(), failed *Stop) {
	leave, err := a.gate.enter(ctx, who)
	if err != nil {
		return nil, newStop(Failure{Code: guide.OutboundTimeout, Message: "no turn for the call in time"}, callBackoff, nil)
	}
	return leave, nil
}

func failureOfCall(refused *telegram.Error, isPhoto bool) Failure {
	failure := Failure{
		Code: outboundCode(refused), Message: "telegram: " + refused.Method + ": " + string(refused.Class),
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
	if showing.Made > 0 || activity.GetInfo(ctx).Attempt > 1 {
		return
	}
	screen := showing.Composed.Screen
	code, details := guide.OutboundMediaFallback, ""
	switch {
	case screen.NoPhoto == guide.PhotoMissing:
		details = string(guide.PhotoMissing)
	case screen.NoPhoto == guide.PhotoMalformed:
		code, details = guide.OutboundMediaInvalidURL, string(guide.PhotoMalformed)
	case showing.PhotoFailed == guide.OutboundRateLimit || showing.PhotoFailed == guide.Outbound5XX || showing.PhotoFailed == guide.OutboundTimeout:
		details = "after " + string(showing.PhotoFailed)
	case strings.HasPrefix(string(showing.PhotoFailed), "TG_OUTBOUND_MEDIA_"):
		code, details = showing.PhotoFailed, "text sent in its place"
	default:
		return
	}
	a.config.Log.WarnContext(ctx, "bot photo replaced by text",
		append(showing.Update.LogFields(), code.LogFields("text without photo", details)...)...)
}

func keyboard(rows guide.Keyboard) telegram.Keyboard {
	keyboard := make(telegram.Keyboard, len(rows))
	for i, row := range rows {
		keyboard[i] = make([]telegram.Button, len(row))
		for j, button := range row {
			keyboard[i][j] = telegram.Button{Text: button.Text, CallbackData: button.Data, URL: button.URL}
			if button.Copy != "" {
				keyboard[i][j].Copy = &telegram.Copy{Text: button.Copy}
			}
		}
	}
	return keyboard
}
