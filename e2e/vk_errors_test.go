package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

func TestWhatVKAnswersDecidesWhatHappens(t *testing.T) {
	t.Parallel()
	second := time.Second
	impatient := map[string]string{"VK_OUT_HTTP_TIMEOUT": "1s"}
	parking := map[string]string{"VK_OUT_HTTP_TIMEOUT": "1s", "ON_UNKNOWN": "park"}
	times := func(n int, fault sandbox.Fault) []sandbox.Fault {
		fault.Platform, fault.Method, fault.Times = sandbox.VK, "wall.post", n
		return []sandbox.Fault{fault}
	}
	sentAgain := func(outcome string) []string { return []string{outcome, db.OutcomeSent} }
	parked := []string{db.OutcomeParked}
	for _, row := range []row{
		{name: "6 is repeated after a second and a bit", faults: times(2, sandbox.Fault{Code: 6}), status: protocol.StatusSent,
			outcomes: []string{db.OutcomeRetry, db.OutcomeRetry, db.OutcomeSent}, gaps: []time.Duration{second, 2 * second}, messages: 1, lane: protocol.LaneOpen, history: "vk_too_many"},
		{name: "1 is repeated with the same guid", faults: times(1, sandbox.Fault{Code: 1, AcceptThenFail: true}), status: protocol.StatusSent,
			outcomes: sentAgain(db.OutcomeUnknown), gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "10 is repeated with the same guid", faults: times(1, sandbox.Fault{Code: 10, AcceptThenFail: true}), status: protocol.StatusSent,
			outcomes: sentAgain(db.OutcomeUnknown), gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "HTML is repeated with the same guid", faults: times(1, sandbox.Fault{Status: 200, Body: "<html>Мы скоро вернёмся</html>", AcceptThenFail: true}), status: protocol.StatusSent,
			outcomes: sentAgain(db.OutcomeUnknown), gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "gzip that is none is repeated with the same guid", faults: times(1, sandbox.Fault{GzipGarbage: true, AcceptThenFail: true}), status: protocol.StatusSent,
			outcomes: sentAgain(db.OutcomeUnknown), uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "502 is repeated with the same guid", faults: times(1, sandbox.Fault{Status: 502, AcceptThenFail: true}), status: protocol.StatusSent,
			outcomes: sentAgain(db.OutcomeUnknown), gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "no answer though it arrived is repeated with the same guid", faults: times(1, sandbox.Fault{AcceptThenFail: true, Hang: true}), settings: impatient, status: protocol.StatusSent,
			outcomes: sentAgain(db.OutcomeUnknown), gaps: []time.Duration{second}, uncertain: 1, messages: 1, lane: protocol.LaneOpen, history: "vk_unknown_retried"},
		{name: "a reset after the body is safe even with ON_UNKNOWN=park", faults: times(1, sandbox.Fault{AcceptThenFail: true, Reset: true}), settings: parking, status: protocol.StatusSent,
			outcomes: sentAgain(db.OutcomeUnknown), uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "5 parks and pauses", faults: times(1, sandbox.Fault{Code: 5}), status: protocol.StatusParked, reason: "key_invalid", outcomes: parked, lane: protocol.LanePaused},
		{name: "15 parks and pauses", faults: times(1, sandbox.Fault{Code: 15}), status: protocol.StatusParked, reason: "access_denied", outcomes: parked, lane: protocol.LanePaused},
		{name: "17 parks and pauses", faults: times(1, sandbox.Fault{Code: 17}), status: protocol.StatusParked, reason: "validation_required", outcomes: parked, lane: protocol.LanePaused},
		{name: "27 parks and pauses", faults: times(1, sandbox.Fault{Code: 27}), status: protocol.StatusParked, reason: "community_key_not_allowed", outcomes: parked, lane: protocol.LanePaused},
		{name: "1051 parks and pauses", faults: times(1, sandbox.Fault{Code: 1051}), status: protocol.StatusParked, reason: "vk_id_key_not_allowed", outcomes: parked, lane: protocol.LanePaused},
		{name: "214 of a closed wall parks and pauses", faults: times(1, sandbox.Fault{Code: 214, Description: "Access to adding post denied: wall is closed"}), status: protocol.StatusParked, reason: "wall_closed", outcomes: parked, lane: protocol.LanePaused},
		{name: "214 without more parks and pauses", faults: times(1, sandbox.Fault{Code: 214, Description: "Access to adding post denied: you can't add posts on this wall"}), status: protocol.StatusParked, reason: "post_refused", outcomes: parked, lane: protocol.LanePaused},
		{name: "214 of a community key parks and pauses", faults: times(1, sandbox.Fault{Code: 214, Description: "Access to adding post denied: method is unavailable with group auth"}), status: protocol.StatusParked, reason: "community_key_not_allowed", outcomes: parked, lane: protocol.LanePaused},
		{name: "14 parks and pauses", faults: times(1, sandbox.Fault{Code: 14}), status: protocol.StatusParked, reason: protocol.ReasonCaptcha, outcomes: parked, lane: protocol.LanePaused},
		{name: "100 fails with its text", faults: times(1, sandbox.Fault{Code: 100, Description: "One of the parameters specified was missing or invalid: owner_id"}), status: protocol.StatusFailed, reason: "owner_id", outcomes: []string{db.OutcomeRejected}, lane: protocol.LaneOpen},
		{name: "a refusal of what VK took before and did not say so", faults: append(times(1, sandbox.Fault{Status: 200, Body: `{"response":null}`, ContentType: "application/json", AcceptThenFail: true}),
			times(1, sandbox.Fault{Code: 100, Description: "One of the parameters specified was missing or invalid: guid"})...), status: protocol.StatusSent,
			outcomes: sentAgain(db.OutcomeUnknown), uncertain: 1, messages: 1, lane: protocol.LaneOpen},
		{name: "a refusal after an answer that got lost, of what VK did not take", faults: append(times(1, sandbox.Fault{Status: 200, Body: `{"response":null}`, ContentType: "application/json"}),
			times(1, sandbox.Fault{Code: 100, Description: "One of the parameters specified was missing or invalid: guid"})...), status: protocol.StatusFailed, reason: "guid",
			outcomes: []string{db.OutcomeUnknown, db.OutcomeRejected}, uncertain: 1, lane: protocol.LaneOpen},
		{name: "222 goes without links", faults: times(1, sandbox.Fault{Code: 222}), status: protocol.StatusSent, outcomes: sentAgain(db.OutcomeDegraded), messages: 1, lane: protocol.LaneOpen},
		{name: "3102 goes without the copyright mark", faults: times(1, sandbox.Fault{Code: 3102}), status: protocol.StatusSent, outcomes: sentAgain(db.OutcomeDegraded), messages: 1, lane: protocol.LaneOpen},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newHarness(t, toWall, row.settings)
			row.play(s, wall, toVK, func() int { return len(s.sandbox.Posts(target)) })
			guids := map[string]bool{}
			for _, call := range s.sandbox.Calls(toVK) {
				require.NotEmpty(t, call.Text("guid"))
				guids[call.Text("guid")] = true
			}
			require.Len(t, guids, 1, "every call of one delivery carries the same guid")
		})
	}
}

