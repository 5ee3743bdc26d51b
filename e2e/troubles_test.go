package e2e

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
)

// trouble is a fault that the sandbox's page offers, and how it ends.
type trouble struct {
	method   string
	to       string // which destination meets it
	settings map[string]string
	photos   int
	// then is a second fault, after the first.
	then string

	// asks is what the operators' chat says; empty: it passes by itself, and nobody
	// is asked. Someone who decides presses the button, or replies.
	asks, button, reply string
	says                string // who decided is told so

	cools bool   // what passes by itself takes a quarter of an hour, or more
	ends  string // sent, if empty
}

var parking = map[string]string{"TG_HTTP_TIMEOUT": "1s", "ON_UNKNOWN": "park"}

const (
	stopped    = "Площадка отказала, отправка остановлена"
	unknownOut = "Неизвестно, дошли ли до читателей: 1 публикация"
	goesOn     = "отправка продолжена"
)

// troubles are by the names of the page's faults; what is met by reading has a
// method of VK's that reads.
var troubles = map[string][]trouble{
	"429":     {{method: "sendMessage", to: chat}},
	"500":     {{method: "sendMessage", to: chat}},
	"kicked":  {{method: "sendMessage", to: chat, asks: stopped, button: "resume", says: goesOn}, {method: "sendMessage", to: chat, asks: stopped, button: "skip", says: "пост пропущен, отправка продолжена", ends: protocol.StatusSuppressed}},
	"blocked": {{method: "sendMessage", to: chat, asks: stopped, button: "resume", says: goesOn}},
	"photo":   {{method: "sendPhoto", to: chat, photos: 1}},
	"401":     {{method: "sendMessage", to: chat, asks: stopped, button: "resume", says: goesOn}},
	"vk6":     {{method: "wall.post", to: wall}},
	"vk9":     {{method: "wall.post", to: wall, cools: true}},
	"vk10":    {{method: "wall.post", to: wall}},
	"vk14": {
		{method: "wall.post", to: wall, asks: "Капча", reply: "zq4f", says: "ответ на капчу отправлен"},
		{method: "wall.get", to: wall, asks: "Капча", reply: "zq4f", says: "стены читаются снова"},
	},
	"vk15": {
		{method: "wall.post", to: wall, asks: stopped, button: "resume", says: goesOn},
		{method: "wall.get", to: wall, asks: "ВКонтакте не показывает стену", button: "read_wall", says: "стена прочитана"},
	},
	"vkempty": {{method: "wall.get", to: wall}},
	"vknull":  {{method: "wall.post", to: wall, then: "vk100"}},
	"vk100":   {{method: "wall.post", to: wall, ends: protocol.StatusFailed}},
	"vk29": {
		{method: "wall.post", to: wall, cools: true},
		{method: "wall.get", to: wall, asks: "ВКонтакте не принимает ключ для чтения", button: "resume_key", says: "стены читаются снова"},
	},
	"vk214": {{method: "wall.post", to: wall, cools: true}},
	"html":  {{method: "sendMessage", to: chat}, {method: "wall.post", to: wall}},
	"slow":  {{method: "sendMessage", to: chat}},
	"hang": {
		{method: "sendMessage", to: chat, settings: map[string]string{"TG_HTTP_TIMEOUT": "1s"}},
		{method: "sendMessage", to: chat, settings: parking, asks: unknownOut, button: "retry", says: "отправить снова, 1 публикация"},
		{method: "sendMessage", to: chat, settings: parking, asks: unknownOut, button: "skip", says: "не отправлять, 1 публикация", ends: protocol.StatusSuppressed},
	},
	"reset": {{method: "sendMessage", to: chat}, {method: "sendMessage", to: chat, settings: parking, asks: unknownOut, button: "retry", says: "отправить снова, 1 публикация"}},
	"lost":  {{method: "sendMessage", to: chat, settings: parking, asks: unknownOut, button: "mark_sent", says: "дошло, 1 публикация"}},
}

// choose sets a fault by the sandbox's page, as a person does.
func (s *harness) choose(name string, trouble trouble) {
	s.t.Helper()
	answer, err := http.PostForm(s.sandbox.URL()+"/sandbox/page/fault", url.Values{"what": {name}, "method": {trouble.method}, "times": {"1"}, "number": {"1"}})
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Body.Close())
	require.Equal(s.t, http.StatusOK, answer.StatusCode)
}

