package petpost

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap describes what stands between a word and the one before it.
type gap uint16

const (
	gapComma gap = 1 << iota
	gapDot
	gapExclaim
	gapQuestion
	gapColon
	gapDash
	gapHyphen // a hyphen and nothing else
	gapQuote
	gapParen
	gapEmoji
	gapLine  // one line break
	gapBlank // an empty line
	gapWide  // two spaces or more
	gapSlash
	gapSpace
)

// kind is what a word is made of.
type kind uint8

const (
	kindWord kind = iota
	kindLatin
	kindNumber
	kindURL
	kindMention
	kindNone // before the first word and after the last
)

// word is one unit of text. Offsets are bytes of text.raw.
type word struct {
	start, end     int32
	codeAt, codeTo int32 // its letters in text.codes
	lexAt, lexTo   int32 // its classes in text.lex
	sentence       int32
	gap            gap
	kind           kind
	hashtag        bool
	upper          bool // begins with a capital
	caps           bool // two capitals or more and nothing else
}

// length is how many letters it has.
func (w *word) length() int { return int(w.codeTo - w.codeAt) }

// digits is how many bytes it takes, which are its digits if it is a number.
func (w *word) digits() int { return int(w.end - w.start) }

// text is a post cut into words. It is scratch space: reset for each post.
type text struct {
	raw       string
	words     []word
	codes     []byte
	lex       []string
	sentences []sentence
	letters   int // letters outside links, mentions and hashtags
	mentions  int
	links     int
	hashtags  int
	pictures  [3]int // emoji of dogs, cats and other pets
	tail      gap    // what follows the last word
}

// sentence is a run of words [from, to).
type sentence struct {
	from, to int32
	question bool
}

func (t *text) reset(raw string) {
	*t = text{
		raw: raw, words: t.words[:0], codes: t.codes[:0],
		lex: t.lex[:0], sentences: t.sentences[:0],
	}
}

func (t *text) codesOf(w *word) []byte    { return t.codes[w.codeAt:w.codeTo] }
func (t *text) lexOf(w *word) []string    { return t.lex[w.lexAt:w.lexTo] }
func (t *text) rawOf(from, to int) string { return t.raw[t.words[from].start:t.words[to-1].end] }

// edge stands before the first word and after the last.
var edge = word{kind: kindNone, sentence: -1, gap: gapLine | gapBlank}

// at is word i, or edge where there is none.
func (t *text) at(i int) *word {
	if i < 0 || i >= len(t.words) {
		return &edge
	}
	return &t.words[i]
}

// has reports whether word i is there and belongs to one of the classes.
func (t *text) has(i int, classes ...string) bool { return t.of(t.at(i), classes...) }

// of reports whether a word belongs to one of the classes.
func (t *text) of(w *word, classes ...string) bool {
	return slices.ContainsFunc(t.lexOf(w), func(class string) bool { return slices.Contains(classes, class) })
}

// holds reports whether a word of the text belongs to one of the classes.
func (t *text) holds(classes ...string) bool {
	return slices.ContainsFunc(t.words, func(w word) bool { return t.of(&w, classes...) })
}

// sameSentence reports whether words i and j stand in one sentence.
func (t *text) sameSentence(i, j int) bool {
	return t.at(i).sentence == t.at(j).sentence && t.at(i).kind != kindNone
}

// follows reports whether word i goes on with the sentence of the word before it,
// with nothing but gaps between them.
func (t *text) follows(i int, gaps gap) bool {
	return t.sameSentence(i-1, i) && t.words[i].gap&^gaps == 0
}

// gapAfter is what stands after word i.
func (t *text) gapAfter(i int) gap {
	if i+1 < len(t.words) {
		return t.words[i+1].gap
	}
	return t.tail
}

// isWord compares word i with Russian words in lower case.
func (t *text) isWord(i int, words ...string) bool {
	letters := t.codesOf(t.at(i))
	return len(letters) > 0 && slices.ContainsFunc(words, func(word string) bool { return equalLetters(letters, word) })
}

func equalLetters(letters []byte, word string) bool {
	if len(word) != 2*len(letters) {
		return false
	}
	k := 0
	for _, r := range word {
		if cyrillicCode(r) != letters[k] {
			return false
		}
		k++
	}
	return true
}

// number returns the value of a number of up to six digits, -1 for any other word.
func (t *text) number(i int) int {
	w := t.at(i)
	if w.kind != kindNumber || w.end-w.start > 6 {
		return -1
	}
	n := 0
	for _, c := range t.raw[w.start:w.end] {
		n = n*10 + int(c-'0')
	}
	return n
}

