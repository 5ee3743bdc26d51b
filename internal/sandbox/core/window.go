package core

import "time"

// Window counts what happened in the time just past.
type Window []time.Time

// Wait is how long n more must wait where no more than limit may happen within a span; 0 if they may pass.
func (w *Window) Wait(now time.Time, span time.Duration, n, limit int) time.Duration {
	for len(*w) > 0 && now.Sub((*w)[0]) >= span {
		*w = (*w)[1:]
	}
	over := len(*w) + n - limit
	if over <= 0 || len(*w) == 0 {
		return 0
	}
	return (*w)[min(over, len(*w))-1].Add(span).Sub(now)
}

// Count notes n more.
func (w *Window) Count(now time.Time, n int) {
	for range n {
		*w = append(*w, now)
	}
}
