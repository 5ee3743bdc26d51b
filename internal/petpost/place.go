package petpost

// placeSpan is a candidate for the place: words [from, to) and how precise it is.
type placeSpan struct {
	from, to int
	rank     int
}

// Ranks of places; the most precise wins, the earlier of two equals.
const (
	rankCity = iota + 1
	rankLandmark
	rankSettlement
	rankDistrict
	rankStreet
	rankAddress
)

// location returns the most precise place of the text as it is written there,
// grown over the places that stand right beside it: "г. Ижевск, ул. Удмуртская, 255".
func (r *reader) location() string {
	t := &r.text
	var best placeSpan
	for i := range t.words {
		if s := r.placeAt(i); s.rank > best.rank {
			best = s
		}
	}
	if lead := r.leadingPlace(); lead.rank > 0 && best.rank <= rankLandmark {
		best = lead
	}
	if best.rank == 0 {
		return r.cityTag()
	}
	best = r.grow(best)
	return t.rawOf(best.from, best.to)
}

// placeAt returns the place that begins at word i.
func (r *reader) placeAt(i int) placeSpan {
	t, c := &r.text, &r.rs.class
	w := &t.words[i]
	if w.hashtag || w.kind != kindWord && w.kind != kindNumber || r.inPhone(i) {
		return placeSpan{}
	}
	if w.kind == kindWord && !w.upper && !r.classed(i) && (i+1 >= len(t.words) || !t.has(i+1, c.street)) {
		return placeSpan{} // most words
	}
	switch {
	case t.has(i, c.street) && r.isStreetMarker(i):
		if to := r.properName(i+1, 4); to > i+1 && t.sameSentence(i, i+1) {
			return r.withHouse(placeSpan{i, to, rankStreet})
		}
	case t.has(i, c.district):
		if to := r.properName(i+1, 3); to > i+1 && t.sameSentence(i, i+1) {
			return placeSpan{i, to, rankDistrict}
		}
		if to := r.landmark(i + 1); to > i+1 && t.sameSentence(i, i+1) && t.words[i+1].gap&^gapSpace == 0 {
			return placeSpan{i, to, rankDistrict}
		}
	case t.has(i, c.settlement) && r.isSettlementMarker(i):
		if to := r.properName(i+1, 2); to > i+1 && t.sameSentence(i, i+1) {
			return placeSpan{i, to, rankSettlement}
		}
	}
	if w.kind == kindNumber {
		if to := r.properName(i, 3); to > i+1 {
			return r.withHouse(placeSpan{i, to, rankStreet}) // "10 лет Октября 53"
		}
	}
	// "по псковской улице"
	if w.kind == kindWord && !w.upper && t.sameSentence(i, i+1) && t.has(i+1, c.street) && t.words[i+1].gap == gapSpace && adjectiveOfPlace(t.codesOf(w)) {
		return r.withHouse(placeSpan{i, i + 2, rankStreet})
	}
	// A proper name before its marker: "Ленинский район", "Пушкинская улица", "1-й переулок".
	if w.upper && w.kind == kindWord {
		to := r.properName(i, 3)
		if to > i && to < len(t.words) && t.sameSentence(i, to) && t.words[to].gap&^(gapSpace|gapHyphen) == 0 {
			switch {
			case t.has(to, c.street) && r.isStreetMarker(to) && !t.isWord(to, "пр", "ш", "пл", "тр") && !r.marksNext(to):
				return r.withHouse(placeSpan{i, to + 1, rankStreet})
			case t.has(to, c.district):
				return placeSpan{i, to + 1, rankDistrict}
			}
		}
		// "на Удмуртской 255", "Карла Маркса, 12"
		if to > i && r.houseAt(to) > to && r.addressLike(i, to) {
			return r.withHouse(placeSpan{i, to, rankStreet})
		}
		if to > i && t.sameSentence(i-1, i) && t.isWord(i-1, "на", "по", "в", "с", "до", "между", "от", "из", "за") && r.placeName(i, to) && !(i > 1 && t.has(i-2, c.called)) {
			return placeSpan{i, to, rankSettlement}
		}
		if t.has(i, c.city) && !t.has(i, c.kind) {
			return placeSpan{i, i + 1, rankCity}
		}
	}
	if t.has(i, c.near) || t.isWord(i, "в", "на", "по", "с", "от") || t.isWord(i, "остановка", "ост", "район", "тц", "трц", "магазин", "парк") && w.sentence < 3 {
		if to := r.landmark(i); to > i {
			return placeSpan{i, to, rankLandmark}
		}
	}
	return placeSpan{}
}

func (r *reader) inPhone(i int) bool {
	w := &r.text.words[i]
	for _, p := range r.phones {
		if int(w.start) < p.end && int(w.end) > p.start {
			return true
		}
	}
	return false
}

