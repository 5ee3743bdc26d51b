package console_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"go.temporal.io/api/workflowservice/v1"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// kicked makes Telegram refuse the chat; captcha makes VK ask for a person.
var (
	kicked  = sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Status: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}
	captcha = sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Code: 14, Description: "Captcha needed", Times: 1,
		Extra: map[string]any{"captcha_sid": "774455", "captcha_img": "https://vk.example/captcha.php?sid=774455", "redirect_uri": "https://id.vk.example/not_robot_captcha?session_token=abc"}}
	notPhoto = sandbox.Fault{Platform: sandbox.Telegram, Method: "sendPhoto", Status: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}
)

func (d *deck) fault(t *testing.T, faults ...sandbox.Fault) {
	t.Helper()
	for _, fault := range faults {
		_, err := d.sandbox.SetFault(fault)
		require.NoError(t, err)
	}
}

func TestParkedDeliveryIsSeenResumedAndArrives(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	d.fault(t, kicked, notPhoto)
	id := d.send(t, 1, chatName, protocol.StatusParked)
	require.NoError(t, d.starter.Ledger.LowerPhoto(t.Context(), id, 0, db.RungDropped)) // its host does not exist
	operator := d.operator(t)

	overview := operator.get("/console/").body
	require.Contains(t, overview, "2 things wait for you")
	require.Contains(t, overview, "/console/deliveries?destination=telegram%3A-1001900000001&amp;status=parked")
	require.Contains(t, overview, "l-paused", "the lane was stopped with it")

	page := operator.get(fmt.Sprintf("/console/deliveries/%d", id)).body
	require.Contains(t, page, "Add the bot again", "the operator is told what to do")
	require.Contains(t, page, "&lt;b&gt;боится&lt;/b&gt;", "the author's text is text, whatever it holds")
	require.Contains(t, page, "https://vk.com/wall-900000001_1")
	require.Contains(t, page, "http://127.0.0.1:8233/namespaces/default/workflows/deliver%2Ftelegram:-1001900000001%2Fwall-900000001_1")
	require.Contains(t, page, "tel:&#43;79000001234")
	require.Contains(t, page, "https://sun9-1.example/small.jpg")
	require.NotContains(t, page, "javascript:")

	d.sandbox.ClearFaults()
	require.Contains(t, page, `name="open_destination"`)
	answer := operator.press(fmt.Sprintf("/console/deliveries/%d/resume", id), url.Values{"action": {"retry"}, "open_destination": {"1"}})
	require.Equal(t, fmt.Sprintf("/console/deliveries/%d", id), answer.header.Get("Location"))
	require.Contains(t, operator.notice(), "will be sent again")

	delivery := d.await(t, id, protocol.StatusSent)
	page = operator.get(fmt.Sprintf("/console/deliveries/%d", id)).body
	require.Contains(t, page, fmt.Sprintf("https://t.me/c/1900000001/%d", delivery.MessageIDs[0]))
	require.NotContains(t, page, "Your decision")
}

