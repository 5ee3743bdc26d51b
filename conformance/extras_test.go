package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/guide"
	"vestnik/internal/sandbox"
)

func TestWhatIsNearAndWhatIsNamedIsFound(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	require.Len(t, p.say("/start").screen(t).rows, 3, "the main menu stays the document's")
	places := p.press("open:menu:places").screen(t)
	require.Contains(t, p.press(places.button(t, "Рядом со мной").Data).screen(t).text, "местоположение")
	near := p.send(`"location":{"latitude":53.2005,"longitude":50.1505}`).screen(t)
	require.True(t, near.has("Кофейня №07"), near.text)
	require.Contains(t, near.text, " м, ул. Речная, 7")
	require.Contains(t, p.send(`"location":{"latitude":0,"longitude":0}`).screen(t).text, "Ничего не нашлось")

	found := p.say("/find музей").screen(t)
	require.Contains(t, found.text, "Музей №")
	require.True(t, strings.HasPrefix(found.rows[0][0].Data, "open:place:"))
	require.Contains(t, p.say("/find").screen(t).text, "Напишите, что ищете")
	require.Contains(t, p.say("/find абракадабра").screen(t).text, "ничего не нашлось")
}

func TestAWordIsSearchedForAndNobodyElseReadsIt(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	asked := p.press(p.press("open:menu:help").screen(t).button(t, "Поиск").Data).screen(t)
	require.Contains(t, asked.text, "Напишите, что ищете")
	found := p.say("  тихое  место у воды").screen(t)
	require.Contains(t, found.text, "Вот что нашлось")
	require.True(t, strings.HasPrefix(found.rows[0][0].Data, "open:"))
	require.Contains(t, p.say("Вечар джаза").screen(t).rows[0][0].Text, "Вечер джаза", "a slip of the finger is forgiven")
	require.Contains(t, p.say("Речная").screen(t).text, "ул. Речная")
	lost := p.say("зюзюблики").screen(t)
	require.Contains(t, lost.text, "ничего не нашлось")
	require.Contains(t, lost.text, "Выберите раздел:", "with the menu, if it was no search at all")
	require.NotContains(t, lost.text, "зюзюблики")

	p.press("open:menu:help")
	require.Contains(t, p.say("Речная").screen(t).text, contact, "what follows help is said to the editors")

	p.member(sandbox.Member{Status: sandbox.Left})
	p.press("open:menu:main")
	s := p.say("Речная").screen(t)
	gate(t, s)
	p.member(sandbox.Member{Status: sandbox.Ordinary})
	require.Contains(t, p.press(s.button(t, "Проверить подписку").Data).screen(t).text, "Напишите, что ищете")

	for _, words := range []string{"тихое", "Вечар", "зюзюблики"} {
		require.NotContains(t, r.journal.text(), words)
		require.NotContains(t, r.histories(t), words)
		require.NotContains(t, r.dump(t), words)
	}
}

func TestACitySpeaksInItsOwnWords(t *testing.T) {
	t.Parallel()
	texts, faults := guide.ReadTexts([]byte("screens: {menu: Куда пойдём?}\ntoasts: {stale: Нажмите /menu}\nfields: {address: Где это}\n"))
	require.Empty(t, faults)
	p := newHarness(t, setup{texts: texts}).person(t)
	require.Equal(t, "Куда пойдём?", p.say("/start").screen(t).text)
	require.Equal(t, "Нажмите /menu", p.press("open:menu:nope").calls[0].Text("text"))
	card := p.press("open:place:123").screen(t)
	require.Contains(t, card.text, "Где это: ул. Речная, 1")
	require.Contains(t, card.text, "Рейтинг: ", "the rest is as it was")
}

func TestALinkThatIsSharedOpensTheCard(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{share: true})
	p, friend := r.person(t), r.person(t)
	share := p.press("open:place:123").screen(t).button(t, "Поделиться").URL
	require.Contains(t, share, "conformance_bot%3Fstart%3Dp123")
	require.Contains(t, friend.say("/start p123").screen(t).text, "Кофейня №01")
	friend.member(sandbox.Member{Status: sandbox.Left})
	s := friend.say("/start e456").screen(t)
	gate(t, s)
	friend.member(sandbox.Member{Status: sandbox.Ordinary})
	require.Contains(t, friend.press(s.button(t, "Проверить подписку").Data).screen(t).text, "Вечер джаза", "the gate remembers the link")
}

// Both delivered together, as Telegram's own copies and concurrent queues do.
func TestReorderedAndRepeatedDeliveriesEndInOneScreenEach(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	p.say("/start")
	require.NoError(t, r.sandbox.SetWebhook(token, sandbox.Webhook{URL: r.server.URL + "/api/v1/integrations/telegram/webhook", Secret: secret}))
	require.NoError(t, r.sandbox.Hold(token))
	data := []string{"open:menu:places", "open:menu:events", "open:menu:promos", "open:menu:collections"}
	var taps []sandbox.Update
	for _, data := range data {
		taps = append(taps, p.tap(data))
	}
	require.NoError(t, r.sandbox.Release(t.Context(), token, 1))
	for _, tap := range taps {
		p.await(tap)
	}
	p.calls()
	sent := r.sandbox.Calls(sandbox.CallFilter{Method: "sendMessage"})
	require.Len(t, sent, 1+len(data))
}
