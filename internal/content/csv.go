package content

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A batch as zipped CSV has a file for each list, named after it
// (places.csv), with the fields' names in its first row. Several ids or
// addresses in one field stand apart with |, the items of a collection as
// place:p1|event:e1. Comma and semicolon both separate fields; empty is none.

// listSeparator stands between the values of one field. Ids that contain it
// can't be written as CSV.
const listSeparator = "|"

// csvFileLimit bounds one unpacked file: a zip can hold far more than it
// weighs.
const csvFileLimit = 4 * MaxBatchBytes

// ConvertCSV writes the zipped CSV batch of files as JSON, for Reader. A value
// that does not fit its field is left as it is, so that Reader refuses it with
// its place: the row of an object is its index plus two. Errors name the file.
func ConvertCSV(files *zip.Reader, w io.Writer, mode Mode) error {
	out := bufio.NewWriter(w) // keeps the first error for Flush
	fmt.Fprintf(out, `{"mode":%q`, mode)
	for _, list := range Lists {
		file, err := files.Open(string(list) + ".csv")
		if err != nil {
			continue // a batch has the lists it has
		}
		err = convertList(list, file, out)
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("content: %s.csv: %w", list, err)
		}
	}
	for _, file := range files.File {
		if name, ok := strings.CutSuffix(file.Name, ".csv"); !ok || List(name).Rank() < 0 {
			return fmt.Errorf("content: %s is not a part of a batch: there are %v, each with .csv", file.Name, Lists)
		}
	}
	fmt.Fprint(out, "}")
	return out.Flush()
}

func convertList(list List, file io.Reader, out *bufio.Writer) error {
	source := &rowSource{from: file}
	buffered := bufio.NewReader(source)
	if mark, _ := buffered.Peek(3); string(mark) == "\uFEFF" {
		_, _ = buffered.Discard(len(mark)) // peeked, so it is there
	}
	rows := csv.NewReader(buffered)
	rows.Comma = separatorOf(buffered)
	rows.ReuseRecord = true
	heading, err := rows.Read()
	if err != nil {
		return fmt.Errorf("no heading: %w", err)
	}
	fields, err := headingOf(list, heading)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, ",\n%q:[", list)
	for n := 0; ; n++ {
		source.used = rows.InputOffset()
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		object := make(map[string]any, len(fields))
		for column, f := range fields {
			if text := strings.TrimSpace(row[column]); text != "" {
				object[f.name] = valueOf(shapes[list].object.Field(f.index).Type, text)
			}
		}
		encoded, err := encode(object)
		if err != nil {
			return err
		}
		separator := ","
		if n == 0 {
			separator = ""
		}
		fmt.Fprintf(out, "%s\n%s", separator, encoded)
	}
	_, err = out.WriteString("]")
	return err
}

// rowSource bounds a row and a file of CSV.
type rowSource struct {
	from io.Reader
	read int64
	used int64 // how much of it the rows before took
}

func (s *rowSource) Read(into []byte) (int, error) {
	room := min(maxAhead-(s.read-s.used), csvFileLimit-s.read)
	switch {
	case s.read >= csvFileLimit:
		return 0, errTooLarge
	case room <= 0:
		return 0, errEndless
	}
	n, err := s.from.Read(into[:min(int64(len(into)), room)])
	s.read += int64(n)
	return n, err
}

// separatorOf looks which of the two stands more often in the heading: Russian
// Excel writes semicolons.
func separatorOf(file *bufio.Reader) rune {
	start, _ := file.Peek(4096) // a short file is as good
	heading, _, _ := strings.Cut(string(start), "\n")
	if strings.Count(heading, ";") > strings.Count(heading, ",") {
		return ';'
	}
	return ','
}

func headingOf(list List, heading []string) ([]field, error) {
	fields := make([]field, 0, len(heading))
	for _, name := range heading {
		found := false
		for _, f := range shapes[list].fields {
			if f.name == strings.ToLower(strings.TrimSpace(name)) {
				fields, found = append(fields, f), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no field %q", name)
		}
	}
	return fields, nil
}

func valueOf(kind reflect.Type, text string) any {
	switch kind {
	case reflect.TypeFor[*float64]():
		if number, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64); err == nil {
			return number
		}
		return text
	case reflect.TypeFor[[]string]():
		return strings.Split(text, listSeparator)
	case reflect.TypeFor[[]CollectionItem]():
		items := make([]map[string]string, 0)
		for _, item := range strings.Split(text, listSeparator) {
			kind, id, _ := strings.Cut(strings.TrimSpace(item), ":")
			items = append(items, map[string]string{kind: id})
		}
		return items
	default:
		return text
	}
}

// CSVWriter writes a batch as zipped CSV, object by object.
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
