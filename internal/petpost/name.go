package petpost

// petName returns the animal's name. The surest way to tell it counts first.
func (r *reader) petName() string {
	for _, read := range []func() string{
		r.nameCalled, r.nameInSmallLetters, r.nameBesideAnimal, r.nameAfterVerb, r.nameOfSentence, r.nameFirst, r.knownNameFirst, r.knownNameInside,
	} {
		if name := read(); name != "" {
			return name
		}
	}
	return ""
}

// nameCalled reads "кличка Барсик", "зовут Муся", "Бублик зовут".
func (r *reader) nameCalled() string {
	t := &r.text
	for i := range t.words {
		if !t.has(i, r.rs.class.called) || t.words[i].hashtag {
			continue
		}
		if name := r.nameAfterCalled(i); name != "" {
			return name
		}
		if _, ok := r.knownName(max(i-1, 0)); ok && t.sameSentence(i-1, i) && t.words[i].gap == gapSpace && t.isWord(i, "зовут", "звать", "кличут") {
			return r.nameAt(i-1, false)
		}
	}
	return ""
}

// nameInSmallLetters reads "кот барсик", "кузя нашелся".
func (r *reader) nameInSmallLetters() string {
	t, c := &r.text, &r.rs.class
	small := func(i int) bool { return t.has(i, c.nameKnown) && !t.words[i].upper }
	for i := 0; i+1 < len(t.words); i++ {
		switch {
		case small(i+1) && t.has(i, c.kind) && t.words[i+1].gap == gapSpace && !t.has(i, c.nameKnown):
			return r.nameAt(i+1, false)
		case small(i) && t.sameSentence(i, i+1) && r.begins(i) && (t.has(i+1, c.lose) || t.has(i+1, c.homeMark)):
			return r.nameAt(i, false)
		}
	}
	return ""
}

// nameBesideAnimal reads "кот Барсик", "наша ласковая Соня".
func (r *reader) nameBesideAnimal() string {
	t, c := &r.text, &r.rs.class
	for i := 0; i+1 < len(t.words); i++ {
		kind, presents := t.has(i, c.kind), t.has(i, c.presents)
		if t.words[i].hashtag || !kind && !presents {
			continue
		}
		k := i + 1
		for t.has(k, c.presents) {
			k++
		}
		if presents && t.sameSentence(i, k+1) && !t.words[k].upper && t.words[k+1].gap == gapSpace {
			k++
		}
		if !t.sameSentence(i, k) || t.words[k].gap&^(gapSpace|gapQuote|gapComma|gapDash|gapColon) != 0 || r.streetFollows(k) {
			continue
		}
		if r.nameLike(k) || kind && t.words[k].gap&^gapQuote == gapSpace && r.namedSo(k) {
			return r.nameAt(k, r.accusative(i))
		}
	}
	return ""
}

// begins reports that word i is the first of its sentence.
func (r *reader) begins(i int) bool {
	return int(r.text.sentences[r.text.words[i].sentence].from) == i
}

// knownNameFirst reads a name that begins a sentence, "Барсик ищет дом", or one
// with a capital anywhere that is no other word.
func (r *reader) knownNameFirst() string {
	t := &r.text
	for _, first := range [...]bool{true, false} {
		for i := range t.words {
			if !t.has(i, r.rs.class.nameKnown) || !r.nameLike(i) {
				continue
			}
			if first && r.begins(i) || !first && !t.words[i].caps && !t.isWord(i-1, "ул", "улица", "улице", "на", "по") {
				return r.nameAt(i, false)
			}
		}
	}
	return ""
}

// knownNameInside reads any known name with a capital inside a sentence, "наши за
// Умку волнуются", that is no person's, place's or brand's.
func (r *reader) knownNameInside() string {
	t, c := &r.text, &r.rs.class
	for i := range t.words {
		w := &t.words[i]
		if !w.upper || w.caps || w.hashtag || w.gap&gapQuote != 0 || r.begins(i) || t.has(i, c.kind) && !t.has(i, c.nameKnown) {
			continue
		}
		known, ok := r.knownName(i)
		switch {
		case !ok, peopleNames()[known.name], peopleNames()[t.rawOf(i, i+1)], r.patronymicFollows(i), r.besidePhone(i), r.streetFollows(i):
		case t.isWord(i-1, "баба", "тетя", "тети", "дядя", "бабы", "лада", "машина", "группа", "клиника", "фонд", "тц", "трц", "магазина", "магазин", "кафе", "на", "в"):
		case t.has(i-1, c.street), t.has(i-1, c.settlement), t.has(i-1, c.district):
		default:
			return r.nameAt(i, false)
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
	t := &r.text
	for n := range min(len(t.sentences), 4) {
		s := t.sentences[n]
		i := int(s.from)
		w := &t.words[i]
		if w.kind != kindWord || !w.upper || w.hashtag || w.codeTo-w.codeAt < 3 || r.besidePhone(i) {
			continue
		}
		_, known := r.knownName(i)
		switch next := i + 1; {
		case !known && (w.caps || r.classed(i) && !r.colorName(i)):
		case next == int(s.to):
			if known && n < 2 {
				return r.nameAt(i, false)
			}
		case r.presentedAfter(i, known), known && r.doesAfter(next):
			return r.nameAt(i, false)
		}
	}
	return ""
}

// presentedAfter reports that after word i and a mark comes what the animal is.
func (r *reader) presentedAfter(i int, known bool) bool {
	t, c := &r.text, &r.rs.class
	next := i + 1
	mark := t.words[next].gap & (gapComma | gapDash | gapColon | gapParen)
	inside := func(k int, class uint16) bool { return t.sameSentence(next, k) && t.has(k, class) }
	switch {
	case mark == 0:
		return false
	case known, mark == gapDash && (r.repeated(i) || r.colorName(i)):
		return true
	case t.has(next, c.kind), t.has(next, c.dogMaybe), t.has(next, c.maleSure), t.has(next, c.femaleSure):
		return true
	}
	return t.has(next, c.color) && inside(next+1, c.kind) || t.words[next].kind == kindNumber && inside(next+1, c.ageUnit)
}

// doesAfter reports that the word after a known name says what the animal does
// or needs.
func (r *reader) doesAfter(next int) bool {
	t := &r.text
	return t.words[next].gap&(gapComma|gapDash|gapColon|gapParen) == 0 && (t.pastOf(next) != "" || t.has(next, r.rs.class.homeMark) ||
		t.isWord(next, "дома", "с", "у", "на", "все", "всё", "живет", "мечтает", "ждет", "устал", "снова", "опять", "нужен", "нужна", "нужно", "из", "без", "до", "не", "никому", "едет", "повторно", "прописали", "хочет", "умеет"))
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
	return (t.has(i, c.color) || t.has(i, c.catMaybe)) && t.ends(i, "nickname")
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
