package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	servers(t, map[string]string{"VK_TOKEN": "vk1.a.read", "VK_WALLS": "lostpets_city"})
	park(t)
	a, err := open(t.Context())
	require.NoError(t, err)
	defer a.close()
	const chat, wall = "Ищем питомцев", "Потеряшки Ольховска"
	require.NoError(t, a.relay.Ledger.KeepTitle(t.Context(), parkedChat, chat))
	require.NoError(t, a.relay.Ledger.KeepTitle(t.Context(), "vk:-1", wall))
	_, err = a.pool.Exec(t.Context(), "INSERT INTO relay.walls (name, owner_id, watched) VALUES ('lostpets_city', -1, true)")
	require.NoError(t, err)
	const named = parkedChat + " «" + chat + "»"
	for command, shown := range map[string]string{
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
