package guide

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// clip shortens text to at most limit code points, the last being an ellipsis
// if anything was cut. A letter keeps its combining marks and an emoji its
// parts: what would be torn is left out.
func clip(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	end := limit - 1
	for end > 0 && (joins(runes[end]) || runes[end-1] == zeroWidthJoiner) {
		end--
	}
	return strings.TrimRightFunc(string(runes[:end]), unicode.IsSpace) + ellipsis
}

func firstRunes(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit])
}

const zeroWidthJoiner = '\u200d'

// joins reports whether r belongs to the rune before it.
func joins(r rune) bool {
	return r == zeroWidthJoiner || unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) || r >= 0x1F3FB && r <= 0x1F3FF
}

// tidy makes one valid line of CMS text that belongs into a button or a list.
func tidy(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	return clip(text, limit)
}

// title is what a thing is called, in one line; a button without a text would
// make Telegram refuse the whole screen.
func (t *Texts) title(text string, limit int) string {
	if text = tidy(text, limit); text != "" {
		return text
	}
	return t.Lists.Untitled
}

// joined joins what is there.
func joined(separator string, all ...string) string {
	kept := all[:0:0]
	for _, text := range all {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, separator)
}

// lines are the texts that are there, each in a line.
func lines(all ...string) string { return joined("\n", all...) }

// notes are the texts that are there, in one line.
func notes(all ...string) string { return joined(" · ", all...) }

// field is "name: value", or no line for no value.
func field(name, value string) string {
	return prefixed(name+": ", value)
}

// paragraph is a text with a blank line before it.
func paragraph(text string) string { return prefixed("\n", text) }

func prefixed(prefix, text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	if text == "" {
		return ""
	}
	return prefix + text
}

// mapURL searches Yandex's map for an address, around its position if that is
// known. A city that the address does not name is put before it.
func mapURL(city, address string, lat, lon *float64) string {
	if city != "" && !strings.Contains(strings.ToLower(address), strings.ToLower(city)) {
		address = city + ", " + address
	}
	link := "https://yandex.ru/maps/?text=" + url.QueryEscape(address)
	if lat != nil && lon != nil {
		link += "&ll=" + strconv.FormatFloat(*lon, 'f', -1, 64) + "," + strconv.FormatFloat(*lat, 'f', -1, 64) + "&z=17"
	}
	return link
}

// distance is "350 м", "1 км", "1,2 км".
func (t *Texts) distance(metres float64) string {
	if tens := int(metres/10+0.5) * 10; tens < 1000 {
		return fill(t.Times.Metres, "distance", strconv.Itoa(tens))
	}
	tenths := int(metres/100 + 0.5)
	kilometres := strconv.Itoa(tenths / 10)
	if tenths%10 != 0 {
		kilometres += "," + strconv.Itoa(tenths%10)
	}
	return fill(t.Times.Kilometres, "distance", kilometres)
}

// webURL is address if Telegram takes it for a button, else "". Besides the
// web's own, it takes links into its apps: tg://resolve?domain=…
func webURL(address string) string {
	address = strings.TrimSpace(address)
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || len(address) > 1024 {
		return ""
	}
	switch parsed.Scheme {
	case "tg":
		return parsed.String()
	case "http", "https":
		if strings.Contains(parsed.Hostname(), ".") {
			return parsed.String()
		}
	}
	return ""
}

// photoURL checks the address of a photo. Telegram downloads it itself, so it
// must be http(s) with a host; no request is made to find that out.
func photoURL(address string) (string, NoPhoto) {
	address = strings.TrimSpace(address)
	if address == "" {
		return "", PhotoMissing
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" ||
		strings.ContainsFunc(address, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) || !utf8.ValidString(address) {
		return "", PhotoMalformed
	}
	return address, ""
}

// PublicURL is a URL as it may be logged: without query, fragment, user and
// password, any of which may hold a token.
func PublicURL(address string) string {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "(unreadable URL)"
	}
	public := url.URL{Scheme: parsed.Scheme, Host: parsed.Host, Path: parsed.Path}
	return public.String()
}

// rating is 4.7 as Russians write it; "" if nobody has rated.
func rating(value float64) string {
	if value <= 0 {
		return ""
	}
	return strings.Replace(strconv.FormatFloat(value, 'f', 1, 64), ".", ",", 1)
}

func (t *Texts) weekday(at time.Time) string { return forms(t.Times.Weekdays)[at.Weekday()] }

// date is "5 декабря", with the year if it is not now's.
func (t *Texts) date(at, now time.Time) string {
	text := strconv.Itoa(at.Day()) + " " + forms(t.Times.Months)[at.Month()-1]
	if at.Year() != now.Year() {
		text += " " + strconv.Itoa(at.Year())
	}
	return text
}

// shortDate is "5 дек", for buttons that stand three to a row on a phone.
func (t *Texts) shortDate(at time.Time) string {
	return strconv.Itoa(at.Day()) + " " + forms(t.Times.ShortMonths)[at.Month()-1]
}

// moment is "сб, 5 декабря, 19:00".
func (t *Texts) moment(at, now time.Time) string {
	return t.weekday(at) + ", " + t.date(at, now) + ", " + at.Format("15:04")
}

// span is when an event takes place.
func (t *Texts) span(from, until, now time.Time) string {
	switch {
	case until.Equal(from):
		return t.moment(from, now)
	case dateOf(from) == dateOf(until):
		return t.moment(from, now) + "–" + until.Format("15:04")
	}
	return t.moment(from, now) + " – " + t.moment(until, now)
}

// severalDays is "6–8 декабря", or "30 ноября – 2 декабря".
func (t *Texts) severalDays(from, until, now time.Time) string {
	if from.Month() == until.Month() && from.Year() == until.Year() {
		return strconv.Itoa(from.Day()) + "–" + t.date(until, now)
	}
	return t.date(from, now) + " – " + t.date(until, now)
}
