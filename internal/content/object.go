package content

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Object is one object of a batch: checked and in its canonical form, or
// refused.
type Object struct {
	Seq     int    // from 1, over the whole batch
	List    List   // "" for an unknown part of the batch
	Path    string // places[17]
	Table   string // the name of the table that it is from, if it is
	Row     int    // in that table, from 1
	ID      string // the CMS's; "" if it could not be read
	Gone    bool   // to be unpublished; there is nothing but the id
	Payload []byte // canonical JSON of the list's type; nil if refused
	// Digest is of list and payload: equal digests, equal content.
	Digest   [sha256.Size]byte
	Refusals []Refusal // none if the object is good
}

// fill decodes and checks one object, and returns it.
func (o *Object) fill(raw []byte, rules Rules) (value any) {
	value = o.List.New()
	refusals := decode(raw, value, o.List)
	if len(refusals) == 0 {
		refusals = Check(value, rules)
	}
	if len(refusals) > 0 {
		o.ID = objectID(raw)
		o.refuse(Title(raw), refusals...)
		return value
	}
	o.ID = reflect.ValueOf(value).Elem().FieldByName("ID").String()
	payload, err := json.Marshal(value)
	if err != nil {
		o.refuse(Title(raw), Refusal{Why: Because("не записывается: %v", err)})
		return value
	}
	o.Payload, o.Digest = payload, digest(o.List, payload)
	return value
}

// refuse adds refusals whose paths are relative to the object.
func (o *Object) refuse(name string, refusals ...Refusal) {
	for _, refusal := range refusals {
		if refusal.Path != "" {
			refusal.Path = "." + refusal.Path
		}
		refusal.Path, refusal.Name = o.Path+refusal.Path, name
		o.Refusals = append(o.Refusals, refusal)
	}
}

// Title is what people call an object, "" if it can't be read.
func Title(raw []byte) string {
	var called struct{ Name, Title json.RawMessage }
	var title string
	_ = json.Unmarshal(raw, &called) // what is not JSON has no title
	if json.Unmarshal(called.Name, &title) != nil {
		_ = json.Unmarshal(called.Title, &title)
	}
	return shorten(strings.TrimSpace(title))
}

// digest changes with the meaning of a payload, not with its layout in the
// batch. The leading number is to be raised when canonical form changes.
func digest(list List, payload []byte) [sha256.Size]byte {
	sum := sha256.New()
	fmt.Fprintf(sum, "1 %s ", list)
	sum.Write(payload)
	return [sha256.Size]byte(sum.Sum(nil))
}

// objectID reads the id alone, so that a refused object still counts as named
// in a snapshot.
func objectID(raw []byte) string {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	var id string
	if json.Unmarshal(raw, &named) != nil || json.Unmarshal(named.ID, &id) != nil {
		return ""
	}
	field := field{name: "id"}
	if len(checkText(&id, field)) > 0 || len(id) > 512 {
		return ""
	}
	return id
}

func decode(raw []byte, into any, list List) []Refusal {
	switch {
	case len(raw) > MaxObjectBytes:
		return []Refusal{{Why: Because("больше %d КБ", MaxObjectBytes>>10)}}
	case !utf8.Valid(raw):
		return []Refusal{{Why: Because("не в кодировке UTF-8")}}
	case raw[0] != '{':
		return []Refusal{{Value: shorten(string(raw)), Why: Because("должно быть объектом")}}
	}
	if err := json.Unmarshal(raw, into); err == nil {
		return nil
	}
	// The error of a whole object does not say where it is, so try the fields.
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return []Refusal{{Why: Because("не читается")}}
	}
	var refusals []Refusal
	for _, f := range shapes[list].fields {
		value, ok := values[f.name]
		if !ok {
			continue
		}
		single, _ := json.Marshal(map[string]json.RawMessage{f.name: value})
		if err := json.Unmarshal(single, list.New()); err != nil {
			refusals = append(refusals, Refusal{Path: f.name, Value: shorten(strings.Trim(string(value), `"`)), Why: expectation(err)})
			delete(values, f.name)
		}
	}
	if len(refusals) == 0 {
		return []Refusal{{Why: Because("одно из полей не того вида")}}
	}
	// What else is wrong is said in the same breath.
	rest, _ := json.Marshal(values)
	object := list.New()
	if json.Unmarshal(rest, object) == nil {
		for _, refusal := range Check(object, Rules{}) {
			if _, there := values[refusal.Path]; there {
				refusals = append(refusals, refusal)
			}
		}
	}
	return refusals
}

func expectation(err error) Why {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return Because(timeWanted)
	}
	switch kind.Type.Kind().String() {
	case "string":
		return Because("должно быть текстом")
	case "float64":
		return Because("должно быть числом")
	case "slice":
		return Because("должно быть списком")
	default:
		return Because("должно быть объектом")
	}
}
