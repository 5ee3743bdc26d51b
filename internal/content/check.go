package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// CheckReport is what can be said of a batch without the guide.
type CheckReport struct {
	Objects int          `json:"objects"`
	Lists   map[List]int `json:"lists"`
	Refused []Refusal    `json:"refused"`
	// Outside are references to objects that the batch itself does not bring.
	// They are good if the guide has them.
	Outside []Refusal `json:"outside"`
}

// CheckBatch reads a batch to its end and reports what an import would refuse.
// The error is of the batch as a whole, as from Reader.Next.
func CheckBatch(reader *Reader) (CheckReport, error) {
	report := CheckReport{Lists: make(map[List]int), Refused: []Refusal{}, Outside: []Refusal{}}
	brought := make(map[List]map[string]string) // to the path
	var references []reference
	for {
		object, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return report, err
		}
		report.Objects++
		if object.Refusal != nil {
			report.Refused = append(report.Refused, *object.Refusal)
			continue
		}
		report.Lists[object.List]++
		if brought[object.List] == nil {
			brought[object.List] = make(map[string]string)
		}
		if earliest, repeated := brought[object.List][object.ID]; repeated {
			report.Refused = append(report.Refused, Refusal{
				Path: object.Path + ".id", Value: object.ID, Reason: "stands in the batch already, at " + earliest,
			})
			continue
		}
		brought[object.List][object.ID] = object.Path
		references = append(references, referencesOf(object)...)
	}
	for _, r := range references {
		if _, ok := brought[r.list][r.id]; !ok {
			report.Outside = append(report.Outside, Refusal{
				Path: r.path, Value: r.id, Reason: fmt.Sprintf("is not in this batch's %s", r.list),
			})
		}
	}
	return report, nil
}

// reference is a mention of one object by another.
type reference struct {
	path string
	list List
	id   string
}

// referred is what the fields of objects refer to, by the fields' names.
var referred = map[string]List{
	"type": Types, "types": Types, "subcategories": Subcategories, "district": Districts, "place": Places,
	"categories": EventCategories, "source": EventSources, "event": Events,
}

func referencesOf(object Object) []reference {
	value := object.List.New()
	if err := json.Unmarshal(object.Payload, value); err != nil {
		return nil // it was written from this very type
	}
	return fieldReferences(object.Path, reflect.ValueOf(value).Elem())
}

func fieldReferences(path string, value reflect.Value) []reference {
	var references []reference
	for _, f := range fieldsOf(value.Type()) {
		at := path + "." + f.name
		switch content := value.Field(f.index).Interface().(type) {
		case string:
			if list, ok := referred[f.name]; ok && content != "" {
				references = append(references, reference{path: at, list: list, id: content})
			}
		case []string:
			for n, id := range content {
				if list, ok := referred[f.name]; ok {
					references = append(references, reference{path: fmt.Sprintf("%s[%d]", at, n), list: list, id: id})
				}
			}
		case []CollectionItem:
			for n := range content {
				references = append(references, fieldReferences(fmt.Sprintf("%s[%d]", at, n), reflect.ValueOf(content[n]))...)
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
	return fmt.Sprintf("%d objects (%s), %d refused, %d references outside the batch", r.Objects, strings.Join(parts, ", "), len(r.Refused), len(r.Outside))
}
