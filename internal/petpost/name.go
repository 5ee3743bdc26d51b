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
		if _, ok := r.knownName(max(i-1, 0)); ok && t.sameSentence(i-1, i) && t.words[i].gap == gapSpace && t.isWord(i, "зовут", "звать", "кличут") {
			return r.nameAt(i-1, false) // "Бублик зовут"
		}
	}
	for i := 0; i+1 < len(t.words); i++ { // "кот барсик", "кузя нашелся"
		if known := t.has(i+1, c.nameKnown) && !t.words[i+1].upper; known && t.has(i, c.kind) && t.words[i+1].gap == gapSpace && !t.has(i, c.nameKnown) {
			return r.nameAt(i+1, false)
		}
		if t.has(i, c.nameKnown) && !t.words[i].upper && t.sameSentence(i, i+1) && int(t.sentences[t.words[i].sentence].from) == i && (t.has(i+1, c.lose) || t.has(i+1, c.homeMark)) {
			return r.nameAt(i, false)
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
		if t.sameSentence(i, k) && t.words[k].gap&^(gapSpace|gapQuote|gapComma|gapDash|gapColon) == 0 && !r.streetFollows(k) && (r.nameLike(k) || t.has(i, c.kind) && t.words[k].gap&^gapQuote == gapSpace && r.namedSo(k)) {
			return r.nameAt(k, r.accusative(i))
		}
	}
	if name := r.nameAfterVerb(); name != "" {
		return name
	}
	if name := r.nameOfSentence(); name != "" {
		return name
	}
	if name := r.nameFirst(); name != "" {
		return name
	}
	// A known pet name that begins a sentence: "Барсик ищет дом".
	for i := range t.words {
		w := &t.words[i]
		if t.has(i, c.nameKnown) && w.upper && !w.hashtag && int(t.sentences[w.sentence].from) == i && r.nameLike(i) {
			return r.nameAt(i, false)
		}
	}
	for i := range t.words {
		w := &t.words[i]
		if t.has(i, c.nameKnown) && w.upper && !w.caps && !w.hashtag && r.nameLike(i) && !t.isWord(i-1, "ул", "улица", "улице", "на", "по") && !r.besidePhone(i) {
			return r.nameAt(i, false)
		}
	}
	// Any known name with a capital inside a sentence: "наши за Умку волнуются".
	for i := range t.words {
		w := &t.words[i]
		if !w.upper || w.caps || w.hashtag || int(t.sentences[w.sentence].from) == i || peopleNames()[t.rawOf(i, i+1)] || t.has(i, c.kind) && !t.has(i, c.nameKnown) {
			continue
		}
		if known, ok := r.knownName(i); !ok || peopleNames()[known.name] || t.isWord(i-1, "баба", "тетя", "тети", "дядя", "бабы", "лада", "машина", "группа", "клиника", "фонд") || r.patronymicFollows(i) || r.besidePhone(i) || r.streetFollows(i) {
			continue
		}
		if w.gap&gapQuote != 0 || t.has(max(i-1, 0), c.street) || t.has(max(i-1, 0), c.settlement) || t.has(max(i-1, 0), c.district) || t.isWord(i-1, "тц", "трц", "магазина", "магазин", "кафе", "на", "в") {
			continue
		}
		return r.nameAt(i, false)
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
		if t.isWord(i, "мы", "он", "она", "они", "его", "все", "кто", "там", "тот") || r.classed(i) && !t.has(i, c.nameKnown) && !t.has(i, c.nameDog) && !t.has(i, c.nameCat) {
			continue
		}
		k := i + 1
		for k < i+4 && t.isWord(k, "все", "всё", "еще", "ещё", "снова", "уже", "очень", "тоже", "пока", "наш", "наша", "срочно") {
			k++
		}
		if !t.sameSentence(i, k) || t.words[k].gap&^gapSpace != 0 {
			continue
		}
		if t.has(k, c.lose) || t.has(k, c.find) || t.has(k, c.homeMark) || t.has(k, c.seekIt) || t.has(k, c.wait) || t.isWord(k, "нужен", "нужна", "нужно", "домой", "дома", "ушел", "ушла", "убежал", "убежала", "выскочил", "выскочила", "выпрыгнул", "выпрыгнула", "улетел", "улетела") {
			return r.nameAt(i, false)
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
		for k < min(i+3, len(t.words)) && t.has(k, c.presents) {
			k++
		}
		if !t.sameSentence(i, k) || t.words[k].gap&^gapSpace != 0 || r.streetFollows(k) {
			continue
		}
		if w := &t.words[k]; w.upper && !w.caps && (r.nameLike(k) || t.has(i, c.seekWe) && r.namedSo(k)) {
			return r.nameAt(k, t.has(i, c.seekWe))
		}
	}
	return ""
}

// namedSo reports a known name that is a word or a person's name elsewhere.
func (r *reader) namedSo(i int) bool {
	_, ok := r.knownName(i)
	return ok && r.text.words[i].upper && !r.text.words[i].hashtag && !r.besidePhone(i) && !r.patronymicFollows(i)
}

func (r *reader) patronymicFollows(i int) bool {
	return r.text.sameSentence(i, i+1) && !r.text.words[i].caps && r.text.words[i+1].upper && r.text.words[i+1].gap == gapSpace
}

// accusative reports an animal's word in a case other than the nominative.
func (r *reader) accusative(i int) bool {
	letters := r.text.codesOf(&r.text.words[i])
	last := letterOf(letters[len(letters)-1])
	return last == 'у' || last == 'ю'
}

// nameFirst reads a sentence that begins with a name: "Норд, маламут…",
// "Фрида — из тех собак", "Варя. История", "Мухтар, 7 лет".
func (r *reader) nameFirst() string {
	t, c := &r.text, &r.rs.class
	for n := range min(len(t.sentences), 4) {
		s := t.sentences[n]
		i := int(s.from)
		w := &t.words[i]
		if w.kind != kindWord || !w.upper || w.hashtag || w.codeTo-w.codeAt < 3 || r.besidePhone(i) {
			continue
		}
		_, known := r.knownName(i)
		if !known && (r.classed(i) && !r.colorName(i) || w.caps) {
			continue
		}
		next := i + 1
		if next == int(s.to) {
			if known && n < 2 {
				return r.nameAt(i, false)
			}
			continue
		}
		mark := t.words[next].gap & (gapComma | gapDash | gapColon | gapParen)
		if mark != 0 && (known || mark == gapDash && (r.repeated(i) || r.colorName(i)) || t.has(next, c.kind) || t.has(next, c.color) && t.sameSentence(next, next+1) && t.has(next+1, c.kind) || t.has(next, c.dogMaybe) || t.has(next, c.maleSure) || t.has(next, c.femaleSure) ||
			t.words[next].kind == kindNumber && t.sameSentence(next, next+1) && t.has(next+1, c.ageUnit)) {
			return r.nameAt(i, false)
		}
		if known && mark == 0 && (r.pastOf(next) != "" || t.has(next, c.homeMark) || t.isWord(next, "дома", "с", "у", "на", "все", "всё", "живет", "мечтает", "ждет", "устал", "снова", "опять", "нужен", "нужна", "нужно", "из", "без", "до", "не", "никому", "едет", "повторно", "прописали", "хочет", "умеет")) {
			return r.nameAt(i, false)
		}
	}
	return ""
}

// pastOf gives the sex that a verb in the past tense agrees with.
func (r *reader) pastOf(i int) Sex {
	if i < 0 || i >= len(r.text.words) || r.text.words[i].kind != kindWord {
		return ""
	}
	letters := r.text.codesOf(&r.text.words[i])
	switch {
	case len(letters) < 3:
		return ""
	case endsWith(letters, "лся"), endsWith(letters, "ал"), endsWith(letters, "ел"), endsWith(letters, "ил"), endsWith(letters, "ял"), equalLetters(letters, "ушел"), equalLetters(letters, "исчез"):
		return Male
	case endsWith(letters, "лась"), endsWith(letters, "ала"), endsWith(letters, "ела"), endsWith(letters, "ила"), endsWith(letters, "яла"), endsWith(letters, "шла"), endsWith(letters, "езла"):
		return Female
	}
	return ""
}

// nameAfterCalled reads the name after word i, "зовут" or "кличка".
func (r *reader) nameAfterCalled(i int) string {
	t, c := &r.text, &r.rs.class
	if t.isWord(i-1, "меня") || t.isWord(i-2, "меня") {
		return ""
	}
	if t.isWord(i, "имя") && t.isWord(i-1, "на") && (r.cardBefore(i) || i+2 < len(t.words) && (r.patronymicFollows(i+1) || t.words[i+2].codeTo-t.words[i+2].codeAt == 1)) {
		return "" // "карта на имя Галины Петровны"
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
	if t.isWord(k-1, "на") {
		return r.nameAt(k, true) // "отзывается на Ваську"
	}
	return asName(t.rawOf(k, k+1))
}

// colorName reports a nickname made of a colour: "Чернуля", "Рыжуня", "Серыш".
func (r *reader) colorName(i int) bool {
	t, c := &r.text, &r.rs.class
	letters := t.codesOf(&t.words[i])
	return (t.has(i, c.color) || t.has(i, c.catMaybe)) && (endsWith(letters, "уля") || endsWith(letters, "уня") || endsWith(letters, "ыш") || endsWith(letters, "уша") || endsWith(letters, "ик"))
}

func (r *reader) cardBefore(i int) bool {
	for k := i - 2; k >= max(0, i-6); k-- {
		if r.text.isWord(k, "карта", "карту", "карты", "перевод", "переводы", "переводом", "счет", "реквизиты", "номеру", "телефону", "сбер", "тинькофф") {
			return true
		}
	}
	return false
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
	if t.sameSentence(i, i+1) && t.words[i+1].gap == gapHyphen {
		return false // "Джек-рассел"
	}
	if t.has(i, c.nameKnown) {
		return !r.besidePhone(i)
	}
	if r.classed(i) {
		return false
	}
	return int(t.sentences[w.sentence].from) != i && !r.besidePhone(i) && !peopleNames()[t.raw[w.start:w.end]]
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
