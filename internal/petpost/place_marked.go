package petpost

// markedPlace reads a name after the word that says what it is: "ул. Ленина 5",
// "р-н Вогулка", "СНТ «Урожай»", "д. Пирогово", "место: Пермь".
func (r *reader) markedPlace(i int) placeSpan {
	t := &r.text
	k, rank := r.marker(i)
	if rank == 0 || k >= len(t.words) || t.words[k].gap&^(gapSpace|gapDot|gapColon|gapQuote|gapHyphen|gapDash|gapWide) != 0 || !t.sameSentence(i, k) && t.words[k].gap&gapLine == 0 || r.inPhone(k) {
		return placeSpan{}
	}
	from := i
	if rank == rankBare {
		from = k
	}
	if (rank == rankDistrict || rank == rankSettlement) && (r.is(k, bitMarker) && !t.words[k].upper || r.is(k, bitStreet|bitStreetShort)) {
		// "район ул. Гагарина 42", "в районе школы №3"
		if s := r.markedPlace(k); s.rank > 0 {
			s.from = from
			return s
		}
	}
	if rank == rankDistrict {
		if s := r.spotAt(k); s.to > k && s.from == k {
			return placeSpan{from, s.to, rankDistrict} // "в районе ТЦ «Аврора»"
		}
	}
	to := r.nameAfterMarker(k, rank, i)
	switch {
	case to == k && rank == rankDistrict && r.is(k, bitStreet) && !t.words[k].upper && t.isWord(k, "набережной", "площади", "трассы", "шоссе", "аллеи"):
		return placeSpan{from, k + 1, rankDistrict} // "район набережной"
	case to == k:
		return placeSpan{}
	case rank == rankSettlement && r.is(i, bitSettlement) && t.isWord(i, "город", "города", "городе", "г"):
		rank = rankCity + 5 // every post of the wall may say it
	}
	return r.withHouse(placeSpan{from, to, rank})
}

// marker gives what the word at i, "ул.", "р-н", "деревня", says of the name
// after it, and where that begins; rank 0 if it says nothing.
func (r *reader) marker(i int) (name, rank int) {
	t := &r.text
	k := i + 1
	cutWord := k < len(t.words) && (t.words[k].gap == gapHyphen || t.words[k].gap == gapSlash)
	cutEnd := cutWord && t.isWord(k, "т", "кт", "та", "те", "ту", "р", "ре", "л", "н", "не", "на") // "пр-т", "мкр-н"
	switch bits := r.placeBits[i]; {
	case t.isWord(i, "р") && cutWord && t.words[k].gap == gapHyphen && t.isWord(k, "н", "не", "на", "ну", "он"):
		return k + 1, rankDistrict
	case cutEnd && t.isWord(i, "пр", "б", "ш"):
		return k + 1, rankStreet
	case cutEnd && t.isWord(i, "кв", "мкр"):
		return k + 1, rankDistrict
	case cutEnd && t.isWord(i, "с"):
		return k + 1, rankSettlement
	case bits&bitStreet != 0, bits&bitStreetShort != 0 && r.shortMarker(i):
		return k, rankStreet
	case bits&bitDistrict != 0:
		return k, rankDistrict
	case bits&bitSettlement != 0, bits&bitSettlementShort != 0 && r.shortMarker(i):
		return k, rankSettlement
	case t.isWord(i, "сад", "саду", "сада", "сады", "садах") && k < len(t.words) && t.words[k].gap&gapQuote != 0:
		return k, rankSettlement
	case t.isWord(i, "место", "адрес") && k < len(t.words) && t.words[k].gap&gapColon != 0:
		return k, rankBare
	}
	return k, 0
}

// shortMarker accepts the abbreviations of a letter or two only where a dot, a
// capital or a number says that they are none of the words they look like.
func (r *reader) shortMarker(i int) bool {
	t := &r.text
	if i+1 >= len(t.words) {
		return false
	}
	next := &t.words[i+1]
	if t.isWord(i, "ул") {
		return true
	}
	if i > 0 && t.words[i].upper && t.words[i].codeTo-t.words[i].codeAt == 1 && t.words[i-1].upper && t.words[i].gap == gapSpace && t.sameSentence(i-1, i) {
		return false // "Марина П. Чеки"
	}
	if r.is(i, bitSettlementShort) {
		if i > 0 && t.words[i-1].kind == kindNumber && t.words[i].gap&^gapSpace == 0 {
			return false // "3 г. Ласковый"
		}
		return next.upper && next.kind == kindWord && !r.is(i+1, bitNoName) && (next.gap&gapDot != 0 || next.gap == gapSpace && t.isWord(i, "г", "п", "д") && !t.words[i].upper || next.gap&^(gapSpace|gapQuote) == 0 && t.words[i].caps && !next.caps)
	}
	return next.upper || next.kind == kindNumber && t.isWord(i, "пр", "пер", "пл", "линия", "линии") && next.gap&gapDot != 0 || next.gap&gapDot != 0 && t.isWord(i, "пр", "пер", "наб", "пл", "просп", "бр", "пркт") && r.unknown(i+1)
}

