package setup_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/joho/godotenv"
	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/sandbox"
	"vestnik/internal/setup"
)

// start is a sandbox in place of the platforms, and the settings that lead there.
func start(t *testing.T) (*sandbox.Server, map[string]string) {
	t.Helper()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return server, map[string]string{"TELEGRAM_API_URL": server.TelegramURL(), "VK_API_URL": server.VKURL()}
}

func TestSetupTriesEachKeyAndWritesWhatWorks(t *testing.T) {
	t.Parallel()
	server, environ := start(t)
	_, err := server.Push(sandbox.TelegramToken, "my_chat_member", json.RawMessage(fmt.Sprintf(`{"chat":{"id":%d,"type":"supergroup","title":"Потеряшки"}}`, sandbox.ChatID)))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), ".env")
	require.NoError(t, os.WriteFile(path, []byte("# mine\nLOG_LEVEL=debug\nTG_TOKEN=old\n"), 0o644))

	answers := []string{
		"no token", "1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", sandbox.TelegramToken,
		"@nobody_knows_it", "", fmt.Sprint(sandbox.ChatID), "y", "", // Enter at the chat shows those that the bot has heard of
		"no key", sandbox.VKReadToken,
		"https://vk.com/no_such_wall_here", "https://vk.com/" + strings.Join(sandbox.WallNames(), ", https://vk.ru/"),
		sandbox.VKWriteToken, fmt.Sprint(sandbox.DestinationOwnerID), sandbox.VKWriteToken, sandbox.VKMediaToken, "y", "",
		sandbox.GuideBotToken, "t.me/" + strings.TrimPrefix(sandbox.GuideChannel, "@"),
	}
	var said strings.Builder
	require.NoError(t, setup.Run(t.Context(), strings.NewReader(strings.Join(answers, "\n")), &said, false, environ, path), said.String)
	require.Equal(t, 6, strings.Count(said.String(), "Not taken: "), said.String())
	require.Contains(t, said.String(), fmt.Sprintf("%d  Потеряшки", sandbox.ChatID))

	for _, method := range []string{"sendMessage", "deleteMessage", "wall.post", "wall.delete"} {
		require.Len(t, server.Calls(sandbox.CallFilter{Method: method, Outcome: sandbox.Accepted}), 1, method)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "# mine\nLOG_LEVEL=debug\nTG_TOKEN="+sandbox.TelegramToken+"\n"), "what is not ours stays, what was is replaced")

	values, err := godotenv.Read(path)
	require.NoError(t, err)
	cfg, err := config.Load(values, config.NeedScan, config.NeedBot)
	require.NoError(t, err)
	require.True(t, cfg.Telegram.Enabled && cfg.VKOut.Enabled && cfg.VKOut.AttachMedia && cfg.Bot.Enabled)
	require.Equal(t, sandbox.DestinationOwnerID, cfg.VKOut.OwnerID)
	require.Equal(t, sandbox.GuideChannel, cfg.Bot.Channel)
	require.Equal(t, sandbox.GuideBotUsername, cfg.Bot.Username)
	require.Len(t, cfg.Scan.Walls, len(sandbox.WallNames()))

	said.Reset()
	require.NoError(t, setup.Run(t.Context(), strings.NewReader(strings.Repeat("\n", 20)), &said, true, values, path))
	require.Contains(t, said.String(), "Enter — оставить прежний ответ")
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(text), string(again), "empty answers keep everything")
}

func TestSetupWritesNothingBeforeItsLastQuestion(t *testing.T) {
	t.Parallel()
	_, environ := start(t)
	path := filepath.Join(t.TempDir(), ".env")
	var said strings.Builder
	err := setup.Run(t.Context(), strings.NewReader(sandbox.TelegramToken+"\n"), &said, true, environ, path)
	require.ErrorIs(t, err, setup.ErrLeft)
	require.NoFileExists(t, path)
	require.NotContains(t, said.String(), sandbox.TelegramToken)
	require.Contains(t, said.String(), "БОТ, КОТОРЫЙ ПУБЛИКУЕТ")
}
