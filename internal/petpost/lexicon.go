package petpost

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A lexicon tells which classes a word belongs to. Three kinds of pattern:
//
//	кот      this form only
//	собак~   the stem with any noun or adjective ending (see endings)
//	потерял* anything that begins so
//
// A word that no pattern knows is looked up once more by its sound, so that
// "потерелса" is understood without being listed; only the words of animals and
// of what happens to them are, for sounds are ambiguous.
type lexicon struct {
	letters patterns
	sounds  patterns
	byName  map[string]uint16
	names   []string

	bySound bool // while compiling: words of this table are known by their sound too

	abbreviation uint16
	number       uint16 // every number
	oldNumber    uint16 // 26..120: the years of people, not of pets
}

// patterns hold classes by letter codes: of whole words, of stems and of what
// words begin with.
type patterns struct{ whole, stem, begin map[string][]uint16 }

func newPatterns() patterns {
	return patterns{map[string][]uint16{}, map[string][]uint16{}, map[string][]uint16{}}
}

// of gives the map that a pattern's mark asks for.
func (p *patterns) of(mark string) map[string][]uint16 {
	switch mark {
	case "~":
		return p.stem
	case "*":
		return p.begin
	}
	return p.whole
}

// classes appends those of a word, the shortest match first.
func (p *patterns) classes(out []uint16, letters []byte) []uint16 {
	for n, c := range letters {
		if c == 0 {
			return out
		}
		out = append(out, p.begin[string(letters[:n+1])]...)
		if stem := p.stem[string(letters[:n+1])]; stem != nil && endings()[string(letters[n+1:])] {
			out = append(out, stem...)
		}
	}
	return append(out, p.whole[string(letters)]...)
}

// endings that "~" accepts after a stem.
var endings = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{"": true}
	for _, e := range strings.Fields(`а я о е и ы у ю ь й ой ей ою ею ом ем ам ям ами ями ах ях ов ев ый ий ая яя ое ее
		ые ие ого его ому ему ым им ых их ыми ими ую юю ок ек`) {
		set[string(codesOf(e))] = true
	}
	return set
})

// compiled is the lexicon with its phrases, built at the first use.
var compiled = sync.OnceValue(compile)

type ruleset struct {
	lexicon
	rules   []rule
	phrases []phrase
	byFirst [][]int32 // class -> phrases that can begin with it
	class   classIDs
	traitOf []uint8 // class -> 1 + index in traitClasses
}

func compile() *ruleset {
	rs := &ruleset{lexicon: newLexicon()}
	lx := &rs.lexicon
	for _, v := range vocabulary {
		lx.bySound = v.bySound
		lx.define(v.file)
	}
	lx.bySound = false
	lx.abbreviation = lx.classOf("@abbreviation")
	lx.number = lx.classOf("@number")
	lx.oldNumber = lx.classOf("@number.old")
	rs.compilePhrases()
	rs.class.resolve(lx)
	rs.traitOf = make([]uint8, len(rs.names))
	for i, row := range traitClasses {
		rs.traitOf[lx.byName["@"+row.class]] = uint8(i + 1)
	}
	return rs
}

func newLexicon() lexicon {
	return lexicon{letters: newPatterns(), sounds: newPatterns(), byName: map[string]uint16{}}
}

// define adds the classes of a file. "@other" among the words of a class includes
// another class's, which must be defined before.
func (lx *lexicon) define(file string) {
	for _, s := range sections(file) {
		id := lx.classOf("@" + s.name)
		for _, pattern := range s.words() {
			if !strings.HasPrefix(pattern, "@") {
				lx.insert(pattern, id)
				continue
			}
			included, ok := lx.byName[pattern]
			if !ok {
				panic(fmt.Sprintf("petpost: class %q includes %q, which is not defined before it", s.name, pattern))
			}
			lx.include(id, included)
		}
	}
}

// classOf returns the id of a class, or of the class that holds one literal
// pattern of a phrase.
func (lx *lexicon) classOf(name string) uint16 {
	if id, ok := lx.byName[name]; ok {
		return id
	}
	id := uint16(len(lx.names))
	lx.names = append(lx.names, name)
	lx.byName[name] = id
	if !strings.HasPrefix(name, "@") {
		lx.insert(name, id)
	}
	return id
}

func (lx *lexicon) include(id, included uint16) {
	for _, p := range []patterns{lx.letters, lx.sounds} {
		for _, lists := range []map[string][]uint16{p.whole, p.stem, p.begin} {
			for key, classes := range lists {
				if slices.Contains(classes, included) && !slices.Contains(classes, id) {
					lists[key] = append(classes, id)
				}
			}
		}
	}
}

// shortestSound is how many letters a word has at least that is known by its
// sound.
const shortestSound = 6

