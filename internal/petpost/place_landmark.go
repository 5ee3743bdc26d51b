package petpost

// landmark reads what a place is told by: "у магазина Пятёрочка", "около школы
// №5", "на остановке Кирзавод", "рядом с ТЦ «Флагман»", "парк Сосновка".
func (r *reader) landmark(i int) placeSpan {
	t := &r.text
	near := r.is(i, bitNear)
	k := i
	switch {
	case near:
		k++
		if r.is(k, bitPreposition) && t.isWord(k, "с", "со", "от", "к", "ко") {
			k++
		}
	case t.isWord(i, "в", "во", "на", "по", "с", "со", "от", "из", "под", "к"):
		k++
	}
	if k >= len(t.words) || k > i && (!t.sameSentence(i, k) || t.words[k].gap&^(gapSpace|gapQuote) != 0) || r.inPhone(k) {
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
	if s := r.spotAt(k); s.to > k {
		return r.landmarkSpot(i, k, s, near)
	}
	if near {
		return r.nearName(i, k)
	}
	return placeSpan{}
}

// nearHouse reads a clinic or a house after "у": "у дома 5", "у 11 дома".
func (r *reader) nearHouse(i, k int) placeSpan {
	t, c := &r.text, &r.rs.class
	if r.is(k, bitElsewhere) && t.isWord(k, "ветклиники", "ветклиникой", "клиники", "клиникой", "ветлечебницы", "гостиницы") {
		to := k + 1
		if to < len(t.words) && t.words[to].gap&gapQuote != 0 {
			to = max(to, r.quoted(to))
		}
		return placeSpan{i, to, rankLandmark}
	}
	if end := r.houseAt(k); end > k && t.has(k, c.house) {
		return placeSpan{i, end, rankLandmark}
	}
	if t.words[k].kind == kindNumber && t.number(k) < 300 && t.has(k+1, c.house) {
		return placeSpan{i, k + 2, rankLandmark}
	}
	return placeSpan{}
}

// landmarkSpot weighs the spot s at k by what stands before it at i.
func (r *reader) landmarkSpot(i, k int, s placeSpan, near bool) placeSpan {
	t := &r.text
	road := s.to - 1
	switch {
	case s.rank == rankVague && !near && road > k && t.isWord(i, "по", "на") && t.isWord(road, "дороге", "дорогу"):
		return placeSpan{k, s.to, rankLandmark} // "по объездной дороге"
	case s.rank <= rankLandmark && !near:
		return placeSpan{} // "в подвале" says nothing
	case k == i && s.from == k && r.clauseStarts(i) && r.is(s.to-1, bitSpot) && !r.clauseEnds(s.to):
		return placeSpan{} // "Ветеринарный центр проводит"
	case s.rank == rankVague && t.isWord(i, "перед", "между", "вокруг", "к"):
		return placeSpan{}
	case s.from == k:
		s.from = i
	}
	return s
}

// nearName reads what else is told after "у", "возле", "между".
func (r *reader) nearName(i, k int) placeSpan {
	t := &r.text
	w := &t.words[k]
	switch {
	case t.isWord(k, "домами", "домом", "домов") && k+1 < len(t.words) && t.words[k+1].kind == kindNumber && !r.inPhone(k+1):
		to := k + 2
		if t.isWord(to, "и") && t.number(to+1) > 0 && !r.inPhone(to+1) {
			to += 2
		}
		return placeSpan{i, to, rankLandmark}
	case t.isWord(i, "между"):
		return r.corner(i, k)
	case w.kind == kindWord && k+1 < len(t.words) && t.words[k+1].kind == kindNumber && t.words[k+1].gap == gapHyphen && !r.inPhone(k+1) && len(t.codesOf(w)) > 1:
		return placeSpan{i, k + 2, rankNamed} // "у атп-2"
	case w.upper && w.gap&gapQuote == 0:
		return r.nearProperName(i, k)
	case w.kind == kindWord && !w.upper && r.unknown(k) && t.isWord(i, "около", "возле", "напротив", "недалеко", "неподалеку", "рядом", "вблизи") && !r.is(k, bitNoName) && len(t.codesOf(w)) > 4 && genitive(t.codesOf(w)):
		return placeSpan{i, k + 1, rankLandmark} // "около мясокомбината"
	}
	return placeSpan{}
}

func (r *reader) nearProperName(i, k int) placeSpan {
	t := &r.text
	if p := r.capitalPlace(k); p.to > k+1 && !r.is(k, bitNoName) {
		return placeSpan{i, p.to, p.rank} // "у Комсомольской площади"
	}
	to := r.properName(k, 2)
	if to == k || r.someone(k, to) || !r.unknown(k) && !t.has(k, r.rs.class.city) {
		return placeSpan{}
	}
	w, last := &t.words[k], t.codesOf(&t.words[to-1])
	// "у Марины" is somebody, "у Пятёрочки" may be
	if t.isWord(i, "у") && !(w.caps && w.codeTo-w.codeAt <= 5) && !streetLike(last) && !endsWithAny(last, genitiveOfMany) {
		return placeSpan{}
	}
	return r.withHouse(placeSpan{i, to, rankLandmark + 2})
}

// corner reads two streets after the word at i: "между Ленина и Гоголя", "на углу
// ул. Мира и Победы", "на перекрёстке Мира/Победы".
func (r *reader) corner(i, k int) placeSpan {
	t := &r.text
	street := func(k int) int {
		if k < len(t.words) && r.is(k, bitStreet|bitStreetShort) {
			k++
		}
		if to := r.properName(k, 3); to > k && !r.someone(k, to) {
			return to
		}
		return -1
	}
	to := street(k)
	if to > 0 && t.words[to-1].gap == gapHyphen && to-k > 1 {
		return placeSpan{i, to, rankStreet}
	}
	if to < 0 || !t.sameSentence(i, to) {
		return placeSpan{}
	}
	if t.isWord(to, "и", "с") || t.words[to].gap&^gapSpace != 0 && t.words[to].gap&^(gapSpace|gapComma|gapSlash|gapDash) == 0 {
		if end := street(to + btoi(t.isWord(to, "и", "с"))); end > to && t.sameSentence(to, end-1) {
			return placeSpan{i, end, rankStreet}
		}
	}
	return placeSpan{}
}

// spotAt reads a building or the like at k, adjectives before it and its name
// or number after it. Its to is k if there is none.
func (r *reader) spotAt(k int) placeSpan {
	t := &r.text
	if t.isWord(k, "дома", "дом", "доме", "домом") && t.isWord(k+1, "культуры", "быта", "правительства", "офицеров", "учителя", "книги", "мебели", "ребенка", "молодежи", "отдыха") && t.words[k+1].gap == gapSpace {
		return placeSpan{k, k + 2, rankNamed}
	}
	spot := k
	for spot < k+2 && !r.is(spot, bitSpot|bitYard) {
		if !r.spotAdjective(spot) {
			return placeSpan{to: k}
		}
		spot++
	}
	if !r.is(spot, bitSpot|bitYard) || spot > k && (!t.sameSentence(k, spot) || t.words[spot].gap&^(gapSpace|gapHyphen) != 0) {
		return placeSpan{to: k}
	}
	rank := rankLandmark
	if !r.is(spot, bitSpot) {
		rank = rankVague
	}
	switch first := &t.words[k]; {
	case spot == k || first.caps:
	case first.upper:
		rank = rankNamed
	case rank == rankLandmark:
		rank = rankLandmark + 2
	}
	if s := r.spotNamed(k, spot, rank); s.to > 0 {
		return s
	}
	return placeSpan{k, spot + 1, rank}
}

// spotAdjective reports a word that may stand before the word for a spot.
func (r *reader) spotAdjective(i int) bool {
	t, c := &r.text, &r.rs.class
	if i >= len(t.words) || t.words[i].kind != kindWord || r.is(i, bitNoName) || t.has(i, c.kind) || t.has(i, c.lose) || t.has(i, c.color) {
		return false
	}
	return adjectiveEnding(t.codesOf(&t.words[i])) || t.isWord(i, "жд", "ж", "авто") || t.words[i].gap == gapSlash && t.isWord(i, "д")
}

// spotNamed reads the name or number after the word for a spot; its to is 0 if
// there is none.
func (r *reader) spotNamed(k, spot, rank int) placeSpan {
	t, c := &r.text, &r.rs.class
	to := spot + 1
	if !t.sameSentence(spot, to) || r.inPhone(to) {
		return placeSpan{}
	}
	w := &t.words[to]
	allowed := gapSpace | gapQuote | gapDot | gapHyphen
	if w.kind == kindNumber {
		allowed |= gapEmoji // "№" counts as one
	}
	if w.gap&^allowed != 0 {
		return placeSpan{}
	}
	switch {
	case t.isWord(to, "на") && t.isWord(spot, "трасса", "трассе", "трассы", "поворот", "поворота", "повороте", "выезд", "выезде", "дорога", "дороге", "развилка", "развилке") && t.sameSentence(to, to+1) && t.words[to+1].upper:
		if end := r.properNameOf(to+1, 2, true); end > to+1 {
			return placeSpan{k, end, rankNamed} // "поворот на Сосновку"
		}
	case t.isWord(to, "им", "имени"):
		if end := r.properName(to+1, 3); end > to+1 && t.sameSentence(to, end-1) {
			return placeSpan{k, end, rankNamed}
		}
	case t.isWord(to, "номер") && t.number(to+1) >= 0:
		return placeSpan{k, to + 2, rankNamed}
	case w.gap&gapQuote != 0:
		if end := r.quoted(to); end > to {
			return placeSpan{k, end, rankNamed}
		}
	case w.kind == kindNumber:
		next := to + 1
		counted := r.is(next, bitUnit) || t.has(next, c.month) || next < len(t.words) && t.words[next].kind == kindNumber && t.words[next].gap != gapSpace
		if n := t.number(to); n > 0 && n < 1000 && !counted {
			return placeSpan{k, next, max(rank, rankNamed*btoi(rank > rankVague))}
		}
	case w.upper && w.gap&gapDot == 0 && !w.caps || w.caps && r.unknown(to):
		return r.spotProperName(k, spot, rank)
	case w.kind == kindWord && !w.upper && (r.unknown(to) && t.isWord(spot, "остановка", "остановке", "остановки") || t.isWord(spot, "тц", "трц", "тк")) && r.clauseEnds(to+1) && !r.is(to, bitNoName):
		return placeSpan{k, to + 1, rankNamed}
	}
	return placeSpan{}
}

// spotProperName reads a name with a capital after the word for a spot.
func (r *reader) spotProperName(k, spot, rank int) placeSpan {
	t := &r.text
	to := spot + 1
	end := r.properNameOf(to, 2, true)
	if end == to || !r.is(spot, bitSpot) && r.someone(to, end) || t.words[spot].caps && t.words[to].caps {
		return placeSpan{}
	}
	end = r.withNoun(end)
	if number, ok := r.house(end); ok && r.is(spot, bitYard) {
		return placeSpan{to, number, rankAddress} // "из подъезда Сурикова 42"
	}
	if spot == k && r.is(spot, bitYard) && t.isWord(spot, "двора", "дворе", "подъезда", "подъезде") {
		return placeSpan{to, end, rankNamed}
	}
	return r.withHouse(placeSpan{k, end, max(rank, rankNamed)})
}

// genitive reports the endings that a noun has after "около".
func genitive(letters []byte) bool {
	switch letterOf(letters[len(letters)-1]) {
	case 'а', 'я', 'ы', 'и', 'в', 'й', 'о':
		return true
	}
	return false
}
