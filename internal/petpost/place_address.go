package petpost

import "slices"

// marker gives what the word at i, "ул.", "р-н", "деревня", says of the name
// after it, and where that begins; rank 0 if it says nothing.
func (r *reader) marker(i int) (name, rank int) {
	const between = gapSpace | gapDot | gapColon | gapQuote | gapHyphen | gapDash | gapWide
	t := &r.text
	classes, k, sure := t.lexOf(t.at(i)), i+1, false
	if gap := t.at(k).gap; gap == gapHyphen || gap == gapSlash { // "р-н", "с/т"
		whole := vocabulary().read(nil, slices.Concat(t.codesOf(t.at(i)), t.codesOf(t.at(k))))
		if slices.Contains(whole, "place.marker") {
			classes, k, sure = whole, k+1, true
		}
	}
	is := func(class string) bool { return slices.Contains(classes, class) }
	switch {
	case !t.follows(k, between):
	case is("place.street"), is("place.street.short") && (sure || t.isWord(i, "ул") || t.at(k).upper):
		return k, rankStreet
	case is("place.district"):
		return k, rankDistrict
	case is("place.settlement"), is("place.settlement.short") && (sure || r.shortSettlement(i)):
		return k, rankSettlement
	}
	return k, 0
}

// shortSettlement reports "г.", "п.", "КС «Уралец»" before a name.
func (r *reader) shortSettlement(i int) bool {
	t := &r.text
	w, next := t.at(i), t.at(i+1)
	if t.at(i-1).kind == kindNumber && w.gap&^gapSpace == 0 {
		return false // "3 г. Ласковый"
	}
	return next.upper && (next.gap&gapDot != 0 || t.isWord(i, "г", "п", "д") || w.caps && !next.caps)
}

// markedName returns the end of the name at k after a marker, k if there is none. It
// needs a capital or quotes.
func (r *reader) markedName(k int) int {
	if to := r.quoted(k); to > k {
		return to
	}
	if r.text.at(k).length() == 1 && r.text.at(k+1).gap&gapDot != 0 {
		k++ // "ул. А. Невского"
	}
	return r.withNoun(r.properName(k, 3))
}

// withNoun adds the noun of a name like "Каменный лог" to its adjective, which
// ends at to.
func (r *reader) withNoun(to int) int {
	t := &r.text
	if t.follows(to, gapSpace) && !t.words[to].upper && t.ends(to-1, "adjective") && r.text.has(to, "place.geo", "place.spot", "place.street") {
		return to + 1
	}
	return to
}

// quoted returns the end of a name in quotation marks that begins at i, i if
// there is none.
func (r *reader) quoted(i int) int {
	const longest = 5
	t := &r.text
	if t.at(i).gap&gapQuote == 0 {
		return i
	}
	for k := i + 1; k <= min(i+longest, len(t.words)); k++ {
		if after := t.gapAfter(k - 1); after&gapQuote != 0 {
			return k
		}
	}
	return i
}

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
	if to == i || r.text.has(to, "place.unit", "place.street.short", "place.yard") && r.text.follows(to, gapSpace) || r.text.has(to, "place.district") && r.text.words[i].gap&gapComma != 0 {
		return i, false // "г. Волжский, 22 мкр."
	}
	return to, true
}

// houseAt returns the end of a house number at i: "12", "д. 12а", "12/3", "12 к2";
// i if there is none.
func (r *reader) houseAt(i int) int {
	t := &r.text
	k := i
	if t.has(k, "house.word") && t.words[k].gap&(gapBlank|gapLine) == 0 {
		k++
	}
	if !r.houseNumber(k) || k == i && r.isTime(k) {
		return i
	}
	for k++; !r.inPhone(k); k++ {
		switch w := t.at(k); {
		case w.kind == kindWord && w.gap&^gapHyphen == 0 && w.length() <= 2: // "12а"
		case w.length() == 1 && w.gap&^gapSpace == 0 && r.clauseEnds(k+1) && t.isWord(k, "а", "б", "г", "д", "е") && t.at(k-1).kind == kindNumber: // "30 а"
		case w.kind == kindNumber && w.gap == gapSlash && w.digits() <= 3: // "12/3"
		case w.kind == kindNumber && w.gap&^(gapSpace|gapDot) == 0 && t.has(k-1, "building"):
		case t.has(k, "building") && w.gap&^(gapSpace|gapComma) == 0 && t.at(k+1).kind == kindNumber: // "12 к2"
		default:
			return k
		}
	}
	return k
}

// houseNumber reports a number of up to three digits that is no hour, day or age.
func (r *reader) houseNumber(i int) bool {
	t := &r.text
	w, next := t.at(i), t.at(i+1)
	if w.kind != kindNumber || w.digits() > 3 || r.inPhone(i) || w.gap&(gapBlank|gapLine|gapQuestion|gapExclaim|gapColon) != 0 {
		return false
	}
	hour := next.kind == kindNumber && next.gap == gapColon
	return !hour && (next.gap&gapComma != 0 || !t.has(i+1, "month") && !t.has(i+1, "age.unit") && !t.has(i+1, "span"))
}
