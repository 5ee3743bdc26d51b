package activities

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"sync"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
)

type telegramEditor struct {
	*Telegram
}

func (t *telegramEditor) edit(ctx context.Context, e *editJob) error {
	bot, err := t.Bots(e.target.Destination)
	if err != nil {
		return err
	}
	var revision notice.Revision
	if !e.part().Wordless {
		revision = e.revision()
	}
	err = t.write(ctx, bot, e, revision, telegram.ParseMode(revision.ParseMode))
	var failure *telegram.Error
	if errors.As(err, &failure) && failure.Class == telegram.CantParseEntities {
		t.Log.ErrorContext(ctx, "Telegram can't parse our markup: editing without", "delivery", e.Delivery.ID)
		revision.Text = revision.Unmarked
		err = t.write(ctx, bot, e, revision, telegram.Plain)
	}
	if errors.As(err, &failure) && failure.Class == telegram.Migrated {
		// The message stays behind in the group that was.
		return errors.Join(err, t.Ledger.FollowMigration(ctx, e.Delivery.DestinationID, failure.MigrateToChatID))
	}
	return err
}

// emptyText stands in a message that Telegram does not let a bot delete.
const emptyText = "Сообщение удалено"

// blankPicture takes the place of a photo in such a message.
var blankPicture = sync.OnceValue(func() []byte {
	var picture bytes.Buffer
	_ = jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 320, 320)), nil) // into memory, which never fails
	return picture.Bytes()
})

// remove deletes the messages of a part. One that Telegram keeps, because it is
// older than 48 hours and the bot no administrator, is emptied.
func (t *telegramEditor) remove(ctx context.Context, e *editJob) error {
	bot, err := t.Bots(e.target.Destination)
	if err != nil {
		return err
	}
	part, kept := &e.Parts[e.at], false
	for i, id := range part.MessageIDs {
		message := telegram.MessageRef{Chat: e.chat(), ID: id}
		err := bot.DeleteMessage(ctx, message)
		var failure *telegram.Error
		if err == nil || errors.As(err, &failure) && failure.Class == telegram.MessageGone {
			continue
		}
		if failure != nil && failure.Class == telegram.Migrated {
			part.Behind = true // nothing reaches what stays in the group that was
			return t.Ledger.FollowMigration(ctx, e.Delivery.DestinationID, failure.MigrateToChatID)
		}
		if failure == nil || failure.Class != telegram.CantBeDeleted {
			return err
		}
		kept = true
		if emptying := t.empty(ctx, bot, e, message, i == 0); errors.As(emptying, &failure) && failure.Class == telegram.MessageGone {
			return err // it can't be edited either
		} else if emptying != nil {
			return emptying
		}
	}
	part.Gone = !kept
	return nil
}

// empty takes away what a message shows; words stand in the first of a part.
func (t *telegramEditor) empty(ctx context.Context, bot *telegram.Client, e *editJob, message telegram.MessageRef, first bool) error {
	if notice.Kind(e.part().Kind) == notice.Message {
		return unlessSo(bot.EditMessageText(ctx, message, telegram.TextMessage{Text: emptyText, Preview: telegram.Preview{Off: true}}))
	}
	blank := telegram.PhotoMessage{Photo: telegram.Photo{Bytes: blankPicture()}}
	if first {
		blank.Caption = emptyText
	}
	return unlessSo(bot.EditMessageMedia(ctx, message, blank))
}

// write edits the messages of a part: the photos that the post has no more
// first, then the words, which a new first photo brings along.
func (t *telegramEditor) write(ctx context.Context, bot *telegram.Client, e *editJob, revision notice.Revision, mode telegram.ParseMode) error {
	worded, keyboard := e.part().Wordless, keyboardOf(notice.Kind(e.part().Kind), revision.Buttons)
	for _, exchange := range e.exchanges(e.at) {
		message := telegram.PhotoMessage{}
		if exchange.slot == 0 {
			message.Caption, message.ParseMode, message.Keyboard = revision.Text, mode, keyboard
		}
		done, err := t.exchange(ctx, bot, e, exchange, message)
		if err != nil {
			return err
		}
		worded = worded || done && exchange.slot == 0
	}
	if worded {
		return nil
	}
	return unlessSo(t.change(ctx, bot, e, revision, mode, keyboard))
}

// exchange puts another photo in the place of one, by its URL or uploaded. A
// photo that Telegram takes in neither way leaves the old one where it is.
func (t *telegramEditor) exchange(ctx context.Context, bot *telegram.Client, e *editJob, exchange exchange, message telegram.PhotoMessage) (done bool, err error) {
	ref := telegram.MessageRef{Chat: e.chat(), ID: e.part().MessageIDs[exchange.slot]}
	link, name := exchange.photo.Sizes[0].URL, exchange.photo.Name()
	message.Photo = telegram.Photo{URL: link}
	err = unlessSo(bot.EditMessageMedia(ctx, ref, message))
	if wantsOtherMedia(err) {
		if picture, fetched := t.fetch(ctx, link); fetched {
			message.Photo = telegram.Photo{Bytes: picture.Bytes}
			err = unlessSo(bot.EditMessageMedia(ctx, ref, message))
		}
	}
	switch {
	case wantsOtherMedia(err):
		t.Log.WarnContext(ctx, "an edited post's photo not exchanged", "delivery", e.Delivery.ID, "photo", name, "error", err)
		return false, nil
	case err != nil:
		return false, err
	}
	e.Parts[e.at].Photos[exchange.slot] = name
	return true, t.Ledger.PartShows(ctx, e.Delivery.ID, e.part())
}

