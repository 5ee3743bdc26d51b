package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// lookEvery is how often the database is asked, for all open pages at once,
	// whether what they show has changed; at every problemsEvery-th time it is
	// asked what needs a person, which may be that nobody works.
	lookEvery     = 2 * time.Second
	problemsEvery = 5
	// beatEvery is how often a page hears that nothing has changed. Its script
	// takes silence of twice that and more for a lost connection.
	beatEvery = 4 * time.Second
	// streamTime is how long a page listens before it has to show its session
	// again.
	streamTime = 5 * time.Minute
	// lookTime bounds one look, and the writing of one event.
	lookTime = 5 * time.Second
)

// live knows whether what pages show has changed. It looks while somebody
// listens, once for all of them.
type live struct {
	look func(ctx context.Context, problems bool) (state string, err error)

	mu        sync.Mutex
	listening int
	watching  bool
	// state is "" while nobody has looked, or the last look has failed; changed
	// is closed when it becomes another.
	state   string
	changed chan struct{}
}

func newLive(look func(context.Context, bool) (string, error)) *live {
	return &live{look: look, changed: make(chan struct{})}
}

// now returns the state, and what is closed when it has changed.
func (l *live) now() (state string, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.changed
}

func (l *live) set(state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state != l.state {
		l.state = state
		close(l.changed)
		l.changed = make(chan struct{})
	}
}

// listen counts a page that listens until leave is called.
func (l *live) listen() (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listening++
	if !l.watching {
		l.watching = true
		go l.watch()
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.listening--
	}
}

// watch looks until nobody listens.
func (l *live) watch() {
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for round := 0; ; round++ {
		ctx, cancel := context.WithTimeout(context.Background(), lookTime)
		state, err := l.look(ctx, round%problemsEvery == 0)
		cancel()
		if err != nil {
			state = ""
		}
		l.set(state)
		<-again.C
		if l.idle() {
			return
		}
	}
}

// idle reports whether nobody listens. Then the state is known no more.
func (l *live) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listening > 0 {
		return false
	}
	l.watching, l.state = false, ""
	return true
}

// lookAround looks at what pages show: what the database says cheaply each time,
// and what needs a person now and then.
func (c *console) lookAround() func(context.Context, bool) (string, error) {
	var problems []byte
	return func(ctx context.Context, all bool) (string, error) {
		pulse, err := c.Ledger.Pulse(ctx)
		if err != nil {
			return "", err
		}
		if all || problems == nil {
			found, err := c.Steering.Problems(ctx)
			if err != nil {
				return "", err
			}
			if problems, err = json.Marshal(found); err != nil {
				return "", err
			}
		}
		sum := sha256.Sum256(append([]byte(pulse), problems...))
		return hex.EncodeToString(sum[:8]), nil
	}
}

// giveEvents sends a page, as server-sent events, the state of what it shows:
// when that has changed, and every beatEvery. An empty state means that nobody
// knows. The stream ends by itself, and with the process.
func (c *console) giveEvents(w http.ResponseWriter, r *http.Request) {
	defer c.live.listen()()
	stream := http.NewResponseController(w)
	_ = stream.SetReadDeadline(time.Time{}) // the request has arrived; a writer without deadlines has none to lift
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep events until it has many
	beat, end := time.NewTicker(beatEvery), time.NewTimer(streamTime)
	defer beat.Stop()
	defer end.Stop()
	for first := true; ; first = false {
		state, changed := c.live.now()
		if state != "" || !first { // before the first look there is nothing to tell
			_ = stream.SetWriteDeadline(time.Now().Add(lookTime))
			if _, err := fmt.Fprintf(w, "retry: 1000\ndata: %s\n\n", state); err != nil {
				return
			}
		}
		if err := stream.Flush(); err != nil {
			return
		}
		select {
		case <-changed:
		case <-beat.C:
		case <-end.C:
			return
		case <-c.Stop:
			return
		case <-r.Context().Done():
			return
		}
	}
}
