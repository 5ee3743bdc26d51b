package access

import (
	"sync"
	"time"
)

// bucketsMost bounds how many keys are counted at once: 65,536 take some 6 MB.
const bucketsMost = 1 << 16

// Buckets let each key through perSecond times a second and burst times in a
// row. They live in one process: n of them let n times as much through.
type Buckets[K comparable] struct {
	perSecond, burst float64
	now              func() time.Time

	mu     sync.Mutex
	levels map[K]level
}

// level is how full a key's bucket was at a time.
type level struct {
	full float64
	at   time.Time
}

// NewBuckets returns empty ones; now is the clock.
func NewBuckets[K comparable](perSecond, burst float64, now func() time.Time) *Buckets[K] {
	return &Buckets[K]{perSecond: perSecond, burst: burst, now: now, levels: map[K]level{}}
}

// Take counts one for a key and reports whether it is within the limit.
func (b *Buckets[K]) Take(key K) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.fullness(key)
	if full+1 > b.burst {
		return false
	}
	if _, known := b.levels[key]; !known && len(b.levels) >= bucketsMost {
		b.forget()
	}
	b.levels[key] = level{full + 1, b.now()}
	return true
}

// Spent reports whether nothing more is within a key's limit, and counts nothing.
func (b *Buckets[K]) Spent(key K) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fullness(key)+1 > b.burst
}

// Reset forgets what was counted for a key.
func (b *Buckets[K]) Reset(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.levels, key)
}

func (b *Buckets[K]) fullness(key K) float64 {
	last, known := b.levels[key]
	if !known {
		return 0
	}
	return max(0, last.full-b.now().Sub(last.at).Seconds()*b.perSecond)
}

// forget drops the keys that count for nothing any more; if all count, all of
// them: who fills the table has as many keys as it takes anyway.
func (b *Buckets[K]) forget() {
	for key := range b.levels {
		if b.fullness(key) == 0 {
			delete(b.levels, key)
		}
	}
	if len(b.levels) >= bucketsMost {
		clear(b.levels)
	}
}
