package petpost

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A phrase is a sequence of elements within one sentence:
//
//	слово, стем~, нача*   a pattern of the lexicon
//	@class                any word of a class
//	a|@b|c                one of several
//	#                     a number
//	?x                    x or nothing
//	!x                    the next word is not x
//	..3                   up to three words of any kind
//	--3                   the same, but not over a comma or a word of @barrier
//	^ $                   begin and end of the sentence
//	??                    the sentence is a question
//	=x                    x is the anchor: the word that this phrase explains
//
// The anchor is the first element unless marked. Phrases stand in the order of
// their tables and the first that matches an anchor explains it: special
// readings ("никто не терял") stand before general ones ("терял").
type phrase struct {
	rule     *rule
	ruleID   int32 // its index in rules
	order    int32
	elements []element
	// needs are the required elements with the fewest classes: a text that has
	// no word for one of them cannot hold the phrase.
	needs  [][]uint16
	source string
}

type element struct {
	classes  []uint16
	optional bool
	not      bool
	anchor   bool
	begin    bool
	end      bool
	question bool
	gap      int
	within   bool // the gap stays inside its clause
}

func (rs *ruleset) compilePhrases() {
	order := int32(0)
	rs.rules = readRules()
	for i := range rs.rules {
		r := &rs.rules[i]
		for _, line := range r.phrases {
			rs.phrases = append(rs.phrases, phrase{rule: r, ruleID: int32(i), order: order, elements: rs.compileLine(line), source: line})
			rs.phrases[len(rs.phrases)-1].findNeeds()
			order++
		}
	}
	rs.byFirst = make([][]int32, len(rs.names))
	for i := range rs.phrases {
		for _, e := range rs.phrases[i].elements {
			if e.begin || e.question {
				continue
			}
			for _, class := range e.classes {
				rs.byFirst[class] = append(rs.byFirst[class], int32(i))
			}
			break
		}
	}
}

func (ph *phrase) findNeeds() {
	first := true
	for _, e := range ph.elements {
		if len(e.classes) == 0 || e.optional || e.not {
			continue
		}
		if first {
			first = false // the index has found it already
			continue
		}
		ph.needs = append(ph.needs, e.classes)
	}
	slices.SortFunc(ph.needs, func(a, b []uint16) int { return len(a) - len(b) })
	ph.needs = ph.needs[:min(len(ph.needs), 2)]
}

func (rs *ruleset) compileLine(line string) []element {
	var elements []element
	anchored, first := false, -1
	for _, field := range strings.Fields(line) {
		var e element
		switch {
		case field == "^":
			e.begin = true
		case field == "$":
			e.end = true
		case field == "??":
			e.question = true
		case strings.HasPrefix(field, ".."), strings.HasPrefix(field, "--"):
			gap, err := strconv.Atoi(field[2:])
			if err != nil || gap < 1 {
				panic(fmt.Sprintf("petpost: bad gap in phrase %q", line))
			}
			e.gap, e.within = gap, field[0] == '-'
		default:
			for field != "" {
				switch field[0] {
				case '=':
					e.anchor, anchored = true, true
				case '?':
					e.optional = true
				case '!':
					e.not = true
				default:
					goto words
				}
				field = field[1:]
			}
		words:
			for pattern := range strings.SplitSeq(field, "|") {
				if pattern == "#" {
					pattern = "@number"
				}
				if strings.HasPrefix(pattern, "@") {
					if _, ok := rs.byName[pattern]; !ok {
						panic(fmt.Sprintf("petpost: phrase %q names the unknown class %s", line, pattern))
					}
				}
				e.classes = append(e.classes, rs.classOf(pattern))
			}
			if first < 0 {
				first = len(elements)
				if e.optional || e.not {
					panic(fmt.Sprintf("petpost: phrase %q must begin with a plain word", line))
				}
			}
		}
		elements = append(elements, e)
	}
	if first < 0 {
		panic(fmt.Sprintf("petpost: phrase %q holds no word", line))
	}
	if !anchored {
		elements[first].anchor = true
	}
	return elements
}

// match is a phrase found in a text.
type match struct {
	phrase   *phrase
	anchor   int
	from, to int // words, to exclusive
	words    [maxElements]int32
	used     int
}

const maxElements = 14

