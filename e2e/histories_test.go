package e2e

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"vestnik/internal/sandbox"
)

var refresh = flag.Bool("refresh-histories", false, "write the histories that workflows/replay_test.go replays")

// keepHistory checks that nothing private is in a workflow's history and, with
// -refresh-histories, writes it for the replay test.
func (s *harness) keepHistory(name, workflowID string) {
	s.t.Helper()
	iterator := s.temporal.GetWorkflowHistory(s.ctx, workflowID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	history := &historypb.History{}
	for iterator.HasNext() {
		event, err := iterator.Next()
		require.NoError(s.t, err)
		history.Events = append(history.Events, event)
	}
	text, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(history)
	require.NoError(s.t, err)
	requireNothingPrivate(s.t, history)
	if !*refresh {
		return
	}
	path := filepath.Join("..", "workflows", "testdata", "histories", name+".json")
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s.t, os.WriteFile(path, append(text, '\n'), 0o644))
}

// requireNothingPrivate looks into the payloads as they are stored.
func requireNothingPrivate(t *testing.T, history *historypb.History) {
	t.Helper()
	for _, event := range history.Events {
		stored, err := proto.Marshal(event)
		require.NoError(t, err)
		for _, secret := range private {
			require.False(t, bytes.Contains(stored, []byte(secret)), "event %d holds %q", event.EventId, secret)
		}
	}
}

var numbered = regexp.MustCompile(`Мурка-(\d+)`)

// numbersIn are the numbers of the pets that messages tell about.
func numbersIn(t *testing.T, messages []sandbox.Message) []int64 {
	t.Helper()
	var numbers []int64
	for _, message := range messages {
		found := numbered.FindStringSubmatch(message.Text + message.Caption)
		require.NotNil(t, found, "a message about nobody")
		number, err := strconv.ParseInt(found[1], 10, 64)
		require.NoError(t, err)
		numbers = append(numbers, number)
	}
	return numbers
}
