package sandbox_test

import (
	"strings"
	"testing"
	"time"

	tgbot "github.com/go-telegram/bot"
	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

func TestAChatIsLimitedToAboutOneMessageASecond(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.SetLimits(groupChat, sandbox.RealLimits))
	send := func() telegramAnswer { return b.say("sendMessage", `{"chat_id":-1009000000001,"text":"a"}`) }
	for range sandbox.RealLimits.Burst {
		require.True(t, send().OK)
	}
	refused := send()
	require.Equal(t, 429, refused.Status)
	require.Equal(t, 1, refused.Parameters.RetryAfter)
	require.Equal(t, "1", refused.Header.Get("Retry-After"))
	require.Equal(t, "Too Many Requests: retry after 1", refused.Description)
	b.clock.advance(time.Second)
	require.True(t, send().OK)
	require.Equal(t, 429, send().Status)
	_, err := b.bot.SendMessage(t.Context(), &tgbot.SendMessageParams{ChatID: groupChat, Text: "a"})
	require.True(t, tgbot.IsTooManyRequestsError(err))
}

func TestAGroupTakesTwentyMessagesAMinuteAndCountsAlbumItems(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.SetLimits(groupChat, sandbox.RealLimits))
	picture := b.PictureURL("cat") + "?size=40x30"
	item := `{"type":"photo","media":"` + picture + `"}`
	album := `{"chat_id":-1009000000001,"media":[` + strings.Repeat(item+",", 8) + item + `]}`
	require.True(t, b.say("sendMediaGroup", album).OK)
	b.clock.advance(5 * time.Second)
	require.True(t, b.say("sendMediaGroup", album).OK)
	b.clock.advance(5 * time.Second)
	refused := b.say("sendMediaGroup", album)
	require.Equal(t, 429, refused.Status, "27 in ten seconds")
	require.Equal(t, 50, refused.Parameters.RetryAfter, "the first nine leave the minute in 50 s")
	for range 2 {
		require.True(t, b.say("sendMessage", `{"chat_id":-1009000000001,"text":"a"}`).OK)
	}
	require.Equal(t, 429, b.say("sendMessage", `{"chat_id":-1009000000001,"text":"a"}`).Status, "the 21st")
	b.clock.advance(50 * time.Second)
	require.True(t, b.say("sendMediaGroup", album).OK)
}

func TestLimitsOfOneChatDoNotTouchAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.SetLimits(groupChat, sandbox.Limits{PerSecond: 1, Burst: 1}))
	require.NoError(t, b.AddChat(sandbox.Chat{ID: 42, Type: sandbox.PrivateChat, Title: "Аня"}))
	require.True(t, b.say("sendMessage", `{"chat_id":-1009000000001,"text":"a"}`).OK)
	require.Equal(t, 429, b.say("sendMessage", `{"chat_id":-1009000000001,"text":"a"}`).Status)
	require.True(t, b.say("sendMessage", `{"chat_id":42,"text":"a"}`).OK)
}
