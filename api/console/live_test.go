package console_test

import (
	"bufio"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// events reads the states that a page is told until the stream ends.
func (b *browser) events(t *testing.T) <-chan string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/console/events", nil)
	require.NoError(t, err)
	response, err := b.client.Do(request)
	require.NoError(t, err)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	require.Equal(t, "no", response.Header.Get("X-Accel-Buffering"))
	states := make(chan string, 100)
	go func() {
		defer close(states)
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if state, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				states <- state
			}
		}
	}()
	return states
}

func TestAnOpenPageHearsOfAChangeAndIsLetGoWhenTheProcessEnds(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	operator := d.operator(t)
	require.Equal(t, http.StatusSeeOther, d.browser(t).get("/console/events").status, "strangers hear nothing")
	one, other := operator.events(t), operator.events(t)
	before := <-one
	require.Equal(t, before, <-other, "one look serves all")
	require.Equal(t, before, <-one, "it is told again, as a sign of life")
	require.Contains(t, operator.get("/console/").body, `data-state="`+before+`"`)
	d.owe(t, 1, chatName)
	for after := range one {
		if after != before {
			break
		}
	}
	d.stop <- struct{}{}
	d.stop <- struct{}{}
	for range one { // to its end
	}
	for range other {
	}
}

func TestAPageFollowsWhatHappensAndSaysWhenItCanNot(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	tab := newTab(t, chromium(t), look{"en", "light", 1400})
	tab.logIn(d.url, "/console/", axeScript(t))
	lost := chromedp.CSS("[data-lost]")
	require.NoError(t, chromedp.Do(tab.ctx, chromedp.WaitVisible(chromedp.CSS(".calm")), chromedp.WaitNotVisible(lost)))

	d.operator(t).press("/console/destinations/pause", url.Values{"destination": {wallName}, "reason": {"ждём ключ"}})
	began := time.Now()
	require.NoError(t, chromedp.Do(tab.ctx, chromedp.WaitVisible(chromedp.CSS(".l-paused"))))
	t.Logf("shown after %s", time.Since(began))

	d.dead.Store(true)
	d.server.CloseClientConnections()
	require.NoError(t, chromedp.Do(tab.ctx, chromedp.WaitVisible(lost)))
	d.dead.Store(false)
	require.NoError(t, chromedp.Do(tab.ctx, chromedp.WaitNotVisible(lost)), "it comes back by itself")
}
