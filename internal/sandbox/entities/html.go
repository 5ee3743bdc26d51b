package entities

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// openTag is an element that waits for its end tag.
type openTag struct {
	name    string
	href    string
	spoiler bool // a span of class tg-spoiler
	offset  int  // UTF-16 offset of its content in the result
	start   int  // byte offset of its content in the result
}

var htmlTags = map[string]Type{
	"b": Bold, "strong": Bold,
	"i": Italic, "em": Italic,
	"u": Underline, "ins": Underline,
	"s": Strikethrough, "strike": Strikethrough, "del": Strikethrough,
	"tg-spoiler": Spoiler, "span": Spoiler,
	"a":    TextLink,
	"code": Code, "pre": Pre,
	"blockquote": Blockquote,
}

// ParseHTML reads a text of parse_mode HTML. The error is what follows "can't parse entities: " in the server's answer.
func ParseHTML(source string) (string, []Entity, error) {
	var out strings.Builder
	var list []Entity
	var open []openTag
	width := 0
	for i := 0; i < len(source); {
		switch source[i] {
		case '&':
			if r, size := htmlReference(source[i:]); size > 0 {
				out.WriteRune(r)
				width += width16(r)
				i += size
				continue
			}
			out.WriteByte('&')
			width++
			i++
		case '<':
			begin := i
			if strings.HasPrefix(source[i:], "</") {
				next, err := endTag(source, i, &open, &list, out.String(), width)
				if err != nil {
					return "", nil, err
				}
				i = next
				continue
			}
			tag, next, err := startTag(source, i+1, begin)
			if err != nil {
				return "", nil, err
			}
			tag.offset, tag.start = width, out.Len()
			open = append(open, tag)
			i = next
		default:
			r, size := utf8.DecodeRuneInString(source[i:])
			out.WriteRune(r)
			width += width16(r)
			i += size
		}
	}
	if len(open) > 0 {
		return "", nil, fmt.Errorf("Can't find end tag corresponding to start tag %q", open[len(open)-1].name)
	}
	return out.String(), inOrder(list), nil
}

// startTag reads a start tag whose name begins at i; begin is where its "<" stands, for the complaints.
func startTag(source string, i, begin int) (openTag, int, error) {
	from := i
	for i < len(source) && !htmlSpace(source[i]) && source[i] != '>' {
		i++
	}
	if i == len(source) {
		return openTag{}, 0, fmt.Errorf("Unclosed start tag at byte offset %d", begin)
	}
	tag := openTag{name: strings.ToLower(source[from:i])}
	if _, known := htmlTags[tag.name]; !known {
		return openTag{}, 0, fmt.Errorf("Unsupported start tag %q at byte offset %d", tag.name, begin)
	}
	for {
		for i < len(source) && htmlSpace(source[i]) {
			i++
		}
		if i == len(source) {
			return openTag{}, 0, fmt.Errorf("Unclosed start tag %q at byte offset %d", tag.name, begin)
		}
		if source[i] == '>' {
			i++
			break
		}
		nameFrom := i
		for i < len(source) && !htmlSpace(source[i]) && source[i] != '=' && source[i] != '>' {
			i++
		}
		attribute := strings.ToLower(source[nameFrom:i])
		if attribute == "" {
			return openTag{}, 0, fmt.Errorf("Empty attribute name in the tag %q at byte offset %d", tag.name, begin)
		}
		for i < len(source) && htmlSpace(source[i]) {
			i++
		}
		if i == len(source) {
			return openTag{}, 0, fmt.Errorf("Unclosed start tag %q at byte offset %d", tag.name, begin)
		}
		value := ""
		switch {
		case source[i] == '=':
			var err error
			if value, i, err = attributeValue(source, i+1, tag.name, begin); err != nil {
				return openTag{}, 0, err
			}
		case tag.name == "blockquote" && attribute == "expandable": // shown as any other
		default:
			return openTag{}, 0, fmt.Errorf("Expected equal sign in declaration of an attribute of the tag %q at byte offset %d", tag.name, begin)
		}
		switch {
		case tag.name == "a" && attribute == "href":
			tag.href = value
		case tag.name == "span" && attribute == "class" && value == "tg-spoiler":
			tag.spoiler = true
		}
	}
	if tag.name == "span" && !tag.spoiler {
		return openTag{}, 0, fmt.Errorf("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	}
	return tag, i, nil
}

func attributeValue(source string, i int, tag string, begin int) (string, int, error) {
	for i < len(source) && htmlSpace(source[i]) {
		i++
	}
	unclosed := fmt.Errorf("Unclosed start tag %q at byte offset %d", tag, begin)
	if i == len(source) {
		return "", 0, unclosed
	}
	var value strings.Builder
	quote := source[i]
	if quote != '"' && quote != '\'' {
		from := i
		for i < len(source) && tokenByte(source[i]) {
			i++
		}
		if i == len(source) {
			return "", 0, unclosed
		}
		if !htmlSpace(source[i]) && source[i] != '>' {
			return "", 0, fmt.Errorf("Unexpected end of name token at byte offset %d", from)
		}
		return strings.ToLower(source[from:i]), i, nil
	}
	for i++; i < len(source) && source[i] != quote; {
		if r, size := htmlReference(source[i:]); size > 0 {
			value.WriteRune(r)
			i += size
			continue
		}
		value.WriteByte(source[i])
		i++
	}
	if i == len(source) {
		return "", 0, unclosed
	}
	return value.String(), i + 1, nil
}

func endTag(source string, begin int, open *[]openTag, list *[]Entity, text string, width int) (int, error) {
	if len(*open) == 0 {
		return 0, fmt.Errorf("Unexpected end tag at byte offset %d", begin)
	}
	i := begin + 2
	from := i
	for i < len(source) && !htmlSpace(source[i]) && source[i] != '>' {
		i++
	}
	name := strings.ToLower(source[from:i])
	for i < len(source) && htmlSpace(source[i]) {
		i++
	}
	if i == len(source) || source[i] != '>' {
		return 0, fmt.Errorf("Unclosed end tag at byte offset %d", begin)
	}
	tag := (*open)[len(*open)-1]
	if name != "" && name != tag.name {
		return 0, fmt.Errorf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, tag.name, name)
	}
	*open = (*open)[:len(*open)-1]

	entity := Entity{Type: htmlTags[tag.name], Offset: tag.offset, Length: width - tag.offset}
	if entity.Type == TextLink {
		link, ok := Link(cmp.Or(tag.href, text[tag.start:]))
		if !ok { // the server drops a link it cannot follow and keeps its text
			return i + 1, nil
		}
		entity.URL = link
	}
	*list = append(*list, entity)
	return i + 1, nil
}

var reference = regexp.MustCompile(`^&(?:#(\d{1,9})|#x([0-9a-fA-F]{1,9})|([A-Za-z]+));?`)

// htmlReference decodes a character reference at the start of source. Only numeric ones and lt, gt, amp and quot are
// known; size 0 means that the ampersand stands for itself.
func htmlReference(source string) (r rune, size int) {
	match := reference.FindStringSubmatch(source)
	if match == nil {
		return 0, 0
	}
	r = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"'}[match[3]]
	if match[3] == "" {
		base := 10
		if match[2] != "" {
			base = 16
		}
		value, err := strconv.ParseUint(match[1]+match[2], base, 32)
		if err != nil || value >= 0x10ffff {
			return 0, 0
		}
		r = rune(value)
	}
	if r == 0 {
		return 0, 0
	}
	return r, len(match[0])
}

func tokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-'
}

func htmlSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' }
