package petpost

// classIDs are the classes that code asks for.
type classIDs struct {
	breedMaybe, dog, cat, other, kind, pet, dogMaybe, catMaybe, dogBreed, catBreed, dogTrait, catTrait uint16
	oblique, obliquePlural, with, others, gets, otherPair, lose, find, homeMark, scrap, thanks         uint16
	nameKnown, color, month, dayWord, dayPart, weekday, ago, span, ageUnit, ageWord, house, building   uint16
	street, near, spot, district, settlement, city, called, phone, repost, maleSure, femaleSure        uint16
	maleLikely, femaleLikely, barrier, tortoise, likeness, worn, seekIt, wait, presents, seekWe        uint16
	beforeName, attack, nameDog, nameCat, breedPart, nameAny, nameLike, pointer, wire, neutralNoun     uint16
	saidOfPet, ofItself, account                                                                       uint16
}

// resolve finds the classes by their names in the lexicon.
func (c *classIDs) resolve(lx *lexicon) {
	for name, id := range map[string]*uint16{
		"breed.maybe": &c.breedMaybe, "dog.noun": &c.dog, "cat.noun": &c.cat, "other.noun": &c.other, "kind": &c.kind,
		"pet": &c.pet, "dog.maybe": &c.dogMaybe, "cat.maybe": &c.catMaybe, "dog.breed": &c.dogBreed,
		"cat.breed": &c.catBreed, "dog.trait": &c.dogTrait, "cat.trait": &c.catTrait, "oblique": &c.oblique,
		"oblique.plural": &c.obliquePlural, "with": &c.with, "others": &c.others, "gets.on": &c.gets,
		"other.pair": &c.otherPair, "lose": &c.lose, "find": &c.find, "home.mark": &c.homeMark, "scrap": &c.scrap,
		"thanks": &c.thanks, "name.known": &c.nameKnown, "color": &c.color, "month": &c.month, "day.word": &c.dayWord,
		"day.part": &c.dayPart, "weekday": &c.weekday, "ago": &c.ago, "span": &c.span, "age.unit": &c.ageUnit,
		"age.word": &c.ageWord, "house.word": &c.house, "building": &c.building, "street": &c.street, "near": &c.near,
		"spot": &c.spot, "district": &c.district, "settlement": &c.settlement, "city": &c.city, "called": &c.called,
		"phone.word": &c.phone, "repost.word": &c.repost, "male.sure": &c.maleSure, "female.sure": &c.femaleSure,
		"male.likely": &c.maleLikely, "female.likely": &c.femaleLikely, "barrier": &c.barrier,
		"tortoise": &c.tortoise, "likeness": &c.likeness, "worn": &c.worn, "seek.it": &c.seekIt, "wait": &c.wait,
		"presents": &c.presents, "seek.we": &c.seekWe, "before.name": &c.beforeName,
		"attack": &c.attack, "name.dog": &c.nameDog, "name.cat": &c.nameCat, "breed.part": &c.breedPart,
		"name.any": &c.nameAny, "name.like": &c.nameLike, "pointer": &c.pointer, "wire": &c.wire, "neutral.noun": &c.neutralNoun,
		"said.of.pet": &c.saidOfPet, "of.itself": &c.ofItself,
		"account": &c.account,
	} {
		known, ok := lx.byName["@"+name]
		if !ok {
			panic("petpost: code asks for the class " + name + ", which no file of the lexicon defines")
		}
		*id = known
	}
}