// nameAfterMarker returns the end of the name at k after the marker at i, k if
// there is none. After a marker a name needs no capital, if it looks like one.
func (r *reader) nameAfterMarker(k, rank, i int) int {
	t := &r.text
	w := &t.words[k]
	for _, opening := range []struct {
		words int
		stand bool
	}{
		{1, t.isWord(k, "им", "имени") && t.sameSentence(k, k+1)},
		{1, t.isWord(k, "реки") && t.isWord(i, "наб", "набережная", "набережной")},
		{2, t.isWord(k, "городского") && t.isWord(k+1, "типа")},
	} {
		if opening.stand {
			if to := r.properName(k+opening.words, 3); to > k+opening.words {
				return to
			}
			return k
		}
	}
	if w.gap&gapQuote != 0 {
		if to := r.quoted(k); to > k {
			return to
		}
	}
	if w.kind == kindNumber {
		return r.numberAfterMarker(k, rank, i)
	}
	limit := 3
	if w.caps || rank == rankSettlement {
		limit = 2
	}
	if to := r.properNameOf(k, limit, true); to > k {
		return r.withNoun(to)
	}
	return r.lowerAfterMarker(k, rank, i)
}

// numberAfterMarker reads "ул. 40 лет Победы", "ул. 1905 года", "мкр 6".
func (r *reader) numberAfterMarker(k, rank, i int) int {
	t := &r.text
	if to := r.numberedName(k); to > k {
		return to
	}
	n := t.number(k)
	switch {
	case n > 1000 && n < 2100 && t.isWord(k+1, "года") && rank == rankStreet:
		return k + 2
	case rank != rankDistrict || n < 1 || n >= 200:
		return k
	case r.is(k+1, bitDistrict):
		return k + 2 // "район 6 квартала"
	case t.isWord(k+1, "го", "й", "ый", "ой") && r.is(k+2, bitDistrict):
		return k + 3
	case t.isWord(i, "мкр", "мкрн", "квартал", "квартале", "квартала", "микрорайон", "микрорайона", "микрорайоне") && !r.is(k+1, bitUnit):
		return k + 1
	}
	return k
}

// lowerAfterMarker reads a name in small letters, if it looks like one.
func (r *reader) lowerAfterMarker(k, rank, i int) int {
	t := &r.text
	w := &t.words[k]
	letters := t.codesOf(w)
	if w.upper || w.kind != kindWord || len(letters) < 3 || r.is(k, bitNoName|bitMarker|bitSpot|bitYard|bitUnit) || w.gap&gapColon != 0 && rank != rankStreet {
		return k
	}
	_, house := r.house(k + 1)
	unknown, ends := r.unknown(k), r.clauseEnds(k+1)
	adjective := adjectiveOfPlace(letters, unknown)
	switch {
	case rank == rankStreet && t.isWord(i, "ул", "улица", "улицы", "пр", "т", "кт", "просп", "проспект", "проспекта", "пер", "переулок", "бр", "бульвар", "ш", "шоссе", "пл"):
		if unknown || adjective || house {
			return r.secondLower(k + 1)
		}
	case adjective || house && unknown:
		if rank == rankStreet || ends || house {
			return k + 1
		}
	case rank == rankDistrict && unknown && (ends || t.isWord(i, "мкр", "мкрн")):
		return k + 1
	case rank == rankSettlement && (unknown || t.has(k, r.rs.class.city)) && (ends || r.is(i, bitSettlement) && t.isWord(i, "снт", "гск", "днт", "тсн", "пос", "село", "дер", "город", "деревня", "поселок")):
		return k + 1
	}
	return k
}

// secondLower adds the second word of a street in small letters, "карла маркса",
// if a house or a pause follows it.
func (r *reader) secondLower(to int) int {
	t := &r.text
	if to >= len(t.words) || !t.sameSentence(to-1, to) || t.words[to].kind != kindWord || t.words[to].gap != gapSpace || !r.unknown(to) || r.placeBits[to]&^bitFamous != 0 || !streetLike(t.codesOf(&t.words[to])) {
		return to
	}
	if _, house := r.house(to + 1); house || r.clauseEnds(to+1) {
		return to + 1
	}
	return to
}

// withNoun adds the noun of a name like "Каменный лог", "Волжские дали" to its
// capitalised adjective, which ends at to.
func (r *reader) withNoun(to int) int {
	t := &r.text
	if to >= len(t.words) || !t.sameSentence(to-1, to) || t.words[to].gap != gapSpace || t.words[to].kind != kindWord || t.words[to].upper {
		return to
	}
	if !adjectiveEnding(t.codesOf(&t.words[to-1])) {
		return to
	}
	if r.is(to, bitGeo|bitSpot|bitStreet) || t.isWord(to, "город", "города", "городе") || r.unknown(to) && r.clauseEnds(to+1) && !r.is(to, bitNoName) {
		return to + 1
	}
	return to
}

