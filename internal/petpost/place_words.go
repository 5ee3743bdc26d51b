package petpost

import (
	"slices"
	"strings"
	"sync"
)

// ofPlace reports a class of lexicon/places.txt. These tell places apart, and only
// them.
func ofPlace(class string) bool { return strings.HasPrefix(class, "place.") }

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

// clauseStarts reports that a pause stands before word i.
func (r *reader) clauseStarts(i int) bool {
	return !r.text.follows(i, gapSpace|gapHyphen|gapQuote|gapWide)
}

// clauseEnds reports that a pause or a phone stands before word i, or nothing follows.
func (r *reader) clauseEnds(i int) bool { return r.clauseStarts(i) || r.inPhone(i) }
