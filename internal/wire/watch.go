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

// watchedBody notes when the transport has read the request's body to its end.
type watchedBody struct {
	io.ReadCloser

	ended atomic.Bool
	first *watchedBody // the body this one replaces; it keeps the account
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if b.first != nil {
			b.first.ended.Store(true)
		}
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
