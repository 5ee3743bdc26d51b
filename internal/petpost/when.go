package petpost

// when returns the time of the event as written: the first run of dates and hours,
// such as "вчера, 5 мая, около 18:30" or "в ночь с 3 на 4 июня". One with a day is
// preferred; the hours to call or to come at are none.
func (r *reader) when() string {
	t := &r.text
	from, to, dayFound := 0, 0, false
	for i := 0; i < len(t.words) && !dayFound; i++ {
		end, day := r.timeAt(i)
		if end == i {
			continue
		}
		for {
			next := r.timeGoesOn(end)
			more, itsDay := r.timeAt(next)
			if more == next || !t.sameSentence(i, next) {
				break
			}
			end, day = more, day || itsDay
		}
		if (day || to == 0) && !r.toldBefore(i, true, "phone.word") {
			from, to, dayFound = i, end, day
		}
		i = end - 1
	}
	if to == 0 {
		return ""
	}
	return t.rawOf(from, to)
}

// timeGoesOn passes over up to two words that join the parts of a time.
func (r *reader) timeGoesOn(i int) int {
	t := &r.text
	for range 2 {
		if t.isWord(i, "в", "около", "примерно", "с", "на", "после", "ближе", "к", "и", "где", "до", "днем", "по", "часов") || t.isWord(i, "районе") && t.number(i+1) > 0 {
			i++
		}
	}
	return i
}

// timeAt returns the end of the date or hour at word i, i if there is none, and
// whether it tells a day.
func (r *reader) timeAt(i int) (end int, day bool) {
	t := &r.text
	if w := t.at(i); w.kind == kindNone || w.hashtag || w.kind == kindNumber && (r.inPhone(i) || i >= r.placed.from && i < r.placed.to) {
		return i, false
	}
	m, ok := r.firstAt(patternsOf("times"), i)
	if !ok {
		return i, false
	}
	return m.to, m.pattern.rule.name == "day"
}

func (r *reader) isTime(i int) bool {
	end, _ := r.timeAt(i)
	return end > i
}
