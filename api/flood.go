package api

import (
	"sync"
	"time"
)

// bucketsMost bounds how many keys are counted at once: 65,536 take some 6 MB.
const bucketsMost = 1 << 16

// buckets let each key through perSecond times a second and burst times in a
// row. They live in one process: n of them let n times as much through.
type buckets[K comparable] struct {
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

func newBuckets[K comparable](perSecond, burst float64, now func() time.Time) *buckets[K] {
	return &buckets[K]{perSecond: perSecond, burst: burst, now: now, levels: map[K]level{}}
}

// take counts one for a key and reports whether it is within the limit.
func (b *buckets[K]) take(key K) bool {
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

// spent reports whether nothing more is within a key's limit, and counts nothing.
func (b *buckets[K]) spent(key K) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fullness(key)+1 > b.burst
}

// reset forgets what was counted for a key.
func (b *buckets[K]) reset(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.levels, key)
}

func (b *buckets[K]) fullness(key K) float64 {
	last, known := b.levels[key]
	if !known {
		return 0
	}
	return max(0, last.full-b.now().Sub(last.at).Seconds()*b.perSecond)
}

// forget drops the keys that count for nothing any more; if all count, all of
// them: who fills the table has as many keys as it takes anyway.
func (b *buckets[K]) forget() {
	for key := range b.levels {
		if b.fullness(key) == 0 {
			delete(b.levels, key)
		}
	}
	if len(b.levels) >= bucketsMost {
		clear(b.levels)
	}
}

// flood is the limit on what one chat may ask of the guide: perSecond updates
// a second, twice as many in a row, and of texts, which search and which could
// try promo codes one after another, a fifth.
type flood struct {
	all, texts *buckets[int64]
}

const textsShare = 5

func newFlood(perSecond float64, now func() time.Time) *flood {
	if perSecond <= 0 {
		return nil
	}
	return &flood{
		all:   newBuckets[int64](perSecond, 2*perSecond, now),
		texts: newBuckets[int64](perSecond/textsShare, max(perSecond, 1), now),
	}
}

// lets reports whether the update is within its chat's limit. A nil flood
// lets everything through.
func (f *flood) lets(update *inbound) bool {
	if f == nil {
		return true
	}
	isText := update.action.Verb == ""
	return (!isText || f.texts.take(update.ChatID)) && f.all.take(update.ChatID)
}
