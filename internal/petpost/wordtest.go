package petpost

// wordTest gives how many words from i on are what it asks for, 0 for none.
type wordTest func(r *reader, i int) int

// wordTests are the words of patterns that begin with &. They are set once the
// package runs, for a test may read patterns itself.
var wordTests map[string]wordTest

func init() {
	wordTests = map[string]wordTest{
		"any":        func(r *reader, i int) int { return 1 },
		"small.word": is(func(r *reader, i int) bool { return !r.text.words[i].upper }),
		"title":      is(func(r *reader, i int) bool { return r.text.words[i].upper && !r.text.words[i].caps }),
		"unknown":    is((*reader).unknown),
		"begins":     is((*reader).clauseStarts),
		"goes.on":    is(func(r *reader, i int) bool { return !r.clauseEnds(i) }),

		// of names
		"past":   is(func(r *reader, i int) bool { return r.text.pastOf(i) != "" }),
		"small":  is(func(r *reader, i int) bool { return r.text.has(i, "name.known") && !r.text.words[i].upper }),
		"form":   is(func(r *reader, i int) bool { _, ok := r.knownName(i); return ok }),
		"name":   is(func(r *reader, i int) bool { return r.nameLike(i) && !r.streetFollows(i) }),
		"pet":    is(func(r *reader, i int) bool { return r.text.has(i, "name.known") && r.nameLike(i) }),
		"known":  is((*reader).namedSo),
		"said":   is((*reader).saidName),
		"new":    is(func(r *reader, i int) bool { return r.newName(i) && r.text.words[i].sentence < 4 }),
		"inside": is((*reader).nameInside),

		// of places
		"capital":   is(func(r *reader, i int) bool { return r.text.words[i].upper && !r.text.has(i, "place.no.name") }),
		"adjective": is(func(r *reader, i int) bool { return r.text.ends(i, "adjective") }),
		"of.place":  is((*reader).adjectiveOfPlace),
		"street":    is(func(r *reader, i int) bool { return r.text.ends(i, "street") }),
		"quoted":    func(r *reader, i int) int { return r.quoted(i) - i },
		"place":     func(r *reader, i int) int { return r.properName(i, 2) - i },
		"house":     func(r *reader, i int) int { to, _ := r.house(i); return to - i },
		"with.noun": func(r *reader, i int) int {
			if !r.text.ends(i, "adjective") {
				return 0
			}
			return r.withNoun(i+1) - i
		},
	}
}

// is makes a test of one word.
func is(holds func(r *reader, i int) bool) wordTest {
	return func(r *reader, i int) int { return btoi(holds(r, i)) }
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
