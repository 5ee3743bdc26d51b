package content

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// ChangeKind is what becomes of an object.
type ChangeKind string

// The kinds of changes.
const (
	ObjectCreated     ChangeKind = "created"
	ObjectChanged     ChangeKind = "changed" // published again included
	ObjectUnpublished ChangeKind = "unpublished"
)

// Enum lists the kinds, for the API description.
func (ChangeKind) Enum() []any { return []any{ObjectCreated, ObjectChanged, ObjectUnpublished} }

// Difference is what an import makes of the guide, by list and kind.
type Difference []Change

// Change is what of one kind becomes of a list's objects.
type Change struct {
	List    List            `json:"list"`
	Kind    ChangeKind      `json:"kind"`
	Count   int             `json:"count"`
	Objects []ChangedObject `json:"objects" description:"the first 100"`
}

// ChangedObject is an object that an import writes.
type ChangedObject struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Fields []FieldChange `json:"fields,omitempty" description:"of a changed object; none: it is published again"`
}

// FieldChange is a field as it was and as it is, shortened.
type FieldChange struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Compare orders changes: what goes first, then by the lists' order.
func (c Change) Compare(other Change) int {
	weight := map[ChangeKind]int{ObjectUnpublished: 0, ObjectChanged: 1, ObjectCreated: 2}
	return cmp.Or(cmp.Compare(weight[c.Kind], weight[other.Kind]), cmp.Compare(c.List.Rank(), other.List.Rank()))
}

// Unpublished counts what goes.
func (d Difference) Unpublished() (count int) {
	for _, change := range d {
		if change.Kind == ObjectUnpublished {
			count += change.Count
		}
	}
	return count
}

// Compare returns which fields of an object differ between two payloads.
func Compare(list List, before, after []byte) (changes []FieldChange) {
	was, is := list.New(), list.New()
	if json.Unmarshal(before, was) != nil || json.Unmarshal(after, is) != nil {
		return nil // both were written from this very type
	}
	for _, f := range shapes[list].fields {
		before, after := shown(reflect.ValueOf(was).Elem().Field(f.index)), shown(reflect.ValueOf(is).Elem().Field(f.index))
		if before != after {
			changes = append(changes, FieldChange{Field: f.name, Before: shorten(before), After: shorten(after)})
		}
	}
	return changes
}

func shown(value reflect.Value) string {
	texts := textsOf(value.Interface(), func(at time.Time) string { return at.UTC().Format(time.RFC3339) })
	return strings.Join(texts, ", ")
}

// Prune takes out of an object the references that are hidden, and reports
// whether it still is one without them.
func Prune(object any, hidden func(List, string) bool) bool {
	value := reflect.ValueOf(object).Elem()
	for _, f := range fieldsOf(value.Type()) {
		list, refers := referred[f.name]
		switch field := value.Field(f.index).Addr().Interface().(type) {
		case *string:
			if refers && hidden(list, *field) {
				if f.tag.Get("required") == "true" {
					return false
				}
				*field = ""
			}
		case *[]string:
			if refers {
				*field = without(*field, func(id string) bool { return hidden(list, id) })
			}
		case *[]CollectionItem:
			*field = without(*field, func(item CollectionItem) bool {
				return item.Place != "" && hidden(Places, item.Place) || item.Event != "" && hidden(Events, item.Event)
			})
		}
	}
	return true
}

func without[T any](values []T, drop func(T) bool) (kept []T) {
	for _, value := range values {
		if !drop(value) {
			kept = append(kept, value)
		}
	}
	return kept
}

// UndoHash stands for the content of an undo, which no batch has.
func UndoHash(id string, number int64) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "undo %d %s", number, id))
	return sum[:]
}
