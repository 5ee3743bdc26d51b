package console_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/worker"
)

var screens = flag.String("screens", "", "write a picture of every page as a PNG to this folder")

// axe is npm's axe-core, which checks contrast, labels and the like.
const axe = "../../.bin/axe.min.js"

// look is how a page is looked at.
type look struct {
	language, theme string
	width           int64
}

func (l look) String() string { return fmt.Sprintf("%s-%s-%d", l.language, l.theme, l.width) }

func TestEveryPageInABrowser(t *testing.T) {
	t.Parallel()
	relay, relayPages := relayToLookAt(t)
	desk, deskPages := deskToLookAt(t)
	looks := []look{{"ru", "light", 390}, {"en", "dark", 390}, {"en", "light", 1400}, {"ru", "dark", 1400}}
	if *screens != "" {
		looks = append(looks, look{"ru", "dark", 390}, look{"en", "light", 390}, look{"en", "dark", 1400}, look{"ru", "light", 1400})
	}
	script := axeScript(t)
	chromium := chromium(t)
	for _, look := range looks {
		t.Run(look.String(), func(t *testing.T) {
			t.Parallel()
			tab := newTab(t, chromium, look)
			tab.logIn(relay.url, "/console/", script)
			for _, page := range relayPages {
				tab.show(page.name, relay.url+page.path, script)
			}
			tab.logIn(desk.url, "/console/desk", script)
			for _, page := range deskPages {
				tab.show(page.name, desk.url+page.path, script)
			}
		})
	}
}

type pageToLookAt struct{ name, path string }

// relayToLookAt is a console on whose pages there is something to be seen.
func relayToLookAt(t *testing.T) (*deck, []pageToLookAt) {
	t.Helper()
	d := newDeck(t, true)
	_, err := d.starter.Scan(t.Context(), protocol.ScanWallsInput{Now: true})
	require.NoError(t, err)
	require.NoError(t, worker.NewClients(d.starter).LearnTitles(t.Context()))
	d.store(t, writtenAgo(2, 2*time.Hour, "Найдена собака, ул. Ёлочная, 5. Тел. +7 900 000-55-66"))
	d.fault(t, kicked, notPhoto)
	parked := d.send(t, 1, chatName, protocol.StatusParked)
	operator := d.operator(t)
	operator.press("/console/destinations/pause", url.Values{"destination": {wallName}, "reason": {"ждём ключ"}})
	delivery, err := d.starter.Ledger.Delivery(t.Context(), parked)
	require.NoError(t, err)
	post := protocol.WallPost(delivery.OwnerID, delivery.PostID)
	_, asOf, err := d.starter.Ledger.CountWaiting(t.Context(), db.WaitingFilter{})
	require.NoError(t, err)
	_, err = d.starter.Ledger.DecideAll(t.Context(), db.Decision{Who: "Вера", Via: "console", Action: "skip", Subject: "deliveries?status=parked&type=lost"}, db.WaitingFilter{}, asOf, false)
	require.NoError(t, err) // nobody hands it on
	return d, []pageToLookAt{
		{"overview", "/console/"},
		{"deliveries", "/console/deliveries"},
		{"deliveries-waiting", "/console/deliveries?status=waiting"},
		{"deliveries-filtered", "/console/deliveries?type=lost&from=2026-01-01&to=2036-01-01"},
		{"all", "/console/deliveries/all?status=waiting"},
		{"delivery", fmt.Sprintf("/console/deliveries/%d", parked)},
		{"cases", "/console/cases?posts=1"},
		{"case", fmt.Sprintf("/console/cases/%d", *delivery.Case)},
		{"join", fmt.Sprintf("/console/cases/%d/join?with=1", *delivery.Case)},
		{"posts", "/console/posts"},
		{"posts-none", "/console/posts?q=Тимофей&type=found"},
		{"post", "/console/posts/" + post},
		{"post-not-sent", "/console/posts/wall-900000001_2"},
		{"destinations", "/console/destinations"},
		{"walls", "/console/walls"},
		{"statistics", "/console/statistics"},
		{"setup", "/console/setup"},
		{"audit", "/console/audit"},
		{"missing", "/console/nowhere"},
	}
}

