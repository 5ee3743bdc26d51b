package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"vestnik/internal/words"
)

// CheckReport is what can be said of a batch without a guide to ask.
type CheckReport struct {
	Objects int          `json:"objects"`
	Lists   map[List]int `json:"lists"`
	Refused []Refusal    `json:"refused"`
	// Outside are references that are good if the guide has what they name.
	Outside []Refusal `json:"outside"`
}

// CheckBatch reads a batch to its end and reports what an import would refuse
// whatever is in the guide. The error is of the batch as a whole, as from
// Source.Next.
func CheckBatch(batch Source) (CheckReport, error) {
	check := batchCheck{
		report:  CheckReport{Lists: make(map[List]int), Refused: []Refusal{}, Outside: []Refusal{}},
		brought: make(map[List]map[string]string),
		objects: make(map[List][]mention),
	}
	for {
		object, err := batch.Next()
		if errors.Is(err, io.EOF) {
			check.references()
			return check.report, nil
		}
		if err != nil {
			return check.report, err
		}
		check.add(object)
	}
}

type batchCheck struct {
	report  CheckReport
	brought map[List]map[string]string // what is not refused, to its path
	objects map[List][]mention
}

// mention is a good object that refers to others.
type mention struct {
	path, name string
	references []Reference
}

func (c *batchCheck) add(object Object) {
	c.report.Objects++
	if len(object.Refusals) > 0 {
		c.report.Refused = append(c.report.Refused, object.Refusals...)
		return
	}
	if object.Gone {
		return
	}
	if c.brought[object.List] == nil {
		c.brought[object.List] = make(map[string]string)
	}
	if earliest, repeated := c.brought[object.List][object.ID]; repeated {
		c.report.Refused = append(c.report.Refused, Refusal{
			Path: object.Path + ".id", Value: object.ID, Name: Title(object.Payload), Why: Because("этот id в файле уже есть: %s", earliest),
		})
		return
	}
	c.report.Lists[object.List]++
	c.brought[object.List][object.ID] = object.Path
	value := object.List.New()
	_ = json.Unmarshal(object.Payload, value) // it was written from this very type
	if references := object.List.References(value); len(references) > 0 {
		c.objects[object.List] = append(c.objects[object.List], mention{object.Path, Title(object.Payload), references})
	}
}

func (c *batchCheck) references() {
	for _, list := range Lists {
		for _, object := range c.objects[list] {
			for _, r := range object.references {
				if _, ok := c.brought[r.List][r.ID]; !ok {
					c.report.Outside = append(c.report.Outside, Refusal{
						Path: object.path + "." + r.Path, Value: r.ID, Name: object.name, Why: Because("в разделе «%s» этого файла такого нет", r.List.Label()),
					})
				}
			}
		}
	}
}

// UnknownReference is the reason for which an object is refused that refers to
// nothing in list.
func UnknownReference(list List) Why {
	return Because("в разделе «%s» такого нет: ни в путеводителе, ни (без ошибок) в этом файле", list.Label())
}

// Reference is a mention of one object by another.
type Reference struct {
	Path string // in the object
	List List
	ID   string
}

// referred is what the fields of objects refer to, by the fields' names.
var referred = map[string]List{
	"type": Types, "types": Types, "subcategories": Subcategories, "district": Districts, "place": Places,
	"categories": EventCategories, "source": EventSources, "event": Events,
}

// References are what an object of the list, a pointer to the list's type, refers to.
func (l List) References(object any) []Reference {
	return fieldReferences("", shapes[l].fields, reflect.ValueOf(object).Elem())
}

var itemFields = fieldsOf(reflect.TypeFor[CollectionItem]())

func fieldReferences(path string, fields []field, value reflect.Value) (references []Reference) {
	for _, f := range fields {
		list := referred[f.name]
		switch content := value.Field(f.index).Interface().(type) {
		case string:
			if list != "" && content != "" {
				references = append(references, Reference{path + f.name, list, content})
			}
		case []string:
			for n, id := range content {
				if list != "" {
					references = append(references, Reference{fmt.Sprintf("%s%s[%d]", path, f.name, n), list, id})
				}
			}
		case []CollectionItem:
			for n := range content {
				references = append(references, fieldReferences(fmt.Sprintf("%s%s[%d].", path, f.name, n), itemFields, reflect.ValueOf(content[n]))...)
			}
		}
	}
	return references
}

// String sums the report up in one line.
func (r CheckReport) String() string {
	parts := make([]string, 0, len(Lists))
	for _, list := range Lists {
		if count := r.Lists[list]; count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, list))
		}
	}
	return fmt.Sprintf("%s (%s), %d refused, %s outside the batch", words.Count(r.Objects, "object", "objects"),
		strings.Join(parts, ", "), len(r.Refused), words.Count(len(r.Outside), "reference", "references"))
}
