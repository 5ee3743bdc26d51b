package petpost

// landmark reads what a place is told by: "у магазина Пятёрочка", "около школы
// №5", "на остановке Кирзавод", "рядом с ТЦ «Флагман»", "парк Сосновка".
func (r *reader) landmark(i int) placeSpan {
	t := &r.text
	near := r.is(i, bitNear)
	k := i
	if near || t.isWord(i, "в", "во", "на", "по", "с", "со", "от", "из", "под", "к") {
		k++
	}
	if near && t.isWord(k, "с", "со", "от", "к", "ко") {
		k++
	}
	if k > i && !t.follows(k, gapSpace|gapQuote) {
		return placeSpan{}
	}
	if t.isWord(k, "углу", "угол", "пересечении", "пересечение", "перекрестке", "перекресток") {
		if s := r.corner(i, k+1); s.rank > 0 {
			return s
		}
	}
	if near {
		if s := r.nearHouse(i, k); s.rank > 0 {
			return s
		}
	}
	s := r.spotAt(k)
	road := s.to - 1
	switch {
	case road > k && t.isWord(i, "по", "на") && t.isWord(road, "дороге", "дорогу"):
		return placeSpan{k, s.to, max(s.rank, rankLandmark)} // "по объездной дороге"
	case s.to == k && near:
		return r.nearName(i, k)
	case s.to == k, s.rank <= rankLandmark && !near, s.rank == rankVague && t.isWord(i, "перед", "между", "вокруг"):
		return placeSpan{} // "в подвале" says nothing
	case k == i && r.is(s.to-1, bitSpot) && !r.clauseEnds(s.to):
		return placeSpan{} // "Ветеринарный центр проводит"
	case s.from == k:
		s.from = i
	}
	return s
}

// nearHouse reads a clinic or a house after "у": "у дома 5", "у 11 дома".
func (r *reader) nearHouse(i, k int) placeSpan {
	t, c := &r.text, &r.rs.class
	end := r.houseAt(k)
	switch {
	case t.isWord(k, "ветклиники", "ветклиникой", "клиники", "клиникой", "ветлечебницы", "гостиницы"):
		return placeSpan{i, r.quoted(k + 1), rankLandmark}
	case end > k && t.has(k, c.house):
		return placeSpan{i, end, rankLandmark}
	case t.number(k) > 0 && t.has(k+1, c.house):
		return placeSpan{i, k + 2, rankLandmark}
	}
	return placeSpan{}
}

// nearName reads what else is told after "у", "возле", "между".
func (r *reader) nearName(i, k int) placeSpan {
	t := &r.text
	w, next := t.at(k), t.at(k+1)
	switch {
	case t.isWord(k, "домами", "домом", "домов") && next.kind == kindNumber:
		if t.isWord(k+2, "и") && t.number(k+3) > 0 {
			return placeSpan{i, k + 4, rankLandmark}
		}
		return placeSpan{i, k + 2, rankLandmark}
	case t.isWord(i, "между"):
		return r.corner(i, k)
	case w.length() > 1 && next.kind == kindNumber && next.gap == gapHyphen:
		return placeSpan{i, k + 2, rankNamed} // "у атп-2"
	case w.upper && w.gap&gapQuote == 0:
		return r.nearProperName(i, k)
	case !w.upper && r.unknown(k) && !r.is(k, bitNoName) && w.length() > 4 && t.isWord(i, "около", "возле", "напротив", "недалеко", "неподалеку", "рядом", "вблизи"):
		return placeSpan{i, k + 1, rankLandmark} // "около мясокомбината"
	}
	return placeSpan{}
}

func (r *reader) nearProperName(i, k int) placeSpan {
	t := &r.text
	if s := r.capitalPlace(k); s.to > k+1 && !r.is(k, bitNoName) {
		return placeSpan{i, s.to, s.rank} // "у Комсомольской площади"
	}
	to := r.properName(k, 2)
	if to == k || r.someone(k, to) || !r.unknown(k) && !t.has(k, r.rs.class.city) {
		return placeSpan{}
	}
	// "у Марины" is somebody, "у Пятёрочки" may be
	if t.isWord(i, "у") && !t.words[k].caps && !t.ends(to-1, "street") && !t.ends(to-1, "many.things") {
		return placeSpan{}
	}
	return r.withHouse(placeSpan{i, to, rankLandmark + 2})
}

// corner reads two streets after the word at i: "между Ленина и Гоголя", "на углу
// ул. Мира и Победы", "на перекрёстке Мира/Победы".
func (r *reader) corner(i, k int) placeSpan {
	t := &r.text
	street := func(k int) int {
		if r.is(k, bitStreet|bitStreetShort) {
			k++
		}
		if to := r.properName(k, 3); to > k && !r.someone(k, to) {
			return to
		}
		return k
	}
	to := street(k)
	switch {
	case to == k:
		return placeSpan{}
	case to > k+1 && t.words[to-1].gap == gapHyphen: // "Мира-Победы"
		return placeSpan{i, to, rankStreet}
	case t.isWord(to, "и", "с"):
		to++
	case t.at(to).gap&(gapComma|gapSlash|gapDash) == 0:
		return placeSpan{}
	}
	if end := street(to); end > to && t.sameSentence(i, to) {
		return placeSpan{i, end, rankStreet}
	}
	return placeSpan{}
}

