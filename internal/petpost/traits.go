package petpost

import "sync"

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

var agePatterns = sync.OnceValue(func() []fieldPattern { return compiled().fieldPatterns("ages") })

// age returns the first age: "около 3 лет", "1,5 года", "годовалый", "2 месяца".
func (r *reader) age() string {
	for i := range r.text.words {
		if _, end := r.fieldAt(agePatterns(), i); end > i && !r.text.words[i].hashtag {
			return r.text.rawOf(i, end)
		}
	}
	return ""
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
