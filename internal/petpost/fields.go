package petpost

// readFields reads everything but type, animal and phones.
func (r *reader) readFields(v *view) {
	out := &v.reading
	out.Contacts = r.contacts(out.Contacts)
	out.Breed = r.breed()
	out.Age = r.age()
	out.Color = r.color()
	out.Traits = r.traits(out.Traits)
	out.Seen = r.seen()
	r.markPlaces()
	out.When = r.when()
	out.Name = r.petName()
	out.Location = r.location(out.Name)
	v.placeRank = r.placed.rank
	if r.placeCalls(out.Name) {
		out.Name = ""
	}
	out.Sex = r.sex(out.Name)
}

// sameSentence reports whether words i and j stand in one sentence.
func (t *text) sameSentence(i, j int) bool {
	return i >= 0 && j >= 0 && i < len(t.words) && j < len(t.words) && t.words[i].sentence == t.words[j].sentence
}

// isWord compares word i with a Russian word in lower case.
func (t *text) isWord(i int, words ...string) bool {
	if i < 0 || i >= len(t.words) {
		return false
	}
	letters := t.codesOf(&t.words[i])
	if len(letters) == 0 {
		return false
	}
	for _, word := range words {
		if equalLetters(letters, word) {
			return true
		}
	}
	return false
}

func equalLetters(letters []byte, word string) bool {
	if len(word) != 2*len(letters) {
		return false
	}
	k := 0
	for _, r := range word {
		if cyrillicCode(r) != letters[k] {
			return false
		}
		k++
	}
	return true
}

// number returns the value of a short number word, -1 for any other.
func (t *text) number(i int) int {
	if i < 0 || i >= len(t.words) || t.words[i].kind != kindNumber {
		return -1
	}
	w := &t.words[i]
	if w.end-w.start > 6 {
		return -1
	}
	n := 0
	for _, c := range t.raw[w.start:w.end] {
		n = n*10 + int(c-'0')
	}
	return n
}