// fetch gets a picture and makes it fit for an upload.
func (t *telegramEditor) fetch(ctx context.Context, link string) (picture photo.Picture, fetched bool) {
	picture, err := t.Pictures.Fetch(ctx, link)
	if err == nil {
		picture, err = photo.Fit(picture, photo.TelegramUpload)
	}
	return picture, err == nil
}

// wantsOtherMedia reports whether Telegram has refused a photo as it was sent.
func wantsOtherMedia(err error) bool {
	var failure *telegram.Error
	return errors.As(err, &failure) && failure.Action() == telegram.OtherMedia
}

// unlessSo takes it for a success that a message is already what it is to be.
func unlessSo(_ telegram.Message, err error) error {
	var failure *telegram.Error
	if errors.As(err, &failure) && failure.Class == telegram.NotModified {
		return nil
	}
	return err
}

// exchange is a photo that takes the place of one that the post has no more.
type exchange struct {
	slot  int // the message of the part, counted from 0
	photo db.Photo
}

// exchanges are those of a part's photos that are to be replaced: the post has
// them no more, and others that no message shows. A message can't become one
// without a photo, nor an album one with more or fewer: a photo that was taken
// away without another stays, and one that was added is only counted.
func (e *editJob) exchanges(at int) []exchange {
	missing := map[string]bool{} // of what is shown
	for _, part := range e.Parts {
		for _, name := range part.Photos {
			missing[name] = true
		}
	}
	var fresh []db.Photo
	for _, photo := range e.post.Photos {
		if !missing[photo.Name()] && len(photo.Sizes) > 0 {
			fresh = append(fresh, photo)
		}
	}
	for _, photo := range e.post.Photos {
		missing[photo.Name()] = false
	}
	var exchanges []exchange
	for i, part := range e.Parts[:at+1] {
		for slot, name := range part.Photos {
			if len(fresh) == 0 || part.Gone || part.Behind || !missing[name] || slot >= len(part.MessageIDs) {
				continue
			}
			if i == at {
				exchanges = append(exchanges, exchange{slot, fresh[0]})
			}
			fresh = fresh[1:]
		}
	}
	return exchanges
}

// chat is where the messages are.
func (e *editJob) chat() telegram.Chat {
	chat := e.target.Destination
	if e.Delivery.MigratedTo != nil {
		chat = chat.WithChat(*e.Delivery.MigratedTo)
	}
	return telegram.Chat(chat.Chat)
}

// revision is what the message at hand is to say. Messages that are gone keep
// their share of the words: the others are to make sense as they stand. Photos
// that are still to come count as shown.
func (e *editJob) revision() notice.Revision {
	var slots []notice.Kind
	mine, photos := 0, 0
	if e.Cut != nil {
		for _, step := range e.Cut.Parts[min(len(e.Parts), len(e.Cut.Parts)):] {
			if step.Kind != notice.Document {
				photos += len(step.Photos)
			}
		}
	}
	for i, part := range e.Parts {
		kind := notice.Kind(part.Kind)
		if kind != notice.Message && kind != notice.Document {
			photos += len(part.MessageIDs)
		}
		if part.Wordless {
			continue
		}
		if i == e.at {
			mine = len(slots)
		}
		slots = append(slots, kind)
	}
	return notice.Revise(e.post, e.target.Settings.TelegramOptions(), slots, photos)[mine]
}

func (t *telegramEditor) change(ctx context.Context, bot *telegram.Client, e *editJob, revision notice.Revision, mode telegram.ParseMode, keyboard telegram.Keyboard) (telegram.Message, error) {
	message := telegram.MessageRef{Chat: e.chat(), ID: e.part().MessageIDs[0]}
	if notice.Kind(e.part().Kind) != notice.Message {
		return bot.EditMessageCaption(ctx, message, revision.Text, mode, keyboard)
	}
	return bot.EditMessageText(ctx, message, telegram.TextMessage{
		Text: revision.Text, ParseMode: mode, Preview: telegram.Preview{Off: revision.Preview == "", URL: revision.Preview}, Keyboard: keyboard,
	})
}

func (t *telegramEditor) classify(err error) refusal {
	var failure *telegram.Error
	if !errors.As(err, &failure) {
		return refusal{reason: "not_configured"}
	}
	refused := refusal{reason: string(failure.Class)}
	switch action := failure.Action(); {
	case failure.Class == telegram.MessageGone, failure.Class == telegram.Migrated:
		refused.gone = true
	case action == telegram.Cool:
		refused.retryAfter = max(failure.RetryAfter, cooldownFloor)
	case action == telegram.Retry, action == telegram.AskOrRetry:
		refused.again = true
	case action == telegram.Park, action == telegram.Thread: // a person is needed, and the next delivery will ask for one
	default:
		refused.status, refused.reason = protocol.EditFailed, failure.Error()
	}
	return refused
}
