package route

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"vestnik/internal/notice"
	"vestnik/internal/post"
)

// OnUnknown is what happens when nobody can know whether a message went out.
type OnUnknown string

// Retry sends again and may send twice; Park waits for a person.
const (
	Retry OnUnknown = "retry"
	Park  OnUnknown = "park"
)

// Approval is how a person is asked before a post goes; the zero value asks
// nobody.
type Approval struct {
	Asks bool
	// After is how long a person may take to answer; 0 is no limit.
	After time.Duration
	// Then is what happens after that; set if After is.
	Then Silence
}

// Silence is what becomes of a post that nobody has approved in time.
type Silence string

// Publish sends it all the same; Drop does not.
const (
	Publish Silence = "publish"
	Drop    Silence = "drop"
)

// Settings is how a destination wants its posts.
type Settings struct {
	// RatePerSec is messages a second, more than 0.
	RatePerSec float64
	// PerMinute is messages a minute, an album counting one per photo; 0 is no limit.
	PerMinute int
	// MaxMedia is photos per post, if AttachMedia.
	MaxMedia    int
	AttachMedia bool
	// MaxFile is the size in bytes of the largest file that is brought, Telegram's only.
	MaxFile int64
	// Silent is Telegram's disable_notification, VK's mute_notifications.
	Silent         bool
	Header, Footer string
	// Replace changes the words of authors.
	Replace []notice.Replacement
	// MaxText is the length of a post's text in UTF-16 units, VK's only.
	MaxText int
	// LinkPreview and ParseMode are Telegram's only.
	LinkPreview bool
	ParseMode   notice.ParseMode
	// ContactButtons puts the contacts under messages as buttons, Telegram's only.
	ContactButtons bool
	OnUnknown      OnUnknown
	Quiet          QuietHours
	// Approval is how a person is asked before anything goes there.
	Approval Approval
	// TokenEnv names the environment variable with this destination's token;
	// "" is the platform's own.
	TokenEnv string
}

// Defaults are the settings of destinations whose entries leave them out.
type Defaults struct{ Telegram, VK Settings }

// StandardDefaults are the defaults of the environment's configuration: one
// message a second and twenty a minute, Telegram's limit for groups.
func StandardDefaults() Defaults {
	return Defaults{
		Telegram: Settings{
			RatePerSec: 1, PerMinute: 20, MaxMedia: notice.MaxAlbum, AttachMedia: true,
			LinkPreview: true, ParseMode: notice.HTML, OnUnknown: Retry,
		},
		VK: Settings{RatePerSec: 1, MaxMedia: notice.MaxVKMedia, MaxText: notice.DefaultVKUnits, OnUnknown: Retry},
	}
}

// TelegramOptions are the settings as a notice for Telegram needs them.
func (s Settings) TelegramOptions() notice.Options {
	options := notice.DefaultOptions()
	options.ParseMode = s.ParseMode
	options.MaxMedia, options.MaxFile = s.shownMedia(), s.MaxFile
	options.LinkPreview = s.LinkPreview
	options.ContactButtons = s.ContactButtons
	options.Silent = s.Silent
	options.Frame = s.frame()
	return options
}

// VKOptions are the settings as a notice for the VK wall needs them; answers is
// the post on that wall that it brings news about, 0 for none.
func (t Target) VKOptions(answers int64) notice.VKOptions {
	s := t.Settings
	options := notice.VKOptions{MaxMedia: s.shownMedia(), TextLimit: s.MaxText, AttachRefs: s.AttachMedia, Frame: s.frame()}
	if answers != 0 {
		options.Answers = post.ID{OwnerID: t.Destination.Owner, PostID: answers}.URL()
	}
	return options
}

func (s Settings) shownMedia() int {
	if !s.AttachMedia {
		return 0
	}
	return s.MaxMedia
}

func (s Settings) frame() notice.Frame {
	return notice.Frame{Header: s.Header, Footer: s.Footer, Replace: s.Replace}
}

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
	zone := cmp.Or(q.Zone, time.UTC)
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
