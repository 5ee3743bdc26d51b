package petpost

// Traits of an animal; the closed list of Reading.Traits.
const (
	TraitNeutered   = "neutered"
	TraitVaccinated = "vaccinated"
	TraitChipped    = "chipped"
	TraitTreated    = "treated for parasites"
	TraitCollar     = "collar"
	TraitHarness    = "harness"
	TraitLitterBox  = "litter trained"
	TraitTagged     = "ear tag"
	TraitInjured    = "injured"
	TraitPregnant   = "pregnant"
	TraitReward     = "reward"
)

var traitClasses = []struct {
	class, trait string
}{
	{"trait.neutered", TraitNeutered}, {"trait.vaccinated", TraitVaccinated}, {"trait.chipped", TraitChipped},
	{"trait.treated", TraitTreated}, {"trait.collar", TraitCollar}, {"trait.harness", TraitHarness},
	{"trait.litterbox", TraitLitterBox}, {"trait.tagged", TraitTagged}, {"trait.injured", TraitInjured},
	{"trait.pregnant", TraitPregnant}, {"trait.reward", TraitReward},
}

// traits lists what the post says of the animal, in the order of the list.
func (r *reader) traits(out []string) []string {
	var seen [16]bool
	t := &r.text
	for i := range t.words {
		for _, class := range t.lexOf(&t.words[i]) {
			if k := r.rs.traitOf[class]; k > 0 && !t.denied(i) {
				seen[k-1] = true
			}
		}
	}
	for k, row := range traitClasses {
		if seen[k] {
			out = append(out, row.trait)
		}
	}
	return out
}

// denied reports a "не" or "без" right before a word.
func (t *text) denied(i int) bool {
	return t.sameSentence(i-1, i) && t.isWord(i-1, "не", "без", "нет", "ни")
}

// deniedIn reports a "не" before the word that a match explains, or before its
// first, that is not part of the phrase itself.
func (t *text) deniedIn(m *match) bool {
	for _, i := range [...]int{m.anchor, m.from} {
		if i == 0 || !t.sameSentence(i-1, i) || !t.isWord(i-1, "не", "ни") {
			continue
		}
		part := false
		for _, w := range m.words[:m.used] {
			part = part || int(w) == i-1
		}
		if !part {
			return true
		}
	}
	return false
}

// breed returns the first breed named, with the word before it if that belongs
// to it ("немецкая овчарка", "русский той").
func (r *reader) breed() string {
	t, c := &r.text, &r.rs.class
	for i := range t.words {
		if !t.has(i, c.dogBreed) && !t.has(i, c.catBreed) && !t.has(i, c.breedMaybe) || t.words[i].hashtag || r.companion(i) {
			continue
		}
		if t.words[i].merged && t.words[i].start == t.words[max(i-1, 0)].start && i > 0 {
			continue
		}
		from, to := i, i+1
		for to < len(t.words) && t.words[to].gap&^(gapSpace|gapHyphen) == 0 && (t.has(to, c.dogBreed) || t.has(to, c.catBreed)) {
			to++
		}
		if t.sameSentence(from-1, from) && t.has(from-1, c.breedPart) && t.words[from].gap&^(gapSpace|gapHyphen) == 0 {
			from--
		}
		return t.rawOf(from, to)
	}
	return ""
}

// age returns the first age: "около 3 лет", "1,5 года", "годовалый", "2 месяца".
func (r *reader) age() string {
	t := &r.text
	for i := range t.words {
		switch {
		case t.words[i].hashtag:
		case t.has(i, r.rs.class.ageWord):
			return t.rawOf(i, i+1)
		case t.words[i].kind == kindNumber:
			if from, to := r.numberedAge(i); to > from {
				return t.rawOf(from, to)
			}
		case r.aboutAge(i):
			return t.rawOf(i, i+2)
		}
	}
	return ""
}

// numberedAge gives the words of an age with the number at i.
func (r *reader) numberedAge(i int) (from, to int) {
	t, c := &r.text, &r.rs.class
	unit := i + 1
	if unit+1 < len(t.words) && t.words[unit].kind == kindNumber && t.words[unit].gap&^(gapComma|gapDot|gapHyphen|gapDash|gapSpace) == 0 {
		unit++ // "1,5 года"
	}
	if !t.sameSentence(i, i+1) || unit >= len(t.words) || !t.has(unit, c.ageUnit) || t.words[unit].gap&^(gapSpace|gapHyphen) != 0 || r.notAge(i, unit) {
		return 0, 0
	}
	if next := unit + 1; t.sameSentence(unit, next) && t.words[next].upper && !t.words[next].caps && t.words[next].gap&^gapSpace == 0 {
		return 0, 0 // "40 лет Победы"
	}
	from = i
	if t.sameSentence(i-1, i) && t.isWord(i-1, "около", "примерно", "до", "примерный") {
		from--
	}
	return from, unit + 1
}

// aboutAge reports an age whose number comes last: "месяцев 6", "лет семи" is
// "about".
func (r *reader) aboutAge(i int) bool {
	t, c := &r.text, &r.rs.class
	return t.has(i, c.ageUnit) && t.sameSentence(i, i+1) && t.words[i+1].kind == kindNumber && t.words[i+1].gap == gapSpace && t.number(i-1) < 0 && t.number(i+1) > 0 && t.number(i+1) < 30 && !t.has(i-1, c.month)
}

// notAge tells times and dates from ages: "3 дня назад", "2024 года", "уже 2
// недели", "5 месяцев ищем".
func (r *reader) notAge(number, unit int) bool {
	t, c := &r.text, &r.rs.class
	if n := t.number(number); n < 0 || n > 40 {
		return true
	}
	if t.sameSentence(unit, unit+1) && (t.has(unit+1, c.ago) || t.isWord(unit+1, "назад", "тому")) {
		return true
	}
	return t.isWord(number-1, "уже", "через", "за", "последние", "на", "более", "больше", "прошло", "спустя") ||
		t.isWord(unit, "день", "дня", "дней") && !t.isWord(number-1, "возраст")
}

// color returns the first run of colour words: "бело-рыжий", "чёрный с белой
// грудкой".
func (r *reader) color() string {
	t, c := &r.text, &r.rs.class
	for i := range t.words {
		w := &t.words[i]
		if !t.has(i, c.color) || w.hashtag || r.afterStreet(i) || r.colorOfThing(i) || w.upper && !w.caps && int(t.sentences[w.sentence].from) != i && w.gap&gapComma == 0 {
			continue
		}
		to := i + 1
		for to < len(t.words) && t.has(to, c.color) && t.words[to].gap&^(gapSpace|gapHyphen|gapDash|gapComma) == 0 {
			to++
		}
		if t.isWord(to, "и", "с", "со") && t.sameSentence(i, to+1) && t.has(to+1, c.color) && t.words[to+1].gap == gapSpace && !r.colorOfThing(to+1) {
			with := !t.isWord(to, "и")
			to += 2
			if with && t.sameSentence(i, to) && t.words[to].gap == gapSpace {
				to++ // "с белой грудкой"
			}
		}
		return t.rawOf(i, to)
	}
	return ""
}
