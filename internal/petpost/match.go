package petpost

import (
	"slices"
	"sync"
)

// match is where a pattern matches.
type match struct {
	pattern  *pattern
	anchor   int
	from, to int   // words, to exclusive
	words    []int // those that elements stand for
}

// phrases are the patterns of lexicon/phrases by the classes, or the first letter,
// of the words that they can begin with. They stand in the order of the files: of
// those that explain a word the first counts.
var phrases = sync.OnceValue(func() map[string][]*pattern {
	index, order := map[string][]*pattern{}, 0
	for _, file := range phraseFiles() {
		patterns := readPatterns(file)
		for i := range patterns {
			p := &patterns[i]
			p.order = order
			order++
			first := p.elements[slices.IndexFunc(p.elements, func(e element) bool { return !e.begin && !e.question })]
			for _, class := range first.classes {
				index[class] = append(index[class], p)
			}
			for _, word := range first.words {
				letter := string(word.letters[:1])
				index[letter] = append(index[letter], p)
			}
		}
	}
	return index
})

// findPhrases finds what explains the words of the text: of the phrases that
// match an anchor the first of the files, and none whose anchor is already
// part of an earlier one ("не пропала ли" leaves no "пропала" behind).
func (r *reader) findPhrases() (found []match) {
	t := &r.text
	index := phrases()
	for i := range t.words {
		try := func(patterns []*pattern) {
			for _, p := range patterns {
				if m, ok := r.match(p, i); ok {
					found = append(found, m)
				}
			}
		}
		w := &t.words[i]
		for _, class := range t.lexOf(w) {
			try(index[class])
		}
		if letters := t.codesOf(w); len(letters) > 0 {
			try(index[string(letters[:1])])
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return a.pattern.order - b.pattern.order })
	claimed := make([]bool, len(t.words))
	return slices.DeleteFunc(found, func(m match) bool {
		if claimed[m.anchor] {
			return true
		}
		for _, w := range m.words {
			claimed[w] = true
		}
		return false
	})
}

// firstAt matches the patterns at word i in their order.
func (r *reader) firstAt(patterns []pattern, i int) (match, bool) {
	for k := range patterns {
		if m, ok := r.match(&patterns[k], i); ok {
			return m, true
		}
	}
	return match{}, false
}

// match matches a pattern at word i.
func (r *reader) match(p *pattern, i int) (match, bool) {
	const steps = 400
	s := &r.text.sentences[r.text.words[i].sentence]
	m := matcher{reader: r, t: &r.text, from: int(s.from), to: int(s.to), steps: steps, match: match{pattern: p, anchor: i, from: i}}
	end, ok := m.run(p.elements, i)
	m.match.to = end
	return m.match, ok && end > i
}

type matcher struct {
	reader   *reader
	t        *text
	from, to int // bounds of the sentence
	steps    int
	match    match
}

// run matches the elements from word i and returns where the match ends.
func (m *matcher) run(elements []element, i int) (int, bool) {
	m.steps--
	switch {
	case m.steps < 0:
		return 0, false
	case len(elements) == 0:
		return i, true
	}
	el, rest := &elements[0], elements[1:]
	holds := false
	switch {
	case el.gap > 0:
		return m.skip(el, rest, i)
	case el.begin:
		holds = i == m.from
	case el.end:
		holds = i == m.to
	case el.question:
		holds = m.t.sentences[m.t.words[m.from].sentence].question
	case el.behind:
		holds = (i > m.from && el.fits(m.reader, i-1) > 0) != el.not
	default:
		n := m.fits(el, i)
		if n > 0 && !el.not && !el.look {
			if end, ok := m.run(rest, i+n); ok {
				m.take(el, i)
				return end, true
			}
		}
		holds = el.optional || el.not && n == 0 || el.look && n > 0
	}
	if !holds {
		return 0, false
	}
	return m.run(rest, i)
}

// fits gives how many words from i on are what el asks for, 0 for none.
func (m *matcher) fits(el *element, i int) int {
	if i >= m.to || !el.joins(m.t.words[i].gap) {
		return 0
	}
	return el.fits(m.reader, i)
}

// skip tries the gap el with ever more words from i.
func (m *matcher) skip(el *element, rest []element, i int) (int, bool) {
	for n := 0; n <= el.gap && i+n <= m.to; n++ {
		if el.within && n > 0 && m.barrier(i+n-1) {
			break
		}
		if end, ok := m.run(rest, i+n); ok {
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
	m.match.words = append(m.match.words, i)
}

// barrier reports a word that a gap within a clause does not skip.
func (m *matcher) barrier(i int) bool {
	return m.t.words[i].gap&(gapComma|gapParen|gapColon) != 0 && i > m.from || m.t.has(i, "barrier")
}
