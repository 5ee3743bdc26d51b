package alerts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/db"
	"vestnik/internal/operators"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
)

const (
	// pollWait is how long Telegram holds a question for updates.
	pollWait = 25 * time.Second
	// actTime bounds what one press may take: a worker has 20 seconds to answer.
	actTime = 30 * time.Second
	// confirmTime bounds telling Telegram which updates were acted on, when no more
	// is asked for.
	confirmTime = 15 * time.Second
)

// update is as much of an update as is looked at.
type update struct {
	ID       int64 `json:"update_id"`
	Callback *struct {
		ID      string  `json:"id"`
		From    user    `json:"from"`
		Message message `json:"message"`
		Data    string  `json:"data"`
	} `json:"callback_query"`
	Message *message `json:"message"`
}

type user struct {
	ID int64 `json:"id"`
}

type message struct {
	ID   int64 `json:"message_id"`
	Chat struct {
		ID int64 `json:"id"`
	} `json:"chat"`
	From  user     `json:"from"`
	Text  string   `json:"text"`
	Reply *message `json:"reply_to_message"`
}

// listen acts on what operators press and answer, until the next look at the
// problems is due or something was decided. An update is confirmed to Telegram,
// which keeps it for a day, only after it was acted on; one that comes again meets
// a message that is over.
func (c Chat) listen(ctx context.Context) error {
	listening, cancel := context.WithTimeout(ctx, every)
	defer cancel()
	var offset int64
	var failure error
	for decided := false; !decided && failure == nil && listening.Err() == nil; {
		var updates []json.RawMessage
		if updates, failure = c.bot.GetUpdates(listening, c.poll(offset, pollWait)); listening.Err() != nil {
			failure = nil // the time is up; what Telegram was about to give comes again
		}
		for _, raw := range updates {
			var update update
			if json.Unmarshal(raw, &update) != nil || update.ID == 0 {
				continue // the next one's number confirms it
			}
			var acted bool
			if acted, failure = c.takeInTime(ctx, update); failure != nil {
				break // it comes again
			}
			decided, offset = decided || acted, update.ID+1
			if listening.Err() != nil {
				break
			}
		}
	}
	if offset == 0 {
		return failure
	}
	confirming, cancelConfirming := context.WithTimeout(context.WithoutCancel(ctx), confirmTime)
	defer cancelConfirming()
	_, err := c.bot.GetUpdates(confirming, c.poll(offset, 0))
	return errors.Join(failure, err)
}

// takeInTime is take, within actTime, whenever listening ends.
func (c Chat) takeInTime(ctx context.Context, update update) (acted bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	return c.take(ctx, update)
}

func (c Chat) poll(offset int64, wait time.Duration) telegram.Poll {
	return telegram.Poll{Offset: offset, Wait: wait, Updates: []string{"callback_query", "message"}}
}

// take acts on an update. What can't be done is told to whoever asked; an error
// means that the update is to come again.
func (c Chat) take(ctx context.Context, update update) (acted bool, err error) {
	switch press, said := update.Callback, update.Message; {
	case press != nil && telegram.ChatOf(press.Message.Chat.ID) == c.Target.Chat:
		toast := "Решать здесь могут только те, кто назван в OPS_USERS"
		if name, listed := c.Users[press.From.ID]; listed {
			if acted, toast, err = c.decide(ctx, name, press.Message.ID, press.Data, ""); err != nil {
				return false, err
			}
		}
		if err := c.bot.AnswerCallbackQuery(ctx, telegram.CallbackAnswer{QueryID: press.ID, Text: cut(toast, maxToast)}); err != nil {
			c.Log.InfoContext(ctx, "a press was not answered", "error", err) // it is too old, or the chat shows it anyway
		}
	case said != nil && telegram.ChatOf(said.Chat.ID) == c.Target.Chat:
		var toast string
		if acted, toast, err = c.read(ctx, *said); err != nil || acted || toast == "" {
			return acted, err
		}
		target := c.Target
		target.ReplyTo = said.ID
		if _, err := c.bot.SendMessage(ctx, telegram.TextMessage{Target: target, Text: toast}); err != nil {
			c.Log.WarnContext(ctx, "who has answered was not told what came of it", "error", err)
		}
	}
	return acted, nil
}

