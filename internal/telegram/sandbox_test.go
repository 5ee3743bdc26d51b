package telegram_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
	"vestnik/internal/telegram"
)

const (
	group = int64(-1009000000007)
	guest = int64(900000042)
)

// town is a sandbox, strict as Telegram is, with the bot in one forum and in one private chat.
func town(t *testing.T) (*sandbox.Server, *telegram.Client, telegram.Target) {
	t.Helper()
	noLimits := sandbox.NoLimits
	s, err := sandbox.Start(t.Context(), sandbox.Options{Limits: noLimits, PhotoTimeout: time.Minute, PictureWidth: 160})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.AddBot(sandbox.Bot{Token: token, Username: "vestnik_bot"}))
	require.NoError(t, s.AddChat(sandbox.Chat{ID: group, Type: sandbox.Supergroup, Title: "Потеряшки", Forum: true,
		Topics: []sandbox.Topic{{ID: 5, Name: "Кошки"}, {ID: 6, Name: "Архив", Closed: true}}}))
	require.NoError(t, s.AddChat(sandbox.Chat{ID: guest, Type: sandbox.PrivateChat, Title: "Гость"}))
	patient := func(c *telegram.Config) { c.Timeout = time.Minute } // pictures are drawn slowly under the race detector
	return s, newClient(t, s.TelegramURL(), patient), telegram.Target{Chat: telegram.ChatOf(group)}
}

func TestTheSandboxTakesEveryKindOfMessage(t *testing.T) {
	t.Parallel()
	s, client, target := town(t)
	ctx := t.Context()
	keyboard := telegram.Keyboard{{{Text: "В избранное", CallbackData: "fav_add:place:123"}, {Text: "Карта", URL: "https://yandex.ru/maps/"}}}

	target.Thread = 5
	text, err := client.SendMessage(ctx, telegram.TextMessage{Target: target, Text: "<b>Пропал кот</b>", ParseMode: telegram.HTML,
		Preview: telegram.Preview{Off: true}, Keyboard: keyboard})
	require.NoError(t, err)

	target.ReplyTo, target.Silent = text.ID, true
	photo, err := client.SendPhoto(ctx, telegram.PhotoMessage{Target: target, Photo: telegram.Photo{URL: s.PictureURL("cat")}, Caption: "Кот"})
	require.NoError(t, err)

	album, err := client.SendMediaGroup(ctx, telegram.AlbumMessage{Target: target, Items: []telegram.AlbumItem{
		{Photo: telegram.Photo{URL: s.PictureURL("dog")}, Caption: "Пёс"}, {Photo: telegram.Photo{Bytes: picture(t)}}, {Photo: telegram.Photo{URL: s.PictureURL("cat")}}}})
	require.NoError(t, err)
	require.Len(t, album, 3)

	_, err = client.SendPhoto(ctx, telegram.PhotoMessage{Target: telegram.Target{Chat: telegram.ChatOf(group), Thread: 1}, Photo: telegram.Photo{Bytes: picture(t)}})
	require.NoError(t, err, "the topic General is sent without its number")

	ref := telegram.MessageRef{Chat: telegram.ChatOf(group), ID: text.ID}
	_, err = client.EditMessageText(ctx, ref, telegram.TextMessage{Text: "Найден!"})
	require.NoError(t, err)
	_, err = client.EditMessageText(ctx, ref, telegram.TextMessage{Text: "Найден!"})
	require.Equal(t, telegram.NotModified, refused(t, err).Class)
	require.Equal(t, telegram.Done, refused(t, err).Action())
	_, err = client.EditMessageCaption(ctx, telegram.MessageRef{Chat: ref.Chat, ID: photo.ID}, "Кот нашёлся", telegram.Plain, nil)
	require.NoError(t, err)
	require.Len(t, s.Messages(group), 6)
}

