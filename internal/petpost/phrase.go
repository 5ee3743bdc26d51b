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

	// only in the patterns of fields
	words  []wordPattern // literally; they are no words of the vocabulary
	tests  []func(r *reader, i int) bool
	number *numberRange
	joint  gap  // what alone may stand before it
	behind bool // it is the word before the match
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
		e, patterns := rs.compileElement(field, line)
		for _, pattern := range patterns {
			e.classes = append(e.classes, rs.classOf(pattern))
		}
		if len(e.classes) > 0 && first < 0 {
			first = len(elements)
			if e.optional || e.not {
				panic(fmt.Sprintf("petpost: phrase %q must begin with a plain word", line))
			}
		}
		anchored = anchored || e.anchor
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

// compileElement compiles all of an element but its literal patterns.
func (rs *ruleset) compileElement(field, line string) (e element, patterns []string) {
	switch {
	case field == "^":
		return element{begin: true}, nil
	case field == "$":
		return element{end: true}, nil
	case field == "??":
		return element{question: true}, nil
	case strings.HasPrefix(field, ".."), strings.HasPrefix(field, "--"):
		gap, err := strconv.Atoi(field[2:])
		if err != nil || gap < 1 {
			panic(fmt.Sprintf("petpost: bad gap in phrase %q", line))
		}
		return element{gap: gap, within: field[0] == '-'}, nil
	}
	words := strings.TrimLeft(field, "=?!")
	marks := field[:len(field)-len(words)]
	e.anchor, e.optional, e.not = strings.Contains(marks, "="), strings.Contains(marks, "?"), strings.Contains(marks, "!")
	for pattern := range strings.SplitSeq(words, "|") {
		if pattern == "#" {
			pattern = "@number"
		}
		class, known := rs.byName[pattern]
		switch {
		case known && pattern[0] == '@':
			e.classes = append(e.classes, class)
		case pattern[0] == '@':
			panic(fmt.Sprintf("petpost: phrase %q names the unknown class %s", line, pattern))
		default:
			patterns = append(patterns, pattern)
		}
	}
	return e, patterns
}
