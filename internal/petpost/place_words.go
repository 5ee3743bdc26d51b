package petpost

import (
	"slices"
	"sync"
)

// placeBits are what lexicon/places.txt says of one word.
type placeBits uint32

// In the order of its sections.
const (
	bitStreet placeBits = 1 << iota
	bitStreetShort
	bitDistrict
	bitSettlement
	bitSettlementShort
	bitGeo
	bitNear
	bitSpot
	bitYard
	bitPreposition
	bitNoName
	bitUnit
	bitElsewhere
	bitDelivery
	bitToward
	bitFamous
	bitTwin

	bitMarker = bitStreet | bitStreetShort | bitDistrict | bitSettlement | bitSettlementShort
)

var placeLexicon = sync.OnceValue(func() *lexicon {
	lx := newLexicon()
	lx.define("places")
	return &lx
})

func placeBitsOf(letters []byte) (bits placeBits) {
	var buffer [8]uint16
	for _, class := range placeLexicon().letters.classes(buffer[:0], letters) {
		bits |= 1 << class
	}
	return bits
}

// markPlaces looks every word up.
func (r *reader) markPlaces() {
	t := &r.text
	r.placeBits = r.placeBits[:0]
	for i := range t.words {
		var bits placeBits
		if w := &t.words[i]; w.kind == kindWord && !w.hashtag {
			bits = placeBitsOf(t.codesOf(w))
		}
		r.placeBits = append(r.placeBits, bits)
	}
}

// is reports whether word i is there and has one of the bits.
func (r *reader) is(i int, bits placeBits) bool {
	return i >= 0 && i < len(r.placeBits) && r.placeBits[i]&bits != 0
}

// wordEndings are the sections of lexicon/endings.txt.
var wordEndings = sync.OnceValue(func() map[string][][]byte {
	lists := map[string][][]byte{}
	for _, s := range sections("endings") {
		for _, ending := range s.words() {
			lists[s.name] = append(lists[s.name], codesOf(ending))
		}
	}
	return lists
})

// ends reports whether word i ends as one of a section of lexicon/endings.txt,
// after two letters more at least.
func (t *text) ends(i int, section string) bool {
	letters := t.codesOf(t.at(i))
	return slices.ContainsFunc(wordEndings()[section], func(ending []byte) bool {
		n := len(letters) - len(ending)
		return n >= 2 && string(letters[n:]) == string(ending)
	})
}

// adjectiveOfPlace reports a word like "псковской", which names a street or a
// district in small letters too; of a word that nothing knows any adjective does.
func (r *reader) adjectiveOfPlace(i int) bool {
	return r.text.ends(i, "adjective.place") || r.unknown(i) && r.text.ends(i, "adjective")
}

// unknown reports a word that no table knows; a phrase's pattern may fit a name
// all the same: "Нововятск" begins as "новый" does.
func (r *reader) unknown(i int) bool {
	w := r.text.at(i)
	return !r.classed(i) || w.upper && w.length() > 6 && r.onlyInPhrases(i)
}

// onlyInPhrases reports a word that no class holds, only the pattern of a phrase.
func (r *reader) onlyInPhrases(i int) bool {
	return !slices.ContainsFunc(r.text.lexOf(r.text.at(i)), func(class uint16) bool { return r.rs.names[class][0] == '@' })
}

// animalWord reports a word for an animal; "Песчаное" only begins like a dog.
func (r *reader) animalWord(i int) bool {
	t := &r.text
	if !t.has(i, r.rs.class.kind) {
		return false
	}
	letters := t.codesOf(t.at(i))
	return len(letters) <= 6 || string(letters[:4]) != sandy
}

var sandy = string(codesOf("песч"))

// clauseStarts reports that a pause stands before word i.
func (r *reader) clauseStarts(i int) bool {
	return !r.text.follows(i, gapSpace|gapHyphen|gapQuote|gapWide)
}

// clauseEnds reports that a pause or a phone stands before word i, or nothing follows.
func (r *reader) clauseEnds(i int) bool { return r.clauseStarts(i) || r.inPhone(i) }

// inPhone reports a word that is part of a phone number.
func (r *reader) inPhone(i int) bool {
	w := r.text.at(i)
	return slices.ContainsFunc(r.phones, func(p phoneSpan) bool { return int(w.start) < p.end && int(w.end) > p.start })
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
