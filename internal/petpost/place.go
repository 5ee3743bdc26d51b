package petpost

import (
	"slices"
	"strings"
	"unicode"
)

// placeSpan is a place told in the words [from, to), and how much it tells.
type placeSpan struct {
	from, to int
	rank     int
}

// What a place tells, at most; the patterns of the lexicon have ranks of their own
// in their headings. The worth of a place is its rank and what is said around it.
const (
	rankCity       = 20 // "Ижевск"
	rankLandmark   = 30 // "около автовокзала"
	rankBare       = 40 // "Поливановка", a name with nothing that says what it is
	rankNamed      = 42 // "у ТЦ «Глобус»"
	rankDistrict   = 44
	rankSettlement = 46
	rankStreet     = 50
	rankAddress    = 62
)

const (
	placeElsewhere  = -25 // the clinic, the foster home, where somebody came from
	placeOfDelivery = -90
	placeCompound   = 3 // each further part: "п. Бахта, СНТ Урожай"
)

// location returns the place of the event as it is written, with the places
// that stand right beside it: "г. Ижевск, ул. Удмуртская, 255". Of several
// places that one counts which tells most, the earlier of two alike. The pet's
// name, as far as it was read, is no place.
func (r *reader) location(petName string) string {
	r.petCalled = petName
	t := &r.text
	var best placeSpan
	most := 0
	for i := 0; i < len(t.words); {
		s := r.placeAt(i)
		if s.rank == 0 {
			i++
			continue
		}
		s = r.grow(s)
		if worth := r.worth(s); worth > most {
			best, most = s, worth
		}
		i = max(s.to, i+1)
	}
	r.placed = best
	if most == 0 {
		return r.cityTag()
	}
	return r.writtenPlace(best)
}

// placeAt returns the place that begins at word i: by the patterns of
// lexicon/where.txt, by its capital letter, or by those of lexicon/spots.txt.
func (r *reader) placeAt(i int) placeSpan {
	w := &r.text.words[i]
	s := r.patternPlace("where", i)
	if s.rank == 0 && w.upper {
		s = r.capitalPlace(i)
	}
	if s.rank == 0 && (w.upper || slices.ContainsFunc(r.text.lexOf(w), ofPlace)) {
		s = r.patternPlace("spots", i)
	}
	return s
}

// patternPlace reads a place by the patterns of lexicon/where.txt or spots.txt, with
// the house after it.
func (r *reader) patternPlace(file string, i int) placeSpan {
	m, ok := r.firstAt(patternsOf(file), i)
	if !ok {
		return placeSpan{}
	}
	s := placeSpan{m.anchor, m.to, m.pattern.rule.weight}
	if s.rank < rankNamed {
		return s
	}
	return r.withHouse(s)
}

// worth weighs a place by what is said around it; 0 or less is none.
func (r *reader) worth(s placeSpan) int {
	t := &r.text
	worth := s.rank
	sentence := t.words[s.from].sentence
	of := t.sentences[sentence]
	elsewhere := false
	for i := int(of.from); i < int(of.to); i++ {
		before := i < s.from
		elsewhere = elsewhere || r.text.has(i, "place.elsewhere") && (before || i < s.to+2 && !r.clauseStarts(i))
		if r.text.has(i, "place.delivery") || before && i > s.from-5 && t.has(i, "likeness") && t.isWord(i+1, "на") { // "похож на Рыжика с Полевой"
			worth += placeOfDelivery
		}
	}
	if elsewhere {
		worth += placeElsewhere
	}
	return worth - min(int(sentence), 6)
}

// grow extends a place over the places right after it, divided from it by a
// comma, a slash, a bracket, a preposition or nothing.
func (r *reader) grow(s placeSpan) placeSpan {
	const most = 6
	const between = gapComma | gapSpace | gapDot | gapParen | gapSlash | gapDash | gapQuote | gapWide | gapLine
	rank := s.rank
	for parts := 1; parts < most && r.text.follows(s.to, between); parts++ {
		next := r.placeAt(s.to)
		if next.rank == 0 && r.text.has(s.to, "place.preposition") && r.text.follows(s.to, gapSpace|gapQuote) && r.text.sameSentence(s.to, s.to+1) {
			if after := r.placeAt(s.to + 1); after.rank >= rankDistrict || after.rank >= rankBare && r.text.isWord(s.to, "на", "по") {
				next = after
			}
		}
		if next.rank == 0 {
			break
		}
		rank = max(rank, next.rank)
		s = placeSpan{s.from, next.to, rank + min(parts, 2)*placeCompound}
	}
	return s
}

// writtenPlace gives the words of a place with the preposition that its case
// asks for ("в районе X") and with both quotation marks.
func (r *reader) writtenPlace(s placeSpan) string {
	t := &r.text
	if r.text.isWord(s.from, "районе", "районах", "микрорайоне") && t.isWord(s.from-1, "в") {
		s.from--
	}
	start, end := int(t.words[s.from].start), int(t.words[s.to-1].end)
	written := t.raw[start:end]
	for _, pair := range []struct{ open, close string }{{"«", "»"}, {"\"", "\""}, {"“", "”"}, {"„", "“"}, {"(", ")"}} {
		opened, closed := strings.Count(written, pair.open), strings.Count(written, pair.close)
		if pair.open == pair.close {
			opened, closed = opened&1, 0
		}
		if opened > closed && strings.HasPrefix(t.raw[end:], pair.close) {
			end += len(pair.close)
		}
		written = t.raw[start:end]
	}
	return written
}

// cityTag returns a town named in a hashtag, for posts that name no place.
func (r *reader) cityTag() string {
	t := &r.text
	for i := range t.words {
		if t.words[i].hashtag && t.has(i, "city") && !t.has(i, "kind") {
			name := []rune(t.rawOf(i, i+1))
			name[0] = unicode.ToUpper(name[0])
			return string(name)
		}
	}
	return ""
}
