package e2e

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// socksProxy is a SOCKS5 proxy (RFC 1928, 1929) that wants a user and a password
// and knows one way only: to the sandbox. It counts the connections.
func socksProxy(t *testing.T, to string) (address string, connections *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	connections = new(atomic.Int32)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if socksHandshake(conn) {
					connections.Add(1)
					tunnel(conn, to)
				}
			}()
		}
	}()
	return "socks5://user:password@" + listener.Addr().String(), connections
}

func socksHandshake(conn net.Conn) bool {
	in := bufio.NewReader(conn)
	take := func(n int) []byte {
		bytes := make([]byte, n)
		_, _ = io.ReadFull(in, bytes)
		return bytes
	}
	take(int(take(2)[1])) // the methods on offer
	_, _ = conn.Write([]byte{5, 2})
	user := string(take(int(take(2)[1])))
	password := string(take(int(take(1)[0])))
	if user != "user" || password != "password" {
		_, _ = conn.Write([]byte{1, 1})
		return false
	}
	_, _ = conn.Write([]byte{1, 0})
	switch take(4)[3] {
	case 1:
		take(4 + 2)
	case 3:
		take(int(take(1)[0]) + 2)
	}
	_, err := conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	return err == nil
}

func tunnel(conn net.Conn, to string) {
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	go func() {
		_, _ = io.Copy(far, conn)
		_ = far.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(conn, far)
}

func TestWhereNetworksAreCutCallsAndPhotosGoThroughProxies(t *testing.T) {
	s := newHarness(t, toChat)
	there, err := url.Parse(s.sandbox.URL())
	require.NoError(t, err)
	viaVK, vkConnections := socksProxy(t, there.Host)
	var telegramCalls atomic.Int32
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Host = there.Host }}
	viaTelegram := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		telegramCalls.Add(1)
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(viaTelegram.Close)
	cut := func(address string) string { // nobody listens there
		parsed, err := url.Parse(address)
		require.NoError(t, err)
		parsed.Host = "127.0.0.1:1"
		return parsed.String()
	}
	s.environ["TELEGRAM_API_URL"], s.environ["PROXY_TELEGRAM"] = cut(s.sandbox.TelegramURL()), viaTelegram.URL
	s.environ["VK_API_URL"], s.environ["PROXY_VK"] = cut(s.sandbox.VKURL()), viaVK
	behind := setHarnessBeside(t, s)
	behind.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendPhoto", Times: 1, Code: 400, Description: fetchFailed})
	delivery := s.ended(s.send(chat, withPhotos(1, 1)))
	require.Equal(t, protocol.StatusSent, delivery.Status)
	message := s.sandbox.Messages(chatID)[0]
	require.True(t, message.Photo.Uploaded, "the photo was got through the proxy, too")
	require.Positive(t, telegramCalls.Load())
	require.GreaterOrEqual(t, vkConnections.Load(), int32(2), "one for VK's API, one for the photo")
}
