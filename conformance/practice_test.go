package conformance

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/internal/config"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/workflows"
)

// What the document's rows mean where practice is harder than their proofs.

func TestAButtonInASupergroupIsAnsweredAndNothingIsSentThere(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	update, err := p.sandbox.Push(token, "callback_query", []byte(fmt.Sprintf(
		`{"id":"group-1","from":{"id":%d},"message":{"message_id":5,"date":1700000000,"chat":{"id":-1001234567890,"type":"supergroup"}},"data":"open:menu:places"}`, p.id)))
	require.NoError(t, err)
	p.deliver(update)
	require.Equal(t, "ok", p.journal.closing(t, update.ID, 1)[0].text("result"))
	calls := r.sandbox.Calls(sandbox.CallFilter{Arrived: true})
	require.Len(t, calls, 1)
	require.Equal(t, "answerCallbackQuery", calls[0].Method)
	require.Equal(t, "Откройте чат с ботом", calls[0].Text("text"))
}

// panicking panics after the first closing line that a workflow writes, so that
// the workflow task fails and is run again.
type panicking struct {
	sdklog.Logger
	once *atomic.Bool
}

func (p panicking) Info(message string, fields ...any) {
	p.Logger.Info(message, fields...)
	if message == "bot update done" && p.once.CompareAndSwap(false, true) {
		panic("the workflow task ends here")
	}
}

func (p panicking) With(fields ...any) sdklog.Logger {
	return panicking{sdklog.With(p.Logger, fields...), p.once}
}

func TestAWorkflowTaskThatIsRunAgainClosesAnUpdateOnce(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{noWorker: true})
	var options client.Options
	require.NoError(t, r.voice.Equip(&options))
	shared, err := client.NewClientFromExistingWithContext(t.Context(), r.temporal, client.Options{
		Namespace: namespaceOf(r), Logger: panicking{options.Logger, &atomic.Bool{}},
		Interceptors: options.Interceptors, ContextPropagators: options.ContextPropagators,
	})
	require.NoError(t, err)
	w := worker.New(shared, protocol.TaskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(workflows.BotSession, workflow.RegisterOptions{Name: protocol.BotSessionWorkflow})
	w.RegisterActivity(r.guide())
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	p := r.person(t)
	first := p.press("open:menu:places").update
	p.press("open:menu:events") // the first one's workflow task is over by now
	require.Len(t, p.journal.closing(t, first.ID, 1), 1)
}

func TestADuplicateAfterATerminatedSessionIsNotAnsweredAgain(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	tr := p.press("open:menu:places")
	require.NoError(t, r.temporal.TerminateWorkflow(t.Context(), protocol.SessionWorkflowID(7000000777, p.id), "", "an operator"))
	p.postTo(httptestServer(t, r)+"/api/v1/integrations/telegram/webhook", string(tr.update.Body))
	lines := p.journal.closing(t, tr.update.ID, 2)
	require.Equal(t, "duplicate", lines[1].text("result"))
	require.Empty(t, p.calls())
}

func TestAPersonsLanguageIsKept(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	p.press("open:menu:places")
	require.Equal(t, "ru", query[string](r, "SELECT language_code FROM guide.users WHERE telegram_id = $1", p.id))
	update, err := p.sandbox.Push(token, "message", []byte(fmt.Sprintf(
		`{"message_id":1,"date":1,"from":{"id":%d,"language_code":"<b>не язык</b>"},"chat":{"id":%d,"type":"private"},"text":"/start"}`, p.id, p.id)))
	require.NoError(t, err)
	p.handle(update)
	require.Equal(t, "ru", query[string](r, "SELECT language_code FROM guide.users WHERE telegram_id = $1", p.id))
}

func TestAChannelByNumberNeedsTheLinkThatLeadsThere(t *testing.T) {
	t.Parallel()
	_, err := config.Load(botEnvironment(map[string]string{"TELEGRAM_CHANNEL": "-1001234567890"}))
	require.ErrorContains(t, err, "INTERNAL_CONFIG_ERROR: TELEGRAM_CHANNEL_URL")
}

func TestAPromosButtonOpensThePlacesPhotoAndLeadsBack(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	promo := p.press("open:promo:55").screen(t).button(t, "Подробнее о месте").Data
	message := p.newest()
	card := p.press(promo).screen(t)
	require.Equal(t, "sendPhoto", card.method)
	require.Equal(t, "back:promo:55", card.button(t, "Назад").Data)
	require.Contains(t, p.press("back:promo:55").screen(t).text, "Акция 1")

	p.press("open:menu:places")
	old := p.handle(p.tapOn(message, promo)).screen(t)
	require.Equal(t, "sendPhoto", old.method, "not the text, which is what the place's own photo asks for")
	require.Equal(t, "back:menu:promos", old.button(t, "Назад").Data)
	more := p.handle(p.tapOn(p.newest(), "open:place:123:full.a")).screen(t)
	require.Equal(t, "sendMessage", more.method)
}

func TestALateTapDoesNotUndoTheLastOne(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	p.press("fav_add:place:123")
	remove, add := p.tap("fav_remove:place:123"), p.tap("fav_add:place:123")
	require.Less(t, remove.ID, add.ID)
	p.handle(add)
	p.deliver(remove)
	require.Contains(t, p.await(remove).line.text("details"), "came first")
	require.EqualValues(t, 1, favourites(p))
	require.True(t, p.sandbox.Queries(p.id)[1].Answered)
	p.press("fav_remove:place:123")
	require.Zero(t, favourites(p))
}

func TestAnAlbumBringsOneMenuAndAPinnedMessageNone(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{})
	p := r.person(t)
	for range 5 {
		p.send(`"media_group_id":"7","photo":[{"file_id":"x"}]`)
	}
	shown := func() int {
		return len(r.sandbox.Calls(sandbox.CallFilter{Chat: fmt.Sprint(p.id), Method: "sendMessage"}))
	}
	require.Equal(t, 1, shown())
	require.Equal(t, "ignored", p.send(`"pinned_message":{"message_id":1}`).line.text("result"))
	p.press("open:menu:help")
	for range 3 {
		p.say(strings.Repeat("Подробная жалоба. ", 5))
	}
	require.Equal(t, 3, shown(), "and a complaint in three parts brings the contact once")
	p.press("open:menu:main")
	p.send(`"sticker":{"emoji":"🐈"}`)
	require.Equal(t, 5, shown(), "after a button it is another matter")
}
