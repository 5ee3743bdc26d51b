package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
)

// The number of photos in an album.
const (
	minAlbum = 2
	maxAlbum = 10
)

// generalThread is the topic "General" of a forum, which Telegram knows as 1 in updates and refuses in calls.
const generalThread = 1

// Chat names a chat: a numeric id ("-1001234567890") or a public @username.
type Chat string

// ChatOf is the chat with this numeric id.
func ChatOf(id int64) Chat { return Chat(strconv.FormatInt(id, 10)) }

// id is the chat as the Bot API wants it: a number where it is one.
func (c Chat) id() any {
	if n, err := strconv.ParseInt(string(c), 10, 64); err == nil {
		return n
	}
	return string(c)
}

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
	Off bool
	URL string // the link to preview; it need not be in the text
}

func (p Preview) options() *models.LinkPreviewOptions {
	switch {
	case p.Off:
		return &models.LinkPreviewOptions{IsDisabled: bot.True()}
	case p.URL != "":
		return &models.LinkPreviewOptions{URL: &p.URL}
	}
	return nil
}

// TextMessage is a message of text.
type TextMessage struct {
	Target

	Text      string
	ParseMode ParseMode
	Preview   Preview
	Keyboard  Keyboard
}

// Photo is a picture: by URL, by its bytes, or read while it is sent. Exactly one of the three is set.
type Photo struct {
	URL   string
	Bytes []byte
	File  *File
}

// File is what is uploaded as it is read, once: never the whole of it is in memory. The call has the time that its
// context has, not the client's.
type File struct {
	Name    string // as readers see it
	Size    int64  // in bytes; negative if it is not known
	Content io.Reader
}