// gaps say what the characters between two words stand for.
var gaps = gapTable(map[gap]string{
	gapComma: ",;", gapDot: ".…", gapExclaim: "!❗‼❕", gapQuestion: "?❓⁉❔", gapColon: ":", gapDash: "–—−",
	gapHyphen: "-‐‑", gapQuote: "«»\"“”„'", gapParen: "()[]", gapSlash: "/\\|", gapSpace: " \t\u00a0", gapLine: "\n",
})

func gapTable(characters map[gap]string) map[rune]gap {
	table := map[rune]gap{}
	for g, all := range characters {
		for _, r := range all {
			table[r] = g
		}
	}
	return table
}

// cutter cuts a text into words; between is what stands after the last of them.
type cutter struct {
	*text
	between gap
	spaces  int // in a row
}

// cut splits raw into words, reads them through the lexicon and finds the
// sentences.
func (t *text) cut(raw string) {
	t.reset(raw)
	c := cutter{text: t}
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if n := c.word(i, r); n > 0 {
			i += n
			continue
		}
		c.separator(r)
		i += size
	}
	t.tail = c.between
	t.findSentences()
}

// word reads what begins at byte i with r and returns its length, 0 if it is
// nothing to read.
func (c *cutter) word(i int, r rune) int {
	switch {
	case r == '[' || r == '@' || r == '*':
		n := len(mention.FindString(c.raw[i:]))
		if n > 0 {
			c.add(i, n, kindMention)
			c.mentions++
		}
		return n
	case r == '#':
		return c.hashtag(i)
	case !isLatin(r) && cyrillicCode(r) == 0 && !isDigit(r):
		return 0
	}
	if n := linkLength(c.raw[i:]); n > 0 && r < utf8.RuneSelf {
		c.add(i, n, kindURL)
		c.links++
		return n
	}
	if isDigit(r) {
		return c.number(i)
	}
	return c.letterWord(i)
}

// separator takes note of a character that stands between words.
func (c *cutter) separator(r rune) {
	g := gaps[r]
	if g != gapSpace {
		c.spaces = 0
	}
	switch {
	case g == gapSpace:
		if c.spaces++; c.spaces >= 2 {
			g |= gapWide
		}
	case g == gapLine && c.between&gapLine != 0:
		g |= gapBlank
	case g == gapHyphen && c.between != 0:
		g = gapDash
	case g == 0 && isEmoji(r):
		g = gapEmoji
		for k, pictures := range emojiAnimals {
			c.pictures[k] += btoi(strings.ContainsRune(pictures, r))
		}
	}
	c.between |= g
}

// add appends a word of n bytes at i that has no letters yet.
func (c *cutter) add(i, n int, kind kind) *word {
	if c.between&gapHyphen != 0 && c.between&^gapHyphen != 0 {
		c.between = c.between&^gapHyphen | gapDash // "Рольф- ласковый пёс"
	}
	codes, lex := int32(len(c.codes)), int32(len(c.lex))
	c.words = append(c.words, word{
		start: int32(i), end: int32(i + n), kind: kind, gap: c.between,
		codeAt: codes, codeTo: codes, lexAt: lex, lexTo: lex,
	})
	c.between, c.spaces = 0, 0
	return &c.words[len(c.words)-1]
}

// number reads a run of digits.
func (c *cutter) number(i int) int {
	n := 1
	for i+n < len(c.raw) && isDigit(rune(c.raw[i+n])) {
		n++
	}
	w := c.add(i, n, kindNumber)
	c.lex = append(c.lex, classNumber)
	if v := c.text.number(len(c.words) - 1); v > 25 && v <= 120 {
		c.lex = append(c.lex, classOldNumber)
	}
	w.lexTo = int32(len(c.lex))
	return n
}

// letterWord reads one word of letters at i and returns its length in bytes.
func (c *cutter) letterWord(i int) int {
	at := len(c.codes)
	s := spelling{codes: c.codes, at: at}
	n := s.read(c.raw[i:])
	if s.cyrillic == 1 && s.latin == 0 {
		if all := strings.TrimRightFunc(spelled.FindString(c.raw[i:]), func(r rune) bool { return cyrillicCode(r) == 0 }); all != "" {
			for _, r := range all[n:] {
				n += s.read(string(r))
			}
			n = len(all)
		}
	}
	c.codes = s.codes
	c.letters += s.cyrillic + s.latin
	kind := kindWord
	if s.cyrillic == 0 {
		kind = kindLatin
		c.codes = c.codes[:at]
	}
	w := c.add(i, n, kind)
	w.codeAt = int32(at)
	w.upper, w.caps = s.capital, s.upper == s.cyrillic+s.latin && s.upper > 1
	w.codeTo = int32(len(c.codes))
	c.lex = vocabulary().read(c.lex, c.codes[at:])
	w.lexTo = int32(len(c.lex))
	return n
}

