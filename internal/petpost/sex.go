package petpost

import "cmp"

// sex weighs the words that tell it. Where there are none, or as many for one as
// for the other, the pet's name may tell it, and what is said of the animal.
func (r *reader) sex(name string) Sex {
	t := &r.text
	told := map[Sex]int{}
	for i := range t.words {
		if several := t.sameSentence(i-1, i) && t.number(i-1) > 1 && t.number(i-1) <= 12; several || r.companion(i) || r.isCable(i) {
			continue
		}
		switch {
		case t.has(i, "male.sure"):
			told[Male] += 2
		case t.has(i, "female.sure"):
			told[Female] += 2
		case t.has(i, "male.likely"):
			told[Male]++
		case t.has(i, "female.likely"):
			told[Female]++
		}
	}
	switch {
	case told[Male] > told[Female]:
		return Male
	case told[Female] > told[Male]:
		return Female
	}
	return cmp.Or(sexOfName(name), r.sexByAgreement())
}

// sexByAgreement tells it by what is said of the animal where no noun forces the
// form: "рыжая, ушла через форточку", "доберман вырвался". After "собака" or
// "котёнок" adjectives and verbs agree with the word and tell nothing.
func (r *reader) sexByAgreement() Sex {
	t := &r.text
	told := map[Sex]bool{}
	for i := range t.words {
		switch {
		case t.has(i, "neutral.noun", "other.noun") && !r.companion(i):
			return ""
		case t.has(i, "color", "said.of.pet"):
			told[t.agrees(i, "adjective")] = true
		case t.has(i, "of.itself"):
			told[t.agrees(i, "past")] = true
		}
	}
	switch {
	case told[Male] && !told[Female]:
		return Male
	case told[Female] && !told[Male]:
		return Female
	}
	return ""
}

// agrees gives the sex that the ending of a verb in the past tense or an adjective
// agrees with.
func (t *text) agrees(i int, form string) Sex {
	male, female := form+".male", form+".female"
	switch {
	case t.ends(i, male):
		return Male
	case t.ends(i, female):
		return Female
	}
	return ""
}
