package petpost

// How much a time tells: a day tells more than an hour.
const (
	timeOfDay = iota + 1
	timeOfEvent
)

// when returns the time of the event as written: the first run of date and
// time words, such as "вчера, 5 мая, около 18:30" or "в ночь с 3 на 4 июня".
// One with a day is preferred; the hours to call or to come at are none.
func (r *reader) when() string {
	t := &r.text
	from, to, most := 0, 0, 0
	for i := 0; i < len(t.words) && most < timeOfEvent; i++ {
		n, tells := r.timeAt(i)
		if n == 0 {
			continue
		}
		end := i + n
		for end < len(t.words) {
			next := end
			for next < len(t.words) && next < end+2 && (t.isWord(next, "в", "около", "примерно", "с", "на", "после", "ближе", "к", "и", "где", "до", "днем", "по", "рано", "поздно", "часов") || t.isWord(next, "районе") && t.number(next+1) > 0) {
				next++
			}
			if next >= len(t.words) || !t.sameSentence(end-1, next) {
				break
			}
			n, more := r.timeAt(next)
			if n == 0 {
				break
			}
			tells = max(tells, more)
			end = next + n
		}
		if tells > most && !r.officeHours(i) {
			from, to, most = i, end, tells
		}
		i = end - 1
	}
	if most == 0 {
		return ""
	}
	for from > 0 && t.sameSentence(from-1, from) && t.words[from].gap == gapSpace && t.isWord(from-1, "рано", "поздно", "ранним", "поздним", "две", "три", "четыре", "пять", "шесть", "семь", "десять", "пятнадцать", "двадцать", "полтора", "несколько") {
		from--
	}
	return t.rawOf(from, to)
}

// officeHours reports that the time at word i is when to call or to come.
func (r *reader) officeHours(i int) bool {
	t, c := &r.text, &r.rs.class
	for k := i - 1; k >= max(0, i-6) && t.sameSentence(k, i); k-- {
		if t.has(k, c.lose) || t.has(k, c.find) {
			return false
		}
		if t.has(k, c.phone) || r.is(k, bitDelivery) || t.isWord(k, "прием", "приема", "передержка", "работаем", "работает", "режим", "график", "запись") {
			return true
		}
	}
	return false
}

// timeAt returns how many words from i are a date or time and what they tell;
// 0 if none.
func (r *reader) timeAt(i int) (n, tells int) {
	t, c := &r.text, &r.rs.class
	if i >= len(t.words) || t.words[i].hashtag {
		return 0, 0
	}
	if t.words[i].kind == kindNumber {
		if n := r.dateAt(i); n > 0 {
			return n, timeOfEvent
		}
		return r.hourAt(i), timeOfDay
	}
	if !t.has(i, c.timeStart) && !r.is(i, bitTime) {
		return 0, 0
	}
	return r.dayAt(i)
}

// dateAt reads a date that begins with a number.
func (r *reader) dateAt(i int) int {
	t, c := &r.text, &r.rs.class
	n := t.number(i)
	has := func(k int, class uint16) bool { return t.sameSentence(i, k) && t.has(k, class) }
	if n < 1 || r.inPhone(i) {
		return 0
	}
	k := i + 1 // after "5-го"
	ordinal := n <= 31 && t.sameSentence(i, k) && t.words[k].gap == gapHyphen && t.isWord(k, "го", "е", "ое", "ого")
	if ordinal {
		k++
	}
	switch {
	case n <= 31 && has(k, c.month) && !r.streetOfDate(i, k):
		if year := t.number(k + 1); year > 2000 && year < 2100 && t.sameSentence(i, k+1) {
			return k + 2 - i + btoi(t.isWord(k+2, "г", "года") && t.sameSentence(i, k+2))
		}
		return k + 1 - i
	case r.dottedDate(i) > 0:
		return r.dottedDate(i)
	case n < 100 && has(i+1, c.span) && has(i+2, c.ago):
		return 3
	case n < 100 && has(i+1, c.span) && t.isWord(i+2, "тому") && has(i+3, c.ago):
		return 4
	case n <= 31 && t.isWord(k, "числа") && t.sameSentence(i, k):
		return k + 1 - i
	case n <= 31 && t.isWord(i+1, "на", "по") && t.number(i+2) > 0 && t.number(i+2) <= 31 && has(i+3, c.month) && (t.number(i+2) > n || t.isWord(i-1, "с")):
		return 4
	case n <= 31 && t.number(i+1) > 0 && t.number(i+1) <= 31 && t.words[i+1].gap&^(gapSpace|gapHyphen|gapDash|gapSlash) == 0 && has(i+2, c.month) && !r.streetOfDate(i, i+2):
		return 3
	case ordinal && t.isWord(i+1, "го") && !r.is(k, bitUnit|bitSpot|bitDistrict|bitYard) && !(t.sameSentence(i, k) && (t.has(k, c.house) || t.words[k].upper)):
		return 2
	}
	return 0
}

// streetOfDate tells the street "на 9 Мая 15" from the day "9 Мая".
func (r *reader) streetOfDate(day, month int) bool {
	t := &r.text
	if !t.words[month].upper || t.words[month].caps {
		return false
	}
	_, house := r.house(month + 1)
	return house || t.isWord(day-1, "на", "по", "ул", "улица", "улице", "улицы", "пл", "площадь")
}

