package content

import (
	"archive/zip"
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// listSeparator stands between the values of one field. Ids that contain it
// can't be written as CSV.
const listSeparator = "|"

// CSVWriter writes a batch as zipped CSV, object by object: a file for each list,
// named after it (places.csv), with the fields' names in its first row. Several
// values of one field stand apart with |, a collection's items as
// place:p1|event:e1.
type CSVWriter struct {
	files *zip.Writer
	rows  *csv.Writer
	list  List
}

// NewCSVWriter begins a batch in w.
func NewCSVWriter(w io.Writer) *CSVWriter { return &CSVWriter{files: zip.NewWriter(w)} }

// Write adds an object, a pointer to one of the batch's types. The objects of
// a list come together.
func (w *CSVWriter) Write(list List, object any) error {
	fields := shapes[list].fields
	if w.list != list {
		if err := w.flush(); err != nil {
			return err
		}
		file, err := w.files.Create(string(list) + ".csv")
		if err != nil {
			return err
		}
		w.list, w.rows = list, csv.NewWriter(file)
		heading := make([]string, 0, len(fields))
		for _, f := range fields {
			heading = append(heading, f.name)
		}
		if err := w.rows.Write(heading); err != nil {
			return err
		}
	}
	row := make([]string, 0, len(fields))
	for _, f := range fields {
		text, err := csvText(reflect.ValueOf(object).Elem().Field(f.index).Interface())
		if err != nil {
			return fmt.Errorf("content: %s, field %s: %w", list, f.name, err)
		}
		row = append(row, text)
	}
	return w.rows.Write(row)
}

// Close ends the batch; it leaves the underlying writer open.
func (w *CSVWriter) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.files.Close()
}

func (w *CSVWriter) flush() error {
	if w.rows == nil {
		return nil
	}
	w.rows.Flush()
	return w.rows.Error()
}

func csvText(value any) (string, error) {
	texts := textsOf(value, func(at time.Time) string { return at.Format(time.RFC3339Nano) })
	if len(texts) == 1 && reflect.TypeOf(value).Kind() != reflect.Slice {
		return texts[0], nil
	}
	for _, text := range texts {
		if strings.Contains(text, listSeparator) {
			return "", fmt.Errorf("%q contains %s: export JSON instead", text, listSeparator)
		}
	}
	return strings.Join(texts, listSeparator), nil
}
