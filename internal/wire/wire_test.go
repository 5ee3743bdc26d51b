package wire_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/wire"
)

const limit = 1 << 10

// ask makes one exchange with a small JSON body, as both clients do.
func ask(t *testing.T, ctx context.Context, url string) (wire.Answer, *wire.Failure) {
	t.Helper()
	transport := wire.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/bot42:SECRET/sendMessage", strings.NewReader(`{"text":"Пропал кот"}`))
	require.NoError(t, err)
	answer, err := wire.Do(transport, req, limit)
	if err == nil {
		return answer, nil
	}
	var failure *wire.Failure
	require.ErrorAs(t, err, &failure)
	require.NotContains(t, err.Error(), "SECRET")
	require.NotContains(t, err.Error(), "Пропал")
	return answer, failure
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// hangUp takes the connection over after the request was read and closes it with a reset.
func hangUp(w http.ResponseWriter, r *http.Request, before string) {
	_, _ = io.Copy(io.Discard, r.Body)
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(conn, before)
	if before == "" {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
	_ = conn.Close()
}

func TestAnAnswerComesBackWholeWithItsStatus(t *testing.T) {
	t.Parallel()
	answer, failure := ask(t, t.Context(), serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, "wait")
	}))
	require.Nil(t, failure)
	require.Equal(t, http.StatusTooManyRequests, answer.Status)
	require.Equal(t, "wait", string(answer.Body))
	require.Equal(t, "3", answer.Header.Get("Retry-After"))
	require.True(t, answer.Written)
}

func TestAGzipAnswerIsDecompressed(t *testing.T) {
	t.Parallel()
	answer, failure := ask(t, t.Context(), serve(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "gzip", r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, "наш ответ")
		_ = z.Close()
	}))
	require.Nil(t, failure)
	require.Equal(t, "наш ответ", string(answer.Body))
}

func TestAGzipHeaderOverAnEmptyBodyIsAnEmptyAnswer(t *testing.T) {
	t.Parallel()
	answer, failure := ask(t, t.Context(), serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(http.StatusBadGateway)
	}))
	require.Nil(t, failure)
	require.Equal(t, http.StatusBadGateway, answer.Status)
	require.Empty(t, answer.Body)
}

func TestARedirectIsAnAnswerAndNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		answer, failure := ask(t, t.Context(), serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("the redirect was followed")
			}
			http.Redirect(w, r, "/elsewhere", status)
		}))
		require.Nil(t, failure)
		require.Equal(t, status, answer.Status)
	}
}

func TestAFailureBeforeTheBodyWasSentIsNotWritten(t *testing.T) {
	t.Parallel()
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, listener.Close())
		_, failure := ask(t, t.Context(), "http://"+listener.Addr().String())
		require.NotNil(t, failure)
		require.False(t, failure.Written)
		require.Contains(t, failure.Error(), "connection refused before the request was sent")
	})
	t.Run("the certificate is not trusted", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = quiet()
		server.StartTLS()
		t.Cleanup(server.Close)
		_, failure := ask(t, t.Context(), server.URL)
		require.NotNil(t, failure)
		require.False(t, failure.Written)
		require.Contains(t, failure.Error(), "certificate")
	})
	t.Run("https is spoken to an http server", func(t *testing.T) {
		t.Parallel()
		url := serve(t, func(http.ResponseWriter, *http.Request) {})
		_, failure := ask(t, t.Context(), "https"+strings.TrimPrefix(url, "http"))
		require.NotNil(t, failure)
		require.False(t, failure.Written)
	})
	t.Run("the caller has given up already", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, failure := ask(t, ctx, serve(t, func(http.ResponseWriter, *http.Request) {}))
		require.NotNil(t, failure)
		require.False(t, failure.Written)
		require.ErrorIs(t, failure, context.Canceled)
	})
	t.Run("the deadline passes in the middle of a large body", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts in the kernel and never reads
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		transport := wire.NewTransport()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+listener.Addr().String(),
			bytes.NewReader(make([]byte, 64<<20)))
		require.NoError(t, err)
		_, err = wire.Do(transport, req, limit)
		var failure *wire.Failure
		require.ErrorAs(t, err, &failure)
		require.False(t, failure.Written)
		require.True(t, failure.Timeout)
	})
	t.Run("the body cannot be read", func(t *testing.T) {
		t.Parallel()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, serve(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
		}), io.MultiReader(strings.NewReader("начало"), broken{}))
		require.NoError(t, err)
		_, err = wire.Do(wire.NewTransport(), req, limit)
		var failure *wire.Failure
		require.ErrorAs(t, err, &failure)
		require.False(t, failure.Written)
	})
}