// read carries out what an operator has written, if it is meant for us.
func (c Chat) read(ctx context.Context, said message) (acted bool, toast string, err error) {
	name, listed := c.Users[said.From.ID]
	answer := strings.TrimSpace(said.Text)
	undo := undoCommand.FindStringSubmatch(answer)
	switch {
	case !listed || answer == "":
	case said.Reply != nil && undo != nil:
		return c.decide(ctx, name, said.Reply.ID, doTakeBack+undo[1], "")
	case said.Reply != nil:
		return c.decide(ctx, name, said.Reply.ID, doAnswer, answer)
	case undo != nil:
		toast, err = c.undo(ctx, name, undo[1])
	}
	return false, toast, err
}

// undoCommand is /undo, as Telegram may send it, with what follows.
var undoCommand = regexp.MustCompile(`(?s)^/undo(?:@\w+)?(?:\s+(.*))?$`)

// undo takes back the delivery whose number and reason follow /undo.
func (c Chat) undo(ctx context.Context, who, what string) (said string, err error) {
	number, reason, _ := strings.Cut(what, " ")
	id, notNumber := strconv.ParseInt(number, 10, 64)
	if notNumber != nil {
		return "Напишите номер публикации и причину: /undo 17 ошибка. Или ответьте на сообщение о ней: /undo ошибка", nil //nolint:nilerr // whoever wrote is told
	}
	done, failure := c.takeBack(operators.As(ctx, operators.Actor{Name: who, Via: "telegram"}), id, strings.TrimSpace(reason))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case failure != nil:
		c.Log.InfoContext(ctx, "operator decided in the chat", "operator", who, "action", "undo", "error", failure)
		return c.notDone(failure), nil
	}
	return fmt.Sprintf("Публикация %d: %s", id, done), nil
}

// refusal is why the chat does not carry out what it is asked, as it is said there.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	// errNoReason means that whoever takes something back has not said why.
	errNoReason refusal = "напишите причину, например: /undo ошибка"
	// errMeaningless means that a message has no such button.
	errMeaningless refusal = "здесь это ничего не значит"
	// errOver means that a message asks for nothing any more.
	errOver refusal = "уже решено"
)

// notDone says that a decision was not carried out, and why.
func (c Chat) notDone(failure error) string {
	var own refusal
	if !errors.As(failure, &own) {
		own = refusal(c.Failure(failure))
	}
	return "Не сделано: " + string(own)
}

// takeBack removes what was sent, once.
func (c Chat) takeBack(ctx context.Context, id int64, reason string) (done string, err error) {
	if reason == "" {
		return "", errNoReason
	}
	delivery, err := c.Ledger.Delivery(ctx, id)
	switch {
	case err != nil:
		return "", err
	case delivery.TakenBackAt != nil:
		return "", errOver
	case delivery.Status == protocol.StatusSuppressed, delivery.Status == protocol.StatusFailed:
		return "", refusal("убирать нечего: это не отправляли")
	}
	return "убрано (" + reason + ")", c.Desk.TakeBack(ctx, reason, id)
}

const (
	// doAnswer is a reply to a message: to a captcha, or which case it is.
	doAnswer = "answer"
	// maxToast is how much of a toast Telegram shows, in letters.
	maxToast = 200
)

// decide carries out a decision on the message that it was taken under, once: the
// message is over then, and says who has decided.
func (c Chat) decide(ctx context.Context, who string, messageID int64, action, answer string) (acted bool, toast string, err error) {
	alert, err := c.Ledger.AlertOf(ctx, messageID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		toast = "Это сообщение устарело"
	case err != nil:
		return false, "", err
	case alert.OverAt != nil && !(undoes(action) && isApproval(alert.Problem)):
		toast = "Уже решено"
	}
	switch {
	case toast != "" && action == doAnswer:
		return false, "", nil // people talk
	case toast != "":
		return false, toast, nil
	}
	if action == doTypes || action == doCases || action == doUndo {
		if c.offer(ctx, messageID, alert, action) != nil {
			toast = "Не получилось, попробуйте ещё раз"
		}
		return false, toast, nil
	}
	done, failure := c.act(operators.As(ctx, operators.Actor{Name: who, Via: "telegram"}), alert.Problem, action, answer)
	if ctx.Err() != nil {
		return false, "", ctx.Err()
	}
	verb, _, _ := strings.Cut(action, ":") // what follows may be a person's own words
	c.Log.InfoContext(ctx, "operator decided in the chat", "operator", who, "action", verb, "error", failure)
	if errors.Is(failure, errIgnored) {
		return false, "", nil
	}
	if failure != nil && !errors.Is(failure, errOver) {
		return false, c.notDone(failure), nil
	}
	if alert.OverAt == nil {
		now := time.Now()
		alert.OverAt = &now
		alert.Said = over(alert.Said, now, c.Zone)
	}
	toast = "Уже решено"
	if failure == nil {
		alert.Decided = true
		alert.Said += fmt.Sprintf("\n%s: %s", who, done)
		toast = done
	}
	if err := c.Ledger.SaveAlert(ctx, alert); err != nil {
		return false, "", err
	}
	last := step{alert: alert}
	if isApproval(alert.Problem) && action == doRetry {
		last.keyboard = publishedButtons
	}
	if _, err := c.tell(ctx, last); err != nil { // the next press finds that it is over
		c.Log.WarnContext(ctx, "a message does not say that it is over", "error", err)
	}
	return true, toast, nil
}

