// Package core is what the imitated platforms share: one way for a call to be recorded, struck by a fault and answered;
// pictures; the clock; and the part of the control API that belongs to no platform.
package core

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Platform tells the parts of the sandbox apart. It is also the topic of what a platform announces.
type Platform string

// The platforms.
const (
	Telegram Platform = "telegram" // Bot API methods
	VK       Platform = "vk"       // VK API methods, and "upload" for the upload host
)

// Core serves both platforms. Its exported fields are set before the first request and do not change.
type Core struct {
	Options Options
	Now     func() time.Time
	Log     *slog.Logger
	BaseURL string          // how clients reach the sandbox, without a trailing slash
	Life    context.Context // ends when the sandbox closes
	Running sync.WaitGroup  // what Close waits for

	calls    *callLog
	faults   faultPlan
	pictures *pictures
	changes  changes
}

// Options say how a sandbox is set up. The zero value is a sandbox on a free local port with nothing in it.
type Options struct {
	// Addr is where to listen; "127.0.0.1:0" if empty. The sandbox is open to everyone who can reach it, so it binds to
	// nothing that is not named.
	Addr string
	// Clock tells the time for message dates, rates, quotas and deadlines; time.Now if nil. Delays of faults and
	// webhook retries use real time.
	Clock func() time.Time
	// Samples fills the sandbox with the sample walls, chats and tokens.
	Samples bool
	// StateFile keeps chats and walls between runs, if named. It is written shortly after each change and on Close.
	StateFile string
	// Logger hears of what goes wrong inside; silent if nil.
	Logger *slog.Logger
	// MaxCalls bounds how many calls are remembered; 50,000 if 0.
	MaxCalls int
	// Limits apply to every Telegram chat without limits of its own; RealLimits if zero.
	Limits Limits
	// WebhookRetry is the pause before the second repetition of an update; it doubles up to a minute. 2 s if 0, as at
	// Telegram.
	WebhookRetry time.Duration
	// PictureWidth is that of drawn pictures that are asked for without a size, in pixels; 1280 if 0. Their height is
	// three quarters of it. Small ones spare tests much work.
	PictureWidth int
	// PhotoTimeout bounds how long Telegram's side tries to fetch a photo; 5 s if 0.
	PhotoTimeout time.Duration
}

// Limits are a chat's flood limits.
type Limits struct {
	// PerSecond is the sustained rate of requests; 0 means no limit.
	PerSecond float64 `json:"per_second"`
	// Burst is how many requests may come at once before PerSecond holds.
	Burst int `json:"burst"`
	// PerMinute bounds the messages in any minute in groups and supergroups; an album counts one for each item. 0 means
	// no limit.
	PerMinute int `json:"per_minute"`
}

// RealLimits imitate Telegram, as far as they are known: about one message a second in a chat with short bursts, 20 a
// minute in a group ("My bot is hitting limits" in the Bot FAQ).
var RealLimits = Limits{PerSecond: 1, Burst: 4, PerMinute: 20}

// NoLimits never answer 429. For benchmarks.
var NoLimits = Limits{Burst: 1 << 30}

// New makes a Core that lives as long as life, and that clients reach at baseURL.
func New(life context.Context, baseURL string, o Options) *Core {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.MaxCalls, o.PictureWidth = cmp.Or(o.MaxCalls, 50_000), cmp.Or(o.PictureWidth, 1280)
	o.Limits, o.WebhookRetry, o.PhotoTimeout = cmp.Or(o.Limits, RealLimits), cmp.Or(o.WebhookRetry, 2*time.Second), cmp.Or(o.PhotoTimeout, 5*time.Second)
	c := &Core{Options: o, Now: o.Clock, Log: o.Logger, BaseURL: baseURL, Life: life, changes: changes{readers: map[*Reader]struct{}{}}}
	c.calls = &callLog{now: o.Clock, max: o.MaxCalls}
	c.pictures = &pictures{core: c, uploads: map[string][]byte{}, faults: map[string]PictureFault{}}
	return c
}

// URL is the address of the page, without a trailing slash.
func (c *Core) URL() string { return c.BaseURL }

// Local shortens an address of the sandbox itself, so that the page works under whatever name a browser reaches it.
func (c *Core) Local(address string) string {
	if path, own := strings.CutPrefix(address, c.BaseURL+"/"); own {
		return "/" + path
	}
	return address
}

// Sleep waits in real time; false if ctx or the sandbox ended first.
func (c *Core) Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
	case <-c.Life.Done():
	}
	return false
}
