package petpost

// Weights of a word that names an animal.
const (
	animalNoun    = 8
	animalBreed   = 7
	animalMaybe   = 3 // "рыжик", "кабель"
	animalOblique = 2 // "собакой", "кошкам": seldom the subject
	animalName    = 2 // "Мурзик", "Полкан"
	animalTrait   = 1 // "поводок", "лоток"
	animalSubject = 10
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
	sure   bool // by a word for it
}

// add counts word i.
func (a *animalTally) add(i, points int) {
	if a.first == 0 {
		a.first = i + 1
	}
	a.points += points
	a.called = a.called || points > animalTrait
	a.sure = a.sure || points >= animalBreed
	if points == animalTrait {
		a.traits++
	}
}

// readAnimal decides which animal a text is about. Every mention counts by its
// form and place; companions ("ладит с кошками", "напали собаки") and general
// talk ("кошек и собак") do not.
func (r *reader) readAnimal(v *view, source string) Animal {
	tally := r.tallyAnimals(v, source)
	for k, other := range [...]int{dogIndex: catIndex, catIndex: dogIndex} {
		a, b := &tally[k], &tally[other]
		a.called = a.called || a.traits > 1
		// "Серыш, знает команды, поводок": what it does says more than a nickname
		if a.traits > 1 && b.traits == 0 && !b.sure {
			a.points += b.points
		}
	}
	best := -1
	for k, a := range tally {
		if a.points > 0 && (best < 0 || a.points > tally[best].points || a.points == tally[best].points && a.first < tally[best].first) {
			best = k
		}
	}
	if best < 0 {
		return ""
	}
	most := tally[best].points
	for k, a := range tally {
		v.mixed = v.mixed || k != best && a.points*3 >= most*2
		v.even = v.even || k != best && a.points*5 >= most*4
	}
	switch {
	case most > animalMaybe+animalMaybe/2:
		v.animalBy = animalNamed
	case tally[best].called:
		v.animalBy = animalCalled
	default:
		v.animalBy = animalHinted
	}
	return animals[best]
}

