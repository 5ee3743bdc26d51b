package telegram_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/telegram"
)

const token = "4200:SECRET-token_of-the-herald"

// request is one call as the server saw it.
type request struct {
	Path, Query, ContentType string
	Length                   int64
	Body                     string
	Files                    map[string]string
}

// server is a Bot API server that answers what the test says and remembers what it was asked.
type server struct {
	*httptest.Server

	mu       sync.Mutex
	requests []request
}

func (s *server) last(t *testing.T) request {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(t, s.requests)
	return s.requests[len(s.requests)-1]
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// serve starts a server whose handler sees each request after it was read.
func serve(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := request{Path: r.URL.Path, Query: r.URL.RawQuery, ContentType: r.Header.Get("Content-Type"), Length: r.ContentLength}
		if strings.HasPrefix(seen.ContentType, "multipart/") {
			seen.Files = map[string]string{}
			if err := r.ParseMultipartForm(1 << 20); err != nil {
				t.Error(err)
				return
			}
			for name, files := range r.MultipartForm.File {
				file, err := files[0].Open()
				if err != nil {
					t.Error(err)
					return
				}
				content, _ := io.ReadAll(file)
				seen.Files[name] = string(content)
			}
			for name, values := range r.MultipartForm.Value {
				seen.Body += name + "=" + values[0] + "\n"
			}
		} else {
			body, _ := io.ReadAll(r.Body)
			seen.Body = string(body)
		}
		s.mu.Lock()
		s.requests = append(s.requests, seen)
		s.mu.Unlock()
		handler(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// answer is a handler that always answers the same.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const sentMessage = `{"ok":true,"result":{"message_id":7,"date":1764000000,"chat":{"id":-100123,"type":"supergroup"},"text":"x"}}`

// newClient is a client of the address with a short timeout.
func newClient(t *testing.T, url string, change ...func(*telegram.Config)) *telegram.Client {
	t.Helper()
	config := telegram.Config{Token: token, BaseURL: url, Timeout: 5 * time.Second}
	for _, f := range change {
		f(&config)
	}
	client, err := telegram.New(config)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// refused is the call's error, which holds no token however one prints it.
func refused(t *testing.T, err error) *telegram.Error {
	t.Helper()
	var fault *telegram.Error
	require.ErrorAs(t, err, &fault)
	requireNoSecret(t, err)
	return fault
}

func requireNoSecret(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		require.NotContains(t, err.Error(), "SECRET")
		require.NotContains(t, err.Error(), "token_of")
	}
}

// send sends a text in which a person wrote something.
func send(ctx context.Context, client *telegram.Client) error {
	_, err := client.SendMessage(ctx, telegram.TextMessage{Target: telegram.Target{Chat: "-100123"}, Text: "Пропала кошка Мурка"})
	return err
}
