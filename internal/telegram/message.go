package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

// Limits of the Bot API. Texts and captions are counted after entity parsing; whether in code points or in UTF-16
// units is not stated, so UTF-16 is the safe count.
const (
	MaxText      = 4096
	MaxCaption   = 1024
	MinAlbum     = 2
	MaxAlbum     = 10
	MaxPhotoURL  = 5 << 20  // bytes, when Telegram downloads the photo
	MaxPhotoFile = 10 << 20 // bytes, when it is uploaded
	MaxPhotoSum  = 10000    // width + height, pixels
)

// generalThread is the topic "General" of a forum, which Telegram knows as 1 in updates and refuses in calls.
const generalThread = 1

// Chat names a chat: a numeric id ("-1001234567890") or a public @username.
type Chat string

// ChatOf is the chat with this numeric id.
func ChatOf(id int64) Chat { return Chat(strconv.FormatInt(id, 10)) }

// ParseMode says how a text is formatted.
type ParseMode string

// The parse modes; Plain sends the text as it is.
const (
	Plain      ParseMode = ""
	HTML       ParseMode = "HTML"
	MarkdownV2 ParseMode = "MarkdownV2"
)

// Target says where a message goes and how it arrives.
type Target struct {
	Chat Chat
	// Thread is the forum topic; 0 for none. General (1) is sent as none, as Telegram wants it.
	Thread int64
	// Silent delivers without a sound.
	Silent bool
	// ReplyTo is the message this one answers; 0 for none. If that message is gone, this one is sent all the same.
	ReplyTo int64
}

func (t Target) thread() int {
	if t.Thread == generalThread {
		return 0
	}
	return int(t.Thread)
}

func (t Target) reply() *models.ReplyParameters {
	if t.ReplyTo == 0 {
		return nil
	}
	return &models.ReplyParameters{MessageID: int(t.ReplyTo), AllowSendingWithoutReply: true}
}

// Preview says which link of a text is shown as a preview. The zero value is Telegram's default, the first link.
type Preview struct {
	Off   bool
	URL   string // the link to preview; it need not be in the text
	Large bool
	Above bool // above the text
}

func (p Preview) options() *models.LinkPreviewOptions {
	switch {
	case p.Off:
		return &models.LinkPreviewOptions{IsDisabled: bot.True()}
	case p == Preview{}:
		return nil
	}
	options := &models.LinkPreviewOptions{}
	if p.URL != "" {
		options.URL = &p.URL
	}
	if p.Large {
		options.PreferLargeMedia = bot.True()
	}
	if p.Above {
		options.ShowAboveText = bot.True()
	}
	return options
}

// TextMessage is a message of text.
type TextMessage struct {
	Target

	Text      string
	ParseMode ParseMode
	Preview   Preview
	Keyboard  Keyboard
}

// Photo is a picture: by URL, by the file_id of one sent before, or by its bytes. Exactly one of the three is set.
type Photo struct {
	URL    string
	FileID string
	Bytes  []byte
}

// reference is what stands for the photo in a call that uploads nothing; "" when it has to be uploaded.
func (p Photo) reference() string {
	if p.URL != "" {
		return p.URL
	}
	return p.FileID
}

func (p Photo) check() error {
	set := 0
	for _, is := range []bool{p.URL != "", p.FileID != "", len(p.Bytes) > 0} {
		if is {
			set++
		}
	}
	if set != 1 {
		return errors.New("a photo needs exactly one of URL, FileID and Bytes")
	}
	return nil
}

// PhotoMessage is a message of one photo.
type PhotoMessage struct {
	Target

	Photo     Photo
	Caption   string
	ParseMode ParseMode
	Keyboard  Keyboard
}

// AlbumItem is one photo of an album. Telegram shows a caption under the album when exactly one item has one.
type AlbumItem struct {
	Photo     Photo
	Caption   string
	ParseMode ParseMode
}

// AlbumMessage is an album of MinAlbum to MaxAlbum photos. Albums have no keyboard.
type AlbumMessage struct {
	Target

	Items []AlbumItem
}

// Message is what Telegram tells about a message it has accepted.
type Message struct {
	ID     int64
	ChatID int64 // numeric, also when the message was sent to an @username
	// FileID names the largest size of the message's photo for sending it again with this bot; "" without a photo.
	FileID string
}