func (p Photo) check() error {
	if kinds := []bool{p.URL != "", len(p.Bytes) > 0, p.File != nil}; len(slices.DeleteFunc(kinds, func(set bool) bool { return !set })) != 1 {
		return errors.New("a photo needs exactly one of URL, Bytes and File")
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

// AlbumMessage is an album of minAlbum to maxAlbum photos. Albums have no keyboard.
type AlbumMessage struct {
	Target

	Items []AlbumItem
}

// Message is what Telegram says about a message it has accepted.
type Message struct{ ID int64 }

// UnmarshalJSON implements json.Unmarshaler. A result without a message id is an error: it proves nothing.
func (m *Message) UnmarshalJSON(raw []byte) error {
	if bytes.Equal(raw, []byte("true")) {
		*m = Message{} // edits of inline messages answer so
		return nil
	}
	var wire struct {
		MessageID int64 `json:"message_id"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	if wire.MessageID <= 0 {
		return errors.New("no message_id")
	}
	m.ID = wire.MessageID
	return nil
}

// media is a photo of an album, or the new content of a message.
type media struct {
	Type string `json:"type"`
	models.InputMediaPhoto
}

// media is the photo with its caption as item i of a call, and the file that has to go with it.
func (p Photo) media(i int, caption string, mode ParseMode) (media, []file) {
	m := media{"photo", models.InputMediaPhoto{Media: p.URL, Caption: caption, ParseMode: models.ParseMode(mode)}}
	if m.Media != "" {
		return m, nil
	}
	m.Media = "attach://" + photoName(i)
	return m, []file{{photoName(i), photoName(i), p.Bytes, nil}}
}

// SendMessage sends a text.
func (c *Client) SendMessage(ctx context.Context, m TextMessage) (sent Message, err error) {
	if err := m.Keyboard.check(); err != nil {
		return sent, internal("sendMessage", err)
	}
	err = c.call(ctx, "sendMessage", bot.SendMessageParams{
		ChatID: m.Chat.id(), MessageThreadID: m.thread(), Text: m.Text, ParseMode: models.ParseMode(m.ParseMode),
		LinkPreviewOptions: m.Preview.options(), DisableNotification: m.Silent, ReplyParameters: m.reply(),
		ReplyMarkup: m.Keyboard.markup(),
	}, &sent)
	return sent, err
}

// SendPhoto sends one photo. With a URL Telegram downloads it within the call.
func (c *Client) SendPhoto(ctx context.Context, m PhotoMessage) (sent Message, err error) {
	return c.sendOne(ctx, "sendPhoto", m)
}

// SendAnimation sends a GIF or a silent video. Telegram fetches it from its URL up to MaxByURL; an upload is a File.
func (c *Client) SendAnimation(ctx context.Context, m PhotoMessage) (sent Message, err error) {
	return c.sendOne(ctx, "sendAnimation", m)
}

// SendDocument sends a file of any kind. Telegram fetches GIFs, PDFs and ZIPs from their URLs up to MaxByURL; an upload
// is a File.
func (c *Client) SendDocument(ctx context.Context, m PhotoMessage) (sent Message, err error) {
	return c.sendOne(ctx, "sendDocument", m)
}

func (c *Client) sendOne(ctx context.Context, method string, m PhotoMessage) (sent Message, err error) {
	if err := errors.Join(m.Photo.check(), m.Keyboard.check()); err != nil {
		return sent, internal(method, err)
	}
	field := strings.ToLower(strings.TrimPrefix(method, "send"))
	references := map[string]string{field: m.Photo.URL}
	var files []file
	switch {
	case m.Photo.File != nil:
		files = []file{{field, m.Photo.File.Name, nil, m.Photo.File}}
	case m.Photo.URL == "":
		files = []file{{field, photoName(0), m.Photo.Bytes, nil}}
	}
	// The library's own type for a URL writes it without escaping.
	err = c.call(ctx, method, struct {
		bot.SendPhotoParams
		Photo     string `json:"photo,omitempty"`
		Animation string `json:"animation,omitempty"`
		Document  string `json:"document,omitempty"`
	}{bot.SendPhotoParams{
		ChatID: m.Chat.id(), MessageThreadID: m.thread(), Caption: m.Caption,
		ParseMode: models.ParseMode(m.ParseMode), DisableNotification: m.Silent, ReplyParameters: m.reply(),
		ReplyMarkup: m.Keyboard.markup(),
	}, references["photo"], references["animation"], references["document"]}, &sent, files...)
	return sent, err
}

// SendMediaGroup sends an album and returns its messages, one per item and in order. Telegram accepts or refuses an
// album as a whole; the item it names as the cause is in the error's FailedItem.
func (c *Client) SendMediaGroup(ctx context.Context, m AlbumMessage) ([]Message, error) {
	const method = "sendMediaGroup"
	if len(m.Items) < minAlbum || len(m.Items) > maxAlbum {
		return nil, internal(method, fmt.Errorf("an album has %d to %d items, not %d", minAlbum, maxAlbum, len(m.Items)))
	}
	items, files := make([]media, len(m.Items)), []file(nil)
	for i, item := range m.Items {
		if err := item.Photo.check(); err != nil {
			return nil, internal(method, fmt.Errorf("item %d: %w", i+1, err))
		}
		var uploaded []file
		items[i], uploaded = item.Photo.media(i, item.Caption, item.ParseMode)
		files = append(files, uploaded...)
	}
	sent := album{want: len(m.Items)}
	err := c.call(ctx, method, struct {
		bot.SendMediaGroupParams
		Media []media `json:"media"`
	}{bot.SendMediaGroupParams{
		ChatID: m.Chat.id(), MessageThreadID: m.thread(), DisableNotification: m.Silent, ReplyParameters: m.reply(),
	}, items}, &sent, files...)
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

// MessageRef names a message that exists.
type MessageRef struct {
	Chat Chat
	ID   int64
}

// EditMessageText changes a text message. A message that already is so gives class NotModified.
func (c *Client) EditMessageText(ctx context.Context, ref MessageRef, m TextMessage) (edited Message, err error) {
	if err := m.Keyboard.check(); err != nil {
		return edited, internal("editMessageText", err)
	}
	err = c.call(ctx, "editMessageText", bot.EditMessageTextParams{
		ChatID: ref.Chat.id(), MessageID: int(ref.ID), Text: m.Text, ParseMode: models.ParseMode(m.ParseMode),
		LinkPreviewOptions: m.Preview.options(), ReplyMarkup: m.Keyboard.markup(),
	}, &edited)
	return edited, err
}

// EditMessageCaption changes the caption of a photo message, also of one album item.
func (c *Client) EditMessageCaption(ctx context.Context, ref MessageRef, caption string, mode ParseMode, keyboard Keyboard) (edited Message, err error) {
	if err := keyboard.check(); err != nil {
		return edited, internal("editMessageCaption", err)
	}
	err = c.call(ctx, "editMessageCaption", bot.EditMessageCaptionParams{
		ChatID: ref.Chat.id(), MessageID: int(ref.ID), Caption: caption, ParseMode: models.ParseMode(mode), ReplyMarkup: keyboard.markup(),
	}, &edited)
	return edited, err
}

// EditMessageMedia puts another photo, and its caption, in the place of what a message shows, also of one album item.
// Of m only Photo, Caption, ParseMode and Keyboard matter. A message that already is so gives class NotModified.
func (c *Client) EditMessageMedia(ctx context.Context, ref MessageRef, m PhotoMessage) (edited Message, err error) {
	if err := errors.Join(m.Photo.check(), m.Keyboard.check()); err != nil {
		return edited, internal("editMessageMedia", err)
	}
	photo, files := m.Photo.media(0, m.Caption, m.ParseMode)
	err = c.call(ctx, "editMessageMedia", struct {
		bot.EditMessageMediaParams
		Media media `json:"media"`
	}{bot.EditMessageMediaParams{ChatID: ref.Chat.id(), MessageID: int(ref.ID), ReplyMarkup: m.Keyboard.markup()}, photo}, &edited, files...)
	return edited, err
}

// EditMessageReplyMarkup changes the buttons under a message. An empty, non-nil keyboard takes them away.
func (c *Client) EditMessageReplyMarkup(ctx context.Context, ref MessageRef, keyboard Keyboard) (edited Message, err error) {
	if err := keyboard.check(); err != nil {
		return edited, internal("editMessageReplyMarkup", err)
	}
	err = c.call(ctx, "editMessageReplyMarkup", bot.EditMessageReplyMarkupParams{
		ChatID: ref.Chat.id(), MessageID: int(ref.ID), ReplyMarkup: keyboard.markup(),
	}, &edited)
	return edited, err
}

// DeleteMessage removes a message for everybody. One that is gone already gives class MessageGone; one that Telegram
// does not let this bot remove gives CantBeDeleted: it is older than 48 hours, and the bot is no administrator there.
func (c *Client) DeleteMessage(ctx context.Context, ref MessageRef) error {
	var done bool
	return c.call(ctx, "deleteMessage", bot.DeleteMessageParams{ChatID: ref.Chat.id(), MessageID: int(ref.ID)}, &done)
}
