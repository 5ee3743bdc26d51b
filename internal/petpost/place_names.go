package petpost

// properName returns the end of a name that begins at i: up to limit
// capitalised words, the second half of a double name ("Усть-Курдюм",
// "Гуселка-2") with them. i if none begins there.
func (r *reader) properName(i, limit int) int { return r.properNameOf(i, limit, false) }

// properNameOf is properName for a place whose first word may be that of an
// animal if marked: a marker says what it is ("пгт Стрижи").
func (r *reader) properNameOf(i, limit int, marked bool) int {
	to := i
	for to < i+limit {
		n := r.nameGoesOn(i, to, marked)
		if n == 0 {
			break
		}
		to += n
	}
	if to > i && r.numberOfName(to) && !r.inPhone(to) {
		to++ // "Гуселка-2"
	}
	return to
}

// numberOfName reports the number of a name like "Гуселка-2" at word i.
func (r *reader) numberOfName(i int) bool {
	if i >= len(r.text.words) {
		return false
	}
	w := &r.text.words[i]
	return w.kind == kindNumber && w.gap == gapHyphen && w.end-w.start <= 2
}

// nameGoesOn gives how many words from to on belong to the name that begins at
// i: 0 where it ends.
func (r *reader) nameGoesOn(i, to int, marked bool) int {
	t := &r.text
	if to >= len(t.words) {
		return 0
	}
	w := &t.words[to]
	first := to == i
	capital := func(k int, gap gap) bool { return k < len(t.words) && t.words[k].upper && t.words[k].gap == gap }
	initial := func(k int) bool { return t.words[k].codeTo-t.words[k].codeAt == 1 }
	switch {
	case !first && w.gap == gapHyphen && t.isWord(to, "на") && capital(to+1, gapHyphen):
		return 2 // "Красном-на-Волге"
	case !first && w.gap == gapSpace && t.isWord(to, "де", "фон", "ван") && capital(to+1, gapSpace):
		return 2 // "Вильгельма де Геннина"
	case w.kind != kindWord && w.kind != kindLatin || !w.upper || w.hashtag:
		return 0
	case r.is(to, bitNoName) && (first || w.gap != gapHyphen) && !(marked && first && initial(to) && to+1 < len(t.words) && t.words[to+1].gap&gapDot != 0):
		return 0
	case marked && to == i+1 && w.gap&^(gapSpace|gapDot) == 0 && w.gap&gapDot != 0 && initial(i):
		return 1 // "ул. А. Невского"
	case !first && r.nameBreaks(to), r.noPlaceWord(to, first, marked):
		return 0
	}
	return 1
}

// nameBreaks reports that word i, which has a capital, is no more of the name
// before it.
func (r *reader) nameBreaks(i int) bool {
	t, c := &r.text, &r.rs.class
	w, before := &t.words[i], &t.words[i-1]
	switch {
	case !t.sameSentence(i-1, i), w.gap&^(gapSpace|gapHyphen|gapDot) != 0:
		return true
	case w.gap&gapDot != 0 && before.codeTo-before.codeAt > 2 && !t.isWord(i-1, "акад", "ген", "марш", "кап", "проф"):
		return true
	case r.is(i, bitMarker|bitYard):
		return !(r.is(i, bitSettlement) && !w.caps && adjectiveEnding(t.codesOf(before))) || w.caps && t.has(i, c.color)
	}
	return w.caps && (t.has(i, c.color) || r.is(i, bitSpot) && !r.is(i, bitGeo))
}

// noPlaceWord reports what is no name of a place with however large a capital.
func (r *reader) noPlaceWord(i int, first, marked bool) bool {
	t, c := &r.text, &r.rs.class
	return t.has(i, c.lose) || t.has(i, c.find) || t.has(i, c.phone) || t.has(i, c.called) ||
		r.animalWord(i) && !(marked && first) || first && t.has(i, c.month)
}

