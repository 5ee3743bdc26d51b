package protocol_test

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
)

func TestABacklogIsReadAsItWasWrittenAndTenThousandTapsFitARunsInput(t *testing.T) {
	t.Parallel()
	for _, taps := range []int{0, 1, 99, 100, 10_000} {
		carried := protocol.SessionCarry{Queue: make(protocol.Backlog, 0, taps)}
		for i := range taps {
			trace := make([]byte, 16)
			_, _ = rand.Read(trace)
			query, err := rand.Int(rand.Reader, big.NewInt(1e18))
			require.NoError(t, err)
			carried.Queue = append(carried.Queue, protocol.Waiting{Answered: i%2 == 0, Update: protocol.BotUpdate{
				ID: 700_000_000 + int64(i), TraceID: hex.EncodeToString(trace), Kind: protocol.BotCallback, UserID: 5_550_000_001, ChatID: 5_550_000_001,
				Data: fmt.Sprintf("page:place:0:%d", i), CallbackID: query.String(), MessageID: 22,
			}})
		}
		text, err := json.Marshal(carried)
		require.NoError(t, err)
		require.Less(t, len(text), 1_500_000)
		var read protocol.SessionCarry
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, len(carried.Queue), len(read.Queue))
		for i, waiting := range carried.Queue {
			require.Equal(t, waiting, read.Queue[i])
		}
		if taps == 10_000 {
			t.Logf("%d bytes a tap", len(text)/taps)
		}
	}
	require.Error(t, json.Unmarshal([]byte(`{"queue":"AAAA"}`), new(protocol.SessionCarry)))
}
