package content

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Rules are the settings under which objects are checked.
type Rules struct {
	// AllowHTTP lets photos have http addresses, private hosts included: for
	// development, where the sandbox serves them.
	AllowHTTP bool
}

// Refusal says why an object, or an unknown part of the batch, is not taken.
type Refusal struct {
	Path   string `json:"path" description:"where in the batch, such as places[17].photos[0]"`
	Value  string `json:"value,omitempty" description:"what stands there, shortened"`
	Reason string `json:"reason" description:"why it is refused and what would do"`
}

// maxURLLength is what browsers and servers agree to carry.
const maxURLLength = 2048

// Check tidies an object (trims and normalises texts, drops blank photos, puts
// times in UTC) and tests it by its tags and by what tags can't say. The
// refusal's path is relative to the object. object must be a pointer to one of
// the batch's types.
func Check(object any, rules Rules) *Refusal {
	value := reflect.ValueOf(object).Elem()
	for _, f := range fieldsOf(value.Type()) {
		if refusal := checkField(value.Field(f.index), f); refusal != nil {
			return refusal
		}
	}
	switch object := object.(type) {
	case *Place:
		return checkPlace(object, rules)
	case *Event:
		return checkEvent(object, rules)
	case *Collection:
		return checkCollection(object)
	case *Promo:
		return checkPeriod(object.StartsAt, object.EndsAt)
	}
	return nil
}

func checkField(value reflect.Value, f field) *Refusal {
	switch value := value.Addr().Interface().(type) {
	case *string:
		return checkText(value, f)
	case *[]string:
		return checkTexts(value, f)
	case **float64:
		return checkNumber(*value, f)
	case **time.Time:
		if *value == nil {
			if f.tag.Get("required") == "true" {
				return &Refusal{Path: f.name, Reason: "is missing; give a time like 2026-12-05T19:00:00+04:00"}
			}
			return nil
		}
		utc := (*value).UTC().Truncate(time.Microsecond) // what Postgres keeps
		*value = &utc
	case *[]CollectionItem:
		return checkCount(len(*value), f)
	}
	return nil
}

func checkText(text *string, f field) *Refusal {
	if refusal := checkCharacters(*text, f.name); refusal != nil {
		return refusal
	}
	*text = norm.NFC.String(strings.TrimSpace(*text))
	if *text == "" {
		if f.tag.Get("required") == "true" {
			return &Refusal{Path: f.name, Reason: "is missing or empty"}
		}
		return nil
	}
	if limit, _ := strconv.Atoi(f.tag.Get("maxLength")); limit > 0 && utf8.RuneCountInString(*text) > limit {
		return &Refusal{Path: f.name, Value: shorten(*text), Reason: fmt.Sprintf("is longer than %d characters", limit)}
	}
	if f.tag.Get("format") == "uri" {
		if reason := linkFault(*text); reason != "" {
			return &Refusal{Path: f.name, Value: shorten(*text), Reason: reason}
		}
	}
	return nil
}

