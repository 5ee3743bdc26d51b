package petpost

import "sync"

// placeBits are what the words of places say of one word.
type placeBits uint32

// In the order of the sections of lexicon/places.txt.
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
	bitTime

	bitMarker = bitStreet | bitStreetShort | bitDistrict | bitSettlement | bitSettlementShort
)

var placeLexicon = sync.OnceValue(func() *lexicon {
	lx := newLexicon()
	lx.define("places")
	return &lx
})

// markPlaces looks every word up.
func (r *reader) markPlaces() {
	t, lx := &r.text, placeLexicon()
	r.placeBits = r.placeBits[:0]
	var buffer [8]uint16
	for i := range t.words {
		var bits placeBits
		if w := &t.words[i]; w.kind == kindWord && !w.hashtag {
			for _, class := range lx.letters.classes(buffer[:0], t.codesOf(w)) {
				bits |= 1 << class
			}
		}
		r.placeBits = append(r.placeBits, bits)
	}
}

// is reports whether word i is there and has one of the bits.
func (r *reader) is(i int, bits placeBits) bool {
	return i >= 0 && i < len(r.placeBits) && r.placeBits[i]&bits != 0
}
