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
