package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// files are settings in files, which a test may write anew.
type files struct {
	t      *testing.T
	folder string
}

func (f files) path(name string) string { return filepath.Join(f.folder, name) }

func (f files) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(f.path(name), []byte(text), 0o600))
}

func rulesFor(types string) string {
	return "destinations:\n  - id: " + chat + "\n    rate_per_sec: 30\n    per_minute: 0\nrules:\n  - {types: " + types + ", to: [" + chat + "]}\n"
}

func TestRoutesWallsAndTokensChangeWithoutARestart(t *testing.T) {
	const newToken, newKey, secondRef = "7100000077:AAe2e-new-relay-bot-secret-0000000000", "e2e-new-reading-key-secret-00000000000000", "e2e_second_wall"
	second := int64(-500000077)
	settings := files{t, t.TempDir()}
	settings.write("routes", rulesFor("[found]"))
	settings.write("walls", sourceRef)
	settings.write("bot", botToken)
	settings.write("key", readKey+"\n")
	s := newHarness(t, map[string]string{
		"ROUTES_FILE": settings.path("routes"), "VK_WALLS": "", "VK_WALLS_FILE": settings.path("walls"),
		"TG_TOKEN_FILE": settings.path("bot"), "VK_TOKEN": "", "VK_TOKEN_FILE": settings.path("key"), "TG_BOT_PER_SEC": "0",
	})
	for _, err := range []error{
		s.sandbox.AddBot(sandbox.Bot{Token: newToken}),
		s.sandbox.AddVKToken(sandbox.VKToken{Name: "new reader", Value: newKey, Kind: sandbox.ServiceToken, PerSecond: -1, DailyWallGet: -1}),
		s.sandbox.AddWall(sandbox.Wall{OwnerID: second, ScreenName: secondRef, Name: "Вторая стена"}),
	} {
		require.NoError(t, err)
	}
	s.work()
	go s.clients.Follow(s.ctx, "worker", s.environ)
	before := s.starter.Routes().Version()
	post := s.publish(lost(1))[0]
	s.scan()
	require.Empty(t, s.deliveries(chat), "today's rules want found pets")

	settings.write("routes", "destinations: [{id: "+chat+"}]\nrules: [{types: [lots], to: ["+chat+"]}]\n")
	refused := func() (found []protocol.Problem) {
		problems, err := s.starter.Problems(s.ctx)
		require.NoError(t, err)
		for _, problem := range problems {
			if problem.Kind == protocol.ProblemSettings {
				found = append(found, problem)
			}
		}
		return found
	}
	s.until("the wrong rules are among the problems", func() bool { return len(refused()) == 1 })
	require.Equal(t, "ROUTES_FILE", refused()[0].Subject)
	require.Contains(t, refused()[0].Reason, "line 2")
	require.Equal(t, before, s.starter.Routes().Version(), "and change nothing")

	settings.write("routes", rulesFor("[lost]"))
	settings.write("walls", sourceRef+"\n"+secondRef+"\n")
	settings.write("bot", newToken)
	settings.write("key", newKey)
	s.until("the settings are taken up", func() bool { return s.starter.Routes().Version() != before && len(s.starter.WatchedWalls()) == 2 })
	s.until("and the problem is over", func() bool { return len(refused()) == 0 })
	sent := s.send(chat, lost(2))
	require.Equal(t, protocol.StatusSent, s.ended(sent).Status)
	calls := s.calls(toTelegram, 1)
	require.Equal(t, "bot7100000077", calls[len(calls)-1].Key)
	reads := s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.get"})
	require.Equal(t, "new reader", reads[len(reads)-1].Key)
	s.until("the second wall is read", func() bool {
		s.scan()
		reads = s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.get"})
		return reads[len(reads)-1].Chat == fmt.Sprint(second)
	})

	decided := func(id int64) string {
		stored, err := s.starter.Posts.Get(s.ctx, source, id)
		require.NoError(t, err)
		return stored.Rules
	}
	require.Equal(t, before, decided(post.ID), "which rules decided is kept with a post")
	require.Equal(t, s.starter.Routes().Version(), decided(sent.PostID))
	text, _, err := s.starter.Ledger.Rules(s.ctx, before)
	require.NoError(t, err)
	require.Equal(t, rulesFor("[found]"), text)
}
