package console_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"vestnik/activities"
	"vestnik/db"
	"vestnik/internal/operators"
	"vestnik/internal/protocol"
)

// ask stores posts whose deliveries wait to be approved and have no workflow.
func (d *deck) ask(t *testing.T, many int) {
	t.Helper()
	var posts []db.Post
	for postID := range int64(many) {
		posts = append(posts, writtenAgo(postID+1, time.Hour, fmt.Sprintf("Объявление %d", postID)))
	}
	_, err := d.starter.Posts.StorePage(t.Context(), db.Page{Posts: posts, Owed: func(db.Post) []db.Owed {
		return []db.Owed{{Destination: chatName, Weight: 1, Ask: protocol.ReasonApproval}}
	}})
	require.NoError(t, err)
}

// recover runs an activity of recovery.
func (d *deck) recover(t *testing.T, activity string) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(&activities.Recovery{Starter: d.starter, Ledger: d.starter.Ledger})
	_, err := env.ExecuteActivity(activity)
	require.NoError(t, err)
}

func (d *deck) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := d.pool.Exec(t.Context(), statement)
	require.NoError(t, err)
}

func TestADecisionAboutMoreThanOneStepGoesOnWhereAProcessHasDied(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	const many = 250 // a step is 200
	d.ask(t, many+1)
	waiting := func() int {
		waiting, _, err := d.starter.Ledger.CountWaiting(t.Context(), db.WaitingFilter{})
		require.NoError(t, err)
		return waiting
	}
	operator := d.operator(t)
	page := operator.get("/console/deliveries/all?status=parked").body
	require.Contains(t, page, fmt.Sprintf("%d messages wait for a decision", many+1))
	asOf := html.UnescapeString(regexp.MustCompile(`name="as_of" value="([^"]+)"`).FindStringSubmatch(page)[1])
	d.exec(t, "UPDATE relay.deliveries SET updated_at = now() WHERE post_id = 3") // as if it came to wait after that

	operator.press("/console/deliveries/all", url.Values{"status": {"parked"}, "as_of": {asOf}, "action": {"skip"}, "note": {"буря"}})
	require.Contains(t, operator.notice(), "200 of 250 messages have it")
	require.Equal(t, 51, waiting())
	require.Contains(t, plain(operator.get("/console/deliveries").body), "200 of 250 have the decision")

	_, err := d.starter.Ledger.ClaimBulk(t.Context(), 0) // somebody begins the next step and dies
	require.NoError(t, err)
	require.NoError(t, d.starter.HandOn(t.Context()))
	require.Equal(t, 51, waiting(), "it may be at work still")
	d.exec(t, "UPDATE relay.bulk_decisions SET claimed_until = now() - interval '1 second'") // a minute later
	d.recover(t, "TellRuns")
	require.Equal(t, 1, waiting(), "what came after the number was shown is left")
	require.NotContains(t, operator.get("/console/deliveries").body, "have the decision")

	rows, err := d.starter.Ledger.List(t.Context(), db.DeliveryFilter{Status: protocol.StatusSuppressed, Limit: 1000})
	require.NoError(t, err)
	require.Len(t, rows, many)
	for _, row := range rows {
		require.Equal(t, "skipped by an operator: буря", row.Reason)
	}
	decisions, err := d.starter.Ledger.Decisions(t.Context(), "", 0, 10)
	require.NoError(t, err)
	require.Len(t, decisions, 1)
	require.False(t, decisions[0].Open)
	require.Equal(t, []string{"skip 250", "deliveries?status=parked", "буря"}, []string{decisions[0].Action, decisions[0].Subject, decisions[0].Note})
}

// No worker runs here: what is decided is in the ledger, and recovery nudges the lane.
func TestADecisionAboutAllThatOpensTheirChatsDoesSoWhateverBecomesOfItsProcess(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	d.ask(t, 3)
	for _, lane := range []string{chatName, wallName} {
		require.NoError(t, d.starter.Ledger.Pause(t.Context(), lane, protocol.Pause{Reason: "ремонт", By: "Иван"}))
	}
	operator := d.operator(t)
	page := operator.get("/console/deliveries/all?status=parked").body
	asOf := html.UnescapeString(regexp.MustCompile(`name="as_of" value="([^"]+)"`).FindStringSubmatch(page)[1])
	operator.press("/console/deliveries/all", url.Values{"status": {"parked"}, "as_of": {asOf}, "action": {"retry"}, "open_destination": {"1"}})
	require.Contains(t, operator.notice(), "3 messages have your decision")
	require.Equal(t, protocol.LaneOpen, d.lane(t, chatName).State)
	require.Equal(t, protocol.LanePaused, d.lane(t, wallName).State, "nothing waits there")
	audit := plain(operator.get("/console/audit").body)
	require.Regexp(t, "console resume .+ console send again: 3 ", audit)
}

func TestADeliveryThatTakesNoDecisionHoldsUpTheOthersForFiveTries(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	d.ask(t, 3)
	d.exec(t, "UPDATE relay.deliveries SET workflow_id = '' WHERE post_id = 2") // Temporal refuses that
	_, asOf, err := d.starter.Ledger.CountWaiting(t.Context(), db.WaitingFilter{})
	require.NoError(t, err)
	ctx := operators.As(t.Context(), operators.Actor{Name: "Анна", Via: "console"})
	bulk, err := d.starter.DecideAll(ctx, "deliveries", db.WaitingFilter{}, asOf, protocol.Resume{Action: protocol.ResumeSkip}, false)
	require.NoError(t, err)
	require.False(t, bulk.Finished)
	for try := range 4 {
		open, err := d.starter.Ledger.OpenBulk(t.Context())
		require.NoError(t, err)
		require.Len(t, open, 1, try)
		require.Equal(t, []int{1, 0}, []int{open[0].Handed, open[0].Refused}, try)
		d.exec(t, "UPDATE relay.bulk_decisions SET claimed_until = now() - interval '1 second'")
		require.Error(t, d.starter.HandOn(t.Context()), try)
	}
	require.NoError(t, d.starter.HandOn(t.Context()))
	open, err := d.starter.Ledger.OpenBulk(t.Context())
	require.NoError(t, err)
	require.Empty(t, open)
	decisions, err := d.starter.Ledger.Decisions(t.Context(), "", 0, 10)
	require.NoError(t, err)
	require.Len(t, decisions, 1)
	require.False(t, decisions[0].Open)
	require.Equal(t, "1 of 3 deliveries did not take it", decisions[0].Failure)
	require.Equal(t, "Анна", decisions[0].Who)
}

func TestRecoverySumsTheDaysThatAreOver(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	d.recover(t, "ReleaseStranded")
	var days int
	require.NoError(t, d.pool.QueryRow(t.Context(), "SELECT count(*) FROM relay.days WHERE day < date_trunc('day', now(), 'UTC')").Scan(&days))
	require.GreaterOrEqual(t, days, db.StatisticsDays-2)
}
