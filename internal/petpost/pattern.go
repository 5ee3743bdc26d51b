package petpost

import (
	"fmt"
	"slices"
	"strings"
)

// The pattern of a field is a phrase that may ask for more:
//
//	#1-31         a number from 1 to 31; #00-59 has two digits at least
//	-x .x :x /x   x with nothing but a hyphen, dot, colon or slash before it
//	<x, <!x       the word before the match is x, or is not
//	_x ,x (x      x after a space alone; after a comma, dash or colon; after a bracket
//	&name         a word that a function of nameTests knows
//
// Its literal words do not become words of the vocabulary: a field may ask for a
// word of which a name of a place or a pet must remain unknown.
type fieldPattern struct {
	section  string
	elements []element
}

// fieldPatterns compiles the lines of a lexicon file.
func (rs *ruleset) fieldPatterns(file string) (patterns []fieldPattern) {
	for _, s := range sections(file) {
		for _, line := range s.lines {
			p := fieldPattern{section: s.name}
			for _, written := range strings.Fields(line) {
				p.elements = append(p.elements, rs.compileFieldElement(written, line))
			}
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func (rs *ruleset) compileFieldElement(written, line string) element {
	marks := written[:len(written)-len(strings.TrimLeft(written, "=?!<"))]
	rest := written[len(marks):]
	joint := gap(0)
	if len(rest) > 1 && rest[0] != rest[1] && joints[rest[0]] != 0 {
		joint, rest = joints[rest[0]], rest[1:]
		inner := rest[:len(rest)-len(strings.TrimLeft(rest, "="))]
		marks, rest = marks+inner, rest[len(inner):]
	}
	e, literals := rs.compileElement(strings.ReplaceAll(marks, "<", "")+rest, line)
	e.joint, e.behind = joint, strings.Contains(marks, "<")
	for _, literal := range literals {
		if limits, is := strings.CutPrefix(literal, "#"); is {
			e.number = newNumberRange(limits, line)
			continue
		}
		if name, is := strings.CutPrefix(literal, "&"); is {
			e.tests = append(e.tests, nameTests[name])
			continue
		}
		e.words = append(e.words, newWordPattern(literal))
	}
	return e
}

// joints are the marks of what stands before a word.
var joints = map[byte]gap{
	'-': gapHyphen | gapDash, '.': gapDot, ':': gapColon, '/': gapSlash, '_': gapSpace | gapQuote,
	',': gapComma | gapDash | gapColon, '(': gapParen,
}

// wordPattern is a pattern of the lexicon, see lexicon.
type wordPattern struct {
	letters []byte
	mark    string
}

func newWordPattern(pattern string) wordPattern {
	word := strings.TrimRight(pattern, "~*")
	return wordPattern{codesOf(word), pattern[len(word):]}
}

func (p *wordPattern) fits(letters []byte) bool {
	rest, begins := strings.CutPrefix(string(letters), string(p.letters))
	return begins && (rest == "" || p.mark == "*" || p.mark == "~" && endings()[rest])
}

type numberRange struct{ least, most, digits int }

func newNumberRange(limits, line string) *numberRange {
	n := &numberRange{}
	least, _, _ := strings.Cut(limits, "-")
	n.digits = len(least)
	if _, err := fmt.Sscanf(limits, "%d-%d", &n.least, &n.most); err != nil {
		panic(fmt.Sprintf("petpost: bad number in pattern %q", line))
	}
	return n
}

// fitsField reports that word i is one that the element asks for by more than its
// classes.
func (e *element) fitsField(r *reader, i int) bool {
	t := &r.text
	if e.number != nil {
		n := t.number(i)
		return n >= e.number.least && n <= e.number.most && t.at(i).digits() >= e.number.digits
	}
	for _, test := range e.tests {
		if test(r, i) {
			return true
		}
	}
	letters := t.codesOf(t.at(i))
	return slices.ContainsFunc(e.words, func(p wordPattern) bool { return p.fits(letters) })
}

// plain reports an element that is a word of the match whatever else holds.
func (e *element) plain() bool { return !e.optional && !e.not && !e.begin && !e.behind }

// joins reports that the gap before a word is the one that the element asks for.
func (e *element) joins(g gap) bool {
	return e.joint == 0 || g&e.joint != 0 && g&^(e.joint|gapSpace) == 0
}

// fieldAt gives the section of the first pattern that matches at word i, and where
// the match ends; i for none.
func (r *reader) fieldAt(patterns []fieldPattern, i int) (section string, end int) {
	for k := range patterns {
		if m := r.matchField(&patterns[k], i); m.to > i {
			return patterns[k].section, m.to
		}
	}
	return "", i
}

// matchField matches a pattern at word i. A match has words, its anchor is the
// element that is marked; to is 0 for none.
func (r *reader) matchField(p *fieldPattern, i int) match {
	if first := &p.elements[0]; first.plain() && !first.fitsField(r, i) && !r.text.of(r.text.at(i), first.classes...) {
		return match{} // most words
	}
	m := r.rs.newMatcher(&r.text, p.elements, i)
	m.reader = r
	if end, ok := m.run(0, i); ok {
		m.match.to = end
		return m.match
	}
	return match{}
}
