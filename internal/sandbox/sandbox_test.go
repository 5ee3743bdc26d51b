package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/SevereCloud/vksdk/v2/api"
	tgbot "github.com/go-telegram/bot"
	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

const (
	botToken  = "7000000009:AAtest-bot-000000000000000000000000"
	botID     = int64(7000000009)
	groupChat = int64(-1009000000001)
	ownWall   = int64(-77)
)

// harness is a sandbox with one bot in one group, one wall, and a token of each
// kind.
type harness struct {
	*sandbox.Server
	t     *testing.T
	clock *clock
	bot   *tgbot.Bot
}

func setup(t *testing.T, change ...func(*sandbox.Options)) *harness {
	t.Helper()
	b := &harness{t: t, clock: &clock{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}}
	options := sandbox.Options{Clock: b.clock.now, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), WebhookRetry: time.Millisecond}
	for _, c := range change {
		c(&options)
	}
	var err error
	b.Server, err = sandbox.Start(context.Background(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	require.NoError(t, b.AddBot(sandbox.Bot{Token: botToken, Username: "test_bot"}))
	require.NoError(t, b.AddChat(sandbox.Chat{ID: groupChat, Type: sandbox.Supergroup, Title: "Потеряшки", Limits: &sandbox.NoLimits}))
	require.NoError(t, b.AddWall(sandbox.Wall{OwnerID: ownWall, ScreenName: "test_wall", Name: "Стена", Writers: []string{"user"}}))
	for _, k := range []sandbox.VKToken{
		{Name: "service", Value: "service-key", Kind: sandbox.ServiceToken},
		{Name: "community", Value: "community-key", Kind: sandbox.CommunityToken, Owner: -ownWall},
		{Name: "user", Value: "user-key", Kind: sandbox.UserToken, Owner: 501, PerSecond: -1},
		{Name: "mute", Value: "mute-key", Kind: sandbox.UserToken, Owner: 503, Rights: []string{"friends"}},
	} {
		require.NoError(t, b.AddVKToken(k))
	}
	b.bot, err = tgbot.New(botToken, tgbot.WithServerURL(b.TelegramURL()), tgbot.WithSkipGetMe())
	require.NoError(t, err)
	return b
}

// telegramAnswer is the envelope of the Bot API.
type telegramAnswer struct {
	Status      int
	Header      http.Header
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// say calls a Bot API method with a JSON body.
func (b *harness) say(method, params string) telegramAnswer {
	b.t.Helper()
	return b.post(b.URL()+"/bot"+botToken+"/"+method, "application/json", strings.NewReader(params))
}

func (b *harness) post(address, contentType string, body io.Reader) telegramAnswer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, address, body)
	require.NoError(b.t, err)
	r.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(r)
	require.NoError(b.t, err)
	defer func() { _ = response.Body.Close() }()
	answer := telegramAnswer{Status: response.StatusCode, Header: response.Header}
	require.NoError(b.t, json.NewDecoder(response.Body).Decode(&answer))
	return answer
}

// vkAnswer is the envelope of the VK API.
type vkAnswer struct {
	Response json.RawMessage `json:"response"`
	Error    *struct {
		Code    int                 `json:"error_code"`
		Subcode int                 `json:"error_subcode"`
		Message string              `json:"error_msg"`
		Params  []map[string]string `json:"request_params"`
	} `json:"error"`
}

// ask calls a VK method; params is a query string without v.
func (b *harness) ask(token, method, params string) vkAnswer {
	b.t.Helper()
	values, err := url.ParseQuery(params)
	require.NoError(b.t, err)
	if !values.Has("v") {
		values.Set("v", "5.199")
	}
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.VKURL()+method, strings.NewReader(values.Encode()))
	require.NoError(b.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(b.t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(b.t, http.StatusOK, response.StatusCode)
	body, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	require.NotContains(b.t, string(body), "-key", "an answer repeats the token")
	var answer vkAnswer
	require.NoError(b.t, json.NewDecoder(bytes.NewReader(body)).Decode(&answer))
	return answer
}

// vkPosted is the post id of a wall.post that must have worked.
func (b *harness) vkPosted(token, params string) int64 {
	b.t.Helper()
	answer := b.ask(token, "wall.post", params)
	require.Nil(b.t, answer.Error)
	var posted struct {
		ID int64 `json:"post_id"`
	}
	require.NoError(b.t, json.Unmarshal(answer.Response, &posted))
	require.Positive(b.t, posted.ID)
	return posted.ID
}

func (b *harness) vk(token string) *api.VK {
	client := api.NewVK(token)
	client.MethodURL = b.VKURL()
	client.Limit = 0
	client.Version = "5.199"
	return client
}

// soon is a deadline for what must happen at once.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestStartNamesTheBusyPort(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := sandbox.Start(t.Context(), sandbox.Options{Addr: b.Addr()})
	require.ErrorContains(t, err, b.Addr())
	require.ErrorContains(t, err, "is another sandbox running there?")
}

func TestManySandboxesRunSideBySide(t *testing.T) {
	t.Parallel()
	for range 30 {
		b := setup(t)
		require.True(t, b.say("sendMessage", `{"chat_id":-1009000000001,"text":"a"}`).OK)
		require.Len(t, b.Messages(groupChat), 1)
	}
}
