package config

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scan is the reading of VK walls.
type Scan struct {
	Token      Secret        `env:"VK_TOKEN" reread:"true" about:"key for reading walls (user or service token); several, separated by commas, share the work and stand in for each other"`
	Walls      Walls         `env:"VK_WALLS" reread:"true" about:"walls to read: screen names or owner ids, separated by commas; VK_WALLS_FILE names a file of them"`
	RatePerSec float64       `env:"VK_RATE_PER_SEC" envDefault:"3" about:"wall.get calls per second and key; 0: no pacing"`
	DailyQuota int           `env:"VK_DAILY_QUOTA" envDefault:"4000" about:"wall.get calls per day and key"`
	Interval   time.Duration `env:"SCAN_INTERVAL" envDefault:"60s" about:"how often the walls are looked at"`
	MaxAge     time.Duration `env:"DELIVER_MAX_AGE" envDefault:"48h" about:"older posts are stored, not delivered"`
	Callback   Callback      `env:"VK_CALLBACK" about:"communities of your own that call at once when there is news (Callback API), as group id:confirmation code, separated by commas"`
	CallSecret Secret        `env:"VK_CALLBACK_SECRET" reread:"true" about:"the secret that they present"`
	FirstRead  int           `env:"FIRST_READ_HOURS" envDefault:"2" about:"a wall's first reading delivers only what is that young, in hours; vestnik backfill brings the rest"`
}

// Tokens are the reading keys, in order.
func (s *Scan) Tokens() []Secret {
	var tokens []Secret
	for token := range strings.SplitSeq(s.Token.Reveal(), ",") {
		if token = strings.TrimSpace(token); token != "" {
			tokens = append(tokens, NewSecret(token))
		}
	}
	return tokens
}

func (s *Scan) check(faults *faultList, need func(Need) bool) {
	for _, token := range s.Tokens() {
		faults.token("VK_TOKEN", token)
	}
	if len(s.Walls) > 0 || need(NeedScan) {
		faults.required("VK_TOKEN", s.Token.IsSet(), "set it to a user or service token of VK that may read walls (VK_WALLS needs it)")
	}
	if need(NeedScan) {
		faults.required("VK_WALLS", len(s.Walls) > 0, "list the walls to read, such as lostpets_city,-123456")
	}
	faults.rate("VK_RATE_PER_SEC", s.RatePerSec, 0.05) // a reading has time for five calls then
	// VK's own ceiling for wall.get is 5,000 a day and key.
	faults.between("VK_DAILY_QUOTA", s.DailyQuota, 1, 10_000_000)
	if s.Interval < time.Second {
		faults.add("SCAN_INTERVAL", "is less than a second", "write a duration such as 60s; Temporal's schedules know none under 1s")
	}
	faults.positive("DELIVER_MAX_AGE", s.MaxAge)
	if len(s.Callback) > 0 {
		faults.required("VK_CALLBACK_SECRET", s.CallSecret.IsSet(), "set it to the secret key of the community's Callback API (VK_CALLBACK needs it)")
	}
	faults.between("FIRST_READ_HOURS", s.FirstRead, 0, 10_000)
}

// Callback is the confirmation codes of communities, by their group ids, which
// are positive.
type Callback map[int64]string

var errCallback = errors.New("not group id:confirmation code")

// UnmarshalText reads a list separated by commas.
func (c *Callback) UnmarshalText(text []byte) error {
	*c = Callback{}
	for entry := range strings.SplitSeq(string(text), ",") {
		group, code, _ := strings.Cut(strings.TrimSpace(entry), ":")
		id, err := strconv.ParseInt(group, 10, 64)
		if err != nil || id <= 0 || code == "" {
			return errCallback
		}
		(*c)[id] = code
	}
	return nil
}

// String is the list as the configuration writes it.
func (c Callback) String() string { return pairs(c, ":") }

// pairs are what numbers stand for, in their order, separated by commas.
func pairs(values map[int64]string, between string) string {
	var entries []string
	for _, number := range slices.Sorted(maps.Keys(values)) {
		entries = append(entries, strconv.FormatInt(number, 10)+between+values[number])
	}
	return strings.Join(entries, ",")
}

// Walls are screen names ("lostpets_city") or owner ids ("-123456"), as the
// configuration lists them, freed of @ and of vk.com in front.
type Walls []string

// screenName follows VK: Latin letters, digits, dot and underscore.
var screenName = regexp.MustCompile(`^[A-Za-z0-9_.]{2,64}$`)

var errWall = errors.New("not a screen name or owner id")