func TestWhatIsToBeApprovedIsShownAsReadersWillSeeItAndGoesOrNot(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	var ids []int64
	for postID := range int64(2) {
		post := lostCat(postID + 1)
		_, err := d.starter.Posts.StorePage(t.Context(), db.Page{Posts: []db.Post{post}, Owed: func(db.Post) []db.Owed { return nil }})
		require.NoError(t, err)
		id, _, err := d.starter.Posts.Owe(t.Context(), post.OwnerID, post.PostID, db.Owed{
			Destination: chatName, Weight: 1, Ask: protocol.ReasonApproval, AskFor: 30 * time.Minute, Silence: "publish",
		})
		require.NoError(t, err)
		require.NoError(t, d.starter.Ledger.LowerPhoto(t.Context(), id, 0, db.RungDropped)) // its host does not exist
		ids = append(ids, id)
	}
	operator := d.operator(t)
	path := fmt.Sprintf("/console/deliveries/%d", ids[0])
	page := operator.get(path).body
	require.Contains(t, page, "As readers will see it")
	require.Contains(t, page, "Пропала кошка", "the title that Vestnik gives it, not the author's words alone")
	require.Contains(t, page, ">Publish</button>")
	require.Contains(t, page, "If nobody answers, it is published")
	require.NotContains(t, page, "Mark as sent")
	operator.press(path+"/resume", url.Values{"action": {"retry"}})
	d.await(t, ids[0], protocol.StatusSent)

	path = fmt.Sprintf("/console/deliveries/%d", ids[1])
	operator.press(path+"/resume", url.Values{"action": {"skip"}, "note": {"не наш город"}})
	require.Contains(t, d.await(t, ids[1], protocol.StatusSuppressed).Reason, "не наш город")
	decisions, err := d.starter.Ledger.Decisions(t.Context(), fmt.Sprintf("delivery/%d", ids[1]), 0, 1)
	require.NoError(t, err)
	require.Equal(t, "skip", decisions[0].Action)
	require.Equal(t, "console", decisions[0].Via)
}

func TestATypeIsSetByHandOnThePageOfAPost(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	id := d.owe(t, 1, chatName)
	require.NoError(t, d.starter.Ledger.LowerPhoto(t.Context(), id, 0, db.RungDropped)) // its host does not exist
	_, err := d.starter.StartOwed(t.Context())
	require.NoError(t, err)
	d.await(t, id, protocol.StatusSent)
	_, err = d.starter.PauseDestination(t.Context(), wallName, "ремонт", "Иван")
	require.NoError(t, err)
	waits := d.owe(t, 1, wallName)

	operator := d.operator(t)
	source := lostCat(1).ID.String()
	require.Contains(t, operator.get("/console/posts/"+source).body, `<option value="lost" selected>`)
	operator.press("/console/posts/"+source+"/type", url.Values{"type": {"adoption"}, "note": {"отдают"}})
	notice := operator.notice()
	require.Contains(t, notice, "1 not to be sent any more")
	require.Contains(t, notice, fmt.Sprintf("Readers see delivery %d in %s all the same", id, chatName))
	require.Contains(t, operator.get("/console/posts/"+source).body, "set by hand")
	d.await(t, waits, protocol.StatusSuppressed)
	decisions, err := d.starter.Ledger.Decisions(t.Context(), "post/"+source, 0, 1)
	require.NoError(t, err)
	require.Equal(t, "type adoption", decisions[0].Action)
	require.Equal(t, "отдают", decisions[0].Note)

	operator.press("/console/posts/"+source+"/type", url.Values{"type": {"dog"}})
	require.Contains(t, operator.notice(), "is not known")
}

func TestCaptchaIsShownAndItsAnswerReachesVK(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	d.fault(t, captcha)
	id := d.send(t, 1, wallName, protocol.StatusParked)
	operator := d.operator(t)
	path := fmt.Sprintf("/console/deliveries/%d", id)

	page := operator.get(path).body
	require.Contains(t, page, `src="https://vk.example/captcha.php?sid=774455"`)
	require.Contains(t, page, `href="https://id.vk.example/not_robot_captcha?session_token=abc"`)

	operator.press(path+"/resume", url.Values{"action": {"captcha"}})
	require.Contains(t, operator.notice(), "captcha_key", "an empty answer goes nowhere")
	operator.press(path+"/resume", url.Values{"action": {"captcha"}, "captcha_key": {" zq4f "}})
	d.await(t, id, protocol.StatusSent)
	calls := d.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.post"})
	require.GreaterOrEqual(t, len(calls), 2)
	require.NotContains(t, calls[0].Params, "captcha_key")
	require.Equal(t, "zq4f", calls[1].Params["captcha_key"])
	require.Equal(t, "774455", calls[1].Params["captcha_sid"])
	require.NotContains(t, d.log.String(), "zq4f")
}

