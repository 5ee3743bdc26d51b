package e2e

import (
	"context"
	"io"
	"maps"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/words"
)

// link is a connection to Postgres that can be cut.
type link struct {
	mu    sync.Mutex
	away  bool
	conns []net.Conn
}

// postgresLink puts a link between the processes of a test and Postgres, and
// returns it with the address to go by.
func postgresLink(t *testing.T, databaseURL string) (*link, string) {
	t.Helper()
	address, err := url.Parse(databaseURL)
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &link{}
	t.Cleanup(func() {
		_ = listener.Close()
		l.cut()
	})
	to := address.Host
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := new(net.Dialer).DialContext(context.Background(), "tcp", to)
			if err != nil || !l.keep(near, far) {
				_ = near.Close()
				continue
			}
			go func() { _, _ = io.Copy(far, near) }()
			go func() { _, _ = io.Copy(near, far) }()
		}
	}()
	address.Host = listener.Addr().String()
	return l, address.String()
}

func (l *link) keep(near, far net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		_ = far.Close()
		return false
	}
	l.conns = append(l.conns, near, far)
	return true
}

// cut takes Postgres away; mend brings it back.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = true
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}

func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = false
}

// newLinkedHarness is a harness whose workers reach Postgres over a link.
func newLinkedHarness(t *testing.T, settings ...map[string]string) (*harness, *harness, *link) {
	t.Helper()
	s := newHarness(t, settings...)
	linked := *s
	linked.environ = maps.Clone(s.environ)
	cut, address := postgresLink(t, s.environ["DATABASE_URL"])
	linked.environ["DATABASE_URL"] = address
	return s, setHarnessBeside(t, &linked), cut
}

func TestPostgresGoesWhileTelegramTakesAMessage(t *testing.T) {
	s, linked, postgres := newLinkedHarness(t, toChat, map[string]string{"TG_HTTP_TIMEOUT": "30s"})
	linked.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Times: 1, DelayMS: 1500})
	delivery := s.send(chat, lost(1))
	s.arrived(toTelegram, 1)
	postgres.cut()
	s.until("Telegram has taken it", func() bool { return len(s.sandbox.Messages(chatID)) == 1 })
	s.until("the activity has handed it to the workflow", func() bool { return s.logs.holds("can't be recorded now") })
	require.Equal(t, protocol.StatusSending, s.again(delivery).Status)
	postgres.mend()
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Zero(t, delivery.Uncertain)
	require.Equal(t, messageIDs(s.sandbox.Messages(chatID)), delivery.MessageIDs, "one message, its ids on record")
	s.keepHistory("DeliverPost/recorded_by_the_workflow", delivery.WorkflowID)
}

func TestPostgresIsAwayWithDeliveriesWaiting(t *testing.T) {
	s, linked, postgres := newLinkedHarness(t, toChat, map[string]string{"TG_RATE_PER_SEC": "0.5"})
	linked.work()
	s.pauseLane(chat, "until all are owed", "")
	posts := s.publish(lostPets(5)...)
	s.scan()
	s.openLane(chat)
	s.afterMessages(1)
	postgres.cut()
	s.until("it is missed", func() bool {
		return s.logs.holds("the database is away") || s.logs.holds("connection refused") || s.logs.holds("EOF")
	})
	postgres.mend()
	for _, post := range posts {
		require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, post.ID)).Status)
	}
	require.Equal(t, upTo(5), numbersIn(t, s.sandbox.Messages(chatID)), "in order, and nobody parks")
}