// spotAt reads a building or the like at k, adjectives before it and its name
// or number after it. Its to is k if there is none.
func (r *reader) spotAt(k int) placeSpan {
	t := &r.text
	if t.isWord(k, "дома", "дом", "доме", "домом") && t.isWord(k+1, "культуры", "быта", "правительства", "офицеров", "учителя", "книги", "мебели", "ребенка", "молодежи", "отдыха") {
		return placeSpan{k, k + 2, rankNamed}
	}
	spot := k
	for spot < k+2 && r.spotAdjective(spot) && t.follows(spot+1, gapSpace|gapHyphen|gapSlash) {
		spot++
	}
	rank := rankLandmark
	switch first := t.at(k); {
	case !r.is(spot, bitSpot|bitYard):
		return placeSpan{to: k}
	case spot > k && first.upper && !first.caps:
		rank = rankNamed
	case !r.is(spot, bitSpot):
		rank = rankVague
	case spot > k && !first.caps:
		rank += 2
	}
	if s := r.spotNamed(k, spot, rank); s.to > 0 {
		return s
	}
	return placeSpan{k, spot + 1, rank}
}

// spotAdjective reports a word that may stand before the word for a spot.
func (r *reader) spotAdjective(i int) bool {
	t, c := &r.text, &r.rs.class
	if r.is(i, bitNoName|bitSpot|bitYard) || t.has(i, c.kind) || t.has(i, c.lose) || t.has(i, c.color) {
		return false
	}
	return t.ends(i, "adjective") || t.isWord(i, "жд", "ж", "авто") || t.at(i).gap == gapSlash && t.isWord(i, "д")
}

// spotNamed reads the name or number after the word for a spot; its to is 0 if
// there is none.
func (r *reader) spotNamed(k, spot, rank int) placeSpan {
	t, c := &r.text, &r.rs.class
	to := spot + 1
	w := t.at(to)
	allowed := gapSpace | gapQuote | gapDot | gapHyphen
	if w.kind == kindNumber {
		allowed |= gapEmoji // "№" counts as one
	}
	if !t.follows(to, allowed) || r.inPhone(to) {
		return placeSpan{}
	}
	end := 0
	switch {
	case t.isWord(to, "на") && t.isWord(spot, "трасса", "трассе", "трассы", "поворот", "поворота", "повороте", "выезд", "выезде", "дорога", "дороге", "развилка", "развилке"):
		end = r.properNameOf(to+1, 2, true) // "поворот на Сосновку"
	case t.isWord(to, "им", "имени"):
		end = r.properName(to+1, 3)
	case t.isWord(to, "номер") && t.number(to+1) >= 0:
		end = to + 2
	case w.gap&gapQuote != 0:
		end = r.quoted(to)
	case w.kind == kindNumber:
		next := t.at(to + 1)
		if n := t.number(to); n > 0 && n < 1000 && !r.is(to+1, bitUnit) && !t.has(to+1, c.month) && (next.kind != kindNumber || next.gap == gapSpace) {
			return placeSpan{k, to + 1, max(rank, rankNamed*btoi(rank > rankVague))}
		}
	case w.upper && w.gap&gapDot == 0 && !w.caps, w.caps && r.unknown(to):
		return r.spotProperName(k, spot, rank)
	case r.unknown(to) && r.clauseEnds(to+1) && t.isWord(spot, "остановка", "остановке", "остановки", "тц", "трц", "тк"):
		end = to + 1
	}
	if end <= to+btoi(t.isWord(to, "на", "им", "имени")) {
		return placeSpan{}
	}
	return placeSpan{k, end, rankNamed}
}

// spotProperName reads a name with a capital after the word for a spot.
func (r *reader) spotProperName(k, spot, rank int) placeSpan {
	t := &r.text
	to := spot + 1
	end := r.properNameOf(to, 2, true)
	yard := r.is(spot, bitYard)
	if end == to || yard && r.someone(to, end) || t.words[spot].caps && t.words[to].caps {
		return placeSpan{}
	}
	end = r.withNoun(end)
	if number, ok := r.house(end); ok && yard {
		return placeSpan{to, number, rankAddress} // "из подъезда Сурикова 42"
	}
	if t.isWord(spot, "двора", "дворе", "подъезда", "подъезде") {
		k = to
	}
	return r.withHouse(placeSpan{k, end, max(rank, rankNamed)})
}
