package petpost

// when returns the time of the event as written: the first run of date and
// time words, such as "вчера, 5 мая, около 18:30" or "в ночь с 3 на 4 июня".
func (r *reader) when() string {
	t := &r.text
	for i := 0; i < len(t.words); i++ {
		n := r.timeAt(i)
		if n == 0 {
			continue
		}
		from, to := i, i+n
		for to < len(t.words) {
			next := to
			for next < len(t.words) && next < to+2 && t.isWord(next, "в", "около", "примерно", "с", "на", "после", "ближе", "к", "и", "где", "до", "днем", "по") {
				next++
			}
			if next >= len(t.words) || !t.sameSentence(to-1, next) {
				break
			}
			n := r.timeAt(next)
			if n == 0 {
				break
			}
			to = next + n
		}
		return t.rawOf(from, to)
	}
	return ""
}

// timeAt returns how many words from i are a date or time, 0 if none.
func (r *reader) timeAt(i int) int {
	t, c := &r.text, &r.rs.class
	if i >= len(t.words) || t.words[i].hashtag {
		return 0
	}
	w := &t.words[i]
	if w.kind != kindNumber && !t.has(i, c.timeStart) {
		return 0
	}
	has := func(k int, class uint16) bool { return k < len(t.words) && t.has(k, class) && t.sameSentence(i, k) }
	if w.kind == kindNumber {
		n := t.number(i)
		switch {
		case n < 0:
			return 0
		case n >= 1 && n <= 31 && has(i+1, c.month) && (!t.words[i+1].upper || t.words[i+1].caps):
			if t.number(i+2) > 2000 && t.number(i+2) < 2100 && t.sameSentence(i, i+2) {
				if t.isWord(i+3, "г", "года") && t.sameSentence(i, i+3) {
					return 4
				}
				return 3
			}
			return 2
		case r.dottedDate(i) > 0:
			return r.dottedDate(i)
		case n <= 24 && i+1 < len(t.words) && t.words[i+1].kind == kindNumber && t.words[i+1].gap == gapColon && t.number(i+1) < 60:
			return 2
		case n <= 24 && has(i+1, c.dayPart) && !t.isWord(i+1, "дня", "ночи") || n <= 12 && has(i+1, c.dayPart) && t.isWord(i-1, "в", "около", "к", "примерно", "часа", "после"):
			return 2
		case n <= 24 && t.isWord(i+1, "час", "часа", "часов") && t.sameSentence(i, i+1) && (has(i+2, c.dayPart) || t.isWord(i-1, "в", "около", "примерно", "к")):
			if has(i+2, c.dayPart) {
				return 3
			}
			return 2
		case n < 100 && has(i+1, c.span) && has(i+2, c.ago):
			return 3
		case n <= 31 && t.isWord(i+1, "числа") && t.sameSentence(i, i+1):
			return 2
		case n <= 31 && t.isWord(i+1, "на", "по") && t.number(i+2) > 0 && t.number(i+2) <= 31 && has(i+3, c.month):
			return 4
		case n <= 31 && t.number(i+1) > 0 && t.number(i+1) <= 31 && i+1 < len(t.words) && t.words[i+1].gap&^(gapSpace|gapHyphen|gapDash|gapSlash) == 0 && has(i+2, c.month):
			return 3
		}
		return 0
	}
	switch {
	case t.has(i, c.dayWord):
		if has(i+1, c.dayPart) {
			return 2
		}
		return 1
	case t.isWord(i, "ночь", "ночью") && t.isWord(i+1, "с") && t.number(i+2) > 0:
		n := 3
		if t.isWord(i+3, "на") && t.number(i+4) > 0 {
			n = 5
			if has(i+5, c.month) {
				n = 6
			}
		} else if has(i+3, c.month) {
			n = 4
		}
		return n
	case t.has(i, c.span) && has(i+1, c.ago):
		return 2
	case t.isWord(i, "пару", "несколько", "полтора", "два", "две", "три") && has(i+1, c.span) && has(i+2, c.ago):
		return 3
	case t.has(i, c.weekday):
		if has(i+1, c.dayPart) {
			return 2
		}
		return 1
	case t.has(i, c.dayPart) && t.isWord(i, "утром", "днем", "вечером", "ночью", "вечерком"):
		return 1
	case t.isWord(i, "прошлой", "этой", "той", "прошлую", "прошлом") && t.isWord(i+1, "неделе", "ночью", "неделю", "месяце", "среду", "пятницу", "субботу"):
		return 2
	case t.isWord(i, "новогоднюю") && t.isWord(i+1, "ночь"):
		return 2
	}
	return 0
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
	if t.words[i+1].gap != gapDot {
		return 0
	}
	return 2
}
