package sandbox

import "sync"

// topic names what changed, for the page.
type topic string

const (
	topicCalls    topic = "calls"
	topicFaults   topic = "faults"
	topicTelegram topic = "telegram"
	topicVK       topic = "vk"
)

// bulletin tells the page's readers what changed. A reader that is slow hears
// of each topic once, not of every change.
type bulletin struct {
	mu      sync.Mutex
	readers map[*reader]struct{}
}

type reader struct {
	bell   chan struct{} // rung when topics is not empty
	mu     sync.Mutex
	topics map[topic]bool
}

func newBulletin() *bulletin { return &bulletin{readers: map[*reader]struct{}{}} }

func (b *bulletin) post(t topic) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for r := range b.readers {
		r.mu.Lock()
		r.topics[t] = true
		r.mu.Unlock()
		select {
		case r.bell <- struct{}{}:
		default:
		}
	}
}

func (b *bulletin) subscribe() *reader {
	r := &reader{bell: make(chan struct{}, 1), topics: map[topic]bool{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readers[r] = struct{}{}
	return r
}

func (b *bulletin) unsubscribe(r *reader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.readers, r)
}

// take returns and forgets what has changed.
func (r *reader) take() []topic {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []topic
	for t := range r.topics {
		list = append(list, t)
	}
	clear(r.topics)
	return list
}
