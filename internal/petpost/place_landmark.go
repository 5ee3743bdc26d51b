package petpost

// landmark reads what a place is told by: "у магазина Пятёрочка", "около школы
// №5", "на остановке Кирзавод", "рядом с ТЦ «Флагман»", "парк Сосновка".
func (r *reader) landmark(i int) placeSpan {
	t := &r.text
	near := r.text.has(i, "place.near")
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
	s := r.spotAt(k)
	road := s.to - 1
	switch {
	case road > k && t.isWord(i, "по", "на") && t.isWord(road, "дороге", "дорогу"):
		return placeSpan{k, s.to, max(s.rank, rankLandmark)} // "по объездной дороге"
	case s.to == k && near:
		return r.nearName(i, k)
	case s.to == k, s.rank <= rankLandmark && !near, s.rank == rankVague && t.isWord(i, "перед", "между", "вокруг"):
		return placeSpan{} // "в подвале" says nothing
	case k == i && r.text.has(s.to-1, "place.spot") && !r.clauseEnds(s.to):
		return placeSpan{} // "Ветеринарный центр проводит"
	case s.from == k:
		s.from = i
	}
	return s
}

// nearName reads what else is told after "у", "возле", "между".
func (r *reader) nearName(i, k int) placeSpan {
	t := &r.text
	w := t.at(k)
	switch {
	case w.upper && w.gap&gapQuote == 0:
		return r.nearProperName(i, k)
	case !w.upper && r.unknown(k) && !r.text.has(k, "place.no.name") && w.length() > 4 && t.isWord(i, "около", "возле", "напротив", "недалеко", "неподалеку", "рядом", "вблизи"):
		return placeSpan{i, k + 1, rankLandmark} // "около мясокомбината"
	}
	return placeSpan{}
}

func (r *reader) nearProperName(i, k int) placeSpan {
	t := &r.text
	if s := r.capitalPlace(k); s.to > k+1 && !r.text.has(k, "place.no.name") {
		return placeSpan{i, s.to, s.rank} // "у Комсомольской площади"
	}
	to := r.properName(k, 2)
	if to == k || r.someone(k, to) || !r.unknown(k) && !t.has(k, "city") {
		return placeSpan{}
	}
	// "у Марины" is somebody, "у Пятёрочки" may be
	if t.isWord(i, "у") && !t.words[k].caps && !t.ends(to-1, "street") && !t.ends(to-1, "many.things") {
		return placeSpan{}
	}
	return r.withHouse(placeSpan{i, to, rankLandmark + 2})
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
	case !r.text.has(spot, "place.spot", "place.yard"):
		return placeSpan{to: k}
	case spot > k && first.upper && !first.caps:
		rank = rankNamed
	case !r.text.has(spot, "place.spot"):
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
	t := &r.text
	if r.text.has(i, "place.no.name", "place.spot", "place.yard") || t.has(i, "kind") || t.has(i, "lose") || t.has(i, "color") {
		return false
	}
	return t.ends(i, "adjective") || t.isWord(i, "жд", "ж", "авто") || t.at(i).gap == gapSlash && t.isWord(i, "д")
}

// spotNamed reads the name or number after the word for a spot; its to is 0 if
// there is none.
func (r *reader) spotNamed(k, spot, rank int) placeSpan {
	t := &r.text
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
		if n := t.number(to); n > 0 && n < 1000 && !r.text.has(to+1, "place.unit") && !t.has(to+1, "month") && (next.kind != kindNumber || next.gap == gapSpace) {
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
	yard := r.text.has(spot, "place.yard")
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
