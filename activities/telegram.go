package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/photo"
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
	// Timeout is how long one call may take.
	Timeout time.Duration
	// Pictures gets the bytes of photos that Telegram could not get by itself.
	Pictures Pictures
	// Fresh reads a post's media again when their links have died; nil if
	// there is no key that may.
	Fresh func(ctx context.Context, ownerID, postID int64) ([]db.Photo, error)

	uploads atomic.Int32 // of files, under way
}

// SendToTelegram sends the next part of a delivery to a chat.
func (t *Telegram) SendToTelegram(ctx context.Context, request protocol.SendPart) (protocol.PartSent, error) {
	return t.sendNext(ctx, request, &telegramSender{Telegram: t})
}

// telegramSender is one sending of one part.
type telegramSender struct {
	*Telegram

	photo     *photoLadder
	uploading atomic.Pointer[upload]
}

// reach asks for the bot's own name.
func (t *telegramSender) reach(ctx context.Context, j *sendJob) error {
	bot, err := t.Bots(j.target.Destination)
	if err != nil {
		return nil // send says so
	}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	_, err = bot.GetMe(ctx)
	var failure *telegram.Error
	if errors.As(err, &failure) && failure.Action() != telegram.Retry && failure.Action() != telegram.AskOrRetry {
		return nil // it has answered
	}
	return err
}

// plan cuts the post into steps, or takes them as they were cut when the first
// of them arrived, photos included.
func (t *telegramSender) plan(j *sendJob) []int {
	if j.cut = j.Cut; j.cut == nil {
		options := j.target.Settings.TelegramOptions()
		options.WordsFirst = j.WordsFirst
		j.cut = &notice.Cut{Parts: notice.PlanTelegram(j.post, options), Version: j.post.Version(), Photos: j.post.Media()}
	}
	j.post.Photos = j.cut.Photos
	weights := make([]int, len(j.cut.Parts))
	for i, step := range j.cut.Parts {
		weights[i] = step.Weight
	}
	return weights
}

// settleUncertain follows ON_UNKNOWN. Telegram has no key against doubles and
// does not let a bot read what it has posted (tdlib/telegram-bot-api #126).
func (t *telegramSender) settleUncertain(_ context.Context, j *sendJob) ([]int64, error) {
	uncertainty := j.uncertainty
	if j.target.Settings.OnUnknown == route.Park && uncertainty.Unacknowledged > 0 || uncertainty.Unanswered >= maxUnknown {
		return nil, askPerson(uncertainty.Unacknowledged)
	}
	return nil, nil
}

// send tries the step, one rung of the media ladder after another, until it
// arrives or fails for a reason that has nothing to do with its photos.
func (t *telegramSender) send(ctx context.Context, j *sendJob) error {
	bot, err := t.Bots(j.target.Destination)
	if err != nil {
		return parked("not_configured", err)
	}
	step := j.cut.Parts[j.part]
	if t.photo, err = t.climb(ctx, j); err != nil {
		return err
	}
	for {
		tried, err := t.try(ctx, bot, j, step)
		if err == nil {
			return nil
		}
		if err = t.change(ctx, j, &step, tried, err); errors.Is(err, errPhotosLate) || errors.Is(err, errFollows) {
			return t.mediaLate(ctx, j, step, err)
		}
		if err != nil {
			return err
		}
	}
}

// try sends a step as it can go now, and returns it as it went. A file that could
// not be read to its end is the error, whatever Telegram said to that.
func (t *telegramSender) try(ctx context.Context, bot *telegram.Client, j *sendJob, step notice.Step) (tried notice.Step, err error) {
	tried, photos, err := t.photo.load(ctx, step)
	if err != nil {
		return tried, err
	}
	j.shows(step, tried)
	var file *upload
	if t.photo.uploadsFile(tried) {
		if file, err = t.beginUpload(ctx, j, tried); err != nil {
			return tried, err
		}
	}
	err = t.sendStep(ctx, bot, j, tried, photos, file)
	if unread := file.failed(); err != nil && unread != nil && ctx.Err() == nil {
		err = unread
	}
	return tried, err
}

