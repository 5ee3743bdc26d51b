package content

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
)

// tableReader makes a batch of tables, a [Source]. A table is a list, told by
// its name or its headings, Russian or English. Where there is no id, an object
// is the one of the guide that is called so and is there, or a new one. What
// others refer to may be named by its id or by its name; a district, a type, a
// category or a source that nobody has heard of is created along.
type tableReader struct {
	rules   Rules
	options TableOptions
	mode    Mode
	remarks *remarks
	now     time.Time
	zone    *time.Location
	books   map[List]*book
	own     map[List][]Named // of rows with ids, until somebody asks for their list's book
	lists   []List
	objects []Object
	counts  map[List]int
	faults  []Refusal // of the row that is being read
	given   int       // of objects
	hash    []byte
}

func newTableReader(rules Rules, options TableOptions) *tableReader {
	r := &tableReader{
		rules: rules, options: options, mode: cmp.Or(options.Mode, Upsert), remarks: newRemarks(rules), zone: cmp.Or(rules.Zone, time.UTC),
		books: make(map[List]*book), own: make(map[List][]Named), counts: make(map[List]int),
	}
	r.now = r.remarks.now
	return r
}

func (r *tableReader) Summary() Summary {
	return Summary{Mode: r.mode, Lists: r.lists, Objects: len(r.objects), Hash: r.hash, Notes: r.remarks.notes()}
}

func (r *tableReader) Next() (Object, error) {
	if r.given == len(r.objects) {
		return Object{}, io.EOF
	}
	r.given++
	return r.objects[r.given-1], nil
}

// sheet is a table that is understood.
type sheet struct {
	table
	list   List
	fields []string // by column, "" for one that is not understood
	ids    []string // by row
}

func (r *tableReader) read(tables []table) error {
	sheets, err := r.sheets(tables)
	if err != nil {
		return err
	}
	// First who is who, in all tables, then what is said of them.
	slices.SortFunc(sheets, func(a, b *sheet) int { return cmp.Compare(a.list.Rank(), b.list.Rank()) })
	for _, s := range sheets {
		if err := r.identify(s); err != nil {
			return err
		}
	}
	for _, s := range sheets {
		for n := range s.rows {
			if len(r.objects) >= MaxObjects {
				return &BatchError{Why: Because("больше %d строк: разделите файл", MaxObjects), TooLarge: true}
			}
			if err := r.readRow(s, n); err != nil {
				return err
			}
		}
	}
	sum := sha256.New()
	fmt.Fprint(sum, r.mode, r.lists)
	for i := range r.objects {
		r.objects[i].Seq = i + 1
		fmt.Fprintf(sum, "%s %s %x %v\n", r.objects[i].List, r.objects[i].ID, r.objects[i].Digest, r.objects[i].Refusals)
	}
	r.hash = sum.Sum(nil)
	return nil
}

// sheets are the tables that are understood and have rows: at least one, and one of a list.
func (r *tableReader) sheets(tables []table) (sheets []*sheet, err error) {
	for n, t := range tables {
		s, err := r.understand(t, n)
		if err != nil {
			return nil, err
		}
		if s == nil || len(s.rows) == 0 { // a heading alone, as of a template, says nothing
			continue
		}
		if slices.Contains(r.lists, s.list) {
			return nil, unclear(t.name, "таблиц «%s» две: сведите их в одну", s.list.Label())
		}
		sheets, r.lists = append(sheets, s), append(r.lists, s.list)
	}
	if len(sheets) == 0 {
		return nil, &BatchError{Why: Because("в файле нет ни одной таблицы с заголовками и строками")}
	}
	return sheets, nil
}

func titleField(list List) string {
	if slices.ContainsFunc(shapes[list].fields, func(f field) bool { return f.name == "title" }) {
		return "title"
	}
	return "name"
}

func (s *sheet) cell(row int, field string) string {
	for column, name := range s.fields {
		if cells := s.rows[row].cells; name == field && column < len(cells) {
			return strings.TrimSpace(cells[column])
		}
	}
	return ""
}

// haveIDs reports whether every row has an id of its own, for which the guide need
// not be asked, and gives it to the rows.
func (r *tableReader) haveIDs(s *sheet) bool {
	s.ids = make([]string, len(s.rows))
	for n := range s.rows {
		if s.ids[n] = s.cell(n, "id"); s.ids[n] == "" {
			return false
		}
	}
	taken := make(map[string]bool)
	for n, id := range s.ids {
		if taken[id] {
			continue
		}
		taken[id] = true
		r.own[s.list] = append(r.own[s.list], Named{ID: id, Title: s.cell(n, titleField(s.list)), Detail: r.detail(s, n), Published: true})
	}
	return true
}

