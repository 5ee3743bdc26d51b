package e2e

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// story is a lost pet with a text of several messages, each sentence numbered.
func story() sandbox.Post {
	post := lost(1)
	var text strings.Builder
	for n := range 150 {
		fmt.Fprintf(&text, " Примета №%03d: хвост колечком, лапы белые, откликается на свист и на своё имя.", n)
	}
	post.Text += text.String()
	return post
}

var mark = regexp.MustCompile(`№(\d{3})`)

// requireWholeStory checks that readers get every sentence once and in order.
func requireWholeStory(t *testing.T, calls []sandbox.Call) {
	t.Helper()
	var told []string
	for _, call := range calls {
		if call.Outcome == sandbox.Accepted {
			for _, match := range mark.FindAllStringSubmatch(call.Text("text"), -1) {
				told = append(told, match[1])
			}
		}
	}
	var want []string
	for n := range 150 {
		want = append(want, fmt.Sprintf("%03d", n))
	}
	require.Equal(t, want, told)
}

// parkedAfterPart1 is a delivery whose second part was refused.
func (s *harness) parkedAfterPart1(post sandbox.Post, method string) int64 {
	s.t.Helper()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: method, After: 1, Times: 1, Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"})
	return s.waits(s.send(chat, post)).ID
}

// resumed lets a delivery go on and waits for its end.
func (s *harness) resumed(id int64) {
	s.t.Helper()
	_, err := s.starter.Resume(s.ctx, id, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(s.t, err)
	row, err := s.starter.Ledger.Delivery(s.ctx, id)
	require.NoError(s.t, err)
	require.Equal(s.t, protocol.StatusSent, s.ended(row).Status)
	var cuts int
	require.NoError(s.t, s.pool.QueryRow(s.ctx, "SELECT count(*) FROM relay.deliveries WHERE cut IS NOT NULL").Scan(&cuts))
	require.Zero(s.t, cuts, "the cut is not kept any longer")
}

func TestPartsGoOnAsTheyWereCutThoughTheSettingsChange(t *testing.T) {
	t.Parallel()
	const rule = "rules: [{name: lost, types: [lost], to: ['" + chat + "']}]\n"
	before := "destinations: [{id: '" + chat + "', max_media: 20, per_minute: 0, rate_per_sec: 30}]\n" + rule
	after := "destinations: [{id: '" + chat + "', max_media: 3, per_minute: 0, rate_per_sec: 30, parse_mode: MarkdownV2, header: '" +
		strings.Repeat("Помогите найти! ", 30) + "'}]\n" + rule
	t.Run("a long text", func(t *testing.T) {
		settings := routesFile(t, before)
		s := newHarness(t, toChat, settings)
		worker := s.spawn()
		delivery := s.parkedAfterPart1(story(), "sendMessage")
		worker.kill()
		require.NoError(t, os.WriteFile(settings["ROUTES_FILE"], []byte(after), 0o600))
		s.spawn()
		s.resumed(delivery)
		requireWholeStory(t, s.sandbox.Calls(toTelegram))
	})
	t.Run("two albums", func(t *testing.T) {
		settings := routesFile(t, before)
		s := newHarness(t, toChat, settings)
		worker := s.spawn()
		delivery := s.parkedAfterPart1(withPhotos(1, 11), "sendMediaGroup")
		worker.kill()
		require.NoError(t, os.WriteFile(settings["ROUTES_FILE"], []byte(after), 0o600))
		s.spawn()
		s.resumed(delivery)
		require.Len(t, s.sandbox.Messages(chatID), 11)
	})
}

func TestPartsGoOnAsTheyWereCutThoughThePostIsEdited(t *testing.T) {
	t.Parallel()
	t.Run("its text, and what has gone out follows afterwards", func(t *testing.T) {
		s := newHarness(t, toChat, map[string]string{"TG_MAX_MEDIA": "20"})
		s.work()
		delivery := s.parkedAfterPart1(story(), "sendMessage")
		post := s.deliveries(chat)[0]
		s.edit(post, func(p *sandbox.Post) {
			p.Text = "Внимание всем соседям! " + strings.Repeat("Очень ждём. ", 40) + p.Text
		})
		s.resumed(delivery)
		requireWholeStory(t, s.sandbox.Calls(toTelegram))
		s.until("the messages show what the post says now", func() bool {
			s.scan()
			return strings.Contains(s.sandbox.Messages(chatID)[0].Text, "Внимание всем соседям!")
		})
	})
	t.Run("its photos", func(t *testing.T) {
		s := newHarness(t, toChat, map[string]string{"TG_MAX_MEDIA": "20"})
		s.work()
		delivery := s.parkedAfterPart1(withPhotos(1, 12), "sendMediaGroup")
		post := s.deliveries(chat)[0]
		s.edit(post, func(p *sandbox.Post) { p.Photos = p.Photos[9:] })
		s.resumed(delivery)
		require.Len(t, s.sandbox.Messages(chatID), 12)
		seen := map[string]bool{}
		for _, call := range s.sandbox.Calls(toTelegram) {
			for _, link := range regexp.MustCompile(`photo-\d+`).FindAllString(call.Text("media"), -1) {
				if call.Outcome == sandbox.Accepted {
					require.False(t, seen[link], "%s goes once", link)
					seen[link] = true
				}
			}
		}
		require.Len(t, seen, 12)
	})
}
