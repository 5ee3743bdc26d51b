package petpost

// sex weighs the words that tell it; a tie, as with "кот и кошка", tells nothing.
// Where there are none the pet's name may.
func (r *reader) sex(name string) Sex {
	t := &r.text
	male, female := 0, 0
	for i := range t.words {
		if t.sameSentence(i-1, i) && t.number(i-1) > 1 && t.number(i-1) <= 12 {
			continue
		}
		switch {
		case r.companion(i), r.isCable(i):
		case t.has(i, "male.sure"):
			male += 6
		case t.has(i, "female.sure"):
			female += 6
		case t.has(i, "male.likely"):
			male += 3
		case t.has(i, "female.likely"):
			female += 3
		}
	}
	switch {
	case male > female:
		return Male
	case female > male:
		return Female
	case male > 0:
		return ""
	}
	if sex := r.sexByName(name); sex != "" {
		return sex
	}
	return r.sexByAgreement()
}

// sexByAgreement tells it by what is said of the animal where no noun forces the
// form: "рыжая, ушла через форточку", "доберман вырвался". After "собака" or
// "котёнок" adjectives and verbs agree with the word and tell nothing.
func (r *reader) sexByAgreement() Sex {
	t := &r.text
	male, female := 0, 0
	for i := range t.words {
		w := &t.words[i]
		if w.lexTo == w.lexAt {
			continue
		}
		switch {
		case (t.has(i, "neutral.noun") || t.has(i, "other.noun")) && !r.companion(i):
			return ""
		case t.has(i, "color"), t.has(i, "said.of.pet"):
			switch {
			case t.ends(i, "adjective.male"):
				male++
			case t.ends(i, "adjective.female"):
				female++
			}
		case t.has(i, "of.itself"):
			switch t.pastOf(i) {
			case Male:
				male++
			case Female:
				female++
			}
		}
	}
	switch {
	case male > 0 && female == 0:
		return Male
	case female > 0 && male == 0:
		return Female
	}
	return ""
}

// sexByName tells it by the name, or for a name that does not tell by the verb
// beside it ("Джесси выскочила"): with a name the verb agrees with the animal
// and not with the word "собака".
func (r *reader) sexByName(name string) Sex {
	if name == "" {
		return ""
	}
	if sex := sexOfName(name); sex != "" {
		return sex
	}
	letters := string(codesOf(name))
	for i := range r.text.words {
		if string(r.text.codesOf(&r.text.words[i])) != letters {
			continue
		}
		for k := i - 2; k <= i+3; k++ {
			if k != i && r.text.sameSentence(i, k) {
				if sex := r.text.pastOf(k); sex != "" {
					return sex
				}
			}
		}
	}
	return ""
}