// capitalPlace reads what a capital letter says to be a name, with the word
// after it that tells of what ("Ленинский район", "Пушкинская улица"), with a
// house, after a preposition, or alone in its clause.
func (r *reader) capitalPlace(i int) placeSpan {
	t := &r.text
	to := r.properName(i, 3)
	if to == i {
		return placeSpan{}
	}
	if s := r.nameWithNoun(i, to); s.rank > 0 {
		return s
	}
	if r.someone(i, to) {
		return placeSpan{}
	}
	if to < len(t.words) && t.words[to].gap == gapSlash && streetLike(t.codesOf(&t.words[to-1])) {
		if end := r.properName(to, 2); end > to && streetLike(t.codesOf(&t.words[end-1])) {
			return placeSpan{i, end, rankStreet} // "Пушкинская/Ленина"
		}
	}
	afterPreposition := t.sameSentence(i-1, i) && t.words[i].gap == gapSpace && t.isWord(i-1, "на", "по", "в", "во", "с", "со", "до", "между", "от", "из", "за", "под", "жителей", "жители", "жителям")
	if r.houseAt(to) > to && r.addressLike(i, to, afterPreposition) {
		return r.withHouse(placeSpan{i, to, rankStreet})
	}
	return r.nameAlone(i, to, afterPreposition)
}

// nameWithNoun reads the name [i, to) with the noun that says of what it is,
// after it or at its end.
func (r *reader) nameWithNoun(i, to int) placeSpan {
	t := &r.text
	last := t.codesOf(&t.words[to-1])
	beside := to < len(t.words) && t.sameSentence(i, to) && t.words[to].gap&^(gapSpace|gapHyphen) == 0
	switch {
	case !beside || t.words[i].caps && !r.clauseStarts(i) && !(r.is(i-1, bitPreposition) && adjectiveEnding(last)):
	case r.is(to, bitStreet) || r.is(to, bitStreetShort) && t.isWord(to, "ул", "пер", "линия", "наб", "пр") && r.streetBefore(to):
		return r.withHouse(placeSpan{i, to + 1, rankStreet})
	case r.is(to, bitDistrict):
		return placeSpan{i, to + 1, rankDistrict}
	case r.is(to, bitGeo|bitSettlement) && (adjectiveEnding(last) || endsWithAny(last, streetEndings)) && !t.has(i, r.rs.class.kind):
		return r.withHouse(placeSpan{i, to + 1, rankSettlement})
	case r.is(to, bitSpot) && adjectiveEnding(last) && !t.words[i].caps && !r.clauseStarts(i):
		return placeSpan{i, to + 1, rankNamed}
	}
	if to-i >= 2 && r.is(to-1, bitGeo) && adjectiveEnding(t.codesOf(&t.words[to-2])) {
		return r.withHouse(placeSpan{i, to, rankSettlement}) // "Чистых Прудах", "Берёзовая Роща"
	}
	return placeSpan{}
}

// nameAlone reads the name [i, to) with nothing that says what it is.
func (r *reader) nameAlone(i, to int, afterPreposition bool) placeSpan {
	t, c := &r.text, &r.rs.class
	letters := t.codesOf(&t.words[i])
	city, one := t.has(i, c.city), to == i+1
	shouted := t.words[i].caps && (i > 0 && t.words[i-1].caps || to < len(t.words) && t.words[to].caps)
	switch {
	case afterPreposition && !shouted && r.placeName(i, to):
		if city && one && !adjectiveEnding(letters) {
			return placeSpan{i, to, rankBare}
		}
		return placeSpan{i, to, rankSettlement}
	case city && !t.has(i, c.kind) && r.clauseEnds(to) && r.clauseStarts(i) && one && !t.words[i].caps:
		return placeSpan{i, to, rankCity + 10*btoi(streetLike(letters))}
	case (!shouted || r.is(to, bitStreet|bitDistrict|bitSettlement) && t.words[to].gap&gapComma != 0) && r.bare(i, to):
		return placeSpan{i, to, rankBare}
	case city && !t.has(i, c.kind):
		return placeSpan{i, i + 1, rankCity}
	}
	return placeSpan{}
}

// streetBefore tells "Техническая ул. Кто видел" from "Киров ул. Труда" for the
// abbreviation at i.
func (r *reader) streetBefore(i int) bool {
	t, c := &r.text, &r.rs.class
	if i+1 >= len(t.words) || !t.words[i+1].upper {
		return true
	}
	letters := t.codesOf(&t.words[i-1])
	return adjectiveEnding(letters) || streetLike(letters) && (!t.sameSentence(i, i+1) || r.is(i+1, bitNoName) || t.has(i+1, c.lose) || t.has(i+1, c.find) || t.has(i+1, c.kind))
}