// hourAt reads an hour: "18:30", "в 18.30", "8 утра", "около 19 часов".
func (r *reader) hourAt(i int) int {
	t, c := &r.text, &r.rs.class
	n := t.number(i)
	if n < 0 || n > 24 || r.inPhone(i) {
		return 0
	}
	has := func(k int, class uint16) bool { return t.sameSentence(i, k) && t.has(k, class) }
	about := t.isWord(i-1, "в", "около", "к", "примерно", "часа", "после", "районе", "между", "часов")
	second := i+1 < len(t.words) && t.words[i+1].kind == kindNumber
	minutes := second && t.number(i+1) < 60 && t.words[i+1].end-t.words[i+1].start == 2
	switch {
	case second && t.words[i+1].gap == gapColon && t.number(i+1) < 60:
		return 2
	case minutes && about && (t.words[i+1].gap == gapDot || t.words[i+1].gap == gapHyphen):
		return 2
	case second && t.words[i+1].gap&^(gapHyphen|gapDash|gapSpace) == 0 && t.number(i+1) <= 24 && (has(i+2, c.dayPart) || t.isWord(i+2, "часов", "часа")) && t.sameSentence(i, i+2):
		return 3
	case t.isWord(i+1, "и", "до") && t.isWord(i-1, "между", "с") && t.number(i+2) > 0 && t.number(i+2) <= 24 && has(i+3, c.dayPart):
		return 4
	case n <= 24 && has(i+1, c.dayPart) && !t.isWord(i+1, "дня", "ночи", "утром", "днем", "вечером", "ночью") || n <= 12 && has(i+1, c.dayPart) && about:
		return 2
	case t.isWord(i+1, "час", "часа", "часов") && t.sameSentence(i, i+1) && (has(i+2, c.dayPart) || about):
		return 2 + btoi(has(i+2, c.dayPart))
	}
	return 0
}

// dayAt reads a time that begins with a word.
func (r *reader) dayAt(i int) (n, tells int) {
	t, c := &r.text, &r.rs.class
	has := func(k int, class uint16) bool { return t.sameSentence(i, k) && t.has(k, class) }
	switch {
	case t.has(i, c.dayWord), t.has(i, c.weekday):
		return 1 + btoi(has(i+1, c.dayPart)), timeOfEvent
	case t.isWord(i, "ночь", "ночью") && t.isWord(i+1, "с", "на") && t.number(i+2) > 0 && t.number(i+2) <= 31 && t.sameSentence(i, i+2):
		k := i + 3
		if t.isWord(k, "на") && t.number(k+1) > 0 && t.number(k+1) <= 31 {
			k += 2
		} else if has(k, c.month) && t.isWord(k+1, "на") && t.number(k+2) > 0 {
			k += 3 // "с 31 декабря на 1 января"
		}
		if t.sameSentence(i, k) && t.words[k].gap == gapHyphen && t.isWord(k, "е", "го", "ое") {
			k++
		}
		return k - i + btoi(has(k, c.month)), timeOfEvent
	case t.isWord(i, "ночь") && t.isWord(i+1, "на") && has(i+2, c.weekday):
		return 3, timeOfEvent
	case t.has(i, c.span) && has(i+1, c.ago):
		return 2, timeOfEvent
	case t.has(i, c.span) && t.number(i+1) > 0 && has(i+2, c.ago):
		return 3, timeOfEvent // "минут 10 назад"
	case t.isWord(i, "пару", "несколько", "полтора", "полторы", "два", "две", "три") && has(i+1, c.span) && has(i+2, c.ago):
		return 3, timeOfEvent
	case t.isWord(i, "начале", "конце", "середине") && has(i+1, c.month):
		return 2, timeOfEvent
	case t.has(i, c.dayPart) && t.isWord(i, "утром", "днем", "вечером", "ночью", "вечерком"):
		return 1, timeOfDay
	case t.isWord(i, "обед", "обеде", "полдень", "полночь", "обеда") && t.isWord(i-1, "в", "к", "после", "около", "до", "районе"):
		return 1, timeOfDay
	case t.isWord(i, "прошлой", "этой", "той", "прошлую", "прошлом", "позапрошлой", "позапрошлую") && t.isWord(i+1, "неделе", "ночью", "неделю", "месяце", "среду", "пятницу", "субботу"):
		return 2, timeOfEvent
	case t.isWord(i, "новогоднюю") && t.isWord(i+1, "ночь"):
		return 2, timeOfEvent
	}
	return 0, 0
}

// dottedDate measures 05.11.2025, 5.11, 05/11/25 at word i.
func (r *reader) dottedDate(i int) int {
	t := &r.text
	part := func(k int) bool {
		return k < len(t.words) && t.words[k].kind == kindNumber && (t.words[k].gap == gapDot || t.words[k].gap == gapSlash || t.words[k].gap == gapHyphen)
	}
	day, month := t.number(i), t.number(i+1)
	if day < 1 || day > 31 || !part(i+1) || month < 1 || month > 12 || t.words[i+1].end-t.words[i+1].start != 2 {
		return 0
	}
	if i > 0 && t.words[i].gap == gapDot && t.words[i-1].kind == kindNumber {
		return 0
	}
	if part(i + 2) {
		if year := t.number(i + 2); year >= 2000 && year < 2100 || year >= 15 && year < 60 {
			return 3
		}
		return 0
	}
	if t.words[i+1].gap == gapSlash && (i == 0 || !t.words[i-1].upper && !t.has(i-1, r.rs.class.house) || t.has(i-1, r.rs.class.lose)) && r.clauseEnds(i+2) {
		return 2
	}
	if t.words[i+1].gap != gapDot {
		return 0
	}
	return 2
}
