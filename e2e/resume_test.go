package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"vestnik/activities"
	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/starter"
)

var refused = sandbox.Fault{Platform: sandbox.Telegram, Times: 1, Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"}

func TestAParkedDeliveryDoesWhatAPersonDecides(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		action   protocol.ResumeAction
		status   string
		reason   string
		messages int
	}{
		{protocol.ResumeRetry, protocol.StatusSent, "", 1},
		{protocol.ResumeMarkSent, protocol.StatusSent, "marked as sent by an operator: видела в чате", 0},
		{protocol.ResumeSkip, protocol.StatusSuppressed, "skipped by an operator: видела в чате", 0},
	} {
		resume := protocol.Resume{Action: row.action, Note: "видела в чате"}
		t.Run(string(row.action)+" by update", func(t *testing.T) {
			s := newHarness(t, toChat)
			s.work()
			s.fault(refused)
			delivery := s.waits(s.send(chat, lost(1)))
			answer, err := s.starter.Resume(s.ctx, delivery.ID, resume)
			require.NoError(t, err)
			require.Contains(t, answer, string(row.action))
			delivery = s.ended(delivery)
			require.Equal(t, row.status, delivery.Status)
			require.Equal(t, row.reason, delivery.Reason)
			require.Len(t, s.sandbox.Messages(chatID), row.messages)
			require.Equal(t, row.status, s.searchable(delivery.WorkflowID, protocol.DeliveryState.GetName()))
			s.keepHistory("DeliverPost/parked_"+string(row.action)+"_by_update", delivery.WorkflowID)

			_, err = s.starter.Resume(s.ctx, delivery.ID, resume)
			if row.status == protocol.StatusSent {
				require.ErrorIs(t, err, starter.ErrSent)
			}
		})
		t.Run(string(row.action)+" by signal", func(t *testing.T) {
			s := newHarness(t, toChat)
			s.work()
			s.fault(refused)
			delivery := s.waits(s.send(chat, lost(1)))
			require.NoError(t, s.temporal.SignalWorkflow(s.ctx, delivery.WorkflowID, "", protocol.ResumeDeliverySignal,
				protocol.Resume{Action: "do something"}), "a signal that makes no sense is passed over")
			require.NoError(t, s.temporal.SignalWorkflow(s.ctx, delivery.WorkflowID, "", protocol.ResumeDeliverySignal, resume))
			delivery = s.ended(delivery)
			require.Equal(t, row.status, delivery.Status)
			require.Len(t, s.sandbox.Messages(chatID), row.messages)
			s.keepHistory("DeliverPost/parked_"+string(row.action)+"_by_signal", delivery.WorkflowID)
		})
	}
}

func TestASkippedDeliveryCanBeWantedAfterAll(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(refused)
	delivery := s.waits(s.send(chat, lost(1)))
	_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeSkip})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSuppressed, s.ended(delivery).Status)
	s.openLane(chat)

	id, err := s.starter.Deliver(s.ctx, delivery.OwnerID, delivery.PostID, destinationOf(t, chat))
	require.NoError(t, err)
	require.Equal(t, delivery.ID, id)
	s.calls(sandbox.CallFilter{Platform: sandbox.Telegram, Outcome: sandbox.Accepted}, 1)
	require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)

	_, err = s.starter.Deliver(s.ctx, delivery.OwnerID, delivery.PostID, destinationOf(t, chat))
	require.ErrorIs(t, err, starter.ErrSent)
	require.Len(t, s.sandbox.Messages(chatID), 1)
}

func TestAFailedDeliveryIsSentAgainWhenAPersonSaysSo(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Times: 1, Code: 400, Description: "Bad Request: BUTTON_URL_INVALID"})
	delivery := s.ended(s.send(chat, lost(1)))
	require.Equal(t, protocol.StatusFailed, delivery.Status)
	s.scan()
	require.Equal(t, protocol.StatusFailed, s.again(delivery).Status, "a scan does not bring it back")

	_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	require.Len(t, s.sandbox.Messages(chatID), 1)
}

