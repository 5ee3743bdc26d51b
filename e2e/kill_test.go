package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// everyPostOnce is a relay to some destinations with two posts to tell.
func everyPostOnce(t *testing.T, destinations ...string) (*harness, []sandbox.Post) {
	settings := []map[string]string{{"TG_HTTP_TIMEOUT": "5s", "VK_OUT_HTTP_TIMEOUT": "5s"}}
	for _, destination := range destinations {
		settings = append(settings, map[string]map[string]string{chat: toChat, wall: toWall}[destination])
	}
	s := newHarness(t, settings...)
	return s, s.publish(lost(1), lost(2))
}

// requireAllArrived waits for every post at each destination, and checks that
// none came twice.
func (s *harness) requireAllArrived(posts []sandbox.Post, destinations ...string) {
	s.t.Helper()
	for _, destination := range destinations {
		for _, post := range posts {
			s.until("every delivery is written", func() bool {
				rows := s.deliveries(destination)
				return len(rows) == len(posts)
			})
			delivery := s.delivery(destination, post.ID)
			s.until(fmt.Sprintf("%s is sent", delivery.WorkflowID), func() bool { return s.again(delivery).Status == protocol.StatusSent })
		}
		if destination == chat {
			require.Equal(s.t, []int64{1, 2}, numbersIn(s.t, s.sandbox.Messages(chatID)), "in the chat, each once and in order")
		} else {
			require.Len(s.t, s.sandbox.Posts(target), 2, "on the wall, each once")
		}
	}
}

// One destination for each moment: the other's send might be under way when
// the worker dies, and that is another test.
func TestAWorkerKilledBetweenTheSteps(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ moment, destination string }{
		{"before ReadWall", chat},
		{"after ReadWall", wall},         // the rows are written, the scan does not know
		{"before StartDeliveries", chat}, // the rows are written, nothing is started
		{"after ExecuteWorkflow", wall},  // one delivery is started
		{"after SignalWithStartWorkflow", chat},
		{"after StartDeliveries", wall},
		{"before SendToTelegram", chat},
		{"before SendToVK", wall},
		{"after SendToVK", wall}, // sent and recorded, Temporal does not know
		{"after SendToTelegram", chat},
		{"before Begin", chat},
		{"after Begin", wall},
		{"before Grant", wall},
		{"after Grant", chat}, // the delivery has its turn, the lane does not know
	} {
		t.Run(row.moment, func(t *testing.T) {
			s, posts := everyPostOnce(t, row.destination)
			s.scanWithoutWorker()
			s.dies(s.spawn(row.moment))
			s.spawn()
			s.requireAllArrived(posts, row.destination)
			for _, delivery := range s.deliveries(row.destination) {
				require.Zero(t, delivery.Uncertain)
			}
		})
	}
}

func TestAWorkerKilledWhileDeliveriesWaitForTheirTurn(t *testing.T) {
	s, posts := everyPostOnce(t, chat, wall)
	worker := s.spawn()
	for _, destination := range []string{chat, wall} {
		s.pauseLane(destination, "", "")
	}
	s.scan()
	s.until("all wait", func() bool { return s.lane(chat).Queued == 2 && s.lane(wall).Queued == 2 })
	worker.kill()

	s.spawn()
	for _, destination := range []string{chat, wall} {
		s.openLane(destination)
	}
	s.requireAllArrived(posts, chat, wall)
}

func TestAWorkerKilledInTheMiddleOfASend(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		accepted bool // whether the message had gone out
		onWall   int
		inChat   []int64
	}{
		{"before the platform acted", false, 1, []int64{1}},
		{"after the platform acted, before it was recorded", true, 1, []int64{1, 1}},
	} {
		for _, destination := range []string{chat, wall} {
			t.Run(row.name+", "+protocol.Platform(destination), func(t *testing.T) {
				settings, filter, method := toChat, toTelegram, "sendMessage"
				if destination == wall {
					settings, filter, method = toWall, toVK, "wall.post"
				}
				s := newHarness(t, settings, map[string]string{"TG_HTTP_TIMEOUT": "30s", "VK_OUT_HTTP_TIMEOUT": "30s"})
				worker := s.spawn()
				s.fault(sandbox.Fault{Method: method, Times: 1, Hang: true, AcceptThenFail: row.accepted})
				delivery := s.send(destination, lost(1))
				if row.accepted {
					s.until("the message is out", func() bool {
						return len(s.sandbox.Messages(chatID))+len(s.sandbox.Posts(target)) == 1
					})
				} else {
					s.arrived(filter, 1)
				}
				worker.kill()
				require.Equal(t, protocol.StatusSending, s.again(delivery).Status)

				s.spawn()
				delivery = s.ended(delivery)
				require.Equal(t, protocol.StatusSent, delivery.Status)
				require.Equal(t, []string{db.OutcomeUnknown, db.OutcomeSent}, s.outcomes(delivery))
				require.Equal(t, 1, delivery.Uncertain, "nobody could know, and it is counted")
				if destination == wall {
					require.Len(t, s.sandbox.Posts(target), row.onWall, "the guid keeps VK from posting twice")
					return
				}
				require.Equal(t, row.inChat, numbersIn(t, s.sandbox.Messages(chatID)))
				summary, err := s.starter.Ledger.Summarise(s.ctx, delivery.SentAt.Add(1))
				require.NoError(t, err)
				require.Equal(t, 1, summary.UncertainLastHour)
				s.keepHistory("DeliverPost/worker_killed_while_sending", delivery.WorkflowID)
			})
		}
	}
}

