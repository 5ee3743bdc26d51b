package core

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Answer is what a platform replies to a call.
type Answer struct {
	Status  int
	Header  map[string]string
	Body    []byte
	Refused bool    // an error of the platform's own rules
	Stored  []int64 // ids of the messages or posts that the call created or changed
}

// Rules are what differs between the platforms in an exchange.
type Rules struct {
	// Identify names the caller and the chat or wall meant.
	Identify func(*Form) (key, chat string)
	// Unreadable answers a body that could not be parsed.
	Unreadable func(error) Answer
	Handle     func(context.Context, *Form) Answer
	// Fault is the platform's own way to say what the fault says.
	Fault func(*Fault, *Form) Answer
}

// exchange is one call on its way through the sandbox: recorded, perhaps struck by a fault, handled, answered.
type exchange struct {
	core     *Core
	rules    Rules
	w        http.ResponseWriter
	r        *http.Request
	platform Platform
	call     *Call
}

// Exchange records a call and answers it by the rules, or as a fault plan says.
func (c *Core) Exchange(w http.ResponseWriter, r *http.Request, platform Platform, method string, rules Rules) {
	x := &exchange{core: c, rules: rules, w: w, r: r, platform: platform}
	x.call = c.calls.begin(platform, method, r.Header.Get("Content-Type"))
	f, err := readForm(w, r)
	if err != nil && r.Context().Err() != nil {
		x.abandon()
	}
	key, chat := rules.Identify(f)
	fault := c.faults.take(platform, method, chat)
	c.calls.describe(x.call, func(call *Call) {
		call.Key, call.Chat, call.Params = key, chat, f.recorded()
		if fault != nil {
			call.Fault = fault.ID
		}
	})
	c.Announce(callsTopic)
	if fault != nil {
		x.pause(fault)
		if fault.fails() {
			x.strike(fault, f)
			return
		}
	}
	x.write(x.handled(f, err), false, nil)
}

func (x *exchange) handled(f *Form, readError error) Answer {
	if readError != nil {
		return x.rules.Unreadable(readError)
	}
	// The request is acted on even if the caller has left meanwhile, as a real server would.
	done := x.rules.Handle(context.WithoutCancel(x.r.Context()), f)
	x.core.calls.describe(x.call, func(c *Call) { c.Stored = done.Stored })
	return done
}

// strike answers, or fails to answer, as the fault says.
func (x *exchange) strike(fault *Fault, f *Form) {
	if fault.AcceptThenFail {
		x.handled(f, nil)
	}
	raw := func(status int, otherwise, body string) Answer {
		return Answer{Status: cmp.Or(fault.Status, status), Body: []byte(body),
			Header: map[string]string{"Content-Type": cmp.Or(fault.ContentType, otherwise)}}
	}
	switch {
	case fault.Hang:
		select {
		case <-x.r.Context().Done():
		case <-x.core.Life.Done():
		}
		x.abandon()
	case fault.Reset:
		x.cut()
	case fault.GzipGarbage:
		a := raw(502, "text/html", cmp.Or(fault.Body, "this is no gzip"))
		a.Header["Content-Encoding"] = "gzip"
		x.write(a, true, fault.Headers)
	case fault.Body != "" || fault.ContentType != "":
		x.write(raw(200, "text/html; charset=utf-8", fault.Body), true, fault.Headers)
	default:
		x.write(x.rules.Fault(fault, f), true, fault.Headers)
	}
}

// pause delays the call, and abandons it if the caller or the sandbox goes first.
func (x *exchange) pause(fault *Fault) {
	if delay := time.Duration(fault.DelayMS) * time.Millisecond; delay > 0 && !x.core.Sleep(x.r.Context(), delay) {
		x.abandon()
	}
}

// abandon ends a call that gets no answer: its caller has left, or the sandbox closes.
func (x *exchange) abandon() {
	x.finish(ClientGone, 0, nil)
	panic(http.ErrAbortHandler) // net/http then drops the connection in silence
}

// cut ends the connection with a reset, so that the caller sees neither an answer nor a clean end.
func (x *exchange) cut() {
	x.finish(Faulted, 0, nil)
	conn, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http then drops the connection
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (x *exchange) finish(outcome Outcome, status int, answer []byte) {
	x.core.calls.finish(x.call, outcome, status, answer)
	x.core.Announce(callsTopic)
}

func (x *exchange) write(a Answer, faulted bool, headers map[string]string) {
	outcome := Accepted
	switch {
	case x.r.Context().Err() != nil:
		outcome = ClientGone
	case faulted:
		outcome = Faulted
	case a.Refused:
		outcome = Refused
	}
	header := x.w.Header()
	header.Set("Content-Type", "application/json")
	for _, set := range []map[string]string{a.Header, headers} {
		for name, value := range set {
			header.Set(name, value)
		}
	}
	sent := a.Body
	if x.platform == VK && !faulted && len(sent) >= gzipFrom && strings.Contains(x.r.Header.Get("Accept-Encoding"), "gzip") {
		sent = packed(sent)
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Length", strconv.Itoa(len(sent)))
	// Recorded before it is written, so that whoever has the answer also finds the call in the log.
	x.finish(outcome, a.Status, a.Body)
	x.w.WriteHeader(a.Status)
	_, _ = x.w.Write(sent)
}

// gzipFrom is the size in bytes from which VK's side packs its answers for those who take gzip.
const gzipFrom = 512

func packed(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // into memory
	_ = w.Close()
	return out.Bytes()
}

// Encode is JSON without the escaping of <, > and & that json.Marshal adds: the platforms do not escape them either.
// Every value given to it encodes.
func Encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte("null")
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
