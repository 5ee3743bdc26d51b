package content

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// TableChoice is how a table is read: by its name and headings, or as a person
// wants it.
type TableChoice struct {
	List    List `json:"list"`    // "" leaves the table out
	Heading int  `json:"heading"` // the row of the columns' names, as a spreadsheet counts; 0: there is none
	// Fields are of the columns, "" for one that is left out. Nil are those that
	// the heading shows.
	Fields []string `json:"fields,omitempty"`
}

// UploadedTable is a table as it stands in a file.
type UploadedTable struct {
	Name   string
	Choice TableChoice // as it would be read; its List is "" if nobody can say
	First  []FirstRow
}

// FirstRow is one of the rows at a table's top, blank ones left out.
type FirstRow struct {
	Number int      // as a spreadsheet counts
	Cells  []string // shortened
}

const (
	// headingWithin is how many rows the heading is looked for in.
	headingWithin = 5
	firstRows     = headingWithin + 3
	// maxColumns is how many columns of a table a person is asked about.
	maxColumns = 100
)

// Tables lists a file's tables as options would have them read; a *BatchError
// if it has none.
func Tables(name string, file io.Reader, options TableOptions) ([]UploadedTable, error) {
	r := newTableReader(Rules{}, options)
	tables, err := r.open(name, file)
	if err != nil {
		return nil, err
	}
	uploaded := make([]UploadedTable, 0, len(tables))
	for n, t := range tables {
		choice, _ := r.choose(t, n)
		shown := UploadedTable{Name: t.name, Choice: choice}
		for _, row := range t.rows[:min(len(t.rows), firstRows)] {
			first := FirstRow{Number: row.number}
			for _, cell := range row.cells[:min(len(row.cells), maxColumns)] {
				first.Cells = append(first.Cells, shorten(strings.TrimSpace(cell)))
			}
			shown.First = append(shown.First, first)
		}
		uploaded = append(uploaded, shown)
	}
	return uploaded, nil
}

// Columns are the fields that a table of the list may have; [FieldLabel] calls
// them.
func (l List) Columns() []string { return columnsOf(l) }

// unclear refuses a file whose tables a person may still explain.
func unclear(name, format string, values ...any) *BatchError {
	refused := refuseFile(name, format, values...)
	refused.Unclear = true
	return refused
}

// choose finds how the file's n-th table is to be read, as far as nobody has
// said it; not ok if its headings do not show it.
func (r *tableReader) choose(t table, n int) (choice TableChoice, ok bool) {
	if n < len(r.options.Tables) {
		choice = r.options.Tables[n]
		if choice.Fields == nil && choice.List != "" {
			choice.Fields = recognised(choice.List, t.heading(choice.Heading))
		}
		return choice, true
	}
	// The heading may have a few rows above it.
	list := cmp.Or(listCalled(t.name), r.options.List)
	for _, row := range t.rows[:min(len(t.rows), headingWithin)] {
		if found := cmp.Or(list, listShown(row.cells)); found != "" {
			if fields := recognised(found, row.cells); isNamed(fields) {
				return TableChoice{List: found, Heading: row.number, Fields: fields}, true
			}
		}
	}
	return TableChoice{List: list, Heading: t.rows[0].number}, false
}

// heading is the row of the columns' names.
func (t table) heading(number int) []string {
	for _, row := range t.rows {
		if row.number == number {
			return row.cells
		}
	}
	return nil
}

// recognised are the fields that a heading shows, the first of each.
func recognised(list List, heading []string) []string {
	fields := make([]string, len(heading))
	for column, cell := range heading {
		if field := fieldCalled(list, cell); field != "" && !slices.Contains(fields, field) {
			fields[column] = field
		}
	}
	return fields
}

func isNamed(fields []string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { return field == "id" || field == "name" || field == "title" })
}

// understand reads a table's heading; nil for a table that is left out.
func (r *tableReader) understand(t table, n int) (*sheet, error) {
	choice, ok := r.choose(t, n)
	byHand := n < len(r.options.Tables)
	switch {
	case !ok && choice.List != "":
		return nil, unclear(t.name, "нет заголовка со столбцом «%s»; в первой строке: %s", FieldLabel(titleField(choice.List)), shorten(strings.Join(t.rows[0].cells, " | ")))
	case !ok:
		var names []string
		for _, list := range Lists {
			names = append(names, list.Label())
		}
		return nil, unclear(t.name, "непонятно, что в таблице: назовите файл или лист одним из слов %s и дайте столбцам заголовки", strings.Join(names, ", "))
	case choice.List == "":
		return nil, nil
	case !isNamed(choice.Fields):
		return nil, unclear(t.name, "не выбран столбец «%s»", FieldLabel(titleField(choice.List)))
	}
	heading := t.heading(choice.Heading)
	for column, field := range choice.Fields {
		if field != "" && slices.Index(choice.Fields, field) != column {
			return nil, unclear(t.name, "«%s» выбрано для двух столбцов", FieldLabel(field))
		}
		cell := fmt.Sprintf("столбец %d", column+1)
		if column < len(heading) && strings.TrimSpace(heading[column]) != "" {
			cell = heading[column]
		} else if field == "" {
			continue
		}
		known := Column{Table: t.name, List: choice.List, Heading: shorten(cell), Field: strings.TrimSuffix(field, "+")}
		if known.Field == "" && !byHand {
			known.Nearest = nearestHeading(choice.List, cell)
			r.remarks.warn(Because("столбец не понят и пропущен"), Refusal{Table: t.name, Row: choice.Heading, Path: known.Heading, Value: known.Nearest})
		}
		r.remarks.columns = append(r.remarks.columns, known)
	}
	rows := slices.DeleteFunc(slices.Clone(t.rows), func(row tableRow) bool { return choice.Heading > 0 && row.number <= choice.Heading })
	return &sheet{table: table{name: t.name, rows: rows}, list: choice.List, fields: choice.Fields}, nil
}