func checkTexts(texts *[]string, f field) *Refusal {
	if refusal := checkCount(len(*texts), f); refusal != nil {
		return refusal
	}
	seen := make(map[string]bool, len(*texts))
	kept := (*texts)[:0]
	for i, text := range *texts {
		path := fmt.Sprintf("%s[%d]", f.name, i)
		if refusal := checkCharacters(text, path); refusal != nil {
			return refusal
		}
		text = norm.NFC.String(strings.TrimSpace(text))
		if text == "" {
			if f.name == "photos" {
				continue // no photo is better than no place
			}
			return &Refusal{Path: path, Reason: "is empty; name an id or leave it out"}
		}
		if !seen[text] {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	*texts = kept
	return nil
}

// checkCharacters refuses the one character that Postgres can't keep.
func checkCharacters(text, path string) *Refusal {
	if strings.ContainsRune(text, 0) {
		return &Refusal{Path: path, Value: shorten(text), Reason: `contains the character \u0000`}
	}
	return nil
}

func checkCount(count int, f field) *Refusal {
	if limit, _ := strconv.Atoi(f.tag.Get("maxItems")); limit > 0 && count > limit {
		return &Refusal{Path: f.name, Value: strconv.Itoa(count), Reason: fmt.Sprintf("has more than %d entries", limit)}
	}
	return nil
}

func checkNumber(number *float64, f field) *Refusal {
	if number == nil {
		return nil
	}
	low, _ := strconv.ParseFloat(f.tag.Get("minimum"), 64)
	high, _ := strconv.ParseFloat(f.tag.Get("maximum"), 64)
	if *number < low || *number > high {
		return &Refusal{Path: f.name, Value: strconv.FormatFloat(*number, 'g', -1, 64), Reason: fmt.Sprintf("is not within %g…%g", low, high)}
	}
	return nil
}

func checkPlace(place *Place, rules Rules) *Refusal {
	if (place.Lat == nil) != (place.Lon == nil) {
		return &Refusal{Path: "lat", Reason: "lat and lon come together or not at all"}
	}
	return checkPhotos(place.Photos, rules)
}

func checkEvent(event *Event, rules Rules) *Refusal {
	if refusal := checkPeriod(event.StartsAt, event.EndsAt); refusal != nil {
		return refusal
	}
	return checkPhotos(event.Photos, rules)
}

func checkCollection(collection *Collection) *Refusal {
	for i := range collection.Items {
		item, path := &collection.Items[i], fmt.Sprintf("items[%d]", i)
		for _, f := range fieldsOf(reflect.TypeFor[CollectionItem]()) {
			if refusal := checkField(reflect.ValueOf(item).Elem().Field(f.index), f); refusal != nil {
				refusal.Path = path + "." + refusal.Path
				return refusal
			}
		}
		if (item.Place == "") == (item.Event == "") {
			return &Refusal{Path: path, Reason: "must name either a place or an event"}
		}
	}
	return nil
}

func checkPeriod(startsAt, endsAt *time.Time) *Refusal {
	if startsAt != nil && endsAt != nil && endsAt.Before(*startsAt) {
		return &Refusal{Path: "ends_at", Value: endsAt.Format(time.RFC3339), Reason: "is before starts_at"}
	}
	return nil
}

func checkPhotos(photos []string, rules Rules) *Refusal {
	for i, photo := range photos {
		if reason := PhotoURLFault(photo, rules); reason != "" {
			return &Refusal{Path: fmt.Sprintf("photos[%d]", i), Value: shorten(photo), Reason: reason}
		}
	}
	return nil
}

// PhotoURLFault says what is wrong with the form of a photo's address, "" if
// nothing: https unless the rules say otherwise, a host that the internet can
// know, no user name, no fragment, at most 2048 bytes.
func PhotoURLFault(address string, rules Rules) string {
	if reason := linkFault(address); reason != "" {
		return reason
	}
	parsed, _ := url.Parse(address) // linkFault parsed it
	switch {
	case parsed.Scheme != "https" && !rules.AllowHTTP:
		return "must begin with https://"
	case parsed.Fragment != "":
		return "must not have a part after #"
	case !rules.AllowHTTP && !isPublicHost(parsed.Hostname()):
		return "must have a host name that the internet knows"
	}
	return ""
}

// linkFault says what is wrong with a web address, "" if nothing.
func linkFault(address string) string {
	if len(address) > maxURLLength {
		return fmt.Sprintf("is longer than %d bytes", maxURLLength)
	}
	parsed, err := url.Parse(address)
	switch {
	case err != nil || strings.ContainsAny(address, " \t\r\n\\"):
		return "is not an address"
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return "must begin with https:// or http://"
	case parsed.Hostname() == "":
		return "has no host"
	case parsed.User != nil:
		return "must not carry a user name or password"
	}
	return ""
}

// isPublicHost refuses addresses that can only mean something nearer than the
// internet. What a name resolves to is looked at when the photo is fetched.
func isPublicHost(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Unmap().IsGlobalUnicast() && !address.Unmap().IsPrivate()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".localhost") &&
		!strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".internal")
}

// shorten cuts a value for a report.
func shorten(value string) string {
	const limit = 120
	value = strings.ReplaceAll(strings.ToValidUTF8(value, "\uFFFD"), "\x00", "\uFFFD")
	if utf8.RuneCountInString(value) <= limit {
		return value
	}
	return string([]rune(value)[:limit-1]) + "…"
}
