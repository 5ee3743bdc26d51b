package photo_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/photo"
)

// local fetches from test servers; options may still narrow it.
func local(t *testing.T, options photo.Options) *photo.Fetcher {
	t.Helper()
	options.AllowPrivate, options.AllowHTTP = true, true
	fetcher := photo.NewFetcher(options)
	return fetcher
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func kindOf(t *testing.T, err error) photo.Kind {
	t.Helper()
	var failure *photo.Error
	require.ErrorAs(t, err, &failure)
	return failure.Kind
}

func TestPictureIsRecognisedByItsBytesWhateverTheServerCallsIt(t *testing.T) {
	t.Parallel()
	for format, content := range samples(t, 40, 30) {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write(content)
			})
			picture, err := local(t, photo.Options{}).Fetch(t.Context(), address+"/a.html")
			require.NoError(t, err)
			require.Equal(t, photo.Picture{Bytes: content, Format: format, Width: 40, Height: 30}, picture)
		})
	}
}

func TestPictureOverTLSNeedsNoPermissionForPlainHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(encode(t, photo.JPEG, plain(8, 8)))
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	fetcher := photo.NewFetcher(photo.Options{AllowPrivate: true, TLS: &tls.Config{RootCAs: roots}})

	_, err := fetcher.Fetch(t.Context(), server.URL)
	require.NoError(t, err)
}

func TestEveryBadAnswerHasItsKind(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		want   photo.Kind
	}{
		"forbidden by the server": {status(http.StatusForbidden), photo.Gone},
		"not found":               {status(http.StatusNotFound), photo.Gone},
		"gone":                    {status(http.StatusGone), photo.Gone},
		"teapot":                  {status(http.StatusTeapot), photo.Gone},
		"too many requests":       {status(http.StatusTooManyRequests), photo.Unreachable},
		"bad gateway":             {status(http.StatusBadGateway), photo.Unreachable},
		"no content":              {status(http.StatusNoContent), photo.Unreachable},
		"redirect to nowhere":     {status(http.StatusFound), photo.Unreachable},
		"empty":                   {status(http.StatusOK), photo.NotPicture},
		"a page that asks to log in": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/jpeg")
			fmt.Fprint(w, "<html>Войдите</html>")
		}, photo.NotPicture},
		"a picture cut off after its first bytes": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "\xff\xd8\xff\xe0")
		}, photo.NotPicture},
		"too large by its own word": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(limit+1))
			w.WriteHeader(http.StatusOK)
		}, photo.TooLarge},
		"too large and not saying so": {func(w http.ResponseWriter, _ *http.Request) {
			for range limit/1024 + 1 {
				fmt.Fprint(w, strings.Repeat("x", 1024))
				w.(http.Flusher).Flush()
			}
		}, photo.TooLarge},
		"broken in the middle": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "\xff\xd8\xff")
			panic(http.ErrAbortHandler)
		}, photo.Unreachable},
		"redirected in a circle": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again?sign=secret", http.StatusFound)
		}, photo.Unreachable},
		"redirected to another scheme": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd?sign=secret", http.StatusFound)
		}, photo.InvalidURL},
		"redirected to where clouds keep credentials": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest?sign=secret", http.StatusFound)
		}, photo.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := local(t, photo.Options{MaxBytes: limit}).Fetch(t.Context(), serve(t, row.answer)+"/a.jpg?sign=secret")
			require.Equal(t, row.want, kindOf(t, err), err)
			require.NotContains(t, err.Error(), "secret")
			require.NotContains(t, err.Error(), "a.jpg")
		})
	}
}

