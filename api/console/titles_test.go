package console_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
	"vestnik/worker"
)

func TestChatsAndWallsAreShownByWhatTheyCallThemselves(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	_, err := d.starter.Scan(t.Context(), protocol.ScanWallsInput{Now: true})
	require.NoError(t, err)
	id := d.owe(t, 1, chatName)
	operator := d.operator(t)

	require.NoError(t, worker.NewClients(d.starter).LearnTitles(t.Context()))
	const chat, wall, read = "Ищем питомцев · Ольховск", "Вестник потеряшек", "Потеряшки Ольховска"
	operator.press("/console/destinations/pause", url.Values{"destination": {chatName}, "reason": {"ночь"}})
	require.Contains(t, operator.notice(), "Nothing more goes to "+chat)
	for path, title := range map[string]string{
		"/console/":                               chat,
		"/console/destinations":                   chat,
		"/console/walls":                          read,
		"/console/posts":                          read,
		"/console/audit":                          chat,
		"/console/deliveries":                     chat,
		"/console/posts/wall-900000001_1":         chat,
		fmt.Sprintf("/console/deliveries/%d", id): chat,
	} {
		require.Contains(t, plain(operator.get(path).body), title, path)
	}
	require.Contains(t, operator.get("/console/destinations").body, `title="`+wallName+`"`, "the name stays at hand")
	require.Contains(t, operator.get("/console/destinations").body, wall)
	require.Contains(t, operator.get("/console/deliveries.csv").body, ","+chat+",")

	asked, err := d.starter.Ledger.TitlesToAsk(t.Context(), []string{chatName, wallName})
	require.NoError(t, err)
	require.Empty(t, asked, "nobody is asked twice a day")
}
