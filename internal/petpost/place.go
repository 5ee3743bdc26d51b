package petpost

import (
	"strings"
	"unicode"
)

// placeSpan is a place told in the words [from, to), and how much it tells.
type placeSpan struct {
	from, to int
	rank     int
}

// What a place tells, at most. The worth of a place is its rank and what is
// said around it.
const (
	rankVague      = 8  // "за гаражами"
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
	placeOfEvent    = 12  // the sentence says that the animal was lost or found
	placeElsewhere  = -25 // the clinic, the foster home, where somebody came from
	placeToward     = -22 // where it ran
	placeOfDelivery = -90
	placeCompound   = 3   // each further part: "п. Бахта, СНТ Урожай"
	placeAnywhere   = -15 // "вдоль дороги", which every village has
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

// placeCalls reports that what was taken for the pet's name is a place's:
// "Вересники, на остановке".
func (r *reader) placeCalls(name string) bool {
	if name == "" || r.placed.rank < rankBare || r.placed.rank >= rankNamed && r.placed.rank < rankDistrict {
		return false
	}
	return strings.HasPrefix(r.text.rawOf(r.placed.from, r.placed.to), name) && strings.Count(r.text.raw, name) == 1
}

// placeAt returns the place that begins at word i.
func (r *reader) placeAt(i int) placeSpan {
	t := &r.text
	w := &t.words[i]
	if w.hashtag || w.kind == kindURL || w.kind == kindMention {
		return placeSpan{}
	}
	bits := r.placeBits[i]
	if bits == 0 && !w.upper && w.kind != kindNumber && !r.is(i+1, bitStreet|bitDistrict|bitGeo) && !r.lowerAddress(i) {
		return placeSpan{} // most words
	}
	if r.inPhone(i) {
		return placeSpan{}
	}
	if w.kind == kindNumber {
		return r.numberPlace(i)
	}
	if bits&bitMarker != 0 || t.isWord(i, "р", "место", "адрес", "сад", "саду", "сада", "сады", "садах") {
		if s := r.markedPlace(i); s.rank > 0 {
			return s
		}
	}
	if s := r.houseOfStreet(i); s.rank > 0 {
		return s
	}
	if !w.upper && w.kind == kindWord {
		if s := r.lowerPlace(i); s.rank > 0 {
			return s
		}
	}
	if w.upper && bits&bitNoName == 0 {
		if s := r.capitalPlace(i); s.rank > 0 {
			return s
		}
	}
	return r.landmark(i)
}

// worth weighs a place by what is said around it; 0 or less is none.
func (r *reader) worth(s placeSpan) int {
	t, c := &r.text, &r.rs.class
	worth := s.rank
	sentence := t.words[s.from].sentence
	of := t.sentences[sentence]
	from, to := max(int(of.from), s.from-20), min(int(of.to), s.to+20)
	event, elsewhere := false, false
	for i := from; i < to; i++ {
		if i >= s.from && i < s.to {
			continue
		}
		event = event || t.has(i, c.lose) || t.has(i, c.find)
		elsewhere = elsewhere || i > s.from-7 && (i < s.from || i < s.to+2 && !r.clauseStarts(i)) && r.is(i, bitElsewhere)
		if r.is(i, bitDelivery) || i < s.from && i > s.from-5 && t.has(i, c.likeness) && t.isWord(i+1, "на") { // "похож на Рыжика с Полевой"
			worth += placeOfDelivery
		}
	}
	switch {
	case elsewhere:
		worth += placeElsewhere
	case event:
		worth += placeOfEvent
	}
	if r.is(s.from-1, bitToward) || r.is(s.from-2, bitToward) || r.is(s.from, bitToward) || r.is(s.from+1, bitToward) && s.rank <= rankNamed {
		worth += placeToward
	}
	worth -= min(int(sentence), 6)
	if worth > 0 && s.rank <= rankLandmark && anywhere.MatchString(t.rawOf(s.from, s.to)) {
		return max(worth+placeAnywhere, 1)
	}
	return worth
}

// grow extends a place over the places right after it, divided from it by a
// comma, a slash, a bracket, a preposition or nothing.
func (r *reader) grow(s placeSpan) placeSpan {
	t := &r.text
	rank := s.rank
	for parts := 1; parts < 6 && s.to < len(t.words) && t.sameSentence(s.to-1, s.to); parts++ {
		g := t.words[s.to].gap
		if g&^(gapComma|gapSpace|gapDot|gapParen|gapSlash|gapDash|gapQuote|gapWide|gapLine) != 0 {
			break
		}
		next := r.placeAt(s.to)
		if next.rank == 0 && g&^(gapSpace|gapQuote) == 0 && r.is(s.to, bitPreposition) && !t.isWord(s.to, "от", "до", "к", "ко", "с", "со", "из", "через", "о", "об") && s.to+1 < len(t.words) && t.sameSentence(s.to, s.to+1) && !r.is(s.to+1, bitToward) {
			next = r.placeAt(s.to + 1)
			if next.rank < rankDistrict && (next.rank < rankBare || !t.isWord(s.to, "на", "по")) {
				next = placeSpan{}
			}
		}
		if next.rank == 0 {
			next = r.another(s, rank)
		}
		if next.rank == 0 || g&(gapDash|gapLine) != 0 && next.rank < rankSettlement || next.rank <= rankLandmark && g&gapComma == 0 && !r.is(s.to, bitNear) && rank > rankLandmark {
			break
		}
		rank = max(rank, next.rank)
		s.to = next.to
		s.rank = rank + min(parts, 2)*placeCompound
	}
	return s
}

// another reads the second of two streets or districts told in one breath:
// "районы Липки и Дубки", "на Гоголя и Первомайской", "район водник,заречный".
func (r *reader) another(s placeSpan, rank int) placeSpan {
	t := &r.text
	k := s.to
	if t.isWord(k, "и", "или") && t.words[k].gap&^gapSpace == 0 {
		k++
	} else if t.words[k].gap&gapComma == 0 {
		return placeSpan{}
	}
	if k >= len(t.words) || !t.sameSentence(k-1, k) || t.words[k].kind != kindWord || r.is(k, bitNoName|bitUnit) || rank < rankCity {
		return placeSpan{}
	}
	if to := r.properName(k, 2); to > k {
		if town := r.text.has(s.from, r.rs.class.city) || r.is(s.from, bitSettlement|bitSettlementShort); k == s.to && town && r.clauseEnds(to) && r.unknown(k) && !r.someone(k, to) && t.words[to-1].kind == kindWord {
			return placeSpan{k, to, rankBare} // "Калуга, Терепец"
		}
		if k > s.to && !r.someone(k, to) && (streetLike(t.codesOf(&t.words[to-1])) || r.unknown(k) && r.is(s.from, bitDistrict)) {
			return r.withHouse(placeSpan{k, to, rankStreet})
		}
		return placeSpan{}
	}
	if r.is(s.from, bitDistrict) && r.clauseEnds(k+1) && adjectiveOfPlace(t.codesOf(&t.words[k]), r.unknown(k)) {
		return placeSpan{k, k + 1, rankDistrict}
	}
	return placeSpan{}
}

// writtenPlace gives the words of a place with the preposition that its case
// asks for ("в районе X") and with both quotation marks.
func (r *reader) writtenPlace(s placeSpan) string {
	t := &r.text
	if r.text.isWord(s.from, "районе", "районах", "микрорайоне") && s.from > 0 && t.isWord(s.from-1, "в") && t.words[s.from].gap == gapSpace {
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
		} else if opened < closed && strings.HasSuffix(t.raw[:start], pair.open) {
			start -= len(pair.open)
		}
		written = t.raw[start:end]
	}
	return written
}