func TestTheSandboxsRefusalsHaveTheirClasses(t *testing.T) {
	t.Parallel()
	s, client, target := town(t)
	ctx := t.Context()
	say := func(target telegram.Target, text string, mode telegram.ParseMode) error {
		_, err := client.SendMessage(ctx, telegram.TextMessage{Target: target, Text: text, ParseMode: mode})
		return err
	}
	show := func(url string) error {
		_, err := client.SendPhoto(ctx, telegram.PhotoMessage{Target: target, Photo: telegram.Photo{URL: url}})
		return err
	}
	s.SetPictureFault("gone", sandbox.PictureFault{Status: 404})
	s.SetPictureFault("page", sandbox.PictureFault{As: "html"})
	closed, missing := target, target
	closed.Thread, missing.Thread = 6, 77
	long := string(bytes.Repeat([]byte("ё"), 4096+1))

	for name, c := range map[string]struct {
		err  error
		want telegram.Class
	}{
		"no such chat":      {say(telegram.Target{Chat: "-100404"}, "x", telegram.Plain), telegram.ChatNotFound},
		"no such topic":     {say(missing, "x", telegram.Plain), telegram.ThreadNotFound},
		"a closed topic":    {say(closed, "x", telegram.Plain), telegram.TopicClosed},
		"a long text":       {say(target, long, telegram.Plain), telegram.TooLong},
		"a broken tag":      {say(target, "<b>x", telegram.HTML), telegram.CantParseEntities},
		"no text":           {say(target, "", telegram.Plain), telegram.BadRequest},
		"a picture is gone": {show(s.PictureURL("gone")), telegram.MediaFetchFailed},
		"a page, no photo":  {show(s.PictureURL("page")), telegram.MediaUnsupported},
		"no address":        {show("ftp://x/1.jpg"), telegram.MediaInvalidURL},
		"an old query":      {client.AnswerCallbackQuery(ctx, telegram.CallbackAnswer{QueryID: "424242"}), telegram.QueryTooOld},
	} {
		require.Equal(t, c.want, refused(t, c.err).Class, "%s: %v", name, c.err)
	}
	require.Empty(t, s.Messages(group))

	_, err := client.SendMediaGroup(ctx, telegram.AlbumMessage{Target: target, Items: []telegram.AlbumItem{
		{Photo: telegram.Photo{URL: s.PictureURL("cat")}}, {Photo: telegram.Photo{URL: s.PictureURL("gone")}}}})
	require.Equal(t, telegram.OtherMedia, refused(t, err).Action())

	stranger := newClient(t, s.TelegramURL(), func(c *telegram.Config) { c.Token = "77:SECRET-of-somebody-else" })
	require.Equal(t, telegram.Unauthorized, refused(t, send(ctx, stranger)).Class)

	require.NoError(t, s.ChangeChat(guest, func(c *sandbox.Chat) { c.Deactivated = true }))
	fault := refused(t, say(telegram.Target{Chat: telegram.ChatOf(guest)}, "x", telegram.Plain))
	require.Equal(t, telegram.Forbidden, fault.Class)
	require.True(t, fault.Blocked)
}

func TestTheSandboxsFaultsHaveTheirClasses(t *testing.T) {
	t.Parallel()
	s, client, target := town(t)
	say := func() error {
		_, err := client.SendMessage(t.Context(), telegram.TextMessage{Target: target, Text: "x"})
		return err
	}
	for name, c := range map[string]struct {
		fault sandbox.Fault
		want  telegram.Class
	}{
		"429":              {sandbox.Fault{Code: 429, RetryAfter: 5}, telegram.RateLimited},
		"500":              {sandbox.Fault{Code: 500}, telegram.Unavailable},
		"a page":           {sandbox.Fault{Status: 502, Body: "<html>"}, telegram.Unavailable},
		"a reset":          {sandbox.Fault{Reset: true}, telegram.OutcomeUnknown},
		"gzip that lies":   {sandbox.Fault{Status: 200, GzipGarbage: true}, telegram.OutcomeUnknown},
		"migration":        {sandbox.Fault{Code: 400, MigrateToChatID: -100500}, telegram.Migrated},
		"kicked":           {sandbox.Fault{Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}, telegram.Forbidden},
		"taken, then lost": {sandbox.Fault{AcceptThenFail: true, Reset: true}, telegram.OutcomeUnknown},
	} {
		c.fault.Times = 1
		_, err := s.SetFault(c.fault)
		require.NoError(t, err)
		fault := refused(t, say())
		require.Equal(t, c.want, fault.Class, "%s: %v", name, fault)
		if c.fault.RetryAfter != 0 {
			require.Equal(t, 5*time.Second, fault.RetryAfter)
		}
	}
	require.NoError(t, say())
	require.Len(t, s.Messages(group), 2, "one that was lost on its way back, and the last")
}

// picture is a small JPEG.
func picture(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, 64, 48)), nil))
	return out.Bytes()
}
