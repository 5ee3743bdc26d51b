package petpost

func (r *reader) petMentioned() bool {
	for i := range r.text.words {
		if r.text.has(i, r.rs.class.pet) {
			return true
		}
	}
	return false
}

// kindMentioned reports whether an animal is named among the first words.
func (r *reader) kindMentioned(words int) bool {
	t, c := &r.text, &r.rs.class
	for i := range min(words, len(t.words)) {
		if t.has(i, c.kind) && !t.has(i, c.oblique) {
			return true
		}
	}
	return false
}

// isScrap reports the two or three words that people write over a picture or
// under another post: "Кто видел?", "Чей?", "Актуально!". They ask, of nothing.
func (r *reader) isScrap(v *view) bool {
	t, s := &r.text, &v.scores.sum
	return len(t.words) <= 3 && v.animal == "" && len(v.reading.Phones) == 0 && v.reading.Location == "" && v.reading.Name == "" &&
		t.links == 0 && !r.ofPet() && s[sigHome]+s[sigFound]+s[sigThanks]+s[sigAdopted]+s[sigMoney]+s[sigNotPet] == 0 &&
		(s[sigLost]+s[sigOwner]+s[sigSeen]+s[sigNotHome]+s[sigAdopt] > 0 || len(t.words) == 1)
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
func (r *reader) pointsAtLink(v *view) bool {
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

// ofNoPet reports a search that speaks of no animal: for a thing or a person
// where that is said, else where little is said of a search at all.
func (r *reader) ofNoPet(v *view) bool {
	if v.animal != "" {
		return false
	}
	if v.notPet {
		return r.hasCable() || !r.petMentioned() && !r.petNamed()
	}
	return v.reading.Name == "" && v.scores.sum[sigLost] < outright && !r.ofPet()
}

func (r *reader) petNamed() bool {
	t, c := &r.text, &r.rs.class
	for i := range t.words {
		if t.has(i, c.nameAny) || t.has(i, c.nameKnown) {
			return true
		}
	}
	return false
}

// ofPet reports any word that may be of a pet: its kind, its name, its colour,
// what it wears.
func (r *reader) ofPet() bool {
	t, c := &r.text, &r.rs.class
	for i := range t.words {
		if t.words[i].lexTo > t.words[i].lexAt && (t.has(i, c.pet) || t.has(i, c.nameAny) || t.has(i, c.nameKnown) || t.has(i, c.color) || t.has(i, c.worn) || t.has(i, c.dogTrait) || t.has(i, c.catTrait)) {
			return true
		}
	}
	return false
}

// saysSomething tells a text from a scrap of greetings and tags.
func (r *reader) saysSomething() bool {
	n := 0
	for i := range r.text.words {
		w := &r.text.words[i]
		if (w.kind == kindWord || w.kind == kindLatin) && !w.hashtag && !r.text.has(i, r.rs.class.scrap) {
			n++
		}
	}
	return n >= 5
}
