package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/SevereCloud/vksdk/v2/api"
	tgbot "github.com/go-telegram/bot"
	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

const aMessage = `{"chat_id":-1009000000001,"text":"a"}`

// raw sends a message and gives the bare answer.
func (b *harness) raw(ctx context.Context, body string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URL()+"/bot"+botToken+"/sendMessage", strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return response, string(content), err
}

func (b *harness) fault(f sandbox.Fault) string {
	b.t.Helper()
	id, err := b.SetFault(f)
	require.NoError(b.t, err)
	return id
}

func TestEachFaultDoesWhatItSays(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		fault  sandbox.Fault
		status int
		body   string
		stored int
	}{
		"a code":                   {sandbox.Fault{Code: 403, Description: "Forbidden: x"}, 403, `{"description":"Forbidden: x","error_code":403,"ok":false}`, 0},
		"a status":                 {sandbox.Fault{Status: 500}, 500, `{"description":"Internal Server Error","error_code":500,"ok":false}`, 0},
		"a code in another status": {sandbox.Fault{Status: 200, Code: 400, Description: "Bad Request: x"}, 200, `"error_code":400`, 0},
		"retry_after":              {sandbox.Fault{RetryAfter: 7}, 429, `"parameters":{"retry_after":7}`, 0},
		"migrate_to_chat_id":       {sandbox.Fault{MigrateToChatID: -1005}, 400, `"parameters":{"migrate_to_chat_id":-1005}`, 0},
		"a raw body":               {sandbox.Fault{Status: 502, Body: "<h1>Bad Gateway</h1>"}, 502, "<h1>Bad Gateway</h1>", 0},
		"garbage for gzip":         {sandbox.Fault{GzipGarbage: true}, 502, "this is no gzip", 0},
		"accept and then fail":     {sandbox.Fault{AcceptThenFail: true}, 500, `"error_code":500`, 1},
		"accept and then 502":      {sandbox.Fault{AcceptThenFail: true, Status: 502, Body: "x"}, 502, "x", 1},
		"a delay":                  {sandbox.Fault{DelayMS: 1}, 200, `"ok":true`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			row.fault.Platform, row.fault.Method, row.fault.Times = sandbox.Telegram, "sendMessage", 1
			id := b.fault(row.fault)
			response, body, err := b.raw(t.Context(), aMessage)
			require.NoError(t, err)
			require.Equal(t, row.status, response.StatusCode)
			require.Contains(t, body, row.body)
			require.Len(t, b.Messages(groupChat), row.stored)
			call := b.Calls(sandbox.CallFilter{})[0]
			require.Equal(t, id, call.Fault)
			require.Len(t, call.Stored, row.stored)
			if row.fault.DelayMS == 0 {
				require.Equal(t, sandbox.Faulted, call.Outcome)
			}
			if row.fault.RetryAfter > 0 {
				require.Equal(t, "7", response.Header.Get("Retry-After"))
			}
			require.True(t, b.say("sendMessage", aMessage).OK, "one time only")
			require.Equal(t, 1, b.Faults()[0].Used)
		})
	}
}

func TestAResetCutsTheConnectionAfterTheBodyWasRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.fault(sandbox.Fault{Reset: true, Times: 1})
	_, _, err := b.raw(t.Context(), aMessage)
	require.True(t, errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF), "%v", err)
	call := b.Calls(sandbox.CallFilter{})[0]
	require.Equal(t, "a", call.Text("text"))
	require.Zero(t, call.Status)
	require.Empty(t, b.Messages(groupChat))

	b.fault(sandbox.Fault{AcceptThenFail: true, Reset: true, Times: 1})
	_, _, err = b.raw(t.Context(), aMessage)
	require.Error(t, err)
	require.Len(t, b.Messages(groupChat), 1, "done, though nobody was told")
}

func TestAHangLastsUntilTheCallerLeaves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.fault(sandbox.Fault{Hang: true, Times: 1})
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { _, _, err := b.raw(ctx, aMessage); gone <- err }()
	waiting, err := b.WaitForCalls(soon(t), sandbox.CallFilter{Method: "sendMessage", Arrived: true}, 1)
	require.NoError(t, err)
	require.Equal(t, sandbox.Pending, waiting[0].Outcome)
	require.Empty(t, b.Calls(sandbox.CallFilter{Method: "sendMessage"}), "not answered: only arrived")
	leave()
	require.ErrorIs(t, <-gone, context.Canceled)
	left, err := b.WaitForCalls(soon(t), sandbox.CallFilter{Outcome: sandbox.ClientGone}, 1)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestClosingEndsHangingCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.fault(sandbox.Fault{Hang: true})
	gone := make(chan error, 1)
	go func() { _, _, err := b.raw(t.Context(), aMessage); gone <- err }()
	_, err := b.WaitForCalls(soon(t), sandbox.CallFilter{Arrived: true}, 1)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	require.Error(t, <-gone)
}

func TestFaultsChooseTheirCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.AddChat(sandbox.Chat{ID: 42, Type: sandbox.PrivateChat, Title: "Аня"}))
	b.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendmessage", Chat: "42", After: 1, Times: 2, Code: 500})
	var got []bool
	for range 5 {
		got = append(got, b.say("sendMessage", `{"chat_id":42,"text":"a"}`).OK)
		require.True(t, b.say("sendMessage", aMessage).OK, "another chat")
		require.True(t, b.say("getMe", `{}`).OK, "another method")
	}
	require.Equal(t, []bool{true, false, false, true, true}, got)

	id := b.fault(sandbox.Fault{Code: 500})
	require.False(t, b.say("getMe", `{}`).OK)
	require.True(t, b.ClearFault(id))
	require.False(t, b.ClearFault(id))
	require.True(t, b.say("getMe", `{}`).OK)
	b.fault(sandbox.Fault{Code: 500})
	b.ClearFaults()
	require.True(t, b.say("getMe", `{}`).OK)
}

func TestVKFaultsHaveVKsForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	client := b.vk("service-key")
	b.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Code: 29, Times: 1})
	_, err := client.WallGet(api.Params{"owner_id": ownWall})
	require.ErrorIs(t, err, api.ErrRateLimit)

	b.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Code: 14, Times: 1})
	_, err = client.WallGet(api.Params{"owner_id": ownWall})
	var captcha *api.Error
	require.ErrorAs(t, err, &captcha)
	require.NotEmpty(t, captcha.RedirectURI)

	b.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Status: 502, Times: 1})
	_, err = client.WallGet(api.Params{"owner_id": ownWall})
	var html *api.InvalidContentType
	require.ErrorAs(t, err, &html)

	_, err = client.WallGet(api.Params{"owner_id": ownWall})
	require.NoError(t, err)
}

func TestTheTelegramLibrarySeesA429(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.fault(sandbox.Fault{RetryAfter: 5, Times: 1})
	_, err := b.bot.SendMessage(t.Context(), &tgbot.SendMessageParams{ChatID: groupChat, Text: "a"})
	var tooMany *tgbot.TooManyRequestsError
	require.ErrorAs(t, err, &tooMany)
	require.Equal(t, 5, tooMany.RetryAfter)
}

func TestWaitingForCallsWakesAtTheRightOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var seen atomic.Int32
	done := make(chan []sandbox.Call, 1)
	go func() {
		calls, err := b.WaitForCalls(soon(t), sandbox.CallFilter{Method: "sendMessage", Match: func(c sandbox.Call) bool { seen.Add(1); return c.Text("text") == "b" }}, 2)
		if err == nil {
			done <- calls
		}
		close(done)
	}()
	for _, text := range []string{"a", "b", "a", "b"} {
		require.True(t, b.say("sendMessage", `{"chat_id":-1009000000001,"text":"`+text+`"}`).OK)
	}
	require.Len(t, <-done, 2)
	require.Positive(t, seen.Load())

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := b.WaitForCalls(ctx, sandbox.CallFilter{Method: "sendPhoto"}, 1)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "waited for 1 calls of sendPhoto, saw 0")
}

func TestOldCallsAreForgottenInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *sandbox.Options) { o.MaxCalls = 3 })
	for range 5 {
		b.say("getMe", `{}`)
	}
	calls := b.Calls(sandbox.CallFilter{})
	require.Len(t, calls, 3)
	require.Equal(t, int64(3), calls[0].Seq)
	require.Len(t, b.Calls(sandbox.CallFilter{After: 4}), 1)
	b.ClearCalls()
	require.Empty(t, b.Calls(sandbox.CallFilter{}))
}

func TestATruncatedRequestIsNoCall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", b.Addr())
	require.NoError(t, err)
	var request bytes.Buffer
	request.WriteString("POST /bot" + botToken + "/sendMessage HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"chat_id\"")
	_, err = conn.Write(request.Bytes())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	calls, err := b.WaitForCalls(soon(t), sandbox.CallFilter{Method: "sendMessage"}, 1)
	require.NoError(t, err)
	require.NotEqual(t, sandbox.Accepted, calls[0].Outcome)
	require.Empty(t, b.Messages(groupChat))
}
