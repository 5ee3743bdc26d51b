package sandbox_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/SevereCloud/vksdk/v2/api"
	tgbot "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

const (
	botToken  = "7000000009:AAtest-bot-000000000000000000000000"
	groupChat = int64(-1009000000001)
	ownWall   = int64(-77)
)

// bench is a sandbox with one bot in one group, one wall, and a token of
// each kind.
type bench struct {
	*sandbox.Server
	clock *clock
	bot   *tgbot.Bot
}

func setup(t *testing.T, change ...func(*sandbox.Options)) *bench {
	t.Helper()
	b := &bench{clock: &clock{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}}
	options := sandbox.Options{Clock: b.clock.now, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), WebhookRetry: time.Millisecond}
	for _, c := range change {
		c(&options)
	}
	var err error
	b.Server, err = sandbox.Start(context.Background(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	require.NoError(t, b.AddBot(sandbox.Bot{Token: botToken, Username: "test_bot"}))
	require.NoError(t, b.AddChat(sandbox.Chat{ID: groupChat, Type: sandbox.Supergroup, Title: "Потеряшки"}))
	require.NoError(t, b.AddWall(sandbox.Wall{OwnerID: ownWall, ScreenName: "test_wall", Name: "Стена"}))
	for _, k := range []sandbox.VKToken{
		{Name: "service", Value: "service-key", Kind: sandbox.ServiceToken},
		{Name: "community", Value: "community-key", Kind: sandbox.CommunityToken, Owner: -ownWall},
		{Name: "user", Value: "user-key", Kind: sandbox.UserToken, Owner: 501},
	} {
		require.NoError(t, b.AddVKToken(k))
	}
	require.NoError(t, b.ChangeWall(ownWall, func(w *sandbox.Wall) { w.Writers = []string{"user"} }))
	b.bot, err = tgbot.New(botToken, tgbot.WithServerURL(b.TelegramURL()), tgbot.WithSkipGetMe())
	require.NoError(t, err)
	return b
}

func (b *bench) vk(token string) *api.VK {
	client := api.NewVK(token)
	client.MethodURL = b.VKURL()
	client.Limit = 0
	client.Version = "5.199"
	return client
}

func TestTheTelegramLibrarySendsTextThatTheChatShows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, err := b.bot.SendMessage(t.Context(), &tgbot.SendMessageParams{ChatID: groupChat, Text: "Пропала <b>кошка</b>", ParseMode: models.ParseModeHTML})
	require.NoError(t, err)
	require.Equal(t, "Пропала кошка", m.Text)
	shown := b.Messages(groupChat)
	require.Len(t, shown, 1)
	require.Equal(t, "Пропала <b>кошка</b>", shown[0].HTML())
	calls, err := b.WaitForCalls(t.Context(), sandbox.CallFilter{Method: "sendMessage"}, 1)
	require.NoError(t, err)
	require.Equal(t, sandbox.Accepted, calls[0].Outcome)
}
