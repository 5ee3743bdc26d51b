package sandbox

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer is what a platform replies to a call.
type answer struct {
	status  int
	header  map[string]string
	body    []byte
	refused bool
	stored  []int64
}

// exchange is one call on its way through the sandbox: recorded, perhaps
// struck by a fault, handled, answered.
type exchange struct {
	server   *Server
	w        http.ResponseWriter
	r        *http.Request
	platform Platform
	method   string
	call     *Call
}

// platformRules are what differs between the platforms in an exchange.
type platformRules struct {
	// identify names the caller and the chat or wall meant.
	identify func(*form) (key, chat string)
	// unreadable answers a body that could not be parsed.
	unreadable func(error) answer
	handle     func(context.Context, *form, *Call) answer
	// fault is the platform's own way to say what the fault says.
	fault func(*Fault, *form) answer
}

func (s *Server) exchange(w http.ResponseWriter, r *http.Request, platform Platform, method string, rules platformRules) {
	x := &exchange{server: s, w: w, r: r, platform: platform, method: method}
	x.call = s.book.begin(platform, method, r.Header.Get("Content-Type"))
	if fault := s.plan.take(platform, method, "", true); fault != nil {
		s.book.describe(x.call, func(c *Call) { c.Fault = fault.ID })
		x.pause(fault.delay())
		x.cut(Faulted)
		return
	}
	f, err := readForm(w, r)
	if err != nil && r.Context().Err() != nil {
		x.abandon()
	}
	key, chat := rules.identify(f)
	fault := s.plan.take(platform, method, chat, false)
	s.book.describe(x.call, func(c *Call) {
		c.Key, c.Chat, c.Params = key, chat, f.recorded()
		if fault != nil {
			c.Fault = fault.ID
		}
	})
	if fault != nil {
		x.pause(fault.delay())
	}
	if fault != nil && fault.fails() {
		x.strike(fault, f, rules)
		return
	}
	x.write(x.handled(f, err, rules), "")
}

func (x *exchange) handled(f *form, readError error, rules platformRules) answer {
	if readError != nil {
		return rules.unreadable(readError)
	}
	// The request is acted on even if the caller has left meanwhile, as a real
	// server would.
	return rules.handle(context.WithoutCancel(x.r.Context()), f, x.call)
}

// strike answers, or fails to answer, as the fault says.
func (x *exchange) strike(fault *Fault, f *form, rules platformRules) {
	if fault.AcceptThenFail {
		done := x.handled(f, nil, rules)
		x.server.book.describe(x.call, func(c *Call) { c.Stored = done.stored })
	}
	switch {
	case fault.Hang:
		select {
		case <-x.r.Context().Done():
		case <-x.server.life.Done():
		}
		x.abandon()
	case fault.Reset:
		x.cut(Faulted)
	case fault.GzipGarbage:
		x.write(answer{status: orElse(fault.Status, 502), header: map[string]string{
			"Content-Encoding": "gzip", "Content-Type": orElse(fault.ContentType, "text/html"),
		}, body: []byte(orElse(fault.Body, "this is no gzip"))}, fault.ID, fault.Headers)
	case fault.Body != "" || fault.ContentType != "":
		x.write(answer{status: orElse(fault.Status, 200), header: map[string]string{
			"Content-Type": orElse(fault.ContentType, "text/html; charset=utf-8"),
		}, body: []byte(fault.Body)}, fault.ID, fault.Headers)
	default:
		x.write(rules.fault(fault, f), fault.ID, fault.Headers)
	}
}

func orElse[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// pause waits in real time, and abandons the call if the caller or the
// sandbox goes first.
func (x *exchange) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done():
		x.abandon()
	case <-x.server.life.Done():
		x.abandon()
	}
}

// abandon ends a call that gets no answer: its caller has left, or the
// sandbox closes.
func (x *exchange) abandon() {
	x.server.book.finish(x.call, ClientGone, 0, nil)
	panic(http.ErrAbortHandler) // net/http then drops the connection in silence
}

// cut ends the connection with a reset, so that the caller sees neither an
// answer nor a clean end.
func (x *exchange) cut(outcome Outcome) {
	x.server.book.finish(x.call, outcome, 0, nil)
	conn, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http then drops the connection
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (x *exchange) write(a answer, fault string, headers ...map[string]string) {
	outcome := Accepted
	switch {
	case fault != "":
		outcome = Faulted
	case a.refused:
		outcome = Refused
	}
	if len(a.stored) > 0 {
		x.server.book.describe(x.call, func(c *Call) { c.Stored = a.stored })
	}
	header := x.w.Header()
	header.Set("Content-Type", "application/json")
	for _, set := range append([]map[string]string{a.header}, headers...) {
		for name, value := range set {
			header.Set(name, value)
		}
	}
	sent := a.body
	if x.platform == VK && fault == "" && len(sent) >= gzipFrom && strings.Contains(x.r.Header.Get("Accept-Encoding"), "gzip") {
		sent = packed(sent)
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Length", strconv.Itoa(len(sent)))
	// Recorded before it is written, so that whoever has the answer also finds
	// the call in the book.
	if x.r.Context().Err() != nil {
		outcome = ClientGone
	}
	x.server.book.finish(x.call, outcome, a.status, a.body)
	x.w.WriteHeader(a.status)
	_, _ = x.w.Write(sent)
}

// gzipFrom is the size in bytes from which VK's side packs its answers for
// those who take gzip.
const gzipFrom = 512

func packed(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // into memory
	_ = w.Close()
	return out.Bytes()
}

// encode is JSON without the escaping of <, > and & that json.Marshal adds:
// the platforms do not escape them either. Every value given to it encodes.
func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte("null")
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