func TestSeveralDeliveriesAreDecidedAtOnce(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	d.fault(t, captcha, captcha, captcha)
	form := url.Values{"action": {"skip"}, "note": {"кошка уже дома"}, "open_destination": {"1"}}
	var ids []int64
	operator := d.operator(t)
	for postID := range int64(3) {
		id := d.send(t, postID+1, wallName, protocol.StatusParked)
		ids = append(ids, id)
		form.Add("id", fmt.Sprint(id))
		if postID < 2 { // a pause of the operator's own leaves it parked when it ends
			operator.press("/console/destinations/pause", url.Values{"destination": {wallName}})
			answer := operator.press("/console/destinations/resume", url.Values{"destination": {wallName}})
			require.Equal(t, "/console/destinations", answer.header.Get("Location"))
			require.Contains(t, operator.notice(), "is open again")
		}
	}
	require.Equal(t, 3, strings.Count(operator.get("/console/deliveries?status=waiting").body, `name="id"`))

	form.Set("back", "/console/deliveries?status=waiting")
	answer := operator.press("/console/deliveries/resume", form)
	require.Equal(t, "/console/deliveries?status=waiting", answer.header.Get("Location"))
	require.Contains(t, operator.notice(), "3 messages will not be sent")
	for _, id := range ids {
		require.Equal(t, "skipped by an operator: кошка уже дома", d.await(t, id, protocol.StatusSuppressed).Reason)
	}
	require.Equal(t, protocol.LanePaused, d.lane(t, wallName).State, "skipping sends nothing, so it opens nothing")
	require.NotContains(t, d.log.String(), "кошка", "what an operator writes is for the record, not for the log")
	require.NotContains(t, operator.get("/console/deliveries?status=waiting").body, `name="id"`)
}

func TestAllThatMatchAreDecidedAtOnceAndNothingThatCameAfterTheirNumberWasShown(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	d.fault(t, captcha, captcha, captcha, captcha)
	operator := d.operator(t)
	var ids []int64
	park := func(postID int64) {
		ids = append(ids, d.send(t, postID, wallName, protocol.StatusParked))
		operator.press("/console/destinations/pause", url.Values{"destination": {wallName}})
		operator.press("/console/destinations/resume", url.Values{"destination": {wallName}})
	}
	for postID := range int64(3) {
		park(postID + 1)
	}
	list := operator.get("/console/deliveries?limit=2&status=waiting").body
	require.Contains(t, list, "Decide about all 3 that match")
	require.Contains(t, list, `href="/console/deliveries/all?status=waiting"`)
	about := "/console/deliveries/all?" + url.Values{"status": {"parked"}, "destination": {wallName}}.Encode()
	page := operator.get(about).body
	require.Contains(t, page, "3 messages wait for a decision")
	asOf := regexp.MustCompile(`name="as_of" value="([^"]+)"`).FindStringSubmatch(page)[1]

	park(4)
	form := url.Values{"status": {"parked"}, "destination": {wallName}, "as_of": {html.UnescapeString(asOf)}, "action": {"skip"}, "note": {"кошка уже дома"}}
	operator.press("/console/deliveries/all", form)
	require.Contains(t, operator.notice(), "3 messages have your decision")
	for _, id := range ids[:3] {
		require.Equal(t, "skipped by an operator: кошка уже дома", d.await(t, id, protocol.StatusSuppressed).Reason)
	}
	last, err := d.starter.Ledger.Delivery(t.Context(), ids[3])
	require.NoError(t, err)
	require.Equal(t, protocol.StatusParked, last.Status, "it came after the number was shown")

	audit := plain(operator.get("/console/audit").body)
	require.Equal(t, 1, strings.Count(audit, "do not send"), "one line for all")
	require.Regexp(t, "do not send: 3 Messages: waits for a decision, .+ кошка уже дома", audit)
	for name, value := range map[string]string{"as_of": "yesterday", "status": "lost", "action": "captcha"} {
		wrong := maps.Clone(form)
		wrong.Set(name, value)
		operator.press("/console/deliveries/all", wrong)
		require.Contains(t, operator.notice(), "Not done", name)
	}
}

