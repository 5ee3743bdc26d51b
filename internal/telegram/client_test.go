package telegram_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/telegram"
)

func TestATokenIsTrimmedAndABadOneIsRefusedWithoutBeingPrinted(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"ok":true,"result":{"id":4200,"is_bot":true,"first_name":"Вестник","username":"vestnik_bot"}}`))
	client := newClient(t, s.URL+"/", func(c *telegram.Config) { c.Token = " " + token + "\r\n" })
	me, err := client.GetMe(t.Context())
	require.NoError(t, err)
	require.Equal(t, telegram.Bot{ID: 4200, Username: "vestnik_bot", Name: "Вестник"}, me)
	require.Equal(t, "/bot"+token+"/getMe", s.last(t).Path)
	require.Equal(t, int64(4200), client.BotID())

	for _, bad := range []string{"", " \n", "4200:SECRET\ntoken", "4200:SECRET%zz", "4200:SECRET/../x", `"4200:SECRET"`, "4200:SECRETтокен"} {
		_, err := telegram.New(telegram.Config{Token: bad})
		require.ErrorContains(t, err, "BotFather")
		require.NotContains(t, err.Error(), "SECRET")
	}
}

func TestABadServerAddressIsRefusedWithoutBeingPrinted(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"api.telegram.org", "ftp://x", "http://", "http://user:SECRET@x", "http://x?key=SECRET", "http://x/#SECRET", "http://%zzSECRET", "://SECRET"} {
		_, err := telegram.New(telegram.Config{Token: token, BaseURL: bad})
		require.ErrorContains(t, err, "Bot API address")
		require.NotContains(t, err.Error(), "SECRET")
	}
	_, err := telegram.New(telegram.Config{Token: token})
	require.NoError(t, err)
}

func TestNothingThatPrintsAClientOrItsConfigurationPrintsTheToken(t *testing.T) {
	t.Parallel()
	config := telegram.Config{Token: token, BaseURL: "http://localhost:1"}
	client := newClient(t, config.BaseURL)
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	logger.Info("start", "config", config, "client", client)
	for _, printed := range []string{
		fmt.Sprint(config), fmt.Sprintf("%+v", config), fmt.Sprintf("%#v", config), fmt.Sprintf("%+v", &config),
		fmt.Sprint(client), fmt.Sprintf("%+v", client), fmt.Sprintf("%#v", client), log.String(),
	} {
		require.NotContains(t, printed, "SECRET")
	}
}

func TestACallThatIsWrongBeforeItIsMadeReachesNobody(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, sentMessage))
	client := newClient(t, s.URL)
	photo := telegram.Photo{URL: "https://cdn.example/1.jpg"}
	button := telegram.Button{Text: "Назад", CallbackData: "back:menu:main"}
	for name, err := range map[string]error{
		"a keyboard with an empty row": sendKeyboard(t, client, telegram.Keyboard{{}}),
		"a button without text":        sendKeyboard(t, client, telegram.Keyboard{{button}, {{URL: "https://x.example"}}}),
		"a button of two kinds":        sendKeyboard(t, client, telegram.Keyboard{{{Text: "а", URL: "https://x.example", CallbackData: "x"}}}),
		"a button of no kind":          sendKeyboard(t, client, telegram.Keyboard{{{Text: "а"}}}),
		"callback data of 65 bytes":    sendKeyboard(t, client, telegram.Keyboard{{{Text: "а", CallbackData: strings.Repeat("x", 65)}}}),
		"a photo that is nothing":      sendAlbum(t, client, photo, telegram.Photo{}),
		"a photo that is two things":   sendAlbum(t, client, photo, telegram.Photo{URL: "https://x.example", Bytes: []byte("x")}),
		"an album of one":              sendAlbum(t, client, photo),
		"an album of eleven":           sendAlbum(t, client, photo, photo, photo, photo, photo, photo, photo, photo, photo, photo, photo),
	} {
		require.Equal(t, telegram.Internal, refused(t, err).Class, name)
	}
	require.Zero(t, s.count())
	require.NoError(t, sendKeyboard(t, client, telegram.Keyboard{{{Text: "а", CallbackData: strings.Repeat("x", 64)}}}))
}

func sendKeyboard(t *testing.T, client *telegram.Client, keyboard telegram.Keyboard) error {
	_, err := client.SendMessage(t.Context(), telegram.TextMessage{Target: telegram.Target{Chat: "5"}, Text: "меню", Keyboard: keyboard})
	return err
}

func sendAlbum(t *testing.T, client *telegram.Client, photos ...telegram.Photo) error {
	album := telegram.AlbumMessage{Target: telegram.Target{Chat: "5"}}
	for _, photo := range photos {
		album.Items = append(album.Items, telegram.AlbumItem{Photo: photo})
	}
	_, err := client.SendMediaGroup(t.Context(), album)
	return err
}
