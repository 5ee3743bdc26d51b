package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/guide"
	"vestnik/internal/sandbox"
)

func TestTheGuideGoesOnWithTheTokenThatItsBotGetsNext(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	path := filepath.Join(t.TempDir(), "token")
	read := func(token string) config.Config {
		require.NoError(t, os.WriteFile(path, []byte(token+"\n"), 0o600))
		cfg, err := config.Load(map[string]string{"TELEGRAM_API_URL": server.TelegramURL(), "TELEGRAM_BOT_TOKEN_FILE": path})
		require.NoError(t, err)
		return cfg
	}
	number, _, _ := strings.Cut(sandbox.GuideBotToken, ":")
	a := &app{cfg: read(number + ":AArevoked-guide-token-000000000000000000")}
	client, err := guideClient(a.cfg)
	require.NoError(t, err)
	_, err = client.GetMe(t.Context())
	require.Error(t, err)
	seal, err := guide.NewSeal(a.cfg.Bot.Token.Reveal)
	require.NoError(t, err)
	before, err := seal.Close(guide.Private{Words: "кофе у реки"}, 1)
	require.NoError(t, err)

	require.Equal(t, []string{"TELEGRAM_BOT_TOKEN"}, a.cfg.TakeUp(read("7100000099:AAanother-bot-0000000000000000000000000")), "its sessions are another's")
	_, err = client.GetMe(t.Context())
	require.Error(t, err)

	require.Empty(t, a.cfg.TakeUp(read(sandbox.GuideBotToken)))
	_, err = client.GetMe(t.Context())
	require.NoError(t, err)
	after, err := seal.Close(guide.Private{Words: "чай у моста"}, 2)
	require.NoError(t, err)
	started, err := guide.NewSeal(a.cfg.Bot.Token.Reveal)
	require.NoError(t, err)
	var opened guide.Private
	require.NoError(t, seal.Open(before, 1, &opened), "what waited is not lost")
	require.NoError(t, started.Open(after, 2, &opened))
	require.Equal(t, "чай у моста", opened.Words)
	require.ErrorIs(t, started.Open(before, 1, &opened), guide.ErrSealed)
}