// change makes a step, or the rungs of its photos, such that it may be tried again
// after an error; else the error is returned. tried is the step as it went.
func (t *telegramSender) change(ctx context.Context, j *sendJob, step *notice.Step, tried notice.Step, err error) error {
	var failure *telegram.Error
	switch {
	case errors.As(err, new(*photo.Error)):
		return t.photo.mend(ctx, tried.Photos[0], err, true)
	case !errors.As(err, &failure):
		return err
	case failure.Timeout && j.Status == protocol.StatusSending && t.photo.byURL(tried) && t.photo.Pictures != nil:
		return cmp.Or(t.photo.tookTooLong(ctx, tried), errPhotosLate)
	case failure.Class == telegram.Migrated:
		j.MigratedTo = &failure.MigrateToChatID
		return t.Ledger.FollowMigration(ctx, j.DestinationID, failure.MigrateToChatID)
	case failure.Class == telegram.CantParseEntities && step.Text != step.Unmarked:
		t.Log.ErrorContext(ctx, "Telegram can't parse our markup: sending without", "delivery", j.ID, "part", j.part+1)
		step.Text, step.ParseMode = step.Unmarked, notice.Unmarked
	case failure.Action() == telegram.OtherMedia && len(tried.Photos) > 0:
		return t.photo.lower(ctx, tried, failure.FailedItem)
	default:
		return err
	}
	return nil
}

// shows notes what readers see of a step as it is tried, for its attempt.
func (j *sendJob) shows(step, tried notice.Step) {
	j.shown = db.Shown{
		Kind: string(tried.Recorded()), Wordless: step.Text == "" && (len(tried.Photos) > 0 || step.Kind == notice.Document), Version: j.cut.Version,
	}
	for _, index := range tried.Photos {
		if tried.Kind != notice.Document {
			j.shown.Photos = append(j.shown.Photos, j.post.Photos[index].Name())
		}
	}
}

// sendStep makes the call of a step, a file's with the time that it needs.
func (t *telegramSender) sendStep(ctx context.Context, bot *telegram.Client, j *sendJob, step notice.Step, photos []telegram.Photo, file *upload) error {
	timeout := t.Timeout
	if j.upload = file != nil; j.upload {
		defer file.end()
		timeout = file.timeout
		photos = []telegram.Photo{{File: &telegram.File{Name: j.post.Photos[step.Photos[0]].Title, Size: file.Bytes, Content: file}}}
	}
	return t.attempt(ctx, j, timeout, t.photo.rung(step),
		func(ctx context.Context) ([]int64, error) { return t.call(ctx, bot, j, step, photos) },
		func(err error) *refusedSend {
			if file.failed() != nil { // it is not Telegram that did not get through
				return &refusedSend{cause: err, errorType: protocol.ErrRateLimited, reason: "photos_late",
					ending: db.Ending{Outcome: db.OutcomeDegraded, Status: protocol.StatusSending, Error: file.failed().Error()}}
			}
			return t.classify(j, err, len(step.Photos) > 0)
		})
}

// mediaLate is for photos whose host does not answer, and for files that are to be
// uploaded. Whoever looks for a pet waits for the words, and the lane for its
// turn: the words go alone, at once, and the rest follows, or is put off for as
// long as it has been late.
func (t *telegramSender) mediaLate(ctx context.Context, j *sendJob, step notice.Step, why error) error {
	if step.Text != "" {
		if err := t.Ledger.WordsFirst(ctx, j.ID); err != nil {
			return err
		}
		t.Log.InfoContext(ctx, "the words go first", "delivery", j.ID, "error", why)
		return db.ErrChanged // and is planned anew
	}
	if err := t.Ledger.PutOff(ctx, j.ID, max(time.Since(j.FirstAttemptAt), time.Minute)); err != nil {
		return err
	}
	return &refusedSend{errorType: protocol.ErrRateLimited, reason: "photos_late", cause: why}
}

