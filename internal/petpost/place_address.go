package petpost

import "slices"

// markedPlace reads a name after the word that says what it is: "ул. Ленина 5",
// "р-н Вогулка", "СНТ «Урожай»", "д. Пирогово".
func (r *reader) markedPlace(i int) placeSpan {
	t := &r.text
	k, rank := r.marker(i)
	const between = gapSpace | gapDot | gapColon | gapQuote | gapHyphen | gapDash | gapWide
	if rank == 0 || k >= len(t.words) || t.words[k].gap&^between != 0 || !t.sameSentence(i, k) {
		return placeSpan{}
	}
	if rank != rankStreet && r.text.has(k, "place.marker") && !(t.words[k].upper && !r.text.has(k, "place.street", "place.street.short")) {
		if s := r.markedPlace(k); s.rank > 0 {
			return placeSpan{i, s.to, s.rank} // "район ул. Гагарина 42"
		}
	}
	if rank == rankDistrict {
		if s := r.spotAt(k); s.to > k {
			return placeSpan{i, s.to, rankDistrict} // "в районе ТЦ «Аврора»"
		}
	}
	to := r.nameAfterMarker(i, k, rank)
	switch {
	case to == k:
		return placeSpan{}
	case t.isWord(i, "город", "города", "городе", "г"):
		rank = rankCity + 5 // every post of the wall may say it
	}
	return r.withHouse(placeSpan{i, to, rank})
}

// marker gives what the word at i, "ул.", "р-н", "деревня", says of the name
// after it, and where that begins; rank 0 if it says nothing.
func (r *reader) marker(i int) (name, rank int) {
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

// nameAfterMarker returns the end of the name at k after the marker at i, k if
// there is none. After a marker a name needs no capital, if it looks like one.
func (r *reader) nameAfterMarker(i, k, rank int) int {
	t := &r.text
	if t.isWord(k, "им", "имени", "реки", "городского", "типа") {
		if to := r.nameAfterMarker(i, k+1, rank); to > k+1 {
			return to
		}
		return k
	}
	if to := r.quoted(k); to > k {
		return to
	}
	if t.at(k).kind == kindNumber {
		return r.numberAfterMarker(k, rank)
	}
	if to := r.properNameOf(k, 3, true); to > k {
		return r.withNoun(to)
	}
	return r.lowerAfterMarker(i, k, rank)
}

// numberAfterMarker reads "ул. 40 лет Победы", "ул. 1905 года", "район 6 квартал".
func (r *reader) numberAfterMarker(k, rank int) int {
	s := r.patternPlace(k)
	switch {
	case s.rank >= rankStreet:
		return s.to
	case r.text.isWord(k+1, "года") && rank == rankStreet, r.text.has(k+1, "place.district") && rank == rankDistrict:
		return k + 2
	}
	return k
}

// lowerAfterMarker reads a name in small letters, if it looks like one.
func (r *reader) lowerAfterMarker(i, k, rank int) int {
	t := &r.text
	if t.at(k).kind != kindWord || r.text.has(k, "place.no.name", "place.marker", "place.spot", "place.yard") {
		return k
	}
	_, house := r.house(k + 1)
	adjective, unknown := r.adjectiveOfPlace(k), r.unknown(k)
	switch {
	case rank == rankStreet:
		if house || adjective || unknown && !t.isWord(i, "улице") {
			return r.secondLower(k + 1)
		}
	case (adjective || unknown) && house, (adjective || unknown || t.has(k, "city")) && r.clauseEnds(k+1):
		return k + 1
	}
	return k
}

// secondLower adds the second word of a street in small letters, "карла маркса",
// if a house or a pause follows it.
func (r *reader) secondLower(to int) int {
	if r.text.follows(to, gapSpace) && r.unknown(to) && r.text.ends(to, "street") {
		if _, house := r.house(to + 1); house || r.clauseEnds(to+1) {
			return to + 1
		}
	}
	return to
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
	if to == i || r.text.has(to, "place.unit", "place.street.short") && r.text.follows(to, gapSpace) || r.text.has(to, "place.district") && r.text.words[i].gap&gapComma != 0 {
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
