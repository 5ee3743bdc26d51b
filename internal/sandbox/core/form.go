package core

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
)

// Limits of a request body. Ten photos of 10 MB are Telegram's largest album; VK takes 50 MB, a Bot API server of one's
// own 2,000 MB. Of a file no more than keptFile is kept.
const (
	maxBody  = 2_100 << 20
	keptFile = 51 << 20
	maxField = 1 << 20
)

// Form is a request's parameters, whatever way they were encoded.
type Form struct {
	Fields map[string]Field
	Files  map[string]Upload
	Names  []string // in order of appearance
}

// Field is one parameter.
type Field struct {
	Text string // a string's content, or the JSON text of anything else
	// JSON is how the value begins in a JSON body, '"' for a string; 0: it is from a form, which knows only text.
	JSON byte
}

// Upload is a file of a multipart body: its size in bytes, and its first keptFile of them.
type Upload struct {
	Name    string
	Content []byte
	Size    int64
}

// readForm reads urlencoded, multipart and JSON bodies, and the query.
func readForm(w http.ResponseWriter, r *http.Request) (*Form, error) {
	f := &Form{Fields: map[string]Field{}, Files: map[string]Upload{}}
	for name, values := range r.URL.Query() {
		f.put(name, Field{Text: values[len(values)-1]})
	}
	err := f.readBody(http.MaxBytesReader(w, r.Body, maxBody), r.Header.Get("Content-Type"))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		err = ErrTooLarge
	}
	return f, err
}

func (f *Form) readBody(stream io.Reader, kind string) error {
	buffered := bufio.NewReader(stream)
	if _, err := buffered.Peek(1); errors.Is(err, io.EOF) { // go-telegram/bot's getMe: a multipart content type over nothing
		return nil
	}
	contentType, attributes, err := mime.ParseMediaType(kind)
	if err != nil {
		return fmt.Errorf("content type %q: %w", kind, err)
	}
	if contentType == "multipart/form-data" {
		return f.readMultipart(buffered, attributes["boundary"])
	}
	body, err := io.ReadAll(buffered)
	if err != nil {
		return err
	}
	switch contentType {
	case "application/json":
		return f.readJSON(body)
	case "application/x-www-form-urlencoded":
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return fmt.Errorf("urlencoded body: %w", err)
		}
		for name, all := range values {
			f.put(name, Field{Text: all[len(all)-1]})
		}
		return nil
	}
	return fmt.Errorf("content type %q: send JSON, urlencoded or multipart", contentType)
}

// ErrTooLarge is the fault of a body larger than the platforms take.
var ErrTooLarge = errors.New("request entity too large")

func (f *Form) put(name string, value Field) {
	if _, seen := f.Fields[name]; !seen {
		f.Names = append(f.Names, name)
	}
	f.Fields[name] = value
}

func (f *Form) readJSON(body []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return fmt.Errorf("JSON body: %w", err)
	}
	for name, value := range raw {
		field := Field{Text: string(value), JSON: value[0]}
		if field.JSON == '"' {
			if err := json.Unmarshal(value, &field.Text); err != nil {
				return fmt.Errorf("JSON body, %s: %w", name, err)
			}
		}
		if field.Text != "null" || field.JSON == '"' {
			f.put(name, field)
		}
	}
	return nil
}

func (f *Form) readMultipart(body io.Reader, boundary string) error {
	reader := multipart.NewReader(body, boundary)
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
		if err != nil {
			return fmt.Errorf("multipart body, part %q: %w", part.FormName(), err)
		}
		if part.FileName() != "" {
			f.Files[part.FormName()] = Upload{Name: part.FileName(), Content: content, Size: int64(len(content)) + more}
			continue
		}
		if len(content) > maxField {
			return fmt.Errorf("multipart body: field %q has %d bytes", part.FormName(), len(content))
		}
		f.put(part.FormName(), Field{Text: string(content)})
	}
}

// Has reports whether the parameter was sent with a value.
func (f *Form) Has(name string) bool {
	value, sent := f.Fields[name]
	return sent && value.Text != ""
}

// Text is a parameter as text; "" if absent.
func (f *Form) Text(name string) string { return f.Fields[name].Text }

// recorded is the form as a Call keeps it, with its rough size in memory.
func (f *Form) recorded() (params map[string]any, size int) {
	params, size = make(map[string]any, len(f.Fields)+len(f.Files)), 512
	for name, value := range f.Fields {
		if len(value.Text) > keptText {
			value = Field{Text: value.Text[:keptText]}
		}
		params[name] = value.decoded(name)
		size += len(name) + len(value.Text)
	}
	for name, file := range f.Files {
		params[name] = map[string]any{"file": file.Name, "bytes": file.Size}
	}
	return params, size
}

// Fields that a form has to carry as JSON text.
var jsonFields = map[string]bool{
	"reply_markup": true, "media": true, "entities": true, "caption_entities": true,
	"reply_parameters": true, "link_preview_options": true, "allowed_updates": true,
}

// decoded gives objects, lists, numbers and truth values back as such.
func (v Field) decoded(name string) any {
	if v.JSON == '"' || v.JSON == 0 && !jsonFields[name] {
		return v.Text
	}
	decoder := json.NewDecoder(strings.NewReader(v.Text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return v.Text
	}
	return value
}
