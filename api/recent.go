package api

import (
	"sync"
	"time"
)

// Limits of what a door remembers. Telegram repeats a delivery for 24 hours.
const (
	recentKept = 25 * time.Hour
	recentMax  = 100_000
)

// recent is a door's own memory of the updates it has handed on: it saves
// Temporal the repeated deliveries of one process. The sessions and the inbox
// behind it are what makes duplicates harmless.
type recent struct {
	now func() time.Time

	mu     sync.Mutex
	traces map[int64]string
	order  []taken // oldest first
}

type taken struct {
	updateID int64
	at       time.Time
}

func newRecent(now func() time.Time) *recent {
	return &recent{now: now, traces: map[int64]string{}}
}

func (r *recent) find(updateID int64) (traceID string, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	traceID, known = r.traces[updateID]
	return traceID, known
}

func (r *recent) add(updateID int64, traceID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	if _, known := r.traces[updateID]; known {
		return // two deliveries at once: the first to be stored stays
	}
	r.traces[updateID] = traceID
	r.order = append(r.order, taken{updateID, r.now()})
}

func (r *recent) forget() {
	old := 0
	for old < len(r.order) && (len(r.order)-old > recentMax || r.now().Sub(r.order[old].at) > recentKept) {
		delete(r.traces, r.order[old].updateID)
		old++
	}
	r.order = r.order[old:]
}
