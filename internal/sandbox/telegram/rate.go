package telegram

import "time"

// bucket is a token bucket. The zero value is full.
type bucket struct {
	level   float64
	updated time.Time
}

// wait is how long the next request must wait; 0 if it may pass.
func (b *bucket) wait(now time.Time, perSecond float64, burst int) time.Duration {
	if perSecond <= 0 {
		return 0
	}
	full := float64(max(burst, 1))
	if b.updated.IsZero() {
		b.level = full
	} else if passed := now.Sub(b.updated); passed > 0 {
		b.level = min(full, b.level+passed.Seconds()*perSecond)
	}
	b.updated = now
	if b.level >= 1-1e-9 {
		return 0
	}
	return time.Duration((1 - b.level) / perSecond * float64(time.Second))
}

func (b *bucket) use() { b.level-- }

// window counts messages in the last minute.
type window struct{ times []time.Time }

// wait is how long n more messages must wait under a limit a minute.
func (w *window) wait(now time.Time, n, limit int) time.Duration {
	if limit <= 0 {
		return 0
	}
	for len(w.times) > 0 && now.Sub(w.times[0]) >= time.Minute {
		w.times = w.times[1:]
	}
	over := len(w.times) + n - limit
	if over <= 0 || len(w.times) == 0 {
		return 0
	}
	return w.times[min(over, len(w.times))-1].Add(time.Minute).Sub(now)
}

func (w *window) use(now time.Time, n int) {
	for range n {
		w.times = append(w.times, now)
	}
}

// admit applies the flood limits to n messages into a chat. t.mu is held.
func (t *Platform) admit(b *bot, c *chat, n int) *refusal {
	now := t.core.Now()
	limits := t.options.Limits
	if c.Limits != nil {
		limits = *c.Limits
	}
	wait := c.bucket.wait(now, limits.PerSecond, limits.Burst)
	wait = max(wait, b.bucket.wait(now, b.PerSecond, int(max(b.PerSecond, 1))))
	perMinute := 0
	if c.Type == Group || c.Type == Supergroup {
		perMinute = limits.PerMinute
		wait = max(wait, c.window.wait(now, n, perMinute))
	}
	if wait > 0 {
		return tooMany(wait)
	}
	c.bucket.use()
	b.bucket.use()
	if perMinute > 0 {
		c.window.use(now, n)
	}
	return nil
}