// isStreetMarker accepts the short forms ("пр", "б") only where a dot or a
// capital says so.
func (r *reader) isStreetMarker(i int) bool {
	t := &r.text
	if t.isWord(i, "пр", "ш", "б", "пл", "пер", "наб", "тр", "бр", "линия", "линии") {
		return i+1 < len(t.words) && (t.words[i+1].upper || t.words[i+1].kind == kindNumber || t.words[i+1].gap&gapDot != 0) || i > 0 && t.words[i-1].upper
	}
	return true
}

func (r *reader) isSettlementMarker(i int) bool {
	t := &r.text
	if t.isWord(i, "город", "города", "городе", "станция", "станции", "переезд", "село", "села", "селе", "массив") {
		return i+1 < len(t.words) && t.words[i+1].upper
	}
	return true
}

// properName returns the end of a name that begins at i: up to limit
// capitalised words, numbers before them ("40 лет Победы", "9 Января") and
// names in quotes. i if none begins there.
func (r *reader) properName(i, limit int) int {
	t, c := &r.text, &r.rs.class
	if i >= len(t.words) {
		return i
	}
	start := i
	if t.words[i].kind == kindNumber && !r.inPhone(i) {
		switch {
		case t.isWord(i+1, "лет", "летия", "летие") && t.sameSentence(i, i+2) && t.words[i+2].upper && t.words[i+2].gap&^gapSpace == 0:
			return i + 3
		case i+1 < len(t.words) && (t.has(i+1, c.month) || t.isWord(i+1, "мая", "марта", "января")) && t.words[i+1].upper:
			return i + 2
		case t.isWord(i+1, "й", "я", "ая", "ый", "ой") && t.sameSentence(i, i+2) && t.words[i+2].upper:
			return i + 3
		}
		return start
	}
	to := i
	for to < len(t.words) && to < i+limit {
		w := &t.words[to]
		if w.kind != kindWord && w.kind != kindLatin || !w.upper || w.hashtag {
			break
		}
		if to > i && (w.gap&^(gapSpace|gapHyphen|gapQuote|gapDot) != 0 || w.gap&gapDot != 0 && t.words[to-1].codeTo-t.words[to-1].codeAt > 2) {
			break
		}
		if to > i && (t.has(to, c.street) || t.has(to, c.district) || t.has(to, c.lose) || t.has(to, c.find) || t.has(to, c.kind) || t.has(to, c.phone) || t.isWord(to, "и", "или")) {
			break
		}
		to++
	}
	return to
}

// addressLike reports a capitalised name that may be a street: after a
// preposition, a comma or at the head of a line, and known as nothing else.
func (r *reader) addressLike(from, to int) bool {
	t, c := &r.text, &r.rs.class
	for i := from; i < to; i++ {
		if t.has(i, c.kind) || t.has(i, c.nameKnown) || t.has(i, c.phone) || t.has(i, c.lose) || t.has(i, c.find) || t.has(i, c.called) || t.has(i, c.color) && t.words[i].caps {
			return false
		}
	}
	if peopleNames[t.rawOf(from, to)] {
		return false
	}
	if to < len(t.words) && t.sameSentence(to, to+1) && (t.has(to+1, c.month) || t.has(to+1, c.ageUnit) || t.has(to+1, c.span)) {
		return false
	}
	return streetLike(t.codesOf(&t.words[to-1])) || t.isWord(from-1, "на", "по", "адрес", "адресу", "ул", "с") || to-from >= 2
}

// adjectiveOfPlace reports a word like "псковской", which names a street in
// lower case too.
func adjectiveOfPlace(letters []byte) bool {
	for _, ending := range []string{"ская", "ской", "скую", "цкая", "цкой", "скому", "ском"} {
		if endsWith(letters, ending) {
			return true
		}
	}
	return false
}

// streetLike reports the endings of street names: Удмуртская, Ленина, Гагарина.
func streetLike(letters []byte) bool {
	for _, ending := range []string{"ская", "ской", "скую", "цкая", "цкой", "ина", "ова", "ева", "ная", "ной", "ого", "тая", "вая", "вой", "ого", "са", "ля", "ко"} {
		if endsWith(letters, ending) {
			return true
		}
	}
	return false
}

func endsWith(letters []byte, ending string) bool {
	n := len(ending) / 2
	return len(letters) > n+1 && equalLetters(letters[len(letters)-n:], ending)
}

// placeName reports a capitalised name after a preposition that is likely a
// place: a known town, or a word that nothing else is known of.
func (r *reader) placeName(from, to int) bool {
	t, c := &r.text, &r.rs.class
	for i := from; i < to; i++ {
		if t.has(i, c.city) && !t.has(from, c.kind) {
			return true
		}
	}
	for i := from; i < to; i++ {
		if r.classed(i) || t.words[i].caps && t.words[i].codeTo-t.words[i].codeAt > 4 || t.words[i].kind != kindWord {
			return false
		}
	}
	return !peopleNames[t.rawOf(from, to)] && !t.isWord(from, "вы", "вас", "вами", "ваш", "он", "она")
}

