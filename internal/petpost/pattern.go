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
//	<x            the word before the match is x
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
	if len(rest) > 1 && rest[0] != rest[1] && strings.ContainsRune("-.:/", rune(rest[0])) {
		joint, rest = gaps[rune(rest[0])], rest[1:]
		if joint == gapHyphen {
			joint |= gapDash
		}
	}
	e, literals := rs.compileElement(strings.ReplaceAll(marks, "<", "")+rest, line)
	e.joint, e.behind = joint, strings.Contains(marks, "<")
	for _, literal := range literals {
		if limits, is := strings.CutPrefix(literal, "#"); is {
			e.number = newNumberRange(limits, line)
			continue
		}
		e.words = append(e.words, newWordPattern(literal))
	}
	return e
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
func (e *element) fitsField(t *text, i int) bool {
	if e.number != nil {
		n := t.number(i)
		return n >= e.number.least && n <= e.number.most && t.at(i).digits() >= e.number.digits
	}
	letters := t.codesOf(t.at(i))
	return slices.ContainsFunc(e.words, func(p wordPattern) bool { return p.fits(letters) })
}

// joins reports that the gap before a word is the one that the element asks for.
func (e *element) joins(g gap) bool {
	return e.joint == 0 || g&e.joint != 0 && g&^(e.joint|gapSpace) == 0
}

// matchField matches a pattern at word i. A match has words, its anchor is the
// element that is marked; to is 0 for none.
func (rs *ruleset) matchField(t *text, p *fieldPattern, i int) match {
	m := rs.newMatcher(t, p.elements, i)
	if end, ok := m.run(0, i); ok {
		m.match.to = end
		return m.match
	}
	return match{}
}
