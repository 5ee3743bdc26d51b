package vk_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/vk"
)

const token = "vk1.a.SECRET-key_of.the/herald+=="

// request is one call as the server saw it.
type request struct {
	Path          string
	Authorization string
	Form          url.Values
	FileName      string
	FileType      string
	File          string
}

// server is a VK API and an upload host that answers what the test says and remembers what it was asked.
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
		seen := request{Path: r.URL.Path, Authorization: r.Header.Get("Authorization")}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			file, header, err := r.FormFile("photo")
			if err != nil {
				t.Error(err)
				return
			}
			content, _ := io.ReadAll(file)
			seen.File, seen.FileName, seen.FileType = string(content), header.Filename, header.Header.Get("Content-Type")
		} else if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		seen.Form = r.PostForm
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

// answer is a handler that always answers the same, with VK's content type.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// newClient is a client of the server's /method/.
func newClient(t *testing.T, address string, change ...func(*vk.Config)) *vk.Client {
	t.Helper()
	config := vk.Config{Token: token, BaseURL: address + "/method", Timeout: 5 * time.Second}
	for _, f := range change {
		f(&config)
	}
	client, err := vk.New(config)
	require.NoError(t, err)
	return client
}

// refused is the call's error, which holds no secret however one prints it.
func refused(t *testing.T, err error) *vk.Error {
	t.Helper()
	var fault *vk.Error
	require.ErrorAs(t, err, &fault)
	for ; err != nil; err = errors.Unwrap(err) {
		for _, printed := range []string{err.Error(), fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
			require.NotContains(t, printed, "SECRET")
			require.NotContains(t, printed, "Мурка")
		}
	}
	return fault
}

func publish(t *testing.T, client *vk.Client) error {
	t.Helper()
	_, err := client.WallPost(t.Context(), vk.WallPost{OwnerID: -7, Message: "Пропала кошка Мурка", GUID: "g"})
	return err
}
