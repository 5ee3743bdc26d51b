package petpost

// petName returns the animal's name: after "кличка", "зовут", "откликается на";
// before "ищет дом"; beside the animal ("кот Барсик").
func (r *reader) petName() string {
	t, c := &r.text, &r.rs.class
	for i := range t.words {
		if !t.has(i, c.called) || t.words[i].hashtag {
			continue
		}
		if name := r.nameAfterCalled(i); name != "" {
			return name
		}
	}
	for i := 0; i+1 < len(t.words); i++ {
		if t.words[i].hashtag || !t.has(i, c.kind) && !t.has(i, c.presents) {
			continue
		}
		k := i + 1
		for k < len(t.words) && t.has(k, c.presents) {
			k++
		}
		if t.has(i, c.presents) && t.sameSentence(i, k+1) && !t.words[k].upper && t.words[k+1].gap == gapSpace {
			k++ // "наша ласковая Соня"
		}
		if t.sameSentence(i, k) && t.words[k].gap&^(gapSpace|gapQuote|gapComma|gapDash|gapColon) == 0 && r.nameLike(k) && !r.streetFollows(k) {
			return t.rawOf(k, k+1)
		}
	}
	if name := r.nameAfterVerb(); name != "" {
		return name
	}
	if name := r.nameOfSentence(); name != "" {
		return name
	}
	// A known pet name that begins a sentence: "Барсик ищет дом".
	for i := range t.words {
		w := &t.words[i]
		if t.has(i, c.nameKnown) && w.upper && !w.hashtag && int(t.sentences[w.sentence].from) == i && r.nameLike(i) {
			return t.rawOf(i, i+1)
		}
	}
	for i := range t.words {
		w := &t.words[i]
		if t.has(i, c.nameKnown) && w.upper && !w.caps && !w.hashtag && r.nameLike(i) && !t.isWord(i-1, "ул", "улица", "улице", "на", "по") && !r.besidePhone(i) {
			return t.rawOf(i, i+1)
		}
	}
	return ""
}

// nameOfSentence reads "Бусинка ищет дом", "Тимофей нашёлся": a capitalised
// word that begins a sentence and does what only the animal does.
func (r *reader) nameOfSentence() string {
	t, c := &r.text, &r.rs.class
	for n := range min(len(t.sentences), 3) {
		i := int(t.sentences[n].from)
		w := &t.words[i]
		if w.kind != kindWord || !w.upper || w.caps || w.hashtag || w.codeTo-w.codeAt < 3 || r.besidePhone(i) {
			continue
		}
		if t.isWord(i, "мы", "он", "она", "они", "его", "все", "кто", "там", "тот") || w.lexTo > w.lexAt && !t.has(i, c.nameKnown) && !t.has(i, c.nameDog) && !t.has(i, c.nameCat) {
			continue
		}
		k := i + 1
		for k < i+4 && t.isWord(k, "все", "всё", "еще", "ещё", "снова", "уже", "очень", "тоже", "пока", "наш", "наша", "срочно") {
			k++
		}
		if !t.sameSentence(i, k) || t.words[k].gap&^gapSpace != 0 {
			continue
		}
		if t.has(k, c.lose) || t.has(k, c.find) || t.has(k, c.homeMark) || t.has(k, c.seekIt) || t.has(k, c.wait) || t.isWord(k, "нужен", "нужна", "нужно", "домой", "дома") {
			return t.rawOf(i, i+1)
		}
	}
	return ""
}

// nameAfterVerb reads "Пропала Мурка", "Ищем Марту".
func (r *reader) nameAfterVerb() string {
	t, c := &r.text, &r.rs.class
	for i := 0; i+1 < len(t.words) && t.words[i].sentence < 3; i++ {
		if !t.has(i, c.lose) && !t.has(i, c.seekWe) {
			continue
		}
		k := i + 1
		for k < i+3 && t.has(k, c.presents) {
			k++
		}
		if !t.sameSentence(i, k) || t.words[k].gap&^gapSpace != 0 || r.streetFollows(k) {
			continue
		}
		if w := &t.words[k]; w.upper && !w.caps && r.nameLike(k) {
			return t.rawOf(k, k+1)
		}
	}
	return ""
}

// nameAfterCalled reads the name after word i, "зовут" or "кличка".
func (r *reader) nameAfterCalled(i int) string {
	t, c := &r.text, &r.rs.class
	if t.isWord(i-1, "меня") || t.isWord(i-2, "меня") {
		return ""
	}
	if t.isWord(i, "откликается", "отзывается", "откликаться", "отзывает") && !t.isWord(i+1, "на") {
		return ""
	}
	k := i + 1
	for k < len(t.words) && k < i+5 && t.has(k, c.beforeName) {
		k++
	}
	if !t.sameSentence(i, k) || t.words[k].kind != kindWord && t.words[k].kind != kindLatin {
		return ""
	}
	if !t.words[k].upper && t.words[k].gap&gapQuote == 0 && !t.has(k, r.rs.class.nameKnown) {
		return ""
	}
	// "Барсик зовут моего кота" is rare; "Зовут: Анна 8912…" is a person.
	if t.isWord(k, "звоните", "прошу", "если", "ищем", "просьба", "тел", "очень", "не", "пропал", "пропала", "помогите") || r.besidePhone(k) {
		return ""
	}
	return t.rawOf(k, k+1)
}

// nameLike reports a capitalised word that no class but that of names knows.
func (r *reader) nameLike(i int) bool {
	t, c := &r.text, &r.rs.class
	if i >= len(t.words) {
		return false
	}
	w := &t.words[i]
	if w.kind != kindWord || !w.upper || w.caps && !t.has(i, c.nameKnown) || w.hashtag || w.codeTo-w.codeAt < 2 {
		return false
	}
	if t.has(i, c.nameKnown) {
		return !r.besidePhone(i)
	}
	if w.lexTo > w.lexAt {
		return false
	}
	return int(t.sentences[w.sentence].from) != i && !r.besidePhone(i) && !peopleNames[t.raw[w.start:w.end]]
}

func (r *reader) streetFollows(i int) bool {
	t, c := &r.text, &r.rs.class
	return t.sameSentence(i, i+1) && (t.words[i+1].kind == kindNumber || t.has(i+1, c.street) || t.has(i+1, c.district))
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