// quoted returns the end of a name in quotation marks that begins at i.
func (r *reader) quoted(i int) int {
	t := &r.text
	for k := i + 1; k <= i+5; k++ {
		if k >= len(t.words) {
			if t.tail&gapQuote != 0 {
				return k
			}
			return i
		}
		if t.words[k].gap&gapQuote != 0 {
			return k
		}
		if t.words[k].gap&(gapLine|gapBlank|gapExclaim|gapQuestion) != 0 {
			return i
		}
	}
	return i
}

// numberedName reads names that begin with a number: "40 лет Победы", "9 Января",
// "1-я Садовая", "3 Дачная".
func (r *reader) numberedName(i int) int {
	t, c := &r.text, &r.rs.class
	if i+1 >= len(t.words) || r.inPhone(i) || t.number(i) > 100 || t.number(i) < 1 {
		return i
	}
	capital := func(k int) bool {
		return t.sameSentence(i, k) && t.words[k].upper && t.words[k].gap == gapSpace && !r.is(k, bitNoName)
	}
	switch {
	case t.isWord(i+1, "лет", "летия", "летие") && (capital(i+2) || t.sameSentence(i, i+2) && r.is(i+2, bitFamous)):
		return i + 3
	case t.has(i+1, c.month) && capital(i+1):
		return i + 2
	case t.isWord(i+1, "й", "я", "ая", "ый", "ой", "го", "му") && t.words[i+1].gap&^(gapHyphen|gapSpace) == 0 && capital(i+2):
		return r.properName(i+2, 2)
	case capital(i+1) && t.words[i+1].kind == kindWord && adjectiveEnding(t.codesOf(&t.words[i+1])) && !t.has(i+1, c.color):
		return r.withNoun(i + 2)
	}
	return i
}

// numberPlace reads what begins with a number: "10 лет Октября 53", "22 мкр",
// "78 Добровольческой", "34 км".
func (r *reader) numberPlace(i int) placeSpan {
	t, c := &r.text, &r.rs.class
	if t.number(i) < 1 || t.number(i) > 999 || i+1 >= len(t.words) || !t.sameSentence(i, i+1) || i > 0 && t.words[i-1].kind == kindNumber && !r.clauseStarts(i) {
		return placeSpan{}
	}
	k := i + 1
	if t.isWord(k, "й", "го", "м", "ый", "ом") && t.words[k].gap == gapHyphen {
		k++
	}
	beside := t.sameSentence(i, k) && t.words[k].gap&^gapSpace == 0
	switch {
	case beside && r.is(k, bitDistrict) && !t.isWord(k, "района", "район", "районе"):
		return placeSpan{i, k + 1, rankDistrict} // "22 мкр"
	case t.isWord(k, "км", "километр", "километре") && t.sameSentence(i, k+1):
		return r.kilometre(i, k+1)
	case beside && t.isWord(k, "линия", "линии", "линию", "проезд", "просека", "аллея"):
		return r.withHouse(placeSpan{i, k + 1, rankStreet})
	}
	to := r.numberedName(i)
	if to == i {
		return placeSpan{}
	}
	s := r.withHouse(placeSpan{i, to, rankStreet})
	if to != i+2 || s.rank != rankStreet {
		return s
	}
	month := t.has(i+1, c.month)
	if month && !t.isWord(i-1, "на", "по", "ул", "улице", "улица") || !month && !r.clauseStarts(i) && !t.isWord(i-1, "на", "по", "у", "возле", "дом") {
		return placeSpan{} // a date
	}
	return s
}

// kilometre reads what road the kilometre at i is of: "34 км трассы Пермь -
// Березники".
func (r *reader) kilometre(i, from int) placeSpan {
	t := &r.text
	if t.words[from].gap&gapDot != 0 {
		return placeSpan{}
	}
	begin := from
	if r.is(from, bitStreet) || t.isWord(from, "трассы", "дороги") {
		from++
	}
	to := r.properName(from, 2)
	if to > from && t.sameSentence(from, to) && t.words[to].gap&^(gapSpace|gapDash|gapHyphen) == 0 && t.words[to].gap&gapDash != 0 {
		to = max(to, r.properName(to, 2))
	}
	if to > from {
		to = r.withNoun(to)
	}
	if to > begin {
		return placeSpan{i, to, rankNamed}
	}
	return placeSpan{}
}

// houseOfStreet reads a house that is told before its street: "дома 5 по ул.
// Союзной", "д. 5 на Майской".
func (r *reader) houseOfStreet(i int) placeSpan {
	t, c := &r.text, &r.rs.class
	if !t.has(i, c.house) || i+1 >= len(t.words) || t.words[i+1].kind != kindNumber {
		return placeSpan{}
	}
	k := r.houseAt(i)
	if k == i {
		return placeSpan{}
	}
	if t.isWord(k, "по", "на") && t.words[k].gap&^(gapSpace|gapComma) == 0 {
		k++
	}
	if k >= len(t.words) || !t.sameSentence(i, k) || t.words[k].gap&^(gapSpace|gapComma) != 0 || t.has(k, c.house) {
		return placeSpan{}
	}
	if s := r.placeAt(k); s.rank >= rankStreet || s.rank >= rankBare && !r.is(k, bitNear|bitSpot) {
		return placeSpan{i, s.to, rankAddress}
	}
	return placeSpan{}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