// someone reports a capitalised name that is an animal's or a person's.
func (r *reader) someone(from, to int) bool {
	t, c := &r.text, &r.rs.class
	one, street := to == from+1, streetLike(t.codesOf(&t.words[to-1]))
	for i := from; i < to; i++ {
		letters := t.codesOf(&t.words[i])
		name := t.rawOf(i, i+1)
		switch {
		case len(letters) == 1 && to <= from+2:
			return true // "Ирина О."
		case r.animalWord(i), t.has(i, c.called), r.petInAnotherCase(i):
			return true
		case name == r.petCalled && !endsWithAny(letters, placeAdjectives) && !endsWithAny(letters, settlementEndings) && !r.placeFollows(from, to):
			return true
		case one && t.has(i, c.nameKnown) && !(r.is(i, bitFamous) && t.isWord(from-1, "на", "по", "с")):
			return true
		case peopleNames()[name] && (one || i > from || !street):
			return true
		}
	}
	switch {
	case t.isWord(from-1, "имя"):
		return true
	case from > 0 && t.has(from-1, c.called) && t.sameSentence(from-1, from):
		return true
	case from > 1 && t.isWord(from-1, "на") && t.has(from-2, c.called) && t.sameSentence(from-2, from):
		return true
	}
	return one && !street && r.besidePhone(from) && t.words[from].gap&gapSpace != 0 && !t.isWord(from-1, "на", "по", "в", "с")
}

// animalWord reports a word for an animal; "Песчаное" only begins like a dog.
func (r *reader) animalWord(i int) bool {
	t := &r.text
	if !t.has(i, r.rs.class.kind) {
		return false
	}
	letters := t.codesOf(&t.words[i])
	return !(len(letters) > 6 && string(letters[:4]) == sandy && adjectiveEnding(letters))
}

var sandy = string(codesOf("песч"))

// petInAnotherCase tells "отчёт по Мусе" from a place.
func (r *reader) petInAnotherCase(i int) bool {
	name := r.text.rawOf(i, i+1)
	n := len(r.petCalled) - 2
	return name != r.petCalled && n >= 4 && len(name) >= n && len(name) <= n+6 && name[:n] == r.petCalled[:n] && !streetLike(r.text.codesOf(&r.text.words[i]))
}

// addressLike reports a capitalised name before a number that may be a street.
func (r *reader) addressLike(from, to int, afterPreposition bool) bool {
	t, c := &r.text, &r.rs.class
	for i := from; i < to; i++ {
		if t.has(i, c.phone) || t.has(i, c.color) && (t.words[i].caps || !afterPreposition) || r.is(i, bitUnit) {
			return false
		}
	}
	end := r.houseAt(to)
	if r.is(end, bitUnit) && t.words[end].gap&^gapSpace == 0 {
		return false
	}
	if t.words[to-1].kind == kindLatin {
		return false
	}
	if afterPreposition || r.is(from-1, bitSpot|bitYard|bitSettlement) || t.isWord(from-1, "адрес", "адресу", "дом", "дома", "ул") {
		return true
	}
	letters := t.codesOf(&t.words[to-1])
	if t.has(to, c.house) && t.words[to].gap&gapComma != 0 {
		return !t.words[from].caps || r.unknown(from)
	}
	return streetLike(letters) || r.is(to-1, bitFamous) || to-from >= 2 && r.unknown(to-1)
}

