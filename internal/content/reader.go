package content

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Source is a batch that is read object by object, whatever it is written in.
// Next gives the next object, refused ones included, io.EOF at the end of a
// whole batch, and a *BatchError if the batch is refused. The summary is whole
// once Next gave io.EOF.
type Source interface {
	Next() (Object, error)
	Summary() Summary
}

// Summary is what there is to say of a batch as a whole.
type Summary struct {
	Mode    Mode
	Lists   []List // that a snapshot holds all of
	Objects int    // without those that are gone
	Hash    []byte // SHA-256 of what the batch says
	Notes   Notes
}

// BatchError refuses a batch whole: it is not JSON of the expected shape, or
// it is too large.
type BatchError struct {
	Why

	Path     string // the part that was being read, "" at the top
	Offset   int64  // bytes before the fault
	Line     int    // from 1; 0 for a table
	Column   int    // from 1, in characters
	TooLarge bool
	// Unclear: its tables are read, and a person may say what is in them; see
	// [TableOptions].
	Unclear bool
}

// Error gives the reason and the place.
func (e *BatchError) Error() string {
	where := ""
	if e.Path != "" {
		where = " in " + e.Path
	}
	if e.Line == 0 {
		return "batch refused: " + e.Reason
	}
	return fmt.Sprintf("batch refused: %s%s, at line %d, column %d (byte %d)", e.Reason, where, e.Line, e.Column, e.Offset)
}

// Reader reads a batch of JSON object by object and holds no more than one of
// them. It is a [Source].
type Reader struct {
	rules   Rules
	remarks *remarks
	gone    []Object // still to be handed out
	handed  int      // of those that are gone
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
	reader := &Reader{rules: rules, remarks: newRemarks(rules), mode: Upsert, source: &source{from: r, hash: sha256.New()}}
	reader.decoder = json.NewDecoder(reader.source)
	reader.decoder.UseNumber() // 1E700 is JSON, if no float64
	reader.source.used = reader.decoder.InputOffset
	reader.step = reader.readOpening
	return reader
}

// Next gives the next object; its other errors are the underlying reader's.
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

// Summary is that of what was read so far; the hash is of the batch's bytes.
func (r *Reader) Summary() Summary {
	return Summary{Mode: r.mode, Lists: r.lists, Objects: r.objects - r.handed, Hash: r.source.hash.Sum(nil), Notes: r.remarks.notes()}
}

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
	case key == "unpublish":
		return r.readGone()
	case list.Rank() >= 0:
		return Object{}, false, r.openList(list)
	default:
		return r.skipUnknown(key)
	}
}

// readGone reads the ids that are to be unpublished, list by list.
func (r *Reader) readGone() (Object, bool, error) {
	var gone map[List][]string
	var raw json.RawMessage
	if err := r.decoder.Decode(&raw); err != nil {
		return Object{}, false, err
	}
	if json.Unmarshal(raw, &gone) != nil {
		return Object{}, false, r.fault(`unpublish must be an object of lists of ids, such as {"places": ["p1"]}`)
	}
	for _, list := range slices.Sorted(maps.Keys(gone)) {
		if list.Rank() < 0 {
			return Object{}, false, r.fault(fmt.Sprintf("unpublish names %q: there are %v", shorten(string(list)), Lists))
		}
		for n, id := range gone[list] {
			r.gone = append(r.gone, Object{List: list, Path: fmt.Sprintf("unpublish.%s[%d]", list, n), ID: strings.TrimSpace(id), Gone: true})
		}
	}
	if r.objects+len(r.gone) > MaxObjects {
		return Object{}, false, r.fault(fmt.Sprintf("more than %d objects: send several batches", MaxObjects))
	}
	r.step = r.handGone
	return Object{}, false, nil
}

func (r *Reader) handGone() (Object, bool, error) {
	if len(r.gone) == 0 {
		r.step = r.readKey
		return Object{}, false, nil
	}
	object := r.gone[0]
	r.gone = r.gone[1:]
	r.objects++
	r.handed++
	object.Seq = r.objects
	return object, true, nil
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
	if slices.Contains(r.lists, list) {
		return r.fault("the list is given twice")
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
	r.remarks.on(&object, object.fill(raw, r.rules), raw)
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
	return Object{Seq: r.objects, Path: shorten(key), Refusals: []Refusal{{
		Path: shorten(key), Value: shorten(string(raw)),
		Why: Because("такой части в пакете не бывает; есть mode, unpublish и %v", Lists),
	}}}, true, nil
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
	fault := &BatchError{Why: Why{Reason: reason}, Path: r.path, Offset: offset}
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
