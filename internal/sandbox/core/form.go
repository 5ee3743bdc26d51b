package core

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Limits of a request body. Ten photos of 10 MB are Telegram's largest album; VK takes 50 MB, a Bot API server of one's
// own 2,000 MB. Of a file no more than keptFile is kept.
const (
	maxBody  = 2_100 << 20
	keptFile = 51 << 20
	maxField = 1 << 20
)

// Form is a request's parameters, whatever way they were encoded: a string's content, and the JSON text of anything else.
type Form struct {
	Fields map[string]string
	Files  map[string]Upload
}

// Upload is a file of a multipart body: its size in bytes, and its first keptFile of them.
type Upload struct {
	Name    string
	Content []byte
	Size    int64
}

// ErrTooLarge is the fault of a body larger than the platforms take.
var ErrTooLarge = errors.New("request entity too large")

// readForm reads urlencoded, multipart and JSON bodies, and the query.
func readForm(w http.ResponseWriter, r *http.Request) (*Form, error) {
	f := &Form{Fields: map[string]string{}, Files: map[string]Upload{}}
	f.putAll(r.URL.Query())
	err := f.readBody(http.MaxBytesReader(w, r.Body, maxBody), r.Header.Get("Content-Type"))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		err = ErrTooLarge
	}
	return f, err
}

func (f *Form) putAll(values url.Values) {
	for name, all := range values {
		f.Fields[name] = all[len(all)-1]
	}
}

func (f *Form) readBody(stream io.Reader, kind string) error {
	buffered := bufio.NewReader(stream)
	if _, err := buffered.Peek(1); errors.Is(err, io.EOF) { // go-telegram/bot's getMe: a multipart content type over nothing
		return nil
	}
	contentType, attributes, err := mime.ParseMediaType(kind)
	switch {
	case err != nil:
		return fmt.Errorf("content type %q: %w", kind, err)
	case contentType == "multipart/form-data":
		return f.readMultipart(multipart.NewReader(buffered, attributes["boundary"]))
	}
	body, err := io.ReadAll(buffered)
	switch {
	case err != nil:
		return err
	case contentType == "application/json":
		return f.readJSON(body)
	case contentType == "application/x-www-form-urlencoded":
		values, err := url.ParseQuery(string(body))
		f.putAll(values)
		return err
	}
	return fmt.Errorf("content type %q: send JSON, urlencoded or multipart", contentType)
}

func (f *Form) readJSON(body []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return fmt.Errorf("JSON body: %w", err)
	}
	for name, value := range raw {
		text := string(value)
		if value[0] == '"' {
			if err := json.Unmarshal(value, &text); err != nil {
				return fmt.Errorf("JSON body, %s: %w", name, err)
			}
		}
		if text != "null" {
			f.Fields[name] = text
		}
	}
	return nil
}

func (f *Form) readMultipart(reader *multipart.Reader) error {
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("multipart body: %w", err)
		}
		content, err := io.ReadAll(io.LimitReader(part, keptFile))
		more := int64(0)
		if err == nil {
			more, err = io.Copy(io.Discard, part)
		}
		switch {
		case err != nil:
			return fmt.Errorf("multipart body, part %q: %w", part.FormName(), err)
		case part.FileName() != "":
			f.Files[part.FormName()] = Upload{Name: part.FileName(), Content: content, Size: int64(len(content)) + more}
		case len(content) > maxField:
			return fmt.Errorf("multipart body: field %q has %d bytes", part.FormName(), len(content))
		default:
			f.Fields[part.FormName()] = string(content)
		}
	}
}

// Read reads the parameters into a struct, by the json tags of its fields: texts as they are, everything else as JSON.
func (f *Form) Read(into any) error {
	target := reflect.ValueOf(into).Elem()
	for i := range target.NumField() {
		name, field := target.Type().Field(i).Tag.Get("json"), target.Field(i)
		text := f.Fields[name]
		switch {
		case text == "":
		case field.Kind() == reflect.String:
			field.SetString(text)
		default:
			if err := Strictly([]byte(text), field.Addr().Interface()); err != nil {
				return fmt.Errorf("can't parse %s: %w", name, err)
			}
		}
	}
	return nil
}

// Check returns a field that a method does not take, and one that it needs and that is not there; "" if there is none.
// taken are the names that it takes; those that it needs end in "!".
func (f *Form) Check(taken string) (unknown, missing string) {
	names := strings.Fields(taken)
	for name := range f.Fields {
		if !slices.Contains(names, name) && !slices.Contains(names, name+"!") {
			unknown = name
		}
	}
	for _, name := range slices.Backward(names) {
		if name, needed := strings.CutSuffix(name, "!"); needed && f.Fields[name] == "" && f.Files[name].Name == "" {
			missing = name
		}
	}
	return unknown, missing
}

// Strictly decodes JSON, and refuses fields that the target does not have.
func Strictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// recorded is the form as a Call keeps it.
func (f *Form) recorded() map[string]string {
	params := make(map[string]string, len(f.Fields)+len(f.Files))
	for name, text := range f.Fields {
		params[name] = strings.Clone(text[:min(len(text), keptText)])
	}
	for name, file := range f.Files {
		params[name] = string(Encode(map[string]any{"file": file.Name, "bytes": file.Size}))
	}
	return params
}
