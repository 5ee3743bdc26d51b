package content

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Object is one object of a batch: checked and in its canonical form, or
// refused.
type Object struct {
	Seq     int    // from 1, over the whole batch
	List    List   // "" for an unknown part of the batch
	Path    string // places[17]
	ID      string // the CMS's; "" if it could not be read
	Payload []byte // canonical JSON of the list's type; nil if refused
	// Digest is of list and payload: equal digests, equal content.
	Digest  [sha256.Size]byte
	Refusal *Refusal // nil if the object is good
}

// BatchError refuses a batch whole: it is not JSON of the expected shape, or
// it is too large.
type BatchError struct {
	Reason   string
	Path     string // the part that was being read, "" at the top
	Offset   int64  // bytes before the fault
	Line     int    // from 1
	Column   int    // from 1, in characters
	TooLarge bool
}

// Error tells the reason and the place.
func (e *BatchError) Error() string {
	where := ""
	if e.Path != "" {
		where = " in " + e.Path
	}
	return fmt.Sprintf("batch refused: %s%s, at line %d, column %d (byte %d)", e.Reason, where, e.Line, e.Column, e.Offset)
}

// Reader reads a batch object by object and holds no more than one of them.
type Reader struct {
	rules   Rules
	source  *source
	decoder *json.Decoder
	step    func() (Object, bool, error)

	mode    Mode
	lists   []List
	list    List // the one being read
	index   int  // within list
	objects int
	path    string
}

// NewReader reads the batch that stands in r, to its end.
func NewReader(r io.Reader, rules Rules) *Reader {
	reader := &Reader{rules: rules, mode: Upsert, source: &source{from: r, hash: sha256.New()}}
	reader.decoder = json.NewDecoder(reader.source)
	reader.decoder.UseNumber() // 1E700 is JSON, if no float64
	reader.source.used = reader.decoder.InputOffset
	reader.step = reader.readOpening
	return reader
}

// Next gives the next object, refused ones included, io.EOF at the end of a
// whole batch, a *BatchError if the batch is refused, and otherwise the error
// of the underlying reader.
func (r *Reader) Next() (Object, error) {
	for {
		object, found, err := r.step()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				err = r.explain(err)
			}
			r.step = func() (Object, bool, error) { return Object{}, false, err }
			return Object{}, err
		}
		if found {
			return object, nil
		}
	}
}

// Mode is the batch's, known once Next gave io.EOF.
func (r *Reader) Mode() Mode { return r.mode }

// Lists are those that the batch has, known once Next gave io.EOF.
func (r *Reader) Lists() []List { return r.lists }

// Objects counts the objects read so far.
func (r *Reader) Objects() int { return r.objects }

// Bytes counts the bytes read so far.
func (r *Reader) Bytes() int64 { return r.source.read }

// Hash is the SHA-256 of the batch's bytes, known once Next gave io.EOF.
func (r *Reader) Hash() []byte { return r.source.hash.Sum(nil) }

func (r *Reader) readOpening() (Object, bool, error) {
	r.source.skipByteOrderMark()
	if err := r.expect(json.Delim('{'), "a batch is a JSON object"); err != nil {
		return Object{}, false, err
	}
	r.step = r.readKey
	return Object{}, false, nil
}

func (r *Reader) readKey() (Object, bool, error) {
	r.path = ""
	if !r.decoder.More() {
		if err := r.expect(json.Delim('}'), "the batch does not end here"); err != nil {
			return Object{}, false, err
		}
		token, err := r.decoder.Token()
		if err == nil {
			err = r.fault(fmt.Sprintf("something follows the batch: %v", token))
		}
		return Object{}, false, err // io.EOF, as it should be
	}
	token, err := r.decoder.Token()
	if err != nil {
		return Object{}, false, err
	}
	key, _ := token.(string)
	r.path = shorten(key)
	switch list := List(key); {
	case key == "mode":
		return Object{}, false, r.readMode()
	case list.Rank() >= 0:
		return Object{}, false, r.openList(list)
	default:
		return r.skipUnknown(key)
	}
}

