package petpost

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A pattern of the files of phrases and fields is a sequence of elements within
// one sentence:
//
//	слово, стем~, нача*   a word as in a lexicon
//	@class                any word of a class
//	a|@b|c                one of several
//	#                     a number; #1-31 one from 1 to 31, #00-59 with two digits at least
//	?x                    x or nothing
//	!x                    the next word is not x
//	..3                   up to three words of any kind
//	--3                   the same, but not over a comma or a word of @barrier
//	^ $                   begin and end of the sentence
//	??                    the sentence is a question
//	=x                    x is the anchor: the word that this pattern explains
//	-x .x :x /x           x with nothing but a hyphen, dot, colon or slash before it
//	_x ,x (x              x after a space alone; after a comma, dash or colon; after a bracket
//	<x, <!x               the word before the match is x, or is not
//	+x                    the next word is x, and something else too
//	&name                 words that a function of wordTests knows
//
// The anchor is the first word of the match unless marked.
type pattern struct {
	rule     *rule
	order    int
	elements []element
}

// rule is the heading that patterns stand under. In the files of phrases it says
// what they are signs of and how plainly they say so: 10 outright, 6 in plain
// words, less for a hint.
type rule struct {
	name   string
	signal signal
	weight int
}

type element struct {
	classes  []string
	words    []wordPattern
	tests    []wordTest
	number   *numberRange
	optional bool
	not      bool
	anchor   bool
	begin    bool
	end      bool
	question bool
	gap      int
	within   bool // the gap stays inside its clause
	joint    gap  // what alone may stand before it
	behind   bool // it is the word before the match
	look     bool // it is not passed
}

// fields are the patterns of the files of fields, read at the first use.
var fields sync.Map

func patternsOf(file string) []pattern {
	patterns, known := fields.Load(file)
	if !known {
		patterns, _ = fields.LoadOrStore(file, readPatterns(file))
	}
	return patterns.([]pattern)
}

// readPatterns compiles the lines of a lexicon file, in their order.
func readPatterns(file string) (patterns []pattern) {
	for _, s := range sections(file) {
		r := newRule(file, s)
		for _, line := range s.lines {
			p := pattern{rule: r}
			for _, field := range strings.Fields(line) {
				p.elements = append(p.elements, newElement(field, line))
			}
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func newRule(file string, s section) *rule {
	r := &rule{name: s.name}
	for _, arg := range s.args {
		if meaning := slices.Index(signalNames[:], arg); meaning >= 0 {
			r.signal = signal(meaning)
		} else if weight, err := strconv.Atoi(arg); err == nil {
			r.weight = weight
		} else {
			panic(fmt.Sprintf("petpost: %s: the rule %s has the bad signal or weight %q", file, s.name, arg))
		}
	}
	return r
}

func newElement(field, line string) (e element) {
	switch {
	case field == "^":
		return element{begin: true}
	case field == "$":
		return element{end: true}
	case field == "??":
		return element{question: true}
	case strings.HasPrefix(field, ".."), strings.HasPrefix(field, "--"):
		gap, err := strconv.Atoi(field[2:])
		if err != nil || gap < 1 {
			panic(fmt.Sprintf("petpost: bad gap in pattern %q", line))
		}
		return element{gap: gap, within: field[0] == '-'}
	}
	for ; ; field = field[1:] {
		switch mark := field[0]; {
		case mark == '=':
			e.anchor = true
		case mark == '?':
			e.optional = true
		case mark == '!':
			e.not = true
		case mark == '+':
			e.look = true
		case mark == '<':
			e.behind = true
		case joints[mark] != 0:
			e.joint = joints[mark]
		default:
			for alternative := range strings.SplitSeq(field, "|") {
				e.addAlternative(alternative, line)
			}
			return e
		}
	}
}

func (e *element) addAlternative(written, line string) {
	name := written[1:]
	switch {
	case written[0] == '@' && vocabulary().classes[name]:
		e.classes = append(e.classes, name)
	case written == "#":
		e.classes = append(e.classes, classNumber)
	case written[0] == '#':
		e.number = newNumberRange(name, line)
	case written[0] == '&' && wordTests[name] != nil:
		e.tests = append(e.tests, wordTests[name])
	case written[0] == '@', written[0] == '&':
		panic(fmt.Sprintf("petpost: pattern %q names the unknown %s", line, written))
	default:
		e.words = append(e.words, newWordPattern(written))
	}
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
	rest, begins := bytes.CutPrefix(letters, p.letters)
	return begins && (len(rest) == 0 || p.mark == "*" || p.mark == "~" && endings()[string(rest)])
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

// joins reports that the gap before a word is the one that the element asks for.
func (e *element) joins(g gap) bool {
	return e.joint == 0 || g&e.joint != 0 && g&^(e.joint|gapSpace) == 0
}

// fits gives how many words from i on are one of the element's alternatives, 0 for
// none.
func (e *element) fits(r *reader, i int) int {
	t := &r.text
	w := t.at(i)
	if e.number != nil {
		n := t.number(i)
		return btoi(n >= e.number.least && n <= e.number.most && w.digits() >= e.number.digits)
	}
	for _, test := range e.tests {
		if n := test(r, i); n > 0 {
			return n
		}
	}
	letters := t.codesOf(w)
	return btoi(t.has(i, e.classes...) || len(letters) > 0 && slices.ContainsFunc(e.words, func(p wordPattern) bool { return p.fits(letters) }))
}