// lane is how a destination stands.
func (d *deck) lane(t *testing.T, destination string) protocol.LaneState {
	t.Helper()
	lane, err := d.starter.Destination(t.Context(), destination)
	require.NoError(t, err)
	return lane
}

func TestAPausedLaneIsAProblemEverywhere(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	operator := d.operator(t)
	require.Eventually(t, func() bool { return strings.Contains(operator.get("/console/").body, "nothing waits for a decision") },
		20*time.Second, 100*time.Millisecond, "once the worker has asked for work")

	operator.press("/console/destinations/pause", url.Values{"destination": {chatName}, "reason": {"ночь"}})
	require.Contains(t, operator.get("/console/").body, "Paused, 0 messages wait", "nothing waits there yet, and the next post will")
	d.owe(t, 1, chatName)
	overview := operator.get("/console/").body
	require.Contains(t, overview, "Paused, 1 message waits")
	require.NotContains(t, overview, "nothing waits for a decision")
	require.Contains(t, operator.get("/console/deliveries").body, "it waits until somebody resumes that")

	var problems []protocol.Problem
	d.read(t, "/api/v1/ops/problems", &problems)
	require.Equal(t, []string{protocol.ProblemPaused, chatName, "ночь"}, []string{problems[0].Kind, problems[0].Subject, problems[0].Reason})
	require.Eventually(t, func() bool {
		inbox, err := d.starter.Temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: protocol.InboxQuery})
		require.NoError(t, err)
		return len(inbox.GetExecutions()) == 1 && inbox.GetExecutions()[0].GetExecution().GetWorkflowId() == protocol.DestinationWorkflowID(chatName)
	}, 10*time.Second, 100*time.Millisecond, "Temporal's list shows the lane")
}

func TestDestinationIsPausedPacedAndResumed(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	operator := d.operator(t)
	operator.press("/console/destinations/pause", url.Values{"destination": {chatName}, "reason": {"<i>ночь</i>"}})
	page := operator.get("/console/destinations").body
	require.Contains(t, page, "l-paused")
	require.Contains(t, page, "&lt;i&gt;ночь&lt;/i&gt;")

	operator.press("/console/destinations/rate", url.Values{"destination": {chatName}, "per_second": {"0,5"}, "per_minute": {"7"}})
	operator.press("/console/destinations/resume", url.Values{"destination": {chatName}})
	lane := d.lane(t, chatName)
	require.Equal(t, protocol.LaneOpen, lane.State)
	require.InDelta(t, 0.5, lane.RatePerSec, 0)
	require.Equal(t, 7, lane.PerMinute)
}