func TestAWorkerKilledInTheMiddleOfASendAsksAPersonIfThatIsThePolicy(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"TG_HTTP_TIMEOUT": "30s", "ON_UNKNOWN": "park"})
	worker := s.spawn()
	s.fault(sandbox.Fault{Method: "sendMessage", Times: 1, Hang: true, AcceptThenFail: true})
	delivery := s.send(chat, lost(1))
	s.until("the message is out", func() bool { return len(s.sandbox.Messages(chatID)) == 1 })
	worker.kill()

	s.spawn()
	delivery = s.waits(delivery)
	require.Equal(t, protocol.StatusUnknown, delivery.Status)
	_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeMarkSent})
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	require.Len(t, s.sandbox.Messages(chatID), 1)
}

func TestADatabaseThatIsGoneForAWhileLosesNothing(t *testing.T) {
	s, posts := everyPostOnce(t, chat, wall)
	s.scanWithoutWorker()
	_, err := s.pool.Exec(s.ctx, "ALTER TABLE relay.delivery_attempts RENAME TO gone")
	require.NoError(t, err)
	s.spawn()
	s.until("the relay has met it", func() bool { return s.logs.holds("delivery_attempts") })
	_, err = s.pool.Exec(s.ctx, "ALTER TABLE relay.gone RENAME TO delivery_attempts")
	require.NoError(t, err)
	s.requireAllArrived(posts, chat, wall)
}

// hoursAgo moves a delivery's attempts into the past, where VK has forgotten
// their guid.
func (s *harness) hoursAgo(d db.DeliveryRow) {
	s.t.Helper()
	_, err := s.pool.Exec(s.ctx, "UPDATE relay.delivery_attempts SET started_at = started_at - interval '2 hours', deadline = deadline - interval '2 hours' WHERE delivery_id = $1", d.ID)
	require.NoError(s.t, err)
}

// killedHoursAgo is a delivery whose worker was killed while VK held the call,
// accepted or not.
func (s *harness) killedHoursAgo(accepted bool) db.DeliveryRow {
	s.t.Helper()
	worker := s.spawn()
	s.fault(sandbox.Fault{Method: "wall.post", Times: 1, Hang: true, AcceptThenFail: accepted})
	delivery := s.send(wall, lost(1))
	s.arrived(toVK, 1)
	if accepted {
		s.until("the post is out", func() bool { return len(s.sandbox.Posts(target)) == 1 })
	}
	worker.kill()
	s.hoursAgo(delivery)
	return delivery
}

func TestWhenVKHasForgottenTheGuidNothingIsPostedBeforeTheWallCanBeRead(t *testing.T) {
	s := newHarness(t, toWall, map[string]string{"VK_OUT_HTTP_TIMEOUT": "30s"})
	delivery := s.killedHoursAgo(true)
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Chat: "-500000002", Times: 2, Code: 10})

	s.spawn()
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Len(t, s.sandbox.Posts(target), 1)
	require.Len(t, s.sandbox.Calls(toVK), 1)
}

