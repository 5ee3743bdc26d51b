package workflows

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"vestnik/internal/protocol"
)

const (
	// minuteWindow is a little more than the minute over which Telegram
	// counts, because its clock starts when the message arrives there.
	minuteWindow = 61 * time.Second
	// maxJitter keeps the spacing within 100 ms of the one configured.
	maxJitter = 50 * time.Millisecond
)

func (l *lane) interval() time.Duration {
	if perSecond := l.view.Pace.PerSecond; perSecond > 0 {
		return time.Duration(float64(time.Second) / perSecond)
	}
	return 0
}

// lead is how far ahead of its slot a turn is granted.
func (l *lane) lead() time.Duration {
	return min(protocol.GrantLead-maxJitter, l.interval())
}

// nextSlot is the first job's place in the beat of the lane. A lane
// that fell behind by less than half a beat catches up; one that fell behind
// further begins anew, so that there is never a burst.
func (l *lane) nextSlot(now time.Time) time.Time {
	earliest := latest(now, l.apart())
	return latest(l.slot, earliest.Add(-l.interval()/2), l.cooling, l.minuteFree(l.view.Jobs[0].Weight))
}

// apart is nine tenths of a beat after the last message, which may have gone
// out late.
func (l *lane) apart() time.Time { return l.lastSent.Add(l.interval() * 9 / 10) }

// due is when the first job is to be done: at its slot, give or take
// the jitter.
func (l *lane) due(now time.Time, jitter time.Duration) time.Time {
	return latest(now, l.nextSlot(now).Add(jitter), l.apart(), l.cooling)
}

func latest(first time.Time, others ...time.Time) time.Time {
	for _, other := range others {
		if other.After(first) {
			first = other
		}
	}
	return first
}

// minuteFree is when the limit per minute has room for weight more messages.
// A delivery heavier than the limit itself goes when the window is empty.
func (l *lane) minuteFree(weight int) time.Time {
	limit := l.view.Pace.PerMinute
	if limit == 0 {
		return time.Time{}
	}
	room := limit - weight
	for i := len(l.recent) - 1; i >= 0; i-- {
		if room -= l.recent[i].Weight; room < 0 {
			return l.recent[i].At.Add(minuteWindow)
		}
	}
	return time.Time{}
}

// jitter spreads the slots without a trace in the history: it is a hash of
// what the history already has.
func (l *lane) jitter() time.Duration {
	amplitude := min(maxJitter, l.interval()/10)
	if amplitude == 0 {
		return 0
	}
	hash := fnv.New64a()
	_, _ = hash.Write(fmt.Appendf(nil, "%s %d", l.destination, l.leases)) // a hash takes everything
	return time.Duration(hash.Sum64()%uint64(2*amplitude)) - amplitude
}

// remember notes when a turn that comes back was used. For the limit per
// minute an album counts from the end, because Telegram fetches its photos
// first; for the spacing a message counts from when it went out.
func (l *lane) remember(now time.Time, weight int, done protocol.TurnDone) {
	if done.Unsent {
		return
	}
	l.lastSent = now
	if !done.SentAt.IsZero() && done.SentAt.Before(now) {
		l.lastSent = done.SentAt
	}
	if l.view.Pace.PerMinute == 0 {
		l.recent = nil
		return
	}
	l.recent = slices.DeleteFunc(l.recent, func(mark protocol.SentMark) bool {
		return mark.At.Add(minuteWindow).Before(now)
	})
	l.recent = append(l.recent, protocol.SentMark{At: now, Weight: weight})
}
