package core

import (
	"maps"
	"slices"
	"sync"
)

// The topics of what changed that belong to no platform.
const (
	callsTopic  Platform = "calls"
	faultsTopic Platform = "faults"
)

// changes tells readers what changed. A slow reader hears of each topic once, not of every change.
type changes struct {
	mu      sync.Mutex
	readers map[*Reader]struct{}
}

// Reader hears what changes until it is closed.
type Reader struct {
	// Bell is rung when there is something to Take.
	Bell chan struct{}

	changes *changes
	topics  map[Platform]bool // guarded by changes.mu
}

// Announce tells all readers that something of a platform, or another topic, has changed.
func (c *Core) Announce(topic Platform) {
	c.changes.mu.Lock()
	defer c.changes.mu.Unlock()
	for r := range c.changes.readers {
		r.topics[topic] = true
		select {
		case r.Bell <- struct{}{}:
		default:
		}
	}
}

// Listen makes a reader of changes.
func (c *Core) Listen() *Reader {
	r := &Reader{Bell: make(chan struct{}, 1), changes: &c.changes, topics: map[Platform]bool{}}
	c.changes.mu.Lock()
	defer c.changes.mu.Unlock()
	c.changes.readers[r] = struct{}{}
	return r
}

// Close ends the listening.
func (r *Reader) Close() {
	r.changes.mu.Lock()
	defer r.changes.mu.Unlock()
	delete(r.changes.readers, r)
}

// Take returns and forgets what has changed.
func (r *Reader) Take() (topics []Platform) {
	r.changes.mu.Lock()
	defer r.changes.mu.Unlock()
	topics = slices.Collect(maps.Keys(r.topics))
	clear(r.topics)
	return topics
}