// reads reports whether the trouble is met by reading walls.
func (t trouble) reads() bool { return strings.HasPrefix(t.method, "wall.get") }

func TestEveryTroubleOfTheSandboxPassesOrIsSolvedFromTheOperatorsChatAlone(t *testing.T) {
	t.Parallel()
	for name, list := range troubles {
		for _, trouble := range list {
			t.Run(name+" "+trouble.method+" "+trouble.button+trouble.reply, func(t *testing.T) {
				settings := map[string]map[string]string{chat: toChat, wall: toWall}[trouble.to]
				s := newHarness(t, settings, trouble.settings)
				s.work()
				post := withPhotos(1, trouble.photos)
				s.choose(name, trouble)
				if trouble.then != "" {
					s.choose(trouble.then, trouble)
				}
				id := s.publish(post)[0].ID
				s.scan()
				if trouble.asks != "" && !trouble.reads() {
					s.waits(s.delivery(trouble.to, id))
				}
				s.solve(trouble)
				if trouble.reads() {
					s.scan()
				}
				delivery := s.delivery(trouble.to, id)
				if trouble.button != "" && !trouble.reads() {
					require.Equal(t, "Уже решено", s.pressed(vera, s.opsMessage("Вера: ").ID, trouble.button), "no button acts twice")
				}
				if trouble.cools {
					s.until("it is told to wait", func() bool { return s.lane(trouble.to).State == protocol.LaneCooling })
					_, err := s.pool.Exec(s.ctx, "UPDATE relay.destinations SET cooling_until = now()")
					require.NoError(t, err)
					s.dueNow()
				}
				wanted := protocol.StatusSent
				if trouble.ends != "" {
					wanted = trouble.ends
				}
				require.Equal(t, wanted, s.ended(delivery).Status)
				require.Equal(t, protocol.LaneOpen, s.lane(trouble.to).State)
				problems, err := s.starter.Problems(s.ctx)
				require.NoError(t, err)
				require.Empty(t, problems, "nothing needs a person any more")
			})
		}
	}
	t.Run("no fault of the page is left out", func(t *testing.T) {
		s := newHarness(t, toChat)
		answer, err := http.Get(s.sandbox.URL())
		require.NoError(t, err)
		page, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		_, form, _ := strings.Cut(string(page), `<select name="what">`)
		form, _, _ = strings.Cut(form, "</select>")
		var offered []string
		for _, option := range regexp.MustCompile(`value="([^"]+)"`).FindAllStringSubmatch(form, -1) {
			offered = append(offered, option[1])
		}
		require.ElementsMatch(t, offered, slices.Collect(maps.Keys(troubles)))
	})
}

// solve has Vera decide in the operators' chat, if she is asked, and writes down
// what was said there.
func (s *harness) solve(trouble trouble) {
	s.t.Helper()
	if trouble.asks == "" {
		return
	}
	var asked protocol.Problem
	s.until("a person is needed", func() bool {
		problems, err := s.starter.Problems(s.ctx)
		require.NoError(s.t, err)
		if len(problems) > 0 {
			asked = problems[0]
		}
		return len(problems) > 0
	})
	require.NotEqual(s.t, protocol.ProblemNoWorker, asked.Kind)
	require.NoError(s.t, s.clients.LearnTitles(s.ctx))
	s.listenTo()
	message := s.opsMessage(trouble.asks)
	s.t.Logf("Вестник: %s", message.Text)
	require.NotRegexp(s.t, `Причина: [a-z_]+\n`, message.Text, "a reason is told in words")
	if trouble.reply != "" {
		s.t.Logf("Вера отвечает: %s", trouble.reply)
		s.say(vera, trouble.reply, message.ID)
	} else {
		require.Contains(s.t, s.buttons(message.ID), trouble.button)
		s.t.Logf("Вера нажимает: %s", trouble.button)
		require.Equal(s.t, trouble.says, s.pressed(vera, message.ID, trouble.button))
	}
	s.t.Logf("Вестник: %s", s.opsMessage("Вера: "+trouble.says).Text)
	require.Contains(s.t, s.opsMessage("Вера: "+trouble.says).Text, "✅ Решено")
}
