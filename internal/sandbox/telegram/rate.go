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

// admit applies the flood limits to n messages into a chat. t.mu is held.
func (t *Platform) admit(b *bot, c *chat, n int) *refusal {
	now := t.core.Now()
	limits := t.options.Limits
	if c.Limits != nil {
		limits = *c.Limits
	}
	wait := c.bucket.wait(now, limits.PerSecond, limits.Burst)
	wait = max(wait, b.bucket.wait(now, b.PerSecond, int(max(b.PerSecond, 1))))
	counted := limits.PerMinute > 0 && (c.Type == Group || c.Type == Supergroup)
	if counted {
		wait = max(wait, c.minute.Wait(now, time.Minute, n, limits.PerMinute))
	}
	if wait > 0 {
		return tooMany(wait)
	}
	c.bucket.use()
	b.bucket.use()
	if counted {
		c.minute.Count(now, n)
	}
	return nil
}
