package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
)

func columnsPath(id string) string { return deskPath + "/files/" + url.PathEscape(id) }

// keepFile keeps an upload, for its columns to be chosen.
func (c *console) keepFile(r *http.Request, id, name string, file io.ReadSeeker, options content.TableOptions) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	whole, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	return c.Guide.KeepFile(r.Context(), id, guidedb.File{Name: name, Content: whole, Options: options})
}

// columnsView is a file whose columns are chosen.
type columnsView struct {
	ID, Name string
	Lists    []content.List
	Tables   []tableView
}

// tableView is a table of the file.
type tableView struct {
	content.UploadedTable

	Columns []columnView
}

// columnView is a column with what stands in its first rows.
type columnView struct {
	Heading, Field string
	Values         []string
}

// columnValues is how many of a column's values are shown.
const columnValues = 3

func tableViewOf(table content.UploadedTable) tableView {
	view := tableView{UploadedTable: table}
	for _, row := range table.First {
		for column, cell := range row.Cells {
			if column == len(view.Columns) {
				view.Columns = append(view.Columns, columnView{})
			}
			shown := &view.Columns[column]
			if row.Number == table.Choice.Heading {
				shown.Heading = cell
			} else if row.Number > table.Choice.Heading && cell != "" && len(shown.Values) < columnValues {
				shown.Values = append(shown.Values, cell)
			}
		}
	}
	for column, field := range table.Choice.Fields {
		if column < len(view.Columns) {
			view.Columns[column].Field = field
		}
	}
	return view
}

func (c *console) columns(r *http.Request) (any, error) {
	file, err := c.uploaded(r)
	if err != nil {
		return nil, err
	}
	return columnsOf(r, file)
}

// uploaded is the file that the path names.
func (c *console) uploaded(r *http.Request) (guidedb.File, error) {
	file, err := c.Guide.File(r.Context(), r.PathValue("id"))
	if errors.Is(err, guidedb.ErrNotFound) {
		err = message{http.StatusNotFound, "desk.no_table", nil}
	}
	return file, err
}

func columnsOf(r *http.Request, file guidedb.File) (columnsView, error) {
	tables, err := content.Tables(file.Name, bytes.NewReader(file.Content), file.Options)
	view := columnsView{ID: r.PathValue("id"), Name: file.Name, Lists: content.Shown}
	for _, table := range tables {
		view.Tables = append(view.Tables, tableViewOf(table))
	}
	return view, err
}

// chooseColumns makes a new held import of the file, in the place of the one
// before, or shows the columns of another list or heading.
func (c *console) chooseColumns(w http.ResponseWriter, r *http.Request) {
	before := r.PathValue("id")
	file, err := c.uploaded(r)
	if err != nil {
		c.showFault(w, r, err)
		return
	}
	file.Options.Tables = chosenTables(r.PostForm)
	if r.PostForm.Get("action") != "take" {
		view, err := columnsOf(r, file)
		c.show(w, r, "columns", view, err)
		return
	}
	accepted, _, err := c.hold(r, file.Name, bytes.NewReader(file.Content), file.Options)
	var refused *content.BatchError
	if errors.As(err, &refused) {
		c.leaveNotice(w, r, pageNotice{Bad: true, Text: languageOf(r).why(refused.Why)})
		err = c.Guide.KeepFile(r.Context(), before, file)
		accepted.ID = ""
	} else if err == nil && accepted.State == content.Held {
		err = c.Guide.KeepFile(r.Context(), accepted.ID, file)
	}
	if err == nil && accepted.ID != "" && accepted.ID != before {
		if err = c.Guide.Discard(r.Context(), before); errors.Is(err, guidedb.ErrNotFound) { // nothing could be made of the file before
			err = c.Guide.ForgetFile(r.Context(), before)
		}
	}
	switch {
	case err != nil:
		c.showFault(w, r, err)
	case refused != nil:
		http.Redirect(w, r, columnsPath(before), http.StatusSeeOther)
	default:
		c.Log.InfoContext(r.Context(), "editor chose columns", "import", accepted.ID)
		http.Redirect(w, r, importPath(accepted.ID), http.StatusSeeOther)
	}
}

// chosenTables reads the form of the columns. A table whose list or heading has
// just been changed is read by its headings again.
func chosenTables(form url.Values) (tables []content.TableChoice) {
	for n := 0; form.Has(fmt.Sprintf("list.%d", n)); n++ {
		value := func(name string) string { return form.Get(fmt.Sprintf("%s.%d", name, n)) }
		choice := content.TableChoice{List: content.List(value("list"))}
		if choice.List.Rank() < 0 {
			choice.List = ""
		}
		choice.Heading, _ = strconv.Atoi(value("heading")) // what is no number is no row
		if value("shown") == value("list")+" "+value("heading") {
			known := choice.List.Columns()
			choice.Fields = []string{}
			for _, field := range form[fmt.Sprintf("column.%d", n)] {
				if !slices.Contains(known, field) {
					field = ""
				}
				choice.Fields = append(choice.Fields, field)
			}
		}
		tables = append(tables, choice)
	}
	return tables
}