// UnmarshalText reads a list separated by commas or line breaks.
func (w *Walls) UnmarshalText(text []byte) error {
	*w = nil
	for wall := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == ',' || r == '\n' }) {
		wall = strings.TrimSpace(wall)
		for _, front := range []string{"https://", "http://", "m.", "vk.com/", "vk.ru/", "@"} {
			wall = strings.TrimPrefix(wall, front)
		}
		wall = strings.TrimRight(wall, "/")
		if wall == "" {
			continue
		}
		if id, err := strconv.ParseInt(wall, 10, 64); err == nil && id != 0 {
			*w = append(*w, strconv.FormatInt(id, 10))
			continue
		}
		if !screenName.MatchString(wall) {
			return errWall
		}
		*w = append(*w, wall)
	}
	return nil
}

// String is the list as the configuration writes it.
func (w Walls) String() string { return strings.Join(w, ",") }

// unique drops repeats; screen names do not depend on case.
func (w Walls) unique() Walls {
	var walls Walls
	seen := map[string]bool{}
	for _, wall := range w {
		if key := strings.ToLower(wall); !seen[key] {
			seen[key] = true
			walls = append(walls, wall)
		}
	}
	return walls
}

// Parse modes of Telegram that the relay renders.
const (
	ParseModeHTML       = "HTML"
	ParseModeMarkdownV2 = "MarkdownV2"
)

// leastRate is one message in a quarter of an hour, as in a routes file.
const leastRate = 0.001

// Telegram is the relay to one Telegram chat.
type Telegram struct {
	Enabled     bool          `env:"TG_ENABLED" envDefault:"false" about:"relay to the Telegram chat below"`
	Token       Secret        `env:"TG_TOKEN" reread:"true" about:"token of the bot that posts"`
	Chat        string        `env:"TG_CHAT" about:"chat id, negative for groups and channels, or the @name or the address (https://t.me/…) of a public one"`
	ThreadID    int           `env:"TG_THREAD_ID" about:"topic of a forum group"`
	ParseMode   string        `env:"TG_PARSE_MODE" envDefault:"HTML" about:"HTML or MarkdownV2"`
	RatePerSec  float64       `env:"TG_RATE_PER_SEC" envDefault:"1.0" about:"messages per second; 0: no pacing"`
	PerMinute   int           `env:"TG_PER_MINUTE" envDefault:"20" about:"messages per minute into a group, photos of an album counted singly; 0: no limit"`
	BotPerSec   float64       `env:"TG_BOT_PER_SEC" envDefault:"28" about:"messages per second of one bot to all its chats, from each worker; Telegram allows about 30; 0: no limit"`
	MaxMedia    int           `env:"TG_MAX_MEDIA" envDefault:"10" about:"photos per post, at most; more than 10 go as several albums; 0: text only"`
	MaxFileMB   int           `env:"TG_MAX_FILE_MB" envDefault:"2000" about:"size of the largest document or GIF brought as a file; Telegram's own server takes 50, one of yours (TELEGRAM_API_URL) 2000; 0: links only"`
	HTTPTimeout time.Duration `env:"TG_HTTP_TIMEOUT" envDefault:"10s" about:"for one call"`
}

// publicChat is the name of a public chat, as package route takes it.
var publicChat = regexp.MustCompile(`^@[A-Za-z][A-Za-z0-9_]{3,31}$`)

const chatRemedy = "set it to the numeric chat id, such as -1001234567890, or to the @name or the address of a public chat"

// ChatName is the number or the @name of a Telegram chat that is given by one of
// them, by its address (https://t.me/…) or by a name without its sign.
func ChatName(answer string) string {
	name := answer
	for _, front := range []string{"https://", "http://", "t.me/", "telegram.me/"} {
		name = strings.TrimPrefix(name, front)
	}
	if number, private := strings.CutPrefix(name, "c/"); private { // t.me/c/1234567890/5: a message of a private group
		number, _, _ = strings.Cut(number, "/")
		return "-100" + number
	}
	name, _, _ = strings.Cut(name, "/")
	if _, err := strconv.ParseInt(name, 10, 64); err == nil || strings.HasPrefix(name, "@") {
		return name
	}
	return "@" + name
}

func (t *Telegram) check(faults *faultList) {
	faults.token("TG_TOKEN", t.Token)
	if t.Enabled {
		faults.required("TG_TOKEN", t.Token.IsSet(), "set it to the token that @BotFather gave (TG_ENABLED=true needs it)")
		faults.required("TG_CHAT", t.Chat != "", chatRemedy+" (TG_ENABLED=true needs it)")
	}
	if id, err := strconv.ParseInt(t.Chat, 10, 64); t.Chat != "" && !publicChat.MatchString(t.Chat) && (err != nil || id == 0) {
		faults.add("TG_CHAT", "is no chat", chatRemedy)
	}
	if t.ThreadID < 0 {
		faults.add("TG_THREAD_ID", "is negative", "write the number of the topic, or leave it out")
	}
	faults.oneOf("TG_PARSE_MODE", t.ParseMode, ParseModeHTML, ParseModeMarkdownV2)
	faults.rate("TG_RATE_PER_SEC", t.RatePerSec, leastRate)
	faults.rate("TG_BOT_PER_SEC", t.BotPerSec, 2) // the ten items of an album wait within their call
	faults.between("TG_PER_MINUTE", t.PerMinute, 0, 10_000)
	// More than ten go as several albums; 50 is what package route takes too.
	faults.between("TG_MAX_MEDIA", t.MaxMedia, 0, 50)
	faults.between("TG_MAX_FILE_MB", t.MaxFileMB, 0, 2000)
	faults.positive("TG_HTTP_TIMEOUT", t.HTTPTimeout)
}

