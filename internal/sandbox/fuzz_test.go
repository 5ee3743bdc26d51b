package sandbox_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

// fuzzed is a sandbox for a fuzz test. Photos are not fetched from anywhere.
func fuzzed(f *testing.F) *sandbox.Server {
	f.Helper()
	s, err := sandbox.Start(context.Background(), sandbox.Options{Limits: sandbox.NoLimits, PhotoTimeout: time.Nanosecond})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, s.Close()) })
	require.NoError(f, s.AddBot(sandbox.Bot{Token: botToken}))
	require.NoError(f, s.AddChat(sandbox.Chat{ID: groupChat, Type: sandbox.Supergroup, Forum: true, Topics: []sandbox.Topic{{ID: 5}}}))
	require.NoError(f, s.AddWall(sandbox.Wall{OwnerID: ownWall, ScreenName: "test_wall"}))
	require.NoError(f, s.AddVKToken(sandbox.VKToken{Value: "user-key", Kind: sandbox.UserToken, Owner: -ownWall, PerSecond: -1, DailyWallGet: -1}))
	require.NoError(f, s.ChangeWall(ownWall, func(w *sandbox.Wall) { w.Writers = []string{"user"} }))
	return s
}

// answers requires that a request is answered with JSON: a panic would cut
// the connection.
func answers(t *testing.T, r *http.Request) {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.True(t, json.Valid(body), string(body))
}

func FuzzTelegramBodies(f *testing.F) {
	s := fuzzed(f)
	for _, seed := range []struct{ method, body string }{
		{"sendMessage", `{"chat_id":-1009000000001,"text":"<b>a</b>","parse_mode":"HTML","message_thread_id":5}`},
		{"sendMessage", `{"chat_id":"@x","text":"a","reply_markup":{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]},"entities":[{"type":"bold","offset":0,"length":1}]}`},
		{"sendMediaGroup", `{"chat_id":-1009000000001,"media":[{"type":"photo","media":"a"},{"type":"photo","media":"attach://x"}]}`},
		{"editMessageText", `{"chat_id":-1009000000001,"message_id":1,"text":"a","link_preview_options":{"url":"x"}}`},
		{"answerCallbackQuery", `{"callback_query_id":"1"}`},
		{"setWebhook", `{"url":"","allowed_updates":["message"]}`},
		{"getChatMember", `{"chat_id":-1009000000001,"user_id":1}`},
		{"getUpdates", `{"offset":-1,"timeout":0}`},
		{"deleteWebhook", `null`},
	} {
		f.Add(seed.method, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, body string) {
		if strings.ContainsAny(method, "/?#%") || strings.EqualFold(method, "getUpdates") && strings.Contains(body, "timeout") {
			return // another path, or a long poll
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/bot"+botToken+"/"+method, strings.NewReader(body))
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", "application/json")
		answers(t, r)
	})
}

func FuzzVKBodies(f *testing.F) {
	s := fuzzed(f)
	for _, seed := range []struct{ method, body string }{
		{"wall.get", "owner_id=-77&count=5&v=5.199"},
		{"wall.post", "owner_id=-77&message=a&attachments=photo-1_2_k,https://vk.com/a&guid=x&copyright=https://vk.com/wall-77_1&v=5.131"},
		{"wall.getById", "posts=-77_1,-77_2_k&v=5.199"},
		{"photos.saveWallPhoto", "photo=[1]&server=1&hash=x&v=5.199"},
		{"wall.edit", "owner_id=-77&post_id=1&message=b&v=5.199"},
	} {
		f.Add(seed.method, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, body string) {
		if method == "" || strings.ContainsAny(method, "/?#%") || strings.Trim(method, ".") == "" {
			return // another path
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.VKURL()+method, strings.NewReader(body))
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "Bearer user-key")
		answers(t, r)
	})
}
