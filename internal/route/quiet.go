package route

import (
	"errors"
	"strings"
	"time"
)

// QuietHours are hours of each day in which a destination gets nothing: what is
// owed waits for their end. The zero value is none.
type QuietHours struct {
	// From and Until are times of day, in minutes after midnight; the same: none.
	From, Until int
	Zone        *time.Location // nil: UTC
}

var errQuietHours = errors.New("not hours of the day; write them like 23:00-07:00, with a time zone after a space if the city's will not do")

// ParseQuietHours reads "23:00-07:00" in a zone, or in the one that follows after
// a space: "23:00-07:00 Asia/Yekaterinburg".
func ParseQuietHours(text string, zone *time.Location) (QuietHours, error) {
	hours, name, named := strings.Cut(strings.TrimSpace(text), " ")
	if named {
		var err error
		if zone, err = time.LoadLocation(strings.TrimSpace(name)); err != nil {
			return QuietHours{}, errQuietHours
		}
	}
	from, until, _ := strings.Cut(hours, "-")
	begins, err := time.Parse("15:04", from)
	ends, otherErr := time.Parse("15:04", until)
	if err != nil || otherErr != nil || begins.Equal(ends) {
		return QuietHours{}, errQuietHours
	}
	return QuietHours{From: begins.Hour()*60 + begins.Minute(), Until: ends.Hour()*60 + ends.Minute(), Zone: zone}, nil
}

// Left is how long it stays quiet, 0 if it is not.
func (q QuietHours) Left(now time.Time) time.Duration {
	zone := q.Zone
	if zone == nil {
		zone = time.UTC
	}
	now = now.In(zone)
	minute := now.Hour()*60 + now.Minute()
	overnight := q.From > q.Until
	quiet := q.From <= minute && minute < q.Until || overnight && (minute >= q.From || minute < q.Until)
	if !quiet {
		return 0
	}
	day := now.Day()
	if overnight && minute >= q.From {
		day++
	}
	return time.Date(now.Year(), now.Month(), day, q.Until/60, q.Until%60, 0, 0, zone).Sub(now)
}
