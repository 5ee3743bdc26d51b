package api

import "sync"

// helpedMax bounds the chats that a receiver remembers the help screen of.
const helpedMax = 10_000

// helped are the chats that have last opened the help screen by this receiver.
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