func TestAMessageThatMayHaveGoneOutIsSentAgainOnlyOnAPersonsWord(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"ON_UNKNOWN": "park"})
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Times: 1, AcceptThenFail: true, Reset: true})
	delivery := s.waits(s.send(chat, lost(1)))
	require.Equal(t, protocol.StatusUnknown, delivery.Status)
	require.Equal(t, protocol.LaneOpen, s.lane(chat).State, "others go on")
	require.Equal(t, protocol.StatusSent, s.ended(s.send(chat, lost(2))).Status)

	_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Equal(t, 1, delivery.Uncertain)
	require.Equal(t, []int64{1, 2, 1}, numbersIn(t, s.sandbox.Messages(chatID)))
	s.keepHistory("DeliverPost/unknown_then_retried", delivery.WorkflowID)
}

func TestAQueuedDeliveryCanBeSkippedAndTheOthersCloseUp(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.pauseLane(chat, "уборка в чате", "дежурная")
	posts := s.publish(lost(1), lost(2), lost(3))
	s.scan()
	s.until("all three wait", func() bool { return s.lane(chat).Queued == 3 })
	require.Equal(t, "уборка в чате", s.lane(chat).Reason)
	second := s.delivery(chat, posts[1].ID)
	_, err := s.starter.Resume(s.ctx, second.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.ErrorContains(t, err, "waits for its turn")
	_, err = s.starter.Resume(s.ctx, second.ID, protocol.Resume{Action: protocol.ResumeSkip})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSuppressed, s.ended(second).Status)
	s.until("two wait", func() bool { return s.lane(chat).Queued == 2 })
	require.Empty(t, s.sandbox.Calls(toTelegram), "a paused lane sends nothing")

	state, err := s.starter.ResumeDestination(s.ctx, chat)
	require.NoError(t, err)
	require.Equal(t, protocol.LaneOpen, state.State)
	require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, posts[0].ID)).Status)
	require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, posts[2].ID)).Status)
	require.Equal(t, []int64{1, 3}, numbersIn(t, s.sandbox.Messages(chatID)))
	s.keepHistory("DeliverPost/skipped_in_the_queue", second.WorkflowID)
	s.keepHistory("Destination/paused_by_an_operator", protocol.DestinationWorkflowID(chat))
}

func TestAResumedLaneTriesFirstWhatHadPausedIt(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Times: 1, Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"})
	posts := s.publish(lost(1), lost(2), lost(3))
	s.scan()
	kicked := s.waits(s.delivery(chat, posts[0].ID))
	s.until("the lane is paused", func() bool { return s.lane(chat).State == protocol.LanePaused })

	state, err := s.starter.ResumeDestination(s.ctx, chat)
	require.NoError(t, err)
	require.Equal(t, kicked.ID, state.TakenUp, "the answer says so")
	for _, post := range posts {
		require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, post.ID)).Status)
	}
	require.Equal(t, []int64{1, 2, 3}, numbersIn(t, s.sandbox.Messages(chatID)))
	s.keepHistory("DeliverPost/taken_up_with_its_lane", kicked.WorkflowID)
	s.keepHistory("Destination/resumed_with_what_paused_it", protocol.DestinationWorkflowID(chat))

	state, err = s.starter.ResumeDestination(s.ctx, chat)
	require.NoError(t, err)
	require.Zero(t, state.TakenUp)
}

func TestALaneTakesAnotherRateUntilTheConfiguredOneChanges(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"TG_RATE_PER_SEC": "0.01"})
	s.work()
	first := s.ended(s.send(chat, lost(1)))
	require.Equal(t, protocol.StatusSent, first.Status, "the first waits for nobody")
	second := s.send(chat, lost(2))
	s.until("it stands in the lane", func() bool { return s.lane(chat).Queued == 1 })

	state, err := s.starter.SetRate(s.ctx, chat, protocol.Pace{PerSecond: 20})
	require.NoError(t, err)
	require.InDelta(t, 20, state.RatePerSec, 0)
	require.Equal(t, protocol.StatusSent, s.ended(second).Status)
	_, err = s.starter.SetRate(s.ctx, chat, protocol.Pace{PerSecond: -1})
	require.ErrorContains(t, err, "must not be negative")
	require.Equal(t, protocol.StatusSent, s.ended(s.send(chat, lost(3))).Status)
	require.InDelta(t, 20, s.lane(chat).RatePerSec, 0, "queueing with the same configuration changes nothing")
	s.keepHistory("Destination/set_rate", protocol.DestinationWorkflowID(chat))
}

