package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

// printed is what a command prints; that status ends with an error is passed over.
func printed(t *testing.T, arguments ...string) string {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = write
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(read)
		text <- string(all)
	}()
	err = vestnik(t, arguments...)
	os.Stdout = stdout
	require.NoError(t, write.Close())
	if arguments[0] != "status" {
		require.NoError(t, err)
	}
	return <-text
}

func TestListsShowWhatChatsAndWallsCallThemselves(t *testing.T) {
	server, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	require.NoError(t, server.AddVKToken(sandbox.VKToken{Name: "reader", Value: "vk1.a.read", Kind: sandbox.ServiceToken, PerSecond: -1, DailyWallGet: -1}))
	require.NoError(t, server.AddWall(sandbox.Wall{OwnerID: -1, ScreenName: "lostpets_city", Name: "Потеряшки"}))
	_, err = server.AddPost(-1, sandbox.Post{Text: "Пропал пёс Полкан, ул. Лесная, 4"})
	require.NoError(t, err)
	rules := func(name, types string) string {
		path := filepath.Join(t.TempDir(), name)
		text := "destinations: [{id: " + parkedChat + "}]\nrules: [{types: [" + types + "], to: [" + parkedChat + "]}]\n"
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	servers(t, map[string]string{
		"VK_API_URL": server.VKURL(), "VK_TOKEN": "vk1.a.read", "VK_WALLS": "lostpets_city", "ROUTES_FILE": rules("today.yaml", "found"),
		"TG_TOKEN": "7100000001:AAtitles-secret-000000000000000000000",
	})
	park(t)
	a, err := open(t.Context())
	require.NoError(t, err)
	defer a.close()
	const chat, wall = "Ищем питомцев", "Потеряшки Ольховска"
	require.NoError(t, a.starter.Ledger.KeepTitle(t.Context(), parkedChat, chat))
	require.NoError(t, a.starter.Ledger.KeepTitle(t.Context(), "vk:-1", wall))
	_, err = a.pool.Exec(t.Context(), "INSERT INTO relay.walls (name, owner_id, watched) VALUES ('lostpets_city', -1, true)")
	require.NoError(t, err)
	const named = parkedChat + " «" + chat + "»"
	then := rules("then.yaml", "lost")
	for command, shown := range map[string]string{
		"routes check " + then:            "wall-1_2 «" + wall + "» ",
		"routes check --since 2d " + then: named,
		"scan --dry-run":                  "wall-1_1 «" + wall + "» lost dog ↛ " + named + ": ",
		"deliveries":                      "wall-1_2 «" + wall + "»",
		"deliveries --limit 1":            named,
		"deliveries 1":                    "wall-1_2 «" + wall + "» → " + named,
		"destination list":                named,
		"destination state " + parkedChat: named,
		"scan --plan":                     "lostpets_city «" + wall + "»",
		"case show 1":                     named,
		"forget --post wall-1_2":          named,
	} {
		require.Contains(t, printed(t, strings.Fields(command)...), shown, command)
	}
	require.Regexp(t, `deliveries_waiting +`+chat+` +1 .+--destination `+parkedChat, printed(t, "status"))
}