// UnmarshalJSON implements json.Unmarshaler. A result without a message id is an error: it proves nothing.
func (m *Message) UnmarshalJSON(raw []byte) error {
	if bytes.Equal(raw, []byte("true")) {
		*m = Message{} // edits of inline messages answer so
		return nil
	}
	var wire struct {
		MessageID int64 `json:"message_id"`
		Chat      struct {
			ID int64 `json:"id"`
		} `json:"chat"`
		Photo []struct {
			FileID string `json:"file_id"`
			Width  int    `json:"width"`
		} `json:"photo"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	if wire.MessageID <= 0 {
		return errors.New("no message_id")
	}
	*m = Message{ID: wire.MessageID, ChatID: wire.Chat.ID}
	width := -1
	for _, size := range wire.Photo {
		if size.Width > width {
			m.FileID, width = size.FileID, size.Width
		}
	}
	return nil
}

// SendMessage sends a text.
func (c *Client) SendMessage(ctx context.Context, m TextMessage) (Message, error) {
	if err := m.Keyboard.check(); err != nil {
		return Message{}, internal("sendMessage", err)
	}
	var sent Message
	err := c.call(ctx, "sendMessage", &sent, func(ctx context.Context) error {
		_, err := c.bot.SendMessage(ctx, &bot.SendMessageParams{
			ChatID: string(m.Chat), MessageThreadID: m.thread(), Text: m.Text, ParseMode: models.ParseMode(m.ParseMode),
			LinkPreviewOptions: m.Preview.options(), DisableNotification: m.Silent, ReplyParameters: m.reply(),
			ReplyMarkup: m.Keyboard.markup(),
		})
		return err
	})
	return sent, err
}

// SendPhoto sends one photo. With a URL Telegram downloads it within the call.
func (c *Client) SendPhoto(ctx context.Context, m PhotoMessage) (Message, error) {
	if err := errors.Join(m.Photo.check(), m.Keyboard.check()); err != nil {
		return Message{}, internal("sendPhoto", err)
	}
	ex := &exchange{method: "sendPhoto"}
	var photo models.InputFile = &models.InputFileString{Data: m.Photo.reference()}
	if m.Photo.reference() == "" {
		ex.files = true
		photo = &models.InputFileUpload{Filename: photoName(0), Data: bytes.NewReader(m.Photo.Bytes)}
	}
	var sent Message
	err := c.exchange(ctx, c.timeout, ex, &sent, func(ctx context.Context) error {
		_, err := c.bot.SendPhoto(ctx, &bot.SendPhotoParams{
			ChatID: string(m.Chat), MessageThreadID: m.thread(), Photo: photo, Caption: m.Caption,
			ParseMode: models.ParseMode(m.ParseMode), DisableNotification: m.Silent, ReplyParameters: m.reply(),
			ReplyMarkup: m.Keyboard.markup(),
		})
		return err
	})
	return sent, err
}

// SendMediaGroup sends an album and returns its messages, one per item and in order. Telegram accepts or refuses an
// album as a whole; the item it names as the cause is in the error's FailedItem.
func (c *Client) SendMediaGroup(ctx context.Context, m AlbumMessage) ([]Message, error) {
	if len(m.Items) < MinAlbum || len(m.Items) > MaxAlbum {
		return nil, internal("sendMediaGroup", fmt.Errorf("an album has %d to %d items, not %d", MinAlbum, MaxAlbum, len(m.Items)))
	}
	ex := &exchange{method: "sendMediaGroup"}
	media := make([]models.InputMedia, len(m.Items))
	for i, item := range m.Items {
		if err := item.Photo.check(); err != nil {
			return nil, internal("sendMediaGroup", fmt.Errorf("item %d: %w", i+1, err))
		}
		photo := &models.InputMediaPhoto{Media: item.Photo.reference(), Caption: item.Caption,
			ParseMode: models.ParseMode(item.ParseMode)}
		if photo.Media == "" {
			ex.files = true
			photo.Media = "attach://" + photoName(i)
			photo.MediaAttachment = bytes.NewReader(item.Photo.Bytes)
		}
		media[i] = photo
	}
	sent := album{want: len(m.Items)}
	err := c.exchange(ctx, c.timeout, ex, &sent, func(ctx context.Context) error {
		_, err := c.bot.SendMediaGroup(ctx, &bot.SendMediaGroupParams{
			ChatID: string(m.Chat), MessageThreadID: m.thread(), Media: media, DisableNotification: m.Silent,
			ReplyParameters: m.reply(),
		})
		return err
	})
	return sent.messages, err
}

// album is the result of sendMediaGroup. Fewer messages than were asked for would leave some without an id, which
// nobody could ever edit or find again, so that counts as an answer that cannot be read.
type album struct {
	messages []Message
	want     int
}

func (a *album) UnmarshalJSON(raw []byte) error {
	var messages []Message
	if err := json.Unmarshal(raw, &messages); err != nil {
		return err
	}
	if len(messages) != a.want {
		return fmt.Errorf("%d messages for %d items", len(messages), a.want)
	}
	a.messages = messages
	return nil
}

// photoName is the name of an uploaded file. Telegram looks at the extension before it looks at the bytes.
func photoName(i int) string { return fmt.Sprintf("photo%d.jpg", i+1) }

// internal is the error of a call that was wrong before it was made.
func internal(method string, err error) *Error {
	return &Error{Class: Internal, Method: method, Description: err.Error()}
}

// MessageRef names a message that exists.
type MessageRef struct {
	Chat Chat
	ID   int64
}

// EditMessageText changes a text message. A message that already is so gives class NotModified.
func (c *Client) EditMessageText(ctx context.Context, ref MessageRef, m TextMessage) (Message, error) {
	if err := m.Keyboard.check(); err != nil {
		return Message{}, internal("editMessageText", err)
	}
	var edited Message
	err := c.call(ctx, "editMessageText", &edited, func(ctx context.Context) error {
		_, err := c.bot.EditMessageText(ctx, &bot.EditMessageTextParams{
			ChatID: string(ref.Chat), MessageID: int(ref.ID), Text: m.Text, ParseMode: models.ParseMode(m.ParseMode),
			LinkPreviewOptions: m.Preview.options(), ReplyMarkup: m.Keyboard.markup(),
		})
		return err
	})
	return edited, err
}

// EditMessageCaption changes the caption of a photo message, also of one album item.
func (c *Client) EditMessageCaption(ctx context.Context, ref MessageRef, caption string, mode ParseMode, keyboard Keyboard) (Message, error) {
	if err := keyboard.check(); err != nil {
		return Message{}, internal("editMessageCaption", err)
	}
	var edited Message
	err := c.call(ctx, "editMessageCaption", &edited, func(ctx context.Context) error {
		_, err := c.bot.EditMessageCaption(ctx, &bot.EditMessageCaptionParams{
			ChatID: string(ref.Chat), MessageID: int(ref.ID), Caption: caption, ParseMode: models.ParseMode(mode),
			ReplyMarkup: keyboard.markup(),
		})
		return err
	})
	return edited, err
}

// EditMessageMedia puts another photo, and its caption, in the place of what a message shows, also of one album item.
// Of m only Photo, Caption, ParseMode and Keyboard matter. A message that already is so gives class NotModified.
func (c *Client) EditMessageMedia(ctx context.Context, ref MessageRef, m PhotoMessage) (Message, error) {
	if err := m.Photo.check(); err != nil {
		return Message{}, internal("editMessageMedia", err)
	}
	if err := m.Keyboard.check(); err != nil {
		return Message{}, internal("editMessageMedia", err)
	}
	ex := &exchange{method: "editMessageMedia"}
	photo := &models.InputMediaPhoto{Media: m.Photo.reference(), Caption: m.Caption, ParseMode: models.ParseMode(m.ParseMode)}
	if photo.Media == "" {
		ex.files = true
		photo.Media, photo.MediaAttachment = "attach://"+photoName(0), bytes.NewReader(m.Photo.Bytes)
	}
	var edited Message
	err := c.exchange(ctx, c.timeout, ex, &edited, func(ctx context.Context) error {
		_, err := c.bot.EditMessageMedia(ctx, &bot.EditMessageMediaParams{
			ChatID: string(ref.Chat), MessageID: int(ref.ID), Media: photo, ReplyMarkup: m.Keyboard.markup(),
		})
		return err
	})
	return edited, err
}

// EditMessageReplyMarkup changes the buttons under a message. An empty, non-nil keyboard takes them away.
func (c *Client) EditMessageReplyMarkup(ctx context.Context, ref MessageRef, keyboard Keyboard) (Message, error) {
	if err := keyboard.check(); err != nil {
		return Message{}, internal("editMessageReplyMarkup", err)
	}
	var edited Message
	err := c.call(ctx, "editMessageReplyMarkup", &edited, func(ctx context.Context) error {
		_, err := c.bot.EditMessageReplyMarkup(ctx, &bot.EditMessageReplyMarkupParams{
			ChatID: string(ref.Chat), MessageID: int(ref.ID), ReplyMarkup: keyboard.markup(),
		})
		return err
	})
	return edited, err
}
