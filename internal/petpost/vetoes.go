package petpost

import "strings"

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
	{"a joke or a riddle", []Type{Lost, Found, Sighting, Reunited}, func(_ *reader, v *view) bool {
		return v.signs.title[sigFun] >= outright && len(v.reading.Phones) == 0
	}},
	{"a verse", []Type{Lost, Found, Sighting, Reunited, Adoption, Fundraising}, (*reader).isVerse},
	{"a search that speaks of no animal", []Type{Lost}, (*reader).ofNoPet},
	{"the owner is looked for, and no animal", []Type{Lost}, func(_ *reader, v *view) bool {
		lost, owner := v.signs.sum[sigLost], v.signs.of(sigOwner, sigSeeksOwner)
		return owner >= outright && (lost < plain || lost < owner) && v.signs.sum[sigMine] == 0
	}},
	{"the owner is looked for, and no home told of", []Type{Reunited}, func(_ *reader, v *view) bool {
		return v.signs.of(sigOwner, sigSeeksOwner) >= outright && v.signs.sum[sigHome] == 0
	}},
	{"who tells how it is kept did not merely see it", []Type{Sighting}, func(_ *reader, v *view) bool {
		return v.signs.sum[sigHold] >= outright && v.signs.sum[sigFree] == 0
	}},
}

func (r *reader) findVetoes(v *view) {
	for _, veto := range vetoList {
		if !veto.holds(r, v) {
			continue
		}
		for i, typ := range ModelTypes {
			for _, denied := range veto.denies {
				if typ == denied && v.vetoes[i] == "" {
					v.vetoes[i] = veto.reason
				}
			}
		}
	}
}

// missesNoPet reports a search for a thing or a person, unless a pet is named.
func (r *reader) missesNoPet(v *view) bool {
	v.notPet = r.missesThing(v)
	return v.notPet
}

func (r *reader) missesThing(v *view) bool {
	s := &v.signs
	thing, lost := s.sum[sigNotPet], s.sum[sigLost]
	anyKind := r.kindMentioned(len(r.text.words))
	switch {
	case thing < plain, r.petNamed() && anyKind:
		return false
	case s.title[sigNotPet] >= outright && s.first[sigNotPet] < s.first[sigLost] && !r.kindMentioned(s.first[sigNotPet]+3):
		return true
	case s.sum[sigAdopt] < outright && !anyKind && (thing >= outright || !r.petNamed()):
		return true
	}
	return thing >= outright && thing > lost && !r.kindMentioned(s.first[sigNotPet]+3)
}

// ofNoPet reports a search that speaks of no animal, where little is said of a
// search at all.
func (r *reader) ofNoPet(v *view) bool {
	return v.animal == "" && v.reading.Name == "" && v.signs.sum[sigLost] < outright && !r.ofPet()
}

// Lines of a verse have so many words, and there are so many of them.
const (
	verseLines   = 4
	verseLeast   = 2
	verseLongest = 7
)

// isVerse reports four lines of a few words each and nothing longer, without
// anything that a notice has: a phone, a number, a place.
func (r *reader) isVerse(v *view) bool {
	t := &r.text
	if len(v.reading.Phones) > 0 || t.links+t.hashtags > 0 {
		return false
	}
	lines, words := 0, 0
	for i := range t.words {
		w := &t.words[i]
		if w.kind == kindNumber || w.gap&gapColon != 0 {
			return false
		}
		if i > 0 && w.gap&(gapLine|gapBlank) != 0 {
			if words < verseLeast && lines < verseLines {
				return false
			}
			lines, words = lines+1, 0
		}
		if words++; words > verseLongest && lines < verseLines {
			return false
		}
	}
	return lines+1 >= verseLines
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