// findPhrases finds what explains the words of a text: of the phrases that
// match an anchor the first of the tables, and none whose anchor is already
// part of an earlier one ("не пропала ли" leaves no "пропала" behind).
func (rs *ruleset) findPhrases(t *text, scratch *phraseScratch) []match {
	best := scratch.grow(len(t.words))
	out := scratch.found[:0]
	present := scratch.presence(t, len(rs.names))
	for i := range t.words {
		w := &t.words[i]
		for _, class := range t.lex[w.lexAt:w.lexTo] {
			for _, p := range rs.byFirst[class] {
				ph := &rs.phrases[p]
				if !present.all(ph.needs) {
					continue
				}
				m, ok := rs.matchAt(t, ph, i)
				if !ok {
					continue
				}
				if k := best[m.anchor]; k >= 0 {
					if out[k].phrase.order > ph.order {
						out[k] = m
					}
					continue
				}
				best[m.anchor] = int32(len(out))
				out = append(out, m)
			}
		}
	}
	// Insertion sort: there are seldom more than twenty.
	for i := 1; i < len(out); i++ {
		for k := i; k > 0 && out[k].phrase.order < out[k-1].phrase.order; k-- {
			out[k], out[k-1] = out[k-1], out[k]
		}
	}
	claimed := best
	for i := range claimed {
		claimed[i] = 0
	}
	kept := 0
	for _, m := range out {
		if claimed[m.anchor] != 0 {
			continue
		}
		for _, w := range m.words[:m.used] {
			claimed[w] = 1
		}
		out[kept] = m
		kept++
	}
	scratch.found = out
	return out[:kept]
}

// phraseScratch is reused from text to text.
type phraseScratch struct {
	best    []int32
	found   []match
	present classSet
}

// classSet is a set of class ids.
type classSet []uint64

func (s classSet) has(class uint16) bool { return s[class>>6]&(1<<(class&63)) != 0 }

// all reports whether the set holds one class of each list.
func (s classSet) all(needs [][]uint16) bool {
next:
	for _, classes := range needs {
		for _, class := range classes {
			if s.has(class) {
				continue next
			}
		}
		return false
	}
	return true
}

// presence is the set of all the classes of a text's words.
func (s *phraseScratch) presence(t *text, classes int) classSet {
	if len(s.present) == 0 {
		s.present = make(classSet, classes/64+1)
	}
	clear(s.present)
	for i := range t.words {
		for _, class := range t.lexOf(&t.words[i]) {
			s.present[class>>6] |= 1 << (class & 63)
		}
	}
	return s.present
}

func (s *phraseScratch) grow(words int) []int32 {
	if cap(s.best) < words {
		s.best = make([]int32, words*2)
	}
	best := s.best[:words]
	for i := range best {
		best[i] = -1
	}
	return best
}

type matcher struct {
	t        *text
	elements []element
	from, to int // bounds of the sentence
	steps    int
	stop     uint16
	match    match
}

func (rs *ruleset) matchAt(t *text, ph *phrase, i int) (match, bool) {
	s := &t.sentences[t.words[i].sentence]
	m := matcher{t: t, elements: ph.elements, from: int(s.from), to: int(s.to), steps: 400, stop: rs.class.barrier}
	end, ok := m.run(0, i)
	if !ok {
		return match{}, false
	}
	m.match.phrase, m.match.from, m.match.to = ph, i, end
	if ph.rule.signal == sigHome && t.deniedIn(&m.match) {
		return match{}, false // "не пришёл домой"
	}
	return m.match, true
}

// run matches elements[e:] from word i and returns where the match ends.
func (m *matcher) run(e, i int) (int, bool) {
	m.steps--
	if m.steps < 0 {
		return 0, false
	}
	if e == len(m.elements) {
		return i, true
	}
	el := &m.elements[e]
	switch {
	case el.begin:
		if i != m.from {
			return 0, false
		}
		return m.run(e+1, i)
	case el.end:
		if i != m.to {
			return 0, false
		}
		return m.run(e+1, i)
	case el.question:
		if !m.t.sentences[m.t.words[m.from].sentence].question {
			return 0, false
		}
		return m.run(e+1, i)
	case el.gap > 0:
		for n := 0; n <= el.gap && i+n <= m.to; n++ {
			if el.within && n > 0 && m.barrier(i+n-1) {
				break
			}
			if end, ok := m.run(e+1, i+n); ok {
				return end, true
			}
		}
		return 0, false
	case el.not:
		if i < m.to && m.fits(el, i) {
			return 0, false
		}
		return m.run(e+1, i)
	}
	if i < m.to && m.fits(el, i) {
		if end, ok := m.run(e+1, i+1); ok {
			if el.anchor {
				m.match.anchor = i
			}
			if m.match.used < maxElements {
				m.match.words[m.match.used] = int32(i)
				m.match.used++
			}
			return end, true
		}
	}
	if el.optional {
		return m.run(e+1, i)
	}
	return 0, false
}

// barrier reports a word that a gap within a clause does not skip.
func (m *matcher) barrier(i int) bool {
	return m.t.words[i].gap&(gapComma|gapParen|gapColon) != 0 && i > m.from || m.t.has(i, m.stop)
}

func (m *matcher) fits(el *element, i int) bool {
	w := &m.t.words[i]
	for _, class := range el.classes {
		for _, c := range m.t.lex[w.lexAt:w.lexTo] {
			if c == class {
				return true
			}
		}
	}
	return false
}
