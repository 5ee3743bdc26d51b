package petpost

import "slices"

// Weights of a word that names an animal.
const (
	animalNoun    = 8
	animalBreed   = 7
	animalMaybe   = 3 // "рыжик", "кабель"
	animalOblique = 2 // "собакой", "кошкам": seldom the subject
	animalName    = 2 // "Мурзик", "Полкан"
	animalTrait   = 1 // "поводок", "лоток"
)

// animalBy is how the rules know which animal a text is about.
type animalBy uint8

const (
	animalUntold animalBy = iota // they do not
	animalHinted                 // by a leash or a litter box
	animalCalled                 // by a name that mostly such animals have
	animalNamed                  // by a word for it
)

const (
	dogIndex = iota
	catIndex
	otherIndex
)

var animals = [3]Animal{Dog, Cat, Other}

// animalTally is what a text says of one animal.
type animalTally struct {
	points int
	first  int  // 1 + the word that speaks of it first
	traits int  // leashes and litter boxes
	named  int  // the points of names that are words for such animals: "Белка"
	called bool // by more than a trait
}

// add counts word i.
func (a *animalTally) add(i, points int) {
	if a.first == 0 {
		a.first = i + 1
	}
	a.points += points
	a.called = a.called || points > animalTrait
	if points == animalTrait {
		a.traits++
	}
}

// readAnimal decides which animal a text is about. Every mention counts by its
// form and place; companions ("ладит с кошками", "напали собаки") do not.
func (r *reader) readAnimal(v *view, source string) Animal {
	tally := r.tallyAnimals(v, source)
	best := 0
	for k, a := range tally {
		if a.points > tally[best].points || a.points == tally[best].points && a.first < tally[best].first {
			best = k
		}
	}
	most := tally[best].points
	if most == 0 {
		return ""
	}
	switch {
	case most > animalMaybe+animalMaybe/2:
		v.animalBy = animalNamed
	case tally[best].called || tally[best].traits > 1:
		v.animalBy = animalCalled
	default:
		v.animalBy = animalHinted
	}
	return animals[best]
}

func (r *reader) tallyAnimals(v *view, source string) (tally [3]animalTally) {
	t := &r.text
	tortoise := 0
	for i := range t.words {
		if t.has(i, "tortoise") && r.means[i] != "cat" {
			tortoise = i + 1
		} else {
			r.countMention(&tally, i, v, source)
		}
	}
	dog, cat, other := &tally[dogIndex], &tally[catIndex], &tally[otherIndex]
	// "Белка, лайка": an animal's word for a name, beside the word for what it is.
	if other.points == other.named && max(dog.points, cat.points) >= animalBreed {
		other.points = 0
	}
	// A tortoiseshell beside a cat is a cat; alone it is a tortoise.
	if tortoise > 0 && cat.points == 0 && dog.points < animalNoun {
		other.points += animalNoun
		other.first = tortoise
	}
	for k, pictures := range t.pictures {
		if pictures > 0 && dog.points+cat.points+other.points == 0 {
			tally[k].points, tally[k].first, tally[k].called = animalTrait, 1, true
		}
	}
	return tally
}

// countMention adds what word i says of an animal, and its evidence.
func (r *reader) countMention(tally *[3]animalTally, i int, v *view, source string) {
	t := &r.text
	index, points := r.mention(i)
	if points == 0 || points > animalTrait && r.companion(i) {
		return
	}
	tally[index].add(i, points)
	if _, ok := r.knownName(i); ok {
		tally[index].named += points
	}
	if points > animalTrait {
		v.evidence = append(v.evidence, Evidence{
			Field: "animal", Rule: "animal." + string(animals[index]), Points: string(animals[index]),
			Words: t.rawOf(i, i+1), Weight: points, Source: source,
		})
	}
}

// mention returns which animal word i names and how strongly; no points for none.
func (r *reader) mention(i int) (animal, points int) {
	t := &r.text
	switch {
	case r.isCable(i):
		return 0, 0
	case r.means[i] == "cat":
		return catIndex, animalBreed
	}
	for _, kind := range [...]struct {
		class          string
		animal, points int
	}{
		{"dog.noun", dogIndex, animalNoun}, {"cat.noun", catIndex, animalNoun}, {"other.noun", otherIndex, animalNoun},
		{"dog.breed", dogIndex, animalBreed}, {"cat.breed", catIndex, animalBreed},
		{"name.dog", dogIndex, animalName}, {"name.cat", catIndex, animalName},
		{"dog.maybe", dogIndex, animalMaybe}, {"cat.maybe", catIndex, animalMaybe},
		{"dog.trait", dogIndex, animalTrait}, {"cat.trait", catIndex, animalTrait},
	} {
		if !t.has(i, kind.class) {
			continue
		}
		if kind.points == animalNoun && t.has(i, "oblique") {
			return kind.animal, animalOblique
		}
		return kind.animal, kind.points
	}
	return 0, 0
}

// isCable tells the cable from the dog that people write like one.
func (r *reader) isCable(i int) bool {
	t := &r.text
	return t.isWord(i, "кабель", "кабеля", "кабелем", "кабели") && t.holds("wire")
}

// markMeanings reads what the words beside it make of a word for an animal: the
// section of the first line of lexicon/mentions.txt that matches.
func (r *reader) markMeanings() {
	r.means = slices.Grow(r.means[:0], len(r.text.words))[:len(r.text.words)]
	clear(r.means)
	for _, pattern := range patternsOf("mentions") {
		for i := range r.text.words {
			if m, ok := r.match(&pattern, i); ok && r.means[m.anchor] == "" {
				r.means[m.anchor] = pattern.rule.name
			}
		}
	}
}

// companion reports an animal that the post is not about.
func (r *reader) companion(i int) bool { return r.means[i] == "companion" }