// cityTag returns a town named in a hashtag, for posts that name no place.
func (r *reader) cityTag() string {
	t, c := &r.text, &r.rs.class
	for i := range t.words {
		if t.words[i].hashtag && t.has(i, c.city) && !t.has(i, c.kind) && !t.words[i].merged {
			name := []rune(t.rawOf(i, i+1))
			name[0] = unicode.ToUpper(name[0])
			return string(name)
		}
	}
	return ""
}

func (r *reader) inPhone(i int) bool {
	w := &r.text.words[i]
	for _, p := range r.phones {
		if int(w.start) < p.end && int(w.end) > p.start {
			return true
		}
	}
	return false
}

// unknown reports a word that no table knows; a phrase's pattern may fit a name
// all the same: "Нововятск" begins as "новый" does.
func (r *reader) unknown(i int) bool {
	w := &r.text.words[i]
	return !r.classed(i) || w.upper && w.codeTo-w.codeAt > 6 && r.onlyInPhrases(i)
}

// clauseStarts reports that a pause stands before word i.
func (r *reader) clauseStarts(i int) bool {
	t := &r.text
	return i == 0 || !t.sameSentence(i-1, i) || t.words[i].gap&^(gapSpace|gapHyphen|gapQuote|gapWide) != 0
}

// clauseEnds reports that a pause stands before word i, or nothing follows.
func (r *reader) clauseEnds(i int) bool {
	return i >= len(r.text.words) || r.clauseStarts(i) || r.inPhone(i)
}
