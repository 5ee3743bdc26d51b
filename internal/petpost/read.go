package petpost

import (
	"cmp"
	"slices"
	"sync"
)

// reader is the scratch space of one Parse.
type reader struct {
	text   text
	found  []match
	means  []string // of the words for animals, see markMeanings
	phones []phoneSpan

	// of the place: the pet's name is none
	petCalled string
	placed    placeSpan
}

var readers = sync.Pool{New: func() any { return &reader{} }}

// view is what one text says, before the texts of a post are put together.
type view struct {
	typ          Type
	confidence   float64
	alternatives map[Type]float64
	signs        signs
	veto         string // see reader.veto
	animal       Animal
	animalBy     animalBy
	reading      Reading
	placeRank    int // how much reading.Location tells
	evidence     []Evidence
	words        int
}

// Parse reads a post, the author's text and the texts under it. It never fails:
// text that says nothing gives Unknown, no text gives Empty.
func Parse(in Input) Reading {
	r := readers.Get().(*reader)
	defer readers.Put(r)

	text, aside := in.Wall.Strip(in.Text)
	own := r.read(text, "own")
	own.reading.SetAside = aside
	for _, unit := range aside {
		r.addPhones(&own.reading, unit)
	}
	if len(in.Reposts) == 0 {
		return own.finish()
	}
	// From the far end: each is a comment on what stands under it.
	original := view{typ: Empty}
	for _, text := range slices.Backward(in.Reposts) {
		text, _ = (*WallContext)(nil).Strip(text)
		original = combine(r.read(text, "repost"), original)
	}
	return combine(own, original).finish()
}

// addPhones adds the phones of what is set aside, which says nothing of the post
// but whom to call.
func (r *reader) addPhones(to *Reading, unit string) {
	from := r.weigh(unit, "own").reading
	for _, phone := range from.Phones {
		to.Phones = appendNew(to.Phones, phone)
	}
	for _, phone := range from.Accounts {
		to.Accounts = appendNew(to.Accounts, phone)
	}
}

func (r *reader) read(raw, source string) view {
	if raw == "" {
		return view{typ: Empty, confidence: 1}
	}
	v := r.weigh(raw, source)
	r.classify(&v, source)
	return v
}

// weigh reads all of a text that the classifier goes by, and the fields. The
// type is still open, unless there is nothing to weigh.
func (r *reader) weigh(raw, source string) view {
	v := view{}
	t := &r.text
	t.cut(raw)
	r.markNames()
	r.found = r.findPhrases()
	r.markMeanings()

	v.words = len(t.words)
	v.signs.read(r)
	v.animal = r.readAnimal(&v, source)
	r.findPhones()
	v.reading.Phones, v.reading.Accounts = phoneNumbers(r.phones), r.accounts()
	r.readFields(&v)
	if v.typ = r.plainType(&v); v.typ != "" {
		v.confidence = 1
		if v.typ == Unknown && v.words > 0 {
			v.evidence = append(v.evidence, Evidence{Field: "type", Rule: "a scrap", Points: string(Unknown), Words: t.rawOf(0, v.words), Weight: 1, Source: source})
		}
		return v
	}
	v.veto = r.veto(&v)
	return v
}

// readFields reads everything but type, animal and phones.
func (r *reader) readFields(v *view) {
	out := &v.reading
	out.Contacts = r.contacts()
	out.Breed = r.breed()
	out.Age = r.age()
	out.Color = r.color()
	out.Traits = r.traits()
	out.Seen = r.seen()
	r.placed = placeSpan{}
	out.Name = r.petName()
	out.Location = r.location(out.Name)
	v.placeRank = r.placed.rank
	out.When = r.when()
	out.Sex = r.sex(out.Name)
}

// finish turns a view into the reading that it stands for.
func (v view) finish() Reading {
	out := v.reading
	out.Type, out.Confidence, out.Alternatives = v.typ, v.confidence, v.alternatives
	out.Animal, out.Evidence = v.animal, v.evidence
	return out
}

// complete fills what v does not say from a text under it.
func (v *view) complete(under *view) {
	a, b := &v.reading, &under.reading
	if v.animal == "" || v.animalBy < animalNamed && under.animal != "" && under.animalBy == animalNamed {
		v.animal, v.animalBy = under.animal, under.animalBy
	}
	for _, phone := range b.Phones {
		a.Phones = appendNew(a.Phones, phone)
	}
	for _, phone := range b.Accounts {
		a.Accounts = appendNew(a.Accounts, phone)
	}
	for _, contact := range b.Contacts {
		a.Contacts = appendNew(a.Contacts, contact)
	}
	for _, trait := range b.Traits {
		a.Traits = appendNew(a.Traits, trait)
	}
	a.Sex = cmp.Or(a.Sex, b.Sex)
	a.Name = cmp.Or(a.Name, b.Name)
	if a.Location == "" || v.placeRank < rankLandmark && under.placeRank >= rankLandmark {
		a.Location, v.placeRank = b.Location, under.placeRank // "Рязань!" over "пропал кот, ул. Новосёлов 40"
	}
	a.When = cmp.Or(a.When, b.When)
	a.Breed = cmp.Or(a.Breed, b.Breed)
	a.Age = cmp.Or(a.Age, b.Age)
	a.Seen = cmp.Or(a.Seen, b.Seen)
	a.Color = cmp.Or(a.Color, b.Color)
	v.evidence = append(v.evidence, under.evidence...)
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
