package petpost

import (
	"fmt"
	"strings"
	"sync"
)

// A lexicon tells which classes a word belongs to. It is a trie over letter
// codes, compiled once from the word tables. Three kinds of pattern:
//
//	кот      this form only
//	собак~   the stem with any noun or adjective ending (see endings)
//	потерял* anything that begins so
//
// A word that no pattern knows is looked up once more by its sound, so that
// "потерелса" is understood without being listed; only the words of animals and
// of what happens to them are, for sounds are ambiguous.
type lexicon struct {
	nodes   []trieNode
	byName  map[string]uint16
	names   []string
	sounds  []trieNode
	endings [letterCodes * letterCodes * letterCodes]bool

	bySound bool // while compiling: words of this table are known by their sound too

	abbreviation uint16
	number       uint16 // every number
	oldNumber    uint16 // 26..120: the years of people, not of pets
}

type trieNode struct {
	next   [letterCodes]uint16
	exact  []uint16
	stem   []uint16
	prefix []uint16
}

// endings that "~" accepts after a stem.
const endings = `а я о е и ы у ю ь й ой ей ою ею ом ем ам ям ами ями ах ях ов ев ый ий ая яя ое ее
ые ие ого его ому ему ым им ых их ыми ими ую юю ок ек`

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
	rs := &ruleset{}
	lx := &rs.lexicon
	lx.nodes = make([]trieNode, 1, 1<<14)
	lx.sounds = make([]trieNode, 1, 1<<13)
	lx.byName = map[string]uint16{}
	lx.allow(endings)
	for _, v := range vocabulary {
		lx.bySound = v.bySound
		for _, s := range sections(v.file) {
			lx.define(s.name, s.words())
		}
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

// allow sets the endings that "~" accepts.
func (lx *lexicon) allow(endings string) {
	for _, e := range strings.Fields(endings) {
		key, _ := endingKey(codesOf(e))
		lx.endings[key] = true
	}
	lx.endings[0] = true
}

// define adds the words of a class. "@other" among them includes another
// class's words, which must be defined before.
func (lx *lexicon) define(class string, words []string) {
	id := lx.classOf("@" + class)
	for _, pattern := range words {
		if strings.HasPrefix(pattern, "@") {
			included, ok := lx.byName[pattern]
			if !ok {
				panic(fmt.Sprintf("petpost: class %q includes %q, which is not defined before it", class, pattern))
			}
			lx.include(id, included)
			continue
		}
		lx.insert(pattern, id)
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
	for _, trie := range [][]trieNode{lx.nodes, lx.sounds} {
		for i := range trie {
			n := &trie[i]
			n.exact = withClass(n.exact, id, included)
			n.stem = withClass(n.stem, id, included)
			n.prefix = withClass(n.prefix, id, included)
		}
	}
}

func withClass(list []uint16, id, included uint16) []uint16 {
	has, wants := false, false
	for _, c := range list {
		has = has || c == id
		wants = wants || c == included
	}
	if wants && !has {
		return append(list, id)
	}
	return list
}

func (lx *lexicon) insert(pattern string, id uint16) {
	word := strings.TrimRight(pattern, "~*")
	mark := pattern[len(word):]
	letters := codesOf(word)
	if len(letters) == 0 {
		panic(fmt.Sprintf("petpost: pattern %q holds no Cyrillic letters", pattern))
	}
	n := &lx.nodes[place(&lx.nodes, letters)]
	switch mark {
	case "~":
		n.stem = addClass(n.stem, id)
	case "*":
		n.prefix = addClass(n.prefix, id)
	default:
		n.exact = addClass(n.exact, id)
	}
	if !lx.bySound || len(letters) < 6 {
		return
	}
	var buffer [48]byte
	s := &lx.sounds[place(&lx.sounds, soundOf(buffer[:0], letters, mark == ""))]
	switch mark {
	case "~":
		s.stem = addClass(s.stem, id)
	case "*":
		s.prefix = addClass(s.prefix, id)
	default:
		s.exact = addClass(s.exact, id)
	}
}

func place(trie *[]trieNode, letters []byte) uint16 {
	at := uint16(0)
	for _, c := range letters {
		next := (*trie)[at].next[c]
		if next == 0 {
			if len(*trie) > 65000 {
				panic("petpost: the lexicon outgrew its 16-bit nodes")
			}
			next = uint16(len(*trie))
			*trie = append(*trie, trieNode{})
			(*trie)[at].next[c] = next
		}
		at = next
	}
	return at
}

func addClass(list []uint16, id uint16) []uint16 {
	for _, c := range list {
		if c == id {
			return list
		}
	}
	return append(list, id)
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

// endingKey packs up to three letters into an index.
func endingKey(letters []byte) (int, bool) {
	if len(letters) > 3 {
		return 0, false
	}
	key := 0
	for _, c := range letters {
		key = key*letterCodes + int(c)
	}
	return key, true
}

// read looks a word up and appends its classes to t.lex.
func (lx *lexicon) read(t *text, w *word) {
	at := len(t.lex)
	letters := t.codesOf(w)
	t.lex = lx.walk(lx.nodes, letters, t.lex)
	var buffer [48]byte
	if len(t.lex) == at && len(letters) >= 4 && len(letters) <= 40 {
		if single := singled(buffer[:0], letters); len(single) < len(letters) {
			t.lex = lx.walk(lx.nodes, single, t.lex) // "рукки"
		}
	}
	if len(t.lex) == at && len(letters) >= 6 && len(letters) <= 40 {
		t.lex = lx.walk(lx.sounds, soundOf(buffer[:0], letters, true), t.lex)
	}
	w.lexAt, w.lexTo = int32(at), int32(len(t.lex))
}

func (lx *lexicon) walk(trie []trieNode, letters []byte, out []uint16) []uint16 {
	at := uint16(0)
	for i, c := range letters {
		if c == 0 || int(c) >= letterCodes {
			return out
		}
		at = trie[at].next[c]
		if at == 0 {
			return out
		}
		n := &trie[at]
		if len(n.prefix) > 0 {
			out = append(out, n.prefix...)
		}
		if len(n.stem) > 0 {
			if key, ok := endingKey(letters[i+1:]); ok && lx.endings[key] {
				out = append(out, n.stem...)
			}
		}
	}
	return append(out, trie[at].exact...)
}

// knows reports whether letters are a word of the lexicon as they stand.
func (lx *lexicon) knows(letters []byte) bool {
	var buffer [32]uint16
	return len(lx.walk(lx.nodes, letters, buffer[:0])) > 0
}

// knowsExactly is knows without the patterns that take any ending: "потерял*"
// would swallow "потеряласькошка".
func (lx *lexicon) knowsExactly(letters []byte) bool {
	at := uint16(0)
	for i, c := range letters {
		if c == 0 || int(c) >= letterCodes {
			return false
		}
		if at = lx.nodes[at].next[c]; at == 0 {
			return false
		}
		if key, ok := endingKey(letters[i+1:]); ok && lx.endings[key] && len(lx.nodes[at].stem)+len(lx.nodes[at].prefix) > 0 {
			return true
		}
	}
	return len(lx.nodes[at].exact) > 0
}

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
	particles       = [][]byte{codesOf("то"), codesOf("нибудь"), codesOf("либо"), codesOf("ка"), codesOf("таки")}
	prefixParticles = [][]byte{codesOf("по"), codesOf("кое"), codesOf("из"), codesOf("во"), codesOf("в")}
)

func (lx *lexicon) isParticle(letters []byte) bool       { return oneOf(letters, particles) }
func (lx *lexicon) isPrefixParticle(letters []byte) bool { return oneOf(letters, prefixParticles) }

func oneOf(letters []byte, list [][]byte) bool {
	for _, p := range list {
		if string(p) == string(letters) {
			return true
		}
	}
	return false
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