func deskToLookAt(t *testing.T) (*deck, []pageToLookAt) {
	t.Helper()
	d := newDesk(t)
	e := d.editor(t)
	e.drop("места.csv", "Название;Адрес;Рейтинг\nКофейня «Ветер»;Ольховск, ул. Речная, 4;4,7\nПарк;;много\n", url.Values{})
	held := e.at
	return d, []pageToLookAt{
		{"desk", "/console/desk"},
		{"desk-import", held},
		{"desk-objects", "/console/desk/objects?list=places"},
		{"desk-object", "/console/desk/object?list=places"},
		{"desk-photos", "/console/desk/photos"},
	}
}

func axeScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(axe)
	require.NoError(t, err, "`make axe` brings it")
	return string(script)
}

// chromium is a browser of the test's own.
func chromium(t *testing.T) context.Context {
	t.Helper()
	allocator, stop := chromedp.NewExecAllocator(t.Context(),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true))
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	require.NoError(t, chromedp.Do(browser), "Debian's package chromium is wanted")
	return browser
}

// tab is a browser's tab with cookies of its own.
type tab struct {
	t    *testing.T
	ctx  context.Context
	look look

	mu       sync.Mutex
	troubles []string // what the browser complained about
}

func newTab(t *testing.T, browser context.Context, look look) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(closeTab)
	tab := &tab{t: t, ctx: ctx, look: look}
	require.NoError(t, chromedp.Do(ctx))
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			tab.troubles = append(tab.troubles, event.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			if event.Entry.Source == log.EntrySourceSecurity || event.Entry.Source == log.EntrySourceJavascript {
				tab.troubles = append(tab.troubles, event.Entry.Text)
			}
		}
	}))
	_, err := chromedp.Call(ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": look.language}})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.theme}},
	})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: look.width, Height: 900, DeviceScaleFactor: 1, Mobile: look.width < 720,
	})
	require.NoError(t, err)
	return tab
}

func evaluate[T any](b *tab, expression string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, options...))
	require.NoError(b.t, err)
	return value
}

func (b *tab) logIn(console, next, axe string) {
	b.t.Helper()
	b.show("login", console+consoleLogin+"?next="+next, axe)
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#token"), opsToken),
		chromedp.Submit(chromedp.CSS("#token")), chromedp.WaitVisible(chromedp.CSS("header.top"))))
}

// show opens a page and holds it against what every page is to be.
func (b *tab) show(name, address, axe string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Navigate(address)), name)
	require.Equal(b.t, b.look.language, evaluate[string](b, "document.documentElement.lang"))
	if width := evaluate[int64](b, "document.documentElement.scrollWidth"); width > b.look.width {
		b.t.Errorf("%s is %d pixels wide", name, width)
	}
	if *screens != "" {
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		require.NoError(b.t, err)
		require.NoError(b.t, os.WriteFile(filepath.Join(*screens, name+"-"+b.look.String()+".png"), picture, 0o600))
	}
	b.check(name, axe)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.troubles) > 0 {
		b.t.Errorf("%s: the browser says %s", name, strings.Join(b.troubles, "; "))
		b.troubles = nil
	}
}

func (b *tab) check(name, axe string) {
	b.t.Helper()
	_ = evaluate[int](b, axe+";0")
	found := evaluate[string](b, `axe.run({resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations.map(
		(v) => ({id: v.id, where: v.nodes.map((n) => n.html.slice(0, 200) + " " + (n.any[0]?.message ?? ""))}))))`, chromedp.EvalAwaitPromise)
	var violations []struct {
		ID    string
		Where []string
	}
	require.NoError(b.t, json.Unmarshal([]byte(found), &violations))
	for _, violation := range violations {
		b.t.Errorf("%s: axe: %s:\n\t%s", name, violation.ID, strings.Join(violation.Where, "\n\t"))
	}
}
