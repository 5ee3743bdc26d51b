package content

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// List is the name of one of a batch's lists.
type List string

// The lists of a batch.
const (
	Districts       List = "districts"
	Types           List = "types"
	EventCategories List = "event_categories"
	EventSources    List = "event_sources"
	Subcategories   List = "subcategories"
	Places          List = "places"
	Events          List = "events"
	Collections     List = "collections"
	Promos          List = "promos"
)

// Lists is every list, in the order in which an import works: what is referred
// to comes before what refers to it.
var Lists = []List{Districts, Types, EventCategories, EventSources, Subcategories, Places, Events, Collections, Promos}

// Shown is every list in the order in which editors look for them.
var Shown = []List{Places, Events, Promos, Collections, Districts, Types, Subcategories, EventCategories, EventSources}

// Rank is the list's place in Lists, from 0; -1 for a name that is none.
func (l List) Rank() int { return slices.Index(Lists, l) }

// New gives a pointer to an empty object of the list, nil for a name that is
// no list.
func (l List) New() any {
	shape, ok := shapes[l]
	if !ok {
		return nil
	}
	return reflect.New(shape.object).Interface()
}

// shape is an object type of a batch with the fields that rules and CSV need.
type shape struct {
	object reflect.Type
	fields []field
}

// field is one field of an object, by its name in JSON.
type field struct {
	name  string
	index int
	tag   reflect.StructTag
}

// shapes is read off Batch, so that a list exists in one place only.
var shapes = func() map[List]shape {
	batch := reflect.TypeFor[Batch]()
	shapes := make(map[List]shape, batch.NumField())
	for i := range batch.NumField() {
		if list := batch.Field(i); list.Type.Kind() == reflect.Slice {
			shapes[List(jsonName(list))] = shape{object: list.Type.Elem(), fields: fieldsOf(list.Type.Elem())}
		}
	}
	return shapes
}()

func fieldsOf(object reflect.Type) []field {
	fields := make([]field, 0, object.NumField())
	for i := range object.NumField() {
		fields = append(fields, field{name: jsonName(object.Field(i)), index: i, tag: object.Field(i).Tag})
	}
	return fields
}

// textsOf are what stands in a field, as texts: one, or several of a list; none if
// it is empty. Times are as at writes them.
func textsOf(value any, at func(time.Time) string) (texts []string) {
	switch value := value.(type) {
	case string:
		if value != "" {
			texts = []string{value}
		}
	case *float64:
		if value != nil {
			texts = []string{strconv.FormatFloat(*value, 'f', -1, 64)}
		}
	case *time.Time:
		if value != nil {
			texts = []string{at(*value)}
		}
	case []string:
		texts = value
	case []CollectionItem:
		for _, item := range value {
			texts = append(texts, item.String())
		}
	}
	return texts
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