// errIgnored means that a reply is not meant for us: people talk.
var errIgnored = errors.New("no answer to anything")

// undoes reports whether an action is about what was sent.
func undoes(action string) bool { return action == doUndo || strings.HasPrefix(action, doTakeBack) }

// offer puts the buttons that a button opens under its message.
func (c Chat) offer(ctx context.Context, messageID int64, alert db.Alert, action string) error {
	keyboard, err := c.choices(ctx, alert, action)
	if err != nil {
		return err
	}
	_, err = c.bot.EditMessageReplyMarkup(ctx, telegram.MessageRef{Chat: c.Target.Chat, ID: messageID}, keyboard)
	return err
}

func (c Chat) choices(ctx context.Context, alert db.Alert, action string) (telegram.Keyboard, error) {
	switch action {
	case doTypes:
		return typeButtons(), nil
	case doUndo:
		return undoButtons, nil
	}
	delivery, err := c.deliveryOf(ctx, alert.Problem)
	if err != nil {
		return nil, err
	}
	return caseButtons(ctx, c.Ledger, delivery, c.Zone)
}

// deliveryOf is the delivery that a message asks about; errOver if it asks about none.
func (c Chat) deliveryOf(ctx context.Context, key string) (db.DeliveryRow, error) {
	number, is := strings.CutPrefix(key, approvals)
	id, err := strconv.ParseInt(number, 10, 64)
	if !is || err != nil {
		return db.DeliveryRow{}, errOver
	}
	return c.Ledger.Delivery(ctx, id)
}

// act carries out a decision about what a message is about, and says what was done.
func (c Chat) act(ctx context.Context, key, action, answer string) (done string, err error) {
	if isApproval(key) {
		return c.approve(ctx, key, action, answer)
	}
	about := strings.SplitN(key, "|", 4)
	if len(about) < 4 {
		return "", errOver
	}
	kind, subject, status, reason := about[0], about[1], about[2], about[3]
	switch {
	case kind == protocol.ProblemDeliveries:
		return c.decideAll(ctx, db.DeliveryFilter{Status: status, Destination: subject, Limit: mostAsked}, reason, action)
	case kind == protocol.ProblemReadingPaused && (action == doResumeKey || action == doAnswer):
		resumed, err := c.Desk.ResumeKey(ctx, answer)
		if err == nil && !resumed {
			err = errOver
		}
		return "стены читаются снова", err
	case (kind == protocol.ProblemWallClosed || kind == protocol.ProblemWallFailing) && action == doReadWall:
		return "стена прочитана", c.Desk.ReadWall(ctx, subject)
	case kind == protocol.ProblemBlocked && (action == doSkip || action == doAnswer):
		return c.unblock(ctx, subject, action, answer)
	case action == doResume:
		_, err := c.Desk.ResumeDestination(ctx, subject)
		return "отправка продолжена", err
	}
	return "", errMeaningless
}