// landmark returns the end of a landmark phrase at i: "у магазина Пятёрочка",
// "около школы №5", "на остановке Кирзавод", "рядом с ТЦ Флагман".
func (r *reader) landmark(i int) int {
	t, c := &r.text, &r.rs.class
	if i >= len(t.words) {
		return i
	}
	k := i
	for k < len(t.words) && k < i+3 && (t.has(k, c.near) || t.isWord(k, "в", "на", "с", "со", "от", "районе", "районе", "к", "по")) {
		k++
	}
	spot := -1
	near := t.has(i, c.near)
	for k < len(t.words) && k < i+4 && t.sameSentence(i, k) {
		if t.has(k, c.spot) && !t.isWord(k, "дом", "дома", "доме", "дому") {
			spot = k
			break
		}
		if t.words[k].kind != kindWord || t.has(k, c.kind) || t.has(k, c.lose) || t.words[k].gap&gapComma != 0 {
			return i
		}
		k++
	}
	if spot < 0 {
		return i
	}
	to := spot + 1
	for to < len(t.words) && to < spot+4 && t.sameSentence(i, to) && !r.inPhone(to) {
		w := &t.words[to]
		if w.gap&(gapLine|gapBlank|gapParen|gapColon) != 0 || w.gap&gapComma != 0 {
			break
		}
		if w.kind == kindNumber || w.upper && !t.has(to, c.phone) && !t.has(to, c.lose) && !t.has(to, c.kind) || t.isWord(to, "номер") {
			to++
			continue
		}
		if to > spot+1 && t.isWord(to, "роща", "лог", "гора", "горы", "поляна", "слобода", "бор", "яр", "ключ", "поле", "пруд", "берег", "роще", "горе") {
			to++ // "в парке Берёзовая роща"
		}
		break
	}
	if to == spot+1 && !near {
		return i // "в подвале" says nothing
	}
	return to
}

// withHouse adds a house number to a street.
func (r *reader) withHouse(s placeSpan) placeSpan {
	if to := r.houseAt(s.to); to > s.to {
		return placeSpan{s.from, to, rankAddress}
	}
	return s
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
	if t.words[k].gap&(gapBlank|gapLine|gapQuestion|gapExclaim|gapColon) != 0 || k == i && t.words[k].gap&gapDot != 0 {
		return i
	}
	if k+1 < len(t.words) && (t.has(k+1, c.month) || t.has(k+1, c.ageUnit) || t.has(k+1, c.span) || t.words[k+1].kind == kindNumber && t.words[k+1].gap == gapColon) && t.words[k+1].gap&gapComma == 0 {
		return i
	}
	if next := k + 1; t.words[k].gap&gapComma != 0 && t.sameSentence(k, next) && t.words[next].kind == kindWord && t.words[next].gap == gapSpace &&
		!t.words[next].upper && t.words[next].codeTo-t.words[next].codeAt > 3 && !t.has(next, c.building) && !t.has(next, c.spot) && !t.has(next, c.near) {
		return i // "под Нытвой, 4 штуки"
	}
	k++
	for k < len(t.words) && !r.inPhone(k) {
		w := &t.words[k]
		switch {
		case w.kind == kindWord && w.gap&^gapHyphen == 0 && w.codeTo-w.codeAt <= 2:
		case w.kind == kindNumber && w.gap == gapSlash && w.end-w.start <= 3:
		case w.kind == kindNumber && w.gap&^gapSpace == 0 && t.has(k-1, c.building):
		case t.has(k, c.building) && w.gap&^(gapSpace|gapComma) == 0 && k+1 < len(t.words) && t.words[k+1].kind == kindNumber:
		default:
			return k
		}
		k++
	}
	return k
}

// grow extends a place over its neighbours: towns and districts before it,
// what they are divided by being a comma, a dot or nothing.
func (r *reader) grow(s placeSpan) placeSpan {
	t, c := &r.text, &r.rs.class
	for s.from > 0 && t.sameSentence(s.from-1, s.from) {
		k := s.from - 1
		if t.words[s.from].gap&^(gapComma|gapSpace|gapDot|gapHyphen|gapDash|gapLine) != 0 || t.words[k].hashtag {
			break
		}
		if !r.toponymBefore(k) && !t.has(k, c.city) && !t.has(k, c.settlement) && !t.has(k, c.district) && !t.isWord(k, "г", "гор", "ул", "улица", "улице") {
			break
		}
		if t.has(k, c.kind) || t.has(k, c.lose) {
			break
		}
		s.from = k
	}
	for s.to < len(t.words) && t.sameSentence(s.to-1, s.to) {
		if t.words[s.to].gap&^(gapComma|gapSpace|gapDot|gapParen) != 0 {
			break
		}
		next := r.placeAt(s.to)
		if next.rank == 0 || next.rank == rankLandmark && !t.has(s.to, c.near) {
			break
		}
		s.to = next.to
	}
	return s
}