// spelling is what a word is written with.
type spelling struct {
	codes                  []byte
	at                     int // where it begins in them
	run                    int // how often the last letter stands in a row
	cyrillic, latin, upper int
	capital                bool // it begins with one
}

// read takes the letters at the head of s and returns how many bytes they are.
func (s *spelling) read(text string) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		c := cyrillicCode(r)
		switch {
		case c != 0 || isLatin(r):
			s.letter(r, c)
		case isSilent(r) && end > 0:
			if last := len(s.codes) - 1; r == breve && s.cyrillic > 0 && s.codes[last] == code('и') {
				s.codes[last] = code('й')
			}
		case (r == '0' || r == '3' || r == '@') && s.cyrillic > 0 && letterFollows(text[end+size:]):
			s.add(lookAlikes[r])
		default:
			return end
		}
		end += size
	}
	return end
}

// letter takes note of a letter, whose code c is 0 if it is Latin.
func (s *spelling) letter(r rune, c byte) {
	if unicode.IsUpper(r) {
		s.upper++
		s.capital = s.capital || s.cyrillic+s.latin == 0
	}
	if c != 0 {
		s.cyrillic++
	} else {
		s.latin++
		c = lookAlikes[r]
	}
	s.add(c)
}

// add appends a letter; of three or more that are alike one stays: "потеряяялась".
func (s *spelling) add(c byte) {
	n := len(s.codes)
	if n == s.at || s.codes[n-1] != c {
		s.run = 0
	}
	switch s.run++; s.run {
	case 1, 2:
		s.codes = append(s.codes, c)
	case 3:
		s.codes = s.codes[:n-1]
	}
}

// breve is the mark that makes й of и where it is a character of its own.
const breve = 0x306

func letterFollows(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return cyrillicCode(r) != 0
}

// hashtag reads "#потеряшка_Ижевск@group" into the words that it holds.
func (c *cutter) hashtag(i int) int {
	tag := hashtag.FindString(c.raw[i:])
	name, _, _ := strings.Cut(strings.TrimPrefix(tag, "#"), "@")
	if name == "" {
		return 0
	}
	c.hashtags++
	letters := c.letters
	for k := i + 1; k < i+1+len(name); {
		r, size := utf8.DecodeRuneInString(c.raw[k:])
		at := len(c.words)
		switch {
		case isDigit(r):
			size = c.number(k)
		case isLatin(r) || cyrillicCode(r) != 0:
			size = c.letterWord(k)
		}
		k += size
		if at == len(c.words) {
			continue
		}
		c.words[at].hashtag = true
		c.between = gapSpace
	}
	c.letters = letters
	return len(tag)
}

// findSentences numbers the sentences. A line break ends one unless the next
// line goes on in lower case or both lines shout in capitals.
func (t *text) findSentences() {
	var current int32
	from := 0
	for i := range t.words {
		w := &t.words[i]
		if i > 0 && t.breaksBefore(i) {
			t.closeSentence(from, i, w.gap)
			current++
			from = i
		}
		w.sentence = current
	}
	if len(t.words) > 0 {
		t.closeSentence(from, len(t.words), t.tail)
	}
}

func (t *text) closeSentence(from, to int, after gap) {
	t.sentences = append(t.sentences, sentence{from: int32(from), to: int32(to), question: after&gapQuestion != 0})
}

func (t *text) breaksBefore(i int) bool {
	w, previous := &t.words[i], &t.words[i-1]
	switch g := w.gap; {
	case g&(gapBlank|gapQuestion|gapExclaim) != 0, w.hashtag != previous.hashtag:
		return true
	case g&gapDot != 0:
		decimal := previous.kind == kindNumber && w.kind == kindNumber && g&gapSpace == 0
		return !decimal && (g&gapLine != 0 || !t.has(i-1, "abbreviation"))
	case g&gapLine != 0:
		return (w.kind != kindWord || w.upper) && !(w.caps && previous.caps)
	}
	return false
}