// approve decides about a post that waits to be approved.
func (c Chat) approve(ctx context.Context, key, action, answer string) (done string, err error) {
	delivery, err := c.deliveryOf(ctx, key)
	if err != nil {
		return "", err
	}
	id := delivery.ID
	if reason, is := strings.CutPrefix(action, doTakeBack); is {
		return c.takeBack(ctx, id, reason)
	}
	if delivery.Status != protocol.StatusParked || !asksApproval(delivery.Reason) {
		return "", errOver
	}
	if kind, is := strings.CutPrefix(action, doType); is {
		set, err := c.Desk.SetType(ctx, post.ID{OwnerID: delivery.OwnerID, PostID: delivery.PostID}, petpost.Type(kind), "")
		done = "тип исправлен: " + typeName(petpost.Type(kind))
		if len(set.Sent) > 0 {
			done += fmt.Sprintf("; пост уже виден в %s, убрать: vestnik take-back %d", c.titles.Of(set.Sent[0].Destination), set.Sent[0].ID)
		}
		return done, err
	}
	if number, is := strings.CutPrefix(action, doCase); is {
		return c.duplicate(ctx, id, number)
	}
	switch action {
	case doAnswer:
		number, err := caseMeant(ctx, c.Ledger, delivery.Destination, answer)
		if err != nil {
			return "", err
		}
		return c.duplicate(ctx, id, number)
	case doRetry:
		_, err = c.Desk.Resume(ctx, id, protocol.Resume{Action: protocol.ResumeRetry})
		return "опубликовать", err
	case doSkip:
		_, err = c.Desk.Resume(ctx, id, protocol.Resume{Action: protocol.ResumeSkip, Note: "не публиковать"})
		return "не публиковать", err
	}
	return "", errMeaningless
}

// duplicate says that a post is about a case that was told there.
func (c Chat) duplicate(ctx context.Context, id int64, number string) (done string, err error) {
	of, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return "", errIgnored
	}
	err = c.Desk.Duplicate(ctx, id, of, "")
	switch {
	case errors.Is(err, db.ErrNotAnnounced):
		err = refusal("об этом животном здесь ещё не писали")
	case errors.Is(err, db.ErrNotFound):
		err = refusal(fmt.Sprintf("случая %d нет: напишите номер другого или адрес поста", of))
	}
	return fmt.Sprintf("это уже было, случай %d", of), err
}

// caseMeant is the number of the case that a reply names, by itself or by the
// address of one of its posts.
func caseMeant(ctx context.Context, ledger *db.Ledger, destination, answer string) (number string, err error) {
	ref, err := post.ParseID(answer)
	if err != nil {
		return answer, nil //nolint:nilerr // it may be a number
	}
	rows, err := ledger.List(ctx, db.DeliveryFilter{Destination: destination, Post: ref, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(rows) == 0 || rows[0].Case == nil {
		return "", refusal("этот пост сюда не отправляли")
	}
	return strconv.FormatInt(*rows[0].Case, 10), nil
}

// decideAll decides about all deliveries that wait for one reason.
func (c Chat) decideAll(ctx context.Context, filter db.DeliveryFilter, reason, action string) (done string, err error) {
	said := map[string]string{doRetry: "отправить снова", doSkip: "не отправлять", doMarkSent: "дошло"}[action]
	if said == "" {
		return "", errMeaningless
	}
	rows, err := c.Ledger.List(ctx, filter)
	if err != nil {
		return "", err
	}
	rows = slices.DeleteFunc(rows, func(row db.DeliveryRow) bool { return row.Reason != reason })
	if len(rows) == 0 {
		return "", errOver
	}
	var failures []error
	for _, row := range slices.Backward(rows) { // the oldest first, as they were meant to go
		if _, err := c.Desk.Resume(ctx, row.ID, protocol.Resume{Action: protocol.ResumeAction(action)}); err != nil {
			failures = append(failures, err)
		}
	}
	if all := len(rows); len(failures) > 0 && all > 1 {
		return "", fmt.Errorf("%w: %w", refusal(fmt.Sprintf("не вышло %d из %d: %s", len(failures), all, c.Failure(failures[0]))), errors.Join(failures...))
	}
	return said + ", " + posts(len(rows)), errors.Join(failures...)
}

// unblock decides about the delivery that has paused a lane, and lets it go on.
func (c Chat) unblock(ctx context.Context, destination, action, answer string) (done string, err error) {
	lane, err := c.Desk.Destination(ctx, destination)
	if err != nil {
		return "", err
	}
	if lane.PausedDelivery == 0 {
		return "", errOver
	}
	resume, done := protocol.Resume{Action: protocol.ResumeSkip}, "пост пропущен, отправка продолжена"
	if action == doAnswer {
		resume, done = protocol.Resume{Action: protocol.ResumeCaptcha, CaptchaKey: answer}, "ответ на капчу отправлен"
	}
	if _, err := c.Desk.Resume(ctx, lane.PausedDelivery, resume); err != nil {
		return "", err
	}
	_, err = c.Desk.ResumeDestination(ctx, destination)
	return done, err
}
