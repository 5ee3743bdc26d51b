package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/telegram"
)

// hangUp resets the connection, or first says something and then closes it.
func hangUp(say string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		if say == "" {
			_ = conn.(*net.TCPConn).SetLinger(0)
		}
		_, _ = io.WriteString(conn, say)
		_ = conn.Close()
	}
}

func with(handler http.HandlerFunc, header, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(header, value)
		handler(w, r)
	}
}

func TestEveryKindOfBadAnswerIsATypedError(t *testing.T) {
	t.Parallel()
	page := "<html><body><h1>502 Bad Gateway</h1>SECRET token_of Мурка</body></html>"
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		class   telegram.Class
		action  telegram.Action
		status  int
		maybe   bool // it may have happened
	}{
		"500 of Telegram":               {answer(500, `{"ok":false,"error_code":500,"description":"Internal Server Error: restart"}`), telegram.Unavailable, telegram.Retry, 500, true},
		"502 as a page":                 {answer(502, page), telegram.Unavailable, telegram.Retry, 502, true},
		"503 with nothing":              {answer(503, ""), telegram.Unavailable, telegram.Retry, 503, true},
		"504 with nothing":              {answer(504, ""), telegram.Unavailable, telegram.Retry, 504, true},
		"500 with a success in it":      {answer(500, sentMessage), telegram.Unavailable, telegram.Retry, 500, true},
		"a redirect":                    {with(answer(302, ""), "Location", "/bot"+token+"/elsewhere"), telegram.Unavailable, telegram.Retry, 302, false},
		"a permanent redirect":          {with(answer(308, ""), "Location", "https://elsewhere.example/SECRET"), telegram.Unavailable, telegram.Retry, 308, false},
		"429 as a page":                 {with(answer(429, page), "Retry-After", "7"), telegram.RateLimited, telegram.Cool, 429, false},
		"403 as a page":                 {answer(403, page), telegram.Forbidden, telegram.Park, 403, false},
		"404 as a page":                 {answer(404, page), telegram.Unauthorized, telegram.Park, 404, false},
		"400 with nothing":              {answer(400, ""), telegram.BadRequest, telegram.Fail, 400, false},
		"a refusal in a 200":            {answer(200, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`), telegram.ChatNotFound, telegram.Park, 200, false},
		"a refusal without a code":      {answer(200, `{"ok":false}`), telegram.BadRequest, telegram.Fail, 200, false},
		"200 as a page":                 {answer(200, page), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"200 with nothing":              {answer(200, ""), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"an empty object":               {answer(200, `{}`), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"a success without a result":    {answer(200, `{"ok":true}`), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"a success with null":           {answer(200, `{"ok":true,"result":null}`), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"a success without an id":       {answer(200, `{"ok":true,"result":{"chat":{"id":5}}}`), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"a success of another type":     {answer(200, `{"ok":true,"result":[]}`), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"truncated JSON":                {answer(200, sentMessage[:40]), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"more than a megabyte":          {answer(200, `{"ok":true,"result":"`+strings.Repeat("x", 1<<20)+`"}`), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"gzip that is none":             {with(answer(200, page), "Content-Encoding", "gzip"), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"502 with gzip that is none":    {with(answer(502, page), "Content-Encoding", "gzip"), telegram.Unavailable, telegram.Retry, 502, true},
		"a reset":                       {hangUp(""), telegram.OutcomeUnknown, telegram.AskOrRetry, 0, true},
		"the end in the middle":         {hangUp("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"ok\":true"), telegram.OutcomeUnknown, telegram.AskOrRetry, 200, true},
		"something that is not HTTP":    {hangUp("SECRET token_of\r\n\r\n"), telegram.OutcomeUnknown, telegram.AskOrRetry, 0, true},
		"no answer within the deadline": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, telegram.OutcomeUnknown, telegram.AskOrRetry, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.handler)
			client := newClient(t, s.URL, func(c *telegram.Config) { c.Timeout = 5 * time.Second })
			err := send(t.Context(), client)
			fault := refused(t, err)
			require.Equal(t, c.class, fault.Class, err)
			require.Equal(t, c.action, fault.Action())
			require.Equal(t, c.status, fault.HTTPStatus)
			require.Equal(t, "sendMessage", fault.Method)
			require.Equal(t, c.maybe, fault.MayHaveHappened())
			require.True(t, fault.Written)
			require.NotContains(t, err.Error(), "html")
			require.NotContains(t, err.Error(), "Мурка")
			require.Equal(t, 1, s.count(), "one call is one request")
		})
	}
}

func TestParametersOfARefusalAreRead(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(429, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}`))
	fault := refused(t, send(t.Context(), newClient(t, s.URL)))
	require.Equal(t, 5*time.Second, fault.RetryAfter)
	require.Equal(t, 429, fault.Code)
	require.Equal(t, "telegram: sendMessage: rate_limited 429: Too Many Requests: retry after 5 (retry after 5s)", fault.Error())

	s = serve(t, with(answer(429, `{"ok":false,"error_code":429}`), "Retry-After", "12"))
	require.Equal(t, 12*time.Second, refused(t, send(t.Context(), newClient(t, s.URL))).RetryAfter)

	s = serve(t, with(answer(429, "later"), "Retry-After", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)))
	require.InDelta(t, 60, refused(t, send(t.Context(), newClient(t, s.URL))).RetryAfter.Seconds(), 5)

	s = serve(t, answer(400, `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1001234567890123}}`))
	fault = refused(t, send(t.Context(), newClient(t, s.URL)))
	require.Equal(t, telegram.Migrated, fault.Class)
	require.Equal(t, int64(-1001234567890123), fault.MigrateToChatID)
}

