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

// helpedMax bounds the chats that a door remembers the help screen of.
const helpedMax = 10_000

// helped are the chats that have last opened the help screen by this door.
type helped struct {
	mu    sync.Mutex
	chats map[int64]bool
	order []int64 // oldest first; may hold chats that have gone on since
}

func newHelped() *helped { return &helped{chats: map[int64]bool{}} }

func (h *helped) is(chat int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.chats[chat]
}

func (h *helped) note(chat int64, onHelp bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !onHelp:
		delete(h.chats, chat)
	case !h.chats[chat]:
		h.chats[chat] = true
		h.order = append(h.order, chat)
	}
	for len(h.order) > helpedMax {
		delete(h.chats, h.order[0])
		h.order = h.order[1:]
	}
}
