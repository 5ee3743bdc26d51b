package content

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"time"

	"vestnik/internal/words"
)

// Notes are what a batch gives cause to say besides what it refuses.
type Notes struct {
	Warnings []Warning `json:"warnings,omitempty" description:"what is taken and may be a slip, in Russian"`
	Columns  []Column  `json:"columns,omitempty" description:"how the columns of tables were understood"`
	// KeptLater counts what an undo leaves as a later import wrote it.
	KeptLater int `json:"kept_later,omitempty" description:"objects that an undo leaves as a later import wrote them"`
}

// Warning is one thing that may be a slip, with the objects it is about.
type Warning struct {
	Why

	Count   int       `json:"count"`
	Objects []Refusal `json:"objects" description:"the first 20"`
}

// Column is a column of a table with the field that it is taken for.
type Column struct {
	Table   string `json:"table"`
	List    List   `json:"list"`
	Heading string `json:"heading"`
	Field   string `json:"field,omitempty" description:"missing: the column is not understood and left out"`
	Nearest string `json:"nearest,omitempty" description:"the heading that it may have been meant as"`
}

// warnedObjects is how many objects a warning names.
const warnedObjects = 20

// remarks collects what there is to say about objects.
type remarks struct {
	rules    Rules
	now      time.Time
	warnings map[string]*Warning
	order    []string
	columns  []Column
	seen     map[uint64]bool // places by name and address
}

func newRemarks(rules Rules) *remarks {
	now := time.Now
	if rules.Now != nil {
		now = rules.Now
	}
	return &remarks{rules: rules, now: now(), warnings: make(map[string]*Warning), seen: make(map[uint64]bool)}
}

func (r *remarks) notes() Notes {
	notes := Notes{Columns: r.columns}
	for _, reason := range r.order {
		notes.Warnings = append(notes.Warnings, *r.warnings[reason])
	}
	return notes
}

func (r *remarks) warn(why Why, about Refusal) {
	warning, ok := r.warnings[why.Reason]
	if !ok {
		warning = &Warning{Why: why}
		r.warnings[why.Reason] = warning
		r.order = append(r.order, why.Reason)
	}
	warning.Count++
	if len(warning.Objects) < warnedObjects {
		warning.Objects = append(warning.Objects, about)
	}
}

var (
	markup = regexp.MustCompile(`<(/?(b|i|u|p|a|br|div|span|ul|li|strong|em|h[1-6])\b[^>]*|!--)>?`)
	// cityNamed is an address with a part that is no street and no house.
	cityNamed = regexp.MustCompile(`(?i)(^|[\s,])(г\.|г |город |пос\.|пгт|с\.|дер\.|д\. ?[А-ЯЁ])|^[А-ЯЁ][а-яё]+([ -][А-ЯЁа-яё]+)?, .*\d`)
	street    = regexp.MustCompile(`(?i)^(ул|просп|пр-т|пр|пер|наб|пл|бул|б-р|ш|шоссе|улица|проспект|переулок|набережная|площадь|бульвар)[. ]`)
)

// on says what there is to say about an object, its value that was read from raw.
func (r *remarks) on(object *Object, value any, raw []byte) {
	about := Refusal{Path: object.Path, Name: Title(raw)}
	r.unknownFields(object, raw, about)
	r.about(object, value, about)
}

// about says what there is to say about an object's value.
func (r *remarks) about(object *Object, value any, about Refusal) {
	if len(object.Refusals) > 0 {
		return
	}
	switch value := value.(type) {
	case *Place:
		r.onPlace(value, about)
	case *Event:
		if over := cmp.Or(value.EndsAt, value.StartsAt); over.Before(r.now) {
			r.warn(Because("событие уже прошло, его не увидят"), about)
		}
		r.onText(value.Description, value.Photos, about)
	case *Collection:
		r.onMarkup(value.Description, about)
	case *Promo:
		if value.EndsAt != nil && value.EndsAt.Before(r.now) {
			r.warn(Because("акция уже закончилась, её не увидят"), about)
		}
		r.onMarkup(value.Description, about)
	}
}

func (r *remarks) onPlace(place *Place, about Refusal) {
	key := fnv.New64a()
	fmt.Fprintf(key, "%s|%s", SortKey(place.Name), SortKey(place.Address))
	if sum := key.Sum64(); r.seen[sum] {
		r.warn(Because("место с таким же названием и адресом в файле уже есть"), about)
	} else {
		r.seen[sum] = true
	}
	if place.Address != "" && place.Lat == nil && (street.MatchString(place.Address) || !cityNamed.MatchString(place.Address)) {
		about := about
		about.Value = shorten(place.Address)
		r.warn(Because("в адресе нет города, а координат нет: карта может показать другой город"), about)
	}
	r.onText(place.Description, place.Photos, about)
}

func (r *remarks) onText(description string, photos []string, about Refusal) {
	r.onMarkup(description, about)
	if len(photos) == 0 {
		r.warn(Because("нет фото"), about)
	}
}

func (r *remarks) onMarkup(description string, about Refusal) {
	if found := markup.FindString(description); found != "" {
		about.Value = shorten(found)
		r.warn(Because("в описании HTML-разметка, люди увидят её как есть"), about)
	}
}

func (r *remarks) unknownFields(object *Object, raw []byte, about Refusal) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return
	}
	known := make([]string, 0, len(fields))
	for _, f := range shapes[object.List].fields {
		known = append(known, f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(known, name) {
			continue
		}
		why := Because("поле %q не известно и пропущено", shorten(name))
		if near := words.Nearest(name, known); near != "" {
			why = Because("поле %q не известно и пропущено; есть похожее: %s", shorten(name), near)
		}
		r.warn(why, about)
	}
}
