package sandbox

import (
	"bytes"
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

// Limits of a request body. Telegram takes uploads of 50 MB, ten photos of
// 10 MB each among them; VK takes 50 MB.
const (
	maxBody  = 110 << 20
	maxField = 1 << 20
)

// form is a request's parameters, whatever way they were encoded.
type form struct {
	fields map[string]field
	files  map[string]upload
	names  []string // in order of appearance
}

// field is one parameter. JSON bodies keep the type they were written with.
type field struct {
	text string // a string's content, or the JSON text of anything else
	kind fieldKind
}

type fieldKind int

const (
	formText   fieldKind = iota // from urlencoded or multipart: always text
	jsonText                    // a JSON string
	jsonNumber                  // a JSON number
	jsonBool                    // true or false
	jsonObject                  // an object or array
)

// upload is a file of a multipart body.
type upload struct {
	name    string
	content []byte
}

// readForm reads urlencoded, multipart and JSON bodies, and the query.
func readForm(w http.ResponseWriter, r *http.Request) (*form, error) {
	f := &form{fields: map[string]field{}, files: map[string]upload{}}
	for name, values := range r.URL.Query() {
		f.put(name, field{text: values[len(values)-1]})
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return f, errTooLarge
		}
		return f, err
	}
	if len(body) == 0 { // go-telegram/bot's getMe: a multipart content type over nothing
		return f, nil
	}
	contentType, attributes, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return f, fmt.Errorf("content type %q: %w", r.Header.Get("Content-Type"), err)
	}
	switch contentType {
	case "application/json":
		return f, f.readJSON(body)
	case "application/x-www-form-urlencoded":
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return f, fmt.Errorf("urlencoded body: %w", err)
		}
		for name, all := range values {
			f.put(name, field{text: all[len(all)-1]})
		}
		return f, nil
	case "multipart/form-data":
		return f, f.readMultipart(body, attributes["boundary"])
	}
	return f, fmt.Errorf("content type %q: send JSON, urlencoded or multipart", contentType)
}

var errTooLarge = errors.New("request entity too large")

func (f *form) put(name string, value field) {
	if _, seen := f.fields[name]; !seen {
		f.names = append(f.names, name)
	}
	f.fields[name] = value
}

func (f *form) readJSON(body []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return fmt.Errorf("JSON body: %w", err)
	}
	for name, value := range raw {
		value = bytes.TrimSpace(value)
		switch {
		case len(value) == 0 || bytes.Equal(value, []byte("null")):
		case value[0] == '"':
			var text string
			if err := json.Unmarshal(value, &text); err != nil {
				return fmt.Errorf("JSON body, %s: %w", name, err)
			}
			f.put(name, field{text: text, kind: jsonText})
		case value[0] == '{' || value[0] == '[':
			f.put(name, field{text: string(value), kind: jsonObject})
		case value[0] == 't' || value[0] == 'f':
			f.put(name, field{text: string(value), kind: jsonBool})
		default:
			f.put(name, field{text: string(value), kind: jsonNumber})
		}
	}
	return nil
}

func (f *form) readMultipart(body []byte, boundary string) error {
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("multipart body: %w", err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return fmt.Errorf("multipart body, part %q: %w", part.FormName(), err)
		}
		if part.FileName() != "" {
			f.files[part.FormName()] = upload{name: part.FileName(), content: content}
			continue
		}
		if len(content) > maxField {
			return fmt.Errorf("multipart body: field %q has %d bytes", part.FormName(), len(content))
		}
		f.put(part.FormName(), field{text: string(content)})
	}
}

// has reports whether the parameter was sent with a value.
func (f *form) has(name string) bool {
	value, sent := f.fields[name]
	return sent && value.text != ""
}

func (f *form) text(name string) string { return f.fields[name].text }

// recorded is the form as a Call keeps it.
func (f *form) recorded() map[string]any {
	params := make(map[string]any, len(f.fields)+len(f.files))
	for name, value := range f.fields {
		params[name] = value.decoded(name)
	}
	for name, file := range f.files {
		params[name] = map[string]any{"file": file.name, "bytes": len(file.content)}
	}
	return params
}

// Fields that a form has to carry as JSON text.
var jsonFields = map[string]bool{
	"reply_markup": true, "media": true, "entities": true, "caption_entities": true,
	"reply_parameters": true, "link_preview_options": true, "allowed_updates": true,
}

// decoded gives objects, lists, numbers and truth values back as such.
func (v field) decoded(name string) any {
	if v.kind == jsonText || v.kind == formText && !jsonFields[name] {
		return v.text
	}
	decoder := json.NewDecoder(strings.NewReader(v.text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return v.text
	}
	return value
}
