package core

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Outcome is what became of a call.
type Outcome string

// The outcomes.
const (
	Pending    Outcome = "pending"     // arrived, not answered yet
	Accepted   Outcome = "ok"          // done and answered
	Refused    Outcome = "refused"     // answered with an error of the platform's own rules
	Faulted    Outcome = "fault"       // answered by a fault plan, or cut off by it
	ClientGone Outcome = "client_gone" // the caller left before the answer
)

// Call is one recorded request to an imitated platform. It never holds a token: Key names who called.
type Call struct {
	Seq      int64    `json:"seq"` // 1, 2, 3… in order of arrival
	Platform Platform `json:"platform"`
	Method   string   `json:"method"`
	// Key is "bot<id>" for Telegram and the name of the token for VK; empty if the token is unknown.
	Key string `json:"key"`
	// Chat is the chat_id (Telegram) or owner_id (VK) as the caller wrote it.
	Chat        string `json:"chat,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	// Params are texts as they are and all others as JSON; an uploaded file is {"file": name, "bytes": n}.
	Params     map[string]string `json:"params"`
	ReceivedAt time.Time         `json:"received_at"`
	AnsweredAt time.Time         `json:"answered_at,omitzero"`
	Status     int               `json:"status"` // HTTP status; 0 while pending, or if the connection was cut
	Answer     string            `json:"answer,omitempty"`
	Outcome    Outcome           `json:"outcome"`
	Fault      string            `json:"fault,omitempty"` // id of the fault plan that took part
	// Stored are the ids of the messages or posts that the call created or changed, even if the answer was an error
	// (accept_then_fail).
	Stored []int64 `json:"stored,omitempty"`
}

// Text is a parameter as text: "" if absent.
func (c Call) Text(name string) string { return c.Params[name] }

// CallFilter selects recorded calls. Empty fields match everything.
type CallFilter struct {
	Platform Platform
	Method   string
	Key      string
	Chat     string
	Outcome  Outcome
	After    int64 // only calls with a greater Seq
	// Arrived also selects calls that have no answer yet. Without it a call counts once it is answered or broken off.
	Arrived bool
	// Match is a further condition; not available over HTTP.
	Match func(Call) bool
}

func (f CallFilter) matches(c *Call) bool {
	switch {
	case f.Platform != "" && f.Platform != c.Platform,
		f.Method != "" && !strings.EqualFold(f.Method, c.Method),
		f.Key != "" && f.Key != c.Key,
		f.Chat != "" && f.Chat != c.Chat,
		f.Outcome != "" && f.Outcome != c.Outcome,
		c.Seq <= f.After,
		!f.Arrived && f.Outcome == "" && c.Outcome == Pending:
		return false
	}
	return f.Match == nil || f.Match(*c)
}

// What one recorded call keeps of a text parameter and of an answer, in bytes, so that the log stays small.
const (
	keptText   = 64 << 10
	keptAnswer = 4 << 10
)

// callLog records the latest calls.
type callLog struct {
	now func() time.Time
	max int

	mu      sync.Mutex
	calls   []*Call // in order of Seq
	lastSeq int64
}

// begin records that a call arrived.
func (l *callLog) begin(platform Platform, method, contentType string) *Call {
	call := &Call{Platform: platform, Method: method, ContentType: contentType, ReceivedAt: l.now(), Outcome: Pending}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastSeq++
	call.Seq = l.lastSeq
	l.calls = append(l.calls, call)
	l.calls = l.calls[max(len(l.calls)-l.max, 0):]
	return call
}

// describe adds what is known once the body has been read.
func (l *callLog) describe(call *Call, change func(*Call)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(call)
}

// finish records the answer.
func (l *callLog) finish(call *Call, outcome Outcome, status int, answer []byte) {
	l.describe(call, func(call *Call) {
		call.AnsweredAt, call.Outcome, call.Status = l.now(), outcome, status
		call.Answer = string(answer[:min(len(answer), keptAnswer)])
	})
}

// Calls returns the recorded calls that match, oldest first.
func (c *Core) Calls(filter CallFilter) []Call {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	found := []Call{}
	for _, call := range c.calls.calls {
		if filter.matches(call) {
			found = append(found, *call)
		}
	}
	return found
}

// ClearCalls forgets the recorded calls. Seq keeps counting.
func (c *Core) ClearCalls() {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	c.calls.calls = nil
	c.Announce(callsTopic)
}

// WaitForCalls blocks until at least n calls match, or ctx ends, and returns those that do, oldest first.
func (c *Core) WaitForCalls(ctx context.Context, filter CallFilter, n int) ([]Call, error) {
	news := c.Listen()
	defer news.Close()
	for {
		found := c.Calls(filter)
		if len(found) >= n {
			return found, nil
		}
		select {
		case <-news.Bell:
		case <-ctx.Done():
			return found, fmt.Errorf("sandbox: waited for %d calls of %s, saw %d: %w", n, cmp.Or(filter.Method, "any method"), len(found), ctx.Err())
		}
	}
}
