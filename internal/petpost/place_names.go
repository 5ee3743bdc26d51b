package petpost

// properName returns the end of a name that begins at i: up to limit
// capitalised words, the second half of a double name ("Усть-Курдюм",
// "Гуселка-2") with them. i if none begins there.
func (r *reader) properName(i, limit int) int {
	t := &r.text
	to := i
	for to < i+limit {
		w, next := t.at(to), t.at(to+1)
		first := to == i
		if !first && next.upper && (t.isWord(to, "на") && next.gap == gapHyphen || t.isWord(to, "де", "фон", "ван")) {
			to += 2 // "Красном-на-Волге", "Вильгельма де Геннина"
			continue
		}
		if !w.upper || w.hashtag || t.has(to, "place.no.name") && (first || w.gap != gapHyphen) ||
			!first && (!t.follows(to, gapSpace|gapHyphen|gapDot) || t.has(to, "place.marker", "place.yard")) {
			break
		}
		to++
	}
	if w := t.at(to); to > i && w.kind == kindNumber && w.gap == gapHyphen && w.digits() <= 2 {
		to++ // "Гуселка-2"
	}
	return to
}

// capitalPlace reads what a capital letter says to be a name: with a house, after
// a preposition, or alone in its clause.
func (r *reader) capitalPlace(i int) placeSpan {
	t := &r.text
	to := r.properName(i, 3)
	if to == i || r.someone(i, to) {
		return placeSpan{}
	}
	afterPreposition := t.follows(i, gapSpace) && t.isWord(i-1, "на", "по", "в", "во", "с", "со", "до", "между", "от", "из", "за", "под", "жителей", "жители", "жителям")
	end, house := r.house(to)
	switch {
	case house && r.addressLike(i, to, afterPreposition):
		return placeSpan{i, end, rankAddress}
	case t.has(i, "city") && to == i+1:
		return placeSpan{i, to, rankCity + (rankBare-rankCity)*btoi(afterPreposition)}
	case afterPreposition && r.placeName(i, to):
		return placeSpan{i, to, rankSettlement}
	case r.bare(i, to):
		return placeSpan{i, to, rankBare}
	}
	return placeSpan{}
}

// someone reports a capitalised name that is an animal's or a person's.
func (r *reader) someone(from, to int) bool {
	t := &r.text
	for i := from; i < to; i++ {
		name := t.rawOf(i, i+1)
		if name == r.petCalled && !t.ends(i, "adjective.place") && !r.placeFollows(from, to) || peopleNames()[name] && (to == from+1 || i > from) {
			return true
		}
	}
	return false
}

// addressLike reports a capitalised name before a house number that may be a
// street.
func (r *reader) addressLike(from, to int, afterPreposition bool) bool {
	t := &r.text
	for i := from; i < to; i++ {
		if t.has(i, "place.unit") || t.has(i, "color") && !afterPreposition {
			return false
		}
	}
	return afterPreposition || to > from+1 || t.ends(to-1, "street") || t.has(to-1, "place.famous") || t.has(to, "house.word") && t.words[to].gap&gapComma != 0
}

// placeName reports a capitalised name after a preposition that is likely a
// place: a known town, an adjective, or a word of which nothing else is known.
func (r *reader) placeName(from, to int) bool {
	t := &r.text
	one := to == from+1
	adjective := t.ends(from, "adjective") && !t.words[from].caps
	_, pet := r.knownName(from)
	along := t.isWord(from-1, "на", "по", "с", "в")
	switch {
	case t.has(from, "city"), t.has(to-1, "city"), along && (t.has(to-1, "place.famous") || one && (adjective && !t.has(from, "color") || t.ends(from, "many"))):
		return true
	case one && pet && !t.isWord(from-1, "в", "во", "из"), t.has(from-2, "called"):
		return false // "сбор на Ральфа", "откликается на Герту"
	case to == from+2 && adjective && r.unknown(to-1), to == from+3 && t.isWord(from+1, "на"):
		return true // "в Новых Лядах", "в Красном-на-Волге"
	}
	for i := from; i < to; i++ {
		if !r.unknown(i) || t.words[i].kind != kindWord || t.words[i].caps && t.at(i-1).caps {
			return false
		}
	}
	return true
}

// bare reports a name that stands alone in its clause and is likely a place:
// "Поливановка. Пропала собака", "Порошино, Боровицкая".
func (r *reader) bare(from, to int) bool {
	t := &r.text
	last := to - 1
	if t.words[last].kind == kindNumber {
		last--
	}
	known := !r.unknown(from) || !r.unknown(last)
	beside := r.placeFollows(from, to)
	if !r.standsAlone(from, to) {
		return false
	}
	switch {
	case t.has(from, "city", "place.famous"), to == from+2 && r.unknown(last) && t.has(from, "place.twin"): // "Малая Пурга"
		return true
	case known:
		return beside && t.ends(last, "adjective") && !t.has(from, "color")
	case t.ends(last, "settlement"), t.ends(last, "street.sure"), beside:
		return true
	case t.ends(last, "adjective") && t.isWord(from-1, "внимание", "жители", "привет"):
		return r.aboutSomethingElse(from, to) // "Внимание, Заозёрный!"
	}
	return t.words[from].sentence < 3 && t.ends(last, "quarter") && r.aboutSomethingElse(from, to)
}

// standsAlone reports that the name [from, to) is a clause of its own and that
// nothing after it makes it something else than a place.
func (r *reader) standsAlone(from, to int) bool {
	t := &r.text
	if !r.clauseStarts(from) || !r.clauseEnds(to) || t.gapAfter(to-1)&(gapDash|gapQuote|gapColon|gapQuestion) != 0 {
		return false
	}
	age := t.number(to) >= 0 && t.has(to+1, "age.unit")
	return !t.sameSentence(from, to) || !age && !t.has(to, "age.unit") && !t.has(to, "age.word") && !t.has(to, "color")
}

// placeFollows reports that after the name in [from, to) and a comma comes what
// looks like another place.
func (r *reader) placeFollows(from, to int) bool {
	t := &r.text
	if !t.sameSentence(from, to) || t.words[to].gap&gapComma == 0 {
		return false
	}
	return r.text.has(to, "place.street", "place.street.short", "place.district", "place.settlement", "place.geo", "place.near") || t.isWord(to, "частный", "дом", "дачи") ||
		t.words[to].upper && t.ends(to, "street") || r.text.has(to, "place.preposition") && r.text.has(to+1, "place.spot", "place.yard") || r.text.has(to+1, "place.geo")
}

// aboutSomethingElse reports that what follows a bare name has its own subject,
// so that the name is not the pet's: "Песчанка. Ищем овчарку".
func (r *reader) aboutSomethingElse(from, to int) bool {
	t := &r.text
	if r.petCalled != "" {
		return true
	}
	event, animal := false, false
	for i := to; i < len(t.words) && t.words[i].sentence <= t.words[from].sentence+1; i++ {
		event = event || t.has(i, "lose") || t.has(i, "find") || t.has(i, "seek.we") || t.isWord(i, "бегает", "сидит", "лежит", "ходит", "бродит")
		animal = animal || t.has(i, "kind")
	}
	return event && animal
}
