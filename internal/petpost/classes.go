package petpost

// classIDs are the classes that code asks for.
type classIDs struct {
	breedMaybe                                                          uint16
	dog, cat, other, kind, pet, dogMaybe                                uint16
	catMaybe, dogBreed, catBreed, dogTrait, catTrait, oblique           uint16
	obliquePlural, with, others, gets, otherPair, lose                  uint16
	find, homeMark, scrap, thanks, nameKnown, color                     uint16
	month, dayWord, dayPart, weekday, ago, span                         uint16
	ageUnit, ageWord, house, building, street, near                     uint16
	spot, district, settlement, city, called, phone                     uint16
	repost, maleSure, femaleSure, maleLikely, femaleLikely, barrier     uint16
	tortoise, likeness, worn, seekIt, wait, presents                    uint16
	seekWe, beforeName, timeStart, attack, nameDog, nameCat             uint16
	breedPart, nameAny, pointer, neutralNoun, saidOfPet, ofItself, wire uint16
}

// resolve finds them by their names in the word tables.
func (c *classIDs) resolve(lx *lexicon) {
	for _, row := range []struct {
		id   *uint16
		name string
	}{
		{&c.breedMaybe, "breed.maybe"},
		{&c.dog, "dog.noun"},
		{&c.cat, "cat.noun"},
		{&c.other, "other.noun"},
		{&c.kind, "kind"},
		{&c.pet, "pet"},
		{&c.dogMaybe, "dog.maybe"},
		{&c.catMaybe, "cat.maybe"},
		{&c.dogBreed, "dog.breed"},
		{&c.catBreed, "cat.breed"},
		{&c.dogTrait, "dog.trait"},
		{&c.catTrait, "cat.trait"},
		{&c.oblique, "oblique"},
		{&c.obliquePlural, "oblique.plural"},
		{&c.with, "with"},
		{&c.others, "others"},
		{&c.gets, "gets.on"},
		{&c.otherPair, "other.pair"},
		{&c.lose, "lose"},
		{&c.find, "find"},
		{&c.homeMark, "home.mark"},
		{&c.scrap, "scrap"},
		{&c.thanks, "thanks"},
		{&c.nameKnown, "name.known"},
		{&c.color, "color"},
		{&c.month, "month"},
		{&c.dayWord, "day.word"},
		{&c.dayPart, "day.part"},
		{&c.weekday, "weekday"},
		{&c.ago, "ago"},
		{&c.span, "span"},
		{&c.ageUnit, "age.unit"},
		{&c.ageWord, "age.word"},
		{&c.house, "house.word"},
		{&c.building, "building"},
		{&c.street, "street"},
		{&c.near, "near"},
		{&c.spot, "spot"},
		{&c.district, "district"},
		{&c.settlement, "settlement"},
		{&c.city, "city"},
		{&c.called, "called"},
		{&c.phone, "phone.word"},
		{&c.repost, "repost.word"},
		{&c.maleSure, "male.sure"},
		{&c.femaleSure, "female.sure"},
		{&c.maleLikely, "male.likely"},
		{&c.femaleLikely, "female.likely"},
		{&c.barrier, "barrier"},
		{&c.tortoise, "tortoise"},
		{&c.likeness, "likeness"},
		{&c.worn, "worn"},
		{&c.seekIt, "seek.it"},
		{&c.wait, "wait"},
		{&c.presents, "presents"},
		{&c.seekWe, "seek.we"},
		{&c.beforeName, "before.name"},
		{&c.timeStart, "time.start"},
		{&c.attack, "attack"},
		{&c.nameDog, "name.dog"},
		{&c.nameCat, "name.cat"},
		{&c.breedPart, "breed.part"},
		{&c.nameAny, "name.any"},
		{&c.pointer, "pointer"},
		{&c.wire, "wire"},
		{&c.neutralNoun, "neutral.noun"},
		{&c.saidOfPet, "said.of.pet"},
		{&c.ofItself, "of.itself"},
	} {
		id, ok := lx.byName["@"+row.name]
		if !ok {
			panic("petpost: code asks for the class " + row.name + ", which no table defines")
		}
		*row.id = id
	}
}
