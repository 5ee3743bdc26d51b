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
	if rank != rankStreet && r.is(k, bitMarker) && !(t.words[k].upper && !r.is(k, bitStreet|bitStreetShort)) {
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
	bits, k, sure := r.placeBits[i], i+1, false
	if gap := t.at(k).gap; gap == gapHyphen || gap == gapSlash { // "р-н", "с/т"
		if whole := placeBitsOf(slices.Concat(t.codesOf(t.at(i)), t.codesOf(t.at(k)))) & bitMarker; whole != 0 {
			bits, k, sure = whole, k+1, true
		}
	}
	switch {
	case bits&bitStreet != 0, bits&bitStreetShort != 0 && (sure || t.isWord(i, "ул") || t.at(k).upper && !r.initial(i)):
		return k, rankStreet
	case bits&bitDistrict != 0:
		return k, rankDistrict
	case bits&bitSettlement != 0, bits&bitSettlementShort != 0 && (sure || r.shortSettlement(i)):
		return k, rankSettlement
	}
	return k, 0
}

// initial reports that of a person: "Марина П. Чеки".
func (r *reader) initial(i int) bool {
	w, before := r.text.at(i), r.text.at(i-1)
	return w.upper && w.length() == 1 && before.upper && w.gap == gapSpace
}