func TestAFailureAfterTheBodyWasSentIsWritten(t *testing.T) {
	t.Parallel()
	gzipped := func(write func(io.Writer)) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			write(w)
		}
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
		status  int
	}{
		"reset":   {func(w http.ResponseWriter, r *http.Request) { hangUp(w, r, "") }, "after the request was sent", 0},
		"closed":  {func(w http.ResponseWriter, r *http.Request) { hangUp(w, r, "H") }, "after the request was sent", 0},
		"no HTTP": {func(w http.ResponseWriter, r *http.Request) { hangUp(w, r, "SSH-2.0-SECRET\r\n\r\n") }, "malformed HTTP", 0},
		"truncated": {func(w http.ResponseWriter, r *http.Request) {
			hangUp(w, r, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"ok\"")
		}, "unexpected EOF", 200},
		"gzip that is none": {gzipped(func(w io.Writer) { _, _ = io.WriteString(w, "<html><h1>502 Bad Gateway</h1></html>") }), "gzip", 200},
		"brotli nobody asked": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, "x")
		}, "not asked for", 200},
		"too large": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, limit+1)) }, "larger than allowed", 200},
		"gzip bomb": {gzipped(func(w io.Writer) {
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, 10<<20))
			_ = z.Close()
		}), "larger than allowed", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, failure := ask(t, t.Context(), serve(t, c.handler))
			require.NotNil(t, failure)
			require.True(t, failure.Written)
			require.Equal(t, c.status, failure.Status)
			require.Contains(t, failure.Error(), c.says)
		})
	}
}

func TestADeadlineWhileWaitingForTheAnswerIsWrittenAndATimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, failure := ask(t, ctx, url)
	require.NotNil(t, failure)
	require.True(t, failure.Written)
	require.True(t, failure.Timeout)
	require.ErrorIs(t, failure, context.DeadlineExceeded)
	require.Equal(t, "timed out after the request was sent", failure.Error())
}

func TestHTTP2TellsTheSameAboutWhatWasSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/reads" {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		<-r.Context().Done()
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	for path, c := range map[string]struct {
		size    int
		written bool
	}{"/reads": {100, true}, "/ignores": {8 << 20, false}} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, bytes.NewReader(make([]byte, c.size)))
		require.NoError(t, err)
		_, err = wire.Do(server.Client().Transport, req, limit)
		var failure *wire.Failure
		require.ErrorAs(t, err, &failure)
		require.ErrorIs(t, failure, context.DeadlineExceeded)
		require.Equal(t, c.written, failure.Written, path)
	}
}

func TestADeadlineInTheMiddleOfTheAnswerBreaksTheBody(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"ok":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, failure := ask(t, ctx, url)
	require.NotNil(t, failure)
	require.True(t, failure.Written)
	require.Equal(t, http.StatusOK, failure.Status)
	require.ErrorIs(t, failure, context.DeadlineExceeded)
}

func TestARequestThatIsSaidNotToHaveBeenSentNeverReachesTheServer(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		mu.Lock()
		seen[string(body)]++
		mu.Unlock()
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	transport := wire.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)

	answered := 0
	for i := range 200 {
		body := fmt.Sprintf("пост %d", i)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
		require.NoError(t, err)
		answer, err := wire.Do(transport, req, limit)
		var failure *wire.Failure
		if errors.As(err, &failure) && !failure.Written {
			mu.Lock()
			require.Zero(t, seen[body], failure.Error())
			mu.Unlock()
		}
		if err == nil {
			require.Equal(t, body, string(answer.Body))
			answered++
		}
		server.CloseClientConnections() // the kept-alive connection is stale now, and the client may not know it yet
	}
	require.Positive(t, answered)
	for body, times := range seen {
		require.Equal(t, 1, times, body)
	}
}

func TestShortenCutsOnARuneAndFlattensLines(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Пропал кот", wire.Shorten(" Пропал\n\tкот ", 10))
	require.Equal(t, "Пропал к…", wire.Shorten("Пропал кот", 9))
	require.Equal(t, "a�b", wire.Shorten("a\xffb", 9))
}
