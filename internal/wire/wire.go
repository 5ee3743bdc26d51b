// Package wire makes one HTTP exchange with a platform's API and says what is known about it afterwards.
//
// Telegram and VK offer no general way to ask "did my message go out?", so everything that follows a failed send
// hangs on one question: could the platform have had the whole request? [Answer.Written] and [Failure.Written] give
// the answer; neither platform's library lets one ask. Both platform clients make their calls through a [Client].
package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// Answer is an HTTP response that was read to its end.
type Answer struct {
	Status  int
	Header  http.Header
	Body    []byte // decompressed
	Written bool   // the whole request had left this process
}

// Failure is an exchange that brought no usable answer.
//
// Its text is safe to log: it never holds a URL, a header or bytes of either body.
type Failure struct {
	Written bool // the platform may have had the whole request: nobody can know whether it acted on it
	Status  int  // HTTP status when the headers arrived and the body broke; 0 otherwise
	Timeout bool // a deadline passed, ours or the network's
	Reason  string

	cause error
}

func (f *Failure) Error() string { return f.Reason }

// Unwrap gives context.Canceled or context.DeadlineExceeded when one of them ended the exchange. Other causes are
// kept back, because their texts may hold the address that was called.
func (f *Failure) Unwrap() error { return f.cause }

// errTooLarge is the reason of a [Failure] whose answer was larger than the caller allowed.
var errTooLarge = errors.New("the answer is larger than allowed")

// NewTransport returns a transport with a connection pool of its own, so that one kind of call never waits for the
// connections of another.
//
// Idle connections are dropped after 30 s: a server that closes a kept-alive connection at the moment it is used
// again would otherwise turn a send into an unknown outcome.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    5 * time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    32,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// Do sends the request once and reads at most limit bytes of the decompressed answer.
//
// It follows no redirect: a 3xx comes back as an answer like any other. The error is always a *[Failure]. The
// request's own context bounds the exchange, reading the body included.
func Do(rt http.RoundTripper, req *http.Request, limit int64) (Answer, error) {
	watch := &watch{}
	req = watch.over(req)

	resp, err := rt.RoundTrip(req)
	if err != nil {
		return Answer{}, failure(req.Context(), err, watch.written(), 0)
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = fmt.Errorf("%w (%d bytes)", errTooLarge, limit)
	}
	if err == nil && len(body) > 0 && resp.Header.Get("Content-Encoding") != "" {
		// The transport has undone the gzip it asked for and dropped the header. What is left, nobody asked for.
		err = errors.New("the answer is compressed in a way that was not asked for")
	}
	if err != nil {
		return Answer{}, failure(req.Context(), err, watch.written(), resp.StatusCode)
	}
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: body, Written: watch.written()}, nil
}

// watch learns whether the request left this process whole.
type watch struct {
	hasBody bool
	ended   atomic.Bool // the transport has taken the whole body
	trace   traceState
}

// over returns the request with the watch laid over its body and its connection.
func (w *watch) over(req *http.Request) *http.Request {
	clone := req.Clone(httptrace.WithClientTrace(req.Context(), w.trace.hooks()))
	// Both platforms' libraries may set this; only when it is absent does the transport decompress by itself.
	clone.Header.Del("Accept-Encoding")
	if req.Body == nil || req.Body == http.NoBody {
		return clone
	}
	w.hasBody = true
	length := req.ContentLength
	if length == 0 {
		length = -1 // a body with a length of 0 is one whose length nobody knows
	}
	clone.Body = &watchedBody{ReadCloser: req.Body, length: length, ended: &w.ended}
	if req.GetBody != nil {
		// The transport asks for the body again when a connection broke before a single byte was written.
		clone.GetBody = func() (io.ReadCloser, error) {
			again, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			w.ended.Store(false)
			return &watchedBody{ReadCloser: again, length: length, ended: &w.ended}, nil
		}
	}
	return clone
}

// written errs on the side of true: once the whole body was taken for a live connection, only a failed write
// proves that the platform cannot have had it.
func (w *watch) written() bool {
	if !w.trace.connected.Load() {
		return false
	}
	if w.hasBody && !w.ended.Load() {
		return false
	}
	return w.trace.succeeded.Load() || !w.trace.failed.Load()
}

func failure(ctx context.Context, err error, written bool, status int) *Failure {
	f := &Failure{Written: written, Status: status, Reason: describe(err)}
	var netErr net.Error
	f.Timeout = errors.As(err, &netErr) && netErr.Timeout()
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		f.cause, f.Timeout = context.DeadlineExceeded, true
		f.Reason = "timed out"
	case errors.Is(err, context.Canceled) || errors.Is(ctx.Err(), context.Canceled):
		f.cause = context.Canceled
		f.Reason = "cancelled"
	}
	switch {
	case status != 0:
		f.Reason = fmt.Sprintf("HTTP %d, then the body broke: %s", status, f.Reason)
	case written:
		f.Reason += " after the request was sent"
	default:
		f.Reason += " before the request was sent"
	}
	return f
}