func (r *Reader) readMode() error {
	var raw json.RawMessage
	if err := r.decoder.Decode(&raw); err != nil {
		return err
	}
	var mode *Mode
	if err := json.Unmarshal(raw, &mode); err != nil || mode != nil && *mode != Upsert && *mode != Snapshot {
		return r.fault(`mode must be "upsert" or "snapshot"`)
	}
	if mode != nil {
		r.mode = *mode
	}
	return nil
}

func (r *Reader) openList(list List) error {
	for _, earlier := range r.lists {
		if earlier == list {
			return r.fault("the list is given twice")
		}
	}
	token, err := r.decoder.Token()
	if err != nil || token == nil { // null is as good as no list
		return err
	}
	if token != json.Delim('[') {
		return r.fault("must be a list")
	}
	r.lists = append(r.lists, list)
	r.list, r.index = list, 0
	r.step = r.readObject
	return nil
}

func (r *Reader) readObject() (Object, bool, error) {
	if !r.decoder.More() {
		r.step = r.readKey
		return Object{}, false, r.expect(json.Delim(']'), "the list does not end here")
	}
	r.path = fmt.Sprintf("%s[%d]", r.list, r.index)
	raw, err := r.decode()
	if err != nil {
		return Object{}, false, err
	}
	r.index++
	object := Object{Seq: r.objects, List: r.list, Path: r.path}
	object.fill(raw, r.rules)
	return object, true, nil
}

// decode reads one more object, known or not.
func (r *Reader) decode() (raw json.RawMessage, err error) {
	if r.objects == MaxObjects {
		fault := r.fault(fmt.Sprintf("more than %d objects: send several batches", MaxObjects))
		fault.TooLarge = true
		return nil, fault
	}
	if err := r.decoder.Decode(&raw); err != nil {
		return nil, err
	}
	r.objects++
	return raw, nil
}

func (r *Reader) skipUnknown(key string) (Object, bool, error) {
	raw, err := r.decode()
	if err != nil {
		return Object{}, false, err
	}
	return Object{Seq: r.objects, Path: shorten(key), Refusal: &Refusal{
		Path: shorten(key), Value: shorten(string(raw)), Reason: fmt.Sprintf("is not a part of a batch; there are mode and %v", Lists),
	}}, true, nil
}

// fill decodes and checks one object.
func (o *Object) fill(raw []byte, rules Rules) {
	refuse := func(refusal Refusal) {
		if refusal.Path == "" {
			refusal.Path = o.Path
		} else {
			refusal.Path = o.Path + "." + refusal.Path
		}
		o.Refusal = &refusal
	}
	value := o.List.New()
	refusal := decode(raw, value, o.List)
	if refusal == nil {
		refusal = Check(value, rules)
	}
	if refusal != nil {
		o.ID = objectID(raw)
		refuse(*refusal)
		return
	}
	o.ID = reflect.ValueOf(value).Elem().FieldByName("ID").String()
	payload, err := json.Marshal(value)
	if err != nil {
		refuse(Refusal{Reason: "can't be written down: " + err.Error()})
		return
	}
	o.Payload, o.Digest = payload, digest(o.List, payload)
}

// digest changes with the meaning of a payload, not with its layout in the
// batch. The leading number is to be raised when canonical form changes.
func digest(list List, payload []byte) [sha256.Size]byte {
	sum := sha256.New()
	fmt.Fprintf(sum, "1 %s ", list)
	sum.Write(payload)
	return [sha256.Size]byte(sum.Sum(nil))
}

// objectID reads the id alone, so that a refused object still counts as named
// in a snapshot.
func objectID(raw []byte) string {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	var id string
	if json.Unmarshal(raw, &named) != nil || json.Unmarshal(named.ID, &id) != nil {
		return ""
	}
	field := field{name: "id"}
	if checkText(&id, field) != nil || len(id) > 512 {
		return ""
	}
	return id
}