// placeName reports a capitalised name after a preposition that is likely a
// place: a known town, an adjective, or a word of which nothing else is known.
func (r *reader) placeName(from, to int) bool {
	t, c := &r.text, &r.rs.class
	for i := from; i < to; i++ {
		if t.has(i, c.city) {
			return true
		}
	}
	if to == from+1 && adjectiveEnding(t.codesOf(&t.words[from])) && t.isWord(from-1, "на", "по", "с", "в") && !t.has(from, c.color) && !t.words[from].caps {
		return true
	}
	if r.is(to-1, bitFamous) && !t.words[from].caps && t.isWord(from-1, "на", "по", "с") {
		return true
	}
	if _, known := r.knownName(from); known && to == from+1 && !t.isWord(from-1, "в", "во", "из") && !(t.isWord(from-1, "с") && endsWithAny(t.codesOf(&t.words[from]), pluralOrGenitive)) {
		return false // "сбор на Ральфа"
	}
	if w := &t.words[from]; to == from+1 && !w.caps && t.isWord(from-1, "на", "по", "с") && endsWithAny(t.codesOf(w), genitivePlural) && !t.has(from, c.kind) {
		return true // "на Строителей"
	}
	if to == from+3 && t.words[from+1].gap == gapHyphen && t.isWord(from+1, "на") {
		return true // "в Красном-на-Волге"
	}
	if to == from+2 && adjectiveEnding(t.codesOf(&t.words[from])) && r.unknown(to-1) && !t.words[from].caps {
		return true // "в Новых Лядах"
	}
	for i := from; i < to; i++ {
		if !r.unknown(i) || t.words[i].caps && t.words[i].codeTo-t.words[i].codeAt > 4 || t.words[i].kind != kindWord {
			return false
		}
	}
	return true
}

// bare reports a name that stands alone in its clause and is likely a place:
// "Поливановка. Пропала собака", "Порошино, Боровицкая".
func (r *reader) bare(from, to int) bool {
	t, c := &r.text, &r.rs.class
	last := to - 1
	if t.words[last].kind == kindNumber && last > from {
		last--
	}
	letters := t.codesOf(&t.words[last])
	known := !r.unknown(from) || !r.unknown(last)
	beside := r.placeFollows(from, to)
	sure := !known && (endsWithAny(letters, settlementEndings) || endsWithAny(letters, streetEndings))
	if !r.standsAlone(from, to) || r.saidOfAnimal(from, to, beside, sure) {
		return false
	}
	switch {
	case t.has(from, c.city) && !t.has(from, c.kind), r.is(from, bitFamous) && to == from+1, r.villagePair(from, to):
		return true
	case known:
		return beside && adjectiveEnding(letters) && !t.has(from, c.color) && !t.has(from, c.kind) && t.words[from].gap&gapComma == 0
	case endsWithAny(letters, settlementEndings):
		return true
	case endsWithAny(letters, streetEndings):
		return t.words[from].sentence < 4 || beside
	case beside:
		return true
	case adjectiveEnding(letters) && t.isWord(from-1, "внимание", "жители", "привет"):
		return r.aboutSomethingElse(from, to) // "Внимание, Заозёрный!"
	}
	return r.oddName(from, to, letters)
}

// villagePair reports a name like "Малая Пурга" or "Нижние Юри": a word that
// tells villages of one name apart, and a name of which nothing else is known.
func (r *reader) villagePair(from, to int) bool {
	t := &r.text
	return to == from+2 && r.unknown(to-1) && t.words[to-1].upper && t.words[to-1].gap&^(gapSpace|gapHyphen) == 0 &&
		t.isWord(from, "малая", "малые", "малое", "малый", "большая", "большие", "большое", "большой", "верхняя", "верхние", "верхнее", "верхний",
			"нижняя", "нижние", "нижнее", "нижний", "старая", "старые", "старое", "старый", "новая", "новые", "новое", "новый", "средняя", "средние", "среднее", "средний")
}

// standsAlone reports that the name [from, to) is a clause of its own and that
// nothing after it makes it something else than a place.
func (r *reader) standsAlone(from, to int) bool {
	t, c := &r.text, &r.rs.class
	w := &t.words[to-1]
	if !r.clauseStarts(from) || !r.clauseEnds(to) || w.kind != kindWord && w.kind != kindNumber || t.words[from].gap&gapQuote != 0 {
		return false
	}
	return to >= len(t.words) || !(t.words[to].gap&(gapDash|gapQuote|gapColon|gapQuestion) != 0 || t.sameSentence(from, to) && (t.has(to, c.ageUnit) || t.has(to, c.ageWord) || t.has(to, c.color) || t.number(to) >= 0 && t.has(min(to+1, len(t.words)-1), c.ageUnit)))
}