func TestLinkThatNoPictureCanBeAtIsRefusedBeforeAnyConnection(t *testing.T) {
	t.Parallel()
	fetcher := photo.NewFetcher(photo.Options{})
	for _, link := range []string{
		"", "a.jpg", "//sun1.example/a.jpg", "http://sun1.example/a.jpg", "ftp://sun1.example/a.jpg", "https://", "https:a.jpg",
		"https://user:secret@sun1.example/a.jpg", "https://sun1.example/%zz?secret", "data:image/png;base64,secret",
		"file:///etc/passwd", "https://sun1.example/" + strings.Repeat("a", 5000), "https://sun1.example:port/secret", "https://[::1/secret",
	} {
		_, err := fetcher.Fetch(t.Context(), link)
		require.Equal(t, photo.InvalidURL, kindOf(t, err), link)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestPrivateNetworkIsForbiddenUnderWhateverNameItIsGiven(t *testing.T) {
	t.Parallel()
	reached := false
	address := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	port := address[strings.LastIndex(address, ":"):]
	fetcher := photo.NewFetcher(photo.Options{AllowHTTP: true})
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "169.254.169.254"} {
		_, err := fetcher.Fetch(t.Context(), "http://"+host+port+"/a.jpg")
		require.Equal(t, photo.Forbidden, kindOf(t, err), host)
	}
	require.False(t, reached)
}

func TestRedirectIsFollowedWithoutTellingWhereItCameFrom(t *testing.T) {
	t.Parallel()
	referers := make(chan string, 1)
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		referers <- r.Referer()
		_, _ = w.Write(encode(t, photo.PNG, plain(4, 4)))
	})
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target+"/b.png", http.StatusMovedPermanently)
	})
	_, err := local(t, photo.Options{}).Fetch(t.Context(), address+"/a.png?sign=secret")
	require.NoError(t, err)
	require.Empty(t, <-referers)
}

func TestSilentServerEndsInATimeout(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "\xff\xd8\xff")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	_, err := local(t, photo.Options{Timeout: 50 * time.Millisecond}).Fetch(t.Context(), address)
	require.Equal(t, photo.Timeout, kindOf(t, err))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestFetchThatNobodyWantsAnyMoreEndsAsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := local(t, photo.Options{}).Fetch(ctx, address)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, photo.Unreachable, kindOf(t, err))
}

func TestClosedPortIsUnreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := local(t, photo.Options{}).Fetch(t.Context(), server.URL)
	var failure *photo.Error
	require.True(t, errors.As(err, &failure))
	require.Equal(t, photo.Unreachable, failure.Kind)
	require.True(t, failure.Temporary())
}

func TestHostThatDoesNotAnswerIsLeftAloneAndOthersAreNot(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	hung := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	})
	well := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(encode(t, photo.PNG, plain(4, 4))) })
	fetcher := local(t, photo.Options{Timeout: 300 * time.Millisecond})
	for range 3 {
		_, err := fetcher.Fetch(t.Context(), hung)
		require.Equal(t, photo.Timeout, kindOf(t, err))
	}
	for range 5 {
		_, err := fetcher.Fetch(t.Context(), hung)
		require.Equal(t, photo.Avoided, kindOf(t, err))
		_, err = fetcher.Fetch(t.Context(), well)
		require.NoError(t, err)
	}
	require.Equal(t, int32(3), asked.Load())
}

func TestHostThatAnswersWithRefusalsIsNotLeftAlone(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	fetcher := local(t, photo.Options{})
	for range 5 {
		_, err := fetcher.Fetch(t.Context(), address)
		require.Equal(t, photo.Gone, kindOf(t, err))
	}
}

func TestThroughAProxyALinkIsGuardedByItsSpelling(t *testing.T) {
	t.Parallel()
	content := samples(t, 40, 30)["jpeg"]
	var asked atomic.Value
	address, err := url.Parse(serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Host)
		_, _ = w.Write(content)
	}))
	require.NoError(t, err)
	fetcher := photo.NewFetcher(photo.Options{Proxy: address, AllowHTTP: true})
	_, err = fetcher.Fetch(t.Context(), "http://sun9-1.userapi.example/a.jpg")
	require.NoError(t, err)
	require.Equal(t, "sun9-1.userapi.example", asked.Load())
	for _, link := range []string{
		"http://127.0.0.1/a", "http://10.0.0.1/a", "http://[::1]/a", "http://localhost/a", "http://0x7f.1/a", "http://127.0.0.0x1/a",
		"http://2130706433/a", "http://db.internal/a", "http://printer.LOCAL/a", "http://host./a", "http://169.254.169.254/a",
	} {
		_, err := fetcher.Fetch(t.Context(), link)
		require.Equal(t, photo.Forbidden, kindOf(t, err), link)
	}
}
