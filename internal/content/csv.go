package content

import (
	"archive/zip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
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
		text, err := textOf(reflect.ValueOf(object).Elem().Field(f.index).Interface())
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

func textOf(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case *float64:
		if value == nil {
			return "", nil
		}
		return strconv.FormatFloat(*value, 'f', -1, 64), nil
	case *time.Time:
		if value == nil {
			return "", nil
		}
		return value.Format(time.RFC3339Nano), nil
	case []string:
		return joined(value)
	case []CollectionItem:
		items := make([]string, 0, len(value))
		for _, item := range value {
			if item.Place != "" {
				items = append(items, "place:"+item.Place)
			} else {
				items = append(items, "event:"+item.Event)
			}
		}
		return joined(items)
	default:
		encoded, err := json.Marshal(value)
		return string(encoded), err
	}
}

func joined(values []string) (string, error) {
	for _, value := range values {
		if strings.Contains(value, listSeparator) {
			return "", fmt.Errorf("%q contains %s: export JSON instead", value, listSeparator)
		}
	}
	return strings.Join(values, listSeparator), nil
}
