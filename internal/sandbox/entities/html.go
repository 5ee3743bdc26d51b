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
	p := markup{source: source}
	for !p.over() {
		if err := p.step(); err != nil {
			return "", nil, err
		}
	}
	if n := len(p.open); n > 0 {
		return "", nil, fmt.Errorf("Can't find end tag corresponding to start tag %q", p.open[n-1].name)
	}
	return p.out.String(), inOrder(p.list), nil
}

// markup is HTML that is read from at on.
type markup struct {
	source string
	at     int
	out    strings.Builder
	width  int // of out, in UTF-16 code units
	open   []openTag
	list   []Entity
}

func (p *markup) over() bool { return p.at == len(p.source) }

// while passes over the bytes for which a condition holds.
func (p *markup) while(holds func(byte) bool) string {
	from := p.at
	for !p.over() && holds(p.source[p.at]) {
		p.at++
	}
	return p.source[from:p.at]
}

func (p *markup) step() error {
	rest := p.source[p.at:]
	switch {
	case strings.HasPrefix(rest, "</"):
		return p.endTag()
	case rest[0] == '<':
		return p.startTag()
	}
	r, size := utf8.DecodeRuneInString(rest)
	if decoded, length := htmlReference(rest); length > 0 {
		r, size = decoded, length
	}
	p.out.WriteRune(r)
	p.width += width16(r)
	p.at += size
	return nil
}

func (p *markup) startTag() error {
	begin := p.at
	p.at++
	tag := openTag{name: strings.ToLower(p.while(inTagName))}
	if p.over() {
		return fmt.Errorf("Unclosed start tag at byte offset %d", begin)
	}
	if _, known := htmlTags[tag.name]; !known {
		return fmt.Errorf("Unsupported start tag %q at byte offset %d", tag.name, begin)
	}
	unclosed := fmt.Errorf("Unclosed start tag %q at byte offset %d", tag.name, begin)
	for {
		p.while(htmlSpace)
		if p.over() {
			return unclosed
		}
		if p.source[p.at] == '>' {
			p.at++
			break
		}
		attribute := strings.ToLower(p.while(func(c byte) bool { return inTagName(c) && c != '=' }))
		if attribute == "" {
			return fmt.Errorf("Empty attribute name in the tag %q at byte offset %d", tag.name, begin)
		}
		p.while(htmlSpace)
		if p.over() {
			return unclosed
		}
		value := ""
		switch {
		case p.source[p.at] == '=':
			p.at++
			var err error
			if value, err = p.value(unclosed); err != nil {
				return err
			}
		case tag.name == "blockquote" && attribute == "expandable": // shown as any other
		default:
			return fmt.Errorf("Expected equal sign in declaration of an attribute of the tag %q at byte offset %d", tag.name, begin)
		}
		switch {
		case tag.name == "a" && attribute == "href":
			tag.href = value
		case tag.name == "span" && attribute == "class" && value == "tg-spoiler":
			tag.spoiler = true
		}
	}
	if tag.name == "span" && !tag.spoiler {
		return fmt.Errorf("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	}
	tag.offset, tag.start = p.width, p.out.Len()
	p.open = append(p.open, tag)
	return nil
}

// value reads an attribute's value, in quotes or a name without them.
func (p *markup) value(unclosed error) (string, error) {
	p.while(htmlSpace)
	if p.over() {
		return "", unclosed
	}
	if quote := p.source[p.at]; quote == '"' || quote == '\'' {
		p.at++
		value := p.while(func(c byte) bool { return c != quote })
		if p.over() {
			return "", unclosed
		}
		p.at++
		return references.ReplaceAllStringFunc(value, func(written string) string {
			if r, size := htmlReference(written); size > 0 {
				return string(r)
			}
			return written
		}), nil
	}
	from := p.at
	name := strings.ToLower(p.while(tokenByte))
	switch {
	case p.over():
		return "", unclosed
	case inTagName(p.source[p.at]):
		return "", fmt.Errorf("Unexpected end of name token at byte offset %d", from)
	}
	return name, nil
}

func (p *markup) endTag() error {
	begin, n := p.at, len(p.open)
	if n == 0 {
		return fmt.Errorf("Unexpected end tag at byte offset %d", begin)
	}
	p.at += 2
	name := strings.ToLower(p.while(inTagName))
	p.while(htmlSpace)
	if p.over() || p.source[p.at] != '>' {
		return fmt.Errorf("Unclosed end tag at byte offset %d", begin)
	}
	p.at++
	tag := p.open[n-1]
	if name != "" && name != tag.name {
		return fmt.Errorf("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, tag.name, name)
	}
	p.open = p.open[:n-1]
	entity, ok := Entity{Type: htmlTags[tag.name], Offset: tag.offset, Length: p.width - tag.offset}, true
	if entity.Type == TextLink {
		entity.URL, ok = Link(cmp.Or(tag.href, p.out.String()[tag.start:]))
	}
	if ok { // else the server drops a link it cannot follow and keeps its text
		p.list = append(p.list, entity)
	}
	return nil
}

var (
	references = regexp.MustCompile(`&(?:#(\d{1,9})|#x([0-9a-fA-F]{1,9})|([A-Za-z]+));?`)
	reference  = regexp.MustCompile("^" + references.String())
)

// htmlReference decodes a character reference at the start of source. Only numeric ones and lt, gt, amp and quot are
// known; size 0 means that there is none.
func htmlReference(source string) (r rune, size int) {
	if !strings.HasPrefix(source, "&") {
		return 0, 0
	}
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

// inTagName reports whether a byte goes on with the name of a tag.
func inTagName(c byte) bool { return !htmlSpace(c) && c != '>' }
