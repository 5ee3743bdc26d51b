package entities

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// openMark is a MarkdownV2 entity that waits for its end.
type openMark struct {
	kind   Type
	begin  int // byte offset in the source, for the complaints
	offset int // UTF-16 offset in the result
	start  int // byte offset in the result
}

// markStyle is how an entity begins and ends, with the name the server uses in "Can't find end of … entity".
type markStyle struct {
	kind              Type
	name, open, close string
}

// marks are tried in this order: the longer before the shorter.
var marks = []markStyle{
	{Underline, "Underline", "__", "__"}, {Italic, "Italic", "_", "_"}, {Bold, "Bold", "*", "*"},
	{Strikethrough, "Strikethrough", "~", "~"}, {Spoiler, "Spoiler", "||", "||"}, {TextLink, "TextUrl", "[", "]"},
	{Pre, "Pre", "```", "```"}, {Code, "Code", "`", "`"},
}

const reservedMarks = "_*[]()~`>#+-=|{}.!"

// ParseMarkdownV2 reads a text of parse_mode MarkdownV2. The error is what follows "can't parse entities: " in the
// server's answer.
func ParseMarkdownV2(source string) (string, []Entity, error) {
	p := markdown{source: source, quote: -1, lineStart: true}
	for p.at < len(source) {
		if err := p.step(); err != nil {
			return "", nil, err
		}
	}
	p.endQuote()
	if n := len(p.open); n > 0 {
		mark := p.open[n-1]
		at := slices.IndexFunc(marks, func(m markStyle) bool { return m.kind == mark.kind })
		return "", nil, fmt.Errorf("Can't find end of %s entity at byte offset %d", marks[at].name, mark.begin)
	}
	return p.out.String(), inOrder(p.list), nil
}

type markdown struct {
	source    string
	at        int
	out       strings.Builder
	width     int
	open      []openMark
	list      []Entity
	quote     int  // UTF-16 offset at which a block quotation began, -1 outside
	lineStart bool // nothing of the line has been written yet
}

func (p *markdown) step() error {
	c := p.source[p.at]
	if c == '\\' && p.at+1 < len(p.source) && p.source[p.at+1] > 0 && p.source[p.at+1] <= 126 {
		p.write(rune(p.source[p.at+1]))
		p.at += 2
		return nil
	}
	inCode := p.inside(Code) || p.inside(Pre)
	if inCode && c != '`' || !inCode && c != '\n' && !strings.ContainsRune(reservedMarks, rune(c)) {
		r, size := utf8.DecodeRuneInString(p.source[p.at:])
		p.write(r)
		p.at += size
		return nil
	}
	if c == '\n' {
		p.write('\n')
		p.at++
		p.lineStart = true
		if p.quote >= 0 && !strings.HasPrefix(p.source[p.at:], ">") {
			p.endQuote()
		}
		return nil
	}
	if c == '>' && p.lineStart && len(p.open) == 0 {
		if p.quote < 0 {
			p.quote = p.width
		}
		p.lineStart = false
		p.at++
		return nil
	}
	if closed, err := p.close(); closed || err != nil {
		return err
	}
	return p.begin()
}

// close ends the innermost entity if its end mark stands here.
func (p *markdown) close() (bool, error) {
	if len(p.open) == 0 {
		return false, nil
	}
	mark := p.open[len(p.open)-1]
	rest := p.source[p.at:]
	size := 0
	for _, m := range marks {
		if m.kind == mark.kind {
			size = prefixed(rest, m.close)
		}
	}
	switch {
	case mark.kind == Italic && strings.HasPrefix(rest, "__"):
		size = 0
	case mark.kind == Pre && size == 0: // single backquotes inside are text
		p.write('`')
		p.at++
		return true, nil
	}
	if size == 0 {
		return false, nil
	}
	p.at += size
	entity := Entity{Type: mark.kind, Offset: mark.offset, Length: p.width - mark.offset}
	if mark.kind == TextLink {
		keep, err := p.target(&entity, p.out.String()[mark.start:])
		if err != nil {
			return false, err
		}
		if !keep {
			entity.Length = 0
		}
	}
	p.open = p.open[:len(p.open)-1]
	p.list = append(p.list, entity)
	return true, nil
}

// target reads the "(…)" after a link text; without one the text itself is the address.
func (p *markdown) target(entity *Entity, text string) (keep bool, err error) {
	address := text
	if strings.HasPrefix(p.source[p.at:], "(") {
		begin := p.at
		var b strings.Builder
		for p.at++; p.at < len(p.source) && p.source[p.at] != ')'; p.at++ {
			if p.source[p.at] == '\\' && p.at+1 < len(p.source) && p.source[p.at+1] > 0 && p.source[p.at+1] <= 126 {
				p.at++
			}
			b.WriteByte(p.source[p.at])
		}
		if p.at == len(p.source) {
			return false, fmt.Errorf("Can't find end of a URL at byte offset %d", begin)
		}
		p.at++
		address = b.String()
	}
	entity.URL, keep = Link(address)
	return keep, nil
}

// begin opens the entity whose start mark stands here.
func (p *markdown) begin() error {
	rest := p.source[p.at:]
	mark, size := openMark{begin: p.at, offset: p.width, start: p.out.Len()}, 0
	for _, m := range marks {
		if size == 0 && strings.HasPrefix(rest, m.open) {
			mark.kind, size = m.kind, len(m.open)
		}
	}
	switch {
	case size == 0:
		return fmt.Errorf("Character '%c' is reserved and must be escaped with the preceding '\\'", rest[0])
	case mark.kind == Pre:
		if end := strings.IndexAny(rest[size:], " \t\r\n`"); end > 0 && rest[size+end] != '`' { // a language
			size += end
		}
		size += prefixed(rest[size:], "\n") + prefixed(rest[size:], "\r\n")
	}
	p.lineStart = false
	p.open = append(p.open, mark)
	p.at += size
	return nil
}

func (p *markdown) inside(kind Type) bool {
	return len(p.open) > 0 && p.open[len(p.open)-1].kind == kind
}

func (p *markdown) write(r rune) {
	p.out.WriteRune(r)
	p.width += width16(r)
	p.lineStart = false
}

func (p *markdown) endQuote() {
	if p.quote < 0 {
		return
	}
	p.list = append(p.list, Entity{Type: Blockquote, Offset: p.quote, Length: p.width - p.quote})
	p.quote = -1
}

func prefixed(text, mark string) int {
	if strings.HasPrefix(text, mark) {
		return len(mark)
	}
	return 0
}
