package petpost

// isHome tells whether the animal is home again. A post that says so is
// reunited even when the old search text stands under it, unless it asks for
// something new.
func (r *reader) isHome(v *view, lost, adopt, money, owner int) bool {
	s := &v.scores.sum
	if title := &v.scores.title; title[sigHome] == 0 && title[sigNews] >= 8 {
		return false // a report, some of whose animals went home
	}
	if s[sigNotHome] >= plain || adopt >= outright || money >= outright {
		return false
	}
	if owner >= outright && owner > s[sigHome] || s[sigAdopted] > 0 && s[sigAdopted] >= s[sigHome] {
		return false
	}
	if s[sigHome] >= 8 {
		return true
	}
	if lost >= plain && (s[sigHome] > 0 || r.headedHome()) {
		return true
	}
	return r.shortlyFound(v) || owner < outright && r.foundAtOnce(v)
}

// headedHome reads "UPD нашёлся!" above the old search.
func (r *reader) headedHome() bool {
	t := &r.text
	if len(t.sentences) < 2 || t.sentences[0].to != 2 {
		return false
	}
	return t.words[0].kind == kindLatin && t.has(1, r.rs.class.homeMark)
}

// shortlyFound reads the short notices: "Нашлась!", "Пёс найден ✅". A verb that
// comes before its animal ("Найден пёс") announces a find instead.
func (r *reader) shortlyFound(v *view) bool {
	t, s := &r.text, &v.scores.sum
	if s[sigFound] == 0 || s[sigOwner]+s[sigHold]+s[sigSeen]+s[sigLost]+s[sigAdopt] > 0 {
		return false
	}
	if len(t.words) > 8 || len(v.reading.Phones) > 0 {
		return false
	}
	c := &r.rs.class
	for k := range r.found {
		m := &r.found[k]
		if m.phrase.rule.signal != sigFound {
			continue
		}
		if !t.has(m.anchor, c.find) || v.reading.Location != "" && (m.anchor == 0 || countDigits(v.reading.Location) > 0) {
			return false
		}
		for i := m.anchor + 1; i < len(t.words); i++ {
			if t.has(i, c.kind) && t.words[i].sentence == t.words[m.anchor].sentence {
				return false
			}
		}
	}
	return true
}

// foundAtOnce reads a text whose first sentence says no more than that somebody
// was found ("Сажик нашёлся!!! Сидел у соседей…"), with nobody asked for.
func (r *reader) foundAtOnce(v *view) bool {
	t, c := &r.text, &r.rs.class
	if len(t.sentences) == 0 || v.scores.sum[sigHold] > 0 || v.scores.sum[sigLost] >= outright || len(v.reading.Phones) > 0 && v.reading.Name == "" {
		return false
	}
	if len(t.words) <= 8 {
		for _, s := range t.sentences[1:] {
			if n := int(s.to - s.from); n == 2 && t.isWord(int(s.to)-1, "дома") && t.words[s.from].upper {
				return true // "Ура! Дара дома"
			}
		}
	}
	first := t.sentences[0]
	last := int(first.to) - 1
	for i := 0; i < last; i++ {
		if t.words[i+1].gap&(gapComma|gapDash|gapParen) != 0 {
			last = i
		}
	}
	if last > 3 || first.question || t.words[0].hashtag {
		return false
	}
	if t.isWord(last, "дома") && last > 0 && last < 3 && !t.isWord(last-1, "не", "нет", "из", "у", "нужен", "возле", "около", "ищем", "ищу", "наши", "два", "три") {
		return true
	}
	if !t.has(last, c.find) {
		return false
	}
	return last > 0 || len(t.sentences) > 1 && t.isWord(0, "нашелся", "нашлась", "нашлись", "нашли")
}
