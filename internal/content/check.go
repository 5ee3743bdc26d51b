package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// CheckReport is what an import would make of a batch.
type CheckReport struct {
	Objects int          `json:"objects"`
	Lists   map[List]int `json:"lists"`
	Refused []Refusal    `json:"refused"`
	// LookedUp says that what the batch refers to and does not bring was looked
	// up in the guide.
	LookedUp bool `json:"looked_up"`
	// Outside are, if it was not, those references: they are good if the guide
	// has what they name.
	Outside []Refusal `json:"outside"`
}

// Guide tells which of a list's ids, the CMS's, it has already.
type Guide func(list List, ids []string) (map[string]bool, error)

// CheckBatch reads a batch to its end and reports what an import would refuse.
// guide may be nil, if there is none to ask. The error is of the batch as a
// whole, as from Reader.Next, or the guide's.
func CheckBatch(reader *Reader, guide Guide) (CheckReport, error) {
	check := batchCheck{
		report:  CheckReport{Lists: make(map[List]int), Refused: []Refusal{}, Outside: []Refusal{}, LookedUp: guide != nil},
		guide:   guide,
		brought: make(map[List]map[string]string),
		objects: make(map[List][]mention),
	}
	for {
		object, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return check.report, check.references()
		}
		if err != nil {
			return check.report, err
		}
		check.add(object)
	}
}

type batchCheck struct {
	report  CheckReport
	guide   Guide
	brought map[List]map[string]string // what is not refused, to its path
	objects map[List][]mention
}

// mention is a good object that refers to others.
type mention struct {
	id         string
	references []reference
}

func (c *batchCheck) add(object Object) {
	c.report.Objects++
	if object.Refusal != nil {
		c.report.Refused = append(c.report.Refused, *object.Refusal)
		return
	}
	if c.brought[object.List] == nil {
		c.brought[object.List] = make(map[string]string)
	}
	if earliest, repeated := c.brought[object.List][object.ID]; repeated {
		c.report.Refused = append(c.report.Refused, Refusal{
			Path: object.Path + ".id", Value: object.ID, Reason: "stands in the batch already, at " + earliest,
		})
		return
	}
	c.report.Lists[object.List]++
	c.brought[object.List][object.ID] = object.Path
	if references := referencesOf(object); len(references) > 0 {
		c.objects[object.List] = append(c.objects[object.List], mention{id: object.ID, references: references})
	}
}

// references follows the objects' references in the order of an import, so
// that what refers to a refused object is refused in its turn.
func (c *batchCheck) references() error {
	for _, list := range Lists {
		missing := make(map[List][]string)
		for _, object := range c.objects[list] {
			for _, r := range object.references {
				if _, ok := c.brought[r.list][r.id]; !ok {
					missing[r.list] = append(missing[r.list], r.id)
				}
			}
		}
		known := make(map[List]map[string]bool)
		for target, ids := range missing {
			if c.guide == nil {
				continue
			}
			slices.Sort(ids)
			found, err := c.guide(target, slices.Compact(ids))
			if err != nil {
				return err
			}
			known[target] = found
		}
		for _, object := range c.objects[list] {
			c.follow(list, object, known)
		}
	}
	return nil
}

func (c *batchCheck) follow(list List, object mention, known map[List]map[string]bool) {
	for _, r := range object.references {
		if _, ok := c.brought[r.list][r.id]; ok || known[r.list][r.id] {
			continue
		}
		if c.guide == nil {
			c.report.Outside = append(c.report.Outside, Refusal{
				Path: r.path, Value: r.id, Reason: fmt.Sprintf("is not in this batch's %s", r.list),
			})
			continue
		}
		c.report.Refused = append(c.report.Refused, Refusal{Path: r.path, Value: r.id, Reason: UnknownReference(r.list)})
		delete(c.brought[list], object.id)
		c.report.Lists[list]--
		return // an import names the first
	}
}

// UnknownReference is the reason for which an object is refused that refers to
// nothing in list.
func UnknownReference(list List) string {
	return fmt.Sprintf("names nothing in %s: neither in the guide nor, unrefused, in this batch", list)
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
	sum := fmt.Sprintf("%d objects (%s), %d refused", r.Objects, strings.Join(parts, ", "), len(r.Refused))
	if r.LookedUp {
		return sum + "; references were looked up in the guide"
	}
	return fmt.Sprintf("%s, %d references outside the batch", sum, len(r.Outside))
}
