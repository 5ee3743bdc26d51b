package content

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
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
	// Zone is the city's, for times that name none; nil is UTC.
	Zone *time.Location
	// Known lists what the guide has of a list, by which tables name things;
	// nil if nobody knows.
	Known func(List) ([]Named, error)
	// UnpublishPercent is the share of a list that a snapshot may take away
	// without a person's word; 0 is the standard one.
	UnpublishPercent int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Named is an object by what people call it.
type Named struct {
	ID, Title string
	Detail    string // a place's address, an event's start in RFC 3339
	Published bool
}

// Refusal says why an object, or an unknown part of the batch, is not taken.
// An object with several faults has one for each. Editors read them, so they
// are in Russian.
type Refusal struct {
	Path  string `json:"path" description:"where in the batch, such as places[17].photos[0]"`
	Value string `json:"value,omitempty" description:"what stands there, shortened"`
	Name  string `json:"name,omitempty" description:"what the object is called"`
	Table string `json:"table,omitempty" description:"the file or sheet of a table"`
	Row   int    `json:"row,omitempty" description:"the row of the table, from 1"`

	Why
}

// String says where it is, and what stands there.
func (r Refusal) String() string {
	where := r.Path
	if r.Row > 0 {
		where = fmt.Sprintf("%s, строка %d (%s)", r.Table, r.Row, r.Path)
	}
	if r.Name != "" {
		where = "«" + r.Name + "», " + where
	}
	if r.Value != "" {
		where += fmt.Sprintf(" %q", r.Value)
	}
	return where
}

// maxURLLength is what browsers and servers agree to carry.
const maxURLLength = 2048

const (
	timeWanted  = "должно быть временем: 05.12.2026 19:00 или 2026-12-05T19:00:00+04:00"
	timeMissing = "не указано; " + timeWanted
)

// Check tidies an object (trims and normalises texts, drops blank photos, puts
// times in UTC) and tests it by its tags and by what tags can't say. The
// refusals' paths are relative to the object. object must be a pointer to one
// of the batch's types.
func Check(object any, rules Rules) []Refusal {
	value := reflect.ValueOf(object).Elem()
	var refusals []Refusal
	for _, f := range fieldsOf(value.Type()) {
		refusals = append(refusals, checkField(value.Field(f.index), f)...)
	}
	switch object := object.(type) {
	case *Place:
		if (object.Lat == nil) != (object.Lon == nil) {
			refusals = append(refusals, Refusal{Path: "lat", Why: Because("широта и долгота указываются вместе или никак")})
		}
		refusals = append(refusals, checkPhotos(object.Photos, rules)...)
	case *Event:
		refusals = append(refusals, checkPeriod(object.StartsAt, object.EndsAt)...)
		refusals = append(refusals, checkPhotos(object.Photos, rules)...)
	case *Collection:
		refusals = append(refusals, checkItems(object.Items)...)
	case *Promo:
		refusals = append(refusals, checkPeriod(object.StartsAt, object.EndsAt)...)
	}
	return refusals
}