// saidOfAnimal reports that the name may be an animal's, or only says how it is:
// "Сибирская, пушистая".
func (r *reader) saidOfAnimal(from, to int, beside, sure bool) bool {
	t, c := &r.text, &r.rs.class
	letters := t.codesOf(&t.words[to-1])
	return from > 0 && t.sameSentence(from-1, from) && (t.has(from-1, c.called) || t.has(from-1, c.kind) && !beside && !(sure && t.words[from].gap&gapComma != 0)) ||
		to < len(t.words) && t.sameSentence(from, to) && !beside && !t.words[to].upper && r.placeBits[to] == 0 && adjectiveEnding(letters) && adjectiveEnding(t.codesOf(&t.words[to]))
}

// oddName reports a name that nothing but its place in the text tells to be one.
func (r *reader) oddName(from, to int, letters []byte) bool {
	t := &r.text
	switch {
	case from == 0 && to == 1 && len(letters) >= 6 && !t.words[0].caps && endsWithAny(letters, consonants) && (!t.sameSentence(0, 1) || t.words[1].gap&gapComma != 0):
		return r.aboutSomethingElse(from, to) // "Перекоп. Потерялся котёнок"
	case r.petCalled != "" && to == from+1 && len(letters) >= 5 && endsWithAny(letters, consonants) && !t.words[from].caps && t.words[from].gap&gapComma != 0 && !t.sameSentence(from, to) && r.lossBefore(from):
		return true // "Пропала кошка Зося, Химмаш."
	}
	return !t.words[from].caps && t.words[from].sentence < 3 && (from == 0 || t.words[from].gap&gapComma != 0 || !t.sameSentence(from-1, from)) && endsWithAny(letters, quarterEndings) && r.aboutSomethingElse(from, to)
}

// onlyInPhrases reports a word that no class holds, only the pattern of a phrase.
func (r *reader) onlyInPhrases(i int) bool {
	for _, class := range r.text.lexOf(&r.text.words[i]) {
		if r.rs.names[class][0] == '@' {
			return false
		}
	}
	return true
}

// lossBefore reports that the sentence of word i tells of a loss before it.
func (r *reader) lossBefore(i int) bool {
	t := &r.text
	for k := int(t.sentences[t.words[i].sentence].from); k < i; k++ {
		if t.has(k, r.rs.class.lose) {
			return true
		}
	}
	return false
}

// placeFollows reports that after the name in [from, to) and a comma comes what
// looks like another place.
func (r *reader) placeFollows(from, to int) bool {
	t := &r.text
	if to >= len(t.words) || !t.sameSentence(from, to) || t.words[to].gap&gapComma == 0 {
		return false
	}
	return r.is(to, bitStreet|bitStreetShort|bitDistrict|bitSettlement|bitGeo|bitNear) || t.isWord(to, "частный", "дом", "дачи") ||
		t.words[to].upper && (streetLike(t.codesOf(&t.words[to])) || r.is(to+1, bitStreet|bitGeo)) ||
		r.is(to, bitPreposition) && r.is(to+1, bitSpot|bitYard) || r.is(to+1, bitGeo) && t.words[to+1].gap == gapSpace && adjectiveEnding(t.codesOf(&t.words[to]))
}

// aboutSomethingElse reports that what follows a bare name has its own subject,
// so that the name is not the pet's: "Песчанка. Ищем овчарку".
func (r *reader) aboutSomethingElse(from, to int) bool {
	t, c := &r.text, &r.rs.class
	if r.petCalled != "" {
		return true
	}
	event, animal := false, false
	for i := to; i < len(t.words) && t.words[i].sentence <= t.words[from].sentence+1; i++ {
		event = event || t.has(i, c.lose) || t.has(i, c.find) || t.has(i, c.seekWe) || t.isWord(i, "бегает", "сидит", "лежит", "ходит", "бродит")
		animal = animal || t.has(i, c.kind)
	}
	return event && animal
}

