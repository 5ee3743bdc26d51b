package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/testenv"
)

// Each transaction gets another connection, so nothing may rest on what one
// before it has left there.
func TestTheRelayWorksBehindPgBouncer(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			s := newHarness(t, toChat, toWall, map[string]string{
				"DATABASE_URL": testenv.PgBouncer(t, testenv.Database(t)) + "&default_query_exec_mode=" + mode,
			})
			s.work()
			const posts = 5
			s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Times: 1, RetryAfter: 1})
			s.publish(lostPets(posts)...)
			s.scan()
			for _, destination := range []string{chat, wall} {
				deliveries := s.deliveries(destination)
				require.Len(t, deliveries, posts)
				for _, delivery := range deliveries {
					require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
				}
			}
			s.pauseLane(chat, "смотрим", "дежурная")
			require.Equal(t, protocol.LanePaused, s.lane(chat).State)
			s.openLane(chat)
			cases, err := db.NewCases(s.pool).List(s.ctx, db.CaseFilter{LeastPosts: 1})
			require.NoError(t, err)
			require.Len(t, cases, posts)
		})
	}
}
