package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"golang.org/x/sync/errgroup"

	"vestnik/internal/devstack"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// runs counts the runs that the session of a chat has had.
func (p *person) runs() int {
	p.t.Helper()
	list, err := p.temporal.ListWorkflow(p.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
		Query: "WorkflowId = '" + protocol.SessionWorkflowID(7000000777, p.id) + "'",
	})
	require.NoError(p.t, err)
	return len(list.Executions)
}

// flood posts taps on different buttons, several at once, as Telegram does;
// the webhook takes them all.
func (p *person) flood(taps int) (updates []sandbox.Update) {
	p.t.Helper()
	for i := range taps {
		updates = append(updates, p.tap(fmt.Sprintf("page:place:0:%d", i+1)))
	}
	var posting errgroup.Group
	posting.SetLimit(8)
	for _, update := range updates {
		posting.Go(func() error {
			if said := p.post(string(update.Body)); said.status != http.StatusOK || said.body != "" {
				return fmt.Errorf("update %d: status %d, %q", update.ID, said.status, said.body)
			}
			return nil
		})
	}
	require.NoError(p.t, posting.Wait())
	return updates
}

// answered requires that each tap was answered once and has its closing line.
func (p *person) answered(updates []sandbox.Update) {
	p.t.Helper()
	for _, update := range updates {
		require.Equal(p.t, "ok", p.journal.closing(p.t, update.ID, 1)[0].text("result"))
	}
	answered := map[string]bool{}
	for _, query := range p.sandbox.Queries(p.id) {
		answered[query.ID] = query.Answered
	}
	for _, update := range updates {
		require.True(p.t, answered[update.Query], "tap %d has no answer", update.ID)
	}
}

// A session that begins a new run again and again loses no tap. The next comes
// when the last is done, so that it is often what makes the history long
// enough.
func TestNewRunsLoseNoTap(t *testing.T) {
	t.Parallel()
	r := newHarness(t, setup{temporal: []devstack.Setting{{Key: "limit.historyCount.suggestContinueAsNew", Value: "40"}}})
	p := r.person(t)
	p.say("/start")
	for range 40 {
		for _, data := range []string{"open:menu:help", "back:menu:main"} {
			require.Equal(t, []string{"answerCallbackQuery"}, p.press(data).methods()[:1])
		}
	}
	require.GreaterOrEqual(t, p.runs(), 16)
}

// Taps that came while no worker ran are worked off, more of them than there
// may be activities, and those that Temporal would not store are turned away
// for good and counted: Telegram would bring them again and again, and other
// chats' taps later for it.
func TestAFloodWithoutWorkersIsWorkedOffAndItsRestDropped(t *testing.T) {
	t.Parallel()
	const stored, pending = 150, 30
	r := newHarness(t, setup{noWorker: true, temporal: []devstack.Setting{
		{Key: "limit.numPendingActivities.error", Value: fmt.Sprint(pending)},
		{Key: "history.maximumSignalsPerExecution", Value: fmt.Sprint(stored)},
		{Key: "limit.historyCount.suggestContinueAsNew", Value: "400"},
	}})
	p, other := r.person(t), r.person(t)
	taps := p.flood(stored + 20)
	other.flood(1)
	turnedAway := r.journal.all(func(l line) bool { return l.text("result") == "dropped" })
	require.Len(t, turnedAway, 20)
	require.Regexp(t, `vestnik_bot_updates_total\{.*outcome="dropped".*\} 20\n`, r.metrics())
	r.startWorker()
	dropped := map[int64]bool{}
	for _, l := range turnedAway {
		dropped[l.number("update_id")] = true
	}
	p.answered(slices.DeleteFunc(taps, func(tap sandbox.Update) bool { return dropped[tap.ID] }))
	require.Len(t, r.sandbox.Calls(sandbox.CallFilter{Method: "sendMessage", Chat: fmt.Sprint(p.id)}), stored)
}