var (
	// of which hardly another word ends so
	settlementEndings = suffixes("ово", "ево", "ино", "ыно", "ичи", "ичах", "овка", "евка", "овке", "евке", "овки", "аиха", "ниха", "тиха", "град", "городок")
	genitivePlural    = suffixes("ей", "ов", "ев")
	genitiveOfMany    = suffixes("пок", "нок", "лок", "ниц", "бок", "док", "тен", "вок")
	consonants        = suffixes("б", "в", "г", "д", "з", "к", "л", "м", "н", "п", "р", "с", "т", "ф", "х", "ц", "ч", "ш", "ь")
	pluralOrGenitive  = suffixes("ы", "и")
	streetEndings     = suffixes("ская", "цкая", "ской", "цкой", "ского", "ский", "ское", "ина", "ова", "ева")
	quarterEndings    = suffixes("нка", "лка", "лька", "тка", "йка", "ушки", "ники", "вка", "бки", "иха", "ски", "цы", "стров", "щик")
	adjectives        = suffixes("ском", "ный", "ной", "ном", "вой", "вый", "вом", "той", "тый", "лой", "лый", "рой", "рый", "шой", "кой", "яя", "ей", "ий",
		"ого", "ому", "ым", "ых", "ые", "ие", "ими", "ыми", "ее", "ую", "юю", "ая", "ое")
	placeAdjectives = suffixes("ская", "ской", "скую", "цкая", "цкой", "скому", "ском", "ского", "ский", "цкий", "цком")
	streetNames     = suffixes("ский", "ской", "цкой", "ной", "ого", "вой", "са", "ля", "ко", "ича", "ному", "ов", "ев", "ей", "ых", "их", "ую", "лья", "ая", "ости", "на", "ва")
)

func suffixes(endings ...string) [][]byte {
	var all [][]byte
	for _, e := range endings {
		all = append(all, codesOf(e))
	}
	return all
}

func endsWith(letters []byte, ending string) bool {
	n := len(ending) / 2
	return len(letters) > n+1 && equalLetters(letters[len(letters)-n:], ending)
}

// endsWithAny compares the end of a word that has two letters more at least.
func endsWithAny(letters []byte, endings [][]byte) bool {
	for _, e := range endings {
		if n := len(letters) - len(e); n >= 2 && string(letters[n:]) == string(e) {
			return true
		}
	}
	return false
}

// adjectiveOfPlace reports a word like "псковской", which names a street or a
// district in lower case too; of an unknown word any adjective does.
func adjectiveOfPlace(letters []byte, unknown bool) bool {
	return endsWithAny(letters, placeAdjectives) || unknown && endsWithAny(letters, adjectives) && len(letters) > 4
}

func adjectiveEnding(letters []byte) bool { return endsWithAny(letters, adjectives) }

// streetLike reports the endings of street names: Удмуртская, Ленина, Гагарина.
func streetLike(letters []byte) bool { return endsWithAny(letters, streetNames) }

// lowerAddress reports a street in lower case that only its house tells:
// "тельмана 30 а".
func (r *reader) lowerAddress(i int) bool {
	t := &r.text
	if i+1 >= len(t.words) || t.words[i+1].kind != kindNumber || t.words[i].kind != kindWord || !r.unknown(i) || t.words[i+1].gap != gapSpace {
		return false
	}
	letters := t.codesOf(&t.words[i])
	return len(letters) >= 5 && endsWithAny(letters, streetNames) && (r.clauseStarts(i) || t.isWord(i-1, "на", "по", "с", "ул"))
}

// lowerPlace reads places in small letters: "псковской улице", "заречном
// районе", "соколовая гора", "тельмана 30 а".
func (r *reader) lowerPlace(i int) placeSpan {
	t, c := &r.text, &r.rs.class
	if r.placeBits[i]&(bitNoName|bitMarker) != 0 {
		return placeSpan{}
	}
	letters := t.codesOf(&t.words[i])
	if k := i + 1; t.sameSentence(i, k) && t.words[k].gap == gapSpace && !t.has(i, c.kind) {
		switch {
		case r.is(k, bitStreet) && adjectiveOfPlace(letters, r.unknown(i)):
			return r.withHouse(placeSpan{i, k + 1, rankStreet})
		case r.is(k, bitDistrict) && adjectiveOfPlace(letters, r.unknown(i)):
			return placeSpan{i, k + 1, rankDistrict}
		case r.is(k, bitGeo) && r.unknown(i) && adjectiveEnding(letters) && len(letters) > 4:
			return placeSpan{i, k + 1, rankLandmark}
		}
	}
	if r.lowerAddress(i) {
		to := r.houseAt(i + 1)
		if to > i+1 && r.clauseEnds(to) && !r.is(to, bitUnit) {
			return placeSpan{i, to, rankAddress}
		}
	}
	return placeSpan{}
}