func (lx *lexicon) insert(pattern string, id uint16) {
	word := strings.TrimRight(pattern, "~*")
	mark := pattern[len(word):]
	letters := codesOf(word)
	if len(letters) == 0 {
		panic(fmt.Sprintf("petpost: pattern %q holds no Cyrillic letters", pattern))
	}
	add := func(lists map[string][]uint16, key string) {
		if !slices.Contains(lists[key], id) {
			lists[key] = append(lists[key], id)
		}
	}
	add(lx.letters.of(mark), string(letters))
	if lx.bySound && len(letters) >= shortestSound {
		add(lx.sounds.of(mark), string(soundOf(nil, letters, mark == "")))
	}
}

func codesOf(word string) []byte {
	var letters []byte
	for _, r := range word {
		if c := cyrillicCode(r); c != 0 {
			letters = append(letters, c)
		}
	}
	return letters
}

// read looks a word up and appends its classes to t.lex.
func (lx *lexicon) read(t *text, w *word) {
	at := len(t.lex)
	letters := t.codesOf(w)
	t.lex = lx.letters.classes(t.lex, letters)
	const longest = 40
	if n := len(letters); len(t.lex) == at && n >= 4 && n <= longest {
		var buffer [longest + 8]byte
		if single := singled(buffer[:0], letters); len(single) < n {
			t.lex = lx.letters.classes(t.lex, single) // "рукки"
		}
		if len(t.lex) == at && n >= shortestSound {
			t.lex = lx.sounds.classes(t.lex, soundOf(buffer[:0], letters, true))
		}
	}
	w.lexAt, w.lexTo = int32(at), int32(len(t.lex))
}

// knows reports whether letters are a word of the lexicon as they stand.
func (lx *lexicon) knows(letters []byte) bool {
	return len(lx.letters.classes(nil, letters)) > 0
}

// knowsExactly is knows without the patterns that take any ending: "потерял*"
// would swallow "потеряласькошка".
func (lx *lexicon) knowsExactly(letters []byte) bool {
	if lx.letters.whole[string(letters)] != nil {
		return true
	}
	for n := max(1, len(letters)-longestEnding); n <= len(letters); n++ {
		known := lx.letters.stem[string(letters[:n])] != nil || lx.letters.begin[string(letters[:n])] != nil
		if known && endings()[string(letters[n:])] {
			return true
		}
	}
	return false
}

const longestEnding = 3

// segment cuts letters into known words, longest first, and stores the end of
// each in cuts. It returns how many there are, 0 if that cannot be done.
func (lx *lexicon) segment(letters []byte, cuts []int) int {
	budget := 200
	return lx.segmentFrom(letters, 0, cuts, 0, &budget)
}

func (lx *lexicon) segmentFrom(letters []byte, from int, cuts []int, n int, budget *int) int {
	if from == len(letters) {
		return n
	}
	if n == len(cuts) {
		return 0
	}
	for end := len(letters); end >= from+2; end-- {
		*budget--
		if *budget < 0 {
			return 0
		}
		if end-from > 16 || end-from == len(letters) || !lx.knowsExactly(letters[from:end]) {
			continue
		}
		cuts[n] = end
		if total := lx.segmentFrom(letters, end, cuts, n+1, budget); total > 0 {
			return total
		}
	}
	return 0
}

var (
	particles       = codeSet("то нибудь либо ка таки")
	prefixParticles = codeSet("по кое из во в")
)

// codeSet holds words by their letter codes.
func codeSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[string(codesOf(word))] = true
	}
	return set
}

// singled writes a word without doubled letters.
func singled(out, letters []byte) []byte {
	for _, c := range letters {
		if n := len(out); n == 0 || out[n-1] != c {
			out = append(out, c)
		}
	}
	return out
}

// soundOf writes a word roughly as it sounds: unstressed vowels alike, doubled
// letters once, no soft signs, "тся" as "ца". whole says that the word ends
// here, so that endings may be levelled too.
func soundOf(out, letters []byte, whole bool) []byte {
	const (
		aLetter = 1
		iLetter = byte('и'-'а') + 1
	)
	for i, c := range letters {
		switch letterOf(c) {
		case 'ь', 'ъ':
			continue
		case 'о':
			c = aLetter
		case 'е', 'э', 'ы':
			c = iLetter
		case 'я':
			c = iLetter
			if n := len(out); n > 0 && (out[n-1] == code('ш') || out[n-1] == code('ч')) {
				c = aLetter // "убежял"
			}
		case 'щ', 'ж':
			c = code('ш')
		case 'с':
			if n := len(out); n > 0 && out[n-1] == code('т') && i > n-2 {
				out[n-1] = code('ц')
				continue
			}
		case 'т':
			if i+1 < len(letters) && letterOf(letters[i+1]) == 'ч' {
				continue
			}
		}
		if n := len(out); n > 0 && out[n-1] == c {
			continue
		}
		out = append(out, c)
	}
	if n := len(out); whole && n > 3 && out[n-2] == code('с') && (out[n-1] == aLetter || out[n-1] == iLetter) {
		out = out[:n-1] // -ся, -са, -сь
	}
	return out
}
