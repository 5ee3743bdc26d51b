package petpost

// petName returns the animal's name, by the first line of lexicon/called.txt that
// matches.
func (r *reader) petName() string {
	for _, pattern := range patternsOf("called") {
		for i := range r.text.words {
			m, ok := r.match(&pattern, i)
			switch {
			case !ok:
			case pattern.rule.name == "nominative":
				return asName(r.text.rawOf(m.anchor, m.anchor+1))
			default:
				return r.nameAt(m.anchor, pattern.rule.name == "accusative")
			}
		}
	}
	return ""
}

// nameLike reports a capitalised word inside a sentence that no class knows, or a
// pet's name anywhere.
func (r *reader) nameLike(i int) bool {
	t := &r.text
	w := &t.words[i]
	switch hyphen := t.sameSentence(i, i+1) && t.words[i+1].gap == gapHyphen; {
	case !w.upper, w.hashtag, hyphen: // "Джек-рассел"
		return false
	case t.has(i, "name.known"):
		return true
	}
	return r.newName(i) && int(t.sentences[w.sentence].from) != i && !peopleNames()[t.rawOf(i, i+1)]
}

// newName reports a capitalised word of three letters at least that no class knows.
func (r *reader) newName(i int) bool {
	w := &r.text.words[i]
	return w.kind == kindWord && w.upper && !w.caps && !w.hashtag && w.length() >= 2 && r.unknown(i) && !r.inPhone(i-1) && !r.inPhone(i+1)
}

// namedSo reports a known name that may be a word or a person's name elsewhere.
func (r *reader) namedSo(i int) bool {
	_, ok := r.knownName(i)
	return ok && r.text.words[i].upper && !r.text.words[i].hashtag
}

// nameInside reports a known name with a capital inside a sentence, "наши за Умку
// волнуются", that is no person's, place's or brand's.
func (r *reader) nameInside(i int) bool {
	t := &r.text
	w := &t.words[i]
	known, ok := r.knownName(i)
	return ok && r.namedSo(i) && !w.caps && w.gap&gapQuote == 0 && int(t.sentences[w.sentence].from) != i && (!t.has(i, "kind") || t.has(i, "name.known")) &&
		!peopleNames()[known.name] && !r.streetFollows(i)
}

// saidName reports what may follow "зовут": "Зовут: Анна 8912…" is a person.
func (r *reader) saidName(i int) bool {
	w := &r.text.words[i]
	return (w.kind == kindWord || w.kind == kindLatin) && (w.upper || w.gap&gapQuote != 0 || r.text.has(i, "name.known"))
}

func (r *reader) streetFollows(i int) bool {
	t := &r.text
	return t.sameSentence(i, i+1) && (t.words[i+1].kind == kindNumber && !r.ageFollows(i+1) || t.has(i+1, "street") || t.has(i+1, "district") || t.isWord(i+1, "снт", "сот", "днп", "рн", "мкр"))
}

// ageFollows reports an age at word i: "2 года", "1-2 года", "1,5 года".
func (r *reader) ageFollows(i int) bool {
	t := &r.text
	return t.sameSentence(i, i+1) && (t.has(i+1, "age.unit") || t.words[i+1].kind == kindNumber && t.sameSentence(i, i+2) && t.has(i+2, "age.unit"))
}
