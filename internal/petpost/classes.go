package petpost

// classIDs are the classes that code asks for by name.
type classIDs struct {
	dog, cat, other, kind, pet, petWord                uint16
	dogMaybe, catMaybe, dogBreed, catBreed             uint16
	dogTrait, catTrait                                 uint16
	oblique, obliquePlural, with, others, gets         uint16
	otherPair, lose, seek, find, homeFiller            uint16
	homeMark, yet, scrap, thanks, nameKnown            uint16
	human, color, month, dayWord, dayPart              uint16
	weekday, ago, span, ageUnit, ageWord               uint16
	house, building, street, near, in, spot            uint16
	district, settlement, city, called, phone          uint16
	negation, colorNoun, owner, repost, petDog         uint16
	petCat, petOther, roam, takeIn, give, loose        uint16
	maleSure, femaleSure, maleLikely                   uint16
	tortoise, attack, nameDog, nameCat, likeness, worn uint16
	seekIt, wait                                       uint16
	presents, beforeName, timeStart                    uint16
	barrier, femaleLikely, breedPart                   uint16
}

func (c *classIDs) resolve(lx *lexicon) {
	for name, field := range map[string]*uint16{
		"dog.noun": &c.dog, "cat.noun": &c.cat, "other.noun": &c.other, "kind": &c.kind, "pet": &c.pet,
		"pet.word": &c.petWord, "dog.maybe": &c.dogMaybe, "cat.maybe": &c.catMaybe,
		"dog.breed": &c.dogBreed, "cat.breed": &c.catBreed, "dog.trait": &c.dogTrait, "cat.trait": &c.catTrait,
		"oblique": &c.oblique, "oblique.plural": &c.obliquePlural, "with": &c.with, "others": &c.others,
		"gets.on": &c.gets, "other.pair": &c.otherPair, "lose": &c.lose, "seek": &c.seek, "find": &c.find,
		"home.filler": &c.homeFiller, "home.mark": &c.homeMark, "yet": &c.yet, "scrap": &c.scrap,
		"thanks": &c.thanks, "name.known": &c.nameKnown, "human": &c.human, "color": &c.color,
		"month": &c.month, "day.word": &c.dayWord, "day.part": &c.dayPart, "weekday": &c.weekday,
		"ago": &c.ago, "span": &c.span, "age.unit": &c.ageUnit, "age.word": &c.ageWord,
		"house.word": &c.house, "building": &c.building, "street": &c.street, "near": &c.near, "in": &c.in,
		"spot": &c.spot, "district": &c.district, "settlement": &c.settlement, "city": &c.city,
		"called": &c.called, "phone.word": &c.phone, "negation": &c.negation, "color.noun": &c.colorNoun,
		"owner": &c.owner, "repost.word": &c.repost, "pet.dog": &c.petDog, "pet.cat": &c.petCat,
		"pet.other": &c.petOther, "roam": &c.roam, "take.in": &c.takeIn, "give": &c.give, "pet.loose": &c.loose,
		"male.sure": &c.maleSure, "female.sure": &c.femaleSure, "male.likely": &c.maleLikely,
		"female.likely": &c.femaleLikely, "barrier": &c.barrier,
		"tortoise": &c.tortoise, "likeness": &c.likeness, "worn": &c.worn, "seek.it": &c.seekIt, "wait": &c.wait, "presents": &c.presents, "before.name": &c.beforeName, "time.start": &c.timeStart, "attack": &c.attack, "name.dog": &c.nameDog, "name.cat": &c.nameCat, "breed.part": &c.breedPart,
	} {
		id, ok := lx.byName["@"+name]
		if !ok {
			panic("petpost: no class " + name)
		}
		*field = id
	}
}
