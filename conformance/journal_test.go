package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// journal is everything that the processes of a harness have logged.
type journal struct {
	mu      sync.Mutex
	arrived *sync.Cond
	raw     bytes.Buffer
	lines   []line
}

// line is one line of the log.
type line map[string]any

func (l line) text(name string) string {
	if value, ok := l[name]; ok {
		return fmt.Sprint(value)
	}
	return ""
}

func (l line) number(name string) int64 {
	value, _ := l[name].(json.Number)
	n, _ := value.Int64()
	return n
}

func (j *journal) Write(p []byte) (int, error) {
	decoder := json.NewDecoder(bytes.NewReader(p))
	decoder.UseNumber()
	var l line
	j.mu.Lock()
	defer j.mu.Unlock()
	j.raw.Write(p)
	if decoder.Decode(&l) == nil {
		j.lines = append(j.lines, l)
	}
	j.arrived.Broadcast()
	return len(p), nil
}

// forget drops what has been logged, so that a benchmark measures others.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines, j.raw = nil, bytes.Buffer{}
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.raw.String()
}

func (j *journal) all(match func(line) bool) (found []line) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		if match(l) {
			found = append(found, l)
		}
	}
	return found
}

func (j *journal) of(updateID int64) []line {
	return j.all(func(l line) bool { return l.number("update_id") == updateID })
}

// await blocks until n lines match, at most for waitLimit.
func (j *journal) await(t testing.TB, n int, what string, match func(line) bool) []line {
	t.Helper()
	return j.awaitFor(t, waitLimit, n, what, match)
}

func (j *journal) awaitFor(t testing.TB, longest time.Duration, n int, what string, match func(line) bool) (found []line) {
	t.Helper()
	var late atomic.Bool
	timer := time.AfterFunc(longest, func() {
		late.Store(true)
		j.mu.Lock()
		defer j.mu.Unlock()
		j.arrived.Broadcast()
	})
	defer timer.Stop()
	j.mu.Lock()
	defer j.mu.Unlock()
	for seen := 0; ; j.arrived.Wait() {
		for ; seen < len(j.lines); seen++ {
			if match(j.lines[seen]) {
				found = append(found, j.lines[seen])
			}
		}
		if len(found) >= n {
			return found
		}
		if late.Load() {
			t.Fatalf("waited for %d × %s in the log, saw %d", n, what, len(found))
		}
	}
}

// closing waits for the n closing lines of an update: an update delivered n
// times has n, of which n-1 say that it was a duplicate.
func (j *journal) closing(t testing.TB, updateID int64, n int) []line {
	t.Helper()
	return j.await(t, n, fmt.Sprintf("closing line of update %d", updateID), func(l line) bool {
		return l.number("update_id") == updateID && l.text("result") != ""
	})
}