// detail is what tells a row from others of its name: an address, or when an event
// starts.
func (r *tableReader) detail(s *sheet, row int) string {
	if s.list != Events {
		return s.cell(row, "address")
	}
	if at, ok := r.moment(s, row, "starts_at", startTime); ok {
		return at.UTC().Format("2006-01-02T15:04:05Z")
	}
	return ""
}

// book is what a list has, by id and by name.
type book struct {
	ids    map[string]bool
	named  map[string][]Named // by SortKey of the title
	placed map[string]string  // to the id, by title and detail
}

func (r *tableReader) book(list List) (*book, error) {
	if b, ok := r.books[list]; ok {
		return b, nil
	}
	b := &book{ids: make(map[string]bool), named: make(map[string][]Named), placed: make(map[string]string)}
	r.books[list] = b
	var known []Named
	var err error
	if r.rules.Known != nil {
		known, err = r.rules.Known(list)
	}
	slices.SortStableFunc(known, func(a, b Named) int { // what people see goes first
		if a.Published == b.Published {
			return 0
		}
		if a.Published {
			return -1
		}
		return 1
	})
	for _, named := range append(known, r.own[list]...) {
		b.add(named)
	}
	return b, err
}

func (b *book) add(named Named) {
	key := SortKey(named.Title)
	b.ids[named.ID] = true
	b.named[key] = append(b.named[key], named)
	if at := key + "|" + named.Detail; b.placed[at] == "" {
		b.placed[at] = named.ID
	}
}

// new makes an id that nobody has.
func (b *book) new(title string) string {
	id := slug(title)
	for n := 2; b.ids[id]; n++ {
		id = fmt.Sprintf("%s-%d", slug(title), n)
	}
	return id
}

// identify gives each row its id: its own, or that of the guide's object with
// the same name and address (or time), or with the same name if there is but one
// of it here and there, or a new one.
func (r *tableReader) identify(s *sheet) error {
	if r.books[s.list] == nil && r.haveIDs(s) {
		return nil
	}
	b, err := r.book(s.list)
	if err != nil {
		return err
	}
	here := make(map[string]int)
	for n := range s.rows {
		here[SortKey(s.cell(n, titleField(s.list)))]++
	}
	taken := make(map[string]bool)
	s.ids = make([]string, len(s.rows))
	for n := range s.rows {
		id, title := s.cell(n, "id"), s.cell(n, titleField(s.list))
		detail := r.detail(s, n)
		key := SortKey(title)
		if id == "" && key != "" {
			id = b.placed[key+"|"+detail]
			if there := b.named[key]; id == "" && here[key] == 1 && len(there) == 1 {
				id = there[0].ID
			}
			if id == "" || taken[id] {
				id = b.new(title)
			}
		}
		if s.ids[n] = id; id != "" && !taken[id] {
			taken[id] = true
			b.add(Named{ID: id, Title: title, Detail: detail, Published: true})
		}
	}
	return nil
}

// moment reads a time whose day and hour may stand in two columns.
func (r *tableReader) moment(s *sheet, row int, field, hours string) (time.Time, bool) {
	at, whole, ok := parseTime(s.cell(row, field), r.zone, r.now)
	if !ok {
		return at, false
	}
	if hour := s.cell(row, hours); whole && hour != "" {
		since, ok := parseClock(hour)
		return at.Add(since), ok
	}
	if whole && field == "ends_at" { // the last day is one of them
		at = at.AddDate(0, 0, 1).Add(-time.Second)
	}
	return at, true
}

func (r *tableReader) readRow(s *sheet, row int) error {
	raw := map[string]any{}
	if s.ids[row] != "" {
		raw["id"] = s.ids[row]
	}
	for _, f := range shapes[s.list].fields {
		if text := s.cell(row, f.name); text != "" && f.name != "id" {
			value, err := r.value(s, row, f, text)
			if err != nil {
				return err
			}
			raw[f.name] = value
		}
	}
	if s.list == Events && raw["place"] != nil && r.books[Places].find(raw["place"].(string)) == "" && raw["address"] == nil {
		// A venue that is no place of the guide is where the event is.
		raw["address"], r.faults = raw["place"], nil
		delete(raw, "place")
		r.remarks.warn(Because("такого места в путеводителе нет: названное показано как адрес"), Refusal{Table: s.name, Row: s.rows[row].number, Name: s.cell(row, "title"), Value: raw["address"].(string)})
	}
	if text := s.cell(row, latLon); text != "" {
		if lat, lon, ok := parseLatLon(text); ok {
			raw["lat"], raw["lon"] = lat, lon
		} else {
			raw["lat"] = text
		}
	}
	return r.add(s.list, raw, Refusal{Table: s.name, Row: s.rows[row].number})
}

