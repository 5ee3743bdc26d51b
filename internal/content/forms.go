package content

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// FormField is a field of an object as a form shows it.
type FormField struct {
	Name, Label, Value string
	Hint               string // how it may be written
	Long               bool   // several lines
	Required           bool
	Refers             List // to whose objects, "" to none
}

// FormFields are an object's fields but for its id; times are in zone. show
// names what a reference leads to.
func FormFields(object any, zone *time.Location, show func(List, string) string) (fields []FormField) {
	value := reflect.ValueOf(object).Elem()
	for _, f := range fieldsOf(value.Type()) {
		if f.name == "id" {
			continue
		}
		field := FormField{Name: f.name, Label: FieldLabel(f.name), Required: f.tag.Get("required") == "true", Refers: referred[f.name]}
		content := value.Field(f.index).Interface()
		texts := slices.Clone(textsOf(content, func(at time.Time) string {
			return strings.TrimSuffix(at.In(zone).Format("02.01.2006 15:04:05"), ":00")
		}))
		for n, text := range texts {
			if field.Refers != "" {
				texts[n] = show(field.Refers, text)
			}
		}
		separator := "\n"
		switch content.(type) {
		case string:
			field.Long = f.name == "description"
		case *time.Time:
			field.Hint = "05.12.2026 19:00"
		case []string:
			field.Long, field.Hint = true, "https://… , каждый адрес с новой строки"
			if field.Refers != "" {
				field.Long, field.Hint, separator = false, "несколько — через точку с запятой", "; "
			}
		case []CollectionItem:
			field.Long, field.Hint = true, "места и события по названию, каждое с новой строки"
		}
		field.Value = strings.Join(texts, separator)
		if _, number := content.(*float64); number {
			field.Value = strings.ReplaceAll(field.Value, ".", ",")
		}
		fields = append(fields, field)
	}
	return fields
}

// Form reads one object from values by field, as people write them. It is read
// as a table of one row is; id may be "".
func Form(list List, id string, values map[string]string, rules Rules) (Source, error) {
	fields, cells := []string{"id"}, []string{id}
	for _, f := range shapes[list].fields {
		if f.name != "id" {
			fields, cells = append(fields, f.name), append(cells, values[f.name])
		}
	}
	reader := newTableReader(rules, TableOptions{Tables: []TableChoice{{List: list, Fields: fields}}})
	err := reader.read([]table{{rows: []tableRow{{cells: cells}}}})
	reader.remarks.columns = nil
	return reader, err
}

// Titles are the names by id of those that no other has.
func Titles(known []Named) map[string]string {
	count := make(map[string]int, len(known))
	for _, named := range known {
		count[SortKey(named.Title)]++
	}
	titles := make(map[string]string, len(known))
	for _, named := range known {
		if count[SortKey(named.Title)] == 1 {
			titles[named.ID] = named.Title
		}
	}
	return titles
}

// FreeID makes an id for a new object that none of the known ones has.
func FreeID(title string, known []Named) string {
	b := &book{ids: make(map[string]bool)}
	for _, named := range known {
		b.ids[named.ID] = true
	}
	return b.new(title)
}

// WriteTemplate writes a workbook to be filled in: a sheet for each list that
// editors keep, with the headings that Open knows.
func WriteTemplate(w io.Writer) error {
	book := excelize.NewFile()
	defer book.Close()
	bold, err := book.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	for n, list := range []List{Places, Events, Promos, Collections} {
		sheet := list.Label()
		if n == 0 {
			err = book.SetSheetName("Sheet1", sheet)
		} else {
			_, err = book.NewSheet(sheet)
		}
		if err != nil {
			return err
		}
		var labels []any
		for _, f := range shapes[list].fields {
			if f.name != "id" {
				labels = append(labels, FieldLabel(f.name))
			}
		}
		last, err := excelize.ColumnNumberToName(len(labels))
		if err != nil {
			return err
		}
		for _, step := range []error{
			book.SetSheetRow(sheet, "A1", &labels), book.SetColWidth(sheet, "A", last, 22), book.SetRowStyle(sheet, 1, 1, bold),
		} {
			if step != nil {
				return step
			}
		}
	}
	return book.Write(w)
}
