package petpost

// withHouse adds a house number to a street.
func (r *reader) withHouse(s placeSpan) placeSpan {
	if to, ok := r.house(s.to); ok {
		return placeSpan{s.from, to, max(s.rank, rankAddress)}
	}
	return s
}

// house is houseAt for a number that no unit follows.
func (r *reader) house(i int) (to int, ok bool) {
	to = r.houseAt(i)
	t := &r.text
	if to == i || r.is(to, bitUnit) && t.words[to].gap&^gapSpace == 0 && t.sameSentence(i, to) {
		return i, false
	}
	if r.is(to, bitDistrict) && t.words[to].gap == gapSpace && t.words[i].gap&gapComma != 0 {
		return i, false // "г. Волжский, 22 мкр."
	}
	return to, true
}

// houseAt returns the end of a house number at i: "12", "д. 12а", "12/3", "12 к2".
func (r *reader) houseAt(i int) int {
	t, c := &r.text, &r.rs.class
	k := i
	if k < len(t.words) && t.has(k, c.house) && t.words[k].gap&(gapBlank|gapLine) == 0 {
		k++
	}
	if k >= len(t.words) || t.words[k].kind != kindNumber || r.inPhone(k) || t.words[k].end-t.words[k].start > 3 {
		return i
	}
	if t.words[k].gap&(gapBlank|gapLine|gapQuestion|gapExclaim|gapColon) != 0 || k == i && t.words[k].gap&(gapDot|gapComma) == gapDot {
		return i
	}
	if k+1 < len(t.words) && (t.has(k+1, c.month) || t.has(k+1, c.ageUnit) || t.has(k+1, c.span) || t.words[k+1].kind == kindNumber && t.words[k+1].gap&^gapSpace == gapColon) && t.words[k+1].gap&gapComma == 0 {
		return i
	}
	if k == i && r.dottedDate(k) > 0 {
		return i
	}
	if next := k + 1; k == i && t.words[k].gap&gapComma != 0 && t.sameSentence(k, next) && t.words[next].kind == kindWord && t.words[next].gap == gapSpace &&
		!t.words[next].upper && t.words[next].codeTo-t.words[next].codeAt > 3 && !t.has(next, c.building) && !r.is(next, bitSpot|bitYard|bitNear) && !t.has(next, c.lose) && !t.has(next, c.find) {
		return i // "под Нытвой, 4 штуки"
	}
	k++
	for k < len(t.words) && !r.inPhone(k) {
		w := &t.words[k]
		switch {
		case w.kind == kindWord && w.gap&^gapHyphen == 0 && w.codeTo-w.codeAt <= 2 && !r.is(k, bitUnit):
		case w.kind == kindWord && w.gap&^gapSpace == 0 && w.codeTo-w.codeAt == 1 && t.isWord(k, "а", "б", "г", "д", "е") && r.clauseEnds(k+1) && t.words[k-1].kind == kindNumber: // "30 а"
		case w.kind == kindNumber && w.gap == gapSlash && w.end-w.start <= 3:
		case w.kind == kindNumber && w.gap&^(gapSpace|gapDot) == 0 && t.has(k-1, c.building):
		case t.has(k, c.building) && w.gap&^(gapSpace|gapComma) == 0 && k+1 < len(t.words) && t.words[k+1].kind == kindNumber:
		default:
			return k
		}
		k++
	}
	return k
}
