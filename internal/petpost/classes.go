package petpost

// classIDs are the classes that code asks for.
type classIDs struct {
	dog, cat, other, kind, pet, dogMaybe, catMaybe, dogBreed, catBreed, breedMaybe, breedPart uint16
	dogTrait, catTrait, nameDog, nameCat, nameKnown, nameAny, nameLike                        uint16
	oblique, tortoise, likeness, wire, neutralNoun, ofItself, saidOfPet                       uint16
	maleSure, femaleSure, maleLikely, femaleLikely, color, worn, ageUnit, ageWord             uint16
	lose, find, seekWe, called, ago, span, month, scrap, thanks, repost                       uint16
	street, house, building, near, spot, district, settlement, city                           uint16
	phone, account, pointer, barrier                                                          uint16
}

// resolve finds the classes by their names in the lexicon.
func (c *classIDs) resolve(lx *lexicon) {
	for name, id := range map[string]*uint16{
		"dog.noun": &c.dog, "cat.noun": &c.cat, "other.noun": &c.other, "kind": &c.kind, "pet": &c.pet,
		"dog.maybe": &c.dogMaybe, "cat.maybe": &c.catMaybe, "dog.breed": &c.dogBreed, "cat.breed": &c.catBreed,
		"breed.maybe": &c.breedMaybe, "breed.part": &c.breedPart, "dog.trait": &c.dogTrait, "cat.trait": &c.catTrait,
		"name.dog": &c.nameDog, "name.cat": &c.nameCat, "name.known": &c.nameKnown, "name.any": &c.nameAny, "name.like": &c.nameLike,
		"oblique": &c.oblique, "tortoise": &c.tortoise, "likeness": &c.likeness, "wire": &c.wire, "neutral.noun": &c.neutralNoun,
		"of.itself": &c.ofItself, "said.of.pet": &c.saidOfPet, "male.sure": &c.maleSure, "female.sure": &c.femaleSure,
		"male.likely": &c.maleLikely, "female.likely": &c.femaleLikely, "color": &c.color, "worn": &c.worn,
		"age.unit": &c.ageUnit, "age.word": &c.ageWord, "lose": &c.lose, "find": &c.find, "seek.we": &c.seekWe, "called": &c.called,
		"ago": &c.ago, "span": &c.span, "month": &c.month, "scrap": &c.scrap, "thanks": &c.thanks, "repost.word": &c.repost,
		"street": &c.street, "house.word": &c.house, "building": &c.building, "near": &c.near, "spot": &c.spot,
		"district": &c.district, "settlement": &c.settlement, "city": &c.city,
		"phone.word": &c.phone, "account": &c.account, "pointer": &c.pointer, "barrier": &c.barrier,
	} {
		known, ok := lx.byName["@"+name]
		if !ok {
			panic("petpost: code asks for the class " + name + ", which no file of the lexicon defines")
		}
		*id = known
	}
}