func TestADeliveryThatIsCancelledOrTerminatedFreesItsLane(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		end    func(s *harness, d db.DeliveryRow) error
		status string
	}{
		{"cancelled in the queue, which skips it", func(s *harness, d db.DeliveryRow) error {
			return s.temporal.CancelWorkflow(s.ctx, d.WorkflowID, "")
		}, protocol.StatusSuppressed},
		{"terminated in the queue, which leaves it owed", func(s *harness, d db.DeliveryRow) error {
			return s.temporal.TerminateWorkflow(s.ctx, d.WorkflowID, "", "a test")
		}, protocol.StatusPending}, // and its turn begins it anew
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newHarness(t, toChat)
			s.work()
			s.pauseLane(chat, "", "")
			posts := s.publish(lost(1), lost(2))
			s.scan()
			s.until("both wait", func() bool { return s.lane(chat).Queued == 2 })
			first := s.delivery(chat, posts[0].ID)
			require.NoError(t, row.end(s, first))
			require.Error(t, s.temporal.GetWorkflow(s.ctx, first.WorkflowID, "").Get(s.ctx, nil))
			require.Equal(t, row.status, s.again(first).Status)
			s.openLane(chat)
			require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, posts[1].ID)).Status)
			if row.status == protocol.StatusPending {
				require.Equal(t, protocol.StatusSent, s.again(first).Status)
				require.Equal(t, []int64{1, 2}, numbersIn(t, s.sandbox.Messages(chatID)))
			} else {
				require.Equal(t, []int64{2}, numbersIn(t, s.sandbox.Messages(chatID)))
			}
			s.keepHistory("Destination/"+row.status+"_delivery_ended", protocol.DestinationWorkflowID(chat))
		})
	}
}

func TestCancellingADeliveryThatWaitsForAPersonSkipsIt(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(refused)
	delivery := s.waits(s.send(chat, lost(1)))
	require.NoError(t, s.temporal.CancelWorkflow(s.ctx, delivery.WorkflowID, ""))
	require.Error(t, s.temporal.GetWorkflow(s.ctx, delivery.WorkflowID, "").Get(s.ctx, nil))
	delivery = s.again(delivery)
	require.Equal(t, protocol.StatusSuppressed, delivery.Status)
	require.Contains(t, delivery.Reason, "cancelled")
	s.keepHistory("DeliverPost/cancelled_while_parked", delivery.WorkflowID)
}

func TestCancellingADeliveryThatIsBeingSentLetsItEnd(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Times: 1, DelayMS: 1000})
	delivery := s.send(chat, lost(1))
	s.arrived(toTelegram, 1)
	require.NoError(t, s.temporal.CancelWorkflow(s.ctx, delivery.WorkflowID, ""))
	require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	require.Len(t, s.sandbox.Messages(chatID), 1)
	s.keepHistory("DeliverPost/cancelled_while_sending", delivery.WorkflowID)
}

func TestAResumeInTheWebUIIsCheckedBeforeItCounts(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(refused)
	delivery := s.waits(s.send(chat, lost(1)))
	for _, resume := range []protocol.Resume{{}, {Action: "sendd"}, {Action: protocol.ResumeCaptcha}} {
		handle, err := s.temporal.UpdateWorkflow(s.ctx, client.UpdateWorkflowOptions{
			WorkflowID: delivery.WorkflowID, UpdateName: protocol.ResumeDeliveryUpdate, Args: []any{resume},
			WaitForStage: client.WorkflowUpdateStageCompleted,
		})
		require.NoError(t, err)
		require.Error(t, handle.Get(s.ctx, nil))
	}
	require.Equal(t, protocol.StatusParked, s.again(delivery).Status)
}