func TestVKsLongPausesSilenceTheWholeWall(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name        string
		fault       sandbox.Fault
		least, most time.Duration
	}{
		{"9, flood control", sandbox.Fault{Code: 9}, 14 * time.Minute, 16 * time.Minute},
		{"29, the method's quota", sandbox.Fault{Code: 29}, 59 * time.Minute, 61 * time.Minute},
		{"214, the day's posts are spent", sandbox.Fault{Code: 214, Description: "Access to adding post denied: you can only add 50 posts a day"}, 4 * time.Minute, 25 * time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newHarness(t, toWall)
			s.work()
			row.fault.Platform, row.fault.Method, row.fault.Times = sandbox.VK, "wall.post", 1
			s.fault(row.fault)
			posts := s.publish(lost(1), lost(2))
			s.scan()
			s.until("the lane cools", func() bool { return s.lane(wall).State == protocol.LaneCooling })
			lane := s.lane(wall)
			left := time.Until(*lane.CoolingUntil)
			require.Greater(t, left, row.least)
			require.Less(t, left, row.most)
			require.Equal(t, 2, lane.Queued, "the one that was told to wait is the first of them")
			first, second := s.delivery(wall, posts[0].ID), s.delivery(wall, posts[1].ID)
			require.Equal(t, protocol.StatusPending, first.Status)
			require.Contains(t, first.Reason, "VK asks to wait")
			require.Equal(t, []string{db.OutcomeRateLimited}, s.outcomes(first))
			s.until("the lane has looked", func() bool {
				next := s.lane(wall).Next
				return len(next) > 0 && next[0] == first.WorkflowID
			})
			require.Zero(t, second.Attempts)

			// An operator who knows better ends the pause.
			s.openLane(wall)
			require.Equal(t, protocol.StatusSent, s.ended(first).Status)
			require.Equal(t, protocol.StatusSent, s.ended(second).Status)
			require.Len(t, s.sandbox.Posts(target), 2)
			s.keepHistory("Destination/cooled_by_vk", protocol.DestinationWorkflowID(wall))
		})
	}
}