func TestWhenVKHasForgottenTheGuidTheWallIsLookedAtFirst(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		accepted bool
		outcomes []string
	}{
		{"it is there: nothing is posted", true, []string{db.OutcomeUnknown}},
		{"it is not: it is posted", false, []string{db.OutcomeUnknown, db.OutcomeSent}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newHarness(t, toWall, map[string]string{"VK_OUT_HTTP_TIMEOUT": "30s"})
			delivery := s.killedHoursAgo(row.accepted)
			s.spawn()
			delivery = s.ended(delivery)
			require.Equal(t, protocol.StatusSent, delivery.Status)
			require.Equal(t, row.outcomes, s.outcomes(delivery))
			require.Len(t, s.sandbox.Calls(toVK), len(row.outcomes))
			posts := s.sandbox.Posts(target)
			require.Len(t, posts, 1)
			require.Equal(t, []int64{posts[0].ID}, delivery.MessageIDs)
		})
	}
}

func TestAPostThatOnlyNamesAnotherIsNotTakenForIt(t *testing.T) {
	s := newHarness(t, toWall, map[string]string{"VK_OUT_HTTP_TIMEOUT": "30s"})
	delivery := s.killedHoursAgo(false)
	named := "https://vk.com/" + protocol.WallPost(delivery.OwnerID, delivery.PostID)
	_, err := s.sandbox.AddPost(target, sandbox.Post{Text: "👀 Замечен питомец\n\nИз репоста (" + named + "):\nпохожа на эту\n\nИсточник: https://vk.com/wall-500000001_999"})
	require.NoError(t, err)

	s.spawn()
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Equal(t, []string{db.OutcomeUnknown, db.OutcomeSent}, s.outcomes(delivery))
	require.Len(t, s.sandbox.Posts(target), 2)
}

func TestWhenVKHasForgottenTheGuidNothingIsPostedWhileTheReadingKeysMustWait(t *testing.T) {
	s := newHarness(t, toWall, map[string]string{"VK_OUT_HTTP_TIMEOUT": "30s"})
	worker := s.spawn()
	s.fault(sandbox.Fault{Method: "wall.post", Times: 1, Hang: true, AcceptThenFail: true})
	posts := s.publish(lost(1), lost(2))
	s.scan()
	delivery := s.delivery(wall, posts[0].ID)
	s.until("the post is out", func() bool { return len(s.sandbox.Posts(target)) == 1 })
	worker.kill()
	s.hoursAgo(delivery)
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Chat: "-500000002", Times: 1, Code: 29})

	s.spawn()
	require.Equal(t, protocol.StatusSent, s.ended(s.delivery(wall, posts[1].ID)).Status, "the lane goes on")
	resumed, err := s.starter.ResumeKey(s.ctx, "")
	require.NoError(t, err)
	require.True(t, resumed)
	s.dueNow()
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Equal(t, []string{db.OutcomeUnknown}, s.outcomes(delivery))
	require.Len(t, s.sandbox.Posts(target), 2)
}

func TestWhenVKHasForgottenTheGuidAFaultOfOurOwnPostsNothing(t *testing.T) {
	s := newHarness(t, toWall, map[string]string{"VK_OUT_HTTP_TIMEOUT": "30s"})
	delivery := s.killedHoursAgo(true)
	held, err := s.pool.Begin(s.ctx)
	require.NoError(t, err)
	t.Cleanup(func() { _ = held.Rollback(context.WithoutCancel(s.ctx)) })
	_, err = held.Exec(s.ctx, "LOCK relay.key_pauses")
	require.NoError(t, err)

	s.spawn()
	s.until("the reading keys can't be read", func() bool {
		_, err := s.pool.Exec(s.ctx, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ReadingKeys%'`)
		require.NoError(t, err)
		return s.logs.holds(`"error_type":"Fault"`) || len(s.sandbox.Posts(target)) > 1
	})
	require.NoError(t, held.Rollback(s.ctx))
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Equal(t, []string{db.OutcomeUnknown}, s.outcomes(delivery))
	require.Len(t, s.sandbox.Posts(target), 1)
}

func TestAPersonsWordForgivesWhatWasUnknownAndNothingAfterIt(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"TG_HTTP_TIMEOUT": "1s"})
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Times: 5, Reset: true})
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Times: 1, RetryAfter: 1})
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Times: 1, Reset: true})
	delivery := s.waits(s.send(chat, lost(1)))
	require.Equal(t, protocol.StatusUnknown, delivery.Status, "five copies may be out: that is enough, whatever the policy")
	require.Len(t, s.outcomes(delivery), 5)
	_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Equal(t, []string{db.OutcomeUnknown, db.OutcomeUnknown, db.OutcomeUnknown, db.OutcomeUnknown, db.OutcomeUnknown,
		db.OutcomeRateLimited, db.OutcomeUnknown, db.OutcomeSent}, s.outcomes(delivery))
	require.Len(t, s.sandbox.Messages(chatID), 1)
}
