package petpost

import "sync"

var namePatterns = sync.OnceValue(func() []fieldPattern { return compiled().fieldPatterns("called") })

// petName returns the animal's name, by the first line of lexicon/called.txt that
// matches.
func (r *reader) petName() string {
	for _, pattern := range namePatterns() {
		for i := range r.text.words {
			m := r.matchField(&pattern, i)
			switch {
			case m.to == 0:
			case pattern.section == "nominative":
				return asName(r.text.rawOf(m.anchor, m.anchor+1))
			default:
				return r.nameAt(m.anchor, pattern.section == "accusative")
			}
		}
	}
	return ""
}

// nameTests are the words of lexicon/called.txt that begin with &.
var nameTests = map[string]func(r *reader, i int) bool{
	"any":        func(r *reader, i int) bool { return true },
	"small.word": func(r *reader, i int) bool { return !r.text.words[i].upper },
	"title":      func(r *reader, i int) bool { return r.text.words[i].upper && !r.text.words[i].caps },
	"past":       func(r *reader, i int) bool { return r.text.pastOf(i) != "" },
	"small": func(r *reader, i int) bool {
		return r.text.has(i, r.rs.class.nameKnown) && !r.text.words[i].upper
	},
	"form": func(r *reader, i int) bool {
		_, ok := r.knownName(i)
		return ok
	},
	"name":   func(r *reader, i int) bool { return r.nameLike(i) && !r.streetFollows(i) },
	"pet":    func(r *reader, i int) bool { return r.text.has(i, r.rs.class.nameKnown) && r.nameLike(i) },
	"known":  (*reader).namedSo,
	"said":   (*reader).saidName,
	"new":    func(r *reader, i int) bool { return r.newName(i) && r.text.words[i].sentence < 4 },
	"again":  func(r *reader, i int) bool { return r.newName(i) && (r.repeated(i) || r.colorName(i)) },
	"inside": (*reader).nameInside,
}

// nameLike reports a capitalised word inside a sentence that no class knows, or a
// pet's name anywhere.
func (r *reader) nameLike(i int) bool {
	t := &r.text
	w := &t.words[i]
	switch hyphen := t.sameSentence(i, i+1) && t.words[i+1].gap == gapHyphen; {
	case !w.upper, w.hashtag, hyphen, r.besidePhone(i): // "Джек-рассел"
		return false
	case t.has(i, r.rs.class.nameKnown):
		return true
	}
	return r.newName(i) && int(t.sentences[w.sentence].from) != i && !peopleNames()[t.rawOf(i, i+1)]
}

// newName reports a capitalised word of three letters at least that no class knows,
// or a nickname made of a colour.
func (r *reader) newName(i int) bool {
	w := &r.text.words[i]
	return w.kind == kindWord && w.upper && !w.caps && !w.hashtag && w.length() >= 2 && (!r.classed(i) || r.colorName(i)) && !r.besidePhone(i)
}

// namedSo reports a known name that may be a word or a person's name elsewhere.
func (r *reader) namedSo(i int) bool {
	_, ok := r.knownName(i)
	return ok && r.text.words[i].upper && !r.text.words[i].hashtag && !r.besidePhone(i)
}

// nameInside reports a known name with a capital inside a sentence, "наши за Умку
// волнуются", that is no person's, place's or brand's.
func (r *reader) nameInside(i int) bool {
	t, c := &r.text, &r.rs.class
	w := &t.words[i]
	known, ok := r.knownName(i)
	return ok && r.namedSo(i) && !w.caps && w.gap&gapQuote == 0 && int(t.sentences[w.sentence].from) != i && (!t.has(i, c.kind) || t.has(i, c.nameKnown)) &&
		!peopleNames()[known.name] && !r.patronymicFollows(i) && !r.streetFollows(i)
}

// saidName reports what may follow "зовут": "Зовут: Анна 8912…" is a person.
func (r *reader) saidName(i int) bool {
	w := &r.text.words[i]
	return (w.kind == kindWord || w.kind == kindLatin) && (w.upper || w.gap&gapQuote != 0 || r.text.has(i, r.rs.class.nameKnown)) && !r.besidePhone(i)
}

// pastOf gives the sex that a verb in the past tense agrees with.
func (t *text) pastOf(i int) Sex {
	switch {
	case t.ends(i, "past.male"), t.isWord(i, "исчез"):
		return Male
	case t.ends(i, "past.female"):
		return Female
	}
	return ""
}

func (r *reader) patronymicFollows(i int) bool {
	return r.text.sameSentence(i, i+1) && !r.text.words[i].caps && r.text.words[i+1].upper && r.text.words[i+1].gap == gapSpace
}

// colorName reports a nickname made of a colour: "Чернуля", "Рыжуня", "Серыш".
func (r *reader) colorName(i int) bool {
	t, c := &r.text, &r.rs.class
	return (t.has(i, c.color) || t.has(i, c.catMaybe)) && t.ends(i, "nickname")
}

func (r *reader) streetFollows(i int) bool {
	t, c := &r.text, &r.rs.class
	return t.sameSentence(i, i+1) && (t.words[i+1].kind == kindNumber && !r.ageFollows(i+1) || t.has(i+1, c.street) || t.has(i+1, c.district) || t.isWord(i+1, "снт", "сот", "днп", "рн", "мкр"))
}

// ageFollows reports an age at word i: "2 года", "1-2 года", "1,5 года".
func (r *reader) ageFollows(i int) bool {
	t, c := &r.text, &r.rs.class
	return t.sameSentence(i, i+1) && (t.has(i+1, c.ageUnit) || t.words[i+1].kind == kindNumber && t.sameSentence(i, i+2) && t.has(i+2, c.ageUnit))
}

// repeated reports a capitalised word that comes again, in any case: "Лия…
// Лие полтора года".
func (r *reader) repeated(i int) bool {
	t := &r.text
	letters := t.codesOf(&t.words[i])
	if len(letters) < 3 {
		return false
	}
	stem := letters[:len(letters)-1]
	for k := range t.words {
		other := t.codesOf(&t.words[k])
		if k != i && t.words[k].upper && !t.words[k].hashtag && len(other) >= len(stem) && len(other) <= len(letters)+2 && string(other[:len(stem)]) == string(stem) {
			return true
		}
	}
	return false
}

// besidePhone reports a word that stands next to a phone number, as its owner's
// name does.
func (r *reader) besidePhone(i int) bool {
	w := &r.text.words[i]
	for _, p := range r.phones {
		if int(w.start)-p.end >= 0 && int(w.start)-p.end <= 4 || p.start-int(w.end) >= 0 && p.start-int(w.end) <= 4 {
			return true
		}
	}
	return false
}
