// Package core is what the imitated platforms share: one way for a call to be recorded, struck by a fault and answered;
// pictures; the clock; and the part of the control API that belongs to no platform.
package core

import (
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

// Core serves both platforms. Now, Log, BaseURL and Life are set before the first request and do not change.
type Core struct {
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

// Options are the settings of a Core.
type Options struct {
	BaseURL      string
	Now          func() time.Time
	Log          *slog.Logger
	MaxCalls     int    // how many calls are remembered
	PictureWidth int    // of pictures that are asked for without a size, in pixels
	UploadFolder string // uploads are also kept here, if named
}

// New makes a Core that lives as long as life.
func New(life context.Context, o Options) *Core {
	c := &Core{Now: o.Now, Log: o.Log, BaseURL: o.BaseURL, Life: life, changes: changes{readers: map[*Reader]struct{}{}}}
	c.calls = &callLog{now: o.Now, max: o.MaxCalls}
	c.pictures = &pictures{core: c, width: o.PictureWidth, folder: o.UploadFolder, uploads: map[string][]byte{}, faults: map[string]PictureFault{}}
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
