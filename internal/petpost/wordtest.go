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
		"past":   is(func(r *reader, i int) bool { return r.text.agrees(i, "past") != "" }),
		"small":  is(func(r *reader, i int) bool { return r.text.has(i, "name.known") && !r.text.words[i].upper }),
		"form":   is(func(r *reader, i int) bool { _, ok := r.knownName(i); return ok }),
		"name":   is(func(r *reader, i int) bool { return r.nameLike(i) && !r.streetFollows(i) }),
		"pet":    is(func(r *reader, i int) bool { return r.text.has(i, "name.known") && r.nameLike(i) }),
		"known":  is((*reader).namedSo),
		"said":   is((*reader).saidName),
		"new":    is(func(r *reader, i int) bool { return r.newName(i) && r.text.words[i].sentence < 4 }),
		"inside": is((*reader).nameInside),

		// of places
		"capital":         is(func(r *reader, i int) bool { return r.text.words[i].upper && !r.text.has(i, "place.no.name") }),
		"caps":            is(func(r *reader, i int) bool { return r.text.words[i].caps }),
		"long":            is(func(r *reader, i int) bool { return r.text.words[i].length() > 4 }),
		"joined":          is((*reader).joined),
		"someone":         is(func(r *reader, i int) bool { return r.someone(i, i+1) }),
		"adjective":       is(func(r *reader, i int) bool { return r.text.ends(i, "adjective") }),
		"spot.adjective":  is((*reader).spotAdjective),
		"of.place":        is((*reader).adjectiveOfPlace),
		"street":          is(func(r *reader, i int) bool { return r.text.ends(i, "street") }),
		"street.sure":     is(func(r *reader, i int) bool { return r.text.ends(i, "street.sure") }),
		"many.things":     is(func(r *reader, i int) bool { return r.text.ends(i, "many.things") }),
		"street.mark":     marks(rankStreet),
		"district.mark":   marks(rankDistrict),
		"settlement.mark": marks(rankSettlement),
		"quoted":          until((*reader).quoted),
		"marked.name":     until((*reader).markedName),
		"spot.name":       until((*reader).spotName),
		"near.name":       until((*reader).nearName),
		"place":           until(func(r *reader, i int) int { return r.properName(i, 3) }),
		"house":           until(func(r *reader, i int) int { to, _ := r.house(i); return to }),
		"with.noun":       until(func(r *reader, i int) int { return r.withNoun(i + 1) }),
		"spot":            until(func(r *reader, i int) int { return r.patternPlace("spots", i).to }),
		"marked":          until(func(r *reader, i int) int { return r.patternPlace("where", i).to }),
		"capital.place":   until(func(r *reader, i int) int { return r.capitalPlace(i).to }),
	}
}

// marks makes a test of the words that say of a name that it is of this rank.
func marks(rank int) wordTest {
	return func(r *reader, i int) int {
		if name, its := r.marker(i); its == rank {
			return name - i
		}
		return 0
	}
}

// until makes a test of what gives the end of such words.
func until(end func(r *reader, i int) int) wordTest {
	return func(r *reader, i int) int { return max(end(r, i)-i, 0) }
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
