package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Platform tells the parts of the sandbox apart.
type Platform string

// The platforms.
const (
	Telegram Platform = "telegram" // Bot API methods
	VK       Platform = "vk"       // VK API methods, and "upload" for the upload host
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

// Call is one recorded request to an imitated platform. It never holds a
// token: Key names who called.
type Call struct {
	Seq      int64    `json:"seq"` // 1, 2, 3… in order of arrival
	Platform Platform `json:"platform"`
	Method   string   `json:"method"`
	// Key is "bot<id>" for Telegram and the name of the token for VK; empty
	// if the token is unknown.
	Key string `json:"key"`
	// Chat is the chat_id (Telegram) or owner_id (VK) as the caller wrote it.
	Chat        string         `json:"chat,omitempty"`
	ContentType string         `json:"content_type,omitempty"`
	Params      map[string]any `json:"params"` // decoded; an uploaded file is {"file": name, "bytes": n}
	ReceivedAt  time.Time      `json:"received_at"`
	AnsweredAt  time.Time      `json:"answered_at,omitzero"`
	Status      int            `json:"status"` // HTTP status; 0 while pending, or if the connection was cut
	Answer      string         `json:"answer,omitempty"`
	Outcome     Outcome        `json:"outcome"`
	Fault       string         `json:"fault,omitempty"` // id of the fault plan that took part
	// Stored are the ids of the messages or posts that the call created or
	// changed, even if the answer was an error (accept_then_fail).
	Stored []int64 `json:"stored,omitempty"`
	// Warnings name what the real platform lets pass but a careful client
	// would not send.
	Warnings []string `json:"warnings,omitempty"`

	size int // rough memory, to bound the book
}

// Text is a parameter as text: "" if absent.
func (c Call) Text(name string) string {
	switch value := c.Params[name].(type) {
	case nil:
		return ""
	case string:
		return value
	case fmt.Stringer:
		return value.String()
	default:
		encoded, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		return string(encoded)
	}
}

// CallFilter selects recorded calls. Empty fields match everything.
type CallFilter struct {
	Platform Platform
	Method   string
	Key      string
	Chat     string
	Outcome  Outcome
	After    int64 // only calls with a greater Seq
	// Arrived also selects calls that have no answer yet. Without it a call
	// counts once it is answered or broken off.
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

// Limits of what one recorded call keeps, so that the book stays small.
const (
	keptText   = 64 << 10 // bytes of a text parameter
	keptAnswer = 32 << 10 // bytes of an answer
	bookBytes  = 96 << 20 // rough bytes of all calls together
)

// callBook records calls in a ring and wakes those who wait for some.
type callBook struct {
	now func() time.Time
	max int

	mu      sync.Mutex
	calls   []*Call // in order of Seq
	bytes   int
	lastSeq int64
	total   int64
	waiters map[*callWaiter]struct{}
	changed func(Call)
}

type callWaiter struct {
	filter CallFilter
	want   int
	seen   map[int64]bool
	done   chan struct{}
}

func newCallBook(max int, now func() time.Time, changed func(Call)) *callBook {
	return &callBook{now: now, max: max, waiters: map[*callWaiter]struct{}{}, changed: changed}
}

// begin records that a call arrived.
func (b *callBook) begin(platform Platform, method, contentType string) *Call {
	call := &Call{
		Platform: platform, Method: method, ContentType: contentType,
		ReceivedAt: b.now(), Outcome: Pending, size: 512,
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lastSeq++
	b.total++
	call.Seq = b.lastSeq
	b.calls = append(b.calls, call)
	b.bytes += call.size
	b.trim()
	return call
}

// describe adds what is known once the body has been read.
func (b *callBook) describe(call *Call, change func(*Call)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(call)
	size := 512
	for name, value := range call.Params {
		if text, ok := value.(string); ok && len(text) > keptText {
			call.Params[name] = text[:keptText]
		}
		size += len(name) + roughSize(call.Params[name])
	}
	b.bytes += size - call.size
	call.size = size
	b.trim()
	b.wake(call)
}

// finish records the answer.
func (b *callBook) finish(call *Call, outcome Outcome, status int, answer []byte) {
	b.mu.Lock()
	call.AnsweredAt = b.now()
	call.Outcome = outcome
	call.Status = status
	if len(answer) > keptAnswer {
		answer = answer[:keptAnswer]
	}
	call.Answer = string(answer)
	call.size += len(answer)
	b.bytes += len(answer)
	b.trim()
	b.wake(call)
	copied := *call
	b.mu.Unlock()
	if b.changed != nil {
		b.changed(copied)
	}
}

func (b *callBook) trim() {
	drop := 0
	for len(b.calls)-drop > 1 && (len(b.calls)-drop > b.max || b.bytes > bookBytes) {
		b.bytes -= b.calls[drop].size
		b.calls[drop] = nil
		drop++
	}
	if drop > 0 {
		b.calls = b.calls[drop:]
	}
}

func (b *callBook) wake(call *Call) {
	for w := range b.waiters {
		if w.seen[call.Seq] || !w.filter.matches(call) {
			continue
		}
		w.seen[call.Seq] = true
		if len(w.seen) == w.want {
			close(w.done)
			delete(b.waiters, w)
		}
	}
}

// list returns copies, oldest first; limit 0 means all, else the newest ones.
func (b *callBook) list(filter CallFilter, limit int) []Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []Call
	for _, call := range b.calls {
		if filter.matches(call) {
			found = append(found, *call)
		}
	}
	if limit > 0 && len(found) > limit {
		found = found[len(found)-limit:]
	}
	return found
}

// wait blocks until at least n calls match and returns all that do.
func (b *callBook) wait(ctx context.Context, filter CallFilter, n int) ([]Call, error) {
	w := &callWaiter{filter: filter, want: n, seen: map[int64]bool{}, done: make(chan struct{})}
	b.mu.Lock()
	for _, call := range b.calls {
		if filter.matches(call) {
			w.seen[call.Seq] = true
		}
	}
	if len(w.seen) < n {
		b.waiters[w] = struct{}{}
		b.mu.Unlock()
		select {
		case <-w.done:
		case <-ctx.Done():
			b.mu.Lock()
			delete(b.waiters, w)
			seen := len(w.seen)
			b.mu.Unlock()
			if seen < n {
				return b.list(filter, 0), fmt.Errorf("sandbox: waited for %d calls of %s, saw %d: %w", n, filter.describe(), seen, ctx.Err())
			}
		}
	} else {
		b.mu.Unlock()
	}
	return b.list(filter, 0), nil
}

func (f CallFilter) describe() string {
	parts := []string{}
	for _, part := range []string{string(f.Platform), f.Method, f.Chat, string(f.Outcome)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "any method"
	}
	return strings.Join(parts, " ")
}

func (b *callBook) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls, b.bytes = nil, 0
}

func roughSize(value any) int {
	switch v := value.(type) {
	case string:
		return len(v)
	case []any:
		n := 16
		for _, item := range v {
			n += roughSize(item)
		}
		return n
	case map[string]any:
		n := 48
		for key, item := range v {
			n += len(key) + 16 + roughSize(item)
		}
		return n
	}
	return 16
}

// warn adds a warning to a call.
func (b *callBook) warn(call *Call, text string) {
	b.describe(call, func(c *Call) {
		if !slices.Contains(c.Warnings, text) {
			c.Warnings = append(c.Warnings, text)
		}
	})
}
