package route

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// value is what stands at a key, or in a list, of a routes file. One of the wrong
// kind keeps what is wrong with it, so that the others are read all the same.
type value[T any] struct {
	is    T
	line  int // from 1; 0: it is not there, or nothing stands after its key
	wrong error
}

// UnmarshalYAML never fails.
func (v *value[T]) UnmarshalYAML(decode func(any) error) error {
	var node ast.Node
	if v.wrong = decode(&node); node != nil && node.GetToken() != nil {
		v.line = node.GetToken().Position.Line
	}
	if mapping, is := node.(*ast.MappingNode); is {
		mapping.Values = mergedFirst(mapping.Values)
	}
	if v.wrong == nil {
		v.wrong = decode(&v.is)
	}
	return nil
}

// mergedFirst puts what is merged in (<<) before what it gives way to, for of two
// the decoder takes the later: of a list of mappings the first wins, and the keys
// that are there over all of them.
func mergedFirst(entries []*ast.MappingValueNode) (ordered []*ast.MappingValueNode) {
	var own []*ast.MappingValueNode
	for _, entry := range entries {
		sources, several := entry.Value.(*ast.SequenceNode)
		switch {
		case !entry.Key.IsMergeKey():
			own = append(own, entry)
		case !several:
			ordered = append(ordered, entry)
		default:
			for _, source := range slices.Backward(sources.Values) {
				one := *entry
				one.Value = source
				ordered = append(ordered, &one)
			}
		}
	}
	return append(ordered, own...)
}

// list is a list of a routes file; a single value counts as a list of one.
type list[T any] []value[T]

// UnmarshalYAML never fails: what is wrong is in the values.
func (l *list[T]) UnmarshalYAML(decode func(any) error) error {
	var node ast.Node
	if err := decode(&node); err == nil && node.Type() == ast.SequenceType {
		return decode((*[]value[T])(l))
	}
	*l = list[T]{{}}
	return (*l)[0].UnmarshalYAML(decode)
}

// name is a text, put together again where the YAML parser takes it for a key and
// a value: [vk:-5] inside curly brackets.
type name string

// UnmarshalYAML fails on what is neither.
func (n *name) UnmarshalYAML(decode func(any) error) error {
	if decode((*string)(n)) == nil {
		return nil
	}
	var parts map[string]string
	err := decode(&parts)
	if err == nil && len(parts) == 1 {
		for key, rest := range parts {
			*n = name(key + ":" + rest)
		}
		return nil
	}
	return errors.Join(err, errors.New("this is no text"))
}

// broken notes what makes the file no YAML.
func (l *loader) broken(err error) {
	line, text := located(err)
	l.fault(line, "", "this is no YAML: %s", text)
}

// located is the line of an error, 0 if that is not known, and its text without the line.
func located(err error) (line int, text string) {
	var at yaml.Error
	if !errors.As(err, &at) {
		return 0, err.Error()
	}
	if token := at.GetToken(); token != nil && token.Position != nil {
		line = token.Position.Line
	}
	return line, at.GetMessage()
}

// keysOf are the keys of an entry.
func keysOf(entry reflect.Type) (keys []string) {
	for _, field := range reflect.VisibleFields(entry) {
		if key, inline, _ := strings.Cut(field.Tag.Get("yaml"), ","); inline == "" {
			keys = append(keys, key)
		} else {
			keys = append(keys, keysOf(field.Type)...)
		}
	}
	return keys
}

// fault notes what is wrong with the value that stands on a line.
func (l *loader) fault(line int, where, format string, args ...any) {
	l.faults = append(l.faults, Fault{Line: line, Where: where, Reason: fmt.Sprintf(format, args...)})
}

// given reports whether a value is there and of the right kind.
func given[T any](l *loader, v value[T], where string) bool {
	if v.wrong == nil {
		return v.line > 0
	}
	line, text := located(v.wrong)
	switch entry := reflect.TypeFor[T](); entry.Kind() {
	case reflect.Bool:
		text = "expected true or false"
	case reflect.Float64:
		text = "expected a number"
	case reflect.String:
		text = "expected text; put it into quotes"
	case reflect.Struct:
		text += "; known keys: " + strings.Join(keysOf(entry), ", ")
	}
	l.fault(max(line, v.line), where, "%s", text)
	return false
}

// set takes a value over into a setting.
func set[T any](l *loader, v value[T], where string, setting *T) {
	if given(l, v, where) {
		*setting = v.is
	}
}

// number takes a number within bounds over into a setting, which is a whole one if the setting is.
func number[T int | float64](l *loader, v value[float64], where string, least, most float64, setting *T) {
	switch {
	case !given(l, v, where):
	case v.is < least || v.is > most:
		l.fault(v.line, where, "%v is out of range; write a number from %v to %v", v.is, least, most)
	case float64(T(v.is)) != v.is:
		l.fault(v.line, where, "%v is no whole number", v.is)
	default:
		*setting = T(v.is)
	}
}

// Fault is one thing in a routes file that cannot be meant.
type Fault struct {
	// Line counts from 1; 0 is the file as a whole.
	Line int
	// Where is the entry and key, such as "rule 2: types".
	Where string
	// Reason says what is wrong and what to write instead.
	Reason string
}

func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if f.Where != "" {
		b.WriteString(f.Where + ": ")
	}
	return b.String() + f.Reason
}

// Faults is everything that is wrong in a routes file, in the order of lines.
// Its text has one line per fault.
type Faults []Fault

// Error lists the faults, one per line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = "routes: " + fault.String()
	}
	return strings.Join(lines, "\n")
}

// orNil is the faults as an error, sorted by line; nil if there are none.
func (f Faults) orNil() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return f
}
