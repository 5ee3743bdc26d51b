package core

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Fault is a plan for what happens to calls of a method instead of, or before, their ordinary answer. Faults are tried
// in the order in which they were set; the first that matches is used.
//
// A fault with only DelayMS (or with nothing at all) slows the call down and lets it be answered as usual.
type Fault struct {
	ID    string `json:"id"`              // given by the sandbox
	Title string `json:"title,omitempty"` // for a reader of the page

	// Which calls. Empty fields match everything.
	Platform Platform `json:"platform,omitempty"`
	Method   string   `json:"method,omitempty"` // "upload" is VK's upload host
	Chat     string   `json:"chat,omitempty"`   // chat_id or owner_id as the caller writes it
	Times    int      `json:"times,omitempty"`  // how many calls; 0 means until cleared
	After    int      `json:"after,omitempty"`  // let so many matching calls pass first

	// What happens.
	Status          int               `json:"status,omitempty"`      // HTTP status; default from Code, 200 for VK errors
	Code            int               `json:"code,omitempty"`        // error_code; default from Status
	Description     string            `json:"description,omitempty"` // Telegram description or VK error_msg
	RetryAfter      int               `json:"retry_after,omitempty"` // seconds; Telegram parameters and header
	MigrateToChatID int64             `json:"migrate_to_chat_id,omitempty"`
	Extra           map[string]any    `json:"extra,omitempty"`        // more fields of a VK error: captcha_sid, redirect_uri…
	Body            string            `json:"body,omitempty"`         // a raw body instead of JSON
	ContentType     string            `json:"content_type,omitempty"` // of Body; text/html if empty
	GzipGarbage     bool              `json:"gzip_garbage,omitempty"` // says Content-Encoding: gzip over what is no gzip
	Headers         map[string]string `json:"headers,omitempty"`
	DelayMS         int               `json:"delay_ms,omitempty"` // wait before anything else
	Hang            bool              `json:"hang,omitempty"`     // never answer
	Reset           bool              `json:"reset,omitempty"`    // cut the connection after the body was read
	// AcceptThenFail does what the call asks, and only then fails: the message is there, the caller does not learn it.
	// Alone it answers 500; for VK, a proxy's 502 page.
	AcceptThenFail bool `json:"accept_then_fail,omitempty"`

	Used int `json:"used"` // how many calls it has met so far

	passed int // matching calls let through
}

// fails reports whether the fault replaces the ordinary answer.
func (f Fault) fails() bool {
	return f.Status != 0 || f.Code != 0 || f.Description != "" || f.RetryAfter != 0 || f.MigrateToChatID != 0 ||
		len(f.Extra) > 0 || f.Body != "" || f.GzipGarbage || f.Hang || f.Reset || f.AcceptThenFail
}

// faultPlan holds the faults that are set.
type faultPlan struct {
	mu     sync.Mutex
	nextID int
	faults []*Fault
}

// SetFault adds a fault plan and returns its id. It fails only on a platform that there is not.
func (c *Core) SetFault(f Fault) (string, error) {
	if f.Platform != "" && f.Platform != Telegram && f.Platform != VK {
		return "", fmt.Errorf("fault: platform %q: use %q, %q or nothing", f.Platform, Telegram, VK)
	}
	defer c.Announce(faultsTopic)
	p := &c.faults
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nextID++
	f.ID, f.Used = "fault-"+strconv.Itoa(p.nextID), 0
	p.faults = append(p.faults, &f)
	return f.ID, nil
}

// Faults lists the plans that are set, with how often each was used.
func (c *Core) Faults() []Fault {
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	list := []Fault{}
	for _, f := range c.faults.faults {
		list = append(list, *f)
	}
	return list
}

// ClearFault removes one plan; false if there is none with this id.
func (c *Core) ClearFault(id string) bool {
	return c.clearFaults(func(f *Fault) bool { return f.ID == id })
}

// ClearFaults removes all plans.
func (c *Core) ClearFaults() { c.clearFaults(func(*Fault) bool { return true }) }

func (c *Core) clearFaults(which func(*Fault) bool) (found bool) {
	defer c.Announce(faultsTopic)
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	before := len(c.faults.faults)
	c.faults.faults = slices.DeleteFunc(c.faults.faults, which)
	return len(c.faults.faults) < before
}

// take uses up the first fault for this call; nil if there is none.
func (p *faultPlan) take(platform Platform, method, chat string) *Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		if f.Platform != "" && f.Platform != platform ||
			f.Method != "" && !strings.EqualFold(f.Method, method) ||
			f.Chat != "" && f.Chat != chat ||
			f.Times > 0 && f.Used >= f.Times {
			continue
		}
		if f.passed < f.After {
			f.passed++
			continue
		}
		f.Used++
		taken := *f
		return &taken
	}
	return nil
}
