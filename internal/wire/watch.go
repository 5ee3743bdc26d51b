package wire

import (
	"errors"
	"io"
	"net/http/httptrace"
	"regexp"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// watchedBody notes when the transport has taken the last byte of the request's body.
//
// With a known length that is the byte that completes it: the server can act on it before the transport comes back to
// read the end. Without one it is the end itself, as the chunk that ends the body is written after that.
type watchedBody struct {
	io.ReadCloser

	length int64 // -1 if not known
	taken  int64
	ended  *atomic.Bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.taken += int64(n)
	if errors.Is(err, io.EOF) || b.length >= 0 && b.taken >= b.length {
		b.ended.Store(true)
	}
	return n, err
}

// traceState is what net/http tells about the connection, from its own goroutines.
type traceState struct {
	connected, succeeded, failed atomic.Bool
}

func (t *traceState) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			t.connected.Store(true)
			t.failed.Store(false)
		},
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err != nil {
				t.failed.Store(true)
				return
			}
			t.succeeded.Store(true)
		},
	}
}

// quoted finds what net/http quotes in its errors: pieces of the address, of a header, or of the answer.
var quoted = regexp.MustCompile(`"[^"]*"?`)

// describe gives an error's text without anything it quotes, in at most 200 characters.
func describe(err error) string {
	return Shorten(quoted.ReplaceAllString(err.Error(), `"…"`), 200)
}

// Shorten cuts a text to at most limit runes on one line, with an ellipsis where it was cut.
func Shorten(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
