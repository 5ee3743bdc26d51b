package content

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"
)

// Export calls write with everything that is to be exported, object by object.
type Export func(write func(List, any) error) error

// Write writes one batch of JSON. More than a batch may hold is an error.
func (e Export) Write(out io.Writer) error {
	begun := false
	return e.parts(func() (BatchWriter, error) {
		if begun {
			return nil, errors.New("the guide has more than one batch may hold: name a file, and it is written as several")
		}
		begun = true
		return NewWriter(out, Upsert), nil
	})
}

// WriteFiles writes as many batches as it takes, as CSV if the name ends in
// .zip, and returns their names: content.json, content-2.json, … It writes
// beside the files and renames at the end, so that a batch that is there is
// always a whole one.
func (e Export) WriteFiles(name string) (names []string, err error) {
	var files []*os.File
	defer func() {
		for _, file := range files {
			_ = file.Close()           // after a success it is closed already
			_ = os.Remove(file.Name()) // and renamed
		}
	}()
	err = e.parts(func() (BatchWriter, error) {
		file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		if strings.HasSuffix(name, ".zip") {
			return NewCSVWriter(file), nil
		}
		return NewWriter(file, Upsert), nil
	})
	if err != nil {
		return nil, err
	}
	for n, file := range files {
		if err := errors.Join(file.Chmod(0o644), file.Close()); err != nil {
			return names, err
		}
		part := partName(name, n+1)
		if err := os.Rename(file.Name(), part); err != nil {
			return names, err
		}
		names = append(names, part)
	}
	return names, nil
}

func (e Export) parts(open func() (BatchWriter, error)) error {
	parts := NewParts(open)
	if err := e(parts.Write); err != nil {
		return err
	}
	return parts.Close()
}

// partName is content-2.json for the second part of content.json.
func partName(name string, part int) string {
	if part == 1 {
		return name
	}
	folder, file := filepath.Split(name)
	stem, suffix, dot := strings.Cut(file, ".")
	if dot {
		suffix = "." + suffix
	}
	return fmt.Sprintf("%s%s-%d%s", folder, stem, part, suffix)
}

// BatchWriter takes a batch object by object, the objects of a list together;
// Close ends it. Writer and CSVWriter are two.
type BatchWriter interface {
	Write(list List, object any) error
	Close() error
}

// Parts writes as several batches what is too much for one: more objects or
// more bytes than an import takes. Whatever order the objects come in, they
// stay in it, so parts imported in turn find what they refer to.
type Parts struct {
	open    func() (BatchWriter, error)
	current BatchWriter
	objects int
	bytes   int
}

// NewParts calls open for each part, when the one before is closed.
func NewParts(open func() (BatchWriter, error)) *Parts { return &Parts{open: open} }

// Write adds an object, a pointer to one of the batch's types.
func (p *Parts) Write(list List, object any) error {
	encoded, err := encode(object)
	if err != nil {
		return err
	}
	const around = 64 // the list's name, commas and brackets
	size := len(encoded) + around
	if p.current != nil && (p.objects == MaxObjects || p.bytes+size > MaxBatchBytes) {
		if err := p.current.Close(); err != nil {
			return err
		}
		p.current = nil
	}
	if err := p.begin(); err != nil {
		return err
	}
	p.objects++
	p.bytes += size
	return p.current.Write(list, object)
}

// Close ends the last part; there is always one.
func (p *Parts) Close() error {
	if err := p.begin(); err != nil {
		return err
	}
	return p.current.Close()
}

func (p *Parts) begin() error {
	if p.current != nil {
		return nil
	}
	batch, err := p.open()
	if err != nil {
		return err
	}
	p.current, p.objects, p.bytes = batch, 0, 0
	return nil
}

// Writer writes a batch object by object, in the form that Reader reads.
type Writer struct {
	out  *bufio.Writer
	list List
}

// NewWriter begins a batch of mode in w.
func NewWriter(w io.Writer, mode Mode) *Writer {
	out := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(out, `{"mode":%q`, mode) // bufio keeps the error for Close
	return &Writer{out: out}
}

// Write adds an object, a pointer to one of the batch's types. The objects of
// a list come together.
func (w *Writer) Write(list List, object any) error {
	separator := ","
	if w.list != list {
		separator = fmt.Sprintf(",\n%q:[", list)
		if w.list != "" {
			separator = "]" + separator
		}
		w.list = list
	}
	encoded, err := encode(object)
	if err != nil {
		return fmt.Errorf("content: write %s: %w", list, err)
	}
	if _, err := w.out.WriteString(separator + "\n"); err != nil {
		return err
	}
	_, err = w.out.Write(encoded)
	return err
}

// Close ends the batch; it leaves the underlying writer open.
func (w *Writer) Close() error {
	end := "}\n"
	if w.list != "" {
		end = "]" + end
	}
	if _, err := w.out.WriteString(end); err != nil {
		return err
	}
	return w.out.Flush()
}

// encode leaves <, > and & as they are: a batch is no web page.
func encode(object any) ([]byte, error) {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return nil, err
	}
	return bytes.TrimRight(encoded.Bytes(), "\n"), nil
}

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
