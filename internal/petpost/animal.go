package petpost

// Weights of a word that names an animal.
const (
	animalNoun    = 8
	animalBreed   = 7
	animalOblique = 2 // "собакой", "кошкам": seldom the subject
	animalMaybe   = 3 // "рыжик", "кабель"
	animalTrait   = 1 // "поводок", "лоток"
	animalSubject = 10
)

// readAnimal decides which animal a text is about. Every mention counts by its
// form and place; companions ("ладит с кошками", "напали собаки") do not.
func (r *reader) readAnimal(v *view, source string) Animal {
	t, c := &r.text, &r.rs.class
	var score [3]int
	var first [3]int
	kinds := [3]Animal{Dog, Cat, Other}
	for i := range t.words {
		w := &t.words[i]
		if w.lexTo == w.lexAt {
			continue
		}
		index, weight := r.mention(i)
		if index < 0 {
			continue
		}
		if weight > animalTrait {
			if r.companion(i) {
				continue
			}
			if r.subject(i) {
				weight += animalSubject
			}
			if w.sentence < titleSentences {
				weight += weight / 2
			}
		}
		if first[index] == 0 {
			first[index] = i + 1
		}
		score[index] += weight
		if weight > animalTrait {
			v.evidence = append(v.evidence, Evidence{
				Field: "animal", Rule: "animal." + string(kinds[index]), Points: string(kinds[index]),
				Words: t.rawOf(i, i+1), Weight: weight, Source: source,
			})
		}
	}
	_ = c
	best := -1
	for k := range kinds {
		if score[k] == 0 {
			continue
		}
		if best < 0 || score[k] > score[best] || score[k] == score[best] && first[k] < first[best] {
			best = k
		}
	}
	if best < 0 {
		return ""
	}
	return kinds[best]
}

// mention returns which animal word i names, 0 dog, 1 cat, 2 other, and how
// strongly; -1 for none.
func (r *reader) mention(i int) (int, int) {
	t, c := &r.text, &r.rs.class
	weight := animalNoun
	if t.has(i, c.oblique) {
		weight = animalOblique
	}
	switch {
	case t.has(i, c.other):
		if t.has(i, c.catMaybe) && !t.has(i, c.cat) {
			return 1, animalMaybe
		}
		return 2, weight
	case t.has(i, c.dog):
		return 0, weight
	case t.has(i, c.cat):
		return 1, weight
	case t.has(i, c.otherPair) && i+1 < len(t.words) && t.has(i+1, c.other):
		return 2, weight
	case t.has(i, c.dogBreed):
		if t.words[i].upper && !t.words[i].caps && r.afterStreet(i) {
			return -1, 0
		}
		return 0, animalBreed
	case t.has(i, c.catBreed):
		return 1, animalBreed
	case t.has(i, c.dogMaybe):
		return 0, animalMaybe
	case t.has(i, c.catMaybe):
		return 1, animalMaybe
	case t.has(i, c.dogTrait):
		return 0, animalTrait
	case t.has(i, c.catTrait):
		return 1, animalTrait
	}
	return -1, 0
}

func (r *reader) afterStreet(i int) bool {
	t, c := &r.text, &r.rs.class
	return i > 0 && t.has(i-1, c.street) || i+1 < len(t.words) && t.has(i+1, c.street)
}

// companion reports animals that stand beside the one the post is about: those
// that it gets on with, that chased it, that it was afraid of.
func (r *reader) companion(i int) bool {
	t, c := &r.text, &r.rs.class
	s := t.sentences[t.words[i].sentence]
	from := max(int(s.from), i-5)
	before := func(n int, class uint16) bool { return i-n >= int(s.from) && t.has(i-n, class) }
	plural := t.has(i, c.obliquePlural)
	if plural && (before(1, c.with) || before(1, c.others) || before(2, c.with)) {
		return true
	}
	if plural || t.has(i, c.oblique) || before(1, c.with) || before(1, c.others) {
		for k := from; k < i; k++ {
			if t.has(k, c.gets) {
				return true
			}
		}
		for k := i + 1; k < min(int(s.to), i+4); k++ {
			if t.has(k, c.gets) {
				return true
			}
		}
	}
	return false
}

// subject reports whether a verb of losing, finding or giving away speaks of
// word i.
func (r *reader) subject(i int) bool {
	t := &r.text
	for k := range r.found {
		m := &r.found[k]
		switch m.phrase.rule.signal {
		case sigLost, sigFound, sigOwner, sigAdopt, sigHome, sigSeen, sigFoster:
			if i >= m.from-1 && i <= m.to && t.words[i].sentence == t.words[m.anchor].sentence {
				return true
			}
		}
	}
	return false
}