// VKOut is the relay to one VK wall.
type VKOut struct {
	Enabled     bool          `env:"VK_OUT_ENABLED" envDefault:"false" about:"relay to the VK wall below"`
	Token       Secret        `env:"VK_OUT_TOKEN" reread:"true" about:"key for posting; falls back to VK_TOKEN"`
	OwnerID     int64         `env:"VK_OUT_OWNER_ID" about:"owner of the wall, negative for a community"`
	RatePerSec  float64       `env:"VK_OUT_RATE_PER_SEC" envDefault:"1.0" about:"posts per second; 0: no pacing"`
	HTTPTimeout time.Duration `env:"VK_OUT_HTTP_TIMEOUT" envDefault:"10s" about:"for one call"`
	FromGroup   bool          `env:"VK_OUT_FROM_GROUP" envDefault:"true" about:"post in the community's name"`
	AttachMedia bool          `env:"VK_OUT_ATTACH_MEDIA" envDefault:"false" about:"upload the post's photos too"`
	MediaToken  Secret        `env:"VK_OUT_MEDIA_TOKEN" reread:"true" about:"user token for uploading photos, which a community token may not"`
	MaxMedia    int           `env:"VK_OUT_MAX_MEDIA" envDefault:"10" about:"photos per post, at most"`
	MaxText     int           `env:"VK_OUT_MAX_TEXT" envDefault:"15000" about:"length of a post's text in characters, at most"`
}

func (v *VKOut) check(faults *faultList) {
	faults.token("VK_OUT_TOKEN", v.Token)
	faults.token("VK_OUT_MEDIA_TOKEN", v.MediaToken)
	if v.Enabled {
		faults.required("VK_OUT_TOKEN", v.Token.IsSet(), "set it, or VK_TOKEN, to a token that may post on the wall (VK_OUT_ENABLED=true needs it)")
		faults.required("VK_OUT_OWNER_ID", v.OwnerID != 0, "set it to the wall's owner id, negative for a community (VK_OUT_ENABLED=true needs it)")
	}
	faults.rate("VK_OUT_RATE_PER_SEC", v.RatePerSec, leastRate)
	faults.positive("VK_OUT_HTTP_TIMEOUT", v.HTTPTimeout)
	// wall.post takes ten attachments at most.
	faults.between("VK_OUT_MAX_MEDIA", v.MaxMedia, 0, 10)
	// Room for a title and the source link, which are never cut.
	faults.between("VK_OUT_MAX_TEXT", v.MaxText, 256, 100_000)
}

// What to do with a message of which nobody can know whether it went out.
const (
	OnUnknownRetry = "retry"
	OnUnknownPark  = "park"
)

// Relay is what holds for every destination.
type Relay struct {
	OnUnknown  string        `env:"ON_UNKNOWN" envDefault:"retry" about:"retry or park a message of which nobody can know whether it went out"`
	CaseWindow time.Duration `env:"CASE_WINDOW" envDefault:"72h" about:"how long a case counts as told"`
	// RetentionDays of 0 keep them.
	RetentionDays int    `env:"DATA_RETENTION_DAYS" envDefault:"180" about:"after how many days the words, phones and names of posts are blanked; 0: never"`
	QuietHours    string `env:"QUIET_HOURS" about:"hours in which nothing is sent, such as 23:00-07:00 in BOT_TIMEZONE: what is owed waits; quiet_hours of a destination in ROUTES_FILE goes before"`
	RoutesFile    string `env:"ROUTES_FILE" about:"YAML with destinations and rules; replaces TG_… and VK_OUT_… as the only destinations"`
}

func (r *Relay) check(faults *faultList) {
	faults.oneOf("ON_UNKNOWN", r.OnUnknown, OnUnknownRetry, OnUnknownPark)
	faults.positive("CASE_WINDOW", r.CaseWindow)
	faults.between("DATA_RETENTION_DAYS", r.RetentionDays, 0, 36_500)
	if r.RoutesFile == "" {
		return
	}
	if stat, err := os.Stat(r.RoutesFile); err != nil || stat.IsDir() {
		faults.add("ROUTES_FILE", "does not name a file that can be read", "check the path, or leave it out for the single destinations")
	}
}
