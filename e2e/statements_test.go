package e2e

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
	"vestnik/starter"
	"vestnik/worker"
)

// statements counts what is asked of Postgres, by the names in db/queries.
type statements struct {
	mu    sync.Mutex
	count map[string]int
}

var queryName = regexp.MustCompile(`^-- name: (\w+)`)

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	name := data.SQL
	if found := queryName.FindStringSubmatch(data.SQL); found != nil {
		name = found[1]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[name]++
	return ctx
}

// take returns what was counted and begins anew.
func (s *statements) take() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.count
	s.count = map[string]int{}
	return taken
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// The figures stand in docs/scale.md.
func TestADeliveryTakesFewStatementsOfPostgres(t *testing.T) {
	const posts = 20
	s := newHarness(t, toChat)
	asked := &statements{count: map[string]int{}}
	config := s.pool.Config()
	config.ConnConfig.Tracer = asked
	pool, err := pgxpool.NewWithConfig(s.ctx, config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	counted := *s // what the test asks of Postgres itself is not
	counting, err := starter.New(s.cfg, pool, s.temporal, s.telemetry.Logger)
	require.NoError(t, err)
	counted.parts = &parts{cfg: s.cfg, telemetry: s.telemetry, temporal: s.temporal, clients: worker.NewClients(counting)}
	stop := counted.work()
	s.pauseLane(chat, "until all are queued", "")
	s.publish(lostPets(posts)...)
	s.scan()
	s.until("all wait", func() bool { return s.lane(chat).Queued == posts })
	owing := asked.take()
	require.Equal(t, posts, owing["OweDelivery"])
	require.LessOrEqual(t, owing["MarkStarted"], 2, "of them all, at once")

	s.openLane(chat)
	for _, delivery := range s.deliveries(chat) {
		require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	}
	stop()
	sending, total := asked.take(), 0
	for _, name := range slices.Sorted(maps.Keys(sending)) {
		t.Log(sending[name], name)
		total += sending[name]
	}
	perDelivery := float64(total) / posts
	t.Logf("%.1f statements a delivery, its share of the lane's among them", perDelivery)
	require.LessOrEqual(t, perDelivery, 7.0, "a round of recovery may be among them")
}
