package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/api"
	"vestnik/internal/config"
	"vestnik/internal/sandbox"
)

func TestACommunityThatCallsIsReadAtOnce(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.scan() // the wall is known
	server := httptest.NewServer(api.NewCallback(api.CallbackConfig{
		Confirmations: map[int64]string{-source: "c0de"}, Secret: config.NewSecret("a callback secret"),
		News: s.starter.WallHasNews, Log: s.starter.Log,
	}))
	t.Cleanup(server.Close)
	call := func(body string) (int, string) {
		answer, err := http.Post(server.URL+api.CallbackPath, "application/json", strings.NewReader(body))
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	event := func(group int64, id, secret, object string) (int, string) {
		return call(fmt.Sprintf(`{"type":"wall_post_new","group_id":%d,"event_id":%q,"secret":%q,"object":%s}`, group, id, secret, object))
	}
	reads := func() int { return len(s.sandbox.Calls(wallGets)) }
	before := reads()

	status, text := call(fmt.Sprintf(`{"type":"confirmation","group_id":%d}`, -source))
	require.Equal(t, 200, status)
	require.Equal(t, "c0de", text)
	status, _ = call(`{"type":"confirmation","group_id":1}`)
	require.Equal(t, 403, status)

	post := s.publish(lost(1))[0]
	object := fmt.Sprintf(`{"id":%d,"owner_id":%d,"post_type":"post","is_pinned":null}`, post.ID, source)
	status, _ = event(-source, "e1", "another secret", object)
	require.Equal(t, 403, status)
	status, _ = event(1, "e1", "a callback secret", object)
	require.Equal(t, 403, status)
	status, text = event(-source, "e0", "a callback secret", `{"post_type":"suggest"}`)
	require.Equal(t, 200, status)
	require.Equal(t, "ok", text)
	require.Equal(t, before, reads())

	for range 3 { // VK calls again when the answer was late
		status, text = event(-source, "e1", "a callback secret", object)
		require.Equal(t, 200, status)
		require.Equal(t, "ok", text)
	}
	require.Equal(t, []int64{1}, numbersIn(t, s.afterMessages(1)), "without a scan")
	require.Equal(t, before+1, reads(), "and once")

	require.NoError(t, s.sandbox.SetCallback(sandbox.Callback{
		GroupID: -source, URL: server.URL + api.CallbackPath, Confirmation: "c0de", Secret: "a callback secret",
	}))
	s.publish(lost(2))
	require.Equal(t, []int64{1, 2}, numbersIn(t, s.afterMessages(2)), "as the sandbox calls, too")
}
