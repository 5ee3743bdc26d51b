package petpost

// landmark reads what a place is told by: "у магазина Пятёрочка", "около школы
// №5", "на остановке Кирзавод", "рядом с ТЦ «Флагман»", "парк Сосновка".
func (r *reader) landmark(i int) placeSpan {
	t, c := &r.text, &r.rs.class
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
	if t.isWord(k, "углу", "угол", "пересечении", "пересечение", "перекрестке", "перекресток") || t.isWord(i, "угол", "перекресток", "пересечение") {
		from := k + 1
		if t.isWord(i, "угол", "перекресток", "пересечение") {
			from = i + 1
		}
		if s := r.corner(i, from); s.rank > 0 {
			return s
		}
	}
	if near && r.is(k, bitElsewhere) && t.isWord(k, "ветклиники", "ветклиникой", "клиники", "клиникой", "ветлечебницы", "гостиницы") {
		to := k + 1
		if to < len(t.words) && t.words[to].gap&gapQuote != 0 {
			to = max(to, r.quoted(to))
		}
		return placeSpan{i, to, rankLandmark}
	}
	if near {
		if end := r.houseAt(k); end > k && t.has(k, c.house) {
			return placeSpan{i, end, rankLandmark} // "у дома 5"
		}
		if t.words[k].kind == kindNumber && t.number(k) < 300 && k+1 < len(t.words) && t.has(k+1, c.house) {
			return placeSpan{i, k + 2, rankLandmark} // "у 11 дома"
		}
	}
	s := r.spotAt(k)
	if s.to > k {
		if road := s.to - 1; s.rank == rankVague && !near && road > k && t.isWord(i, "по", "на") && t.isWord(road, "дороге", "дорогу") {
			return placeSpan{k, s.to, rankLandmark} // "по объездной дороге"
		}
		if s.rank <= rankLandmark && !near {
			return placeSpan{} // "в подвале" says nothing
		}
		if k == i && s.from == k && r.clauseStarts(i) && r.is(s.to-1, bitSpot) && !r.clauseEnds(s.to) {
			return placeSpan{} // "Ветеринарный центр проводит"
		}
		if s.rank == rankVague && t.isWord(i, "перед", "между", "вокруг", "к") {
			return placeSpan{}
		}
		if s.from == k {
			s.from = i
		}
		return s
	}
	if !near {
		return placeSpan{}
	}
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
		if p := r.capitalPlace(k); p.to > k+1 && !r.is(k, bitNoName) {
			return placeSpan{i, p.to, p.rank} // "у Комсомольской площади"
		}
		to := r.properName(k, 2)
		if to > k && !r.someone(k, to) && (r.unknown(k) || t.has(k, c.city)) && (!t.isWord(i, "у", "за") || w.caps && w.codeTo-w.codeAt <= 5 || streetLike(t.codesOf(&t.words[to-1])) || t.isWord(i, "за") || endsWithAny(t.codesOf(&t.words[to-1]), genitiveOfMany)) {
			return r.withHouse(placeSpan{i, to, rankLandmark + 2})
		}
	case w.kind == kindWord && !w.upper && r.unknown(k) && t.isWord(i, "около", "возле", "напротив", "недалеко", "неподалеку", "рядом", "вблизи") && !r.is(k, bitNoName) && len(t.codesOf(w)) > 4 && genitive(t.codesOf(w)):
		return placeSpan{i, k + 1, rankLandmark} // "около мясокомбината"
	}
	return placeSpan{}
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
	t, c := &r.text, &r.rs.class
	if t.isWord(k, "дома", "дом", "доме", "домом") && t.isWord(k+1, "культуры", "быта", "правительства", "офицеров", "учителя", "книги", "мебели", "ребенка", "молодежи", "отдыха") && t.words[k+1].gap == gapSpace {
		return placeSpan{k, k + 2, rankNamed}
	}
	spot := k
	for spot < k+2 && spot < len(t.words) && !r.is(spot, bitSpot|bitYard) {
		w := &t.words[spot]
		if w.kind != kindWord || !adjectiveEnding(t.codesOf(w)) && !t.isWord(spot, "жд", "ж", "авто") && !(w.gap == gapSlash && t.isWord(spot, "д")) || r.is(spot, bitNoName) || t.has(spot, c.kind) || t.has(spot, c.lose) || t.has(spot, c.color) {
			return placeSpan{to: k}
		}
		spot++
	}
	if spot >= len(t.words) || !r.is(spot, bitSpot|bitYard) || spot > k && (!t.sameSentence(k, spot) || t.words[spot].gap&^(gapSpace|gapHyphen) != 0) {
		return placeSpan{to: k}
	}
	rank := rankLandmark
	if !r.is(spot, bitSpot) {
		rank = rankVague
	}
	if spot > k && (t.words[k].upper && !t.words[k].caps || rank == rankLandmark && !t.words[k].caps) {
		rank = rankNamed - btoi(!t.words[k].upper)*(rankNamed-rankLandmark-2)
	}
	to := spot + 1
	if to < len(t.words) && t.sameSentence(spot, to) && !r.inPhone(to) && t.words[to].gap&^(gapSpace|gapQuote|gapDot|gapHyphen|gapEmoji*gap(btoi(t.words[to].kind == kindNumber))) == 0 {
		w := &t.words[to] // "№" counts as an emoji
		switch {
		case t.isWord(to, "на") && t.isWord(spot, "трасса", "трассе", "трассы", "поворот", "поворота", "повороте", "выезд", "выезде", "дорога", "дороге", "развилка", "развилке") && t.sameSentence(to, to+1) && t.words[to+1].upper:
			if end := r.properNameOf(to+1, 2, true); end > to+1 {
				return placeSpan{k, end, rankNamed} // "поворот на Сосновку"
			}
		case t.isWord(to, "им", "имени"):
			if end := r.properName(to+1, 3); end > to+1 && t.sameSentence(to, to+1) {
				return placeSpan{k, end, rankNamed}
			}
		case t.isWord(to, "номер") && to+1 < len(t.words) && t.words[to+1].kind == kindNumber:
			return placeSpan{k, to + 2, rankNamed}
		case w.gap&gapQuote != 0:
			if end := r.quoted(to); end > to {
				return placeSpan{k, end, rankNamed}
			}
		case w.kind == kindNumber:
			if n := t.number(to); n > 0 && n < 1000 && !(to+1 < len(t.words) && (r.is(to+1, bitUnit) || t.has(to+1, c.month) || t.words[to+1].kind == kindNumber && t.words[to+1].gap != gapSpace)) {
				return placeSpan{k, to + 1, max(rank, rankNamed*btoi(rank > rankVague))}
			}
		case w.upper && w.gap&gapDot == 0 && r.is(spot, bitSpot|bitYard) && !w.caps || w.caps && r.unknown(to):
			if end := r.properNameOf(to, 2, true); end > to && (r.is(spot, bitSpot) || !r.someone(to, end)) && (!t.words[to-1].caps || !w.caps) {
				end = r.withNoun(end)
				if number, ok := r.house(end); ok && r.is(spot, bitYard) {
					return placeSpan{to, number, rankAddress} // "из подъезда Сурикова 42"
				}
				if spot == k && r.is(spot, bitYard) && t.isWord(spot, "двора", "дворе", "подъезда", "подъезде") {
					return placeSpan{to, end, rankNamed}
				}
				rank = max(rank, rankNamed)
				return r.withHouse(placeSpan{k, end, rank})
			}
		case w.kind == kindWord && !w.upper && (r.unknown(to) && t.isWord(spot, "остановка", "остановке", "остановки") || t.isWord(spot, "тц", "трц", "тк")) && r.clauseEnds(to+1) && !r.is(to, bitNoName):
			return placeSpan{k, to + 1, rankNamed}
		}
	}
	return placeSpan{k, to, rank}
}

// genitive reports the endings that a noun has after "около".
func genitive(letters []byte) bool {
	switch letterOf(letters[len(letters)-1]) {
	case 'а', 'я', 'ы', 'и', 'в', 'й', 'о':
		return true
	}
	return false
}
