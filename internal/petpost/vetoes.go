package petpost

import (
	"slices"
	"strings"
)

// vetoes hold why a type is denied to a text, by the index of the type in
// ModelTypes; empty where it is not.
type vetoes [len(ModelTypes)]string

// A veto is what the words of a text rule out, however much else they are like:
// the model knows what people usually say, a veto what they cannot mean.
type veto struct {
	reason string
	denies []Type
	holds  func(r *reader, v *view) bool
}

var vetoList = []veto{
	{"a thing or a person is missing", []Type{Lost, Found, Sighting, Reunited}, (*reader).missesNoPet},
	{"a verse", []Type{Lost, Found, Sighting, Reunited, Adoption, Fundraising}, (*reader).isVerse},
	{"it begins with the animal's return", []Type{Lost}, (*reader).beginsWithReturn},
}

func (r *reader) findVetoes(v *view) {
	for _, veto := range vetoList {
		if !veto.holds(r, v) {
			continue
		}
		for i, typ := range ModelTypes {
			if v.vetoes[i] == "" && slices.Contains(veto.denies, typ) {
				v.vetoes[i] = veto.reason
			}
		}
	}
}

// missesNoPet reports a search for a thing or a person, unless an animal is named
// before it or just after.
func (r *reader) missesNoPet(v *view) bool {
	t, c, s := &r.text, &r.rs.class, &v.signs
	thing := s.sum[sigNotPet]
	animal := slices.IndexFunc(t.words, func(w word) bool { return t.of(&w, c.kind) && !t.of(&w, c.oblique) })
	switch {
	case thing < plain:
		return false
	case animal < 0:
		v.notPet = thing >= outright || !t.holds(c.nameAny, c.nameKnown)
	case t.has(animal-1, c.lose): // "в Великом с вокзала убежала собачка": a town, no bicycle
	case animal >= s.first[sigNotPet]+3:
		v.notPet = thing >= outright && thing > s.sum[sigLost] || s.title[sigNotPet] >= outright && s.first[sigNotPet] < s.first[sigLost]
	}
	return v.notPet
}

// beginsWithReturn reports an old search under the news that it is over: "НАЙДЕНА!
// Пропала собака …".
func (r *reader) beginsWithReturn(v *view) bool {
	s := &v.signs
	return s.title[sigHome] >= plain && s.sum[sigLost] >= outright && s.first[sigHome] < s.first[sigLost] && s.of(sigNotHome, sigNotPet) == 0
}

// eventSignals are what a notice may be about.
var eventSignals = []signal{sigLost, sigFound, sigSeen, sigOwner, sigAdopt, sigHome}

// isVerse reports four lines or more of a few words each, without anything that a
// notice has: a phone, a number, a link, an emoji before a line, a first line that
// says what it is about ("Пропала кошка").
func (r *reader) isVerse(v *view) bool {
	const leastLines, longestLine = 4, 7
	t := &r.text
	lines, title := 1, len(t.words)
	for i := range t.words {
		w := &t.words[i]
		begins := i == 0 || w.gap&gapLine != 0
		if w.kind == kindNumber || w.gap&gapColon != 0 || begins && w.gap&gapEmoji != 0 {
			return false
		}
		if i > 0 && begins {
			lines++
			title = min(title, i)
		}
	}
	for k := range r.found {
		if m := &r.found[k]; m.anchor < title && t.gapAfter(title-1)&gapComma == 0 && m.phrase.rule.weight >= plain && slices.Contains(eventSignals, m.phrase.rule.signal) {
			return false
		}
	}
	return lines >= leastLines && len(t.words) <= longestLine*lines && t.links+t.hashtags == 0
}

// ofPet reports any word that may be of a pet: its kind, its name, its colour,
// what it wears.
func (r *reader) ofPet() bool {
	c := &r.rs.class
	return r.text.holds(c.pet, c.nameAny, c.nameKnown, c.color, c.worn, c.dogTrait, c.catTrait)
}

// scrapWords is up to how many words a text without any sign is a scrap.
const scrapWords = 5

// plainType gives the type of a text that leaves nothing to weigh: no letters, a
// bare link, a scrap; empty for any other.
func (r *reader) plainType(v *view) Type {
	t := &r.text
	switch {
	case strings.TrimSpace(t.raw) == "":
		return Empty
	case r.pointsAtLink(), t.letters == 0 && t.hashtags == 0 && len(v.reading.Phones) == 0 && t.links+t.mentions > 0:
		return Link
	case t.letters == 0 && t.hashtags == 0, r.isScrap(v), r.onlyPhone():
		return Unknown
	case len(t.words) <= scrapWords && v.signs == (signs{}) && v.reading.Location == "":
		return Unknown
	}
	return ""
}

// isScrap reports the two or three words that people write over a picture or
// under another post: "Кто видел?", "Чей?", "Актуально!". They ask, of nothing.
func (r *reader) isScrap(v *view) bool {
	t, s := &r.text, &v.signs
	return len(t.words) <= 3 && v.animal == "" && len(v.reading.Phones) == 0 && v.reading.Location == "" && v.reading.Name == "" &&
		t.links == 0 && !r.ofPet() && s.of(sigHome, sigFound, sigThanks, sigAdopted, sigMoney, sigNotPet, sigSale) == 0 &&
		(s.of(sigLost, sigOwner, sigSeen, sigNotHome, sigAdopt) > 0 || len(t.words) == 1)
}

// onlyPhone reports a phone number with no more beside it than "тел".
func (r *reader) onlyPhone() bool {
	t := &r.text
	for i := range t.words {
		if t.words[i].kind != kindNumber && !t.has(i, r.rs.class.phone) && !t.has(i, r.rs.class.pointer) {
			return false
		}
	}
	return true
}

// pointsAtLink reports a link with no more said than that it is one:
// "Подробности тут: https://…".
func (r *reader) pointsAtLink() bool {
	t := &r.text
	if t.links == 0 || len(t.words) > 6 {
		return false
	}
	for i := range t.words {
		if w := &t.words[i]; w.kind != kindURL && w.kind != kindMention && !t.has(i, r.rs.class.pointer) {
			return false
		}
	}
	return true
}
