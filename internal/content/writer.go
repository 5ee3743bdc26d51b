package content

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

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