func TestMistakesOfAnOperatorAreNamedAndChangeNothing(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	operator := d.operator(t)
	for name, row := range map[string]struct {
		path string
		form url.Values
		want string
	}{
		"a destination that does not exist": {"/console/destinations/pause", url.Values{"destination": {"telegram:-1"}}, "not found"},
		"an action that does not exist":     {"/console/destinations/explode", url.Values{"destination": {chatName}}, "not found"},
		"a rate that is no number":          {"/console/destinations/rate", url.Values{"destination": {chatName}, "per_second": {"fast"}}, "want a number"},
		"a rate of zero":                    {"/console/destinations/rate", url.Values{"destination": {chatName}, "per_second": {"0"}}, "above 0"},
		"a rate that is not a number":       {"/console/destinations/rate", url.Values{"destination": {chatName}, "per_second": {"NaN"}}, "above 0"},
		"an infinite rate":                  {"/console/destinations/rate", url.Values{"destination": {chatName}, "per_second": {"+Inf"}}, "above 0"},
		"a negative limit a minute":         {"/console/destinations/rate", url.Values{"destination": {chatName}, "per_second": {"1"}, "per_minute": {"-1"}}, "per_minute"},
		"a delivery that does not exist":    {"/console/deliveries/12345/resume", url.Values{"action": {"retry"}}, "not found"},
		"a decision that does not exist":    {"/console/deliveries/12345/resume", url.Values{"action": {"burn"}}, "want retry"},
		"a note without end":                {"/console/deliveries/12345/resume", url.Values{"action": {"skip"}, "note": {strings.Repeat("о", 300)}}, "at most 500"},
		"a batch of nothing":                {"/console/deliveries/resume", url.Values{"action": {"retry"}}, "at least one"},
		"a batch of captchas":               {"/console/deliveries/resume", url.Values{"action": {"captcha"}, "captcha_key": {"a"}, "id": {"1"}}, "one delivery"},
		"a batch of strangers":              {"/console/deliveries/resume", url.Values{"action": {"retry"}, "id": {"12345"}}, "1 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := operator.press(row.path, row.form)
			require.Equal(t, http.StatusSeeOther, answer.status)
			require.Contains(t, operator.notice(), row.want)
		})
	}
}

func TestScanByHandBringsDeliveries(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	operator := d.operator(t)
	answer := operator.press("/console/scan", url.Values{})
	require.Equal(t, "/console/walls", answer.header.Get("Location"))
	require.NotContains(t, operator.notice(), "Not done")

	page := ""
	require.Eventually(t, func() bool { // the answer does not wait for a slow scan
		page = operator.get("/console/walls").body
		return strings.Contains(page, "access_denied") && strings.Contains(operator.get("/console/deliveries").body, `href="/console/deliveries/1"`)
	}, time.Minute, 100*time.Millisecond)
	for _, wall := range sandbox.WallNames() {
		require.Contains(t, page, "https://vk.com/"+wall)
	}
}

func TestAPausedReadingKeyIsSeenAndResumed(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	operator := d.operator(t)
	key := db.KeyName(sandbox.VKReadToken)
	require.NoError(t, d.starter.Walls.PauseKey(t.Context(), key, db.KeyPause{
		Until: time.Now().Add(time.Hour), Reason: "key_invalid", Captcha: &protocol.Captcha{Picture: "https://vk.example/captcha.jpg"},
	}))
	page := operator.get("/console/walls").body
	require.Contains(t, page, "key_invalid")
	require.Contains(t, page, `src="https://vk.example/captcha.jpg"`)
	require.Contains(t, page, `name="captcha_key"`)
	operator.press("/console/walls/resume-key", url.Values{})
	require.Contains(t, operator.notice(), "read again")
	require.NotContains(t, operator.get("/console/walls").body, "key_invalid")
	operator.press("/console/walls/resume-key", url.Values{})
	require.Contains(t, operator.notice(), "was not paused")
}