func decode(raw []byte, into any, list List) *Refusal {
	switch {
	case len(raw) > MaxObjectBytes:
		return &Refusal{Reason: fmt.Sprintf("is larger than %d KiB", MaxObjectBytes>>10)}
	case !utf8.Valid(raw):
		return &Refusal{Reason: "is not UTF-8"}
	case raw[0] != '{':
		return &Refusal{Value: shorten(string(raw)), Reason: "must be an object"}
	}
	if err := json.Unmarshal(raw, into); err == nil {
		return nil
	}
	// The error of a whole object does not say where it is, so try the fields.
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return &Refusal{Reason: "is not readable"}
	}
	for _, f := range shapes[list].fields {
		value, ok := values[f.name]
		if !ok {
			continue
		}
		single, _ := json.Marshal(map[string]json.RawMessage{f.name: value})
		if err := json.Unmarshal(single, list.New()); err != nil {
			return &Refusal{Path: f.name, Value: shorten(string(value)), Reason: expectation(err)}
		}
	}
	return &Refusal{Reason: "has a field of the wrong kind"}
}

func expectation(err error) string {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return "must be a time like 2026-12-05T19:00:00+04:00"
	}
	switch kind.Type.Kind().String() {
	case "string":
		return "must be a text"
	case "float64":
		return "must be a number"
	case "slice":
		return "must be a list"
	default:
		return "must be an object"
	}
}

func (r *Reader) expect(delimiter json.Delim, reason string) error {
	token, err := r.decoder.Token()
	if err == nil && token != delimiter {
		return r.fault(reason)
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// fault refuses the batch at the place that was just read.
func (r *Reader) fault(reason string) *BatchError {
	return r.faultAt(r.decoder.InputOffset(), reason)
}

func (r *Reader) faultAt(offset int64, reason string) *BatchError {
	fault := &BatchError{Reason: reason, Path: r.path, Offset: offset}
	// What was read and not yet decoded is still in the decoder's buffer.
	if ahead, err := io.ReadAll(r.decoder.Buffered()); err == nil {
		passed := min(max(offset-r.decoder.InputOffset(), 0), int64(len(ahead)))
		fault.Line, fault.Column = r.source.place(ahead[passed:])
	}
	return fault
}

// explain makes a BatchError of what the decoder says.
func (r *Reader) explain(err error) error {
	var refused *BatchError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, errTooLarge):
		refused = r.faultAt(r.source.read, fmt.Sprintf("larger than %d MiB: send several batches", MaxBatchBytes>>20))
		refused.TooLarge = true
		return refused
	case errors.Is(err, errEndless):
		refused = r.fault(errEndless.Error())
		refused.TooLarge = true
		return refused
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.faultAt(r.source.read, "not valid JSON: it breaks off")
	case errors.As(err, &syntax):
		offset, reason := r.explainSyntax(syntax)
		return r.faultAt(offset, "not valid JSON: "+reason)
	default:
		return fmt.Errorf("content: read batch: %w", err)
	}
}

// explainSyntax finds where in the batch a syntax error is. The decoder counts
// from different points for tokens and for values, so the value that failed,
// which is still in its buffer, is looked at again. Of a letter beyond ASCII the
// decoder names the first byte only: an editor wants to read the letter.
func (r *Reader) explainSyntax(syntax *json.SyntaxError) (offset int64, reason string) {
	offset, reason = r.decoder.InputOffset(), syntax.Error()
	rest, err := io.ReadAll(r.decoder.Buffered())
	if err != nil {
		return offset, reason
	}
	var again *json.SyntaxError
	if !errors.As(json.Unmarshal(rest, new(any)), &again) || again.Error() != reason {
		return offset, reason
	}
	at := max(again.Offset-1, 0)
	if int(at) < len(rest) && rest[at] >= utf8.RuneSelf {
		letter, _ := utf8.DecodeRune(rest[at:])
		reason = strings.Replace(reason, string(rune(rest[at])), string(letter), 1)
	}
	return offset + at, reason
}
