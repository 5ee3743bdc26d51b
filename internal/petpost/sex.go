package petpost

// sex weighs the words that tell it; a tie, as with "кот и кошка", tells nothing.
// Where there are none the pet's name may.
func (r *reader) sex(name string) Sex {
	t, c := &r.text, &r.rs.class
	male, female := 0, 0
	for i := range t.words {
		if t.words[i].lexTo == t.words[i].lexAt || t.denied(i) || t.sameSentence(i-1, i) && t.number(i-1) > 1 && t.number(i-1) <= 12 {
			continue
		}
		switch {
		case r.companion(i), r.isCable(i):
		case t.has(i, c.maleSure):
			male += 6
		case t.has(i, c.femaleSure):
			female += 6
		case t.has(i, c.maleLikely):
			male += 3
		case t.has(i, c.femaleLikely):
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
	t, c := &r.text, &r.rs.class
	male, female := 0, 0
	for i := range t.words {
		w := &t.words[i]
		if w.lexTo == w.lexAt || t.denied(i) {
			continue
		}
		switch {
		case (t.has(i, c.neutralNoun) || t.has(i, c.other)) && !r.companion(i):
			return ""
		case t.has(i, c.color) && !r.colorOfThing(i) && !r.afterStreet(i), t.has(i, c.saidOfPet):
			switch {
			case t.ends(i, "adjective.male"):
				male++
			case t.ends(i, "adjective.female"):
				female++
			}
		case t.has(i, c.ofItself):
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