func (t *telegramSender) call(ctx context.Context, bot *telegram.Client, j *sendJob, step notice.Step, photos []telegram.Photo) ([]int64, error) {
	destination := j.target.Destination
	if j.MigratedTo != nil {
		destination = destination.WithChat(*j.MigratedTo)
	}
	target := telegram.Target{Chat: telegram.Chat(destination.Chat), Thread: int64(destination.SendThread()), Silent: step.Silent}
	switch {
	case step.ReplyTo != notice.NoReply && step.ReplyTo < len(j.Arrived):
		target.ReplyTo = j.Arrived[step.ReplyTo][0]
	case j.part == 0: // news about a case answers its first message
		target.ReplyTo = j.ReplyTo
	}
	mode, keyboard := telegram.ParseMode(step.ParseMode), keyboardOf(step.Kind, step.Buttons)
	switch step.Kind {
	case notice.Animation:
		message, err := bot.SendAnimation(ctx, telegram.PhotoMessage{Target: target, Photo: photos[0], Caption: step.Text, ParseMode: mode, Keyboard: keyboard})
		return []int64{message.ID}, err
	case notice.Document:
		message, err := bot.SendDocument(ctx, telegram.PhotoMessage{Target: target, Photo: photos[0]})
		return []int64{message.ID}, err
	case notice.SinglePhoto:
		message, err := bot.SendPhoto(ctx, telegram.PhotoMessage{Target: target, Photo: photos[0], Caption: step.Text, ParseMode: mode, Keyboard: keyboard})
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
		message, err := bot.SendMessage(ctx, telegram.TextMessage{Target: target, Text: step.Text, ParseMode: mode, Preview: preview, Keyboard: keyboard})
		return []int64{message.ID}, err
	}
}

// keyboardOf are the buttons under a message; Telegram gives albums none.
func keyboardOf(kind notice.Kind, rows [][]notice.Button) (keyboard telegram.Keyboard) {
	if kind == notice.Album {
		return nil
	}
	for _, row := range rows {
		buttons := make([]telegram.Button, len(row))
		for i, button := range row {
			buttons[i] = telegram.Button{Text: button.Text, URL: button.URL}
			if button.Copy != "" {
				buttons[i].Copy = &telegram.Copy{Text: button.Copy}
			}
		}
		keyboard = append(keyboard, buttons)
	}
	return keyboard
}

// classify reads the catalogue's action for Telegram's answer as what happens to
// the delivery; photos reports whether any can come down the ladder.
func (t *telegramSender) classify(j *sendJob, err error, photos bool) *refusedSend {
	var failure *telegram.Error
	if !errors.As(err, &failure) {
		failure = &telegram.Error{Class: telegram.Internal, Description: "no answer of Telegram's"}
	}
	v := &refusedSend{cause: err, ending: db.Ending{
		Code: failure.Code, Error: failure.Error(), Status: protocol.StatusSending, Reason: string(failure.Class),
	}}
	if failure.MayHaveHappened() {
		v.ending.Outcome, v.errorType = db.OutcomeUnknown, protocol.ErrOutcomeUnknown
		if j.target.Settings.OnUnknown == route.Park {
			v.ending.Status, v.ending.Reason = protocol.StatusUnknown, protocol.ReasonOutcomeUnknown
			v.errorType, v.reason = protocol.ErrUnknownParked, protocol.ReasonOutcomeUnknown
		}
		return v
	}
	switch action := failure.Action(); {
	case action == telegram.Cool:
		v.retryAfter = max(failure.RetryAfter, cooldownFloor)
		v.ending.Outcome, v.ending.RetryAfter, v.ending.Cool = db.OutcomeRateLimited, v.retryAfter, v.retryAfter
		v.ending.Status, v.ending.Reason = protocol.StatusPending, fmt.Sprintf("Telegram asks to wait %s", v.retryAfter)
		v.errorType, v.reason = protocol.ErrRateLimited, v.ending.Reason
	case action == telegram.Retry:
		v.ending.Outcome, v.errorType = db.OutcomeRetry, protocol.ErrRetryLater
	case action == telegram.Follow:
		v.ending.Outcome = db.OutcomeMigrated
	case action == telegram.OtherMedia && photos:
		v.ending.Outcome = db.OutcomeDegraded
		v.errorType, v.reason = protocol.ErrRejected, string(failure.Class)
	case action == telegram.Park, action == telegram.Thread: // the next ones would meet the same
		v.ending.Outcome, v.ending.Status, v.ending.Pause = db.OutcomeParked, protocol.StatusParked, true
		v.errorType, v.reason = protocol.ErrParked, string(failure.Class)
	default:
		v.ending.Outcome, v.ending.Status = db.OutcomeRejected, protocol.StatusFailed
		v.ending.Reason = failure.Error()
		v.errorType, v.reason = protocol.ErrRejected, string(failure.Class)
	}
	return v
}