// add checks an object like one of JSON and keeps it.
func (r *tableReader) add(list List, raw map[string]any, where Refusal) error {
	encoded, err := encode(raw)
	if err != nil {
		return err
	}
	object := Object{List: list, Path: fmt.Sprintf("%s[%d]", list, r.counts[list]), Table: where.Table, Row: where.Row}
	r.counts[list]++
	value := object.fill(encoded, r.rules)
	if len(r.faults) > 0 {
		object.refuse(Title(encoded), r.faults...)
		object.Payload, r.faults = nil, nil
	}
	for i := range object.Refusals {
		object.Refusals[i].Table, object.Refusals[i].Row = where.Table, where.Row
	}
	where.Path, where.Name = object.Path, Title(encoded)
	r.remarks.about(&object, value, where)
	r.objects = append(r.objects, object)
	return nil
}

func (r *tableReader) value(s *sheet, row int, f field, text string) (any, error) {
	_, refers := referred[f.name]
	switch shapes[s.list].object.Field(f.index).Type {
	case reflect.TypeFor[*float64]():
		if number, ok := parseNumber(text); ok {
			return number, nil
		}
	case reflect.TypeFor[*time.Time]():
		if at, ok := r.moment(s, row, f.name, f.name+"+"); ok {
			return at, nil
		}
	case reflect.TypeFor[[]string]():
		if refers {
			return r.refer(f.name, text, s, row)
		}
		return splitLinks(text), nil
	case reflect.TypeFor[[]CollectionItem]():
		return r.items(text)
	default:
		if refers {
			ids, err := r.refer(f.name, text, s, row)
			if err != nil || len(ids) != 1 {
				return text, err
			}
			return ids[0], nil
		}
		switch f.name {
		case "phone":
			return tidyPhone(text), nil
		case "price":
			return tidyPrice(text), nil
		case "site", "url":
			return tidyLink(text), nil
		}
	}
	return text, nil
}

// refer finds what a cell names, by id or by name.
func (r *tableReader) refer(field, text string, s *sheet, row int) (ids []string, err error) {
	list := referred[field]
	b, err := r.book(list)
	if err != nil {
		return nil, err
	}
	names := []string{text}
	if list != Districts && list != Places && list != EventSources {
		names = splitNames(text, func(name string) bool { return b.ids[name] || b.named[SortKey(name)] != nil })
	}
	for _, name := range names {
		id := b.find(name)
		if id == "" {
			if id, err = r.create(field, name, s, row); err != nil {
				return nil, err
			}
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (b *book) find(name string) string {
	if b.ids[name] {
		return name
	}
	if named := b.named[SortKey(name)]; named != nil {
		return named[0].ID
	}
	return ""
}

// create adds what a row names and nobody has heard of, if its name is all that
// there is to it; else the name stays, and is refused as a reference.
func (r *tableReader) create(field, name string, s *sheet, row int) (string, error) {
	raw, list := map[string]any{"name": name}, referred[field]
	switch list {
	case Districts, Types, EventCategories, EventSources:
	case Subcategories:
		types, err := r.refer("types", s.cell(row, "types"), s, row)
		if err != nil || len(types) == 0 {
			return r.unknown(field, name), err
		}
		raw["type"] = types[0]
	default:
		return r.unknown(field, name), nil
	}
	b := r.books[list]
	id := b.new(name)
	raw["id"] = id
	b.add(Named{ID: id, Title: name, Published: true})
	where := Refusal{Table: s.name, Row: s.rows[row].number, Name: name}
	r.remarks.warn(Because("%s: такого ещё нет, будет создано", list.Label()), where)
	return id, r.add(list, raw, where)
}

// unknown leaves a name that leads nowhere as it is, and says so if the guide
// was asked.
func (r *tableReader) unknown(field, name string) string {
	if r.rules.Known != nil {
		r.faults = append(r.faults, Refusal{Path: field, Value: shorten(name), Why: UnknownReference(referred[field])})
	}
	return name
}

// items reads a collection's members, as place:p1, or by name.
func (r *tableReader) items(text string) ([]CollectionItem, error) {
	places, err := r.book(Places)
	if err != nil {
		return nil, err
	}
	events, err := r.book(Events)
	if err != nil {
		return nil, err
	}
	items := []CollectionItem{}
	for _, name := range splitNames(text, func(name string) bool { return places.find(name)+events.find(name) != "" }) {
		kind, id, tagged := strings.Cut(name, ":")
		switch place, event := places.find(name), events.find(name); {
		case tagged && kind == "place":
			items = append(items, CollectionItem{Place: id})
		case tagged && kind == "event":
			items = append(items, CollectionItem{Event: id})
		case place == "" && event != "":
			items = append(items, CollectionItem{Event: event})
		default:
			items = append(items, CollectionItem{Place: cmp.Or(place, name)})
		}
	}
	return items, nil
}