func checkField(value reflect.Value, f field) []Refusal {
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
				return []Refusal{{Path: f.name, Why: Because(timeMissing)}}
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

func checkText(text *string, f field) []Refusal {
	if refusals := checkCharacters(*text, f.name); refusals != nil {
		return refusals
	}
	*text = norm.NFC.String(strings.TrimSpace(*text))
	if *text == "" {
		if f.tag.Get("required") == "true" {
			return []Refusal{{Path: f.name, Why: Because("не указано")}}
		}
		return nil
	}
	if limit, _ := strconv.Atoi(f.tag.Get("maxLength")); limit > 0 && utf8.RuneCountInString(*text) > limit {
		return []Refusal{{Path: f.name, Value: shorten(*text), Why: Because("длиннее %d знаков", limit)}}
	}
	if f.tag.Get("format") == "uri" {
		if why := linkFault(*text); why.Reason != "" {
			return []Refusal{{Path: f.name, Value: shorten(*text), Why: why}}
		}
	}
	return nil
}

func checkTexts(texts *[]string, f field) []Refusal {
	refusals := checkCount(len(*texts), f)
	seen := make(map[string]bool, len(*texts))
	kept := (*texts)[:0]
	for i, text := range *texts {
		path := fmt.Sprintf("%s[%d]", f.name, i)
		if faults := checkCharacters(text, path); faults != nil {
			refusals = append(refusals, faults...)
			continue
		}
		text = norm.NFC.String(strings.TrimSpace(text))
		if text == "" {
			if f.name != "photos" { // no photo is better than no place
				refusals = append(refusals, Refusal{Path: path, Why: Because("пусто; назовите id или уберите")})
			}
			continue
		}
		if !seen[text] {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	*texts = kept
	return refusals
}

// checkCharacters refuses the one character that Postgres can't keep, and the
// one that stands for letters lost on the way.
func checkCharacters(text, path string) []Refusal {
	switch {
	case strings.ContainsRune(text, 0):
		return []Refusal{{Path: path, Value: shorten(text), Why: Because(`содержит знак \u0000`)}}
	case strings.Contains(text, "\uFFFD\uFFFD"):
		return []Refusal{{Path: path, Value: shorten(text), Why: Because("буквы потеряны при перекодировке («\uFFFD»): сохраните файл в UTF-8")}}
	}
	return nil
}

func checkCount(count int, f field) []Refusal {
	if limit, _ := strconv.Atoi(f.tag.Get("maxItems")); limit > 0 && count > limit {
		return []Refusal{{Path: f.name, Value: strconv.Itoa(count), Why: Because("больше %d значений", limit)}}
	}
	return nil
}

func checkNumber(number *float64, f field) []Refusal {
	if number == nil {
		return nil
	}
	low, _ := strconv.ParseFloat(f.tag.Get("minimum"), 64)
	high, _ := strconv.ParseFloat(f.tag.Get("maximum"), 64)
	if *number < low || *number > high {
		return []Refusal{{Path: f.name, Value: strconv.FormatFloat(*number, 'g', -1, 64), Why: Because("должно быть от %g до %g", low, high)}}
	}
	return nil
}

func checkItems(items []CollectionItem) (refusals []Refusal) {
	for i := range items {
		item, path := &items[i], fmt.Sprintf("items[%d]", i)
		for _, f := range fieldsOf(reflect.TypeFor[CollectionItem]()) {
			for _, refusal := range checkField(reflect.ValueOf(item).Elem().Field(f.index), f) {
				refusal.Path = path + "." + refusal.Path
				refusals = append(refusals, refusal)
			}
		}
		if (item.Place == "") == (item.Event == "") {
			refusals = append(refusals, Refusal{Path: path, Why: Because("должно назвать или место, или событие")})
		}
	}
	return refusals
}

func checkPeriod(startsAt, endsAt *time.Time) []Refusal {
	if startsAt != nil && endsAt != nil && endsAt.Before(*startsAt) {
		return []Refusal{{Path: "ends_at", Value: endsAt.Format(time.RFC3339), Why: Because("раньше начала")}}
	}
	return nil
}

func checkPhotos(photos []string, rules Rules) (refusals []Refusal) {
	for i, photo := range photos {
		if why := photoURLFault(photo, rules); why.Reason != "" {
			refusals = append(refusals, Refusal{Path: fmt.Sprintf("photos[%d]", i), Value: shorten(photo), Why: why})
		}
	}
	return refusals
}

// photoURLFault says what is wrong with the form of a photo's address, "" if
// nothing: https unless the rules say otherwise, a host that the internet can
// know, no user name, no fragment, at most 2048 bytes.
func photoURLFault(address string, rules Rules) Why {
	if why := linkFault(address); why.Reason != "" {
		return why
	}
	parsed, _ := url.Parse(address) // linkFault parsed it
	switch {
	case parsed.Scheme != "https" && !rules.AllowHTTP:
		return Because("должно начинаться с https://")
	case parsed.Fragment != "":
		return Because("не должно иметь части после #")
	case !rules.AllowHTTP && !isPublicHost(parsed.Hostname()):
		return Because("должно вести на сервер, известный в интернете")
	}
	return Why{}
}

// linkFault says what is wrong with a web address, "" if nothing.
func linkFault(address string) Why {
	if len(address) > maxURLLength {
		return Because("длиннее %d байт", maxURLLength)
	}
	parsed, err := url.Parse(address)
	switch {
	case err != nil || strings.ContainsAny(address, " \t\r\n\\"):
		return Because("не адрес в интернете")
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return Because("должно начинаться с https:// или http://")
	case parsed.Hostname() == "":
		return Because("не называет сервера")
	case parsed.User != nil:
		return Because("не должно содержать имени и пароля")
	}
	return Why{}
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

// Why is why something is not taken, or may be a slip: in Russian, as editors read
// it, and as a message with its arguments, of which other languages have their own.
type Why struct {
	Reason  string   `json:"reason" description:"why it is refused and what would do, in Russian"`
	Message string   `json:"message,omitempty" description:"the reason with %s for its arguments; missing: as it is"`
	Args    []string `json:"args,omitempty" description:"the arguments of the message"`
}

var verb = regexp.MustCompile(`%[a-z]`)

// Because makes a reason of a message and its arguments; every message is in the
// console's catalogue.
func Because(message string, args ...any) Why {
	why := Why{Reason: message, Message: verb.ReplaceAllString(message, "%s")}
	if len(args) == 0 {
		return why
	}
	why.Reason = fmt.Sprintf(message, args...)
	for i, form := range verb.FindAllString(message, -1) {
		why.Args = append(why.Args, fmt.Sprintf(form, args[i]))
	}
	return why
}

// InFile begins a message about a file, whose name is the first argument.
const InFile = "«%s»: "

func (w Why) within(name string) Why {
	w.Reason, w.Message, w.Args = fmt.Sprintf(InFile, name)+w.Reason, InFile+w.Message, append([]string{name}, w.Args...)
	return w
}