func (r *reader) tallyAnimals(v *view, source string) (tally [3]animalTally) {
	t, c := &r.text, &r.rs.class
	tortoise := -1
	for i := range t.words {
		switch {
		case t.words[i].lexTo == t.words[i].lexAt:
		case !t.has(i, c.tortoise):
			r.countMention(&tally, i, v, source)
		case t.isWord(i-1, "окрас", "окраса", "окрасом", "цвет", "цвета", "масть"):
			tally[catIndex].add(i, animalMaybe)
		default:
			tortoise = i
		}
	}
	dog, cat, other := &tally[dogIndex], &tally[catIndex], &tally[otherIndex]
	// "Белка, лайка": an animal's word for a name, beside the word for what it is.
	if other.points == other.named && max(dog.points, cat.points) >= animalBreed {
		other.points = 0
	}
	// A tortoiseshell beside a cat is a cat; alone it is a tortoise.
	if tortoise >= 0 && cat.points == 0 && dog.points < animalNoun {
		other.points += animalNoun
		other.first = tortoise + 1
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
	if index < 0 {
		return
	}
	if points > animalTrait && (r.companion(i) || r.general(i) || r.asName(i)) {
		if t.sameSentence(i-1, i) && t.isWord(i-1, "другими", "другим", "других", "другие") {
			tally[index].points += animalTrait // "с другими собаками" is said of a dog
		}
		return
	}
	if points > animalMaybe && r.subject(i) {
		points += animalSubject
	}
	if points > animalTrait && t.words[i].sentence < titleSentences {
		points += points / 2
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

// mention returns which animal word i names and how strongly; -1 for none.
func (r *reader) mention(i int) (int, int) {
	t, c := &r.text, &r.rs.class
	weight := animalNoun
	if t.has(i, c.oblique) {
		weight = animalOblique
	}
	switch {
	case t.has(i, c.dog):
		return dogIndex, weight
	case t.has(i, c.cat):
		return catIndex, weight
	case t.has(i, c.other):
		return otherIndex, weight
	case t.has(i, c.otherPair) && i+1 < len(t.words) && t.has(i+1, c.other):
		return otherIndex, weight
	case t.has(i, c.dogBreed):
		if t.words[i].upper && !t.words[i].caps && r.afterStreet(i) {
			return -1, 0
		}
		return dogIndex, animalBreed
	case t.has(i, c.catBreed), t.isWord(i, "голубая", "голубую", "голубой", "голубого", "голубые") && t.isWord(i-1, "русская", "русскую", "русской", "русский", "русского", "русские"):
		return catIndex, animalBreed
	case t.has(i, c.nameDog):
		return dogIndex, animalName
	case t.has(i, c.nameCat):
		return catIndex, animalName
	case t.has(i, c.dogMaybe):
		if r.isCable(i) {
			return -1, 0
		}
		return dogIndex, animalMaybe
	case t.has(i, c.catMaybe):
		return catIndex, animalMaybe
	case t.has(i, c.dogTrait):
		return dogIndex, animalTrait
	case t.has(i, c.catTrait):
		return catIndex, animalTrait
	}
	return -1, 0
}

// isCable tells the cable from the dog that people write like one.
func (r *reader) isCable(i int) bool {
	t := &r.text
	if !t.isWord(i, "кабель", "кабеля", "кабелем", "кабели") {
		return false
	}
	for k := range t.words {
		if t.has(k, r.rs.class.wire) {
			return true
		}
	}
	return false
}

func (r *reader) hasCable() bool {
	for i := range r.text.words {
		if r.isCable(i) {
			return true
		}
	}
	return false
}

func (r *reader) afterStreet(i int) bool {
	t, c := &r.text, &r.rs.class
	return i > 0 && t.has(i-1, c.street) || i+1 < len(t.words) && t.has(i+1, c.street) && t.words[i+1].gap&(gapComma|gapLine) == 0
}

// general reports one of "кошки и собаки", named together as the kinds of a
// shelter, an exhibition or a law.
func (r *reader) general(i int) bool {
	t, c := &r.text, &r.rs.class
	if !t.isWord(i, "собак", "кошек", "собаки", "кошки", "собакам", "кошкам", "собаками", "кошками", "котов") {
		return false
	}
	other := func(k int) bool {
		return t.sameSentence(i, k) && t.has(k, c.kind) && t.has(i, c.dog) != t.has(k, c.dog)
	}
	return t.isWord(i+1, "и", "или") && other(i+2) || t.isWord(i-1, "и", "или") && other(i-2) ||
		t.sameSentence(i, i+1) && t.words[i+1].gap&gapComma != 0 && other(i+1)
}

// asName reports an animal's word used as a name: "зовут Белка", "ТЦ «Жар-Птица»".
func (r *reader) asName(i int) bool {
	t, c := &r.text, &r.rs.class
	if !t.words[i].upper || !t.sameSentence(i-1, i) {
		return false
	}
	if quoted := t.words[i].gap | t.words[i-1].gap; t.words[i].gap == gapHyphen && quoted&gapQuote != 0 {
		return true
	}
	return t.has(i-1, c.called) || t.isWord(i-1, "на") && t.sameSentence(i-2, i) && t.has(i-2, c.called)
}

// companion reports animals that stand beside the one the post is about: those
// that it gets on with, that chased it, that the finder has at home.
func (r *reader) companion(i int) bool {
	t, c := &r.text, &r.rs.class
	from := int(t.sentences[t.words[i].sentence].from)
	before := func(n int, class uint16) bool { return i-n >= from && t.has(i-n, class) }
	switch {
	case t.isWord(i-1, "как", "словно", "будто") || before(2, c.likeness) || before(3, c.likeness):
		// "как лиса", "похож на овчарку", "размером с кошку"
		return !t.has(i, c.dogBreed) && !t.has(i, c.catBreed)
	case t.isWord(i-1, "кормящая", "кормящую", "кормящей", "кормящие", "кормящих"):
		return true // a nurse is looked for
	case t.has(i, c.obliquePlural) && (before(1, c.with) || before(1, c.others) || before(2, c.with)):
		return true
	case before(1, c.attack) || before(2, c.attack):
		return true
	case t.isWord(i-1, "под") && t.isWord(i, "мышкой", "мышку", "мышки"):
		return true
	case t.has(i, c.other) && (t.isWord(i-1, "по") || t.isWord(i-1, "и") && t.isWord(i-3, "по")):
		return true // "по зайцу", "по белке и кунице": what a hound is for
	case t.isWord(i-1, "за") && (t.has(i, c.oblique) || t.ends(i, "instrumental")):
		return true // "рванул за кошкой", "не ужился с хомяком"
	case !r.subject(i) && t.number(i-1) <= 3 && r.atHome(from, i):
		return true
	}
	return (t.has(i, c.obliquePlural) || t.has(i, c.oblique) || before(1, c.with) || before(1, c.others)) && r.getsOn(i)
}

// atHome reports that the words before i say whose it is: "у нас собака", "дома
// две кошки".
func (r *reader) atHome(from, i int) bool {
	t := &r.text
	for k := max(from, i-3); k < i; k++ {
		if t.isWord(k, "у") && t.isWord(k+1, "нас", "меня") && k+2 < i+1 || t.isWord(k, "свои", "своя") || t.isWord(k, "дома") && k == from {
			return true
		}
	}
	return false
}

// getsOn reports a word near i that says who gets on with whom.
func (r *reader) getsOn(i int) bool {
	t := &r.text
	s := t.sentences[t.words[i].sentence]
	for k := max(int(s.from), i-5); k < min(int(s.to), i+4); k++ {
		if k != i && t.has(k, r.rs.class.gets) {
			return true
		}
	}
	return false
}

// subject reports whether a verb of losing, finding or giving away speaks of
// word i.
func (r *reader) subject(i int) bool { return r.subjects[i] }

// markSubjects finds the words that such verbs speak of: those of the phrase
// and its neighbours within the sentence.
func (r *reader) markSubjects() {
	t := &r.text
	if cap(r.subjects) < len(t.words) {
		r.subjects = make([]bool, len(t.words)*2)
	}
	r.subjects = r.subjects[:len(t.words)]
	clear(r.subjects)
	for k := range r.found {
		m := &r.found[k]
		switch m.phrase.rule.signal {
		case sigLost, sigFound, sigOwner, sigAdopt, sigHome, sigSeen, sigFoster:
			s := t.sentences[t.words[m.anchor].sentence]
			for i := max(m.from-1, int(s.from)); i <= min(m.to, int(s.to)-1); i++ {
				r.subjects[i] = true
			}
		}
	}
}
