package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/rehearse"
	"vestnik/internal/sandbox"
	"vestnik/starter"
	"vestnik/worker"
)

func TestADryRunTellsExactlyWhatWouldBeSentAndSendsNothing(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	const owner = int64(-900000001)
	post, err := server.AddPost(owner, sandbox.Post{
		Text:   "Пропала кошка Маркиза, трёхцветная, ул. Дальняя 17 & двор. Телефон 8 900 000-31-31." + strings.Repeat(" Очень просим откликнуться всех соседей.", 30),
		Photos: []sandbox.WallPhoto{{Drawing: "m-1", Width: 1280, Height: 960}, {Drawing: "m-2", Width: 960, Height: 1280}},
	})
	require.NoError(t, err)
	cfg, err := config.Load(map[string]string{
		"VK_API_URL": server.VKURL(), "VK_TOKEN": sandbox.VKReadToken, "VK_WALLS": "sandbox_lost_pets",
		"TELEGRAM_API_URL": server.TelegramURL(), "TG_ENABLED": "true", "TG_TOKEN": sandbox.TelegramToken, "TG_CHAT": "-1001900000001",
		"VK_OUT_ENABLED": "true", "VK_OUT_TOKEN": sandbox.VKWriteToken, "VK_OUT_OWNER_ID": "-900000005", "VK_OUT_ATTACH_MEDIA": "true",
	}, config.NeedScan)
	require.NoError(t, err)
	r, err := starter.New(cfg, nil, nil, nil)
	require.NoError(t, err)
	server.ClearCalls()
	reader, err := worker.NewClients(r).Reader()
	require.NoError(t, err)
	all, err := dryRun(t.Context(), rehearse.Rules{Routes: r.Routes(), MaxAge: cfg.Scan.MaxAge}, reader, "sandbox_lost_pets")
	require.NoError(t, err)
	for _, call := range server.Calls(sandbox.CallFilter{}) {
		require.Contains(t, []string{"utils.resolveScreenName", "wall.get", "wall.getById"}, call.Method, "it only reads")
	}

	ref := protocol.WallPost(owner, post.ID)
	var mine []rehearse.Rehearsal
	for _, rehearsal := range all {
		if rehearsal.Post == ref {
			mine = append(mine, rehearsal)
		}
	}
	require.Len(t, mine, 2)
	chat, wall := mine[0], mine[1]
	require.True(t, chat.Sends)
	require.Len(t, chat.Messages, 2, "a text too long for a caption, and the album that answers it")
	require.Equal(t, "message", chat.Messages[0].Kind)
	require.Contains(t, chat.Messages[0].Text, "ул. Дальняя 17 &amp; двор", "as it goes over the wire")
	require.Equal(t, "HTML", chat.Messages[0].ParseMode)
	require.Equal(t, "album", chat.Messages[1].Kind)
	require.Equal(t, 1, chat.Messages[1].Answers)
	require.Len(t, chat.Messages[1].Photos, 2)
	require.Contains(t, chat.Messages[1].Photos[0], "/sandbox/photos/m-1")
	require.Len(t, wall.Messages, 1)
	require.Contains(t, wall.Messages[0].Text, "ул. Дальняя 17 & двор")
	require.Equal(t, "https://vk.com/"+ref, wall.Messages[0].Copyright)
	require.Len(t, wall.Messages[0].Photos, 2)
	require.Regexp(t, `^photo-900000001_\d+_`, wall.Messages[0].Photos[0])

	var text strings.Builder
	require.NoError(t, printRehearsals(&text, all, nil))
	require.Contains(t, text.String(), ref+" lost cat → telegram:-1001900000001: rule «lost»")
	require.Contains(t, text.String(), "┌ 2. album, HTML, answers 1")
	require.Contains(t, text.String(), "↛ vk:-900000005: rule «lost»: type", "what is not sent says why")
	require.Contains(t, text.String(), "Nothing was.")
}