func TestAPostThatIsNotSureIsAskedAboutAndGoesWhenAPersonSaysSo(t *testing.T) {
	s := newHarness(t, routesFile(t, "destinations:\n  - id: "+chat+"\n    rate_per_sec: 30\nrules:\n  - {name: sure, types: [any], min_confidence: 1, to: ["+chat+"]}\n"), map[string]string{"TG_TOKEN": botToken})
	stop := s.work()
	asked := s.send(chat, sandbox.Post{Text: "Пропали варежки и кот, наверное ушёл с цирком"})
	require.Equal(t, protocol.StatusParked, asked.Status)
	require.Equal(t, protocol.ReasonUnsure, asked.Reason)
	stop()
	_, err := s.starter.ReturnToPeople(s.ctx)
	require.NoError(t, err)
	require.Empty(t, s.sandbox.Messages(chatID))
	answered := make(chan error, 1)
	go func() { // it comes with the run's first task
		_, err := s.starter.Resume(s.ctx, asked.ID, protocol.Resume{Action: protocol.ResumeRetry})
		answered <- err
	}()
	setHarnessBeside(t, s).work()
	require.NoError(t, <-answered)
	require.Len(t, s.afterMessages(1), 1)
	s.until("it is recorded", func() bool { return s.again(asked).Status == protocol.StatusSent })
}

func TestAPostGoesOnlyWhenAPersonApprovesIt(t *testing.T) {
	s := newHarness(t, routesFile(t, "destinations:\n  - id: "+chat+"\n    rate_per_sec: 30\n    approve: true\n    approve_after: 30m\n    approve_then: publish\n"+
		"rules:\n  - {types: [lost], to: ["+chat+"]}\n"), map[string]string{"TG_TOKEN": botToken})
	s.work()
	var asked []db.DeliveryRow
	for i := range 3 {
		asked = append(asked, s.send(chat, lost(i+1)))
		require.Equal(t, protocol.StatusParked, asked[i].Status)
		require.Equal(t, protocol.ReasonApproval, asked[i].Reason)
	}
	_, err := s.starter.ReturnToPeople(s.ctx)
	require.NoError(t, err)
	for _, delivery := range asked {
		s.waits(delivery)
	}
	problems, err := s.starter.Problems(s.ctx)
	require.NoError(t, err)
	require.Equal(t, protocol.ReasonApproval, problems[0].Reason)
	require.Equal(t, 3, problems[0].Count)
	require.Empty(t, s.sandbox.Messages(chatID))

	_, err = s.starter.Resume(s.ctx, asked[0].ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, s.ended(asked[0]).Status)
	_, err = s.starter.Resume(s.ctx, asked[1].ID, protocol.Resume{Action: protocol.ResumeSkip, Note: "не наш город"})
	require.NoError(t, err)
	dropped := s.ended(asked[1])
	require.Equal(t, protocol.StatusSuppressed, dropped.Status)
	require.Contains(t, dropped.Reason, "не наш город")
	require.Len(t, s.sandbox.Messages(chatID), 1)

	_, err = s.pool.Exec(s.ctx, "UPDATE relay.deliveries SET updated_at = updated_at - interval '31 minutes' WHERE id = $1", asked[2].ID)
	require.NoError(t, err)
	_, err = (&activities.Recovery{Ledger: s.starter.Ledger, CaseWindow: time.Hour}).ReleaseStranded(s.ctx)
	require.NoError(t, err)
	require.NoError(t, s.starter.Nudge(s.ctx, chat))
	require.Equal(t, protocol.StatusSent, s.ended(asked[2]).Status, "nobody has answered: its run, which waited, sends it")
	require.Len(t, s.sandbox.Messages(chatID), 2)
}