func TestACallThatCouldNotBeMadeInTimeLeavesNoDoubt(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"TG_HTTP_TIMEOUT": "1s", "ON_UNKNOWN": "park"})
	s.work()
	s.pauseLane(chat, "held for the test", "")
	delivery := s.send(chat, lost(1))
	held, err := s.pool.Begin(s.ctx)
	require.NoError(t, err)
	t.Cleanup(func() { _ = held.Rollback(context.WithoutCancel(s.ctx)) })
	_, err = held.Exec(s.ctx, "SELECT FROM relay.deliveries WHERE id = $1 FOR UPDATE", delivery.ID)
	require.NoError(t, err)
	s.openLane(chat)
	s.until("the attempt waits for its row until its deadline is over", func() (over bool) {
		require.NoError(t, s.pool.QueryRow(s.ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
			AND wait_event_type = 'Lock' AND query LIKE '%BeginAttempt%' AND query_start < clock_timestamp() - interval '3.5 seconds')`).Scan(&over))
		return over
	})
	require.NoError(t, held.Rollback(s.ctx))

	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Zero(t, delivery.Uncertain)
	require.Equal(t, []string{db.OutcomeRetry, db.OutcomeSent}, s.outcomes(delivery))
}

func TestALaneThatIsTerminatedKeepsItsPauseItsRateAndItsQueue(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	words := strings.Repeat("ремонт ", 400) + "\x1b[31m\u0007"
	s.pauseLane(chat, words, "дежурная")
	s.steer(func() error {
		_, err := s.starter.SetRate(s.ctx, chat, protocol.Pace{PerSecond: 20})
		return err
	})
	posts := s.publish(lost(1), lost(2))
	s.scan()
	laneID := protocol.DestinationWorkflowID(chat)
	require.Equal(t, "operator", s.searchable(laneID, protocol.ParkReason.GetName()), "a slug, not 2,800 letters")
	require.NoError(t, s.temporal.TerminateWorkflow(s.ctx, laneID, "", "a test"))

	_, err := s.starter.NudgeOwing(s.ctx) // as recovery does
	require.NoError(t, err)
	s.until("another lane has looked", func() bool {
		return s.searchable(laneID, protocol.DeliveryState.GetName()) == protocol.LanePaused
	})
	state := s.lane(chat)
	require.Equal(t, protocol.LanePaused, state.State)
	require.True(t, strings.HasPrefix(state.Reason, "ремонт ремонт"))
	require.NotContains(t, state.Reason, "\x1b")
	require.Equal(t, "дежурная", state.PausedBy)
	require.InDelta(t, 20, state.RatePerSec, 0)
	require.Equal(t, 2, state.Queued)
	require.Empty(t, s.sandbox.Calls(toTelegram))
	s.openLane(chat)
	for _, post := range posts {
		require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, post.ID)).Status)
	}
}

func TestADeliveryTerminatedInTheMiddleOfItsSendHoldsItsLaneNoLongerThanALease(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"TG_HTTP_TIMEOUT": "5s"})
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Times: 1, Hang: true})
	posts := s.publish(lost(1), lost(2))
	s.scan()
	first := s.delivery(chat, posts[0].ID)
	s.arrived(toTelegram, 1)
	require.NoError(t, s.temporal.TerminateWorkflow(s.ctx, first.WorkflowID, "", "a test"))
	s.until("both have arrived", func() bool { return len(s.sandbox.Messages(chatID)) == 2 })
	require.Equal(t, []int64{1, 2}, numbersIn(t, s.sandbox.Messages(chatID)))
	first = s.ended(first)
	require.Equal(t, protocol.StatusSent, first.Status)
	require.Equal(t, 1, first.Uncertain, "nobody could know of the one that was cut off")
}

// restored makes the ledger what it was before it knew anything, as a restore
// from an old backup does; sequences hand out their numbers again.
func (s *harness) restored() {
	s.t.Helper()
	_, err := s.pool.Exec(s.ctx, "TRUNCATE relay.posts, relay.walls, relay.cases, relay.destinations RESTART IDENTITY CASCADE")
	require.NoError(s.t, err)
}

func TestPostgresRestoredFromABackupSendsNothingTwice(t *testing.T) {
	s := newHarness(t, toChat, toWall)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", After: 2, Times: 1, Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"})
	posts := s.publish(lost(1), lost(2), lost(3), lost(4))
	s.scan()
	for _, post := range posts {
		s.ended(s.delivery(wall, post.ID))
	}
	for _, post := range posts[:2] {
		s.ended(s.delivery(chat, post.ID))
	}
	parked := s.waits(s.delivery(chat, posts[2].ID)) // and the fourth waits behind it

	s.restored()
	s.publish(lost(5)) // takes the number that another had
	s.scan()
	_, err := s.starter.Reconcile(s.ctx)
	require.NoError(t, err)
	for _, post := range posts {
		d := s.delivery(wall, post.ID)
		s.until("the ledger has learned", func() bool { return s.again(d).Status == protocol.StatusSent })
	}
	for _, post := range posts[:2] {
		d := s.delivery(chat, post.ID)
		s.until("the ledger has learned", func() bool { return s.again(d).Status == protocol.StatusSent })
		require.Len(t, s.again(d).MessageIDs, 1)
	}
	row := s.delivery(chat, posts[2].ID)
	s.until("what waited for a person does so again", func() bool { return s.again(row).Status == protocol.StatusParked })
	_, err = s.starter.Resume(s.ctx, row.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	require.Equal(t, parked.WorkflowID, row.WorkflowID)
	s.until("all have arrived", func() bool { return len(s.sandbox.Messages(chatID)) == 5 && len(s.sandbox.Posts(target)) == 5 })
	for _, delivery := range s.deliveries("") {
		require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	}
	require.Len(t, s.sandbox.Messages(chatID), 5, "each once")
	require.Len(t, s.sandbox.Posts(target), 5, "each once")
}

func TestATemporalThatIsLostComesBackByItself(t *testing.T) {
	s := newHarness(t, toChat, toWall)
	stop := s.work()
	require.NoError(t, s.starter.Schedule(s.ctx))
	s.fault(refused)
	parked := s.waits(s.send(chat, lost(1)))
	s.pauseLane(wall, "ночь", "дежурная")
	waiting := s.delivery(wall, parked.PostID)
	stop()
	_, err := s.pool.Exec(s.ctx, "UPDATE relay.deliveries SET run_seen_at = run_seen_at - interval '1 hour'") // some time passes
	require.NoError(t, err)

	// Another Temporal that knows nothing.
	fresh := *s
	fresh.environ = maps.Clone(s.environ)
	fresh.environ["TEMPORAL_NAMESPACE"] = s.environ["TEMPORAL_NAMESPACE"] + "-2"
	require.NoError(t, protocol.PrepareNamespace(s.ctx, s.temporal, fresh.environ["TEMPORAL_NAMESPACE"]))
	fresh.parts, err = assemble(s.ctx, fresh.environ, s.logs, nil)
	require.NoError(t, err)
	t.Cleanup(fresh.close)
	fresh.work()

	for _, id := range []string{protocol.RecoverID, protocol.ScanWallsID} {
		fresh.until("schedule "+id, func() bool {
			_, err := fresh.temporal.ScheduleClient().GetHandle(s.ctx, id).Describe(s.ctx)
			return err == nil
		})
	}
	fresh.until("what waits for a person has a run", func() bool {
		description, err := fresh.temporal.DescribeWorkflow(s.ctx, parked.WorkflowID, "")
		return err == nil && description.Status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	})
	require.Equal(t, protocol.StatusParked, fresh.searchable(parked.WorkflowID, protocol.DeliveryState.GetName()))
	require.Equal(t, protocol.LanePaused, fresh.lane(wall).State)
	fresh.openLane(wall)
	_, err = fresh.starter.Resume(s.ctx, parked.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	fresh.until("both are sent", func() bool {
		return fresh.again(parked).Status == protocol.StatusSent && fresh.again(waiting).Status == protocol.StatusSent
	})
	require.Len(t, s.sandbox.Messages(chatID), 1)
	require.Len(t, s.sandbox.Posts(target), 1)
}

func TestARolloutInTheMiddleOfAScanHoldsUpNothing(t *testing.T) {
	s := newHarness(t, toChat, versioned("1"))
	stop := s.work()
	s.makeCurrent("1")
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Times: 1, DelayMS: 3000})
	s.publish(lost(1))
	require.NoError(t, s.starter.Schedule(s.ctx))
	s.arrived(sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.get"}, 1)

	next := *s
	next.environ = maps.Clone(s.environ)
	maps.Copy(next.environ, versioned("2"))
	newer := setHarnessBeside(t, &next)
	newer.work()
	s.makeCurrent("2")
	stop()

	s.afterMessages(1)
	s.publish(lost(2))
	require.Equal(t, upTo(2), numbersIn(t, s.afterMessages(2)), "the schedule goes on")
}

func TestALaneWhoseHistoryDoesNotFitTheBuildIsBegunAnewWithItsPause(t *testing.T) {
	s := newHarness(t, toChat)
	laneID := protocol.DestinationWorkflowID(chat)
	// A lane of an earlier build: it kept its pause to itself.
	_, err := s.temporal.ExecuteWorkflow(s.ctx, startOf(laneID), protocol.DestinationWorkflow, protocol.DestinationInput{Destination: chat})
	require.NoError(t, err)
	stop := oldLane(t, s)
	s.until("the old lane is paused", func() bool {
		return s.searchable(laneID, protocol.DeliveryState.GetName()) == protocol.LanePaused
	})
	stop()
	post := s.publish(lost(1))[0]
	s.work()
	s.scan()
	delivery := s.delivery(chat, post.ID)
	s.until("recovery has begun the lane anew", func() bool {
		_, err := s.starter.NudgeOwing(s.ctx)
		require.NoError(t, err)
		return s.lane(chat).State == protocol.LanePaused
	})
	require.Equal(t, "forbidden", s.lane(chat).Reason)
	s.openLane(chat)
	require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
}

// oldLane works on lanes as a build did whose code is gone, until it is stopped.
func oldLane(t *testing.T, s *harness) (stop func()) {
	t.Helper()
	w := worker.New(s.temporal, protocol.TaskQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ protocol.DestinationInput) error {
		if err := workflow.UpsertTypedSearchAttributes(ctx,
			protocol.DeliveryState.ValueSet(protocol.LanePaused), protocol.ParkReason.ValueSet("forbidden")); err != nil {
			return err
		}
		return workflow.Sleep(ctx, 24*time.Hour)
	}, workflow.RegisterOptions{Name: protocol.DestinationWorkflow})
	require.NoError(t, w.Start())
	return sync.OnceFunc(w.Stop)
}

func TestManyDeliveriesBehindAPausedLaneSlowNobody(t *testing.T) {
	const many = 20_000
	s := newHarness(t, toChat, toWall)
	s.work()
	s.pauseLane(chat, "ночь", "дежурная")
	first := s.ended(s.send(wall, lost(1)))
	_, err := s.pool.Exec(s.ctx, `
		WITH copied AS (
			INSERT INTO relay.posts (owner_id, post_id, posted_at, text, link, content_hash, type, ruleset_version)
			SELECT -900, n, now(), '', '', '', 'lost', 1 FROM generate_series(1, $1::int) n RETURNING owner_id, post_id
		)
		INSERT INTO relay.deliveries (destination_id, owner_id, post_id, workflow_id, started_at)
		SELECT d.id, c.owner_id, c.post_id, 'deliver/' || d.name || '/wall-900_' || c.post_id, now()
		FROM copied c, relay.destinations d WHERE d.name = $2`, many, chat)
	require.NoError(t, err)
	began := time.Now()
	owing, err := s.starter.NudgeOwing(s.ctx)
	require.NoError(t, err)
	require.Equal(t, 1, owing)
	started, err := s.starter.StartOwed(s.ctx)
	require.NoError(t, err)
	require.Zero(t, started)
	require.Less(t, time.Since(began), 2*time.Second, "a round of recovery does not look at each of them")
	require.Equal(t, protocol.StatusSent, first.Status)
	require.Equal(t, protocol.StatusSent, s.ended(s.send(wall, lost(2))).Status)
	require.GreaterOrEqual(t, s.lane(chat).Queued, many)
}

func TestAPostThatIsTooOldWhenItsTurnComesIsNotSentUnlessAPersonWantsIt(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"DELIVER_MAX_AGE": "3h"})
	s.work()
	s.pauseLane(chat, "", "")
	delivery := s.send(chat, lost(1))
	_, err := s.pool.Exec(s.ctx, "UPDATE relay.posts SET posted_at = posted_at - interval '1 day'")
	require.NoError(t, err)
	s.openLane(chat)
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSuppressed, delivery.Status)
	require.Contains(t, delivery.Reason, "DELIVER_MAX_AGE")
	require.Empty(t, s.sandbox.Messages(chatID))

	_, err = s.starter.Deliver(s.ctx, delivery.OwnerID, delivery.PostID, destinationOf(t, chat))
	require.NoError(t, err)
	s.until("it is sent after all", func() bool { return s.again(delivery).Status == protocol.StatusSent })
}

func TestAPlatformThatIsDownCoolsTheLaneAndAsksNobody(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Times: 6, Status: 500})
	posts := s.publish(lost(1), lost(2), lost(3))
	s.scan()
	s.until("the lane cools", func() bool {
		state := s.lane(chat)
		return state.State == protocol.LaneCooling && state.FailingSince != nil
	})
	for _, post := range posts {
		require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, post.ID)).Status)
	}
	require.Equal(t, upTo(3), numbersIn(t, s.sandbox.Messages(chatID)))
	require.Nil(t, s.lane(chat).FailingSince)
	s.keepHistory("DeliverPost/unavailable_for_a_while", s.delivery(chat, posts[0].ID).WorkflowID)
}

func TestAnUnknownDestinationIsRefusedAndStartsNoLane(t *testing.T) {
	s := newHarness(t, toChat)
	var unknown *words.Unknown
	_, err := s.starter.PauseDestination(s.ctx, "telegram:-5", "", "")
	require.ErrorAs(t, err, &unknown)
	_, err = s.temporal.DescribeWorkflowExecution(s.ctx, protocol.DestinationWorkflowID("telegram:-5"), "")
	require.Error(t, err)
}
