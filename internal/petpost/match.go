package petpost

import "slices"

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
// match an anchor the first of the files, and none whose anchor is already
// part of an earlier one ("не пропала ли" leaves no "пропала" behind).
func (rs *ruleset) findPhrases(t *text, scratch *phraseScratch) []match {
	scratch.found = rs.matchAll(t, scratch)
	slices.SortStableFunc(scratch.found, func(a, b match) int { return int(a.phrase.order - b.phrase.order) })
	claimed := scratch.perWord(len(t.words), 0)
	return slices.DeleteFunc(scratch.found, func(m match) bool {
		if claimed[m.anchor] != 0 {
			return true
		}
		for _, w := range m.words[:m.used] {
			claimed[w] = 1
		}
		return false
	})
}

// matchAll gives for each anchor the first phrase that matches it.
func (rs *ruleset) matchAll(t *text, scratch *phraseScratch) []match {
	best := scratch.perWord(len(t.words), -1)
	out := scratch.found[:0]
	present := scratch.presence(t, len(rs.names))
	for i := range t.words {
		for _, class := range t.lexOf(&t.words[i]) {
			for _, p := range rs.byFirst[class] {
				ph := &rs.phrases[p]
				if !present.all(ph.needs) {
					continue
				}
				m, ok := rs.matchAt(t, ph, i)
				if !ok {
					continue
				}
				if k := best[m.anchor]; k < 0 {
					best[m.anchor] = int32(len(out))
					out = append(out, m)
				} else if out[k].phrase.order > ph.order {
					out[k] = m
				}
			}
		}
	}
	return out
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

// perWord gives a number for each word, all of them set to value.
func (s *phraseScratch) perWord(words int, value int32) []int32 {
	s.best = slices.Grow(s.best[:0], words)[:words]
	for i := range s.best {
		s.best[i] = value
	}
	return s.best
}

type matcher struct {
	reader   *reader // of the pattern of a field
	t        *text
	elements []element
	from, to int // bounds of the sentence
	steps    int
	stop     uint16
	match    match
}

// newMatcher matches within the sentence of word i.
func (rs *ruleset) newMatcher(t *text, elements []element, i int) matcher {
	const steps = 400
	s := &t.sentences[t.words[i].sentence]
	return matcher{t: t, elements: elements, from: int(s.from), to: int(s.to), steps: steps, stop: rs.class.barrier}
}

func (rs *ruleset) matchAt(t *text, ph *phrase, i int) (match, bool) {
	m := rs.newMatcher(t, ph.elements, i)
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
	if el.behind {
		if (i > m.from && m.fits(el, i-1)) == el.not {
			return 0, false
		}
		return m.run(e+1, i)
	}
	fits := i < m.to && el.joins(m.t.words[i].gap) && m.fits(el, i)
	switch {
	case el.begin && i != m.from, el.end && i != m.to, el.question && !m.t.sentences[m.t.words[m.from].sentence].question, el.not && fits:
		return 0, false
	case el.begin, el.end, el.question, el.not:
		return m.run(e+1, i)
	case el.gap > 0:
		return m.skip(el, e, i)
	}
	if fits {
		if end, ok := m.run(e+1, i+1); ok {
			m.take(el, i)
			return end, true
		}
	}
	if el.optional {
		return m.run(e+1, i)
	}
	return 0, false
}

// skip tries the gap el = elements[e] with ever more words from i.
func (m *matcher) skip(el *element, e, i int) (int, bool) {
	for n := 0; n <= el.gap && i+n <= m.to; n++ {
		if el.within && n > 0 && m.barrier(i+n-1) {
			break
		}
		if end, ok := m.run(e+1, i+n); ok {
			return end, true
		}
	}
	return 0, false
}

// take records that el is word i.
func (m *matcher) take(el *element, i int) {
	if el.anchor {
		m.match.anchor = i
	}
	if m.match.used < maxElements {
		m.match.words[m.match.used] = int32(i)
		m.match.used++
	}
}

// barrier reports a word that a gap within a clause does not skip.
func (m *matcher) barrier(i int) bool {
	return m.t.words[i].gap&(gapComma|gapParen|gapColon) != 0 && i > m.from || m.t.has(i, m.stop)
}

func (m *matcher) fits(el *element, i int) bool {
	for _, class := range m.t.lexOf(m.t.at(i)) {
		if slices.Contains(el.classes, class) {
			return true
		}
	}
	return m.reader != nil && el.fitsField(m.reader, i)
}