func TestAWallThatHasTooManyRecipientsTwiceAsksAPerson(t *testing.T) {
	s := newHarness(t, toWall)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Code: 220, Times: 2})
	delivery := s.send(wall, lost(1))
	s.until("the lane cools", func() bool { return s.lane(wall).State == protocol.LaneCooling })
	s.openLane(wall) // an hour passes
	delivery = s.waits(delivery)
	require.Equal(t, "too_many_recipients", delivery.Reason)
	require.Equal(t, []string{db.OutcomeRateLimited, db.OutcomeParked}, s.outcomes(delivery))
	require.Equal(t, protocol.StatusSent, s.ended(s.send(wall, lost(2))).Status, "the lane goes on")
}

func TestACaptchasAnswerGoesIntoTheNextCall(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name           string
		extra          map[string]any
		captcha        protocol.Captcha
		key, sid, with string // what the next call carries
	}{
		{
			name:    "a picture",
			extra:   map[string]any{"captcha_sid": "900100", "captcha_img": "https://vk.example/captcha.jpg"},
			captcha: protocol.Captcha{SID: "900100", Picture: "https://vk.example/captcha.jpg"},
			key:     "captcha_key", sid: "900100",
		},
		{
			name: "a page",
			extra: map[string]any{"captcha_sid": "900200", "captcha_img": "https://vk.example/stub.jpg",
				"redirect_uri": "https://id.vk.example/not_robot_captcha?session_token=x"},
			captcha: protocol.Captcha{SID: "900200", Picture: "https://vk.example/stub.jpg", RedirectURI: "https://id.vk.example/not_robot_captcha?session_token=x"},
			key:     "success_token", sid: "900200",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newHarness(t, toWall)
			s.work()
			s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Times: 1, Code: 14, Extra: row.extra})
			delivery := s.waits(s.send(wall, lost(1)))
			require.Equal(t, row.captcha, *delivery.Captcha)

			_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeCaptcha})
			require.ErrorContains(t, err, "captcha_key")
			_, err = s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeCaptcha, CaptchaKey: "зл7к"})
			require.NoError(t, err)
			delivery = s.ended(delivery)
			require.Equal(t, protocol.StatusSent, delivery.Status)
			require.Nil(t, delivery.Captcha)
			calls := s.sandbox.Calls(toVK)
			require.Len(t, calls, 2)
			require.Equal(t, "зл7к", calls[1].Text(row.key))
			require.Equal(t, row.sid, calls[1].Text("captcha_sid"))
			require.Equal(t, protocol.LaneOpen, s.lane(wall).State)
			s.keepHistory("DeliverPost/captcha", delivery.WorkflowID)
		})
	}
}