func TestListIsNarrowedByStatusDestinationTypeAndDays(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	inChat, onWall := d.owe(t, 1, chatName), d.owe(t, 2, wallName)
	operator := d.operator(t)
	shown := func(query string) (ids []bool) {
		page := operator.get("/console/deliveries" + query).body
		return []bool{strings.Contains(page, fmt.Sprintf("deliveries/%d\"", inChat)), strings.Contains(page, fmt.Sprintf("deliveries/%d\"", onWall))}
	}
	require.Equal(t, []bool{true, true}, shown(""))
	require.Equal(t, []bool{true, false}, shown("?destination="+url.QueryEscape(chatName)))
	require.Equal(t, []bool{false, true}, shown("?status=pending&destination="+url.QueryEscape(wallName)))
	require.Equal(t, []bool{false, false}, shown("?status=sent"))
	require.Equal(t, []bool{false, false}, shown("?status=waiting"))
	require.Equal(t, []bool{false, true}, shown("?limit=1"), "the newest first")
	row, err := d.starter.Ledger.Delivery(t.Context(), inChat)
	require.NoError(t, err)
	yesterday, tomorrow := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly), time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	require.Equal(t, []bool{true, true}, shown("?type="+row.Type+"&from="+yesterday+"&to="+tomorrow))
	require.Equal(t, []bool{false, false}, shown("?type=reunited"))
	require.Equal(t, []bool{false, false}, shown("?from="+tomorrow))
	require.Equal(t, []bool{false, false}, shown("?to="+yesterday))
	require.Contains(t, operator.get("/console/deliveries?limit=1&type="+row.Type+"&from="+yesterday).body,
		html.EscapeString(fmt.Sprintf("/console/deliveries?before=%d&from=%s&limit=1&type=%s", onWall, yesterday, row.Type)), "the next page is under the same filter")
	for _, query := range []string{"?status=lost", "?type=parked", "?from=10.03.2026", "?limit=0", "?limit=-1", "?limit=many"} {
		require.Equal(t, http.StatusBadRequest, operator.get("/console/deliveries"+query).status, query)
	}
	require.Equal(t, http.StatusBadRequest, operator.get("/console/audit?before=x").status)
	for _, path := range []string{"/console/deliveries/99999", "/console/deliveries/first", "/console/deliveries/1/more"} {
		require.Equal(t, http.StatusNotFound, operator.get(path).status, path)
	}
}

func TestConsoleShowsHowTheLanesStandWithoutAWorker(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	d.owe(t, 1, chatName)
	require.NoError(t, d.starter.Ledger.Pause(t.Context(), chatName, protocol.Pause{Reason: "ремонт", By: "дежурная"}))
	page := d.operator(t).get("/console/")
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.body, "ремонт")
}

func TestProgramsDoTheSameWithJSON(t *testing.T) {
	t.Parallel()
	d := newDeck(t, true)
	d.fault(t, captcha, kicked)
	first := d.send(t, 1, wallName, protocol.StatusParked)
	second := d.send(t, 2, chatName, protocol.StatusParked)

	var summary db.Summary
	d.read(t, "/api/v1/ops/summary", &summary)
	require.Equal(t, 2, summary.Statuses[protocol.StatusParked])

	var rows []db.DeliveryRow
	d.read(t, "/api/v1/ops/deliveries?status=waiting", &rows)
	require.Len(t, rows, 2)
	d.read(t, "/api/v1/ops/deliveries?status=sent", &rows)
	require.Empty(t, rows)

	var details struct {
		Delivery db.DeliveryRow
		Attempts []db.AttemptRow
		Post     struct {
			Type, Animal string
			Phones       []string
		}
		Links struct{ Source, Workflow string }
	}
	d.read(t, fmt.Sprintf("/api/v1/ops/deliveries/%d", first), &details)
	require.Equal(t, protocol.StatusParked, details.Delivery.Status)
	require.Len(t, details.Attempts, 1)
	require.Equal(t, "lost", details.Post.Type)
	require.Equal(t, []string{"+79000001234"}, details.Post.Phones)
	require.Equal(t, "https://vk.com/wall-900000001_1", details.Links.Source)

	answer := d.program(t, http.MethodPost, fmt.Sprintf("/api/v1/ops/deliveries/%d/resume", first), `{"action": "mark_sent", "note": "видно на стене"}`)
	require.Equal(t, http.StatusOK, answer.status, answer.body)
	d.await(t, first, protocol.StatusSent)

	answer = d.program(t, http.MethodPost, "/api/v1/ops/deliveries/resume", fmt.Sprintf(`{"ids": [%d, %d], "action": "skip"}`, first, second))
	require.Equal(t, http.StatusOK, answer.status, answer.body)
	var batch struct {
		Results []struct {
			ID            int64
			Result, Error string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(answer.body), &batch))
	require.Contains(t, batch.Results[0].Error, "has been sent")
	require.Empty(t, batch.Results[1].Error)
	d.await(t, second, protocol.StatusSuppressed)

	var lane protocol.LaneState
	answer = d.program(t, http.MethodPost, "/api/v1/ops/destinations/resume", about(wallName, ""))
	require.NoError(t, json.Unmarshal([]byte(answer.body), &lane))
	require.Equal(t, protocol.LaneOpen, lane.State)
	answer = d.program(t, http.MethodPost, "/api/v1/ops/destinations/pause", about(chatName, "ночь"))
	require.NoError(t, json.Unmarshal([]byte(answer.body), &lane))
	require.Equal(t, protocol.LanePaused, lane.State)
	answer = d.program(t, http.MethodPost, "/api/v1/ops/destinations/rate", `{"destination": "`+chatName+`", "per_second": 0.25}`)
	require.NoError(t, json.Unmarshal([]byte(answer.body), &lane))
	require.InDelta(t, 0.25, lane.RatePerSec, 0)
	var lanes []protocol.LaneState
	d.read(t, "/api/v1/ops/destinations", &lanes)
	require.Len(t, lanes, 2)

	answer = d.program(t, http.MethodPost, "/api/v1/ops/scan", `{"walls": ["sandbox_lost_pets"]}`)
	require.Equal(t, http.StatusOK, answer.status, answer.body)
	require.Contains(t, answer.body, `"running"`)
	var plan protocol.ReadPlan
	d.read(t, "/api/v1/ops/walls", &plan)
	require.Positive(t, plan.Used)
}