// shortSettlement reports "г.", "п.", "КС «Уралец»" before a name.
func (r *reader) shortSettlement(i int) bool {
	t := &r.text
	w, next := t.at(i), t.at(i+1)
	if r.initial(i) || t.at(i-1).kind == kindNumber && w.gap&^gapSpace == 0 {
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
	to := r.numberedName(k)
	switch {
	case to > k:
		return to
	case r.text.isWord(k+1, "года") && rank == rankStreet, r.is(k+1, bitDistrict) && rank == rankDistrict:
		return k + 2
	}
	return k
}

// lowerAfterMarker reads a name in small letters, if it looks like one.
func (r *reader) lowerAfterMarker(i, k, rank int) int {
	t := &r.text
	if t.at(k).kind != kindWord || r.is(k, bitNoName|bitMarker|bitSpot|bitYard) {
		return k
	}
	_, house := r.house(k + 1)
	adjective, unknown := r.adjectiveOfPlace(k), r.unknown(k)
	switch {
	case rank == rankStreet:
		if house || adjective || unknown && !t.isWord(i, "улице") {
			return r.secondLower(k + 1)
		}
	case (adjective || unknown) && house, (adjective || unknown || t.has(k, r.rs.class.city)) && r.clauseEnds(k+1):
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
	if t.follows(to, gapSpace) && !t.words[to].upper && t.ends(to-1, "adjective") && r.is(to, bitGeo|bitSpot|bitStreet) {
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

// numberedName reads names that begin with a number: "40 лет Победы", "9 Января",
// "1-я Садовая", "3 Дачная".
func (r *reader) numberedName(i int) int {
	t := &r.text
	capital := func(k int) bool {
		return t.sameSentence(i, k) && t.words[k].upper && t.words[k].gap == gapSpace && !r.is(k, bitNoName)
	}
	switch {
	case t.number(i) > 100:
		return i
	case t.isWord(i+1, "лет", "летия") && (capital(i+2) || r.is(i+2, bitFamous)):
		return i + 3
	case capital(i+1) && t.has(i+1, r.rs.class.month):
		return i + 2
	case capital(i+1) && t.ends(i+1, "adjective"):
		return r.withNoun(i + 2)
	case capital(i+2) && t.isWord(i+1, "й", "я", "ая", "ый", "ой", "го", "му"):
		return r.properName(i+2, 2)
	}
	return i
}

// numberPlace reads what begins with a number: "10 лет Октября 53", "22 мкр",
// "78 Добровольческой", "34 км".
func (r *reader) numberPlace(i int) placeSpan {
	t := &r.text
	if t.at(i-1).kind == kindNumber && !r.clauseStarts(i) {
		return placeSpan{}
	}
	k := i + 1
	if t.isWord(k, "й", "го", "м", "ый", "ом") {
		k++
	}
	switch {
	case !t.follows(k, gapSpace):
	case r.is(k, bitDistrict):
		return placeSpan{i, k + 1, rankDistrict} // "22 мкр"
	case t.isWord(k, "линия", "линии", "линию", "проезд", "просека", "аллея"):
		return r.withHouse(placeSpan{i, k + 1, rankStreet})
	case t.isWord(k, "км", "километр", "километре") && t.follows(k+1, gapSpace):
		return r.kilometre(i, k+1)
	}
	to := r.numberedName(i)
	if to == i {
		return placeSpan{}
	}
	s := r.withHouse(placeSpan{i, to, rankStreet})
	if s.rank == rankStreet && to == i+2 && t.has(i+1, r.rs.class.month) && !t.isWord(i-1, "на", "по", "ул", "улице", "улица") {
		return placeSpan{} // a date
	}
	return s
}

// kilometre reads what road the kilometre at i is of: "34 км трассы Пермь -
// Березники".
func (r *reader) kilometre(i, from int) placeSpan {
	t := &r.text
	begin := from
	if t.isWord(from, "трассы", "дороги") {
		from++
	}
	to := r.properName(from, 2)
	if to == begin {
		return placeSpan{}
	}
	if t.at(to).gap&gapDash != 0 {
		to = r.properName(to, 2)
	}
	return placeSpan{i, r.withNoun(to), rankNamed}
}

// houseOfStreet reads a house that is told before its street: "дома 5 по ул.
// Союзной", "д. 5 на Майской".
func (r *reader) houseOfStreet(i int) placeSpan {
	t := &r.text
	if !t.has(i, r.rs.class.house) {
		return placeSpan{}
	}
	k := r.houseAt(i)
	if t.isWord(k, "по", "на") {
		k++
	}
	if k > i+1 && t.sameSentence(i, k) {
		if s := r.placeAt(k); s.rank >= rankBare {
			return placeSpan{i, s.to, rankAddress}
		}
	}
	return placeSpan{}
}

// lowerPlace reads places in small letters that have no marker before them:
// "псковской улице", "заречном районе", "соколовая гора", "тельмана 30 а".
func (r *reader) lowerPlace(i int) placeSpan {
	t := &r.text
	if t.words[i].upper || r.is(i, bitNoName|bitMarker) {
		return placeSpan{}
	}
	k := i + 1
	switch next := t.follows(k, gapSpace); {
	case next && r.is(k, bitStreet) && r.adjectiveOfPlace(i):
		return r.withHouse(placeSpan{i, k + 1, rankStreet})
	case next && r.is(k, bitDistrict) && r.adjectiveOfPlace(i):
		return placeSpan{i, k + 1, rankDistrict}
	case next && r.is(k, bitGeo) && r.unknown(i) && t.ends(i, "adjective"):
		return placeSpan{i, k + 1, rankLandmark}
	case r.lowerAddress(i):
		if to, house := r.house(k); house && r.clauseEnds(to) {
			return placeSpan{i, to, rankAddress}
		}
	}
	return placeSpan{}
}

// lowerAddress reports a street in small letters that only its house tells:
// "тельмана 30 а".
func (r *reader) lowerAddress(i int) bool {
	t := &r.text
	return t.at(i+1).kind == kindNumber && r.unknown(i) && t.ends(i, "street") && (r.clauseStarts(i) || t.isWord(i-1, "на", "по", "с"))
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
	if to == i || r.is(to, bitUnit) && r.text.follows(to, gapSpace) || r.is(to, bitDistrict) && r.text.words[i].gap&gapComma != 0 {
		return i, false // "г. Волжский, 22 мкр."
	}
	return to, true
}

// houseAt returns the end of a house number at i: "12", "д. 12а", "12/3", "12 к2";
// i if there is none.
func (r *reader) houseAt(i int) int {
	t, c := &r.text, &r.rs.class
	k := i
	if t.has(k, c.house) && t.words[k].gap&(gapBlank|gapLine) == 0 {
		k++
	}
	if !r.houseNumber(k) || k == i && (r.isTime(k) || r.counts(k)) {
		return i
	}
	for k++; !r.inPhone(k); k++ {
		switch w := t.at(k); {
		case w.kind == kindWord && w.gap&^gapHyphen == 0 && w.length() <= 2: // "12а"
		case w.length() == 1 && w.gap&^gapSpace == 0 && r.clauseEnds(k+1) && t.isWord(k, "а", "б", "г", "д", "е") && t.at(k-1).kind == kindNumber: // "30 а"
		case w.kind == kindNumber && w.gap == gapSlash && w.digits() <= 3: // "12/3"
		case w.kind == kindNumber && w.gap&^(gapSpace|gapDot) == 0 && t.has(k-1, c.building):
		case t.has(k, c.building) && w.gap&^(gapSpace|gapComma) == 0 && t.at(k+1).kind == kindNumber: // "12 к2"
		default:
			return k
		}
	}
	return k
}

// houseNumber reports a number of up to three digits that is no hour, day or age.
func (r *reader) houseNumber(i int) bool {
	t, c := &r.text, &r.rs.class
	w, next := t.at(i), t.at(i+1)
	if w.kind != kindNumber || w.digits() > 3 || r.inPhone(i) || w.gap&(gapBlank|gapLine|gapQuestion|gapExclaim|gapColon) != 0 {
		return false
	}
	hour := next.kind == kindNumber && next.gap == gapColon
	return !hour && (next.gap&gapComma != 0 || !t.has(i+1, c.month) && !t.has(i+1, c.ageUnit) && !t.has(i+1, c.span))
}

// counts reports a number after a comma that says how many there are: "под Нытвой,
// 4 штуки".
func (r *reader) counts(i int) bool {
	t, c := &r.text, &r.rs.class
	k := i + 1
	if t.words[i].gap&gapComma == 0 || !t.follows(k, gapSpace) {
		return false
	}
	w := &t.words[k]
	return w.kind == kindWord && !w.upper && w.length() > 3 && !t.has(k, c.building) && !r.is(k, bitSpot|bitYard|bitNear) && !t.has(k, c.lose) && !t.has(k, c.find)
}
