package route

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// document reads a parsed YAML file strictly and collects what is wrong with
// it. Decoding into structs would stop at the first fault.
type document struct {
	faults  Faults
	anchors map[string]ast.Node
}

// parseDocument returns the file's root, nil if there is none or if the file is no YAML.
func parseDocument(file []byte) (*document, ast.Node) {
	d := &document{anchors: map[string]ast.Node{}}
	parsed, err := parser.ParseBytes(file, 0)
	if err != nil {
		fault := Fault{Reason: "this is no YAML: " + err.Error()}
		var located yaml.Error
		if errors.As(err, &located) {
			fault = Fault{Reason: "this is no YAML: " + located.GetMessage()}
			if token := located.GetToken(); token != nil && token.Position != nil {
				fault.Line = token.Position.Line
			}
		}
		d.faults = append(d.faults, fault)
		return d, nil
	}
	var root ast.Node
	for _, doc := range parsed.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			d.fault(doc.Body, "", "a second YAML document; put everything into one")
			continue
		}
		root = doc.Body
	}
	if root != nil {
		ast.Walk(d, root)
	}
	return d, root
}

// Visit collects anchors, for aliases to be looked up.
func (d *document) Visit(node ast.Node) ast.Visitor {
	if anchor, is := node.(*ast.AnchorNode); is {
		d.anchors[anchor.Name.GetToken().Value] = anchor.Value
	}
	return d
}

func (d *document) fault(node ast.Node, where, format string, args ...any) {
	fault := Fault{Where: where, Reason: fmt.Sprintf(format, args...)}
	if node != nil {
		if token := node.GetToken(); token != nil && token.Position != nil {
			fault.Line = token.Position.Line
		}
	}
	d.faults = append(d.faults, fault)
}

// maxAliases bounds a chain of aliases of aliases.
const maxAliases = 16

// resolve follows anchors, aliases and tags to the value they stand for.
// It returns nil for null and for an alias of nothing.
func (d *document) resolve(node ast.Node) ast.Node {
	for range maxAliases {
		switch n := node.(type) {
		case *ast.AnchorNode:
			node = n.Value
		case *ast.TagNode:
			node = n.Value
		case *ast.AliasNode:
			node = d.anchors[n.Value.GetToken().Value]
		case *ast.NullNode, nil:
			return nil
		default:
			return node
		}
	}
	return nil
}

// fields are a mapping's values by key. Keys not among the known ones are
// faults; merge keys (<<) bring in what the mapping does not have itself.
// "key:" with nothing after it is as good as absent. The result is nil if
// this is no mapping at all.
func (d *document) fields(node ast.Node, where string, known ...string) map[string]ast.Node {
	values := map[string]ast.Node{}
	if !d.collect(node, where, known, values, 0) {
		return nil
	}
	for key, value := range values {
		if d.resolve(value) == nil {
			delete(values, key)
			if alias, is := value.(*ast.AliasNode); is {
				d.fault(alias, where, "%s: there is no anchor &%s", key, alias.Value.GetToken().Value)
			}
		}
	}
	return values
}

func (d *document) collect(node ast.Node, where string, known []string, values map[string]ast.Node, depth int) bool {
	mapping, is := d.resolve(node).(*ast.MappingNode)
	if !is {
		d.fault(node, where, "expected keys with values; known keys: %s", strings.Join(known, ", "))
		return false
	}
	var merged []ast.Node
	for _, entry := range mapping.Values {
		key := entry.Key.GetToken().Value
		switch _, has := values[key]; {
		case entry.Key.IsMergeKey():
			merged = append(merged, d.items(entry.Value)...)
		case !slices.Contains(known, key):
			d.fault(entry.Key, where, "unknown key %q; known keys: %s", key, strings.Join(known, ", "))
		case !has:
			values[key] = entry.Value
		}
	}
	for _, source := range merged {
		if depth < maxAliases {
			d.collect(source, where, known, values, depth+1)
		}
	}
	return true
}

// items are the elements of a list; a single value counts as a list of one.
func (d *document) items(node ast.Node) []ast.Node {
	if sequence, is := d.resolve(node).(*ast.SequenceNode); is {
		return sequence.Values
	}
	return []ast.Node{node}
}

// text reads a string or a number written without quotes.
func (d *document) text(node ast.Node, where string) (string, bool) {
	switch n := d.resolve(node).(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode:
		return n.Token.Value, true
	}
	d.fault(node, where, "expected text; put it into quotes")
	return "", false
}

func (d *document) number(node ast.Node, where string, least, most float64) (float64, bool) {
	var value float64
	switch n := d.resolve(node).(type) {
	case *ast.IntegerNode:
		switch whole := n.Value.(type) {
		case int64:
			value = float64(whole)
		case uint64:
			value = float64(whole)
		}
	case *ast.FloatNode:
		value = n.Value
	default:
		d.fault(node, where, "expected a number from %v to %v", least, most)
		return 0, false
	}
	if !(value >= least && value <= most) {
		d.fault(node, where, "%v is out of range; write a number from %v to %v", value, least, most)
		return 0, false
	}
	return value, true
}

func (d *document) whole(node ast.Node, where string, least, most int) (int, bool) {
	value, ok := d.number(node, where, float64(least), float64(most))
	if ok && value != float64(int(value)) {
		d.fault(node, where, "%v is no whole number", value)
		return 0, false
	}
	return int(value), ok
}

func (d *document) truth(node ast.Node, where string) bool {
	if b, is := d.resolve(node).(*ast.BoolNode); is {
		return b.Value
	}
	d.fault(node, where, "expected true or false")
	return false
}