func TestAnAlbumWithFewerMessagesThanItemsIsAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"ok":true,"result":[{"message_id":8,"chat":{"id":5}}]}`))
	err := sendAlbum(t, newClient(t, s.URL), telegram.Photo{URL: "https://cdn.example/1.jpg"}, telegram.Photo{Bytes: []byte("x")})
	require.Equal(t, telegram.OutcomeUnknown, refused(t, err).Class)
}

func TestWhatFailsBeforeTheRequestIsOutIsUnreachableAndDidNotHappen(t *testing.T) {
	t.Parallel()
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		s := serve(t, answer(200, sentMessage))
		s.Close()
		requireUnreachable(t, send(t.Context(), newClient(t, s.URL)))
	})
	t.Run("no trust", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewUnstartedServer(answer(200, sentMessage))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		requireUnreachable(t, send(t.Context(), newClient(t, s.URL)))
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := serve(t, answer(200, sentMessage))
		err := send(ctx, newClient(t, s.URL))
		requireUnreachable(t, err)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("a large file that the server does not take within the deadline", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		client := newClient(t, "http://"+listener.Addr().String(), func(c *telegram.Config) { c.Timeout = 300 * time.Millisecond })
		_, err = client.SendPhoto(t.Context(), telegram.PhotoMessage{Target: telegram.Target{Chat: "5"}, Photo: telegram.Photo{Bytes: make([]byte, 64<<20)}})
		requireUnreachable(t, err)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, refused(t, err).Timeout)
	})
}

func requireUnreachable(t *testing.T, err error) {
	t.Helper()
	fault := refused(t, err)
	require.Equal(t, telegram.Unreachable, fault.Class, err)
	require.False(t, fault.Written)
	require.False(t, fault.MayHaveHappened())
	require.Equal(t, telegram.Retry, fault.Action())
}

func TestADeadlineCanBeRecognisedThroughWrapping(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	client := newClient(t, s.URL, func(c *telegram.Config) { c.Timeout = 200 * time.Millisecond })
	err := fmt.Errorf("delivery: %w", send(t.Context(), client))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var fault *telegram.Error
	require.True(t, errors.As(err, &fault))
	require.True(t, fault.Timeout)
}

// FuzzAnyAnswerIsASuccessOrATypedError sends arbitrary bytes as the answer's body.
func FuzzAnyAnswerIsASuccessOrATypedError(f *testing.F) {
	f.Add(200, []byte(sentMessage))
	f.Add(429, []byte(`{"ok":false,"parameters":{"retry_after":"5"},"error_code":"429"}`))
	f.Add(200, []byte(`{"ok":true,"result":{"message_id":"7"}}`))
	f.Add(400, []byte(`{"ok":false,"error_code":400,"description":{"a":1}}`))
	f.Add(200, []byte(`[[[`))
	bodies := make(chan func(http.ResponseWriter), 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { (<-bodies)(w) }))
	f.Cleanup(server.Close)
	client, err := telegram.New(telegram.Config{Token: token, BaseURL: server.URL})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		bodies <- func(w http.ResponseWriter) {
			w.WriteHeader(200 + (status%400+400)%400)
			_, _ = w.Write(body)
		}
		err := send(t.Context(), client)
		if err == nil {
			return
		}
		var fault *telegram.Error
		require.ErrorAs(t, err, &fault)
		require.NotEmpty(t, fault.Class)
		require.LessOrEqual(t, len([]rune(err.Error())), 300)
	})
}
