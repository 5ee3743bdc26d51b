package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

// Else VK refuses a call of the scan's, and the log of a first minute has an error.
func TestTheQuestionForTitlesKeepsThePaceOfTheKeyThatReads(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"VK_RATE_PER_SEC": "1"})
	s.work()
	s.publish(lost(1))
	s.scan()
	_, err := s.pool.Exec(s.ctx, "DELETE FROM relay.titles")
	require.NoError(t, err)
	require.NoError(t, s.clients.LearnTitles(s.ctx))
	calls := s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK})
	last := calls[len(calls)-1]
	require.Equal(t, "groups.getById", last.Method)
	require.GreaterOrEqual(t, last.ReceivedAt.Sub(calls[len(calls)-2].ReceivedAt), time.Second)
}