func TestBadJSONIsAnsweredWithWhatIsWrong(t *testing.T) {
	t.Parallel()
	d := newDeck(t, false)
	for name, row := range map[string]struct {
		path, body string
		status     int
	}{
		"no JSON":               {"/api/v1/ops/scan", "walls=1", http.StatusBadRequest},
		"two values":            {"/api/v1/ops/scan", "{} {}", http.StatusBadRequest},
		"an unknown field":      {"/api/v1/ops/destinations/pause", `{"destination": "a", "because": "b"}`, http.StatusBadRequest},
		"another type":          {"/api/v1/ops/deliveries/resume", `{"ids": "1"}`, http.StatusBadRequest},
		"too long":              {"/api/v1/ops/scan", `{"walls": ["` + strings.Repeat("a", 70_000) + `"]}`, http.StatusBadRequest},
		"an id that is no id":   {"/api/v1/ops/deliveries/first/resume", `{}`, http.StatusBadRequest},
		"no action":             {"/api/v1/ops/deliveries/1/resume", ``, http.StatusBadRequest},
		"an unknown delivery":   {"/api/v1/ops/deliveries/1/resume", `{"action": "retry"}`, http.StatusNotFound},
		"an unknown lane":       {"/api/v1/ops/destinations/pause", `{"destination": "vk:-1"}`, http.StatusNotFound},
		"an unknown route":      {"/api/v1/ops/explode", `{}`, http.StatusNotFound},
		"an unknown lane order": {"/api/v1/ops/destinations/explode", `{"destination": "` + wallName + `"}`, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := d.program(t, http.MethodPost, row.path, row.body)
			require.Equal(t, row.status, answer.status, answer.body)
			var problem struct{ Error string }
			require.NoError(t, json.Unmarshal([]byte(answer.body), &problem))
			require.NotEmpty(t, problem.Error)
		})
	}
}

func (d *deck) read(t *testing.T, path string, into any) {
	t.Helper()
	answer := d.program(t, http.MethodGet, path, "")
	require.Equal(t, http.StatusOK, answer.status, answer.body)
	require.Contains(t, answer.header.Get("Content-Type"), "application/json")
	require.NoError(t, json.Unmarshal([]byte(answer.body), into))
}
