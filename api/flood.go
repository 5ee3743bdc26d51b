package api

import (
	"time"

	"vestnik/api/access"
)

// flood is the limit on what one chat may ask of the guide: perSecond updates
// a second, twice as many in a row, and of texts, which search and which could
// try promo codes one after another, a fifth.
type flood struct {
	all, texts *access.Buckets[int64]
}

const textsShare = 5

func newFlood(perSecond float64, now func() time.Time) *flood {
	if perSecond <= 0 {
		return nil
	}
	return &flood{
		all:   access.NewBuckets[int64](perSecond, 2*perSecond, now),
		texts: access.NewBuckets[int64](perSecond/textsShare, max(perSecond, 1), now),
	}
}

// lets reports whether the update is within its chat's limit. A nil flood
// lets everything through.
func (f *flood) lets(update *inbound) bool {
	if f == nil {
		return true
	}
	isText := update.action.Verb == ""
	return (!isText || f.texts.Take(update.ChatID)) && f.all.Take(update.ChatID)
}
